// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

using guarded_floats = guarded<float>;
using problem_type = k::compressed_product_problem;

struct sizes {
    std::int64_t rows, inner, columns, block;
};
const sizes all_sizes[] = {{1, 64, 64, 32},   {1, 37, 5, 16},   {2, 128, 200, 32}, {3, 31, 65, 31},  {4, 96, 64, 8},
                           {5, 100, 130, 16}, {9, 300, 7, 300}, {67, 70, 66, 64},  {130, 40, 3, 20}, {1, 1, 1, 1},
                           {3, 450, 70, 200}, {2, 400, 5, 130}, {300, 300, 3, 64}};

/// Weights as they are packed, from random codes, scales and zero points.
struct weights {
    std::vector<int> codes;  // [columns][inner]
    std::vector<float> scales;  // [columns][blocks]
    std::vector<float> zero_points;
    guarded<std::uint8_t> packed;

    weights(const problem_type& p, generator& random)
        : codes(static_cast<std::size_t>(p.columns * p.inner)),
          scales(static_cast<std::size_t>(p.columns * k::compressed_blocks(p))),
          zero_points(scales.size(), p.zero_point),
          packed(k::compressed_bytes(p)) {
        std::memset(packed.data(), 0, packed.size());
        const guarded<std::uint8_t> bytes = random_bytes(random, static_cast<std::int64_t>(codes.size()));
        const guarded_floats factors = random_floats(random, static_cast<std::int64_t>(scales.size()), 0.01f, 2.0f);
        const guarded<std::uint8_t> zeros = random_bytes(random, static_cast<std::int64_t>(scales.size()));
        const int mask = (1 << p.bits) - 1;
        for (std::size_t i = 0; i < codes.size(); ++i)
            codes[i] = bytes[i] & mask;
        for (std::size_t i = 0; i < scales.size(); ++i) {
            scales[i] = factors[i];
            if (p.has_zero_points) zero_points[i] = static_cast<float>(zeros[i] & mask);
        }
        for (std::int64_t n = 0; n < p.columns; ++n) {
            for (std::int64_t i = 0; i < p.inner; ++i)
                put(p, n, i);
        }
    }
    void set_codes(const problem_type& p, int value) {
        std::fill(codes.begin(), codes.end(), value);
        for (std::int64_t n = 0; n < p.columns; ++n) {
            for (std::int64_t i = 0; i < p.inner; ++i)
                put(p, n, i);  // sets bits only: for codes of nothing but ones
        }
    }
    int code(const problem_type& p, std::int64_t n, std::int64_t i) const {
        return codes[static_cast<std::size_t>(n * p.inner + i)];
    }
    std::size_t block_of(const problem_type& p, std::int64_t n, std::int64_t i) const {
        return static_cast<std::size_t>(n * k::compressed_blocks(p) + i / p.block);
    }

private:
    void put(const problem_type& p, std::int64_t n, std::int64_t i) {
        const k::compressed_block form(p);
        constexpr std::int64_t width = k::compressed_block::panel_columns;
        const std::int64_t in_block = i % p.block;
        unsigned char* const block = packed.data() + (n / width * k::compressed_blocks(p) + i / p.block) * form.bytes;
        std::memcpy(block + n % width * 4, &scales[block_of(p, n, i)], 4);
        if (p.has_zero_points)
            std::memcpy(block + form.zero_points_at + n % width * 4, &zero_points[block_of(p, n, i)], 4);
        unsigned char* const word =
            block + form.words_at + (in_block / form.codes_of_word * width + n % width) * form.word_bytes;
        const std::int64_t bit = in_block % form.codes_of_word * p.bits;
        word[bit / 8] = static_cast<unsigned char>(word[bit / 8] | code(p, n, i) << bit % 8);
    }
};

