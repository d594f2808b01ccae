// SPDX-License-Identifier: Apache-2.0
#include <lpt/lpt.hpp>

#include "tests/support/small_graph.hpp"
#include "tests/support/spoil.hpp"
#include "tests/support/tensor_difference.hpp"
#include <lpt/pipeline/prepare.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using test::output;

namespace {

constexpr output_ref fake_quantize(graph& model, output_ref data, std::int64_t levels, double low, double high,
                                   text_view name) {
    const node_id least = model.constant(make_scalar(f32, low));
    const node_id most = model.constant(make_scalar(f32, high));
    return model.add(op::fake_quantize{levels}, {data, least, most, least, most}, name);
}
constexpr node_id convolve(graph& model, output_ref data, std::int64_t out, std::int64_t in, text_view name) {
    tensor_builder values(f32, shape{out, in, 1, 1});
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>((i * 5) % 7) * 0.3 - 0.9);
    }
    const output_ref weights = fake_quantize(model, model.constant(values.finish()), 255, -1.27, 1.27, {});
    return model.add(op::convolution{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}},
                     {data, weights}, name);
}

/// in -> FakeQuantize -> Convolution -> Relu -> FakeQuantize -> MaxPool -> Convolution -> Result.
constexpr graph two_convolutions() {
    graph model;
    output_ref last = model.parameter(f32, shape{1, 2, 4, 4}, "in");
    last = fake_quantize(model, last, 256, 0, 2.55, "first values");
    last = convolve(model, last, 3, 2, "first");
    last = model.add(op::relu{}, {last}, "relu");
    last = fake_quantize(model, last, 256, 0, 5.1, "second values");
    last = model.add(op::max_pool{.strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}},
                     {last}, "pool", 8);
    last = convolve(model, last, 2, 3, "second");
    model.result(last);
    return model;
}

constexpr node_id find(const graph& model, text_view name) {
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        if (model.contains(id_at(i)) && model[id_at(i)].name() == name) {
            return id_at(i);
        }
    }
    return node_id::none;
}

/// The two convolutions of a network, from below: what they compute in.
constexpr bool convolutions_compute_in(const graph& model, element data, element weights) {
    std::size_t count = 0;
    for (const node_id id : topological_order(model)) {
        if (model[id].is<op::convolution>()) {
            ++count;
            if (model.type(model[id].input(0)) != data || model.type(model[id].input(1)) != weights) {
                return false;
            }
        }
    }
    return count == 2;
}

constexpr bool becomes_low_precision_at_compile_time() {
    graph model = two_convolutions();
    prepare(model);
    transform(model, cpu_x86);
    verify(model);
    return convolutions_compute_in(model, u8, i8) && model[output(model)].is<op::multiply>() &&
           model[output(model)].name() == "second";
}
static_assert(becomes_low_precision_at_compile_time());

support::tensor_difference difference_of_outputs(const graph& before, const graph& after) {
    tensor_builder values(f32, before[before.parameters()[0]].shape());
    for (std::size_t i = 0; i < values.elements(); ++i) {
        values.real(i, static_cast<double>((i * 37) % 61) * 0.05 - 0.213);
    }
    return support::difference_of<float>(before, after, std::vector<tensor>{values.finish()});
}

/// Counts its visits and notes whether the convolution above was relaxed already; changes nothing.
struct count_relu {
    static constexpr text_view name = "CountRelu";
    using pattern = lpt::pattern<op::relu>;
    static bool transform(rewrite& r, node_id id) {
        ++visits;
        relaxed_convolution = r.model[r.model.producer(id, 0)].relaxed();
        return false;
    }
    static void start() {
        visits = 0;
        relaxed_convolution = false;
    }
    static inline int visits = 0;
    static inline bool relaxed_convolution = false;
};
/// Takes away what feeds a Result, if it is a Relu.
struct remove_last_relu {
    static constexpr text_view name = "RemoveLastRelu";
    using pattern = lpt::pattern<op::result, from<op::relu>>;
    static constexpr bool transform(rewrite& r, node_id id) {
        r.model.set_input(id, 0, r.model[r.model.producer(id, 0)].input(0));
        return true;
    }
};

}  // namespace

TEST_CASE("every convolution of a quantized network computes on integers, and the values stay") {
    graph model = two_convolutions();
    prepare(model);
    const graph before = model;
    transform(model, cpu_x86);
    verify(model);
    CHECK(convolutions_compute_in(model, u8, i8));
    CHECK(difference_of_outputs(before, model) < 1e-4);
}

TEST_CASE("without update_precisions all tensors stay in floating point, and the values too") {
    graph model = two_convolutions();
    prepare(model);
    const graph before = model;
    transformation_options options;
    options.update_precisions = false;
    transform(model, cpu_x86, options);
    verify(model);
    for (const node_id id : topological_order(model)) {
        CHECK((!is_integral(model[id].type()) || model[id].type() == i64));
    }
    CHECK(difference_of_outputs(before, model) < 1e-4);
}

TEST_CASE("default precisions decide the type of activations where the target leaves it open") {
    graph model = two_convolutions();
    prepare(model);
    const graph before = model;
    transformation_options options;
    options.default_precisions = {i8};
    transform(model, {}, options);
    CHECK(convolutions_compute_in(model, f32, i8));  // the zero point is subtracted before
    CHECK(model[find(model, "first values")].type() == i8);
    CHECK(difference_of_outputs(before, model) < 1e-4);
    graph none = two_convolutions();
    options.default_precisions = {};
    transform(none, {}, options);
    CHECK(none[find(none, "first values")].type() == f32);
}

