// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/markup/markup_precisions.hpp>

#include <utility>

/// Small networks for tests of the markup steps.
namespace lpt::test {

/// A graph with everything that a step reads and writes.
struct marked_network {
    graph model;
    attribute::tables attributes;
    transformation_options options;
    restriction_table restrictions;

    constexpr node_id data(shape dimensions = {1, 3, 8, 8}) { return model.parameter(f32, std::move(dimensions)); }
    constexpr node_id number(double value, element type = f32) { return model.constant(make_scalar(type, value)); }
    constexpr node_id numbers(shape dimensions, double value, element type = f32) {
        return model.constant(make_tensor(type, std::move(dimensions), view<double>(&value, 1)));
    }
    /// FakeQuantize with equal input and output ranges.
    constexpr node_id fake_quantize(output_ref source, double low, double high, std::int64_t levels = 256) {
        return model.add(op::fake_quantize{levels}, {source, number(low), number(high), number(low), number(high)});
    }
    /// i8 weights -> Convert -> Multiply
    constexpr node_id weights(shape dimensions) {
        const node_id real = model.add(op::convert{f32}, {numbers(std::move(dimensions), 1, i8)});
        return model.add(op::multiply{}, {real, number(0.5)});
    }
    constexpr node_id convolution(output_ref source, dimension channels_in) {
        return model.add(op::convolution{.strides = {1, 1}}, {source, weights({4, channels_in, 1, 1})});
    }
    constexpr node_id concat(output_ref left, output_ref right) { return model.add(op::concat{1}, {left, right}); }
    constexpr node_id max_pool(output_ref source) {
        return model.add(op::max_pool{.strides = {1, 1}, .kernel = {1, 1}}, {source}, {}, 1);
    }
    constexpr node_id avg_pool(output_ref source) {
        return model.add(op::avg_pool{.kernel = {1, 1}, .strides = {1, 1}}, {source}, {}, 1);
    }

    template <class... Steps>
    constexpr void run() {
        rewrite r(model, attributes, options, restrictions);
        (Steps::run(r), ...);
    }
    constexpr const attribute::precisions* on_input(node_id id, std::size_t port) {
        return attributes.of<attribute::precisions>().find_input(id, port);
    }
    constexpr const attribute::precisions* on_output(node_id id) {
        return attributes.of<attribute::precisions>().find_output(id, 0);
    }
    constexpr bool forbids(node_id id, std::size_t port) {
        return on_input(id, port) != nullptr && on_input(id, port)->types.empty();
    }
    constexpr bool preserves(node_id id) {
        const auto* found = attributes.of<attribute::precision_preserved>().find_node(id);
        return found != nullptr && found->value;
    }
};

using types = seq<element, 8>;

}  // namespace lpt::test
