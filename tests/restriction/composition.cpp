// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/hana.hpp>
#include <lpt/op/user.hpp>
#include <lpt/restriction/composition.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace lpt;

namespace {

constexpr auto listed =
    restrictions<precisions<op::convolution, on<0, u8, i8>, on<1, i8>>, precisions<op::gru_sequence>,
                 precisions<in_version<op::max_pool, 8>, on<0, u8>>, per_tensor<op::convolution, 0>>{};

/// The same types for several operations: what a list cannot say in a loop.
constexpr restriction_table for_sums(element type) {
    restriction_table result;
    for (const op::kind each : {op::kind::add, op::kind::subtract}) {
        result.precisions.push_back({each, any_version, {{0, 1}, {type}}});
        result.granularities.push_back({each, any_version, {1}});
    }
    return result;
}
constexpr restriction_table unsigned_sums() { return for_sums(u8); }

constexpr auto computed_sums = computed_restrictions<unsigned_sums>{};
static_assert(std::is_empty_v<decltype(computed_sums)>);
static_assert(computed_sums == for_sums(u8));
static_assert(!(computed_sums == for_sums(i8)));
static_assert(computed_restrictions<[] { return for_sums(i8); }>{} == for_sums(i8));

static_assert(to_text(listed) == "Convolution, port 0: u8 or i8\n"
                                 "Convolution, port 1: i8\n"
                                 "GRUSequence: not quantized\n"
                                 "MaxPool version 8, port 0: u8\n"
                                 "Convolution, port 0: per tensor\n");
static_assert(to_text(computed_sums) == "Add, ports 0 and 1: u8, the same on all\n"
                                        "Subtract, ports 0 and 1: u8, the same on all\n"
                                        "Add, port 1: per tensor\n"
                                        "Subtract, port 1: per tensor\n");

// ---- override

constexpr auto override_listed = restrictions<precisions<op::convolution, on<0, i8>>, per_tensor<op::mat_mul>>{};
static_assert(
    std::is_same_v<
        decltype(listed | override_listed),
        restrictions<precisions<op::gru_sequence>, precisions<in_version<op::max_pool, 8>, on<0, u8>>,
                     per_tensor<op::convolution, 0>, precisions<op::convolution, on<0, i8>>, per_tensor<op::mat_mul>>>);
static_assert((listed | override_listed) == (listed.table() | override_listed.table()));
static_assert((computed_sums | restrictions<precisions<op::add, on<0, i8>>>{}).table().precisions.size() == 2);
static_assert((listed | computed_sums) == (listed.table() | computed_sums.table()));
static_assert((listed | restrictions<>{}) == listed);
static_assert((listed | listed) == listed);

// ---- leaving out

static_assert(without<op::convolution, op::gru_sequence>(listed) ==
              restrictions<precisions<in_version<op::max_pool, 8>, on<0, u8>>>{});
static_assert(to_text(without<op::add>(computed_sums)) == "Subtract, ports 0 and 1: u8, the same on all\n"
                                                          "Subtract, port 1: per tensor\n");

// ---- intersection

static_assert(intersect(listed, listed) == listed);
static_assert(intersect(listed, restrictions<>{}) == listed);
static_assert(intersect(listed, computed_sums) == (listed | computed_sums));
static_assert(intersect(restrictions<precisions<op::mat_mul, on<0, i8, u8>, on<1, i8>>>{},
                        restrictions<precisions<op::mat_mul, on<0, u8, i8>>, per_tensor<op::mat_mul>>{}) ==
              restrictions<precisions<op::mat_mul, on<0, i8, u8>, on<1, i8>>, per_tensor<op::mat_mul>>{});
// Two ports that must have one type, and separate types for them: the types that all accept.
static_assert(intersect(restrictions<precisions<op::mat_mul, on<ports<0, 1>, i8, u8>>>{},
                        restrictions<precisions<op::mat_mul, on<0, u8, i8>, on<1, i8>>>{}) ==
              restrictions<precisions<op::mat_mul, on<ports<0, 1>, i8>>>{});
static_assert(intersect(restrictions<precisions<op::add, on<0, u8>>>{},
                        restrictions<precisions<op::add, on<0, i8>>>{}) == restrictions<precisions<op::add, on<0>>>{});
static_assert(intersect(restrictions<precisions<op::add, on<0, u8>>>{}, restrictions<precisions<op::add>>{}) ==
              restrictions<precisions<op::add>>{});
// Two lists give a list, which takes part in everything that lists do.
static_assert(
    std::is_same_v<
        decltype(intersect(
            restrictions<precisions<op::mat_mul, on<0, i8, u8>, on<1, i8>>>{},
            restrictions<precisions<op::mat_mul, on<0, u8>>, per_tensor<op::mat_mul, 1>, precisions<op::add>>{})),
        restrictions<precisions<op::mat_mul, on<0, u8>, on<1, i8>>, per_tensor<op::mat_mul, 1>, precisions<op::add>>>);
static_assert(std::is_same_v<decltype(intersect(restrictions<precisions<op::concat, on<ports<0, 1>, i8, u8>>>{},
                                                restrictions<precisions<op::concat, on<ports<1, 2>, u8>>>{})),
                             restrictions<precisions<op::concat, on<ports<0, 1, 2>, u8>>>>);
// Per tensor on the ports of both, on all ports where one says so, and each version for itself.
static_assert(std::is_same_v<decltype(intersect(restrictions<per_tensor<op::mat_mul, 0>, per_tensor<op::add, 1>>{},
                                                restrictions<per_tensor<op::mat_mul, 1>, per_tensor<op::add>>{})),
                             restrictions<per_tensor<op::mat_mul, 0, 1>, per_tensor<op::add>>>);
static_assert(
    std::is_same_v<decltype(intersect(restrictions<per_tensor<in_version<op::max_pool, 8>, 0>>{},
                                      restrictions<per_tensor<op::max_pool>>{})),
                   restrictions<per_tensor<in_version<op::max_pool, 1>>, per_tensor<in_version<op::max_pool, 8>>,
                                per_tensor<in_version<op::max_pool, 14>>>>);
// All versions here, one there: each version for itself.
static_assert(to_text(intersect(restrictions<precisions<op::max_pool, on<0, u8, i8>>>{}, listed).table())
                  .view()
                  .starts_with("MaxPool version 1, port 0: u8 or i8\nMaxPool version 8, port 0: u8\nMaxPool version "
                               "14, port 0: u8 or i8\n"));

constexpr seq<port_types> unsigned_in_3_dimensions(const graph& model, node_id id) {
    if (model.shape(model[id].input(0)).rank() == 5) {
        return {port_types{{0}, {u8, i8}}};
    }
    return {};
}
constexpr auto by_node = restrictions<precisions_by_node<op::relu, &unsigned_in_3_dimensions>>{};

}  // namespace

