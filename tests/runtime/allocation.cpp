// SPDX-License-Identifier: Apache-2.0
// Runs on raw memory after the first ask for no memory.
#include "../plan/networks.hpp"
#include "tests/support/counted_allocations.hpp"
#include "tests/support/instruction_sets.hpp"

#include <lpt/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <variant>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// What the runs after the first ask for, on every instruction set, with one thread and with two.
void check_runs(const graph& model) {
    for (const kernel::isa set : support::available_instruction_sets()) {
        for (const int threads : {1, 2}) {
            CAPTURE(kernel::name_of(set));
            CAPTURE(threads);
            compile_options options;
            options.instruction_set = set;
            options.threads = threads;
            executable net = compile(model, options);
            CHECK(net.on_reference().empty());
            std::vector<std::vector<std::byte>> memory;
            const auto room_for = [&](const std::vector<plan::port>& ports) {
                std::vector<void*> result;
                for (const plan::port& each : ports) {
                    memory.emplace_back(byte_size(each.type, each.dimensions.elements()));
                    result.push_back(memory.back().data());
                }
                return result;
            };
            const std::vector<void*> inputs = room_for(net.inputs());
            const std::vector<void*> outputs = room_for(net.outputs());
            net.run(inputs.data(), outputs.data());
            const std::size_t before = support::allocations;
            net.run(inputs.data(), outputs.data());
            net.run(inputs.data(), outputs.data());
            CHECK(support::allocations - before == 0);
        }
    }
}

}  // namespace

TEST_CASE("Runs of a convolutional network after the first allocate nothing") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3, 20, 20}, "x");
    const output_ref data = quantize(model, input, u8, 0.05, 10);
    output_ref value = convolved(model, data, numbers(i8, shape{16, 3, 3, 3}, -100, 7, 100), 1);
    value = multiplied(model, value, numbers(f32, shape{1, 16, 1, 1}, 0.001, 0.0005, 1));
    value = quantize(model, model.add(op::relu{}, {value}), u8, 0.05, 0);
    const output_ref pooled = model.add(op::max_pool{{1, 1}, {}, {1, 1}, {1, 1}, {3, 3}}, {value}, {}, 1);
    const output_ref joined = model.add(op::concat{1}, {value, pooled});
    const node_id parts = model.add(op::split{2}, {joined, model.constant(make_integer_tensor(i64, shape{}, {1}))});
    const output_ref shuffled = model.add(op::shuffle_channels{1, 4}, {joined});
    for (const output_ref each : {output_ref(parts, 1), joined, shuffled}) {
        model.result(multiplied(model, shifted(model, each, make_scalar(u8, 0)), make_scalar(f32, 0.05)));
    }
    check_runs(model);
}

TEST_CASE("Runs of products and of arithmetic in loops after the first allocate nothing") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3, 4, 32}, "x");
    const output_ref product =
        model.add(op::mat_mul{false, false}, {input, model.constant(numbers(f32, shape{32, 5}, -1, 0.07, 1))});
    const output_ref other = model.parameter(f32, shape{2, 1, 4, 1}, "y");
    const output_ref sum = model.add(op::add{}, {product, other});
    model.result(model.add(op::softmax{3}, {sum}));
    model.result(model.add(op::sigmoid{}, {sum}));
    const plan::network net = plan_of(model);
    bool has_loops = false;
    for (const plan::step& each : net.steps) {
        const auto* work = std::get_if<plan::elementwise_step>(&each.work);
        has_loops = has_loops || (work != nullptr && work->sizes.size() > 2);
    }
    CHECK(has_loops);
    check_runs(model);
}

TEST_CASE("Runs that write a variable after the first allocate nothing") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 4}, "x");
    const output_ref old =
        model.add(op::read_value{"sum", f32, shape{1, 4}}, {model.constant(numbers(f32, shape{1, 4}, 0, 1, 4))});
    const output_ref sum = model.add(op::add{}, {input, old});
    model.add(op::assign{"sum"}, {sum});
    model.result(sum);
    check_runs(model);
}
