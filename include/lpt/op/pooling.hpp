// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/window.hpp>

namespace lpt::op {

/// The largest value in each window, from version 8 on also its place.
///
/// y[n, c, p] = max over k of x[n, c, p * strides + k * dilations - pads_begin]; padding never wins.
/// Input: x `[N, C, spatial…]` with one to three spatial axes. Outputs: values, and from version 8 on places of type
/// `index_element_type` (i32 or i64), counted over the axes from `axis` on.
/// `kernel`, `strides`, `dilations` >= 1, `pads_begin`, `pads_end` >= 0: one value a spatial axis; empty stands for all 1 or all 0 (`kernel` must
/// be given). `ceil_torch` exists from version 14 on. Raises an error when the window does not fit. Source: OpenVINO operation set, MaxPool-1, -8, -14.
struct max_pool {
    static constexpr auto number = kind::max_pool;
    static constexpr text_view name = "MaxPool";
    static constexpr versions opsets{1, 8, 14};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 2};
    static constexpr trait traits = trait::precision_preserved;

    integers strides;
    integers dilations;
    integers pads_begin;
    integers pads_end;
    integers kernel;
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
/// Attributes and errors like MaxPool; `dilations` exist from version 16 on. Source: OpenVINO operation set, AvgPool-1, -14, -16.
struct avg_pool {
    static constexpr auto number = kind::avg_pool;
    static constexpr text_view name = "AvgPool";
    static constexpr versions opsets{1, 14, 16};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::relaxable;

    integers kernel;
    integers strides;
    integers dilations;
    integers pads_begin;
    integers pads_end;
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

constexpr void max_pool::infer(const max_pool&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }
constexpr void avg_pool::infer(const avg_pool&, inference& facts) { facts.output(facts.type(0), shape::of_dynamic_rank()); }

}  // namespace lpt::op
