// SPDX-License-Identifier: Apache-2.0
// What each reason means, and what would have to change. The table of docs/reasons.md says the same.
#pragma once

#include <lpt/transformation/rewrite.hpp>

namespace lpt::inline LPT_ABI {

/// A reason in words.
struct reason_text {
    reason which;
    text_view name;     // of the enumerator
    text_view meaning;  // without the port and values that it is about
    text_view remedy;   // what would have to change; empty where nothing has to
};

/// One row for each reason, in the order of the enumeration.
inline constexpr reason_text reason_texts[] = {
    {reason::none, "none", "", ""},
    {reason::no_dequantization, "no_dequantization",
     "its data is not quantized: there is no dequantization with constants above it",
     "quantize what it reads: a FakeQuantize with constant ranges before it, or bring what computes it to low "
     "precision"},
    {reason::not_low_precision, "not_low_precision", "the data above the dequantization is not of a low precision type",
     "store the data in a low precision type, or let the FakeQuantize above it become one"},
    {reason::dynamic_rank, "dynamic_rank", "the number of axes is not known",
     "give the network's inputs shapes with a known number of axes"},
    {reason::dynamic_channel, "dynamic_channel", "the number of channels is not known",
     "give the channel axis a fixed size, or quantize with one scale for the whole tensor"},
    {reason::dynamic_axis, "dynamic_axis", "the size of an axis is not known",
     "give the axis a fixed size, or quantize with one scale and no zero point"},
    {reason::unsupported_rank, "unsupported_rank", "it has a number of axes that low precision kernels do not take",
     "use data of three to five axes"},
    {reason::not_per_tensor, "not_per_tensor", "one scale and one zero point for the whole tensor are needed",
     "quantize the data with one range for the whole tensor"},
    {reason::not_per_tensor_or_per_channel, "not_per_tensor_or_per_channel",
     "scale or zero point is neither one for the tensor nor one per channel",
     "quantize the data with one range for the tensor or one per channel"},
    {reason::varies_over_axis, "varies_over_axis", "scale or zero point varies over an axis that the operation mixes",
     "quantize the data with ranges that are the same along that axis"},
    {reason::has_zero_point, "has_zero_point", "it cannot take data with a zero point",
     "quantize the data symmetrically, or with a range that begins at zero"},
    {reason::zero_point_does_not_fit, "zero_point_does_not_fit", "a zero point lies outside the range of the type",
     "choose a range that contains zero"},
    {reason::zero_point_type_mismatch, "zero_point_type_mismatch", "zero point and data have different types",
     "store the zero point in the type of the data"},
    {reason::negative_scale, "negative_scale", "a scale is negative", "use positive scales"},
    {reason::zero_or_denormal_scale, "zero_or_denormal_scale", "a scale is zero or too small",
     "use scales of at least 1e-32: a range that is wider than one value"},
    {reason::infinite_constant, "infinite_constant", "a constant is or would become infinite or NaN",
     "use ranges and scales whose quotients and products are finite; of two inputs, scales that lie closer together"},
    {reason::shapes_do_not_match, "shapes_do_not_match", "shapes do not match",
     "give scale and zero point one value, or one for each channel"},
    {reason::types_do_not_match, "types_do_not_match", "element types do not match",
     "quantize all inputs to one type, with constants of one type"},
    {reason::shared_producer, "shared_producer", "its producer has other readers",
     "give each reader a quantization of its own"},
    {reason::axes_not_constant, "axes_not_constant", "the axes are not constant", "make the axes a Constant"},
    {reason::input_not_constant, "input_not_constant", "an input that has to be a Constant is computed",
     "make the input a Constant"},
    {reason::other_number_of_inputs, "other_number_of_inputs",
     "it has another number of inputs than the transformation is about", "write the optional inputs out"},
    {reason::unsupported_version, "unsupported_version",
     "the transformation is not about this version of the operation",
     "run prepare, which converts what an older version can say"},
    {reason::unsupported_axes, "unsupported_axes", "it works along axes that low precision arithmetic cannot follow",
     "use other axes"},
    {reason::unsupported_mode, "unsupported_mode", "it has a mode that low precision arithmetic cannot follow",
     "use a mode that only copies elements"},
    {reason::unsupported_padding, "unsupported_padding", "it has a padding that low precision arithmetic cannot follow",
     "use a padding that the data's type can hold"},
    {reason::constant_path, "constant_path", "it is computed from constants only",
     "see the operation that reads it: it quantizes its own weights"},
    {reason::state_not_zero_at_first, "state_not_zero_at_first",
     "it does not follow a ReadValue of its variable that begins with zeros",
     "let the variable begin with zeros, and Assign wait for its ReadValue"},
    {reason::shared_state, "shared_state", "other operations read or write its variable",
     "give the variable one ReadValue and one Assign"},
    {reason::no_cache, "no_cache",
     "its Assign does not write what Gather takes from its ReadValue, joined with new data, both quantized to 8-bit "
     "floating point",
     "let Concat join what Gather takes from ReadValue with new data behind FakeConvert, and Assign wait for that "
     "ReadValue alone"},
    {reason::quantizations_differ, "quantizations_differ", "data that is joined is quantized in different ways",
     "quantize it with the same scale and the same shift, and dequantize with their inverses"},
    {reason::weights_not_quantized, "weights_not_quantized", "the weights are not quantized",
     "quantize the weights: a FakeQuantize with constant ranges, or an 8-bit Constant with a dequantization"},
    {reason::weights_not_constant, "weights_not_constant", "the weights are not constant",
     "make the weights a Constant"},
    {reason::weights_not_low_precision, "weights_not_low_precision", "the weights are not of a low precision type",
     "store the weights as i8 or u8"},
    {reason::weights_vary_over_axis, "weights_vary_over_axis",
     "the scales of the weights vary over another axis than the output channels",
     "quantize the weights with one range for each output channel, or one for all"},
    {reason::unsupported_levels, "unsupported_levels", "no low precision type has this number of levels",
     "quantize with 255 or 256 levels"},
    {reason::ranges_not_constant, "ranges_not_constant", "the ranges are not constant",
     "make the four ranges Constants"},
    {reason::no_precision_left, "no_precision_left", "its readers have no low precision type in common",
     "use a target whose operations accept a common type there, or give each reader a FakeQuantize of its own"},
    {reason::no_precisions_attribute, "no_precisions_attribute", "the markup gave it no list of types",
     "run PropagatePrecisions before, with no callback that keeps it away"},
    {reason::too_few_levels, "too_few_levels", "alignment with other branches would leave two levels or fewer",
     "give the branches that are concatenated ranges of similar size"},
    {reason::precision_not_chosen, "precision_not_chosen", "no allowed type suits the levels of the weights",
     "quantize the weights with 255 or 256 levels"},
    {reason::restricted_by_target, "restricted_by_target", "the target takes no low precision type there",
     "use a target that accepts the type"},
    {reason::precisions_not_updated, "precisions_not_updated", "the option update_precisions is off",
     "set update_precisions"},
    {reason::skipped_by_callback, "skipped_by_callback", "a callback keeps the transformation away",
     "nothing where it is the target's, whose kernels take it as it is; let a callback of your own pass this "
     "operation"},
    {reason::disabled_by_user, "disabled_by_user", "the transformation is disabled",
     "take the transformation off the list of disabled ones"},
    {reason::not_in_pipeline, "not_in_pipeline", "the pipeline was made without a transformation for it",
     "use a pipeline with a transformation of this operation"},
    {reason::operation_not_handled, "operation_not_handled",
     "no transformation brings operations of this type into low precision",
     "add a transformation for it with with_main"},
    {reason::pattern_does_not_match, "pattern_does_not_match", "the pattern of the transformation does not match",
     "see the transformation's pattern"},
    {reason::condition_does_not_hold, "condition_does_not_hold", "a condition of the rule does not hold",
     "see the rule's condition"},
    {reason::disabled_by_mark, "disabled_by_mark", "it is marked to be left alone", "take the mark DisableCleanup off"},
    {reason::disabled_by_option, "disabled_by_option", "an option of the user keeps it in floating point",
     "switch reshape_ignore_per_tensor_check off"},
    {reason::name_has_no_place, "name_has_no_place",
     "it feeds an output of the network, and its producer cannot take its name",
     "put an operation between its producer and the output"},
    {reason::part_of_dequantization, "part_of_dequantization",
     "it makes real numbers of low precision data for what reads it", ""},
    {reason::fused_back, "fused_back",
     "it was quantized, but no operation behind it took the low precision data, so it became one FakeQuantize again",
     "bring an operation that reads it to low precision"},
    {reason::before_scale, "before_scale",
     "it computes on the result of a low precision operation, whose scale comes behind it", ""},
    {reason::left_to_engine, "left_to_engine",
     "data, state and weights stand right above it in low precision, where an engine takes them from", ""},
    {reason::quantized_too_late, "quantized_too_late", "its data became quantized only when it had been visited", ""},
    {reason::nothing_to_do, "nothing_to_do", "there is nothing to do", ""},
};

/// The words for a reason.
constexpr const reason_text& words_of(reason why) {
    static_assert(sizeof(reason_texts) / sizeof(reason_text) == static_cast<std::size_t>(reason::count),
                  "a row for each reason");
    return reason_texts[static_cast<std::size_t>(why)];
}

/// A verdict as a sentence, with the port, type, axis and value that it is about.
constexpr text text_of(const verdict& answer) {
    text result(words_of(answer.why).meaning);
    if (answer.port >= 0) {
        result.append(", input ").append(answer.port);
    }
    if (answer.type != dynamic) {
        result.append(", type ").append(name(answer.type));
    }
    if (answer.axis >= 0) {
        result.append(", axis ").append(answer.axis);
    }
    if (answer.value == answer.value) {
        result.append(", value ").append(answer.value);
    }
    if (!answer.condition.empty()) {
        result.append(", condition ").append(answer.condition);
    }
    return result;
}
/// A verdict as a sentence, with types and shapes as they were, and the name of the other operation that it is about.
constexpr text text_of(const verdict& answer, const refusal_facts* facts) {
    text result = text_of(answer);
    if (facts == nullptr) {
        return result;
    }
    if (facts->input_type != dynamic) {
        result.append(", which is ").append(name(facts->input_type)).append(to_text(facts->input_shape));
    }
    if (facts->constant_type != dynamic) {
        result.append(", constant ").append(name(facts->constant_type)).append(to_text(facts->constant_shape));
    }
    if (!facts->other_operation.empty() && facts->constant_type == dynamic) {
        result.append(", ").append(facts->other_operation);
    }
    if (!facts->other_name.empty()) {
        result.append(" '").append(facts->other_name).append("'");
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI
