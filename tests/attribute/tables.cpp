// SPDX-License-Identifier: Apache-2.0
#include <lpt/attribute/tables.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::attribute;

namespace {

constexpr node_id a = id_at(0);
constexpr node_id b = id_at(3);
constexpr node_id c = id_at(70);

constexpr bool members_of_a_class_see_updates() {
    tables all;
    table<precisions> lists = all.of<precisions>();
    lists.set_output(a, 0, {{u8, i8}});
    lists.share(place::on_node(b), place::on_output(a, 0));
    lists.share(place::on_input(c, 1), place::on_node(b));
    lists.find_node(b)->types = {i8};
    return lists.find_output(a)->types == seq<element, 8>{i8} && lists.find_input(c, 1)->types == seq<element, 8>{i8} &&
           lists.same_class(place::on_output(a, 0), place::on_input(c, 1));
}
static_assert(members_of_a_class_see_updates());

constexpr bool copies_are_independent() {
    tables first;
    first.of<quantization_alignment>().set_node(a, {false});
    first.body(b, 1).of<quantization_alignment>().set_node(a, {false});
    tables second = first;
    second.of<quantization_alignment>().find_node(a)->value = true;
    second.body(b, 1).of<quantization_alignment>().find_node(a)->value = true;
    return !first.of<quantization_alignment>().find_node(a)->value &&
           !first.body(b, 1).of<quantization_alignment>().find_node(a)->value;
}
static_assert(copies_are_independent());

}  // namespace

TEST_CASE("A place without an attribute has none of any type") {
    tables all;
    CHECK(all.of<precisions>().find_node(c) == nullptr);
    CHECK(all.of<precisions>().find_input(c, 7) == nullptr);
    CHECK(all.of<precisions>().find_output(c) == nullptr);
    CHECK(all.of<precisions>().class_number(place::on_node(c)) == -1);
    CHECK(all.describe(place::on_node(c)).empty());
}

TEST_CASE("Node, input ports and output ports are different places, and so are types of attributes") {
    tables all;
    table<precisions> lists = all.of<precisions>();
    lists.set_node(b, {{u8}});
    lists.set_input(b, 0, {{i8}});
    lists.set_output(b, 1, {});
    CHECK(lists.find_node(b)->types == seq<element, 8>{u8});
    CHECK(lists.find_input(b, 0)->types == seq<element, 8>{i8});
    CHECK(lists.find_input(b, 1) == nullptr);
    CHECK(lists.find_output(b, 0) == nullptr);
    CHECK(lists.find_output({b, 1})->types.empty());
    CHECK(all.of<precision_preserved>().find_node(b) == nullptr);
}

TEST_CASE("Joining makes one class of two; the value of the first stays") {
    tables all;
    table<precisions> lists = all.of<precisions>();
    for (const node_id id : {a, b, c}) {
        lists.set_node(id, {{u8, i8}});
    }
    lists.set_input(c, 0, {{i16}});
    lists.share(place::on_input(c, 1), place::on_input(c, 0));
    lists.join(place::on_node(a), place::on_node(b));
    CHECK(lists.same_class(place::on_node(a), place::on_node(b)));
    CHECK_FALSE(lists.same_class(place::on_node(a), place::on_node(c)));
    lists.join(place::on_node(b), place::on_input(c, 1));
    CHECK(lists.find_input(c, 0)->types == seq<element, 8>{u8, i8});
    lists.find_input(c, 0)->types = {i8};
    CHECK(lists.find_node(a)->types == seq<element, 8>{i8});
    lists.join(place::on_node(a), place::on_input(c, 0));
    CHECK(lists.find_node(b)->types == seq<element, 8>{i8});
}

TEST_CASE("Long chains of joins end in one class") {
    tables all;
    table<precisions> lists = all.of<precisions>();
    for (std::size_t i = 0; i < 1000; ++i) {
        lists.set_node(id_at(i), {{u8}});
    }
    for (std::size_t i = 1; i < 1000; ++i) {
        lists.join(place::on_node(id_at(i)), place::on_node(id_at(i - 1)));
    }
    lists.find_node(id_at(500))->types = {};
    for (std::size_t i = 0; i < 1000; ++i) {
        CHECK(lists.find_node(id_at(i))->types.empty());
        CHECK(lists.class_number(place::on_node(id_at(i))) == lists.class_number(place::on_node(a)));
    }
}

