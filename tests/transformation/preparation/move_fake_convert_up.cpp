// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/pass.hpp>
#include <lpt/transformation/preparation/move_fake_convert_up.hpp>

#include <doctest/doctest.h>

#include "tests/support/tensor_difference.hpp"

using namespace lpt;

namespace {

enum class reader { none, relu, result };

/// FakeConvert of Concat(cache [1, 2, 5, 4], new [1, 2, 3, 4]) as one input of the attention.
constexpr output_ref joined(graph& model, const shape& scale, reader other, text_view name) {
    const node_id cache = model.parameter(f32, shape{1, 2, 5, 4});
    const node_id added = model.parameter(f32, shape{1, 2, 3, 4});
    const node_id all = model.add(op::concat{2}, {cache, added});
    if (other != reader::none) {
        model.result(other == reader::relu ? output_ref(model.add(op::relu{}, {all})) : output_ref(all));
    }
    const node_id factor = model.constant(make_tensor(f32, scale, view<double>({0.5})));
    return model.add(op::fake_convert{f8e4m3}, {all, factor}, name);
}
constexpr graph attention(const shape& scale = {}, reader other = reader::none) {
    graph model;
    const node_id query = model.parameter(f32, shape{1, 2, 3, 4});
    const output_ref keys = joined(model, scale, other, "keys");
    const output_ref values = joined(model, scale, reader::none, "values");
    model.result(model.add(op::scaled_dot_product_attention{}, {query, keys, values}));
    return model;
}
constexpr seq<reason> run(graph& model) {
    attribute::tables attributes;
    const transformation_options options;
    const restriction_table restrictions;
    rewrite r(model, attributes, options, restrictions);
    drive(r, dispatch_table<move_fake_convert_up_through_kv_cache_concat>);
    seq<reason> result;
    for (const refusal& each : r.refusals()) {
        result.push_back(each.why.why);
    }
    return result;
}
/// The kind of operation that gives keys (port 1) or values (port 2).
constexpr op::kind giver(const graph& model, std::size_t port) {
    const node_id last = model.results()[model.results().size() - 1];
    return model[model.producer(model.producer(last, 0), port)].kind();
}

}  // namespace

TEST_CASE("FakeConvert of cached keys and values moves above their Concat, and the values stay") {
    graph model = attention();
    const graph before = model;
    CHECK(run(model).empty());
    verify(model);
    CHECK(giver(model, 1) == op::kind::concat);
    CHECK(giver(model, 2) == op::kind::concat);
    const node_id keys = model.producer(model.producer(model.results()[0], 0), 1);
    CHECK(model[model.producer(keys, 0)].name() == "keys_1");
    CHECK(model[model.producer(keys, 1)].name() == "keys_2");
    std::vector<tensor> inputs;
    for (const node_id id : before.parameters()) {
        tensor_builder values(f32, before[id].shape());
        for (std::size_t i = 0; i < values.elements(); ++i) {
            values.real(i, static_cast<double>((i * 29 + inputs.size() * 7) % 53) * 0.037 - 0.9);
        }
        inputs.push_back(values.finish());
    }
    CHECK(support::difference_of<float>(before, model, inputs) == 0);
}

TEST_CASE("other readers of the Concat stay possible only if they take what the cache holds") {
    graph result = attention({}, reader::result);
    CHECK(run(result).empty());
    CHECK(giver(result, 1) == op::kind::concat);
    graph relu = attention({}, reader::relu);
    CHECK(run(relu) == seq<reason>{reason::shared_producer});
    CHECK(giver(relu, 1) == op::kind::fake_convert);
    CHECK(giver(relu, 2) == op::kind::concat);
}

TEST_CASE("scales with axes stay below the Concat") {
    graph model = attention(shape{1, 2, 1, 1});
    CHECK(run(model) == seq<reason>{reason::not_per_tensor, reason::not_per_tensor});
    CHECK(giver(model, 1) == op::kind::fake_convert);
}
