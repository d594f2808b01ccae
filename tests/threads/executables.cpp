// SPDX-License-Identifier: Apache-2.0
// What may happen on several threads at once; the thread sanitizer watches (preset tsan).
#include "tests/plan/networks.hpp"
#include "tests/support/bodies.hpp"

#include <lpt/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// A quantized convolution with a bias and an activation, on its own or with others of the same weights.
graph network(dimension batch = 1) {
    graph model;
    const output_ref input = model.parameter(f32, shape{batch, 3, 9, 8}, "x");
    const output_ref data = quantize(model, input, u8, 0.1, 3);
    const tensor weights = numbers(i8, shape{8, 3, 3, 3}, -100, 7, 100);
    output_ref value = multiplied(model, convolved(model, data, weights, 1), make_scalar(f32, 0.01));
    value = model.add(op::hswish{}, {added(model, value, numbers(f32, shape{1, 8, 1, 1}, -1, 0.7, 5))});
    model.result(value);
    return model;
}

/// The same inside a TensorIterator over images, which packs its weights into the store that all plans share.
graph network_with_body() {
    graph model;
    const output_ref x = model.parameter(f32, shape{3, 3, 9, 8}, "x");
    op::tensor_iterator what;
    what.input_map = {test::sliced(0, 0, {})};
    what.output_map = {test::concatenated(0, 0, {})};
    what.declared_outputs = {{f32, shape{3, 8, 9, 8}}};
    const graph bodies[] = {network()};
    model.result(output_ref(test::add_with_bodies(model, what, {x}, bodies, "images"), 0));
    return model;
}

tensor image(std::int64_t batch) { return numbers(f32, shape{batch, 3, 9, 8}, -3, 0.3713, 12); }

/// `work(i)` on four threads at once.
template <class Work>
void on_four_threads(const Work& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&work, i] { work(i); });
    }
    for (std::thread& each : threads) {
        each.join();
    }
}

}  // namespace

TEST_CASE("Several threads compile and run one graph, each an executable of its own") {
    for (const bool has_body : {false, true}) {
        const graph model = has_body ? network_with_body() : network();
        const std::vector<tensor> inputs{image(has_body ? 3 : 1)};
        const std::vector<tensor> expected = compile(model).run(inputs);
        std::atomic<int> equal{0};
        on_four_threads([&](int i) {
            compile_options options;
            options.threads = 1 + i % 3;
            executable net = compile(model, options);
            for (int round = 0; round < 5; ++round) {
                equal += net.run(inputs) == expected ? 1 : 0;
            }
        });
        CHECK(equal == 20);
    }
}

TEST_CASE("Several executables share the threads of one pool") {
    thread_pool pool(3);
    const graph model = network_with_body();
    const std::vector<tensor> inputs{image(3)};
    const std::vector<tensor> expected = compile(model).run(inputs);
    std::atomic<int> equal{0};
    on_four_threads([&](int) {
        compile_options options;
        options.parallel = pool.parallel();
        executable net = compile(model, options);
        for (int round = 0; round < 5; ++round) {
            equal += net.run(inputs) == expected ? 1 : 0;
        }
    });
    CHECK(equal == 20);
}

TEST_CASE("Sessions run one network at once, each with its own memory") {
    for (const bool has_body : {false, true}) {
        const std::vector<tensor> inputs{image(has_body ? 3 : 1)};
        executable first = compile(has_body ? network_with_body() : network());
        const std::vector<tensor> expected = first.run(inputs);
        const std::size_t packed = first.packed_weights().size();
        std::atomic<int> equal{0};
        on_four_threads([&](int) {
            executable net = first.session();
            for (int round = 0; round < 5; ++round) {
                equal += net.run(inputs) == expected ? 1 : 0;
            }
        });
        CHECK(equal == 20);
        CHECK(first.packed_weights().size() == packed);
    }
}

TEST_CASE("Sessions that meet new shapes at once share the plans for them") {
    executable first = compile(network(dynamic_dimension));
    std::vector<std::vector<tensor>> expected;
    for (std::int64_t batch = 1; batch <= 3; ++batch) {
        expected.push_back(compile(network(batch)).run(std::vector<tensor>{image(batch)}));
    }
    std::atomic<int> equal{0};
    on_four_threads([&](int i) {
        executable net = first.session();
        for (int round = 0; round < 6; ++round) {
            const std::int64_t batch = 1 + (i + round) % 3;
            equal +=
                net.run(std::vector<tensor>{image(batch)}) == expected[static_cast<std::size_t>(batch - 1)] ? 1 : 0;
        }
    });
    CHECK(equal == 24);
    CHECK(first.plans() == 3);
}

TEST_CASE("Owners are counted right from before the first other thread until after the last") {
    // Made and copied while there is one thread, copied and dropped by several, dropped by one again.
    const text words("a text of more characters than fit into its object, so that copies share them");
    const tensor values = image(1);
    for (int round = 0; round < 50; ++round) {
        text kept_words = words;
        tensor kept = values;
        std::atomic<int> equal{0};
        on_four_threads([&](int) {
            for (int i = 0; i < 100; ++i) {
                const text copy = words;
                const tensor other = kept;
                equal += copy == kept_words && other.data() == values.data() ? 1 : 0;
            }
        });
        CHECK(equal == 400);
    }
    CHECK(values == image(1));
}

TEST_CASE("What the last owner frees, all other owners have left") {
    for (int round = 0; round < 200; ++round) {
        auto first = std::make_unique<tensor>(numbers(f32, shape{16}, round, 1, 1e9));
        tensor copies[4] = {*first, *first, *first, *first};
        first.reset();
        std::atomic<int> right{0};
        on_four_threads([&](int i) {
            right += copies[i].real(0) == round ? 1 : 0;
            copies[i] = tensor();
        });
        CHECK(right == 4);
    }
}
