// SPDX-License-Identifier: Apache-2.0
// A network that the build made a header of (tests/examples/embed).
#include <small_network.hpp>

#include <lpt/graph/verify.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

static_assert(small_network::data().size() == 2048);
static_assert(small_network::make().size() == 6);
static_assert([] {
    verify(small_network::make());
    return true;
}());

constexpr const tensor* constant_behind(const graph& model, text_view name) {
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        if (model.contains(id_at(i)) && model[id_at(i)].name() == name) {
            return model.constant_value(model[id_at(i)].input(1));
        }
    }
    return nullptr;
}
static_assert(constant_behind(small_network::make(), "product")->real(0) == 2);
static_assert(constant_behind(small_network::make(), "sum")->real(511) == 511);

}  // namespace

TEST_CASE("weights of an embedded network are data that its graph looks into") {
    const graph model = small_network::make();
    const tensor* weights = constant_behind(model, "sum");
    REQUIRE(weights != nullptr);
    CHECK(weights->data() == small_network::data().data());
    CHECK(weights->is_window());
    CHECK_FALSE(constant_behind(model, "product")->is_window());
}
