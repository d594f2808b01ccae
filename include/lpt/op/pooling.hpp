// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/window.hpp>

namespace lpt::inline LPT_ABI::op {

/// The largest value in each window, from version 8 on also its place.
///
/// y[n, c, p] = max over k of x[n, c, p * strides + k * dilations - pads_begin]; padding never wins.
/// Input: x `[N, C, spatial…]` with one to three spatial axes. Outputs: values, and from version 8 on places of type
/// `index_element_type` (i32 or i64), counted over the axes from `axis` on.
/// `kernel`, `strides`, `dilations` >= 1, `pads_begin`, `pads_end` >= 0: one value a spatial axis; empty stands for
/// all 1 or all 0 (`kernel` must be given). `ceil_torch` exists from version 14 on. Raises an error when the window
/// does not fit. Source: OpenVINO operation set, MaxPool-1, -8, -14.
struct max_pool {
    static constexpr auto number = kind::max_pool;
    static constexpr text_view name = "MaxPool";
    static constexpr versions opsets{1, 8, 14};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 2};
    static constexpr trait traits = trait::precision_preserved | trait::quantizable;

    integers strides{};
    integers dilations{};
    integers pads_begin{};
    integers pads_end{};
    integers kernel{};
    op::rounding_type rounding_type = op::rounding_type::floor;
    op::auto_pad auto_pad = op::auto_pad::explicit_pads;
    element index_element_type = i64;
    std::int64_t axis = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("strides", self.strides);
        visit("dilations", self.dilations, in_versions{8});
        visit("pads_begin", self.pads_begin);
        visit("pads_end", self.pads_end);
        visit("kernel", self.kernel);
        visit("rounding_type", self.rounding_type);
        visit("auto_pad", self.auto_pad);
        visit("index_element_type", self.index_element_type, in_versions{8});
        visit("axis", self.axis, in_versions{8});
    }
    static constexpr void infer(const max_pool& self, inference& facts);
    friend constexpr bool operator==(const max_pool&, const max_pool&) = default;
};

/// The mean of each window.
///
/// y[n, c, p] = sum over k of x[n, c, p * strides + k * dilations - pads_begin] / count
/// where count is the kernel's size, or with `exclude_pad` the number of its places inside the input.
/// Input: x `[N, C, spatial…]` with one to three spatial axes. Output: `[N, C, spatial…]`.
/// Attributes and errors like MaxPool; `dilations` exist from version 16 on. Source: OpenVINO operation set,
/// AvgPool-1, -14, -16.
struct avg_pool {
    static constexpr auto number = kind::avg_pool;
    static constexpr text_view name = "AvgPool";
    static constexpr versions opsets{1, 14, 16};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::relaxable | trait::quantizable;

    integers kernel{};
    integers strides{};
    integers dilations{};
    integers pads_begin{};
    integers pads_end{};
    bool exclude_pad = false;
    op::auto_pad auto_pad = op::auto_pad::explicit_pads;
    op::rounding_type rounding_type = op::rounding_type::floor;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("kernel", self.kernel);
        visit("strides", self.strides);
        visit("dilations", self.dilations, in_versions{16});
        visit("pads_begin", self.pads_begin);
        visit("pads_end", self.pads_end);
        visit("exclude-pad", self.exclude_pad);
        visit("auto_pad", self.auto_pad);
        visit("rounding_type", self.rounding_type);
    }
    static constexpr void infer(const avg_pool& self, inference& facts);
    friend constexpr bool operator==(const avg_pool&, const avg_pool&) = default;
};

namespace detail {

constexpr void check_pooling(const inference& facts, const integers& kernel, const window_attributes& window,
                             rounding_type rounding) {
    if (kernel.empty()) {
        facts.wrong({"has no kernel"});
    }
    check_spatial(facts, "kernel", kernel, kernel.size(), 1);
    window.check(facts, kernel.size());
    if (rounding == rounding_type::ceil_torch && facts.version() < 14) {
        facts.wrong({"rounding_type ceil_torch exists from version 14 on, not in ", facts.version()});
    }
    const shape& data = facts.dimensions(0);
    if (data.rank_is_static() && data.rank() != kernel.size() + 2) {
        facts.wrong({"a kernel over ", kernel.size(), " spatial axes does not fit an input of shape ", data});
    }
    if (kernel.size() > 3) {
        facts.wrong({"has a kernel over ", kernel.size(), " spatial axes; there may be 1 to 3"});
    }
}

constexpr shape infer_pooling(const inference& facts, const integers& kernel, const window_attributes& window,
                              rounding_type rounding) {
    check_pooling(facts, kernel, window, rounding);
    const shape data = facts.dimensions(0).rank_is_static() ? facts.dimensions(0) : shape::of_rank(kernel.size() + 2);
    shape result{data[0], data[1]};
    for (std::size_t axis = 0; axis < kernel.size(); ++axis) {
        const window_axis one = window.axis(axis, kernel[axis]);
        if (window.rule == auto_pad::explicit_pads && (one.pad_begin >= one.extent() || one.pad_end >= one.extent())) {
            facts.wrong({"a window on spatial axis ", axis, " can lie in the padding alone: it covers ", one.extent(),
                         " elements, the padding is ", one.pad_begin, " and ", one.pad_end});
        }
        result.push_back(infer_positions(facts, one, window.rule, rounding, data[axis + 2], axis));
    }
    return result;
}

}  // namespace detail

constexpr void max_pool::infer(const max_pool& self, inference& facts) {
    const integers none;
    const bool has_places = facts.version() >= 8;
    const shape result = detail::infer_pooling(
        facts, self.kernel,
        {self.strides, has_places ? self.dilations : none, self.pads_begin, self.pads_end, self.auto_pad},
        self.rounding_type);
    facts.output(facts.type(0), result);
    if (!has_places) {
        return;
    }
    if (self.index_element_type != i32 && self.index_element_type != i64) {
        facts.wrong({"index_element_type must be i32 or i64, not ", lpt::name(self.index_element_type)});
    }
    if (normalized_axis(self.axis, result.rank()) < 0) {
        facts.wrong({"axis ", self.axis, " is outside the ", result.rank(), " axes of the input"});
    }
    facts.output(self.index_element_type, result);
}
constexpr void avg_pool::infer(const avg_pool& self, inference& facts) {
    const integers none;
    facts.output(facts.type(0), detail::infer_pooling(facts, self.kernel,
                                                      {self.strides, facts.version() >= 16 ? self.dilations : none,
                                                       self.pads_begin, self.pads_end, self.auto_pad},
                                                      self.rounding_type));
}

}  // namespace lpt::inline LPT_ABI::op
