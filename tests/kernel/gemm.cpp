// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

struct gemm_case {
    std::int64_t m, n, k;
    k::element_kind a_type = k::element_kind::u8;
    k::element_kind b_type = k::element_kind::i8;
    std::int32_t a_zero_point = 0;
    int b_zero_points = 0; // 0, 1 or per column (2)
    bool transposed = false;
    int epilogue = 0;
    int threads = 1;
    std::int64_t a_gap = 0, c_gap = 0;
    std::size_t shift = 0;  // bytes by which the packed form starts behind an aligned address
};

struct gemm_data {
    gemm_case c;
    guarded<std::uint8_t> a{1}, b{1};  // end at the end of a page, so they start anywhere
    std::vector<std::int32_t> zero_points;
    epilogue_data finish;

    explicit gemm_data(const gemm_case& of, std::uint64_t seed) : c(of) {
        generator random(seed);
        a = random_elements(random, c.a_type, (c.m - 1) * (c.k + c.a_gap) + c.k);
        b = random_elements(random, c.b_type, c.k * c.n);
        const std::int64_t count = c.b_zero_points == 2 ? c.n : c.b_zero_points;
        const std::int32_t lowest = c.b_type == k::element_kind::u8 ? 0 : -128;
        for (std::int64_t i = 0; i < count; ++i)
            zero_points.push_back(lowest + static_cast<std::int32_t>(random.below(256)));
        const bool is_float = c.a_type == k::element_kind::f32;
        const float spread = std::sqrt(static_cast<float>(c.k));
        finish = make_epilogue(random, c.epilogue, c.m, c.n, is_float ? 2 * spread : 8000 * spread);
        if (is_float) avoid_accumulators(finish);
    }

    guarded<std::uint8_t> run(const k::kernel_table& table) const {
        k::gemm_weights w;
        w.data = b.data();
        w.type = c.b_type;
        w.k = c.k;
        w.n = c.n;
        w.k_stride = c.transposed ? 1 : c.n;
        w.n_stride = c.transposed ? c.k : 1;
        w.zero_points = zero_points.data();
        w.zero_point_count = static_cast<std::int64_t>(zero_points.size());
        guarded<std::uint8_t> packed(table.packed_gemm_bytes(c.b_type, c.k, c.n) + (64 - c.shift) % 64);
        table.pack_gemm(w, packed.data(), {});
        k::gemm_problem p;
        p.m = c.m;
        p.n = c.n;
        p.k = c.k;
        p.a = a.data();
        p.a_type = c.a_type;
        p.a_row_stride = c.k + c.a_gap;
        p.a_zero_point = c.a_zero_point;
        p.packed_b = packed.data();
        p.c_row_stride = c.n + c.c_gap;
        p.finish = finish.value;
        guarded<std::uint8_t> out = output_buffer((c.m - 1) * p.c_row_stride + c.n, p.finish.output_type);
        p.c = out.data();
        table.gemm(p, threads(c.threads));
        CHECK(out.front_is_intact());
        CHECK(packed.front_is_intact());
        return out;
    }
};

std::int64_t integer_at(const guarded<std::uint8_t>& data, k::element_kind type, std::int64_t i) {
    const std::uint8_t raw = data[static_cast<std::size_t>(i)];
    return type == k::element_kind::u8 ? static_cast<std::int64_t>(raw) : static_cast<std::int8_t>(raw);
}

void compare_all(const gemm_case& c, std::uint64_t seed) {
    const gemm_data data(c, seed);
    const guarded<std::uint8_t> expected = data.run(k::table_for(k::isa::scalar));
    for (const k::isa set : instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        CAPTURE(c.m);
        CAPTURE(c.n);
        CAPTURE(c.k);
        CAPTURE(c.threads);
        CAPTURE(data.finish.name);
        const guarded<std::uint8_t> found = data.run(k::table_for(set));
        CHECK(first_difference(expected, found, data.finish.value.output_type) == -1);
    }
}

const k::element_kind byte_types[] = {k::element_kind::u8, k::element_kind::i8};
const k::element_kind weight_types[] = {k::element_kind::i8, k::element_kind::u8, k::element_kind::i4};

} // namespace

