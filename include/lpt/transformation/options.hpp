// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>
#include <lpt/transformation/quirk.hpp>

namespace lpt::inline LPT_ABI {

class rewrite;

inline constexpr element int8_precisions[] = {u8, i8};
inline constexpr element int8_int16_int32_precisions[] = {u8, i8, u16, i16, u32, i32};
inline constexpr element fp8_precisions[] = {f8e4m3, f8e5m2};

/// A rule of the user that keeps one transformation away from some nodes.
struct transformation_callback {
    text_view transformation;                           // published name, e.g. "ConvolutionTransformation"
    bool (*skip)(const graph&, node_id, const void*) = nullptr;  // true: leave this node alone
    const void* context = nullptr;                      // handed to `skip`
    bool (*skip_in)(const rewrite&,
                    node_id) = nullptr;  // asked instead, if there is one: sees options and attributes, too
};

/// What the user sets for one transformation that can be told more: those that mark or rewrite what a file has
/// (MarkDequantization, KeepConstPrecision, ConvertQuantizeDequantize, ConvertSubtractConstant, FQStrippingTransformation …).
struct transformation_arguments {
    text_view transformation;  // published name
    seq<element, 8> precisions;  // element types that it looks for; none: those that it has by itself
    bool fold_subtract = false;  // constants below Subtract may be folded
    bool fold_multiply = true;  // constants below Multiply may be folded
    bool weights_adjustment = false;  // FQStripping rescales weights
};

/// What the user sets for a run of the transformations.
struct transformation_options {
    bool update_precisions = true;  // false: the same rewrites, all tensors stay in floating point
    element dequantization_precision = f32;  // type of the dequantization operations that are made
    seq<element, 8> default_precisions{view<element>(int8_precisions)};  // low precision types in order of preference
    bool reshape_ignore_per_tensor_check = false;
    bool scaling_mode = false;
    /// Where OpenVINO 2026.4.1 gives a wrong network although a right one exists: false gives the right one, true the same
    /// network as it does. docs/differences.md has a section for each of these quirks.
    bool follow_upstream_errors = false;
    quirk_set followed_quirks;  // single ones that are followed where the others are not
    seq<transformation_callback> callbacks;
    seq<text_view, 8> disabled;  // transformations that do not run at all
    seq<transformation_arguments> arguments;

    /// True if a quirk is followed: the network is what OpenVINO makes of it.
    constexpr bool follows(quirk which) const { return follow_upstream_errors || followed_quirks.contains(which); }

    /// What was set for one transformation, or what it has by itself.
    constexpr transformation_arguments arguments_of(text_view transformation) const {
        for (const transformation_arguments& each : arguments) {
            if (each.transformation == transformation) {
                return each;
            }
        }
        return {transformation, {}, false, true, false};
    }
    /// The types that a transformation looks for: those that were set for it, or its own.
    constexpr seq<element, 8> precisions_of(text_view transformation, view<element> own) const {
        const transformation_arguments set = arguments_of(transformation);
        if (!set.precisions.empty()) {
            return set.precisions;
        }
        return seq<element, 8>(own);
    }
};

}  // namespace lpt::inline LPT_ABI
