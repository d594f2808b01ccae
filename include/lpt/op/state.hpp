// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

/// y = the value of a variable of the network: what Assign wrote in the last run, at first the input.
///
/// Input: the initial value; version 6 may leave it out, then the variable begins with zeros. From version 6 on
/// `variable_type` and `variable_shape` declare the variable, and the input must agree with them.
struct read_value {
    static constexpr auto number = kind::read_value;
    static constexpr text_view name = "ReadValue";
    static constexpr versions opsets{3, 6};
    static constexpr ports inputs{0, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    text variable_id{};
    element variable_type = dynamic;
    shape variable_shape = shape::of_dynamic_rank();

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("variable_id", self.variable_id);
        visit("variable_type", self.variable_type, in_versions{6});
        visit("variable_shape", self.variable_shape, in_versions{6});
    }
    static constexpr void infer(const read_value& self, inference& facts) {
        if (facts.version() < 6) {
            if (facts.inputs() != 1) {
                facts.wrong({"version ", facts.version(), " needs an initial value"});
            }
            facts.output(facts.type(0), facts.dimensions(0));
            return;
        }
        element type = self.variable_type;
        if (facts.inputs() == 1) {
            if (type != dynamic && facts.type(0) != dynamic && facts.type(0) != type) {
                facts.wrong({"the initial value must have the element type ", lpt::name(type), " of variable '",
                             self.variable_id, "', not ", lpt::name(facts.type(0))});
            }
            shape merged = self.variable_shape;
            if (!merge_shape(merged, facts.dimensions(0))) {
                facts.wrong({"the initial value must have the shape ", self.variable_shape, " of variable '",
                             self.variable_id, "', not ", facts.dimensions(0)});
            }
            type = type == dynamic ? facts.type(0) : type;
        }
        // Not the shape of the initial value: where the variable's own is dynamic, its size may change from run to run.
        facts.output(type, self.variable_shape);
    }
    friend constexpr bool operator==(const read_value&, const read_value&) = default;
};

/// Writes its input into a variable of the network, from which ReadValue takes it in the next run; y = x.
///
/// From version 6 on `variable_type` and `variable_shape` declare the variable, and the input must agree with them.
struct assign {
    static constexpr auto number = kind::assign;
    static constexpr text_view name = "Assign";
    static constexpr versions opsets{3, 6};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::sink;

    text variable_id{};
    element variable_type = dynamic;
    shape variable_shape = shape::of_dynamic_rank();

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("variable_id", self.variable_id);
        visit("variable_type", self.variable_type, in_versions{6});
        visit("variable_shape", self.variable_shape, in_versions{6});
    }
    static constexpr void infer(const assign& self, inference& facts) {
        if (self.variable_type != dynamic && facts.type(0) != dynamic && facts.type(0) != self.variable_type) {
            facts.wrong({"variable '", self.variable_id, "' has element type ", lpt::name(self.variable_type),
                         " and cannot take a value of type ", lpt::name(facts.type(0))});
        }
        shape merged = self.variable_shape;
        if (!merge_shape(merged, facts.dimensions(0))) {
            facts.wrong({"variable '", self.variable_id, "' has shape ", self.variable_shape,
                         " and cannot take a value of shape ", facts.dimensions(0)});
        }
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const assign&, const assign&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
