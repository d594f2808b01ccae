// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference.hpp"

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

/// What lies between the values that two networks give.
namespace lpt::support {

/// Whether a NaN on both sides is an agreement: only where NaN is the answer that is expected.
enum class nan_values { wrong, expected };

/// What one difference is measured in: as it is, or as a share of the expected value where that is larger than 1.
enum class measure { absolute, relative };

/// The greatest difference of two answers.
///
/// NaN where they cannot be measured: another number of results, shape, element type, or a NaN. So every comparison with a limit is
/// false then: `CHECK(difference < 1e-6)` fails, and so do `> 0.1` and `== 0`. `where` says what the first and the greatest
/// difference are; a failed CHECK prints it.
struct tensor_difference {
    double greatest = 0;
    std::string where;  // empty where nothing differs

    bool is_measured() const { return !std::isnan(greatest); }

    friend bool operator<(const tensor_difference& found, double limit) { return found.greatest < limit; }
    friend bool operator<=(const tensor_difference& found, double limit) { return found.greatest <= limit; }
    friend bool operator>(const tensor_difference& found, double limit) { return found.greatest > limit; }
    friend bool operator==(const tensor_difference& found, double value) { return found.greatest == value; }
    friend std::ostream& operator<<(std::ostream& out, const tensor_difference& found) {
        return out << found.greatest << (found.where.empty() ? "" : " (") << found.where
                   << (found.where.empty() ? "" : ")");
    }
};

/// The difference of two tensors. Equal infinities are equal; others differ by an infinity.
tensor_difference difference_of(const tensor& expected, const tensor& actual, nan_values nans = nan_values::wrong,
                                measure unit = measure::absolute);

/// The greatest difference of all results of two networks; `where` names the results that differ by number.
tensor_difference difference_of(const std::vector<tensor>& expected, const std::vector<tensor>& actual,
                                nan_values nans = nan_values::wrong, measure unit = measure::absolute);

/// The difference of what two networks give for the same inputs, evaluated in `Number`; their results have to have the same declared types,
/// too, which an evaluation in double does not show. Over several runs the variables of both are handed on.
template <class Number>
tensor_difference difference_of(const graph& expected, const graph& actual,
                                const std::vector<std::vector<tensor>>& runs, measure unit = measure::absolute);
template <class Number>
tensor_difference difference_of(const graph& expected, const graph& actual, const std::vector<tensor>& inputs,
                                measure unit = measure::absolute) {
    return difference_of<Number>(expected, actual, std::vector<std::vector<tensor>>{inputs}, unit);
}

extern template tensor_difference difference_of<float>(const graph&, const graph&,
                                                       const std::vector<std::vector<tensor>>&, measure);
extern template tensor_difference difference_of<double>(const graph&, const graph&,
                                                        const std::vector<std::vector<tensor>>&, measure);

}  // namespace lpt::support
