// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::inline LPT_ABI {

/// Why a transformation left a node as it was, or why an operation is in floating point although none refused it.
/// What each one means and what would have to change: `pipeline/reasons.hpp`.
enum class reason : unsigned char {
    none,  // it did not refuse

    // the data
    no_dequantization,              // no Multiply (and Subtract) with constants above the port
    not_low_precision,              // the data above the dequantization is not of a low precision type
    dynamic_rank,
    dynamic_channel,
    dynamic_axis,                   // the size of an axis is known only at run time
    unsupported_rank,               // a number of axes that the transformation does not take
    not_per_tensor,                 // one scale and zero point for the whole tensor are needed
    not_per_tensor_or_per_channel,
    varies_over_axis,               // scale or zero point varies over an axis that the operation mixes
    has_zero_point,                 // the operation cannot take a zero point
    zero_point_does_not_fit,        // outside the range of the type
    zero_point_type_mismatch,
    negative_scale,
    zero_or_denormal_scale,
    infinite_constant,              // a constant is, or a rewritten one would be, infinite or NaN
    shapes_do_not_match,
    types_do_not_match,
    shared_producer,                // the producer has other consumers

    // the operation
    axes_not_constant,
    input_not_constant,             // an input that has to be constant is computed
    other_number_of_inputs,         // the pattern has another number of inputs
    unsupported_version,            // the operation set's version
    unsupported_axes,
    unsupported_mode,               // an attribute's value that low precision arithmetic cannot follow
    unsupported_padding,
    constant_path,                  // computed from constants only: folded, not quantized
    state_not_zero_at_first,        // no ReadValue of the same variable above that begins with zeros
    shared_state,                   // other operations read or write the variable
    no_cache,                       // not what Gather takes from a variable, joined with new data and written back
    quantizations_differ,           // scales or shifts that have to be the same are not

    // the weights
    weights_not_quantized,
    weights_not_constant,
    weights_not_low_precision,
    weights_vary_over_axis,         // weight scales vary over another axis than the output channels

    // the choice of a type
    unsupported_levels,             // the number of levels has no low precision type
    ranges_not_constant,
    no_precision_left,              // restrictions of the consumers have no type in common
    no_precisions_attribute,        // the markup gave no type to this output
    too_few_levels,                 // alignment with other branches would leave two levels or fewer
    precision_not_chosen,           // the allowed types do not suit the levels of the weights
    restricted_by_target,           // the target takes no low precision type on this port
    precisions_not_updated,         // the option update_precisions is off

    // the user and the pipeline
    skipped_by_callback,            // a callback of the user or of the target asked for it
    disabled_by_user,               // the user or the target switched the transformation off
    not_in_pipeline,                // the pipeline was made without the transformation
    operation_not_handled,          // no transformation of the library is about operations of this type
    pattern_does_not_match,         // the pattern of a user's transformation, which says no more
    condition_does_not_hold,        // a condition of a user's rule, which the verdict names
    disabled_by_mark,               // marked with DisableCleanup
    disabled_by_option,             // an option of the user keeps it in floating point
    name_has_no_place,              // it feeds an output of the network, and its producer cannot take its name

    // no refusal: how it came out
    part_of_dequantization,         // it makes real numbers of low precision data
    fused_back,                     // quantized, but no operation took the low precision data
    before_scale,                   // it computes on the unscaled result of a low precision operation
    left_to_engine,  // data and weights stand above it in low precision, an engine takes them from there
    quantized_too_late,  // its data became quantized when it had already been visited
    nothing_to_do,
    count,
};

/// The answer of a transformation's `can_transform`: yes, or a reason with what it is about.
struct verdict {
    /// The value where there is none: NaN, which equals nothing.
    static constexpr double no_value = __builtin_nan("");

    reason why = reason::none;
    int port = -1;  // input port that it is about, -1: none
    element type = dynamic;  // element type that it is about
    std::int64_t axis = -1;  // axis that it is about
    double value = no_value;  // scale, zero point, number of levels … that it is about
    text_view condition = {};  // name of a rule's condition that it is about
    node_id about = node_id::none;  // the constant or the other operation that it is about

    constexpr explicit operator bool() const { return why == reason::none; }
};

inline constexpr verdict yes{};

constexpr verdict refuse(reason why, int port = -1) { return {why, port}; }
/// The first refusal among the answers to these questions, which are asked in order and no further; yes where none refuses.
template <class... Questions>
constexpr verdict first_refusal(const Questions&... ask) {
    verdict answer = yes;
    static_cast<void>(((answer = ask(), static_cast<bool>(answer)) && ...));
    return answer;
}
/// A refusal because of a type on a port, perhaps that of the constant or operation `about`.
constexpr verdict refuse_type(reason why, int port, element type, node_id about = node_id::none) {
    return {.why = why, .port = port, .type = type, .about = about};
}
/// A refusal because of a constant, or of another operation.
constexpr verdict refuse_because_of(reason why, int port, node_id about) {
    return {.why = why, .port = port, .about = about};
}
/// A refusal because of an axis, over which `about` (a constant) varies where there is one.
constexpr verdict refuse_axis(reason why, int port, std::size_t axis, node_id about = node_id::none) {
    return {.why = why, .port = port, .axis = static_cast<std::int64_t>(axis), .about = about};
}
/// A refusal because of a value, perhaps one of the constant `about`.
constexpr verdict refuse_value(reason why, int port, double value, node_id about = node_id::none) {
    return {.why = why, .port = port, .value = value, .about = about};
}

}  // namespace lpt::inline LPT_ABI
