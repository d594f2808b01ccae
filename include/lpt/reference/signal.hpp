// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

struct complex_number {
    double real = 0;
    double imaginary = 0;

    friend constexpr complex_number operator*(complex_number a, complex_number b) {
        return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
    friend constexpr complex_number operator+(complex_number a, complex_number b) {
        return {a.real + b.real, a.imaginary + b.imaginary};
    }
};

/// The Fourier transform of one length, by the prime factors of that length.
class fourier_transform {
    static constexpr std::size_t greatest_factor = 16384;

    std::size_t length_;
    std::vector<complex_number> roots_;

    static std::size_t least_factor(std::size_t number) {
        std::size_t factor = 2;
        while (factor * factor <= number && number % factor != 0) {
            ++factor;
        }
        return factor * factor <= number ? factor : number;
    }
    /// `count` numbers, each `step` after the one before.
    void transform(const complex_number* from, std::size_t step, std::size_t count, complex_number* to) const {
        if (count == 1) {
            *to = *from;
            return;
        }
        const std::size_t factor = least_factor(count);
        const std::size_t inner = count / factor;
        std::vector<complex_number> parts(count);
        for (std::size_t i = 0; i < factor; ++i) {
            transform(from + i * step, step * factor, inner, parts.data() + i * inner);
        }
        for (std::size_t k = 0; k < count; ++k) {
            complex_number sum;
            for (std::size_t i = 0; i < factor; ++i) {
                sum = sum + parts[i * inner + k % inner] * roots_[i * k % count * step];
            }
            to[k] = sum;
        }
    }

public:
    fourier_transform(std::size_t length, bool is_inverse) : length_(length), roots_(length) {
        for (std::size_t rest = length; rest > 1; rest /= least_factor(rest)) {
            if (least_factor(rest) > greatest_factor) {
                fail({"a Fourier transform of length ", length, " has the prime factor ", least_factor(rest),
                      ", expected at most ", greatest_factor});
            }
        }
        for (std::size_t i = 0; i < length; ++i) {
            const double angle = 6.283185307179586 * static_cast<double>(i) / static_cast<double>(length);
            roots_[i] = {std::cos(angle), is_inverse ? std::sin(angle) : -std::sin(angle)};
        }
    }
    std::size_t length() const { return length_; }
    void operator()(const complex_number* from, complex_number* to) const { transform(from, 1, length_, to); }
};

/// Complex numbers along axes.
struct complex_tensor {
    shape dimensions;
    std::vector<complex_number> values;

    /// Calls `line(from, to, whole)` for each line along an axis that gets another size: copies of it, and where it goes.
    template <class Line>
    void along(std::size_t axis, dimension new_size, const Line& line) {
        const auto before = static_cast<std::size_t>(dimensions[axis]);
        const auto after = static_cast<std::size_t>(new_size);
        const std::size_t inner = elements_between(dimensions, axis + 1, dimensions.rank());
        const std::size_t outer = elements_between(dimensions, 0, axis);
        std::vector<complex_number> result(outer * inner * after);
        std::vector<complex_number> from(before);
        std::vector<complex_number> to(after);
        for (std::size_t i = 0; i < outer * inner; ++i) {
            for (std::size_t k = 0; k < before; ++k) {
                from[k] = values[(i / inner * before + k) * inner + i % inner];
            }
            line(from, to);
            for (std::size_t k = 0; k < after; ++k) {
                result[(i / inner * after + k) * inner + i % inner] = to[k];
            }
        }
        values = std::move(result);
        dimensions[axis] = new_size;
    }
};

/// Transforms lines along an axis, cut off or continued with zeros to a length.
///
/// `is_half_in`: a line is the first half of a spectrum whose other half is its mirror; `is_half_out`: only that half is kept.
inline void transform_axis(complex_tensor& data, std::size_t axis, dimension length, bool is_inverse, bool is_half_in,
                           bool is_half_out) {
    const fourier_transform transform(static_cast<std::size_t>(length), is_inverse);
    const std::size_t size = transform.length();
    std::vector<complex_number> whole(size);
    std::vector<complex_number> result(size);
    const double scale = is_inverse ? 1.0 / static_cast<double>(size) : 1.0;
    data.along(axis, is_half_out ? length / 2 + 1 : length,
               [&](const std::vector<complex_number>& from, std::vector<complex_number>& to) {
                   std::fill(whole.begin(), whole.end(), complex_number{});
                   const std::size_t given = std::min(from.size(), is_half_in ? size / 2 + 1 : size);
                   std::copy_n(from.begin(), given, whole.begin());
                   for (std::size_t k = 1; is_half_in && k < given; ++k) {
                       if (2 * k != size) {
                           whole[size - k] = {from[k].real, -from[k].imaginary};
                       }
                   }
                   if (is_half_in) {  // real numbers have real ones there
                       whole[0].imaginary = 0;
                       whole[size / 2].imaginary *= size % 2 == 0 ? 0 : 1;
                   }
                   transform(whole.data(), result.data());
                   for (std::size_t k = 0; k < to.size(); ++k) {
                       to[k] = {result[k].real * scale, result[k].imaginary * scale};
                   }
               });
}

template <class Real>
tensor fourier(const call& node) {
    const bool is_inverse = node.kind() == op::kind::idft || node.kind() == op::kind::irdft;
    const bool is_real_in = node.kind() == op::kind::rdft;
    const bool is_real_out = node.kind() == op::kind::irdft;
    const shape& given = node.dimensions(0);
    complex_tensor data;
    data.dimensions = is_real_in ? given : shape(view<dimension>(given.dimensions().data(), given.rank() - 1));
    const operand<Real> x(node.input(0));
    for (std::size_t i = 0; i < data.dimensions.elements(); ++i) {
        data.values.push_back(is_real_in
                                  ? complex_number{static_cast<double>(x[i]), 0}
                                  : complex_number{static_cast<double>(x[2 * i]), static_cast<double>(x[2 * i + 1])});
    }
    const integers axes = node.integers_at(1);
    const integers lengths = node.integers_at(2);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        // Real numbers become complex, and complex ones real, along the last axis: first of all, or at the end.
        const std::size_t which = is_real_in ? axes.size() - 1 - i : i;
        const std::size_t axis = evaluation::detail::axis_of(axes[which], data.dimensions.rank());
        const bool is_last = which + 1 == axes.size();
        const bool to_real = is_last && is_real_out;
        const dimension own = to_real ? 2 * (data.dimensions[axis] - 1) : data.dimensions[axis];
        const dimension length = which < lengths.size() && lengths[which] != -1 ? lengths[which] : own;
        transform_axis(data, axis, length, is_inverse, to_real, is_last && is_real_in);
    }
    outcome<Real> result(node.output());
    for (std::size_t i = 0; i < data.values.size(); ++i) {
        if (is_real_out) {
            result[i] = static_cast<Real>(data.values[i].real);
        } else {
            result[2 * i] = static_cast<Real>(data.values[i].real);
            result[2 * i + 1] = static_cast<Real>(data.values[i].imaginary);
        }
    }
    return result.finish();
}

}  // namespace detail

/// DFT, IDFT, RDFT and IRDFT, in double. Lengths with a prime factor above 16384 are an error.
[[gnu::cold]] inline bool evaluate_signal(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        detail::with_real(node.output().type, [&](auto zero) { return detail::fourier<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
