// SPDX-License-Identifier: Apache-2.0
#include <lpt/rule/rule.hpp>

#include <lpt/graph/compare.hpp>
#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/driver.hpp>

#include <doctest/doctest.h>

namespace {

using namespace lpt;

struct merge_multiplies
    : rule<"MergeMultiplies", expression<op::multiply, expression<op::multiply, any<0>, literal<1>>, literal<2>>,
           expression<op::multiply, any<0>, computed<op::multiply, literal<1>, literal<2>>>> {};

/// a * x + b * x  ->  (a + b) * x, where the choice of x shows only at the second product.
struct factor_out
    : rule<"FactorOut",
           expression<op::add, expression<op::multiply, any<0>, any<1>>, expression<op::multiply, any<0>, any<2>>>,
           expression<op::multiply, expression<op::add, any<1>, any<2>>, any<0>>> {};

struct drop_double_relu
    : rule<"DropDoubleRelu", expression<op::relu, many_readers<labelled<0, expression<op::relu, any<0>>>>>,
           like<0, any<0>>> {};

struct small_only {
    static constexpr text_view name = "SmallOnly";
    static constexpr bool holds(const match& found) { return found.constant(1).real(0) < 10; }
};
struct drop_small_add : rule<"DropSmallAdd", expression<op::add, of_type<any<0>, f32>, literal<1>>, any<0>,
                             when<has_one_element<1>, small_only>> {};

constexpr op::softmax last_axis(const match& found) {
    return {static_cast<std::int64_t>(found.dimensions(0).rank()) - 1};
}
struct exp_to_softmax : rule<"ExpToSoftmax", expression<op::exp, any<0>>, made<&last_axis, any<0>>> {};

struct drop_factor : rule<"DropFactor", expression<op::multiply, any<0>, literal<1>>, any<0>> {};

struct setting {
    graph model;
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;
    seq<refusal> refusals;

    constexpr void run(dispatch_view table) {
        rewrite all(model, attributes, options, restrictions);
        drive(all, table);
        refusals = all.refusals();
        verify(model);
    }
    constexpr node_id constant(float value) { return model.constant(make_scalar(f32, value)); }
};

constexpr bool merges_a_chain() {
    setting s;
    node_id last = s.model.parameter(f32, {2, 3});
    for (const float factor : {2.0f, 3.0f, 4.0f}) {
        last = s.model.add(op::multiply{}, {s.constant(factor), last}, "scaled");
    }
    s.model.result(last);
    s.run(dispatch_table<merge_multiplies>);
    const node_id multiply = s.model.producer(s.model.results()[0], 0);
    const tensor* factor = s.model.constant_value(s.model[multiply].input(1));
    return s.model.size() == 4 && factor != nullptr && factor->real(0) == 24 &&
           s.model[multiply].name() == text("scaled");
}
static_assert(merges_a_chain());

}  // namespace

TEST_CASE("a rule is applied until nothing matches, with commutative inputs in either order") {
    CHECK(merges_a_chain());
}

TEST_CASE("an inner operation with other readers is left alone") {
    setting s;
    const node_id data = s.model.parameter(f32, {2});
    const node_id inner = s.model.add(op::multiply{}, {data, s.constant(2)});
    s.model.result(s.model.add(op::multiply{}, {inner, s.constant(3)}));
    s.model.result(inner);
    const graph before = s.model;
    s.run(dispatch_table<merge_multiplies>);
    CHECK(s.model.size() == before.size());
}

TEST_CASE("a number that stands twice means one tensor, and choices are taken back where it does not fit") {
    for (const bool swapped : {false, true}) {
        setting s;
        const node_id x = s.model.parameter(f32, {2});
        const node_id a = s.model.parameter(f32, {2});
        const node_id b = s.model.parameter(f32, {2});
        const node_id first = swapped ? s.model.add(op::multiply{}, {a, x}) : s.model.add(op::multiply{}, {x, a});
        s.model.result(s.model.add(op::add{}, {first, s.model.add(op::multiply{}, {b, x})}));
        s.run(dispatch_table<factor_out>);
        const node_id product = s.model.producer(s.model.results()[0], 0);
        REQUIRE(s.model[product].is<op::multiply>());
        CHECK(s.model.producer(product, 1) == x);
        CHECK(s.model[s.model.producer(product, 0)].is<op::add>());
    }
}

