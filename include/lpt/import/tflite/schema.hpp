// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/builtin.hpp>

/// Numbers of fields in the tables of a TFLite file, and their defaults (version 3 of the format).
namespace lpt::inline LPT_ABI::tflite::field {

struct model {
    enum : unsigned short {
        version,
        operator_codes,
        subgraphs,
        description,
        buffers,
        metadata_buffer,
        metadata,
        signature_defs
    };
};
struct operator_code {
    enum : unsigned short { deprecated_builtin_code, custom_code, version, builtin_code };
};
struct subgraph {
    enum : unsigned short { tensors, inputs, outputs, operators, name };
};
struct tensor {
    enum : unsigned short { shape, type, buffer, name, quantization, is_variable, sparsity, shape_signature, has_rank };
};
struct quantization {
    enum : unsigned short { min, max, scale, zero_point, details_type, details, quantized_dimension };
};
struct op {
    enum : unsigned short {
        opcode_index,
        inputs,
        outputs,
        builtin_options_type,
        builtin_options,
        custom_options,
        custom_options_format,
        mutating_variable_inputs,
        intermediates,
        large_custom_options_offset,
        large_custom_options_size,
        builtin_options_2_type,
        builtin_options_2
    };
};
struct buffer {
    enum : unsigned short { data, offset, size };
};
struct signature {
    enum : unsigned short { inputs, outputs, signature_key, deprecated_tag, subgraph_index };
};
struct tensor_map {
    enum : unsigned short { name, tensor_index };
};
struct metadata {
    enum : unsigned short { name, buffer };
};

}  // namespace lpt::inline LPT_ABI::tflite::field

