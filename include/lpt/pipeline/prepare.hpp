// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/graph/backup.hpp>
#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/pipeline.hpp>
#include <lpt/pipeline/queries.hpp>
#include <lpt/transformation/cleanup/constant_folding.hpp>
#include <lpt/transformation/preparation/batch_norm_decomposition.hpp>
#include <lpt/transformation/preparation/convert_adaptive_pool.hpp>
#include <lpt/transformation/preparation/convert_avg_pool.hpp>
#include <lpt/transformation/preparation/convert_interpolate.hpp>
#include <lpt/transformation/preparation/convert_max_pool.hpp>
#include <lpt/transformation/preparation/convert_pad.hpp>
#include <lpt/transformation/preparation/convert_quantize_dequantize.hpp>
#include <lpt/transformation/preparation/convert_squeeze.hpp>
#include <lpt/transformation/preparation/convert_subtract_constant.hpp>
#include <lpt/transformation/preparation/mark_dequantization.hpp>
#include <lpt/transformation/preparation/pad_fusion.hpp>

namespace lpt::inline LPT_ABI {

/// The operations in the versions that low precision rules match.
using version_conversions = stage<convert_adaptive_avg_pool, convert_adaptive_max_pool, convert_max_pool,
                                  convert_avg_pool, convert_interpolate, convert_pad, convert_squeeze>;

/// What the transformations would not look through, as operations that they know.
using preparing_fusions = stage<batch_norm_decomposition, pad_fusion_convolution, pad_fusion_group_convolution>;

namespace detail {
constexpr bool keep_quantize_dequantize(const graph& model, node_id id, const void*) {
    return are_quantize_and_dequantize_supported_for_multiply(model, id, int8_precisions);
}
}  // namespace detail

/// Brings a network into the form that the transformations expect, as an engine does before them.
///
/// Newer versions of operations become those that the rules match; BatchNormInference becomes Multiply and Add, and a Pad part of its
/// convolution; dequantizations of the file are marked, so that folding
/// leaves quantized weights alone; pairs of quantize and dequantize that the rules cannot use become FakeQuantize; constants are
/// folded; zero points of weights take the type of the weights. Afterwards nothing stays in floating point only because of the
/// version or form in which the file has it. Raises an error for a graph that `verify` does not accept, and what callbacks raise; the
/// graph is then as it was.
template <compiled = once>
[[gnu::noinline]] constexpr void prepare(graph& model, const transformation_options& options = {}) {
    verify(model);
    graph_backup backup(model);
    attribute::tables attributes;
    const restriction_table target;
    transformation_options settings = options;
    settings.callbacks.push_back({convert_quantize_dequantize::name, &detail::keep_quantize_dequantize, nullptr});
    rewrite changes(model, attributes, settings, target);
    detail::run_as_one_rewrite(changes, version_conversions{});
    detail::run_as_one_rewrite(changes, preparing_fusions{});
    detail::run_as_one_rewrite(changes, stage<mark_dequantization>{});
    detail::run_as_one_rewrite(changes, stage<convert_quantize_dequantize>{});
    constant_folding_step::run(changes);
    detail::run_as_one_rewrite(changes, stage<convert_subtract_constant>{});
    detail::infer_open_shapes(model);
    backup.keep_changes();
}

#ifdef LPT_COMPILED
LPT_COMPILED template void prepare<>(graph&, const transformation_options&);
#endif

}  // namespace lpt::inline LPT_ABI
