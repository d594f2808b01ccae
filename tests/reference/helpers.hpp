// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/reference.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace lpt::test {

inline tensor f32_of(const shape& dimensions, view<double> values) { return make_tensor(f32, dimensions, values); }

/// 0, 1, 2 … in an f32 tensor.
inline tensor counting(const shape& dimensions) {
    seq<double> values;
    for (std::size_t i = 0; i < dimensions.elements(); ++i) {
        values.push_back(static_cast<double>(i));
    }
    return f32_of(dimensions, values);
}

/// All outputs of one operation whose inputs are Constants.
template <class Number = float>
seq<tensor> run(op::attributes what, view<tensor> inputs, int version = -1) {
    graph model;
    seq<output_ref> sources;
    for (const tensor& input : inputs) {
        sources.push_back(model.constant(input));
    }
    const node_id id = model.add(std::move(what), sources, "tested", version);
    return reference::evaluate_node<Number>(model, id, inputs);
}

inline void check_values(const tensor& result, const shape& dimensions, view<double> expected,
                         double tolerance = 1e-5) {
    REQUIRE(result.dimensions() == dimensions);
    REQUIRE(result.elements() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(result.real(i) == doctest::Approx(expected[i]).epsilon(tolerance).scale(1));
    }
}

/// Checks the first output in float and in double.
inline void check_first(const op::attributes& what, view<tensor> inputs, const shape& dimensions, view<double> expected,
                        int version = -1) {
    check_values(run<float>(what, inputs, version)[0], dimensions, expected);
    std::vector<tensor> wide;
    for (const tensor& input : inputs) {
        wide.push_back(is_real(input.type()) ? evaluation::convert_tensor(input, f64) : input);
    }
    check_values(run<double>(what, view<tensor>(wide.data(), wide.size()), version)[0], dimensions, expected);
}

}  // namespace lpt::test
