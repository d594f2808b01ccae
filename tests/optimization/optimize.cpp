// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <lpt/pipeline/prepare.hpp>
#include <lpt/pipeline/transform.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr graph gated() {
    graph model;
    const output_ref data = model.parameter(f32, {1, 8}, "data");
    model.result(model.add(op::multiply{}, {data, model.add(op::sigmoid{}, {data})}, "gated"));
    return model;
}
constexpr bool is_fused() {
    graph model = gated();
    optimize(model);
    const node_id last = model.producer(model.results()[0], 0);
    return model[last].is<op::swish>() && model[last].name() == text("gated");
}
static_assert(is_fused());

/// GELU of f32 data, whose last factor is 0.5, quantized for a product with weights.
graph quantized_gelu() {
    graph model;
    const output_ref data = model.parameter(f32, {2, 8}, "data");
    const output_ref inside = model.add(op::divide{}, {data, scalar_of(model, 1.4142135623730951)});
    const output_ref gate = model.add(op::add{}, {model.add(op::erf{}, {inside}), scalar_of(model, 1)});
    const output_ref product = model.add(op::multiply{}, {data, gate});
    const output_ref whole = model.add(op::multiply{}, {product, scalar_of(model, 0.5)});
    const output_ref low = scalar_of(model, 0);
    const output_ref high = scalar_of(model, 2.55);
    const output_ref quantized = model.add(op::fake_quantize{256}, {whole, low, high, low, high});
    const output_ref bytes_of = model.constant(make_tensor(i8, {8, 4}, {3}));
    const output_ref weights =
        model.add(op::multiply{}, {model.add(op::convert{f32}, {bytes_of}), scalar_of(model, 0.1)});
    model.result(model.add(op::mat_mul{}, {quantized, weights}));
    return model;
}
bool has_gelu(const graph& model) {
    const kinds all = operations_of(model);
    return std::find(all.begin(), all.end(), op::kind::gelu) != all.end();
}

struct raising_rule {
    static constexpr text_view name = "RaisingRule";
    using pattern = lpt::pattern<op::swish>;
    static bool transform(rewrite&, node_id) { fail({"no"}); }
};

}  // namespace

TEST_CASE("What an operation becomes keeps its name, in constant expressions, too") { CHECK(is_fused()); }

TEST_CASE("Rules of the user take the place of the library's, and those that are switched off rest") {
    graph model = gated();
    optimize<stage<>>(model);
    CHECK(operations_of(model) == kinds{op::kind::sigmoid, op::kind::multiply});
    transformation_options options;
    options.disabled.push_back(swish_fusion::name);
    const seq<refusal> refusals = optimize(model, options);
    CHECK(operations_of(model) == kinds{op::kind::sigmoid, op::kind::multiply});
    REQUIRE(refusals.size() == 1);
    CHECK(refusals[0].why.why == reason::disabled_by_user);
}

TEST_CASE("Where a rule raises an error, the graph is as it was") {
    graph model = gated();
    using rules = stage<swish_fusion, raising_rule>;
    CHECK_THROWS_AS(optimize<rules>(model), error);
    CHECK(operations_of(model) == kinds{op::kind::sigmoid, op::kind::multiply});
}

TEST_CASE("Functions that are found before the transformations are not lost to the FakeQuantize behind them") {
    graph late = quantized_gelu();
    prepare(late);
    transform(late);
    optimize(late);
    CHECK_FALSE(has_gelu(late));
    graph model = quantized_gelu();
    prepare(model);
    fuse_functions(model);
    CHECK(change_of_results(model) < 1e-6);
    transform(model);
    CHECK(has_gelu(model));
}

TEST_CASE("Channels that are shuffled by Reshapes are found before the transformations, for which one scale a channel "
          "moves through them") {
    const auto shuffled = [](bool is_fused) {
        graph model;
        const output_ref x = model.parameter(u8, shape{1, 4, 2, 2}, "x");
        const output_ref scales = model.constant(make_tensor(f32, shape{1, 4, 1, 1}, view<double>({1, 2, 3, 4})));
        const output_ref real = model.add(op::multiply{}, {model.add(op::convert{f32}, {x}), scales});
        const auto reshape = [&](output_ref of, std::initializer_list<std::int64_t> sizes) {
            return output_ref(model.add(op::reshape{}, {of, indices(model, sizes)}));
        };
        const output_ref apart = reshape(real, {1, 2, 2, 2, 2});
        const output_ref exchanged = model.add(op::transpose{}, {apart, indices(model, {0, 2, 1, 3, 4})});
        model.result(
            model.add(op::max_pool{{1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}}, {reshape(exchanged, {1, 4, 2, 2})}, {}, 1));
        prepare(model);
        if (is_fused) {
            fuse_functions(model);
        }
        transform(model);
        const node_id last = model.producer(model.results()[0], 0);
        return model[last].is<op::multiply>();
    };
    CHECK(shuffled(true));
    CHECK_FALSE(shuffled(false));
}

TEST_CASE("Functions that are switched off stay compositions") {
    graph model = quantized_gelu();
    transformation_options options;
    options.disabled.push_back(gelu_fusion_half_last::name);
    CHECK(fuse_functions(model, options).size() == 1);
    CHECK_FALSE(has_gelu(model));
}
