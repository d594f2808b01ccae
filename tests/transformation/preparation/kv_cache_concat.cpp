// SPDX-License-Identifier: Apache-2.0
#include "../prerequisites/rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/pass.hpp>
#include <lpt/transformation/main/concat.hpp>
#include <lpt/transformation/main/fake_convert_decomposition.hpp>
#include <lpt/transformation/preparation/kv_cache_concat.hpp>
#include <lpt/transformation/preparation/move_fake_convert_up.hpp>

#include <doctest/doctest.h>

#include "tests/support/spoil.hpp"

using namespace lpt;
using testing::rewritten;

namespace {

constexpr shape cache_shape() { return {1, 2, dynamic_dimension, 4}; }

struct settings {
    element low = f8e4m3;
    double scale = 16;
    double shift = 0;
    double added_scale = 16;
    double added_shift = 0;
    double factor = 0.0625;
    shape scale_shape{};
    bool swapped = false;
};

/// ReadValue -> Gather and new data, both quantized, -> Concat -> dequantized -> Assign and Result.
struct cache : rewritten {
    node_id read = node_id::none;
    node_id gather = node_id::none;
    node_id quantized = node_id::none;  // what the Gather gives, in 8 bits
    node_id concat = node_id::none;
    node_id assign = node_id::none;

    constexpr node_id quantize(output_ref data, const settings& how, double scale, double shift) {
        output_ref last = model.add(op::multiply{}, {data, constant({scale}, how.scale_shape)});
        if (shift != 0) {
            last = model.add(op::subtract{}, {last, constant({shift})});
        }
        op::clamp range;
        range.min = facts(how.low).lowest;
        range.max = facts(how.low).highest;
        return model.add(op::convert{how.low}, {model.add(range, {last})});
    }
    constexpr explicit cache(const settings& how = {}) {
        const node_id beam = model.parameter(i32, shape{1}, "beam");
        const node_id added = model.parameter(f32, cache_shape(), "added");
        const node_id initial = model.constant(tensor_builder(f32, shape{1, 2, 0, 4}).finish());
        read = model.add(op::read_value{"keys", f32, cache_shape()}, {initial}, "read");
        gather = model.add(op::gather{}, {read, beam, model.constant(make_integer_tensor(i64, {}, {0}))}, "gather");
        quantized = quantize(gather, how, how.scale, how.shift);
        model.rename(quantized, "quantized");
        const node_id other = quantize(added, how, how.added_scale, how.added_shift);
        concat =
            how.swapped ? model.add(op::concat{2}, {other, quantized}) : model.add(op::concat{2}, {quantized, other});
        const node_id zero_point = how.shift == 0 ? node_id::none : constant({-how.shift});
        const node_id real = dequantize(concat, zero_point, constant({how.factor}));
        assign = model.add(op::assign{"keys", f32, cache_shape()}, {real}, "assign");
        model.add_control_dependency(assign, read);
        model.result(real);
    }
    constexpr bool change() { return run<kv_cache_concat>(assign); }
    constexpr node_id sink() const { return model.sinks()[0]; }
};

/// Values of a parameter in run number `step`: places in the cache grow with the runs.
tensor values_of(const node& parameter, int step) {
    if (is_integral(parameter.type())) {
        return make_integer_tensor(parameter.type(), parameter.shape(), {0});
    }
    shape dimensions = parameter.shape();
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        dimensions[axis] = dimensions.is_static(axis) ? dimensions[axis] : step == 0 ? 3 : 1;
    }
    tensor_builder values(parameter.type(), dimensions);
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>((i * 37 + static_cast<std::size_t>(step) * 23) % 61) * 0.0973 - 2.9);
    }
    return values.finish();
}
/// The greatest difference between two networks over runs that hand their states on.
support::tensor_difference difference_over_time(const graph& before, const graph& after) {
    std::vector<std::vector<tensor>> runs;
    for (int step = 0; step < 4; ++step) {
        std::vector<tensor> inputs;
        for (const node_id id : before.parameters()) {
            inputs.push_back(values_of(before[id], step));
        }
        runs.push_back(std::move(inputs));
    }
    return support::difference_of<float>(before, after, runs);
}

