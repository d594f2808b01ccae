// SPDX-License-Identifier: Apache-2.0
// The numbers of fixed-point arithmetic as the kernels for bytes take them.
#pragma once

#include <lpt/specified/product.hpp>

namespace lpt::inline LPT_ABI::specified {

/// A multiplier that shifts to the right, split as kernels take it; `fits` is false for others. The zero point is added to the result.
struct split_multiplier {
    bool fits = false;
    kernel::fixed_scale numbers;

    split_multiplier(arithmetic::multiplier by, std::int32_t zero_point) {
        if (by.exponent > 0) return;
        fits = true;
        const int right = -by.exponent < 31 ? -by.exponent : 31;
        numbers.multiplier = by.significand;
        numbers.right = right > 0 ? right - 1 : 0;
        numbers.below = right > 0 || by.significand == 0 ? -1 : 0;  // half of 0 is 0
        numbers.offset = zero_point;
    }
};

/// `kernel::fixed_point` with its arrays.
class fixed_numbers {
    std::vector<std::int32_t> integers_;
    std::vector<double> real_;
    kernel::fixed_point view_;

public:
    fixed_numbers() = default;
    fixed_numbers(fixed_numbers&&) = default;  // the arrays stay where they are
    fixed_numbers& operator=(fixed_numbers&&) = default;

    const kernel::fixed_point* view() const { return view_.bias == nullptr ? nullptr : &view_; }

    /// Takes over the numbers of a product; leaves them out where kernels cannot take them.
    template <class Arithmetic>
    void set(const requantization<Arithmetic>& to, const std::vector<std::int64_t>& bias, bool rounds_once) {
        view_ = kernel::fixed_point();
        const std::size_t channels = bias.size();
        const std::size_t padded = channels + kernel::fixed_point::padding;
        integers_.assign(5 * padded, 0);
        for (std::size_t c = 0; c < channels; ++c)
            integers_[c] = static_cast<std::int32_t>(bias[c]);
        view_.zero_point = to.zero_point;
        if (rounds_once) {
            real_ = to.exactly;
            real_.resize(padded, 0);
            view_.real = real_.data();
        }
        for (std::size_t c = 0; c < channels && !rounds_once; ++c) {
            const split_multiplier split(to.by[c], to.zero_point);
            if (!split.fits) return;
            integers_[padded + c] = split.numbers.multiplier;
            integers_[2 * padded + c] = split.numbers.right;
            integers_[3 * padded + c] = split.numbers.offset;
            integers_[4 * padded + c] = split.numbers.below;
        }
        view_.shifts = !rounds_once;
        for (std::size_t c = 0; c < channels && view_.shifts; ++c)
            view_.shifts = integers_[4 * padded + c] == -1;
        view_.bias = integers_.data();
        view_.multiplier = integers_.data() + padded;
        view_.right = integers_.data() + 2 * padded;
        view_.offset = integers_.data() + 3 * padded;
        view_.below = integers_.data() + 4 * padded;
    }
};

}  // namespace lpt::inline LPT_ABI::specified
