// SPDX-License-Identifier: Apache-2.0
// Numbers of fixed-point arithmetic for tests.
#pragma once

#include "tests/kernel/support.hpp"

#include <lpt/specified/kernel_numbers.hpp>

#include <algorithm>

namespace kernel_test {

using arithmetic_type = lpt::arithmetic::tflite_reference;

inline std::int8_t limited(std::int64_t code) {
    return static_cast<std::int8_t>(std::min<std::int64_t>(std::max<std::int64_t>(code, -120), 117));
}

/// Multipliers of random sizes, with zeros among them, and unless `shifts` those of a half and more.
struct random_requantization {
    lpt::specified::requantization<arithmetic_type> to;
    std::vector<std::int64_t> bias;

    random_requantization(generator& random, std::int64_t channels, bool shifts) {
        to.zero_point = static_cast<std::int32_t>(random.below(256)) - 128;
        to.range = {-120, 117};
        for (std::int64_t c = 0; c < channels; ++c) {
            const int kind = static_cast<int>(random.below(8));
            const int least = shifts ? 1 : 0;
            const double real = static_cast<double>(random.real(0.5f, 0.999f)) *
                                std::ldexp(1.0, -static_cast<int>(random.below(16)) - least);
            const double half = std::ldexp(0.5, -least);
            to.exactly.push_back(kind == 0 ? 0 : kind == 1 ? half : kind == 2 ? std::ldexp(0.7, -28) : real);
            to.by.push_back(arithmetic_type::of(to.exactly.back()));
            // What weights that are nearly zero have: a tiny scale, and a bias that is large for it.
            const bool is_large = kind == 2 || kind == 3;
            bias.push_back(is_large ? std::int64_t{random.below(1 << 30)} * 4 - (std::int64_t{1} << 31)
                                    : random.below(4001) - 2000);
            if (kind == 3) {
                to.exactly.back() = std::ldexp(0.9, -static_cast<int>(random.below(12)) - 20);
                to.by.back() = arithmetic_type::of(to.exactly.back());
            }
        }
    }
    std::int8_t code(std::int32_t sum, std::size_t c, bool once) const {
        const auto x = static_cast<std::int32_t>(sum + bias[c]);  // wraps around
        const std::int32_t scaled =
            once ? arithmetic_type::scale_once(x, to.exactly[c]) : arithmetic_type::scale(x, to.by[c]);
        return limited(std::int64_t{scaled} + to.zero_point);
    }
};

}  // namespace kernel_test
