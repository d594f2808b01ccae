// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/dequantization_constants.hpp>

#include <doctest/doctest.h>

namespace {

using namespace lpt;

/// u8 [1,3,4] -> Convert -> Subtract [1,3,1] -> Multiply [1,1,4] on input 1 of an Add, and no dequantization on input 0.
struct sum_network {
    graph model;
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;
    node_id sum = node_id::none;

    sum_network() {
        const output_ref bytes = model.parameter(u8, {1, 3, 4});
        const output_ref converted = model.add(op::convert{f32}, {bytes});
        const output_ref shifted =
            model.add(op::subtract{}, {converted, model.constant(make_tensor(f32, shape{1, 3, 1}, {1, 2, 3}))});
        const output_ref scaled =
            model.add(op::multiply{}, {shifted, model.constant(make_tensor(f32, shape{1, 1, 4}, {1, 2, 3, -4}))});
        sum = model.add(op::add{}, {model.parameter(f32, {1, 3, 4}), scaled});
        model.result(sum);
    }
    rewrite changes() { return rewrite(model, attributes, options, restrictions); }
};

constexpr verdict accepts(const rewrite&, node_id, const dequantization&) { return yes; }
constexpr verdict is_never_asked(const rewrite&, node_id, const dequantization&) {
    return refuse(reason::disabled_by_option);
}

}  // namespace

TEST_CASE("the first condition of a list that refuses is the reason, about the port of the dequantization") {
    sum_network net;
    const rewrite r = net.changes();
    const dequantization found = find_dequantization(r, net.sum, 1);
    CHECK(found.port == 1);
    const verdict why = first_refusal<accepts, has_scale, has_no_zero_point, is_never_asked>(r, net.sum, found);
    CHECK(why.why == reason::has_zero_point);
    CHECK(why.port == 1);
    CHECK(why.value == 1);
    CHECK(first_refusal<accepts, has_scale>(r, net.sum, found));
}

TEST_CASE("a list of conditions without a dequantization is about that on input 0") {
    sum_network net;
    const rewrite r = net.changes();
    const verdict why = first_refusal<accepts, is_dequantized, is_never_asked>(r, net.sum);
    CHECK(why.why == reason::no_dequantization);
    CHECK(why.port == 0);
}

TEST_CASE("a negative scale is refused with its value") {
    sum_network net;
    const rewrite r = net.changes();
    const verdict why = scale_is_not_negative(r, net.sum, find_dequantization(r, net.sum, 1));
    CHECK(why.why == reason::negative_scale);
    CHECK(why.value == -4);
}

TEST_CASE(
    "constants may vary over the axes that are not mixed; the first axis that is mixed is named, with its constant") {
    sum_network net;
    const rewrite r = net.changes();
    const dequantization found = find_dequantization(r, net.sum, 1);
    CHECK(uniform_where(net.model, found, 3, [](std::size_t axis) { return axis == 0; }));
    const verdict first = uniform_where(net.model, found, 3, [](std::size_t) { return true; });
    CHECK(first.why == reason::varies_over_axis);
    CHECK(first.axis == 1);
    CHECK(first.about == found.zero_point);
    const verdict window = uniform_over_window(r, net.sum, found);
    CHECK(window.axis == 2);
    CHECK(window.about == found.scale);
    CHECK(window.port == 1);
}

TEST_CASE("conditions are asked up to the first refusal") {
    int asked = 0;
    const auto say = [&](reason why) {
        return [&asked, why] {
            ++asked;
            return refuse(why);
        };
    };
    CHECK(first_refusal(say(reason::none), say(reason::none)));
    CHECK(asked == 2);
    CHECK(first_refusal(say(reason::none), say(reason::dynamic_rank), say(reason::not_per_tensor)).why ==
          reason::dynamic_rank);
    CHECK(asked == 4);
}