constexpr bool keeps_8_bits() {
    cache net;
    const bool changed = net.change();
    const node_id assign = net.sink();
    const node_id read = net.model[assign].control_dependencies()[0];
    const node_id convert = net.above(read);
    return changed && net.model[assign].as<op::assign>().variable_type == f8e4m3 && net.model[read].type() == f8e4m3 &&
           net.model[convert].is<op::convert>() && net.model[net.gather].type() == f8e4m3 &&
           net.above(net.gather) == read && net.model[assign].name() == "assign" && net.model[read].name() == "read";
}
static_assert(keeps_8_bits());

/// What cached keys or values go through before the attention: ReadValue, Gather, Concat with new ones, FakeConvert.
output_ref add_cache(graph& model, text_view name, element low, double shift, node_id beam) {
    const node_id added = model.parameter(f32, cache_shape(), name);
    const node_id initial = model.constant(tensor_builder(f32, shape{1, 2, 0, 4}).finish());
    const node_id read = model.add(op::read_value{text(name), f32, cache_shape()}, {initial});
    const node_id kept = model.add(op::gather{}, {read, beam, model.constant(make_integer_tensor(i64, {}, {0}))});
    const node_id all = model.add(op::concat{2}, {kept, added});
    const node_id assign = model.add(op::assign{text(name), f32, cache_shape()}, {all});
    model.add_control_dependency(assign, read);
    seq<output_ref, 3> inputs{all, model.constant(make_scalar(f32, 12))};
    if (shift != 0) {
        inputs.push_back(model.constant(make_scalar(f32, shift)));
    }
    return model.add(op::fake_convert{low}, inputs);
}

}  // namespace

TEST_CASE("a cache keeps 8-bit numbers and gives the same values over several runs") {
    const settings all[] = {
        {}, {.low = f8e5m2}, {.shift = 1.5, .added_shift = 1.5}, {.low = f8e5m2, .shift = -2, .added_shift = -2}};
    for (const settings& how : all) {
        cache net(how);
        CHECK(net.change());
        verify(net.model);
        CHECK(net.model[net.sink()].as<op::assign>().variable_type == how.low);
        CHECK(net.model[net.above(net.concat)].name() == "quantized");
        CHECK(difference_over_time(net.before, net.model) == 0);
        CHECK(net.model[net.above(net.sink())].is<op::convert>());
        CHECK_FALSE(net.run<kv_cache_concat>(net.sink()));
    }
}

TEST_CASE("with the transformations before it, both caches of an attention are kept in 8 bits") {
    for (const element low : {f8e4m3, f8e5m2}) {
        for (const double shift : {0.0, 0.75}) {
            graph model;
            const node_id query = model.parameter(f32, shape{1, 2, 2, 4}, "query");
            const node_id beam = model.parameter(i32, shape{1}, "beam");
            const output_ref keys = add_cache(model, "keys", low, shift, beam);
            const output_ref values = add_cache(model, "values", low, shift, beam);
            model.result(model.add(op::scaled_dot_product_attention{}, {query, keys, values}));
            const graph before = model;
            attribute::tables attributes;
            transformation_options options;
            options.default_precisions = seq<element, 8>(view<element>(fp8_precisions));
            const restriction_table restrictions;
            rewrite r(model, attributes, options, restrictions);
            drive(r, dispatch_table<move_fake_convert_up_through_kv_cache_concat>);
            drive(r, dispatch_table<fake_convert_decomposition_transformation, concat_transformation, kv_cache_concat>);
            model.collect();
            verify(model);
            REQUIRE(model.sinks().size() == 2);
            for (const node_id sink : model.sinks()) {
                CHECK(model[sink].as<op::assign>().variable_type == low);
            }
            CHECK(difference_over_time(before, model) < 1e-6);
        }
    }
}

