// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../plan/networks.hpp"
#include "tests/support/instruction_sets.hpp"

#include <lpt/runtime.hpp>

#include <doctest/doctest.h>

#include <vector>

/// Networks that are compiled and run on all that this processor has.
namespace lpt::testing {

inline compile_options options_for(kernel::isa set, int threads = 1) {
    compile_options result;
    result.instruction_set = set;
    result.threads = threads;
    return result;
}

inline std::vector<tensor> run(executable& net, const std::vector<tensor>& inputs) {
    return net.run(view<tensor>(inputs.data(), inputs.size()));
}

/// Every available instruction set and two threads give the bits of the scalar kernels; those agree with the reference.
inline void check(const graph& model, const std::vector<tensor>& inputs, double tolerance) {
    executable scalar = compile(model, options_for(kernel::isa::scalar));
    const std::vector<tensor> results = run(scalar, inputs);
    const std::vector<tensor> expected = reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()));
    REQUIRE(results.size() == expected.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
        REQUIRE(results[k].type() == expected[k].type());
        REQUIRE(results[k].dimensions() == expected[k].dimensions());
        for (std::size_t i = 0; i < results[k].elements(); ++i) {
            const double wanted = expected[k].real(i);
            CHECK(math::absolute(results[k].real(i) - wanted) <= tolerance * (1 + math::absolute(wanted)));
        }
    }
    for (const kernel::isa set : support::available_instruction_sets()) {
        executable other = compile(model, options_for(set, 2));
        CHECK(run(other, inputs) == results);
    }
}

inline tensor image(const shape& dimensions) { return numbers(f32, dimensions, -3, 0.3713, 12); }

}  // namespace lpt::testing
