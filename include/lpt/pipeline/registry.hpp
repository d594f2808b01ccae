// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/pass.hpp>

// An include for each transformation; sorted by folder and name.
#include <lpt/transformation/main/avg_pool.hpp>
#include <lpt/transformation/main/clamp.hpp>
#include <lpt/transformation/main/max_pool.hpp>
#include <lpt/transformation/main/prelu.hpp>
#include <lpt/transformation/main/relu.hpp>

namespace lpt {

/// Every transformation and every step of the library, for programs that choose them by their published names.
/// A line for each; sorted by folder and name.
inline constexpr pass_row all_passes[] = {
    // prerequisites
    // markup
    // main
    make_pass<avg_pool_transformation>(),
    make_pass<clamp_transformation>(),
    make_pass<max_pool_transformation>(),
    make_pass<prelu_transformation>(),
    make_pass<relu_transformation>(),
    // cleanup
    // whole pipelines
};

/// The pass with a published name; null where there is none.
constexpr const pass_row* find_pass(text_view name) {
    for (const pass_row& each : all_passes) {
        if (each.name == name) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace lpt
