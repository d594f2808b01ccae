// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/traverse.hpp>
#include <lpt/op/all.hpp>

#include <limits>
#include <utility>
#include <vector>

/// Networks that are wrong in a way that a comparison of values must notice.
namespace lpt::support {

enum class damage { nan, other_shape, other_type, one_result_less, one_result_more };

inline constexpr damage all_damages[] = {damage::nan, damage::other_shape, damage::other_type, damage::one_result_less,
                                         damage::one_result_more};

/// The network with the first result made NaN, brought to another shape or to another type, or with another number of results.
inline graph spoilt(graph model, damage how) {
    const node_id result = model.results()[0];
    const output_ref value = model[result].input(0);
    const element type = model.type(value);
    const auto number = [&](element of, double what) { return model.constant(make_scalar(of, what)); };
    switch (how) {
        case damage::nan: {
            const node_id real = model.add(op::convert{f32}, {value});
            const node_id nan =
                model.add(op::multiply{}, {real, number(f32, std::numeric_limits<double>::quiet_NaN())});
            model.set_input(result, 0, model.add(op::convert{type}, {nan}));
            break;
        }
        case damage::other_shape:
            model.set_input(result, 0,
                            model.add(op::unsqueeze{}, {value, model.constant(make_integer_tensor(i64, {1}, {0}))}));
            break;
        case damage::other_type:
            model.set_input(result, 0, model.add(op::convert{type == f16 ? f32 : f16}, {value}));
            break;
        case damage::one_result_less: model.remove(result); break;
        case damage::one_result_more: model.result(value); break;
    }
    infer_all(model);
    return model;
}

/// True where `compare(before, after)`, a tensor_difference, finds a network equal to itself, and nothing that it says of spoilt ones lets
/// them pass: neither as equal, nor as within or beyond a limit.
template <class Compare>
bool notices_all_damages(const graph& model, Compare compare) {
    bool notices = compare(model, model) == 0;
    for (const damage how : all_damages) {
        const auto found = compare(model, spoilt(model, how));
        notices = notices && !(found == 0) && !(found <= std::numeric_limits<double>::infinity()) && !(found > 0);
    }
    return notices;
}

}  // namespace lpt::support
