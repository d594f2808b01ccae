// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

/// A tensor with four axes and which of them are reduced, by bits.
struct group_case {
    std::int64_t sizes[4];
    int reduced;
};

const group_case cases[] = {{{1, 1, 1, 1}, 15},    {{1, 1, 1, 7}, 8},    {{2, 3, 4, 5}, 0},   {{2, 3, 4, 5}, 8},
                            {{2, 3, 4, 5}, 5},     {{2, 3, 4, 5}, 10},   {{2, 3, 4, 5}, 15},  {{33, 1, 1, 384}, 8},
                            {{1, 70, 1, 37}, 2},   {{3, 2, 5, 16}, 12},  {{3, 2, 5, 17}, 4},  {{1, 1, 2, 5000}, 8},
                            {{1, 1, 3000, 3}, 4},  {{2, 300, 2, 31}, 2}, {{4, 9, 8, 129}, 9}, {{5, 1, 9, 33}, 1},
                            {{130, 1, 130, 1}, 4}, {{1, 64, 7, 7}, 12},  {{2, 16, 3, 1}, 4}};

/// The axes of a dense tensor that are reduced, or those that are not; axes of size 1 are left out.
k::axis_list axes_of(const group_case& each, bool reduced) {
    k::axis_list result;
    std::int64_t stride = 1;
    std::int64_t strides[4];
    for (int axis = 4; axis-- > 0;) {
        strides[axis] = stride;
        stride *= each.sizes[axis];
    }
    for (int axis = 0; axis < 4; ++axis) {
        const bool mine = ((each.reduced >> axis & 1) != 0) == reduced;
        if (!mine || each.sizes[axis] == 1) continue;
        const auto last = static_cast<std::size_t>(result.count - 1);
        if (result.count != 0 && result.strides[last] == strides[axis] * each.sizes[axis]) {
            result.sizes[last] *= each.sizes[axis];
            result.strides[last] = strides[axis];
        } else {
            result.sizes[result.count] = each.sizes[axis];
            result.strides[result.count++] = strides[axis];
        }
    }
    return result;
}
std::int64_t elements_of(const group_case& each) {
    return each.sizes[0] * each.sizes[1] * each.sizes[2] * each.sizes[3];
}
/// For each element its group, in the order of the kept axes.
std::vector<std::size_t> groups_of(const group_case& each, std::size_t& count) {
    std::vector<std::size_t> result;
    std::int64_t at[4];
    count = 1;
    for (int axis = 0; axis < 4; ++axis)
        count *= (each.reduced >> axis & 1) != 0 ? 1 : static_cast<std::size_t>(each.sizes[axis]);
    for (at[0] = 0; at[0] < each.sizes[0]; ++at[0]) {
        for (at[1] = 0; at[1] < each.sizes[1]; ++at[1]) {
            for (at[2] = 0; at[2] < each.sizes[2]; ++at[2]) {
                for (at[3] = 0; at[3] < each.sizes[3]; ++at[3]) {
                    std::int64_t group = 0;
                    for (int axis = 0; axis < 4; ++axis) {
                        if ((each.reduced >> axis & 1) == 0) group = group * each.sizes[axis] + at[axis];
                    }
                    result.push_back(static_cast<std::size_t>(group));
                }
            }
        }
    }
    return result;
}

template <class Problem>
guarded<float> run(k::isa set, Problem problem, const guarded<float>& input, std::size_t outputs, int thread_count) {
    guarded<float> output(outputs);
    problem.input = input.data();
    problem.output = output.data();
    k::table_for(set).run(problem, threads(thread_count));
    return output;
}
template <class Problem>
void check_bits(const Problem& problem, const guarded<float>& input, std::size_t outputs) {
    const guarded<float> expected = run(k::isa::scalar, problem, input, outputs, 1);
    for (const k::isa set : instruction_sets()) {
        for (const int count : {1, 2, 3, 4}) {
            CAPTURE(std::string(k::name_of(set)));
            const guarded<float> got = run(set, problem, input, outputs, count);
            CHECK(std::memcmp(got.data(), expected.data(), outputs * sizeof(float)) == 0);
        }
    }
}

constexpr k::reduction_kind reductions[] = {
    k::reduction_kind::sum,     k::reduction_kind::mean, k::reduction_kind::maximum, k::reduction_kind::minimum,
    k::reduction_kind::product, k::reduction_kind::l1,   k::reduction_kind::l2};
