// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/pipeline.hpp>
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
#include <lpt/transformation/prerequisites/add_add_fusion.hpp>
#include <lpt/transformation/prerequisites/add_multiply_fusion.hpp>
#include <lpt/transformation/prerequisites/move_fake_quantize.hpp>
#include <lpt/transformation/prerequisites/multiply_multiply_fusion.hpp>
#include <lpt/transformation/prerequisites/pull_reshape_through_dequantization.hpp>
#include <lpt/transformation/prerequisites/pull_transpose_through_dequantization.hpp>
#include <lpt/transformation/prerequisites/type_relaxed_replacer.hpp>

namespace lpt::inline LPT_ABI {

/// FakeConvertDecomposition where a default precision is a floating point type: only then engines ask for 8-bit ones.
struct fake_convert_decomposition_for_real_types : fake_convert_decomposition_transformation {
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        for (const element each : r.options.default_precisions) {
            if (is_real(each)) {
                return fake_convert_decomposition_transformation::transform(r, id);
            }
        }
        return r.refused(id, name, refuse(reason::precision_not_chosen));
    }
};

/// The published pipeline, in the published order, which is the order of priority at a node.
using default_pipeline = pipeline<
    stage<pull_reshape_through_dequantization, pull_transpose_through_dequantization, add_multiply_fusion,
          add_add_fusion, multiply_multiply_fusion, move_fake_quantize>,
    stage<type_relaxed_replacer, markup_can_be_quantized, markup_precisions, markup_quantization_granularity,
          markup_avg_pool_precision_preserved, propagate_precisions, align_quantization_intervals,
          align_quantization_parameters, markup_bias, resolve_precision_attribute>,
    stage<add_transformation, assign_and_read_value_transformation, avg_pool_transformation,
          batch_to_space_transformation, broadcast_transformation, clamp_transformation, concat_transformation,
          convolution_transformation, convolution_backprop_data_transformation, depth_to_space_transformation,
          fake_quantize_decomposition_transformation, fake_convert_decomposition_for_real_types,
          fake_quantize_transformation, interpolate_transformation, group_convolution_transformation,
          mat_mul_transformation, max_pool_transformation, multiply_partial_transformation, mvn_transformation,
          normalize_l2_transformation, pad_transformation, prelu_transformation, recurrent_cell_transformation,
          reduce_max_transformation, reduce_mean_transformation, reduce_min_transformation, reduce_sum_transformation,
          relu_transformation, reshape_transformation, squeeze_transformation, shuffle_channels_transformation,
          slice_transformation, space_to_batch_transformation, split_transformation, strided_slice_transformation,
          transpose_transformation, gather_transformation, unsqueeze_transformation, variadic_split_transformation>,
    stage<eliminate_fake_quantize_transformation, fold_convert_transformation, fuse_convert_transformation,
          fuse_subtract_to_fake_quantize_transformation, fuse_multiply_to_fake_quantize_transformation,
          multiply_to_group_convolution_transformation>,
    stage<fold_fake_quantize_transformation, constant_folding_step>>;

}  // namespace lpt::inline LPT_ABI