TEST_CASE("the intersection with a function of the node asks it for each node") {
    const restriction_table both = intersect(by_node, restrictions<precisions<op::relu, on<0, i8, u16>>>{});
    graph model;
    const node_id flat = model.add(op::relu{}, {model.parameter(f32, {1, 2, 3, 4})});
    const node_id deep = model.add(op::relu{}, {model.parameter(f32, {1, 2, 3, 4, 5})});
    seq<port_types> groups;
    CHECK(both.precisions_of(model, deep, groups));
    CHECK(groups == seq<port_types>{port_types{{0}, {i8}}});
    groups.clear();
    CHECK(both.precisions_of(model, flat, groups));
    CHECK(groups.empty());
}

TEST_CASE("a table cannot hold a function that asks two tables, and says so") {
    const restriction_table one = by_node;
    const restriction_table other = restrictions<precisions<op::relu, on<0, u8>>>{};
    CHECK_THROWS_WITH_AS(intersect(one, other), doctest::Contains("intersection of restrictions of Relu"), error);
}

TEST_CASE("mistakes in tables are errors with the sentence that types would not compile with") {
    const auto sentence = [](restriction_table table) {
        try {
            check_restrictions(table);
        } catch (const error& what) {
            return text(what.what());
        }
        return text();
    };
    const auto precision = [&](port_types accepted) {
        restriction_table table;
        table.precisions.push_back({op::kind::convolution, any_version, accepted});
        return sentence(table);
    };
    CHECK(precision({{0}, {u8}}).empty());
    CHECK(precision({{0}, {u8, u8}}) == "restriction of Convolution: input port 0 names the element type u8 twice");
    CHECK(precision({{}, {u8}}) == "restriction of Convolution: a list of element types names no input port");
    restriction_table table;
    table.precisions.push_back({});
    CHECK(sentence(table).view().ends_with("a row names no operation"));
    table = {};
    table.granularities.push_back({op::kind::reshape, any_version, {1}});
    CHECK(sentence(table) == "restriction of Reshape: input port 1 carries no data, so it has no granularity");
    table = restrictions<precisions<op::add, on<0, u8>>>{};
    table.precisions.push_back({op::kind::add, 1, {{0}, {i8}}});
    CHECK(sentence(table) == "restriction of Add: input port 0 is named twice");
    table.precisions.back() = {op::kind::add, any_version, {}};
    CHECK(sentence(table) == "restriction of Add: two rows of it contradict each other");
}

TEST_CASE("objects and types can stand in a Hana list") {
    constexpr auto list = from_hana<restrictions>(
        hana::make_basic_tuple(precisions<op::add, on<0, i8>>{}, hana::type_c<per_tensor<op::add, 1>>));
    CHECK((list | computed_sums) == computed_sums);
    CHECK(std::is_same_v<decltype(list), const restrictions<precisions<op::add, on<0, i8>>, per_tensor<op::add, 1>>>);
}