TEST_CASE("many_readers lets other readers keep the inner operation") {
    setting s;
    const node_id data = s.model.parameter(f32, {2});
    const node_id upper = s.model.add(op::relu{}, {data}, "upper");
    s.model.result(s.model.add(op::relu{}, {upper}, "lower"), "one");
    s.model.result(upper, "two");
    s.run(dispatch_table<drop_double_relu>);
    const node_id made = s.model.producer(s.model.results()[0], 0);
    CHECK(s.model.producer(made, 0) == data);
    CHECK(s.model[made].name() == text("lower"));
    CHECK(s.model.producer(s.model.results()[1], 0) == upper);
}

TEST_CASE("the first condition that does not hold is the reason") {
    setting s;
    const node_id data = s.model.parameter(f32, {2});
    const node_id hidden = s.model.add(op::relu{}, {data});
    const node_id small = s.model.add(op::add{}, {hidden, s.constant(1)});
    const node_id large = s.model.add(op::add{}, {small, s.constant(100)}, "large");
    s.model.result(large);
    s.run(dispatch_table<drop_small_add>);
    CHECK(s.model.producer(large, 0) == hidden);
    REQUIRE(s.refusals.size() == 1);
    CHECK(s.refusals[0].node == large);
    CHECK(s.refusals[0].why.why == reason::condition_does_not_hold);
    CHECK(s.refusals[0].why.condition == text_view("SmallOnly"));
}

TEST_CASE("an operation whose name an output of the network has gives way only to one that can take the name") {
    setting s;
    const node_id data = s.model.parameter(f32, {2});
    const node_id added = s.model.add(op::add{}, {data, s.constant(1)}, "output");
    s.model.result(added);
    s.run(dispatch_table<drop_small_add>);
    CHECK(s.model.contains(added));
    REQUIRE(s.refusals.size() == 1);
    CHECK(s.refusals[0].why.why == reason::name_has_no_place);
}

TEST_CASE("a replacement of another shape or element type is refused") {
    setting s;
    const node_id data = s.model.parameter(f32, {1});
    const node_id wide = s.model.add(op::multiply{}, {data, s.model.constant(make_tensor(f32, {3}, {1, 2, 3}))});
    s.model.result(wide);
    const std::size_t size = s.model.size();
    s.run(dispatch_table<drop_factor>);
    CHECK(s.model.size() == size);
    REQUIRE(s.refusals.size() == 1);
    CHECK(s.refusals[0].why.why == reason::shapes_do_not_match);
}

TEST_CASE("attributes of a new operation can be computed from what was found") {
    setting s;
    s.model.result(s.model.add(op::exp{}, {s.model.parameter(f32, {2, 3, 4})}));
    s.run(dispatch_table<exp_to_softmax>);
    const node_id made = s.model.producer(s.model.results()[0], 0);
    REQUIRE(s.model[made].is<op::softmax>());
    CHECK(s.model[made].as<op::softmax>().axis == 2);
}

TEST_CASE("a pattern covers another one if it matches everything that the other describes") {
    const auto parts = []<class E>(E) { return detail::parts_of<E, E>(); };
    const auto wide = parts(expression<op::add, any<0>, any<1>>{});
    const auto with_constant = parts(expression<op::add, any<0>, literal<1>>{});
    const auto swapped = parts(expression<op::add, literal<1>, any<0>>{});
    const auto same = parts(expression<op::add, any<0>, any<0>>{});
    const auto typed = parts(expression<op::add, of_type<any<0>, f32>, any<1>>{});
    const auto difference = parts(expression<op::subtract, any<0>, any<1>>{});
    CHECK(covers(wide, with_constant));
    CHECK(covers(wide, same));
    CHECK(covers(with_constant, swapped));
    CHECK(covers(wide, typed));
    CHECK(!covers(with_constant, wide));
    CHECK(!covers(same, wide));
    CHECK(!covers(typed, wide));
    CHECK(!covers(wide, difference));
    const auto sole = parts(expression<op::relu, expression<op::relu, any<0>>>{});
    const auto shared_one = parts(expression<op::relu, many_readers<expression<op::relu, any<0>>>>{});
    CHECK(covers(shared_one, sole));
    CHECK(!covers(sole, shared_one));
    const auto without_inputs = parts(expression<op::read_value>{});
    const auto with_input = parts(expression<op::read_value, any<0>>{});
    CHECK(covers(without_inputs, without_inputs));
    CHECK(!covers(without_inputs, with_input));
    CHECK(!covers(with_input, without_inputs));
}
