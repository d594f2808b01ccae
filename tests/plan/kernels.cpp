// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;
using names = std::vector<std::string>;

namespace {

node_id resized(graph& model, output_ref data, const std::vector<std::int64_t>& sizes,
                const std::vector<std::int64_t>& axes) {
    op::interpolate linear;
    linear.mode = op::interpolate_mode::linear_onnx;
    return model.add(linear,
                     {data, model.constant(make_indices({sizes.data(), sizes.size()})),
                      model.constant(make_indices({axes.data(), axes.size()}))},
                     {}, 11);
}

/// Marks what begins the dequantization of weights, as `prepare` and the transformations do.
output_ref marked(graph& model, output_ref from) {
    model.set_mark(from.node, mark::disabled_constant_folding);
    return from;
}

/// An LSTM of three steps; data are bytes with a dequantization, or f32, both weights bytes. `zero_points`: of the rows of R.
graph lstm_of(bool data_are_bytes, const tensor& zero_points, const shape& scales, bool is_marked = true,
              const char* output_function = "tanh") {
    graph model;
    const auto converted = [&](output_ref bytes) {
        const output_ref made = model.add(op::convert{f32}, {bytes});
        return is_marked ? marked(model, made) : made;
    };
    const output_ref x = model.parameter(f32, shape{2, 3, 5}, "x");
    const output_ref state = model.parameter(f32, shape{2, 1, 4}, "h");
    const output_ref data =
        multiplied(model, shifted(model, quantize(model, x, u8, 0.1, 7), make_scalar(u8, 7)), make_scalar(f32, 0.1));
    const output_ref w = multiplied(model, converted(model.constant(numbers(i8, shape{1, 16, 5}, -100, 17, 100))),
                                    numbers(f32, scales, 0.001, 0.0007, 0.01));
    // The zero point comes as `convert_subtract_constant` leaves it.
    const output_ref codes = converted(model.constant(numbers(u8, shape{1, 16, 4}, 0, 17, 255)));
    const output_ref r = multiplied(model, model.add(op::subtract{}, {codes, converted(model.constant(zero_points))}),
                                    make_scalar(f32, 0.02));
    op::lstm_sequence what;
    what.hidden_size = 4;
    what.activations = {"sigmoid", "tanh", output_function};
    const output_ref lengths = model.constant(make_integer_tensor(i64, shape{2}, {3, 3}));
    const output_ref bias = model.constant(numbers(f32, shape{1, 16}, -0.5, 0.1, 1));
    model.result(model.add(what, {data_are_bytes ? data : x, state, state, lengths, w, r, bias}));
    return model;
}

const kernel::recurrent_problem& recurrent_step_of(const plan::network& network) {
    for (const plan::step& each : network.steps) {
        if (const auto* found = std::get_if<plan::kernel_step<kernel::recurrent_problem>>(&each.work)) {
            return found->problem;
        }
    }
    throw std::runtime_error("no recurrent step");
}

}  // namespace

TEST_CASE("An LSTM whose data and weights are bytes multiplies these bytes") {
    const plan::network network =
        plan_of(lstm_of(true, make_integer_tensor(u8, shape{1, 16, 1}, seq<std::int64_t>(16, 128)), shape{16, 1}));
    CHECK(recurrent_step_of(network).input_type == kernel::element_kind::u8);
    CHECK(recurrent_step_of(network).input_zero_point == 7);
    CHECK(recurrent_step_of(network).splits_states);
    CHECK(kernels_of(network) == names{"convert_scalar_U8", "recurrent_scalar_U8"});
}

TEST_CASE("An LSTM of real data multiplies the bytes of its recurrent weights alone, and counts as real") {
    const plan::network network = plan_of(lstm_of(false, make_scalar(u8, 100), shape{1, 16, 1}));
    CHECK(recurrent_step_of(network).input_type == kernel::element_kind::f32);
    CHECK(recurrent_step_of(network).splits_states);
    CHECK(kernels_of(network) == names{"recurrent_scalar_FP32"});
}

TEST_CASE("Weights of an LSTM whose dequantization nobody marked are real numbers: nothing was transformed") {
    const plan::network network = plan_of(lstm_of(false, make_scalar(u8, 100), shape{1, 16, 1}, false));
    CHECK_FALSE(recurrent_step_of(network).splits_states);
    CHECK(kernels_of(network) == names{"recurrent_scalar_FP32"});
}

