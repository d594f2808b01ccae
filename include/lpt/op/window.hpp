// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

/// How the padding of a sliding window is chosen: as given, for an output as large as input / stride with the odd
/// element at the end (`same_upper`) or at the beginning (`same_lower`), or none.
enum class auto_pad { explicit_pads, same_upper, same_lower, valid };
inline constexpr text_view auto_pad_words[] = {"explicit", "same_upper", "same_lower", "valid"};
constexpr view<text_view> words_of(auto_pad) { return auto_pad_words; }

/// How the number of positions of a window is rounded; `ceil_torch` is `ceil` without windows that begin in the end
/// padding.
enum class rounding_type { floor, ceil, ceil_torch };
inline constexpr text_view rounding_type_words[] = {"floor", "ceil", "ceil_torch"};
constexpr view<text_view> words_of(rounding_type) { return rounding_type_words; }

/// A sliding window along one spatial axis; a kernel of unknown size is `dynamic_dimension`.
struct window_axis {
    dimension kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t pad_begin = 0;
    std::int64_t pad_end = 0;

    /// The input elements from the first to the last that the window touches; the kernel's size must be known. At most
    /// `most_elements` for the windows that inference lets a node have.
    constexpr std::int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

/// What `window_positions` gives where the window is larger than the padded input.
inline constexpr dimension window_does_not_fit = -2;

/// The window with the padding that `rule` gives it on an input of size `input`.
///
/// same_upper, same_lower: total = max(0, (ceil(input / stride) - 1) * stride + extent - input), halved, the odd
/// element at the end or at the beginning; 0 as long as `input` or the kernel is dynamic. valid: 0.
constexpr window_axis padded_window(window_axis window, auto_pad rule, dimension input) {
    if (rule == auto_pad::explicit_pads) {
        return window;
    }
    window.pad_begin = 0;
    window.pad_end = 0;
    if (rule == auto_pad::valid || input == dynamic_dimension || window.kernel == dynamic_dimension) {
        return window;
    }
    const std::int64_t positions = (input + window.stride - 1) / window.stride;
    const std::int64_t total =
        math::maximum<std::int64_t>(0, (positions - 1) * window.stride + window.extent() - input);
    window.pad_begin = rule == auto_pad::same_upper ? total / 2 : total - total / 2;
    window.pad_end = total - window.pad_begin;
    return window;
}

/// The number of places that a window takes on an input of size `input`.
///
/// explicit, valid: round((input + pad_begin + pad_end - extent) / stride) + 1; same_upper, same_lower: ceil(input /
/// stride). Dynamic where a size that it follows from is; `window_does_not_fit` where the padded input is too small.
constexpr dimension window_positions(const window_axis& window, auto_pad rule, rounding_type rounding,
                                     dimension input) {
    if (input == dynamic_dimension) {
        return dynamic_dimension;
    }
    if (rule == auto_pad::same_upper || rule == auto_pad::same_lower) {
        return (input + window.stride - 1) / window.stride;
    }
    if (window.kernel == dynamic_dimension) {
        return dynamic_dimension;
    }
    const window_axis padded = padded_window(window, rule, input);
    const std::int64_t room = input + padded.pad_begin + padded.pad_end - padded.extent();
    if (room < 0) {
        return window_does_not_fit;
    }
    if (rounding == rounding_type::floor) {
        return room / padded.stride + 1;
    }
    const std::int64_t positions = (room + padded.stride - 1) / padded.stride + 1;
    const bool last_is_padding = (positions - 1) * padded.stride >= input + padded.pad_begin;
    return rounding == rounding_type::ceil_torch && last_is_padding ? positions - 1 : positions;
}

namespace detail {

/// The value for one spatial axis of an attribute that may be left empty.
constexpr std::int64_t spatial_value(const integers& values, std::size_t axis, std::int64_t when_empty) {
    return axis < values.size() ? values[axis] : when_empty;
}

/// Raises an error unless `values` is empty or has one value in [least, most_step] for each of `axes` spatial axes.
constexpr void check_spatial(const inference& facts, text_view name, const integers& values, std::size_t axes,
                             std::int64_t least) {
    if (!values.empty() && values.size() != axes) {
        facts.wrong({name, " has ", values.size(), " values for ", axes, " spatial axes"});
    }
    for (const std::int64_t value : values) {
        facts.require(name, value, least, most_step);
    }
}

/// Raises an error where a window reaches over more than `most_elements` elements.
constexpr void check_extent(const inference& facts, const window_axis& window, std::size_t axis) {
    if (window.kernel != dynamic_dimension &&
        !((checked(window.kernel) - 1) * window.dilation).is_within(-most_step, most_elements - 1)) {
        facts.wrong({"a window of ", window.kernel, " elements, each ", window.dilation,
                     " after the one before it, is too large on spatial axis ", axis});
    }
}

/// The attributes that all windows have, in one form.
struct window_attributes {
    const integers& strides;
    const integers& dilations;
    const integers& pads_begin;
    const integers& pads_end;
    auto_pad rule;

    constexpr void check(const inference& facts, std::size_t axes) const {
        check_spatial(facts, "strides", strides, axes, 1);
        check_spatial(facts, "dilations", dilations, axes, 1);
        check_spatial(facts, "pads_begin", pads_begin, axes, 0);
        check_spatial(facts, "pads_end", pads_end, axes, 0);
    }
    constexpr window_axis axis(std::size_t axis, dimension kernel) const {
        return {kernel, spatial_value(strides, axis, 1), spatial_value(dilations, axis, 1),
                spatial_value(pads_begin, axis, 0), spatial_value(pads_end, axis, 0)};
    }
};

/// `window_positions` of spatial axis number `axis`; raises an error where the window does not fit.
constexpr dimension infer_positions(const inference& facts, const window_axis& window, auto_pad rule,
                                    rounding_type rounding, dimension input, std::size_t axis) {
    check_extent(facts, window, axis);
    const dimension positions = window_positions(window, rule, rounding, input);
    if (positions == window_does_not_fit) {
        facts.wrong({"a window over ", window.extent(), " elements does not fit on spatial axis ", axis, " of size ",
                     input, " with its padding"});
    }
    return positions;
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::op
