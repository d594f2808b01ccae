// SPDX-License-Identifier: Apache-2.0
#include <lpt/rule/pieces.hpp>

#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/driver.hpp>

#include <doctest/doctest.h>

namespace {

using namespace lpt;

constexpr tensor seven(const match& found) { return make_scalar(found.type(0), 7); }

/// exp(relu(x)) and exp(abs(x)) become x * 7.
struct alternatives
    : rule<"Alternatives",
           expression<op::exp, either<expression<op::relu, any<0>>, expression<op::add, any<0>, literal<1>>>>,
           expression<op::multiply, any<0>, made_constant<&seven>>> {};

graph rewritten(bool sum, bool sine = false) {
    graph model;
    const output_ref data = model.parameter(f32, {4}, "x");
    const output_ref inner = sum    ? output_ref(model.add(op::add{}, {data, model.constant(make_scalar(f32, 2))}))
                             : sine ? output_ref(model.add(op::sin{}, {data}))
                                    : output_ref(model.add(op::relu{}, {data}));
    model.result(model.add(op::exp{}, {inner}));
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;
    rewrite all(model, attributes, options, restrictions);
    drive(all, dispatch_table<alternatives>);
    verify(model);
    return model;
}

}  // namespace

TEST_CASE("either matches any of its expressions, and what a function makes is a Constant") {
    for (const bool sum : {false, true}) {
        const graph model = rewritten(sum);
        const node_id made = model.producer(model.results()[0], 0);
        REQUIRE(model[made].is<op::multiply>());
        CHECK(model[model.producer(made, 0)].is<op::parameter>());
        CHECK(model.constant_value(model[made].input(1))->real(0) == 7);
    }
}

TEST_CASE("what none of the expressions matches stays") {
    const graph model = rewritten(false, true);
    CHECK(model[model.producer(model.results()[0], 0)].is<op::exp>());
}