TEST_CASE("the scalar matrix multiplication is the sum of products of what is left of the zero points") {
    for (const k::element_kind a_type : byte_types) {
        for (const k::element_kind b_type : weight_types) {
            gemm_case c{5, 7, 19, a_type, b_type, a_type == k::element_kind::u8 ? 130 : -7, 2};
            c.epilogue = 3;
            const gemm_data data(c, 11);
            const guarded<std::uint8_t> out = data.run(k::table_for(k::isa::scalar));
            for (std::int64_t m = 0; m < c.m; ++m) {
                for (std::int64_t n = 0; n < c.n; ++n) {
                    std::int64_t expected = 0;
                    for (std::int64_t i = 0; i < c.k; ++i) {
                        expected +=
                            (integer_at(data.a, a_type, m * c.k + i) - c.a_zero_point) *
                            (integer_at(data.b, b_type, i * c.n + n) - data.zero_points[static_cast<std::size_t>(n)]);
                    }
                    std::int32_t found;
                    std::memcpy(&found, out.data() + (m * c.n + n) * 4, 4);
                    CHECK(found == expected);
                }
            }
        }
    }
}

TEST_CASE("requantization is saturate(round_half_even(fma(accumulator, scale, bias)))") {
    gemm_case c{9, 21, 40};
    c.epilogue = 3;
    const gemm_data sums(c, 5);
    const guarded<std::uint8_t> accumulators = sums.run(k::table_for(k::isa::scalar));
    for (int variant = 0; variant < 2; ++variant) {
        c.epilogue = variant;
        const gemm_data data(c, 5);
        const guarded<std::uint8_t> out = data.run(k::table_for(k::isa::scalar));
        for (std::int64_t i = 0; i < c.m * c.n; ++i) {
            std::int32_t sum;
            std::memcpy(&sum, accumulators.data() + i * 4, 4);
            const std::size_t channel = static_cast<std::size_t>(i % c.n);
            const k::epilogue& e = data.finish.value;
            const double expected = plain_requantize(static_cast<float>(sum), data.finish.scale[channel],
                                                     data.finish.bias[channel], e.quant_low, e.quant_high);
            CHECK(static_cast<double>(integer_at(out, e.output_type, i)) == expected);
        }
    }
}

TEST_CASE("every instruction set gives the scalar bits for all tails of rows, columns and depth") {
    for (const std::int64_t m : {1, 2, 5, 6, 7, 13}) {
        for (const std::int64_t n : {1, 3, 8, 15, 16, 17, 33, 64, 67, 100}) {
            for (const std::int64_t depth : {1, 2, 3, 4, 7, 32}) {
                gemm_case c{m, n, depth};
                c.a_type = byte_types[(m + n) % 2];
                c.a_zero_point = c.a_type == k::element_kind::u8 ? 128 : 3;
                c.a_gap = (m + depth) % 3;
                c.c_gap = n % 3;
                c.b_type = weight_types[(m + depth) % 2 * 2];
                c.epilogue = static_cast<int>((m + n + depth) % 5);
                compare_all(c, static_cast<std::uint64_t>(m * 10007 + n * 101 + depth));
            }
        }
    }
}

TEST_CASE("every instruction set gives the scalar bits around the sizes of tiles, blocks and panels") {
    const std::int64_t rows[] = {8, 12, 14, 25, 95, 97};
    const std::int64_t columns[] = {5, 31, 32, 47, 48, 49, 63, 65, 80, 112, 129};
    const std::int64_t depths[] = {5, 6, 63, 65, 66, 130};
    int turn = 0;
    for (const std::int64_t m : rows) {
        for (const std::int64_t n : columns) {
            gemm_case c{m, n, depths[turn % 6]};
            c.a_type = byte_types[turn % 2];
            c.b_type = weight_types[turn / 2 % 3];
            c.b_zero_points = turn % 3;
            c.epilogue = turn % 5;
            c.c_gap = turn % 4;
            compare_all(c, static_cast<std::uint64_t>(++turn));
        }
    }
}

