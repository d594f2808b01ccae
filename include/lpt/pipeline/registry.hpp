// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/low_precision.hpp>
#include <lpt/pipeline/pass.hpp>

// An include for each transformation; sorted by folder and name.
#include <lpt/transformation/cleanup/constant_folding.hpp>
#include <lpt/transformation/cleanup/eliminate_fake_quantize.hpp>
#include <lpt/transformation/cleanup/fold_convert.hpp>
#include <lpt/transformation/cleanup/fold_fake_quantize.hpp>
#include <lpt/transformation/cleanup/fuse_convert.hpp>
#include <lpt/transformation/cleanup/fuse_multiply_to_fake_quantize.hpp>
#include <lpt/transformation/cleanup/fuse_subtract_to_fake_quantize.hpp>
#include <lpt/transformation/cleanup/multiply_to_group_convolution.hpp>
#include <lpt/transformation/main/add.hpp>
#include <lpt/transformation/main/assign_and_read_value.hpp>
#include <lpt/transformation/main/avg_pool.hpp>
#include <lpt/transformation/main/batch_to_space.hpp>
#include <lpt/transformation/main/broadcast.hpp>
#include <lpt/transformation/main/clamp.hpp>
#include <lpt/transformation/main/concat.hpp>
#include <lpt/transformation/main/convert.hpp>
#include <lpt/transformation/main/convolution.hpp>
#include <lpt/transformation/main/convolution_backprop_data.hpp>
#include <lpt/transformation/main/depth_to_space.hpp>
#include <lpt/transformation/main/fake_convert_decomposition.hpp>
#include <lpt/transformation/main/fake_quantize.hpp>
#include <lpt/transformation/main/fake_quantize_decomposition.hpp>
#include <lpt/transformation/main/gather.hpp>
#include <lpt/transformation/main/group_convolution.hpp>
#include <lpt/transformation/main/interpolate.hpp>
#include <lpt/transformation/main/mat_mul.hpp>
#include <lpt/transformation/main/max_pool.hpp>
#include <lpt/transformation/main/multiply.hpp>
#include <lpt/transformation/main/multiply_partial.hpp>
#include <lpt/transformation/main/mvn.hpp>
#include <lpt/transformation/main/normalize_l2.hpp>
#include <lpt/transformation/main/pad.hpp>
#include <lpt/transformation/main/prelu.hpp>
#include <lpt/transformation/main/recurrent_cell.hpp>
#include <lpt/transformation/main/reduce_max.hpp>
#include <lpt/transformation/main/reduce_mean.hpp>
#include <lpt/transformation/main/reduce_min.hpp>
#include <lpt/transformation/main/reduce_sum.hpp>
#include <lpt/transformation/main/relu.hpp>
#include <lpt/transformation/main/reshape.hpp>
#include <lpt/transformation/main/shuffle_channels.hpp>
#include <lpt/transformation/main/slice.hpp>
#include <lpt/transformation/main/space_to_batch.hpp>
#include <lpt/transformation/main/split.hpp>
#include <lpt/transformation/main/squeeze.hpp>
#include <lpt/transformation/main/strided_slice.hpp>
#include <lpt/transformation/main/subtract.hpp>
#include <lpt/transformation/main/transpose.hpp>
#include <lpt/transformation/main/unsqueeze.hpp>
#include <lpt/transformation/main/variadic_split.hpp>
#include <lpt/transformation/markup/align_quantization_intervals.hpp>
#include <lpt/transformation/markup/align_quantization_parameters.hpp>
#include <lpt/transformation/markup/markup_avg_pool_precision_preserved.hpp>
#include <lpt/transformation/markup/markup_bias.hpp>
#include <lpt/transformation/markup/markup_can_be_quantized.hpp>
#include <lpt/transformation/markup/markup_precisions.hpp>
#include <lpt/transformation/markup/markup_quantization_granularity.hpp>
#include <lpt/transformation/markup/propagate_precisions.hpp>
#include <lpt/transformation/markup/resolve_precision_attribute.hpp>
#include <lpt/transformation/preparation/convert_quantize_dequantize.hpp>
#include <lpt/transformation/preparation/convert_subtract_constant.hpp>
#include <lpt/transformation/preparation/fq_stripping.hpp>
#include <lpt/transformation/preparation/keep_const_precision.hpp>
#include <lpt/transformation/preparation/kv_cache_concat.hpp>
#include <lpt/transformation/preparation/mark_dequantization.hpp>
#include <lpt/transformation/preparation/move_fake_convert_up.hpp>
#include <lpt/transformation/preparation/weights_dequantize_to_fake_quantize.hpp>
#include <lpt/transformation/prerequisites/add_add_fusion.hpp>
#include <lpt/transformation/prerequisites/add_multiply_fusion.hpp>
#include <lpt/transformation/prerequisites/move_fake_quantize.hpp>
#include <lpt/transformation/prerequisites/multiply_multiply_fusion.hpp>
#include <lpt/transformation/prerequisites/pull_reshape_through_dequantization.hpp>
#include <lpt/transformation/prerequisites/pull_transpose_through_dequantization.hpp>
#include <lpt/transformation/prerequisites/type_relaxed_replacer.hpp>

