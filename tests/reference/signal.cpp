// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

#include <cmath>

using namespace lpt;
using lpt::test::check_first;
using lpt::test::check_values;
using lpt::test::f32_of;

namespace {

/// Complex numbers that no symmetry helps.
tensor some_numbers(const shape& dimensions) {
    seq<double> values;
    for (std::size_t i = 0; i < dimensions.elements(); ++i) {
        values.push_back(static_cast<double>(i * i % 17) - 5);
    }
    return f32_of(dimensions, values);
}
/// The definition, for one line of complex numbers.
seq<double> transformed(const tensor& from, std::size_t length) {
    seq<double> result;
    for (std::size_t k = 0; k < length; ++k) {
        double real = 0;
        double imaginary = 0;
        for (std::size_t i = 0; i < length && 2 * i < from.elements(); ++i) {
            const double angle = -2 * 3.14159265358979323846 * static_cast<double>(i * k) / static_cast<double>(length);
            real += from.real(2 * i) * std::cos(angle) - from.real(2 * i + 1) * std::sin(angle);
            imaginary += from.real(2 * i) * std::sin(angle) + from.real(2 * i + 1) * std::cos(angle);
        }
        result.push_back(real);
        result.push_back(imaginary);
    }
    return result;
}

}  // namespace

TEST_CASE("DFT is the sum of its definition for lengths of any factors, shorter and longer than the data") {
    for (const std::int64_t length : {1, 2, 7, 8, 12, 15}) {
        CAPTURE(length);
        const tensor x = some_numbers({12, 2});
        check_first(op::dft{}, {x, make_indices({0}), make_indices({length})}, {length, 2},
                    transformed(x, static_cast<std::size_t>(length)));
    }
}

TEST_CASE("IDFT undoes DFT along any axes") {
    const tensor x = some_numbers({3, 4, 2});
    const tensor axes = make_indices({-1, 0});
    const tensor there = lpt::test::run(op::dft{}, {x, axes})[0];
    check_first(op::idft{}, {there, axes}, {3, 4, 2}, reals_of(x));
}

TEST_CASE("RDFT is the first half of DFT, and IRDFT undoes it for even and odd lengths") {
    const tensor x = f32_of({4}, {1, 2, 3, 5});
    check_first(op::rdft{}, {x, make_indices({0})}, {3, 2}, {11, 0, -2, 3, -3, 0});
    check_first(op::irdft{}, {f32_of({3, 2}, {11, 0, -2, 3, -3, 0}), make_indices({0})}, {4}, {1, 2, 3, 5});
    const tensor rows = some_numbers({4, 5});
    const tensor axes = make_indices({0, 1});
    const tensor there = lpt::test::run(op::rdft{}, {rows, axes})[0];
    CHECK(there.dimensions() == shape{4, 3, 2});
    check_first(op::irdft{}, {there, axes, make_indices({4, 5})}, {4, 5}, reals_of(rows));
}

TEST_CASE("A length with a large prime factor is refused, not computed for hours") {
    const tensor x = some_numbers({2, 2});
    CHECK_THROWS_WITH_AS(lpt::test::run(op::dft{}, {x, make_indices({0}), make_indices({1000003})}),
                         doctest::Contains("has the prime factor 1000003, expected at most 16384"), lpt::error);
}