guarded_floats run(k::isa set, problem_type p, const weights& with, const guarded_floats& input, int thread_count) {
    guarded_floats output(static_cast<std::size_t>(p.rows * p.columns));
    p.input = input.data();
    p.packed = with.packed.data();
    p.output = output.data();
    guarded<std::uint8_t> scratch(k::compressed_scratch_bytes(p));
    p.scratch.data = scratch.data();
    k::table_for(set).run(p, threads(thread_count));
    CHECK(output.front_is_intact());
    return output;
}

/// Problems without sizes: codes of 4 and 8 bits, one zero point and many.
template <class Check>
void for_each_form(const Check& check) {
    for (const std::int64_t bits : {4, 8}) {
        for (const bool has_zero_points : {false, true}) {
            problem_type p;
            p.bits = bits;
            p.has_zero_points = has_zero_points;
            p.zero_point = bits == 4 ? 8 : 127.25f;
            CAPTURE(bits);
            CAPTURE(has_zero_points);
            check(p);
        }
    }
}

template <class Check>
void for_each_problem(const Check& check) {
    for_each_form([&](problem_type p) {
        for (const sizes& each : all_sizes) {
            p.rows = each.rows;
            p.inner = each.inner;
            p.columns = each.columns;
            p.block = each.block;
            for (const bool rounds_rows : {false, true}) {
                p.rounds_rows = rounds_rows;
                CAPTURE(each.rows);
                CAPTURE(each.inner);
                CAPTURE(rounds_rows);
                check(p);
            }
        }
    });
}

/// In sixteen sums, of which those 8, 4, 2 and 1 apart are added.
float sum_of(const float* x, std::int64_t count) {
    float sums[16] = {};
    for (std::int64_t i = 0; i < count; ++i)
        sums[i % 16] += x[i];
    for (int apart = 8; apart > 0; apart /= 2) {
        for (int i = 0; i < apart; ++i)
            sums[i] += sums[i + apart];
    }
    return sums[0];
}

/// Output n of a row.
float real_output(const problem_type& p, const weights& with, const float* x, std::int64_t n) {
    float sum = 0;
    for (std::int64_t begin = 0; begin < p.inner; begin += p.block) {
        const std::size_t block = with.block_of(p, n, begin);
        const std::int64_t end = std::min(p.inner, begin + p.block);
        const float zero = with.zero_points[block];
        float part = p.has_zero_points ? zero * -sum_of(x + begin, end - begin) : 0;
        for (std::int64_t i = begin; i < end; ++i) {
            const auto number = static_cast<float>(with.code(p, n, i));
            part = std::fma(x[i], p.has_zero_points ? number : number - zero, part);
        }
        sum = std::fma(with.scales[block], part, sum);
    }
    return sum;
}

/// Output n of a row that is rounded to bytes.
float rounded_output(const problem_type& p, const weights& with, const float* x, std::int64_t n) {
    float sum = 0;
    for (std::int64_t begin = 0, end = 0; begin < p.inner; begin = end) {
        const std::size_t block = with.block_of(p, n, begin);
        const std::int64_t end_of_block = (begin / p.block + 1) * p.block;
        end = std::min({p.inner, end_of_block, begin + 128});
        float greatest = 0;
        for (std::int64_t i = begin; i < end; ++i)
            greatest = std::max(greatest, std::abs(x[i]));
        int of_codes = 0;
        int of_integers = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            const int integer = static_cast<int>(std::nearbyint(x[i] * (127 / greatest)));
            of_codes += integer * with.code(p, n, i);
            of_integers += integer;
        }
        const float difference =
            std::fma(with.zero_points[block], -static_cast<float>(of_integers), static_cast<float>(of_codes));
        sum = std::fma(with.scales[block] * (greatest / 127), difference, sum);
    }
    return sum;
}

