// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/backup.hpp>
#include <lpt/graph/verify.hpp>
#include <lpt/optimization/attention_fusion.hpp>
#include <lpt/optimization/common_subexpressions.hpp>
#include <lpt/optimization/concat_fusion.hpp>
#include <lpt/optimization/convert_precision.hpp>
#include <lpt/optimization/convolution_cropping.hpp>
#include <lpt/optimization/fully_connected_compression.hpp>
#include <lpt/optimization/gather_compression.hpp>
#include <lpt/optimization/gelu_fusion.hpp>
#include <lpt/optimization/group_normalization_decomposition.hpp>
#include <lpt/optimization/mvn_fusion.hpp>
#include <lpt/optimization/product_quantization.hpp>
#include <lpt/optimization/product_scaling.hpp>
#include <lpt/optimization/quantization_before_movement.hpp>
#include <lpt/optimization/reshape_fusion.hpp>
#include <lpt/optimization/swish_fusion.hpp>
#include <lpt/optimization/transpose_fusion.hpp>
#include <lpt/pipeline/pipeline.hpp>

namespace lpt::inline LPT_ABI {

/// Compositions that are published functions, and the shuffled channels of groups.
using function_fusions =
    stage<shuffle_channels_fusion, gelu_fusion_half_of_x, gelu_fusion_half_of_gate, gelu_fusion_half_last,
          gelu_tanh_fusion_half_of_x, gelu_tanh_fusion_half_of_gate, gelu_tanh_fusion_half_last,
          hswish_fusion_division_last, hswish_fusion_product_last, hswish_fusion, swish_fusion, swish_fusion_with_beta,
          mish_fusion, mvn_fusion, mvn_fusion_by_product>;

/// Compositions that are published operations, and movements and results of elements that are not needed, in the order of priority at a
/// node.
using default_optimizations = detail::joined<
    stage<transpose_elimination, transpose_cancellation, transpose_fusion, reshape_elimination, reshape_fusion,
          concat_fusion, convolution_cropping, group_convolution_cropping, group_normalization_decomposition>,
    function_fusions,
    stage<masked_attention_fusion, masked_attention_fusion_of_columns, attention_fusion, attention_fusion_of_columns,
          quantization_of_bytes, product_quantization, product_scaling, fully_connected_compression,
          gather_compression>>;

/// Movements once more, when it is known what gives bytes.
using optimizations_of_movements = stage<transpose_elimination, transpose_cancellation, transpose_fusion,
                                         reshape_elimination, reshape_fusion, quantization_before_movement>;

namespace detail {
/// Runs `work`; restores the graph if that raises an error.
template <class Work>
constexpr seq<refusal> rewrite_or_restore(graph& model, const transformation_options& options, const Work& work) {
    if (model.needs_verification()) {
        verify(model);
    }
    graph_backup backup(model);
    attribute::tables attributes;
    const restriction_table target;
    rewrite changes(model, attributes, options, target);
    work(changes);
    backup.keep_changes();
    return changes.take_refusals();
}
}  // namespace detail

/// Makes the published functions of their compositions, before the transformations: these would merge a factor at the end of a composition,
/// as the 0.5 of Gelu, into the FakeQuantize behind it, and nothing would find the function any more; and a dequantization with a number for each
/// channel moves through ShuffleChannels, but not through the Reshapes that it is written with.
///
/// Belongs between `prepare` and the transformations, for networks that are going to be run; `optimize` does it, too, for those that are not
/// transformed. Results differ by the rounding of intermediate values that are no longer made. Gives the refusals of the rules; raises an
/// error for a graph that `verify` does not accept; the graph is then as it was.
[[gnu::noinline]] constexpr seq<refusal> fuse_functions(graph& model, const transformation_options& options = {}) {
    return detail::rewrite_or_restore(
        model, options, [](rewrite& changes) { detail::run_as_one_rewrite(changes, function_fusions{}); });
}

/// Makes a network cheaper to run without changing what it computes: what computes the same is computed once, compositions become the
/// operations that they are, and numbers of 16 bits are computed in f32, for which there are kernels.
///
/// Belongs between the transformations, which find quantized data in the network as it is written, and `compile`. `Rules` is a stage of
/// transformations, as pipelines have them, `LastRules` one that runs behind them. Results differ by the rounding of intermediate values
/// that are no longer made; movements and shared operations keep their bits. Gives the refusals of the rules; raises an error for a graph
/// that `verify` does not accept, and what rules of the user raise; the graph is then as it was.
template <class Rules = default_optimizations, class LastRules = optimizations_of_movements>
constexpr seq<refusal> optimize(graph& model, const transformation_options& options = {}) {
    return detail::rewrite_or_restore(model, options, [&](rewrite& changes) {
        convert_precision::run(changes);
        common_subexpressions::run(changes);
        detail::run_as_one_rewrite(changes, Rules{});
        detail::run_as_one_rewrite(changes, LastRules{});
        detail::infer_open_shapes(model);
    });
}

}  // namespace lpt::inline LPT_ABI
