// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt {

/// Why a transformation left a node as it was. `text_of` gives the sentence that the report prints.
enum class reason : unsigned char {
    none,                               // it did not refuse
    skipped_by_callback,                // a callback of the user or of the target asked for it
    disabled_by_user,                   // the user or the target switched the transformation off
    no_dequantization,                  // no Multiply (and Subtract) with constants above the port
    not_low_precision,                  // the data above the dequantization is not of a low precision type
    dynamic_rank,
    dynamic_channel,
    not_per_tensor,                     // one scale and zero point for the whole tensor are needed
    not_per_tensor_or_per_channel,
    varies_over_axis,                   // scale or zero point varies over an axis that the operation mixes
    has_zero_point,                     // the operation cannot take a zero point
    zero_point_does_not_fit,            // outside the range of the type
    zero_point_type_mismatch,
    negative_scale,
    zero_or_denormal_scale,
    infinite_constant,                  // a rewritten constant would be infinite
    shapes_do_not_match,
    axes_not_constant,
    unsupported_mode,                   // an attribute's value that low precision arithmetic cannot follow
    unsupported_padding,
    unsupported_levels,                 // the number of levels has no low precision type
    weights_not_quantized,
    weights_not_constant,
    weights_not_low_precision,
    weights_vary_over_axis,             // weight scales vary over another axis than the output channels
    ranges_not_constant,
    constant_path,                      // computed from constants only: folded, not quantized
    no_precision_left,                  // restrictions of the consumers have no type in common
    no_precisions_attribute,            // the markup gave no type to this output
    too_few_levels,                     // alignment with other branches would leave two levels or fewer
    precision_not_chosen,
    types_do_not_match,
    disabled_by_mark,                   // marked with DisableCleanup
    shared_producer,                    // the producer has other consumers
    restricted_by_target,               // the target takes no low precision type on this port
    not_quantized_by_restriction,       // the operation was marked as one that cannot be quantized
    nothing_to_do,
    dynamic_axis,                       // the size of an axis is known only at run time
    name_has_no_place,                  // it feeds an output of the network, and its producer cannot take its name
    state_not_zero_at_first,            // no ReadValue of the same variable above that begins with zeros
    shared_state,                       // other operations read or write the variable
    condition_does_not_hold,            // a condition of a user's rule, which the verdict names
};

/// The answer of a transformation's `can_transform`: yes, or a reason with what it is about.
struct verdict {
    reason why = reason::none;
    int port = -1;                      // input port that it is about, -1: none
    element type = dynamic;             // element type that it is about
    std::int64_t axis = -1;             // axis that it is about
    double value = 0;                   // scale, zero point or level that it is about
    text_view condition = {};           // name of a rule's condition that it is about

    constexpr explicit operator bool() const { return why == reason::none; }
};

inline constexpr verdict yes{};

constexpr verdict refuse(reason why, int port = -1) { return {why, port, dynamic, -1, 0}; }

}  // namespace lpt