TEST_CASE("A new value takes its place out of the class") {
    tables all;
    table<precisions> lists = all.of<precisions>();
    lists.set_node(a, {{u8}});
    lists.share(place::on_node(b), place::on_node(a));
    lists.set_node(a, {{i8}});
    CHECK(lists.find_node(b)->types == seq<element, 8>{u8});
    lists.erase(place::on_node(b));
    CHECK_FALSE(lists.has(place::on_node(b)));
}

TEST_CASE("AvgPoolPrecisionPreserved shares the value of PrecisionPreserved") {
    tables all;
    all.of<precision_preserved>().set_node(a, {false});
    all.of<avg_pool_precision_preserved>().share_from(all.of<precision_preserved>(), place::on_node(b),
                                                      place::on_node(a));
    all.of<avg_pool_precision_preserved>().find_node(b)->value = true;
    CHECK(all.of<precision_preserved>().find_node(a)->value);
    CHECK(all.of<precision_preserved>().find_node(b) == nullptr);
}

TEST_CASE("Each place has levels of its own beside the shared interval") {
    tables all;
    table<intervals_alignment> intervals = all.of<intervals_alignment>();
    intervals.set_node(a, {{0, 1}, {0, 1}, 256, {u8}}, {256});
    intervals.set_node(b, {{-1, 1}, {-1, 1}, 16, {i8}}, {16});
    intervals.share(place::on_node(c), place::on_node(a));
    intervals.merge(place::on_node(c), place::on_node(b));
    intervals.join(place::on_node(c), place::on_node(b));
    CHECK(intervals.find_own(place::on_node(a))->levels == 256);
    CHECK(intervals.find_own(place::on_node(b))->levels == 16);
    CHECK(intervals.find_own(place::on_node(c))->levels == 0);
    CHECK(intervals.find_node(a)->combined == interval{-1, 1});
    CHECK(intervals.find_node(b)->least_levels == 0);
}

TEST_CASE(
    "A replacement of the same operation shares the attributes of node and ports, another one those of the node") {
    tables all;
    all.of<precision_preserved>().set_node(a, {true});
    all.of<precisions>().set_input(a, 1, {{i8}});
    all.of<precisions>().set_output(a, 0, {{u8}});
    all.copy(a, b);
    all.copy_node(a, c);
    CHECK(all.of<precision_preserved>().same_class(place::on_node(a), place::on_node(b)));
    CHECK(all.of<precisions>().same_class(place::on_input(a, 1), place::on_input(b, 1)));
    CHECK(all.of<precisions>().same_class(place::on_output(a, 0), place::on_output(b, 0)));
    CHECK_FALSE(all.of<precisions>().has(place::on_input(b, 0)));
    CHECK(all.of<precision_preserved>().has(place::on_node(c)));
    CHECK_FALSE(all.of<precisions>().has(place::on_input(c, 1)));
}

TEST_CASE("Attributes in words: name, value, and a number where places can share the value") {
    tables all;
    all.of<precisions>().set_node(a, {{u8, i8}});
    all.of<precisions>().set_node(b, {});
    all.of<precision_preserved>().set_node(a, {true});
    all.of<quantization_granularity>().set_input(a, 0, {granularity::per_tensor});
    all.of<intervals_alignment>().set_node(c, {{-1.5f, 2.5f}, {0, 2.5f}, 86, {u8, i8}}, {256});
    CHECK(all.describe(place::on_node(a)) ==
          seq<description>{{"Precisions", "precisions: {u8, i8} #0"}, {"PrecisionPreserved", "value: true #0"}});
    CHECK(all.describe(place::on_node(b)) == seq<description>{{"Precisions", "precisions: {} #1"}});
    CHECK(all.describe(place::on_input(a, 0)) == seq<description>{{"QuantizationGranularity", "PerTensor"}});
    CHECK(all.describe(place::on_node(c))[0].value ==
          "levels: 256, combined: { -1.5, 2.5 }, min: { 0, 2.5 }, minLevels: 86, preferablePrecisions: {u8, i8} #0");
}

TEST_CASE("Graphs inside a node have tables of their own") {
    tables all;
    all.body(a, 0).of<precision_preserved>().set_node(b, {true});
    CHECK(all.of<precision_preserved>().find_node(b) == nullptr);
    CHECK(all.body(a, 1).of<precision_preserved>().find_node(b) == nullptr);
    CHECK(all.body(a, 0).of<precision_preserved>().find_node(b)->value);
    all.copy(a, c);
    CHECK(all.body(c, 0).of<precision_preserved>().find_node(b)->value);
    all.body(c, 0).of<precision_preserved>().find_node(b)->value = false;
    CHECK(all.body(a, 0).of<precision_preserved>().find_node(b)->value);
}