namespace lpt::inline LPT_ABI::tflite {

/// How a field of options is stored: integers of 32 and 64 bits, a flag, an enumeration, a type of tensors, a real number, integers, words.
enum class stored : unsigned char {
    whole,
    natural,
    long_whole,
    flag,
    padding,
    activation,
    mirroring,
    weights_format,
    kernel_type,
    type,
    real,
    list,
    words
};

struct option_field {
    text_view name;
    unsigned short number;
    stored as;
    int when_absent = 0;
};

inline constexpr std::size_t most_option_fields = 8;

/// The options table of one or more operators; `tag` is its number among those that an operator can have.
struct option_table {
    unsigned char tag;
    option_field fields[most_option_fields];
};

namespace options {

inline constexpr option_table none{0, {}};
inline constexpr option_table conv_2d{1,
                                      {{"padding", 0, stored::padding},
                                       {"stride_w", 1, stored::whole},
                                       {"stride_h", 2, stored::whole},
                                       {"fused_activation_function", 3, stored::activation},
                                       {"dilation_w_factor", 4, stored::whole, 1},
                                       {"dilation_h_factor", 5, stored::whole, 1},
                                       {"quantized_bias_type", 6, stored::type}}};
inline constexpr option_table depthwise_conv_2d{2,
                                                {{"padding", 0, stored::padding},
                                                 {"stride_w", 1, stored::whole},
                                                 {"stride_h", 2, stored::whole},
                                                 {"depth_multiplier", 3, stored::whole},
                                                 {"fused_activation_function", 4, stored::activation},
                                                 {"dilation_w_factor", 5, stored::whole, 1},
                                                 {"dilation_h_factor", 6, stored::whole, 1}}};
inline constexpr option_table pool_2d{5,
                                      {{"padding", 0, stored::padding},
                                       {"stride_w", 1, stored::whole},
                                       {"stride_h", 2, stored::whole},
                                       {"filter_width", 3, stored::whole},
                                       {"filter_height", 4, stored::whole},
                                       {"fused_activation_function", 5, stored::activation}}};
inline constexpr option_table svdf{6,
                                   {{"rank", 0, stored::whole},
                                    {"fused_activation_function", 1, stored::activation},
                                    {"asymmetric_quantize_inputs", 2, stored::flag}}};
inline constexpr option_table rnn{
    7, {{"fused_activation_function", 0, stored::activation}, {"asymmetric_quantize_inputs", 1, stored::flag}}};
inline constexpr option_table fully_connected{8,
                                              {{"fused_activation_function", 0, stored::activation},
                                               {"weights_format", 1, stored::weights_format},
                                               {"keep_num_dims", 2, stored::flag},
                                               {"asymmetric_quantize_inputs", 3, stored::flag},
                                               {"quantized_bias_type", 4, stored::type}}};
inline constexpr option_table softmax{9, {{"beta", 0, stored::real}}};
inline constexpr option_table concatenation{
    10, {{"axis", 0, stored::whole}, {"fused_activation_function", 1, stored::activation}}};
inline constexpr option_table add{
    11, {{"fused_activation_function", 0, stored::activation}, {"pot_scale_int16", 1, stored::flag, 1}}};
inline constexpr option_table l2_norm{12, {{"fused_activation_function", 0, stored::activation}}};
inline constexpr option_table local_response_normalization{
    13,
    {{"radius", 0, stored::whole}, {"bias", 1, stored::real}, {"alpha", 2, stored::real}, {"beta", 3, stored::real}}};
inline constexpr option_table lstm{14,
                                   {{"fused_activation_function", 0, stored::activation},
                                    {"cell_clip", 1, stored::real},
                                    {"proj_clip", 2, stored::real},
                                    {"kernel_type", 3, stored::kernel_type},
                                    {"asymmetric_quantize_inputs", 4, stored::flag}}};
inline constexpr option_table resize_bilinear{
    15, {{"align_corners", 2, stored::flag}, {"half_pixel_centers", 3, stored::flag}}};
inline constexpr option_table call{16, {{"subgraph", 0, stored::natural}}};
inline constexpr option_table reshape{17, {{"new_shape", 0, stored::list}}};
inline constexpr option_table space_to_depth{19, {{"block_size", 0, stored::whole}}};
inline constexpr option_table mul{21, {{"fused_activation_function", 0, stored::activation}}};
inline constexpr option_table gather{23, {{"axis", 0, stored::whole}, {"batch_dims", 1, stored::whole}}};
inline constexpr option_table reducer{27, {{"keep_dims", 0, stored::flag}}};
inline constexpr option_table sub{
    28, {{"fused_activation_function", 0, stored::activation}, {"pot_scale_int16", 1, stored::flag, 1}}};
inline constexpr option_table div{29, {{"fused_activation_function", 0, stored::activation}}};
inline constexpr option_table squeeze{30, {{"squeeze_dims", 0, stored::list}}};
inline constexpr option_table sequence_rnn{31,
                                           {{"time_major", 0, stored::flag},
                                            {"fused_activation_function", 1, stored::activation},
                                            {"asymmetric_quantize_inputs", 2, stored::flag}}};
inline constexpr option_table strided_slice{32,
                                            {{"begin_mask", 0, stored::whole},
                                             {"end_mask", 1, stored::whole},
                                             {"ellipsis_mask", 2, stored::whole},
                                             {"new_axis_mask", 3, stored::whole},
                                             {"shrink_axis_mask", 4, stored::whole},
                                             {"offset", 5, stored::flag}}};
inline constexpr option_table split{35, {{"num_splits", 0, stored::whole}}};
inline constexpr option_table cast{37, {{"in_data_type", 0, stored::type}, {"out_data_type", 1, stored::type}}};
inline constexpr option_table arg_max{40, {{"output_type", 0, stored::type}}};
inline constexpr option_table transpose_conv{49,
                                             {{"padding", 0, stored::padding},
                                              {"stride_w", 1, stored::whole},
                                              {"stride_h", 2, stored::whole},
                                              {"fused_activation_function", 3, stored::activation},
                                              {"quantized_bias_type", 4, stored::type}}};
inline constexpr option_table shape{55, {{"out_type", 0, stored::type}}};
inline constexpr option_table arg_min{57, {{"output_type", 0, stored::type}}};
inline constexpr option_table fake_quant{58,
                                         {{"min", 0, stored::real},
                                          {"max", 1, stored::real},
                                          {"num_bits", 2, stored::whole},
                                          {"narrow_range", 3, stored::flag}}};
inline constexpr option_table pack{59, {{"values_count", 0, stored::whole}, {"axis", 1, stored::whole}}};
inline constexpr option_table one_hot{61, {{"axis", 0, stored::whole}}};
inline constexpr option_table unpack{64, {{"num", 0, stored::whole}, {"axis", 1, stored::whole}}};
inline constexpr option_table bidirectional_sequence_lstm{69,
                                                          {{"fused_activation_function", 0, stored::activation},
                                                           {"cell_clip", 1, stored::real},
                                                           {"proj_clip", 2, stored::real},
                                                           {"merge_outputs", 3, stored::flag},
                                                           {"time_major", 4, stored::flag, 1},
                                                           {"asymmetric_quantize_inputs", 5, stored::flag}}};
inline constexpr option_table bidirectional_sequence_rnn{70,
                                                         {{"time_major", 0, stored::flag},
                                                          {"fused_activation_function", 1, stored::activation},
                                                          {"merge_outputs", 2, stored::flag},
                                                          {"asymmetric_quantize_inputs", 3, stored::flag}}};
inline constexpr option_table unidirectional_sequence_lstm{71,
                                                           {{"fused_activation_function", 0, stored::activation},
                                                            {"cell_clip", 1, stored::real},
                                                            {"proj_clip", 2, stored::real},
                                                            {"time_major", 3, stored::flag},
                                                            {"asymmetric_quantize_inputs", 4, stored::flag},
                                                            {"diagonal_recurrent_tensors", 5, stored::flag}}};
inline constexpr option_table resize_nearest_neighbor{
    74, {{"align_corners", 0, stored::flag}, {"half_pixel_centers", 1, stored::flag}}};
inline constexpr option_table leaky_relu{75, {{"alpha", 0, stored::real}}};
inline constexpr option_table mirror_pad{77, {{"mode", 0, stored::mirroring}}};
inline constexpr option_table split_v{79, {{"num_splits", 0, stored::whole}}};
inline constexpr option_table unique{80, {{"idx_out_type", 0, stored::type, 2}}};
inline constexpr option_table reverse_sequence{87, {{"seq_dim", 0, stored::whole}, {"batch_dim", 1, stored::whole}}};
inline constexpr option_table if_else{
    92, {{"then_subgraph_index", 0, stored::whole}, {"else_subgraph_index", 1, stored::whole}}};
inline constexpr option_table while_loop{
    93, {{"cond_subgraph_index", 0, stored::whole}, {"body_subgraph_index", 1, stored::whole}}};
inline constexpr option_table depth_to_space{94, {{"block_size", 0, stored::whole}}};
inline constexpr option_table batch_matmul{
    101, {{"adj_x", 0, stored::flag}, {"adj_y", 1, stored::flag}, {"asymmetric_quantize_inputs", 2, stored::flag}}};
inline constexpr option_table cumsum{102, {{"exclusive", 0, stored::flag}, {"reverse", 1, stored::flag}}};
inline constexpr option_table call_once{103, {{"init_subgraph_index", 0, stored::whole}}};
inline constexpr option_table conv_3d{106,
                                      {{"padding", 0, stored::padding},
                                       {"stride_d", 1, stored::whole},
                                       {"stride_w", 2, stored::whole},
                                       {"stride_h", 3, stored::whole},
                                       {"fused_activation_function", 4, stored::activation},
                                       {"dilation_d_factor", 5, stored::whole, 1},
                                       {"dilation_w_factor", 6, stored::whole, 1},
                                       {"dilation_h_factor", 7, stored::whole, 1}}};
inline constexpr option_table var_handle{111, {{"container", 0, stored::words}, {"shared_name", 1, stored::words}}};
inline constexpr option_table random{114, {{"seed", 0, stored::long_whole}, {"seed2", 1, stored::long_whole}}};
inline constexpr option_table gelu{116, {{"approximate", 0, stored::flag}}};

}  // namespace options

/// The options of an operator. Those without fields have `options::none`.
constexpr const option_table& options_of(builtin code) {
    using enum builtin;
    switch (code) {
        case conv_2d: return options::conv_2d;
        case depthwise_conv_2d: return options::depthwise_conv_2d;
        case average_pool_2d:
        case max_pool_2d:
        case l2_pool_2d: return options::pool_2d;
        case svdf: return options::svdf;
        case rnn: return options::rnn;
        case fully_connected: return options::fully_connected;
        case softmax: return options::softmax;
        case concatenation: return options::concatenation;
        case add: return options::add;
        case l2_normalization: return options::l2_norm;
        case local_response_normalization: return options::local_response_normalization;
        case lstm: return options::lstm;
        case resize_bilinear: return options::resize_bilinear;
        case call: return options::call;
        case reshape: return options::reshape;
        case space_to_depth: return options::space_to_depth;
        case mul: return options::mul;
        case gather: return options::gather;
        case mean:
        case sum:
        case reduce_prod:
        case reduce_max:
        case reduce_min:
        case reduce_any:
        case reduce_all: return options::reducer;
        case sub: return options::sub;
        case div: return options::div;
        case squeeze: return options::squeeze;
        case unidirectional_sequence_rnn: return options::sequence_rnn;
        case strided_slice: return options::strided_slice;
        case split: return options::split;
        case cast: return options::cast;
        case arg_max: return options::arg_max;
        case transpose_conv: return options::transpose_conv;
        case shape: return options::shape;
        case arg_min: return options::arg_min;
        case fake_quant: return options::fake_quant;
        case pack: return options::pack;
        case one_hot: return options::one_hot;
        case unpack: return options::unpack;
        case bidirectional_sequence_lstm: return options::bidirectional_sequence_lstm;
        case bidirectional_sequence_rnn: return options::bidirectional_sequence_rnn;
        case unidirectional_sequence_lstm: return options::unidirectional_sequence_lstm;
        case resize_nearest_neighbor: return options::resize_nearest_neighbor;
        case leaky_relu: return options::leaky_relu;
        case mirror_pad: return options::mirror_pad;
        case split_v: return options::split_v;
        case unique: return options::unique;
        case reverse_sequence: return options::reverse_sequence;
        case if_else: return options::if_else;
        case while_loop: return options::while_loop;
        case depth_to_space: return options::depth_to_space;
        case batch_matmul: return options::batch_matmul;
        case cumsum: return options::cumsum;
        case call_once: return options::call_once;
        case conv_3d:
        case conv_3d_transpose: return options::conv_3d;
        case var_handle: return options::var_handle;
        case random_standard_normal:
        case random_uniform:
        case multinomial: return options::random;
        case gelu: return options::gelu;
        default: return options::none;
    }
}

}  // namespace lpt::inline LPT_ABI::tflite