namespace lpt {

/// The whole default pipeline as one step.
struct low_precision {
    static constexpr text_view name = "LowPrecision";
    static constexpr void run(rewrite& r) { default_pipeline::run(r); }
};

/// Every transformation and every step of the library, for programs that choose them by their published names.
/// A line for each; sorted by folder and name.
inline constexpr pass_row all_passes[] = {
    make_pass<low_precision>(),
    // preparation
    make_pass<convert_quantize_dequantize>(), make_pass<convert_subtract_constant>(),
    make_pass<fq_stripping_transformation>(), make_pass<keep_const_precision>(), make_pass<kv_cache_concat>(),
    make_pass<mark_dequantization>(), make_pass<move_fake_convert_up_through_kv_cache_concat>(),
    make_pass<weights_dequantize_to_fake_quantize>(),
    // prerequisites
    make_pass<add_add_fusion>(), make_pass<add_multiply_fusion>(), make_pass<move_fake_quantize>(),
    make_pass<multiply_multiply_fusion>(), make_pass<pull_reshape_through_dequantization>(),
    make_pass<pull_transpose_through_dequantization>(), make_pass<type_relaxed_replacer>(),
    // markup
    make_pass<align_quantization_intervals>(), make_pass<align_quantization_parameters>(),
    make_pass<markup_avg_pool_precision_preserved>(), make_pass<markup_bias>(), make_pass<markup_can_be_quantized>(),
    make_pass<markup_precisions>(), make_pass<markup_quantization_granularity>(), make_pass<propagate_precisions>(),
    make_pass<resolve_precision_attribute>(),
    // main
    make_pass<add_transformation>(), make_pass<assign_and_read_value_transformation>(),
    make_pass<avg_pool_transformation>(), make_pass<batch_to_space_transformation>(),
    make_pass<broadcast_transformation>(), make_pass<clamp_transformation>(), make_pass<concat_transformation>(),
    make_pass<convert_transformation>(), make_pass<convolution_backprop_data_transformation>(),
    make_pass<convolution_transformation>(), make_pass<depth_to_space_transformation>(),
    make_pass<fake_convert_decomposition_transformation>(), make_pass<fake_quantize_decomposition_transformation>(),
    make_pass<fake_quantize_transformation>(), make_pass<gather_transformation>(),
    make_pass<group_convolution_transformation>(), make_pass<interpolate_transformation>(),
    make_pass<mat_mul_transformation>(), make_pass<max_pool_transformation>(),
    make_pass<multiply_partial_transformation>(), make_pass<multiply_transformation>(), make_pass<mvn_transformation>(),
    make_pass<normalize_l2_transformation>(), make_pass<pad_transformation>(), make_pass<prelu_transformation>(),
    make_pass<recurrent_cell_transformation>(), make_pass<reduce_max_transformation>(),
    make_pass<reduce_mean_transformation>(), make_pass<reduce_min_transformation>(),
    make_pass<reduce_sum_transformation>(), make_pass<relu_transformation>(), make_pass<reshape_transformation>(),
    make_pass<shuffle_channels_transformation>(), make_pass<slice_transformation>(),
    make_pass<space_to_batch_transformation>(), make_pass<split_transformation>(), make_pass<squeeze_transformation>(),
    make_pass<strided_slice_transformation>(), make_pass<subtract_transformation>(),
    make_pass<transpose_transformation>(), make_pass<unsqueeze_transformation>(),
    make_pass<variadic_split_transformation>(),
    // cleanup
    make_pass<constant_folding_step>(), make_pass<eliminate_fake_quantize_transformation>(),
    make_pass<fold_convert_transformation>(), make_pass<fold_fake_quantize_transformation>(),
    make_pass<fuse_convert_transformation>(), make_pass<fuse_multiply_to_fake_quantize_transformation>(),
    make_pass<fuse_subtract_to_fake_quantize_transformation>(),
    make_pass<multiply_to_group_convolution_transformation>(),
    // whole pipelines
};

/// The pass with a published name; null where there is none.
constexpr const pass_row* find_pass(text_view name) {
    for (const pass_row& each : all_passes) {
        if (each.name == name) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace lpt