constexpr k::normalization_kind normalizations[] = {
    k::normalization_kind::mean, k::normalization_kind::mean_and_deviation,
    k::normalization_kind::mean_and_shifted_deviation, k::normalization_kind::length,
    k::normalization_kind::limited_length};

double reduced(k::reduction_kind kind, double value, double x) {
    switch (kind) {
        case k::reduction_kind::maximum: return std::max(value, x);
        case k::reduction_kind::minimum: return std::min(value, x);
        case k::reduction_kind::product: return value * x;
        case k::reduction_kind::l1: return value + std::abs(x);
        case k::reduction_kind::l2: return value + x * x;
        default: return value + x;
    }
}

}  // namespace

TEST_CASE("Reductions over any axes: the same bits everywhere, within the bound that their problem states") {
    generator random(31);
    for (const group_case& each : cases) {
        for (const k::reduction_kind kind : reductions) {
            CAPTURE(each.sizes[3]);
            CAPTURE(each.reduced);
            CAPTURE(static_cast<int>(kind));
            const bool is_product = kind == k::reduction_kind::product;
            const guarded<float> input =
                random_floats(random, elements_of(each), is_product ? 0.99f : -3, is_product ? 1.01f : 5);
            std::size_t count = 0;
            const std::vector<std::size_t> group = groups_of(each, count);
            const k::reduction_problem problem{kind, axes_of(each, false), axes_of(each, true), nullptr, nullptr};
            check_bits(problem, input, count);
            const guarded<float> got = run(k::isa::scalar, problem, input, count, 1);
            const double infinity = std::numeric_limits<double>::infinity();
            const double start = is_product                           ? 1
                                 : kind == k::reduction_kind::maximum ? -infinity
                                 : kind == k::reduction_kind::minimum ? infinity
                                                                      : 0;
            std::vector<double> wanted(count, start);
            std::vector<double> size(count, 0);
            for (std::size_t i = 0; i < group.size(); ++i) {
                wanted[group[i]] = reduced(kind, wanted[group[i]], static_cast<double>(input[i]));
                size[group[i]] += std::abs(static_cast<double>(input[i]));
            }
            const double share = static_cast<double>(group.size()) / static_cast<double>(count);
            double worst = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const bool is_mean = kind == k::reduction_kind::mean;
                const bool is_root = kind == k::reduction_kind::l2;
                const double value = is_mean ? wanted[i] / share : is_root ? std::sqrt(wanted[i]) : wanted[i];
                const bool is_relative = is_root || is_product;
                const double scale = is_relative ? std::abs(value) : is_mean ? size[i] / share : size[i];
                const double allowed = (80 + share / (is_product ? 1 : 64)) * 0x1p-24 * scale;
                const bool is_exact = kind == k::reduction_kind::maximum || kind == k::reduction_kind::minimum;
                const double difference = std::abs(static_cast<double>(got[i]) - value);
                worst = worse_of(worst, difference == 0 ? 0 : difference / (is_exact ? 0 : allowed));
            }
            CHECK(worst <= 1);
        }
    }
}

TEST_CASE("NaN is no maximum and no minimum; a sum with NaN is NaN") {
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        CAPTURE(std::string(k::name_of(set)));
        for (const int reduced_axis : {4, 8}) {
            const group_case each{{1, 1, 20, 20}, reduced_axis};
            guarded<float> input(400);
            for (std::size_t j = 0; j < input.size(); ++j)
                input[j] = std::nanf("");
            input[27] = 3;
            const std::size_t at = reduced_axis == 4 ? 7 : 1;
            const k::axis_list kept = axes_of(each, false);
            const k::axis_list axes = axes_of(each, true);
            using kind = k::reduction_kind;
            const auto result = [&](kind what) {
                return run(set, k::reduction_problem{what, kept, axes, nullptr, nullptr}, input, 20, 1);
            };
            CHECK(result(kind::maximum)[at] == 3);
            CHECK(result(kind::minimum)[at] == 3);
            CHECK(result(kind::maximum)[at + 1] == -std::numeric_limits<float>::infinity());
            CHECK(std::isnan(result(kind::sum)[at]));
        }
    }
}