TEST_CASE("rows longer than what is prepared at a time give the scalar bits") {
    for (const k::element_kind a_type : byte_types) {
        for (const std::int64_t depth : {511, 1023, 1025, 6000, 12345}) {
            gemm_case c{7, 19, depth, a_type};
            c.epilogue = static_cast<int>(depth % 2) * 3;
            compare_all(c, static_cast<std::uint64_t>(depth));
        }
        // Longer than the whole buffer of a block, so taken in pieces.
        for (const std::int64_t depth : {32769, 65530, 131075}) {
            gemm_case c{2, 19, depth, a_type};
            c.b_zero_points = static_cast<int>(depth % 3);
            c.b_type = weight_types[depth % 2 * 2];
            c.epilogue = static_cast<int>(depth % 5);
            compare_all(c, static_cast<std::uint64_t>(depth));
        }
    }
}

TEST_CASE("every instruction set gives the scalar bits for all combinations of types and zero points") {
    for (const k::element_kind a_type : byte_types) {
        for (const k::element_kind b_type : weight_types) {
            for (int b_zero_points = 0; b_zero_points < 3; ++b_zero_points) {
                for (int transposed = 0; transposed < 2; ++transposed) {
                    gemm_case c{11,
                                37,
                                50,
                                a_type,
                                b_type,
                                a_type == k::element_kind::u8 ? 255 : -128,
                                b_zero_points,
                                transposed != 0};
                    c.epilogue = 3;
                    compare_all(c, static_cast<std::uint64_t>(b_zero_points * 2 + transposed));
                }
            }
        }
    }
}

TEST_CASE("every instruction set gives the scalar bits for every epilogue") {
    for (int variant = 0; variant < epilogue_variants; ++variant) {
        gemm_case c{14, 83, 24};
        c.epilogue = variant;
        c.a_zero_point = 9;
        compare_all(c, static_cast<std::uint64_t>(variant));
    }
}

TEST_CASE("every epilogue gives the scalar bits in panels of every width") {
    for (int variant = 0; variant < epilogue_variants; ++variant) {
        for (const std::int64_t n : {3, 16, 21, 45, 50, 64}) {
            gemm_case c{13, n, 20};
            c.epilogue = variant;
            c.a_type = byte_types[variant % 2];
            c.b_type = weight_types[n % 3];
            compare_all(c, static_cast<std::uint64_t>(variant * 100 + n));
        }
    }
}

TEST_CASE("residuals of f32 are fetched and added across tiles, panels, blocks and threads") {
    for (const std::int64_t m : {1, 6, 11, 40, 200}) {
        for (const std::int64_t n : {64, 130, 192}) {
            for (const std::int64_t k : {20, 260, 800, 70000}) {
                if (m > 11 && k > 800) continue;
                gemm_case c{m, n, k};
                c.epilogue = 9;
                c.threads = static_cast<int>(m % 3 + 1);
                compare_all(c, static_cast<std::uint64_t>(m + n + k));
            }
        }
    }
}

TEST_CASE("post operations that are compiled into the store give the bits of those that are interpreted") {
    for (const int variant : {5, 9, 14, 15, 16, 18, 22}) {
        for (const std::int64_t m : {1, 2, 3, 4, 5, 6, 8, 12, 31}) {
            for (const std::int64_t n : {7, 32, 48, 77}) {
                gemm_case c{m, n, 12};
                c.epilogue = variant;
                c.threads = static_cast<int>(m % 3 + 1);
                gemm_data data(c, static_cast<std::uint64_t>(m + n));
                k::post_operation nothing;
                nothing.alpha = -std::numeric_limits<float>::infinity();
                nothing.beta = std::numeric_limits<float>::infinity();
                for (const k::isa set : instruction_sets()) {
                    CAPTURE(std::string(k::name_of(set)));
                    CAPTURE(m);
                    CAPTURE(n);
                    CAPTURE(data.finish.name);
                    const guarded<std::uint8_t> compiled = data.run(k::table_for(set));
                    std::vector<k::post_operation> longer = data.finish.post;
                    longer.push_back(nothing);
                    const k::epilogue given = data.finish.value;
                    data.finish.value.post = longer.data();
                    data.finish.value.post_count = static_cast<int>(longer.size());
                    const guarded<std::uint8_t> interpreted = data.run(k::table_for(set));
                    data.finish.value = given;
                    CHECK(first_difference(compiled, interpreted, given.output_type) == -1);
                }
            }
        }
    }
}

