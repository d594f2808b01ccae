// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/words.hpp>

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lpt::inline LPT_ABI::onnx {

namespace detail {

/// Operators that have the same attributes.
struct operators_by_attributes {
    std::string_view domain;
    std::string_view types;  // with spaces between, as the attributes
    std::string_view attributes;  // `name`; `name@11`: from version 11 of the set on; `name@7-10`: up to version 10
};

inline constexpr operators_by_attributes attributes_of_operators[] = {
    {"",
     "Acos Acosh Asin Asinh Atan Atanh BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cos Cosh Det "
     "DynamicQuantizeLinear Erf Expand GlobalAveragePool GlobalMaxPool GreaterOrEqual HardSwish Identity "
     "IsNaN LessOrEqual MatMul MatMulInteger Mish NonZero Not OptionalGetElement OptionalHasElement "
     "QLinearMatMul Round SequenceAt SequenceConstruct SequenceErase SequenceInsert SequenceLength Sign "
     "Sin Sinh Size Softplus Softsign Tan Tile Where",
     ""},
    {"", "Abs Ceil Exp Floor Log Max Mean Min Neg PRelu Reciprocal Relu Sigmoid Sqrt Sum Tanh", "consumed_inputs@1-5"},
    {"", "Add Div Mul Sub", "axis@1-6 broadcast@1-6 consumed_inputs@1-5"},
    {"", "AffineGrid", "align_corners"},
    {"", "And Equal Greater Less Or Pow Xor", "axis@1-6 broadcast@1-6"},
    {"", "ArgMax ArgMin", "axis keepdims select_last_index@12"},
    {"", "Attention",
     "is_causal kv_num_heads left_window_size@25 q_num_heads qk_matmul_output_mode right_window_size@25 "
     "scale softcap softmax_precision"},
    {"", "AveragePool", "auto_pad ceil_mode@10 count_include_pad@7 dilations@19 kernel_shape pads strides"},
    {"", "BatchNormalization", "consumed_inputs@1-5 epsilon is_test@1-6 momentum spatial@1-8 training_mode@14"},
    {"", "BitCast", "to"},
    {"", "BitShift", "direction"},
    {"", "BlackmanWindow HammingWindow HannWindow", "output_datatype periodic"},
    {"", "Cast", "round_mode@24 saturate@19 to"},
    {"", "CastLike", "round_mode@24 saturate@19"},
    {"", "CausalConvWithState", "activation"},
    {"", "Celu SwiGLU Swish ThresholdedRelu", "alpha"},
    {"", "CenterCropPad", "axes"},
    {"", "Clip", "consumed_inputs@1-5 max@1-10 min@1-10"},
    {"", "Col2Im", "dilations pads strides"},
    {"", "Compress Concat Flatten Gather GatherElements Hardmax LogSoftmax OneHot Scatter Softmax", "axis"},
    {"", "ConcatFromSequence", "axis new_axis"},
    {"", "Constant",
     "sparse_value@11 value value_float@12 value_floats@12 value_int@12 value_ints@12 value_string@12 "
     "value_strings@12"},
    {"", "ConstantOfShape", "value"},
    {"", "Conv ConvInteger QLinearConv", "auto_pad dilations group kernel_shape pads strides"},
    {"", "ConvTranspose", "auto_pad dilations group kernel_shape output_padding output_shape pads strides"},
    {"", "CumProd CumSum", "exclusive reverse"},
    {"", "DFT", "axis@1-19 inverse onesided"},
    {"", "DeformConv", "dilations group kernel_shape offset_group pads strides"},
    {"", "DepthToSpace", "blocksize mode@11"},
    {"", "DequantizeLinear", "axis block_size@21 output_dtype@23"},
    {"", "Dropout", "consumed_inputs@1-5 is_test@1-6 ratio@1-11 seed@12"},
    {"", "Einsum", "equation"},
    {"", "Elu LeakyRelu", "alpha consumed_inputs@1-5"},
    {"", "EyeLike", "dtype k"},
    {"", "GRU",
     "activation_alpha activation_beta activations clip direction hidden_size layout@14 "
     "linear_before_reset@3 output_sequence@1-6"},
    {"", "GatherND", "batch_dims@12"},
    {"", "Gelu", "approximate"},
    {"", "Gemm", "alpha beta broadcast@1-6 transA transB"},
    {"", "GlobalLpPool", "p"},
    {"", "GridSample", "align_corners mode padding_mode"},
    {"", "GroupNormalization", "epsilon num_groups stash_type@21"},
    {"", "HardSigmoid", "alpha beta consumed_inputs@1-5"},
    {"", "If", "else_branch then_branch"},
    {"", "InstanceNormalization", "consumed_inputs@1-5 epsilon"},
    {"", "IsInf", "detect_negative detect_positive"},
    {"", "LRN", "alpha beta bias size"},
    {"", "LSTM",
     "activation_alpha activation_beta activations clip direction hidden_size input_forget layout@14 "
     "output_sequence@1-6"},
    {"", "LayerNormalization RMSNormalization SimplifiedLayerNormalization", "axis epsilon stash_type"},
    {"", "LinearAttention", "chunk_size kv_num_heads q_num_heads scale update_rule"},
    {"", "Loop", "body"},
    {"", "LpNormalization", "axis p"},
    {"", "LpPool", "auto_pad ceil_mode@18 dilations@18 kernel_shape p pads strides"},
    {"", "MaxPool", "auto_pad ceil_mode@10 dilations@10 kernel_shape pads storage_order@8 strides"},
    {"", "MaxUnpool", "kernel_shape pads strides"},
    {"", "MeanVarianceNormalization", "across_channels@1-8 axes@9 normalize_variance@1-8"},
    {"", "MelWeightMatrix", "output_datatype"},
    {"", "Mod", "fmod"},
    {"", "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", "ignore_index reduction"},
    {"", "NonMaxSuppression", "center_point_box"},
    {"", "Pad", "mode paddings@1-1 pads@2-10 value@1-10"},
    {"", "QuantizeLinear", "axis block_size@21 output_dtype@21 precision@23 saturate@19"},
    {"", "RNN",
     "activation_alpha activation_beta activations clip direction hidden_size layout@14 "
     "output_sequence@1-6"},
    {"", "Range", "stash_type@27"},
    {"",
     "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSumSquare",
     "axes@1-17 keepdims noop_with_empty_axes@18"},
    {"", "ReduceSum", "axes@1-12 keepdims noop_with_empty_axes@13"},
    {"", "Reshape", "allowzero@14 consumed_inputs@1-4 shape@1-4"},
    {"", "Resize",
     "antialias@18 axes@18 coordinate_transformation_mode@11 cubic_coeff_a@11 exclude_outside@11 "
     "extrapolation_value@11 keep_aspect_ratio_policy@18 mode nearest_mode@11"},
    {"", "ReverseSequence", "batch_axis time_axis"},
    {"", "RoiAlign", "coordinate_transformation_mode@16 mode output_height output_width sampling_ratio spatial_scale"},
    {"", "RotaryEmbedding", "interleaved num_heads rotary_embedding_dim"},
    {"", "STFT", "onesided"},
    {"", "Scan",
     "body directions@1-8 num_scan_inputs scan_input_axes@9 scan_input_directions@9 scan_output_axes@9 "
     "scan_output_directions@9"},
    {"", "ScatterElements", "axis reduction@16"},
    {"", "ScatterND", "reduction@16"},
    {"", "Selu", "alpha consumed_inputs@1-5 gamma"},
    {"", "SequenceEmpty", "dtype"},
    {"", "Shape", "end@15 start@15"},
    {"", "Shrink", "bias lambd"},
    {"", "Slice", "axes@1-9 ends@1-9 starts@1-9"},
    {"", "SpaceToDepth", "blocksize mode@28"},
    {"", "Split", "axis num_outputs@18 split@1-12"},
    {"", "SplitToSequence", "axis keepdims"},
    {"", "Squeeze Unsqueeze", "axes@1-12"},
    {"", "TensorScatter", "axis mode"},
    {"", "TfIdfVectorizer",
     "max_gram_length max_skip_count min_gram_length mode ngram_counts ngram_indexes pool_int64s "
     "pool_strings weights"},
    {"", "TopK", "axis k@1-9 largest@11 sorted@11"},
    {"", "Transpose", "perm"},
    {"", "Trilu", "upper"},
    {"", "Unique", "axis sorted"},
    {"", "Upsample", "height_scale@1-6 mode scales@7-8 width_scale@1-6"},
    {"ai.onnx.ml", "ArrayFeatureExtractor", ""},
    {"ai.onnx.ml", "Binarizer", "threshold"},
    {"ai.onnx.preview", "FlexAttention", "prob_mod scale score_mod softmax_precision"},
    {"com.microsoft",
     "BiasGelu DynamicQuantizeLinear DynamicQuantizeMatMul ExpandDims FastGelu GatherND Gelu Inverse "
     "MatMulIntegerToFloat QLinearAdd QLinearMul QLinearSigmoid QLinearWhere Range",
     ""},
    {"com.microsoft", "Attention",
     "do_rotary mask_filter_value num_heads past_present_share_buffer qkv_hidden_sizes "
     "rotary_embedding_dim scale unidirectional"},
    {"com.microsoft", "CDist", "metric"},
    {"com.microsoft", "CropAndResize", "extrapolation_value mode"},
    {"com.microsoft", "DequantizeLinear QLinearConcat QuantizeLinear", "axis"},
    {"com.microsoft", "DynamicQuantizeLSTM",
     "activation_alpha activation_beta activations clip direction hidden_size input_forget"},
    {"com.microsoft", "EmbedLayerNormalization", "epsilon mask_index_type"},
    {"com.microsoft", "QEmbedLayerNormalization", "epsilon"},
    {"com.microsoft", "FusedConv NhwcFusedConv",
     "activation activation_params auto_pad dilations group kernel_shape pads strides"},
    {"com.microsoft", "FusedGemm",
     "activation activation_alpha activation_beta activation_gamma alpha beta transA transB"},
    {"com.microsoft", "FusedMatMul", "alpha transA transB transBatchA transBatchB"},
    {"com.microsoft", "GatherBlockQuantized", "bits block_size gather_axis quantize_axis"},
    {"com.microsoft", "GroupQueryAttention",
     "causal do_rotary k_quant_type kv_cache_bit_width kv_num_heads local_window_size num_heads "
     "qk_norm_epsilon qk_output rotary_interleaved scale sliding_window_cache smooth_softmax softcap "
     "v_quant_type"},
    {"com.microsoft", "LayerNormalization", "axis epsilon stash_type"},
    {"com.microsoft", "GridSample", "align_corners mode padding_mode"},
    {"com.microsoft", "MatMulBnb4", "K N block_size quant_type training_mode transB"},
    {"com.microsoft", "QLinearReduceMean", "axes keepdims"},
    {"com.microsoft", "MatMulNBits", "K N accuracy_level bits block_size weight_prepacked"},
    {"com.microsoft", "MultiHeadAttention", "mask_filter_value num_heads scale unidirectional"},
    {"com.microsoft", "NhwcMaxPool", "auto_pad ceil_mode dilations kernel_shape pads strides"},
    {"com.microsoft", "Pad", "mode"},
    {"com.microsoft", "QAttention",
     "do_rotary mask_filter_value num_heads past_present_share_buffer scale unidirectional"},
    {"com.microsoft", "QGemm TransposeMatMul", "alpha transA transB"},
    {"com.microsoft", "QLinearAveragePool",
     "auto_pad ceil_mode channels_last count_include_pad kernel_shape pads strides"},
    {"com.microsoft", "QLinearConv", "auto_pad channels_last dilations group kernel_shape pads strides"},
    {"com.microsoft", "QLinearGlobalAveragePool", "channels_last"},
    {"com.microsoft", "QLinearLeakyRelu QuickGelu", "alpha"},
    {"com.microsoft", "QLinearSoftmax", "axis opset"},
    {"com.microsoft", "RotaryEmbedding", "interleaved is_packed_batching num_heads rotary_embedding_dim scale"},
    {"com.microsoft", "SkipLayerNormalization SkipSimplifiedLayerNormalization", "epsilon"},
    {"com.microsoft", "Trilu", "upper"},
};

/// One attribute of the list.
struct listed_attribute {
    std::string_view name;
    std::int64_t first = 1;  // versions of the operator set that have it
    std::int64_t last = INT64_MAX;

    explicit listed_attribute(std::string_view word) : name(word.substr(0, word.find('@'))) {
        if (name.size() == word.size()) {
            return;
        }
        const char* const end = word.data() + word.size();
        const auto read = std::from_chars(word.data() + name.size() + 1, end, first);
        if (read.ptr != end) {
            std::from_chars(read.ptr + 1, end, last);
        }
    }
    bool is_in(std::int64_t version) const { return version >= first && version <= last; }
};

}  // namespace detail

/// The attributes that an operator may have, as `operators_by_attributes` writes them; nothing for operators that are not known.
///
/// Source: the operator schemas of ONNX and ONNX Runtime; but `axis` of QuantizeLinear and DequantizeLinear, which are of version 13, quantizers write in
/// models of older ones.
inline std::optional<std::string_view> attributes_of(std::string_view domain, std::string_view type) {
    using key = std::pair<std::string_view, std::string_view>;
    static const std::map<key, std::string_view> all = [] {
        std::map<key, std::string_view> result;
        for (const detail::operators_by_attributes& each : detail::attributes_of_operators) {
            detail::visit_words(each.types,
                                [&](std::string_view word) { result[{each.domain, word}] = each.attributes; });
        }
        return result;
    }();
    const auto found = all.find({domain, type});
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

/// True for an attribute of a list that one version has.
inline bool has_attribute(std::string_view listed, std::string_view name, std::int64_t version) {
    bool result = false;
    detail::visit_words(listed, [&](std::string_view word) {
        const detail::listed_attribute each(word);
        result = result || (each.name == name && each.is_in(version));
    });
    return result;
}

/// The attributes of a list that one version has, for messages.
inline std::string attributes_in_words(std::string_view listed, std::int64_t version) {
    std::string result;
    detail::visit_words(listed, [&](std::string_view word) {
        const detail::listed_attribute each(word);
        if (each.is_in(version)) {
            result += (result.empty() ? "" : ", ") + std::string(each.name);
        }
    });
    return result.empty() ? "none" : result;
}

}  // namespace lpt::inline LPT_ABI::onnx