TEST_CASE("Normalizations over any axes: the same bits everywhere, near the operation in double, also where the mean "
          "is large") {
    generator random(32);
    for (const group_case& each : cases) {
        for (const k::normalization_kind kind : normalizations) {
            for (const float mean : {0.0f, 1000.0f}) {
                CAPTURE(each.sizes[3]);
                CAPTURE(each.reduced);
                CAPTURE(static_cast<int>(kind));
                const guarded<float> input = random_floats(random, elements_of(each), mean - 3, mean + 5);
                std::size_t count = 0;
                const std::vector<std::size_t> group = groups_of(each, count);
                const double epsilon = 0.001f;
                const k::normalization_problem problem{kind,    0.001f, axes_of(each, false), axes_of(each, true),
                                                       nullptr, nullptr};
                check_bits(problem, input, input.size());
                const guarded<float> got = run(k::isa::scalar, problem, input, input.size(), 1);
                const double share = static_cast<double>(group.size()) / static_cast<double>(count);
                const bool centres = kind < k::normalization_kind::length;
                std::vector<double> middle(count, 0);
                std::vector<double> squares(count, 0);
                for (std::size_t i = 0; i < group.size(); ++i)
                    middle[group[i]] += centres ? static_cast<double>(input[i]) / share : 0;
                for (std::size_t i = 0; i < group.size(); ++i) {
                    const double distance = static_cast<double>(input[i]) - middle[group[i]];
                    squares[group[i]] += distance * distance;
                }
                double worst = 0;
                for (std::size_t i = 0; i < group.size(); ++i) {
                    const double square = squares[group[i]];
                    const double divisor =
                        kind == k::normalization_kind::mean                 ? 1
                        : kind == k::normalization_kind::mean_and_deviation ? std::sqrt(square / share + epsilon)
                        : kind == k::normalization_kind::mean_and_shifted_deviation
                            ? std::sqrt(square / share) + epsilon
                        : kind == k::normalization_kind::length ? std::sqrt(square + epsilon)
                                                                : std::sqrt(std::max(square, epsilon));
                    const double value = (static_cast<double>(input[i]) - middle[group[i]]) / divisor;
                    worst = worse_of(worst, std::abs(static_cast<double>(got[i]) - value) / (1 + std::abs(value)));
                }
                CHECK(worst < 4e-6);
            }
        }
    }
}

TEST_CASE("A group of equal values is normalized to zeros") {
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        const group_case each{{1, 1, 3, 50}, 8};
        guarded<float> input(150);
        for (std::size_t j = 0; j < input.size(); ++j)
            input[j] = 1000.1f;
        const k::normalization_problem problem{k::normalization_kind::mean_and_deviation,
                                               1e-9f,
                                               axes_of(each, false),
                                               axes_of(each, true),
                                               nullptr,
                                               nullptr,
                                               nullptr,
                                               nullptr};
        const guarded<float> got = run(set, problem, input, input.size(), 1);
        for (std::size_t j = 0; j < got.size(); ++j)
            CHECK(std::abs(got[j]) < 1e-3f);
    }
}

TEST_CASE("A normalization scales and shifts its results as a step of its own would") {
    generator random(35);
    for (const std::int64_t length : {2, 7, 16, 31, 64, 100, 384, 1025}) {
        const group_case each{{1, 1, 9, length}, 8};
        const std::size_t count = static_cast<std::size_t>(9 * length);
        const guarded<float> input = random_floats(random, 9 * length, -3, 5);
        const guarded<float> scale = random_floats(random, length, -2, 2);
        const guarded<float> shift = random_floats(random, length, -1, 1);
        k::normalization_problem problem{k::normalization_kind::mean_and_deviation,
                                         1e-5f,
                                         axes_of(each, false),
                                         axes_of(each, true),
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr};
        guarded<float> expected = run(k::isa::scalar, problem, input, count, 1);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t column = i % static_cast<std::size_t>(length);
            expected[i] = std::fma(expected[i], scale[column], shift[column]);
        }
        problem.scale = scale.data();
        problem.shift = shift.data();
        for (const k::isa set : instruction_sets()) {
            for (const int threads : {1, 3}) {
                CAPTURE(std::string(k::name_of(set)));
                CAPTURE(length);
                const guarded<float> got = run(set, problem, input, count, threads);
                CHECK(std::memcmp(got.data(), expected.data(), count * sizeof(float)) == 0);
            }
        }
    }
}
