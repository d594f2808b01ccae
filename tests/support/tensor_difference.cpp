// SPDX-License-Identifier: Apache-2.0
#include "tensor_difference.hpp"

#include <limits>
#include <sstream>
#include <utility>

namespace lpt::support {

namespace {

tensor_difference not_measured(std::string why) { return {std::numeric_limits<double>::quiet_NaN(), std::move(why)}; }

std::string string_of(text_view words) { return {words.data(), words.size()}; }

/// What differs at one element; NaN where it cannot be measured.
double distance(const tensor& of_expected, const tensor& of_actual, std::size_t i, nan_values nans, measure unit) {
    const double expected = of_expected.real(i);
    const double actual = of_actual.real(i);
    if (is_integral(of_expected.type()) && of_expected.integer(i) != of_actual.integer(i)) {
        return std::fmax(1, std::fabs(expected - actual));  // large integers may be one number in double
    }
    if (std::isnan(expected) && std::isnan(actual) && nans == nan_values::expected) {
        return 0;
    }
    if (expected == actual) {
        return 0;
    }
    const double size = unit == measure::relative && std::isfinite(expected) ? std::fmax(1, std::fabs(expected)) : 1;
    return std::fabs(expected - actual) / size;
}

std::string element_text(const tensor& expected, const tensor& actual, std::size_t i) {
    std::ostringstream out;
    out << "element " << i << ": " << actual.real(i) << " instead of " << expected.real(i);
    return out.str();
}

/// The greater one of two. What cannot be measured is greater than all else.
tensor_difference greater_of(const tensor_difference& left, const tensor_difference& right) {
    return !left.is_measured() || left.greatest >= right.greatest ? left : right;
}

tensor_difference difference_of_declarations(const graph& expected, const graph& actual) {
    for (std::size_t i = 0; i < expected.results().size() && i < actual.results().size(); ++i) {
        const element wanted = expected[expected.results()[i]].type();
        const element given = actual[actual.results()[i]].type();
        if (wanted != given) {
            return not_measured("result " + std::to_string(i) + " is declared " + string_of(name(given)) +
                                " instead of " + string_of(name(wanted)));
        }
    }
    return {};
}

}  // namespace

tensor_difference difference_of(const tensor& expected, const tensor& actual, nan_values nans, measure unit) {
    if (expected.type() != actual.type()) {
        return not_measured("type " + string_of(name(actual.type())) + " instead of " +
                            string_of(name(expected.type())));
    }
    if (!(expected.dimensions() == actual.dimensions())) {
        return not_measured("shape " + string_of(to_text(actual.dimensions())) + " instead of " +
                            string_of(to_text(expected.dimensions())));
    }
    const std::size_t none = expected.elements();
    std::size_t first = none;
    std::size_t at = none;
    double greatest = 0;
    for (std::size_t i = 0; i < expected.elements() && !std::isnan(greatest); ++i) {
        const double found = distance(expected, actual, i, nans, unit);
        first = first == none && found != 0 ? i : first;
        if (!(found <= greatest)) {  // also NaN
            greatest = found;
            at = i;
        }
    }
    if (first == none) {
        return {};
    }
    std::string where = element_text(expected, actual, at);
    where += at == first ? "" : "; the first is " + element_text(expected, actual, first);
    return {greatest, std::move(where)};
}

tensor_difference difference_of(const std::vector<tensor>& expected, const std::vector<tensor>& actual, nan_values nans,
                                measure unit) {
    if (expected.size() != actual.size()) {
        return not_measured(std::to_string(actual.size()) + " results instead of " + std::to_string(expected.size()));
    }
    tensor_difference all;
    for (std::size_t which = 0; which < expected.size(); ++which) {
        tensor_difference found = difference_of(expected[which], actual[which], nans, unit);
        found.where = found.where.empty() ? "" : "result " + std::to_string(which) + ", " + found.where;
        all = greater_of(all, found);
    }
    return all;
}

template <class Number>
tensor_difference difference_of(const graph& expected, const graph& actual,
                                const std::vector<std::vector<tensor>>& runs, measure unit) {
    if (tensor_difference declared = difference_of_declarations(expected, actual); !declared.is_measured()) {
        return declared;
    }
    reference::state expected_variables;
    reference::state actual_variables;
    tensor_difference all;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const view<tensor> inputs(runs[run].data(), runs[run].size());
        tensor_difference found =
            difference_of(reference::evaluate<Number>(expected, inputs, expected_variables),
                          reference::evaluate<Number>(actual, inputs, actual_variables), nan_values::wrong, unit);
        found.where =
            found.where.empty() || runs.size() == 1 ? found.where : "run " + std::to_string(run) + ", " + found.where;
        all = greater_of(all, found);
    }
    return all;
}

template tensor_difference difference_of<float>(const graph&, const graph&, const std::vector<std::vector<tensor>>&,
                                                measure);
template tensor_difference difference_of<double>(const graph&, const graph&, const std::vector<std::vector<tensor>>&,
                                                 measure);

}  // namespace lpt::support
