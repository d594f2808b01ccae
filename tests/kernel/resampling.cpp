// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

using namespace kernel_test;

namespace {

struct axis {
    std::int64_t outer, input_length, length, inner;
};

/// Places and weights at random: none to five a place.
struct taps {
    std::vector<std::int32_t> first{0};
    std::vector<std::int32_t> places;
    std::vector<float> weights;

    taps(const axis& of, generator& random) {
        for (std::int64_t place = 0; place < of.length; ++place) {
            const std::int64_t count = random.below(6);
            for (std::int64_t i = 0; i < count; ++i) {
                places.push_back(static_cast<std::int32_t>(random.below(of.input_length)));
                weights.push_back(random.real(-1, 2));
            }
            first.push_back(static_cast<std::int32_t>(places.size()));
        }
    }
};

/// All but the output.
k::resampling_problem problem_of(const axis& of, const taps& all, const guarded<float>& input) {
    k::resampling_problem problem;
    problem.outer = of.outer;
    problem.input_length = of.input_length;
    problem.length = of.length;
    problem.inner = of.inner;
    problem.first_taps = all.first.data();
    problem.places = all.places.data();
    problem.weights = all.weights.data();
    problem.input = input.data();
    return problem;
}

}  // namespace

TEST_CASE("Places of an axis are the sums that their weights say, bit for bit, on every instruction set") {
    generator random(5);
    for (const axis& of :
         {axis{1, 1, 1, 1}, axis{3, 7, 12, 1}, axis{2, 9, 4, 5}, axis{1, 5, 3, 64}, axis{3, 4, 9, 131},
          axis{1, 300, 900, 40}, axis{5, 300, 131, 1}, axis{70, 20, 65, 3}, axis{64, 9, 80, 1}, axis{129, 40, 33, 7}}) {
        CAPTURE(of.length);
        CAPTURE(of.inner);
        const taps all(of, random);
        const guarded<float> input = random_floats(random, of.outer * of.input_length * of.inner, -3, 3);
        std::vector<float> expected;
        for (std::int64_t o = 0; o < of.outer; ++o) {
            for (std::size_t p = 0; p < static_cast<std::size_t>(of.length); ++p) {
                for (std::int64_t i = 0; i < of.inner; ++i) {
                    float sum = 0;
                    for (auto t = static_cast<std::size_t>(all.first[p]);
                         t < static_cast<std::size_t>(all.first[p + 1]); ++t) {
                        const float product =
                            all.weights[t] *
                            input[static_cast<std::size_t>((o * of.input_length + all.places[t]) * of.inner + i)];
                        sum = sum + product;
                    }
                    expected.push_back(sum);
                }
            }
        }
        for (const k::isa set : lpt::support::available_instruction_sets()) {
            CAPTURE(std::string(k::name_of(set)));
            for (const int count : {1, 3}) {
                guarded<float> output(expected.size());
                k::resampling_problem problem = problem_of(of, all, input);
                problem.output = output.data();
                k::table_for(set).run(problem, threads(count));
                CHECK(output.front_is_intact());
                CHECK(std::memcmp(output.data(), expected.data(), expected.size() * sizeof(float)) == 0);
            }
        }
    }
}

TEST_CASE("Sums that go to planes are those that stay side by side, on every instruction set") {
    generator random(6);
    struct planes {
        axis of;
        std::int64_t rows;
    };
    for (const auto& [of, rows] : {planes{{1, 1, 1, 1}, 1}, planes{{6, 5, 9, 3}, 3}, planes{{2, 20, 67, 70}, 2},
                                   planes{{4, 3, 64, 64}, 1}, planes{{3, 9, 130, 21}, 3}}) {
        CAPTURE(of.length);
        CAPTURE(of.inner);
        const taps all(of, random);
        const guarded<float> input = random_floats(random, of.outer * of.input_length * of.inner, -3, 3);
        k::resampling_problem problem = problem_of(of, all, input);
        const auto elements = static_cast<std::size_t>(of.outer * of.length * of.inner);
        guarded<float> plain(elements);
        problem.output = plain.data();
        k::table_for(k::isa::scalar).run(problem, threads(1));
        std::vector<float> expected;
        for (std::int64_t n = 0; n < of.outer / rows; ++n)
            for (std::int64_t i = 0; i < of.inner; ++i)
                for (std::int64_t at = n * rows * of.length; at < (n + 1) * rows * of.length; ++at)
                    expected.push_back(plain[static_cast<std::size_t>(at * of.inner + i)]);
        problem.plane_rows = rows;
        for (const k::isa set : lpt::support::available_instruction_sets()) {
            CAPTURE(std::string(k::name_of(set)));
            for (const int count : {1, 3}) {
                guarded<float> output(elements);
                problem.output = output.data();
                k::table_for(set).run(problem, threads(count));
                CHECK(output.front_is_intact());
                CHECK(std::memcmp(output.data(), expected.data(), elements * sizeof(float)) == 0);
            }
        }
    }
}