TEST_CASE("weights are packed alike on any number of threads") {
    generator random(31);
    const guarded<std::uint8_t> weights = random_bytes(random, 700 * 500);
    k::gemm_weights w;
    w.data = weights.data();
    w.k = 700;
    w.n = 500;
    w.k_stride = 1;
    w.n_stride = 700;
    for (const k::isa set : instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        const k::kernel_table& table = k::table_for(set);
        const std::size_t bytes = table.packed_gemm_bytes(w.type, w.k, w.n);
        guarded<std::uint8_t> alone(bytes);
        guarded<std::uint8_t> shared(bytes);
        table.pack_gemm(w, alone.data(), {});
        table.pack_gemm(w, shared.data(), threads(4));
        CHECK(std::memcmp(alone.data(), shared.data(), bytes) == 0);
    }
}

TEST_CASE("addresses need no alignment") {
    for (const std::size_t shift : {std::size_t{1}, std::size_t{4}, std::size_t{63}}) {
        gemm_case c{13, 75, 33};
        c.shift = shift;
        c.c_gap = 1;
        c.a_gap = 1;
        compare_all(c, shift);
    }
}

TEST_CASE("extreme products do not saturate: 255 times -128 and 255 times 127 over a long depth") {
    for (const std::uint8_t b_value : {std::uint8_t{0x80}, std::uint8_t{0x7f}}) {
        gemm_case c{6, 64, 2000};
        c.epilogue = 3;
        gemm_data data(c, 1);
        std::memset(data.a.data(), 255, data.a.size());
        std::memset(data.b.data(), b_value, data.b.size());
        for (const k::isa set : instruction_sets()) {
            CAPTURE(std::string(k::name_of(set)));
            const guarded<std::uint8_t> out = data.run(k::table_for(set));
            std::int32_t last;
            std::memcpy(&last, out.data() + out.size() - 4, 4);
            CHECK(last == 2000 * 255 * static_cast<std::int8_t>(b_value));
        }
    }
}

TEST_CASE("scales of every size saturate alike, for sums of few products and of many, at both ends of their range") {
    for (const std::int64_t depth : {1, 4, 32, 960, 50000}) {
        for (const std::uint8_t b_value : {std::uint8_t{0x80}, std::uint8_t{0x7f}}) {
            for (const float scale : {1e-7f, 0.24f, 0.26f, 3.0f, 11.4f, 340.0f, 2700.0f, 11000.0f, 1e6f, 1e30f}) {
                for (const float bias : {0.5f, -5e8f, 6e8f}) {
                    gemm_case c{6, 70, depth};
                    c.b_zero_points = 2;
                    gemm_data data(c, 1);
                    std::memset(data.a.data(), 255, data.a.size());
                    std::memset(data.b.data(), b_value, data.b.size());
                    k::epilogue& e = data.finish.value;
                    e = {};
                    e.output_type = k::element_kind::u8;
                    e.scale_all = scale;
                    e.bias_all = bias;
                    const guarded<std::uint8_t> expected = data.run(k::table_for(k::isa::scalar));
                    for (const k::isa set : instruction_sets()) {
                        CAPTURE(std::string(k::name_of(set)));
                        CAPTURE(depth);
                        CAPTURE(scale);
                        CHECK(first_difference(expected, data.run(k::table_for(set)), e.output_type) == -1);
                    }
                }
            }
        }
    }
}

TEST_CASE("pairs of products at the ends of 16 bits are exact, however the four values of a k group can be paired") {
    // 255 * 128 fits in 16 bits, 255 * 129 does not: values that fit with the first, second and third value of four, and that never fit.
    const int fours[4][4] = {{64, 64, -64, -64}, {64, 65, -64, -64}, {100, 29, 29, 0}, {65, 65, 65, 65}};
    for (const std::int64_t m : {1, 2, 5, 6, 7, 13}) {
        for (const std::int64_t n : {7, 8, 16, 25}) {
            gemm_data data({m, n, 64, m % 2 == 0 ? k::element_kind::u8 : k::element_kind::i8}, 5);
            generator random(static_cast<std::uint64_t>(m * 100 + n));
            std::memset(data.a.data(), m % 2 == 0 ? 255 : 127, data.a.size());
            data.a[0] = 3;
            for (std::int64_t column = 0; column < n; ++column) {
                const int sign = random.below(2) == 0 ? 1 : -1;
                for (std::int64_t row = 0; row < 64; ++row) {
                    const int value = sign * fours[row / 4 % 4][row % 4];
                    data.b[static_cast<std::size_t>(row * n + column)] = static_cast<std::uint8_t>(value);
                }
            }
            const guarded<std::uint8_t> expected = data.run(k::table_for(k::isa::scalar));
            for (const k::isa set : instruction_sets()) {
                CAPTURE(std::string(k::name_of(set)));
                CAPTURE(m);
                CAPTURE(n);
                const guarded<std::uint8_t> found = data.run(k::table_for(set));
                CHECK(first_difference(expected, found, data.finish.value.output_type) == -1);
            }
        }
    }
}

