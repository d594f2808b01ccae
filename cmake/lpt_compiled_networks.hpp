// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

#include <cstdint>
#include <string>
#include <utility>

/// Quantized networks of any size, made from a seed: lpt::compiled is profiled with them, and the benchmark of the pipeline times them.
namespace lpt_networks {

/// The seed's random numbers; the same on every machine and with every library.
class random_numbers {
    std::uint64_t state_;

public:
    explicit random_numbers(std::uint64_t seed) : state_(seed * 2654435761u + 1) {}
    std::uint32_t next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 33);
    }
    std::size_t below(std::size_t count) { return next() % count; }
    float between(float low, float high) { return low + (high - low) * static_cast<float>(next()) / 2147483648.0f; }
};

/// Builds a network of residual blocks in a row: convolutions with bias, ReLU and FakeQuantize, depthwise convolutions,
/// residual additions, concatenations, poolings, a MatMul behind a Reshape. It is as deep as it is large.
class network_generator {
    static constexpr std::int64_t size = 4;

    std::int64_t channels;
    lpt::graph model_;
    random_numbers random_;
    std::size_t count_ = 0;

    std::string name(const char* what) { return std::string(what) + "_" + std::to_string(count_++); }

    lpt::output_ref constant(const lpt::shape& dimensions, float low, float high) {
        lpt::tensor_builder values(lpt::f32, dimensions);
        for (std::size_t i = 0; i < values.elements(); ++i)
            values.real(i, static_cast<double>(random_.between(low, high)));
        return model_.constant(values.finish(), name("Constant").c_str());
    }
    lpt::output_ref number(float value, lpt::shape dimensions = {}) {
        return model_.constant(lpt::make_tensor(lpt::f32, std::move(dimensions), {static_cast<double>(value)}),
                               name("Constant").c_str());
    }
    lpt::output_ref indices(lpt::integers values) {
        return model_.constant(lpt::make_indices(values), name("Constant").c_str());
    }
    lpt::output_ref operation(lpt::op::attributes what, std::initializer_list<lpt::output_ref> inputs,
                              int version = -1) {
        const std::string called = name(lpt::op::name(what.number()).data());
        return model_.add(std::move(what), inputs, called.c_str(), version);
    }

    lpt::output_ref quantize(lpt::output_ref data, float low, float high) {
        return operation(lpt::op::fake_quantize{256}, {data, number(low), number(high), number(low), number(high)});
    }
    /// FakeQuantize of constant weights with a range for each output channel.
    lpt::output_ref quantized_weights(const lpt::shape& dimensions) {
        lpt::shape ranges = lpt::shape::of_ones(dimensions.rank());
        ranges[0] = dimensions[0];
        const lpt::output_ref data = constant(dimensions, -1.0f, 1.0f);
        lpt::tensor_builder low(lpt::f32, ranges);
        lpt::tensor_builder high(lpt::f32, ranges);
        for (std::size_t i = 0; i < low.elements(); ++i) {
            const auto bound = static_cast<double>(random_.between(0.5f, 1.0f));
            low.real(i, -bound);
            high.real(i, bound);
        }
        const lpt::output_ref lows = model_.constant(low.finish(), name("Constant").c_str());
        const lpt::output_ref highs = model_.constant(high.finish(), name("Constant").c_str());
        return operation(lpt::op::fake_quantize{255}, {data, lows, highs, lows, highs});
    }
    lpt::output_ref activation(lpt::output_ref data) {
        const lpt::output_ref relu = operation(lpt::op::relu{}, {data});
        return quantize(relu, 0.0f, random_.between(1.0f, 6.0f));
    }
    lpt::output_ref convolution(lpt::output_ref data, std::int64_t input_channels, bool with_activation) {
        const lpt::output_ref weights = quantized_weights({channels, input_channels, 1, 1});
        const lpt::output_ref product = operation(lpt::op::convolution{}, {data, weights});
        const lpt::output_ref biased = operation(lpt::op::add{}, {product, constant({1, channels, 1, 1}, -0.5f, 0.5f)});
        return with_activation ? activation(biased) : biased;
    }
    lpt::output_ref depthwise(lpt::output_ref data) {
        const lpt::output_ref weights = quantized_weights({channels, 1, 1, 3, 3});
        lpt::op::group_convolution what;
        what.strides = {1, 1};
        what.pads_begin = {1, 1};
        what.pads_end = {1, 1};
        what.dilations = {1, 1};
        return activation(operation(std::move(what), {data, weights}));
    }
    lpt::output_ref residual(lpt::output_ref data) {
        const lpt::output_ref inner = convolution(convolution(data, channels, true), channels, false);
        const lpt::output_ref left = quantize(inner, -random_.between(1.0f, 4.0f), random_.between(1.0f, 4.0f));
        return activation(operation(lpt::op::add{}, {left, data}));
    }
    lpt::output_ref concatenation(lpt::output_ref data) {
        const lpt::output_ref left = convolution(data, channels, true);
        const lpt::output_ref right = convolution(data, channels, true);
        lpt::op::concat what;
        what.axis = 1;
        return convolution(operation(what, {left, right}), 2 * channels, true);
    }
    lpt::output_ref pooling(lpt::output_ref data) {
        lpt::op::max_pool what;
        what.kernel = {3, 3};
        what.strides = {1, 1};
        what.pads_begin = {1, 1};
        what.pads_end = {1, 1};
        return convolution(operation(std::move(what), {data}, 1), channels, true);
    }
    lpt::output_ref dense(lpt::output_ref data) {
        const std::int64_t places = size * size;
        const lpt::output_ref rows = operation(lpt::op::reshape{}, {data, indices({1, channels, places})});
        lpt::op::mat_mul what;
        what.transpose_b = true;
        const lpt::output_ref product = operation(what, {rows, quantized_weights({places, places})});
        const lpt::output_ref sum = operation(lpt::op::add{}, {product, constant({1, 1, places}, -0.5f, 0.5f)});
        const lpt::output_ref image = operation(lpt::op::reshape{}, {sum, indices({1, channels, size, size})});
        return activation(image);
    }
    lpt::output_ref block(lpt::output_ref data) {
        switch (random_.below(6)) {
            case 0: return convolution(data, channels, true);
            case 1: return depthwise(data);
            case 2: return residual(data);
            case 3: return concatenation(data);
            case 4: return pooling(data);
            default: return dense(data);
        }
    }

public:
    explicit network_generator(std::uint64_t seed, std::int64_t width = 8) : channels(width), random_(seed) {}

    /// A network of about `nodes` nodes, at least one block.
    lpt::graph make(std::size_t nodes) {
        lpt::output_ref data = model_.parameter(lpt::f32, {1, channels, size, size}, "input");
        data = quantize(data, -2.0f, 2.0f);
        do {
            data = block(data);
        } while (model_.size() < nodes);
        model_.result(data, "output");
        return std::move(model_);
    }
};

}  // namespace lpt_networks
