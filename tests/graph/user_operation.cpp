// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/compare.hpp>
#include <lpt/graph/fold.hpp>
#include <lpt/graph/freeze.hpp>
#include <lpt/graph/print.hpp>
#include <lpt/graph/verify.hpp>

#include "tests/support/own_operations.hpp"
#include <doctest/doctest.h>

using namespace lpt;

namespace {

/// in -> ChannelRoll -> OwnProduct with itself -> Result.
constexpr graph network(std::int64_t shift = 2) {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 3, 2}, "in");
    const node_id rolled = model.add(own::channel_roll{shift}, {data}, "rolled", 1);
    model.result(model.add(own::own_product{}, {rolled, rolled}, "product"));
    return model;
}
constexpr op::user_operations known = op::user_operations_of<own::channel_roll, own::own_product>;

struct make_network {
    static constexpr graph make() { return network(); }
};
using kept = frozen<make_network>;
static_assert(difference(kept::thaw(known), network()).empty());
static_assert(own::channel_roll::number != own::own_product::number);
static_assert(op::is_of_user(own::opaque::number) && !op::is_of_user(op::kind::add));

constexpr bool folds() {
    graph model;
    const node_id data = model.constant(make_tensor(i32, shape{1, 3}, {1, 2, 3}));
    const output_ref folded = try_fold(model, model.add(own::channel_roll{1}, {data}));
    const tensor* value = model.constant_value(folded);
    return value != nullptr && value->integer(0) == 3 && value->integer(1) == 1 && value->integer(2) == 2;
}
static_assert(folds());

text error_of(void (*act)()) {
    try {
        act();
    } catch (const error& wrong) {
        return text(text_view(wrong.what()));
    }
    return {};
}

/// Gives other shapes than it infers.
struct liar : own::own_product {
    static constexpr text_view name = "Liar";
    static constexpr auto number = op::user_kind("Liar");
    static constexpr void infer(const liar&, op::inference& facts) { facts.output(facts.type(0), facts.dimensions(0)); }
    static constexpr void evaluate(const liar&, view<tensor>, view<op::output_facts>, seq<tensor>& results) {
        results.push_back(make_scalar(f32, 1));
    }
    friend constexpr bool operator==(const liar&, const liar&) = default;
};

}  // namespace

TEST_CASE("a user's operation has its name, attributes, version, types and shapes") {
    const graph model = network();
    verify(model);
    const node_id product = model.producer(model.results()[0], 0);
    const node_id rolled = model.producer(product, 0);
    CHECK(model[rolled].is<own::channel_roll>());
    CHECK_FALSE(model[rolled].is<own::own_product>());
    CHECK(model[rolled].as<own::channel_roll>().shift == 2);
    CHECK(model[rolled].operation() == "ChannelRoll");
    CHECK(model[rolled].version() == 1);
    CHECK(model[product].type() == f32);
    CHECK(model[product].shape() == shape{1, 3, 2});
}

TEST_CASE("its inputs are counted and its inference raises errors that name it") {
    CHECK(error_of([] {
              graph model;
              const node_id data = model.parameter(f32, shape{1, 3, 2});
              model.add(own::own_product{}, {data}, "one");
          }) == "OwnProduct 'one' cannot have 1 inputs");
    CHECK(error_of([] {
              graph model;
              model.add(own::channel_roll{}, {model.parameter(f32, shape{3})}, "roll");
          }) == "ChannelRoll 'roll': there is no channel axis in [3]");
}

TEST_CASE("it is printed with its attributes") {
    const text printed = to_text(network());
    bool name = false;
    for (std::size_t i = 0; i + 11 <= printed.size(); ++i) {
        name = name || printed.view().substr(i, 11) == "ChannelRoll";
    }
    CHECK(name);
}

TEST_CASE("it is compared by type, version and attributes") {
    CHECK(difference(network(), network()).empty());
    CHECK_FALSE(difference(network(2), network(3)).empty());
    graph other = network();
    const node_id product = other.producer(other.results()[0], 0);
    other.set_attributes(product, own::own_larger{});
    CHECK_FALSE(difference(network(), other).empty());
}

TEST_CASE("freezing keeps it, thawing needs its type") {
    const seq<word> words = freeze(network());
    const graph thawed = thaw(words, known);
    verify(thawed);
    CHECK(difference(thawed, network()).empty());
    CHECK(thawed[thawed.producer(thawed.producer(thawed.results()[0], 0), 0)].as<own::channel_roll>().shift == 2);
    CHECK_THROWS_WITH(thaw(words),
                      "a frozen graph has an operation of a user's type that was not named when it was thawed");
    CHECK_THROWS_WITH(thaw(words, op::user_operations_of<own::opaque>),
                      "a frozen graph has an operation of a user's type that was not named when it was thawed");
}

TEST_CASE("constants are folded by its own function; without one it stays") {
    graph model;
    const node_id data = model.constant(make_tensor(f32, shape{1, 3}, {1, 2, 3}));
    const node_id rolled = model.add(own::channel_roll{2}, {data});
    model.result(model.add(own::opaque{}, {rolled}));
    constant_folding(model);
    const node_id left = model.producer(model.results()[0], 0);
    CHECK(model[left].is<own::opaque>());
    const tensor* value = model.constant_value(model[left].input(0));
    REQUIRE(value != nullptr);
    CHECK(value->real(0) == 2);
    CHECK(value->real(2) == 1);
}

TEST_CASE("an evaluation that does not give what was inferred is an error") {
    CHECK(error_of([] {
              graph model;
              const node_id data = model.constant(make_tensor(f32, shape{3}, {1, 2, 3}));
              static_cast<void>(try_fold(model, model.add(liar{}, {data, data})));
          }) == "Liar was evaluated to outputs of other types or shapes than it infers");
}

TEST_CASE("lists of operation types find by name and number") {
    CHECK(known.find("ChannelRoll")->number == own::channel_roll::number);
    CHECK(known.find(own::own_product::number)->name == "OwnProduct");
    CHECK(known.find("Opaque") == nullptr);
    CHECK(op::user_operations().find("ChannelRoll") == nullptr);
}
