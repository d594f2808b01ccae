// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/proof/steps.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

/// The values around a rewritten operation.
namespace lpt::proof::detail {

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

inline std::vector<tensor> values_at(graph model, const std::vector<output_ref>& places,
                                     const std::vector<tensor>& inputs) {
    const std::size_t known = model.results().size();
    for (const output_ref place : places) {
        model.result(place);
    }
    std::vector<tensor> all = reference::evaluate<double>(model, view<tensor>(inputs.data(), inputs.size()));
    return {all.begin() + static_cast<std::ptrdiff_t>(known), all.end()};
}

inline double magnitude(const tensor& values) {
    double result = 0;
    for (std::size_t i = 0; i < values.elements(); ++i) {
        result = std::max(result, std::abs(values.real(i)));
    }
    return result;
}
inline double magnitude(const tensor* values) { return values == nullptr ? 0 : magnitude(*values); }

/// How two values are compared where an entry says more than a bound.
struct allowance {
    bool broadcasts = false;  // values before are repeated to the shape after
    double infinite_from = unbounded;  // numbers of this size and one sign are one, and what was none may be any
};

/// What lies between two values; infinite where NaN or infinity comes or goes.
inline double change_of(double before, double after, const allowance& may) {
    if (before == after || (std::isnan(before) && std::isnan(after))) {
        return 0;
    }
    if (std::isnan(before) && std::isfinite(may.infinite_from)) {
        return 0;
    }
    if (std::abs(before) >= may.infinite_from && std::abs(after) >= may.infinite_from &&
        std::signbit(before) == std::signbit(after)) {
        return 0;
    }
    return std::isfinite(before) && std::isfinite(after) ? std::abs(before - after) : unbounded;
}

/// What stands where a rewritten operation was read, before and after; only where it is still read by the same input.
struct local_values {
    std::vector<tensor> before;
    std::vector<tensor> after;
    std::vector<output_ref> places;  // in the graph after

    /// The greatest change; infinite for another shape, and where NaN or infinity comes or goes.
    double change(const allowance& may) const {
        double result = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            shape merged;
            const bool same_shape = before[i].dimensions() == after[i].dimensions();
            if (!same_shape &&
                !(may.broadcasts && broadcast_shapes(before[i].dimensions(), after[i].dimensions(), merged) &&
                  merged == after[i].dimensions())) {
                return unbounded;
            }
            const tensor wide = same_shape ? before[i] : broadcast_values(before[i], merged);
            for (std::size_t k = 0; k < wide.elements(); ++k) {
                result = std::max(result, change_of(wide.real(k), after[i].real(k), may));
            }
        }
        return result;
    }
    double greatest() const {
        double result = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            result = std::max({result, magnitude(before[i]), magnitude(after[i])});
        }
        return result;
    }
};

/// What the readers of these outputs read, before and after.
inline local_values values_of_readers(const step& changed, const std::vector<output_ref>& outputs,
                                      const std::vector<tensor>& inputs) {
    std::vector<output_ref> old_places;
    local_values result;
    for (const output_ref place : outputs) {
        for (const input_ref user : changed.before.uses(place)) {
            if (changed.after.contains(user.node) &&
                static_cast<std::size_t>(user.port) < changed.after[user.node].inputs()) {
                old_places.push_back(place);
                result.places.push_back(changed.after[user.node].input(static_cast<std::size_t>(user.port)));
            }
        }
    }
    result.before = values_at(changed.before, old_places, inputs);
    result.after = values_at(changed.after, result.places, inputs);
    return result;
}
inline local_values values_around(const step& changed, const std::vector<tensor>& inputs) {
    std::vector<output_ref> outputs;
    for (std::size_t port = 0; port < changed.before[changed.node].outputs(); ++port) {
        outputs.push_back({changed.node, static_cast<std::int32_t>(port)});
    }
    return values_of_readers(changed, outputs, inputs);
}

/// True for 0 and numbers of at most 12 significant bits, which products and sums of a rewrite keep exact in float.
inline bool is_short(double value) {
    if (value == 0 || !std::isfinite(value)) {
        return true;
    }
    const double scaled = std::ldexp(value, 11 - std::ilogb(value));
    return scaled == std::nearbyint(scaled);
}
inline bool has_long_values(const tensor* values) {
    for (std::size_t i = 0; values != nullptr && i < values->elements(); ++i) {
        if (is_real(values->type()) && !is_short(values->real(i))) {
            return true;
        }
    }
    return false;
}

}  // namespace lpt::proof::detail