TEST_CASE("Recurrent weights of an LSTM whose states have no bounds are real numbers") {
    const plan::network network = plan_of(lstm_of(true, make_scalar(u8, 100), shape{1, 16, 1}, true, "relu"));
    CHECK(recurrent_step_of(network).input_type == kernel::element_kind::u8);
    CHECK_FALSE(recurrent_step_of(network).splits_states);
}

TEST_CASE("Weights of an LSTM whose scale or zero point differs inside of rows are real numbers") {
    const tensor zero_points = make_integer_tensor(u8, shape{4}, {100, 101, 102, 103});
    const plan::network network = plan_of(lstm_of(true, zero_points, shape{1, 1, 5}));
    CHECK(recurrent_step_of(network).input_type == kernel::element_kind::f32);
    CHECK_FALSE(recurrent_step_of(network).splits_states);
}

TEST_CASE("Each axis that Interpolate resamples is a step") {
    graph model;
    model.result(resized(model, model.parameter(f32, shape{1, 3, 8, 8}, "x"), {5, 8, 20}, {1, 2, 3}));
    CHECK(kernels_of(plan_of(model)) == names{"resampling_scalar_FP32", "resampling_scalar_FP32"});
}

TEST_CASE("Long axes are resampled by the reference, without a list of their places") {
    graph model;
    model.result(resized(model, model.parameter(f32, shape{1, std::int64_t{1} << 40}, "x"), {4}, {1}));
    CHECK(kernels_of(plan_of(model)) == names{"reference_FP32"});
}

TEST_CASE("A choice from a tensor without elements is left to the reference") {
    graph model;
    const output_ref condition = model.parameter(boolean, shape{1}, "c");
    model.result(model.add(op::select{op::auto_broadcast::pdpd}, {condition, model.parameter(f32, shape{1, 10}, "a"),
                                                                  model.parameter(f32, shape{0, 10}, "b")}));
    CHECK(kernels_of(plan_of(model)) == names{"reference_FP32"});
}

TEST_CASE("Whole numbers are divided by a kernel where no divisor can be zero") {
    for (const bool is_known : {true, false}) {
        graph model;
        const output_ref divisor = is_known ? output_ref(model.constant(make_tensor(i32, shape{2}, {3, -1})))
                                            : output_ref(model.parameter(i32, shape{2}, "y"));
        model.result(model.add(op::divide{}, {model.parameter(i32, shape{2}, "x"), divisor}));
        CHECK(kernels_of(plan_of(model)) == names{is_known ? "pointwise_scalar_FP32" : "reference_FP32"});
    }
}

TEST_CASE("TopK of f32 has a kernel, which takes the channels of pixels where a convolution left them") {
    const auto network_of = [](std::int64_t axis, std::int64_t count, element indices) {
        graph model;
        const output_ref x = model.parameter(f32, shape{1, 3, 4, 4}, "x");
        const output_ref data = convolved(model, x, numbers(f32, shape{5, 3, 1, 1}, -1, 0.3, 1), 0);
        op::top_k what;
        what.axis = axis;
        what.index_element_type = indices;
        const node_id found =
            model.add(what, {data, model.constant(make_scalar(i64, static_cast<double>(count)))}, {}, 11);
        model.result({found, 0});
        model.result({found, 1});
        return plan_of(std::move(model));
    };
    const auto has_lines = [](const plan::network& network, std::int64_t outer, std::int64_t length, std::int64_t inner,
                              std::int64_t count) {
        for (const plan::step& each : network.steps) {
            if (const auto* found = std::get_if<plan::kernel_step<kernel::top_k_problem>>(&each.work)) {
                const kernel::top_k_problem& p = found->problem;
                return p.outer == outer && p.length == length && p.inner == inner && p.count == count;
            }
        }
        return false;
    };
    CHECK(has_lines(network_of(1, 1, i64), 16, 5, 1, 1));
    CHECK(has_lines(network_of(1, 2, i32), 16, 5, 1, 2));
    CHECK(has_lines(network_of(1, 2, i64), 1, 5, 16, 2));  // no step would change the layout of its indices
    CHECK(has_lines(network_of(2, 2, i64), 5, 4, 4, 2));
}

TEST_CASE("TopK of integers has no kernel") {
    graph model;
    const node_id found =
        model.add(op::top_k{}, {model.parameter(i32, shape{6}, "x"), model.constant(make_scalar(i64, 2))}, {}, 11);
    model.result({found, 0});
    for (const std::string& each : kernels_of(plan_of(std::move(model)))) {
        CHECK(each.find("top_k") == std::string::npos);
    }
}