TEST_CASE("a pipeline leaves out what `without` takes away, in every stage") {
    using short_pipeline =
        default_pipeline::without<fake_quantize_decomposition_transformation, markup_bias, move_fake_quantize,
                                  fuse_convert_transformation, constant_folding_step>;
    static_assert(default_pipeline::has<fake_quantize_decomposition_transformation>);
    static_assert(default_pipeline::has<constant_folding_step>);
    static_assert(!short_pipeline::has<fake_quantize_decomposition_transformation>);
    static_assert(!short_pipeline::has<markup_bias> && !short_pipeline::has<move_fake_quantize>);
    static_assert(!short_pipeline::has<fuse_convert_transformation> && !short_pipeline::has<constant_folding_step>);
    static_assert(short_pipeline::has<convolution_transformation>);
    static_assert(short_pipeline::main::size == default_pipeline::main::size - 1);
    graph model = two_convolutions();
    transform<short_pipeline>(model, cpu_x86);
    CHECK(model[find(model, "first values")].type() == f32);
    CHECK(convolutions_compute_in(model, f32, f32));
}

TEST_CASE("an added main transformation sees the nodes between markup and cleanup, an added cleanup transformation "
          "after it") {
    using with_main = default_pipeline::with_main<count_relu>;
    static_assert(with_main::main::size == default_pipeline::main::size + 1);
    graph model;  // nothing is quantized before the Relu, so that no other transformation takes it
    const node_id data = model.parameter(f32, shape{1, 2, 4, 4});
    model.result(model.add(op::relu{}, {convolve(model, data, 3, 2, "layer")}));
    count_relu::start();
    transform<with_main>(model, cpu_x86);
    CHECK(count_relu::visits == 1);
    CHECK(count_relu::relaxed_convolution);  // types were relaxed by the first step

    graph last;
    last.result(last.add(op::relu{}, {last.parameter(f32, shape{1})}));
    transform<default_pipeline::with_cleanup<remove_last_relu>>(last);
    CHECK(last.size() == 2);
}

TEST_CASE("the stages follow each other: prerequisites, markup, main, cleanup, finishing") {
    using only = pipeline<stage<count_relu>, stage<type_relaxed_replacer>, stage<count_relu>, stage<remove_last_relu>,
                          stage<count_relu>>;
    graph model;
    const node_id data = model.parameter(f32, shape{1, 2, 4, 4});
    model.result(model.add(op::relu{}, {convolve(model, data, 3, 2, "layer")}));
    count_relu::start();
    transform<only>(model);
    CHECK(count_relu::visits == 2);  // none is left after cleanup
    CHECK(count_relu::relaxed_convolution);
}

TEST_CASE("a callback keeps one transformation away from a node, `disabled` from all; the record says so") {
    const auto is_first = [](const graph& model, node_id id, const void*) { return model[id].name() == "first"; };
    graph model = two_convolutions();
    prepare(model);
    const graph before = model;
    transformation_options options;
    options.callbacks.push_back({convolution_transformation::name, is_first, nullptr});
    const auto record = transform(model, cpu_x86, options);
    CHECK(model.type(model[find(model, "first")].input(0)) == f32);
    bool told = false;
    for (const auto& each : record.refusals) {
        told = told ||
               (each.why.why == reason::skipped_by_callback && each.transformation == convolution_transformation::name);
    }
    CHECK(told);
    CHECK(difference_of_outputs(before, model) < 1e-4);

    graph other = before;
    options.callbacks = {};
    options.disabled.push_back(convolution_transformation::name);
    transform(other, cpu_x86, options);
    CHECK(convolutions_compute_in(other, f32, f32));
    CHECK(difference_of_outputs(before, other) < 1e-4);
}

TEST_CASE("transforming twice changes nothing more") {
    graph model = two_convolutions();
    prepare(model);
    transform(model, cpu_x86);
    const std::size_t size = model.size();
    const graph before = model;
    transform(model, cpu_x86);
    CHECK(model.size() == size);
    CHECK(difference_of_outputs(before, model) < 1e-6);
}

TEST_CASE("the comparison notices NaN, other shapes, other types, and another number of results") {
    const auto compare = [](const graph& before, const graph& after) { return difference_of_outputs(before, after); };
    CHECK(support::notices_all_damages(two_convolutions(), compare));
}

TEST_CASE("a zero point behind a Convert takes the type that its data has behind the operation") {
    graph model;
    const node_id data = model.parameter(i8, shape{1, 2}, "in");
    const node_id zero = model.add(op::convert{f16}, {model.constant(make_scalar(i8, 3))});
    const node_id shifted = model.add(op::subtract{}, {model.add(op::convert{f16}, {data}), zero});
    const node_id scaled =
        model.add(op::multiply{}, {shifted, model.constant(make_tensor(f16, shape{1, 2}, {1.5, 2}))});
    const node_id again = model.add(op::multiply{}, {scaled, model.constant(make_tensor(f16, shape{1, 1}, {1.75}))});
    const output_ref places = model.constant(make_indices(view<std::int64_t>({1, 0})));
    model.result(model.add(op::gather{}, {again, places, model.constant(make_scalar(i64, 1))}));
    model.result(scaled);
    transformation_options options;
    options.default_precisions = {u8};
    prepare(model, options);
    const graph before = model;
    transform(model, {}, options);
    const std::vector<tensor> inputs{make_tensor(i8, shape{1, 2}, {-5, 7})};
    CHECK(support::difference_of<float>(before, model, inputs) < 1e-2);
}