TEST_CASE("rows that lie a power of two apart give the scalar bits, whether they are copied or not") {
    for (const std::int64_t depth : {2048, 4096}) {
        for (const std::int64_t n : {24, 80}) {
            gemm_case c{17, n, depth};
            c.a_zero_point = 7;
            compare_all(c, static_cast<std::uint64_t>(depth + n));
            c.a_gap = depth == 2048 ? 2048 : 0;
            c.k -= 3;
            c.a_gap += 3;
            compare_all(c, static_cast<std::uint64_t>(depth - n));
        }
    }
}

TEST_CASE("weights of four bits take half the memory when they are packed") {
    for (const k::isa set : instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        const std::size_t bytes = k::table_for(set).packed_gemm_bytes(k::element_kind::i8, 512, 768);
        const std::size_t halves = k::table_for(set).packed_gemm_bytes(k::element_kind::i4, 512, 768);
        CHECK(bytes - halves >= 512 * 768 / 2);
        CHECK(bytes - halves <= 512 * 768 / 2 + 512 * 768 / 16);  // the order of k groups, which four bits do not need
    }
}

TEST_CASE("more rows than a block has give the scalar bits on every instruction set") {
    for (const std::int64_t m : {383, 384, 385, 800}) {
        gemm_case c{m, 65, 10};
        c.a_zero_point = 3;
        compare_all(c, static_cast<std::uint64_t>(m));
    }
}

TEST_CASE("matrix multiplication gives the same bits on 1 to 8 threads, whether rows or panels are shared") {
    struct sizes {
        std::int64_t m, n, k;
    };
    // Large enough for 8 threads: one block of rows, more rows than weights, and panels that some numbers of threads divide evenly.
    for (const sizes& size : {sizes{3, 600, 1200}, sizes{240, 150, 64}, sizes{40, 512, 104}}) {
        for (int count = 1; count <= 8; ++count) {
            gemm_case c{size.m, size.n, size.k};
            c.threads = count;
            c.b_zero_points = 2;
            compare_all(c, 3);
        }
    }
}

TEST_CASE("matrix multiplication gives the same bits where threads take rows or panels in pieces") {
    gemm_case high{1300, 256, 256};
    high.threads = 2;
    compare_all(high, 5);
    gemm_case wide{4, 9000, 600};
    wide.threads = 3;
    compare_all(wide, 6);
}

TEST_CASE("float matrix multiplication adds with fma in the order of k on every instruction set") {
    for (const std::int64_t m : {1, 6, 7, 20}) {
        for (const std::int64_t n : {1, 16, 45, 130}) {
            gemm_case c{m, n, 29, k::element_kind::f32, k::element_kind::f32};
            c.epilogue = m % 2 == 0 ? 4 : 7;
            c.transposed = n % 2 != 0;
            compare_all(c, static_cast<std::uint64_t>(m * n));
        }
    }
    const gemm_data data(gemm_case{2, 3, 40, k::element_kind::f32, k::element_kind::f32, 0, 0, false, 4}, 9);
    const guarded<std::uint8_t> out = data.run(k::table_for(k::isa::scalar));
    float sum = 0;
    for (std::int64_t i = 0; i < 40; ++i) {
        float a, b;
        std::memcpy(&a, data.a.data() + (40 + i) * 4, 4);
        std::memcpy(&b, data.b.data() + (i * 3 + 2) * 4, 4);
        sum = std::fma(a, b, sum);
    }
    float found;
    std::memcpy(&found, out.data() + out.size() - 4, 4);
    CHECK(found == std::fma(sum, data.finish.scale[2], data.finish.bias[2]));
}