bool same_bits(const guarded_floats& a, const guarded_floats& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE(
    "Products with weights of few bits have the bits of the scalar kernel on every instruction set and thread count") {
    generator random(21);
    for_each_problem([&](const problem_type& p) {
        const weights with(p, random);
        const guarded_floats input = random_floats(random, p.rows * p.inner, -2, 2);
        const guarded_floats expected = run(k::isa::scalar, p, with, input, 1);
        for (const k::isa set : instruction_sets()) {
            for (const int count : {1, 2, 3, 4}) {
                CAPTURE(std::string(k::name_of(set)));
                CHECK(same_bits(run(set, p, with, input, count), expected));
            }
        }
    });
}

TEST_CASE("Products with weights of few bits are what their problem states, rounding by rounding") {
    generator random(22);
    for_each_problem([&](const problem_type& p) {
        const weights with(p, random);
        const guarded_floats input = random_floats(random, p.rows * p.inner, -2, 2);
        const guarded_floats output = run(k::isa::scalar, p, with, input, 1);
        for (std::int64_t r = 0; r < p.rows; ++r) {
            const float* const x = input.data() + r * p.inner;
            for (std::int64_t n = 0; n < p.columns; ++n) {
                const float expected = p.rounds_rows ? rounded_output(p, with, x, n) : real_output(p, with, x, n);
                CHECK(output[static_cast<std::size_t>(r * p.columns + n)] == expected);
            }
        }
    });
}

TEST_CASE("Rows that are rounded to bytes and are nearly zero count as zeros, those that are not finite give NaN") {
    generator random(24);
    for_each_form([&](problem_type p) {
        p.rows = 4;
        p.inner = 48;
        p.columns = 5;
        p.block = 16;
        p.rounds_rows = true;
        const weights with(p, random);
        guarded_floats input = random_floats(random, p.rows * p.inner, -2, 2);
        for (std::int64_t i = 0; i < p.inner; ++i)
            input[static_cast<std::size_t>(i)] = 9e-31f;
        input[static_cast<std::size_t>(p.inner + 20)] = std::numeric_limits<float>::infinity();
        input[static_cast<std::size_t>(2 * p.inner + 47)] = std::numeric_limits<float>::quiet_NaN();
        for (const k::isa set : instruction_sets()) {
            const guarded_floats output = run(set, p, with, input, 1);
            for (std::size_t n = 0; n < 5; ++n) {
                CHECK(output[n] == 0);
                CHECK(std::isnan(output[5 + n]));
                CHECK(std::isnan(output[10 + n]));
                CHECK(std::isfinite(output[15 + n]));
            }
        }
    });
}

TEST_CASE("The largest codes times the largest bytes of rows are added up exactly") {
    generator random(25);
    for_each_form([&](problem_type p) {
        p.inner = 256;
        p.columns = 3;
        p.block = 256;
        p.rounds_rows = true;
        weights with(p, random);
        const int largest = (1 << p.bits) - 1;
        with.set_codes(p, largest);
        for (const float x : {-1.0f, 1.0f}) {
            guarded_floats input(static_cast<std::size_t>(p.inner));
            for (std::size_t i = 0; i < input.size(); ++i)
                input[i] = x;
            for (const k::isa set : instruction_sets()) {
                const guarded_floats output = run(set, p, with, input, 1);
                for (std::int64_t n = 0; n < p.columns; ++n)
                    CHECK(output[static_cast<std::size_t>(n)] == rounded_output(p, with, input.data(), n));
            }
        }
    });
}

TEST_CASE("A row of a product with weights of few bits does not depend on how many rows there are") {
    generator random(23);
    problem_type p;
    p.rows = 9;
    p.inner = 200;
    p.columns = 70;
    p.block = 64;
    p.zero_point = 8;
    const weights with(p, random);
    const guarded_floats input = random_floats(random, p.rows * p.inner, -2, 2);
    for (const bool rounds_rows : {false, true}) {
        p.rounds_rows = rounds_rows;
        for (const k::isa set : instruction_sets()) {
            const guarded_floats all = run(set, p, with, input, 1);
            problem_type first = p;
            first.rows = 1;
            const guarded_floats one = run(set, first, with, input, 1);
            CHECK(std::memcmp(all.data(), one.data(), one.size() * sizeof(float)) == 0);
        }
    }
}
