// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/hana.hpp>
#include <lpt/restriction/restriction.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace lpt;

namespace {

constexpr auto my_target =
    restrictions<precisions<op::convolution, on<0, u8>, on<1, i8>>, precisions<op::lstm_sequence, on<ports<0, 1>, u8>>,
                 precisions<op::gru_sequence>, precisions<in_version<op::max_pool, 1>, on<0, u8, i8>>,
                 per_tensor<op::convolution, 0>, per_tensor<op::concat>>{};

static_assert(std::is_empty_v<decltype(my_target)>);
static_assert(my_target.table().precisions.size() == 5);
static_assert(my_target.table().granularities.size() == 2);
static_assert(my_target.table().excludes(op::kind::gru_sequence));
static_assert(!my_target.table().excludes(op::kind::convolution));

// What a mistake is found as; the sentence that it is raised as needs a program that does not compile.
using detail::restriction_mistake;
template <class... Groups>
constexpr detail::restriction_finding found(op::kind operation, int version, const Groups&... groups_of_ports) {
    const seq<port_types> groups{groups_of_ports...};
    return detail::find_restriction_mistake(op::row_of(operation), version, groups);
}
static_assert(found(op::kind::softmax, any_version).what == restriction_mistake::no_transformation);
static_assert(found(op::kind::max_pool, 2).what == restriction_mistake::no_version);
static_assert(found(op::kind::convolution, any_version, port_types{{2}, {u8}}).what == restriction_mistake::no_port);
static_assert(found(op::kind::convolution, any_version, port_types{{0}, {u8}}, port_types{{0}, {i8}}).what ==
              restriction_mistake::port_twice);
static_assert(found(op::kind::convolution, any_version, port_types{{1}, {i16}}).what == restriction_mistake::type);
static_assert(found(op::kind::reshape, any_version, port_types{{1}, {u8}}).what == restriction_mistake::type);
static_assert(found(op::kind::concat, any_version, port_types{{7}, {u16}}).what == restriction_mistake::none);
static_assert(detail::find_repeated<precisions<op::add, on<0, u8>>, per_tensor<op::add>, precisions<op::add>>() == 2);
static_assert(detail::find_repeated<precisions<in_version<op::gather, 7>>, precisions<in_version<op::gather, 8>>>() ==
              -1);
static_assert(detail::find_repeated<precisions<in_version<op::gather, 7>>, precisions<op::gather>>() == 1);

seq<port_types> unsigned_for_rank_5(const graph& model, node_id id) {
    if (model.shape(model[id].input(0)).rank() == 5) {
        return {port_types{{0}, {u8}}};
    }
    return {};
}

}  // namespace

TEST_CASE("Restrictions as types become rows in the order in which they are written") {
    const restriction_table table = my_target;
    CHECK(table.precisions[1].operation == op::kind::convolution);
    CHECK(table.precisions[1].accepted == port_types{{1}, {i8}});
    CHECK(table.precisions[2].accepted == port_types{{0, 1}, {u8}});
    CHECK(table.precisions[4].version == 1);
    CHECK(table.granularities[1].ports.empty());
    CHECK(table.precisions_on(op::kind::lstm_sequence, 1)->types == seq<element, 8>{u8});
    CHECK(table.precisions_on(op::kind::lstm_sequence, 2) == nullptr);
    CHECK_FALSE(table.restricts(op::kind::mat_mul));
}

TEST_CASE("A restriction of one version leaves the others alone") {
    const restriction_table table = my_target;
    graph model;
    const node_id data = model.parameter(f32, {1, 3, 8, 8});
    const op::max_pool window{.strides = {2, 2}, .kernel = {2, 2}};
    const node_id first = model.add(window, {data}, "first", 1);
    const node_id second = model.add(window, {data}, "second", 8);
    seq<port_types> groups;
    CHECK(table.precisions_of(model, first, groups));
    CHECK(groups == seq<port_types>{port_types{{0}, {u8, i8}}});
    CHECK_FALSE(table.precisions_of(model, second, groups));
}

TEST_CASE("A rule answers for each node") {
    const restriction_table table = restrictions<precisions_by_node<op::relu, &unsigned_for_rank_5>>{};
    graph model;
    const node_id flat = model.add(op::relu{}, {model.parameter(f32, {1, 2, 3, 4})});
    const node_id deep = model.add(op::relu{}, {model.parameter(f32, {1, 2, 3, 4, 5})});
    seq<port_types> groups;
    CHECK(table.precisions_of(model, flat, groups));
    CHECK(groups.empty());
    CHECK(table.precisions_of(model, deep, groups));
    CHECK(groups == seq<port_types>{port_types{{0}, {u8}}});
    CHECK_FALSE(table.excludes(op::kind::relu));
}

TEST_CASE("Restrictions can be handed over as a Hana list") {
    constexpr auto from_list = from_hana<restrictions>(
        hana::make_basic_tuple(hana::type_c<precisions<op::add, on<0, i8>>>, hana::type_c<per_tensor<op::add, 1>>));
    CHECK(std::is_same_v<decltype(from_list),
                         const restrictions<precisions<op::add, on<0, i8>>, per_tensor<op::add, 1>>>);
}