TEST_CASE("a variable without an initial value begins with zeros of 8 bits") {
    cache net;
    const node_id read = net.model.add(net.model[net.read].attributes(), view<output_ref>(), "bare");
    net.model.replace(net.read, read);
    net.model.collect();
    CHECK(net.change());
    verify(net.model);
    CHECK(net.model[net.above(net.gather)].inputs() == 0);
}

TEST_CASE("the shape of what is kept may be asked for") {
    cache net;
    net.model.result(net.model.add(op::shape_of{}, {net.read}));
    net.model.result(net.model.add(op::shape_of{}, {net.gather}));
    CHECK(net.change());
    verify(net.model);
    CHECK(difference_over_time(net.before, net.model) == 0);
}

TEST_CASE("a cache stays whose values would change from run to run, unless that quirk is followed") {
    cache other({.factor = 0.25});
    CHECK_FALSE(other.change());
    CHECK(other.why() == reason::quantizations_differ);
    cache followed({.factor = 0.25});
    followed.options.followed_quirks = quirk::requantized_cache;
    CHECK(followed.change());
    for (const settings& how : {settings{}, settings{.low = f8e5m2, .shift = 1000, .added_shift = 1000}}) {
        cache inverse(how);
        CHECK(inverse.change());
    }
}

TEST_CASE("a cache stays in floating point") {
    const auto refusal_of = [](cache& net) {
        CHECK_FALSE(net.change());
        CHECK(net.model[net.sink()].as<op::assign>().variable_type == f32);
        return net.why();
    };
    SUBCASE("scales differ") {
        cache net({.added_scale = 8});
        CHECK(refusal_of(net) == reason::quantizations_differ);
    }
    SUBCASE("shifts differ") {
        cache net({.shift = 1, .added_shift = 2});
        CHECK(refusal_of(net) == reason::quantizations_differ);
    }
    SUBCASE("only one has a shift") {
        cache net({.shift = 1});
        CHECK(refusal_of(net) == reason::quantizations_differ);
    }
    SUBCASE("scales have axes") {
        cache net({.scale_shape = {1}});
        CHECK(refusal_of(net) == reason::not_per_tensor);
    }
    SUBCASE("the new data comes first") {
        cache net({.swapped = true});
        CHECK(refusal_of(net) == reason::no_cache);
    }
    SUBCASE("the data is not of 8 bits") {
        cache net({.low = f16});
        CHECK(refusal_of(net) == reason::not_low_precision);
    }
    SUBCASE("Assign waits for nothing") {
        cache net;
        net.model.clear_control_dependencies(net.assign);
        CHECK(refusal_of(net) == reason::no_cache);
    }
    SUBCASE("the variable is read twice") {
        cache net;
        net.model.result(net.model.add(net.model[net.read].attributes(), {net.model[net.read].input(0)}, "second"));
        CHECK(refusal_of(net) == reason::shared_state);
    }
    SUBCASE("something else reads what the variable gives") {
        cache net;
        net.model.result(net.model.add(op::relu{}, {net.read}));
        CHECK(refusal_of(net) == reason::shared_producer);
    }
    SUBCASE("there is no Gather") {
        cache net;
        net.model.replace_uses(net.gather, net.read);
        CHECK(refusal_of(net) == reason::no_cache);
    }
    SUBCASE("Gather is of another version") {
        cache net;
        const node_id old = net.model.add(
            op::gather{}, {net.read, net.model[net.gather].input(1), net.model[net.gather].input(2)}, "old", 7);
        net.model.replace(net.gather, old);
        net.model.collect();
        CHECK(refusal_of(net) == reason::unsupported_version);
        const verdict found = net.refusals.back().why;
        CHECK(found.port == 0);
        CHECK(found.value == 7);
        CHECK(found.about == old);
    }
    SUBCASE("what is written is not dequantized by a constant") {
        cache net;
        const node_id real = net.above(net.assign);
        net.model.set_input(net.assign, 0, net.model.add(op::multiply{}, {real, real}));
        CHECK(refusal_of(net) == reason::no_dequantization);
    }
}

TEST_CASE("the comparison notices NaN, other shapes, other types, and another number of results") {
    CHECK(support::notices_all_damages(cache().model, difference_over_time));
}
