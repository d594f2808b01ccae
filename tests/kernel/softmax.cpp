// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

using guarded_floats = guarded<float>;

guarded_floats run(k::isa set, k::softmax_problem problem, const guarded_floats& input, int thread_count) {
    guarded_floats output(input.size());
    problem.input = input.data();
    problem.output = output.data();
    k::table_for(set).run(problem, threads(thread_count));
    return output;
}

bool same_rows(const guarded_floats& a, const guarded_floats& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool both_nan = std::isnan(a[i]) && std::isnan(b[i]);
        if (!both_nan && std::memcmp(a.data() + i, b.data() + i, sizeof(float)) != 0) return false;
    }
    return true;
}

/// What the operation is, in double.
std::vector<double> exact(const k::softmax_problem& p, const guarded_floats& x) {
    std::vector<double> result(x.size());
    for (std::int64_t o = 0; o < p.outer; ++o) {
        for (std::int64_t i = 0; i < p.inner; ++i) {
            const auto at = [&](std::int64_t c) { return static_cast<std::size_t>((o * p.length + c) * p.inner + i); };
            double most = -std::numeric_limits<double>::infinity();
            double sum = 0;
            for (std::int64_t c = 0; c < p.length; ++c)
                most = std::max(most, static_cast<double>(x[at(c)]));
            for (std::int64_t c = 0; c < p.length; ++c)
                sum += std::exp(static_cast<double>(x[at(c)]) - most);
            for (std::int64_t c = 0; c < p.length; ++c) {
                const double distance = static_cast<double>(x[at(c)]) - most;
                result[at(c)] = p.logarithm ? distance - std::log(sum) : std::exp(distance) / sum;
            }
        }
    }
    return result;
}

const k::softmax_problem shapes[] = {{1, 1, 1},    {3, 2, 1},   {2, 15, 1},   {5, 16, 1},    {1, 17, 1},
                                     {33, 128, 1}, {2, 300, 1}, {1, 5000, 1}, {2, 3, 2},     {1, 10, 15},
                                     {2, 21, 33},  {3, 7, 64},  {1, 2, 999},  {130, 129, 1}, {4, 31, 129}};

}  // namespace

TEST_CASE("Softmax and its logarithm have the bits of the scalar kernel on every instruction set and thread count") {
    generator random(11);
    for (k::softmax_problem problem : shapes) {
        for (const bool logarithm : {false, true}) {
            problem.logarithm = logarithm;
            const guarded_floats input = random_floats(random, problem.outer * problem.length * problem.inner, -30, 30);
            const guarded_floats expected = run(k::isa::scalar, problem, input, 1);
            for (const k::isa set : instruction_sets()) {
                for (const int count : {1, 2, 3, 4}) {
                    CAPTURE(std::string(k::name_of(set)));
                    CAPTURE(problem.length);
                    CHECK(same_rows(run(set, problem, input, count), expected));
                }
            }
        }
    }
}

TEST_CASE("Softmax and its logarithm are within the bound that their problem states") {
    generator random(12);
    for (k::softmax_problem problem : shapes) {
        for (const bool logarithm : {false, true}) {
            problem.logarithm = logarithm;
            for (const float range : {0.01f, 5.0f, 200.0f}) {
                const guarded_floats input =
                    random_floats(random, problem.outer * problem.length * problem.inner, -range, range);
                const guarded_floats got = run(k::isa::scalar, problem, input, 1);
                const std::vector<double> wanted = exact(problem, input);
                const double error = (static_cast<double>(problem.length) + 200) * 0x1p-24;
                double worst = 0;  // in parts of what is allowed
                for (std::size_t i = 0; i < got.size(); ++i) {
                    const double size = std::abs(wanted[i]);
                    const double allowed = logarithm ? error + 4 * 0x1p-24 * size : error * size + 0x1p-125;
                    worst = worse_of(worst, std::abs(static_cast<double>(got[i]) - wanted[i]) / allowed);
                }
                CAPTURE(problem.length);
                CHECK(worst <= 1);
            }
        }
    }
}

TEST_CASE("Negative infinities beside finite numbers give 0; NaN and infinities make an axis NaN") {
    const float infinity = std::numeric_limits<float>::infinity();
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        CAPTURE(std::string(k::name_of(set)));
        for (const std::int64_t inner : {1, 3}) {
            const auto result = [&](float a, float b, float c) {
                guarded_floats input(static_cast<std::size_t>(20 * inner));
                for (std::size_t j = 0; j < input.size(); ++j)
                    input[j] = c;
                for (std::int64_t j = 0; j < inner; ++j) {
                    input[static_cast<std::size_t>(j)] = a;
                    input[static_cast<std::size_t>(inner + j)] = b;
                }
                guarded_floats output = run(set, {1, 20, inner}, input, 1);
                return std::vector<float>{output[0], output[static_cast<std::size_t>(inner)],
                                          output[output.size() - 1]};
            };
            CHECK(result(1, 1, -infinity) == std::vector<float>{0.5f, 0.5f, 0});
            CHECK(result(-1000, 3, -1000) == std::vector<float>{0, 1, 0});
            CHECK(std::isnan(result(1, std::nanf(""), 1)[0]));
            CHECK(std::isnan(result(1, infinity, 1)[1]));
            CHECK(std::isnan(result(-infinity, -infinity, -infinity)[0]));
        }
    }
}
