// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/queries.hpp>

/// What a plugin asks before it runs the transformations. No question changes the graph.
namespace lpt::inline LPT_ABI {

inline constexpr std::int64_t all_quantization_levels[] = {15, 16, 255, 256, 65535, 65536, 4294967295, 4294967296};

/// True if a network has a FakeQuantize with one of the `levels` whose ranges are constants, perhaps behind a Convert; or,
/// with `check_fake_convert`, a FakeConvert. Looks into the bodies of TensorIterator, Loop and If, too.
constexpr bool is_function_quantized(const graph& model, view<std::int64_t> levels = all_quantization_levels,
                                     bool check_fake_convert = false) {
    for (std::size_t index = 0; index < model.id_bound(); ++index) {
        const node_id id = id_at(index);
        if (!model.contains(id)) {
            continue;
        }
        const node& each = model[id];
        if (check_fake_convert && each.is<op::fake_convert>()) {
            return true;
        }
        for (std::size_t body = 0; body < each.bodies().size(); ++body) {
            if (is_function_quantized(each.bodies()[body], levels, check_fake_convert)) {
                return true;
            }
        }
        if (!each.is<op::fake_quantize>()) {
            continue;
        }
        bool constant = true;
        for (std::size_t port = 1; port < 5; ++port) {
            constant =
                constant && (is_constant(model, each.input(port)) || is_converted_constant(model, each.input(port)));
        }
        for (const std::int64_t level : levels) {
            if (constant && level == each.as<op::fake_quantize>().levels) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace lpt::inline LPT_ABI
