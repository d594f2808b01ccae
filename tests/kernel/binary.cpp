// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

struct binary_case {
    k::binary_function function;
    std::int64_t rows, channels;
    k::element_kind a_type, b_type;
    bool per_channel = false;
    std::int64_t b_row_stride = -1; // -1: dense
    std::int64_t b_channel_stride = 1;
    int epilogue = 0;
    int threads = 1;
};

struct binary_data {
    binary_case c;
    guarded<std::uint8_t> a{1}, b{1};
    guarded<float> scale{1}, shift{1};
    epilogue_data finish;
    std::int64_t b_row_stride;

    explicit binary_data(const binary_case& of, std::uint64_t seed) : c(of) {
        generator random(seed);
        b_row_stride = c.b_row_stride >= 0 ? c.b_row_stride : c.channels;
        a = random_elements(random, c.a_type, c.rows * c.channels);
        b = random_elements(random, c.b_type, (c.rows - 1) * b_row_stride + (c.channels - 1) * c.b_channel_stride + 1);
        scale = random_floats(random, c.channels, 0.5f, 2);
        shift = random_floats(random, c.channels, -9, 9);
        finish = make_epilogue(random, c.epilogue, c.rows, c.channels, 200);
        avoid_accumulators(finish);
    }
    guarded<std::uint8_t> run(const k::kernel_table& table, std::int64_t output_gap = 0) const {
        k::binary_problem p;
        p.function = c.function;
        p.rows = c.rows;
        p.channels = c.channels;
        p.a.data = a.data();
        p.a.type = c.a_type;
        p.a.row_stride = c.channels;
        p.a.scale_all = 0.75f;
        p.a.shift_all = -3;
        p.b.data = b.data();
        p.b.type = c.b_type;
        p.b.row_stride = b_row_stride;
        p.b.channel_stride = c.b_channel_stride;
        p.b.scale_all = -1.25f;
        p.b.shift_all = 0.5f;
        if (c.per_channel) {
            p.a.scale = scale.data();
            p.b.shift = shift.data();
        }
        p.finish = finish.value;
        p.output_row_stride = c.channels + output_gap;
        guarded<std::uint8_t> out = output_buffer(c.rows * p.output_row_stride, p.finish.output_type);
        p.output = out.data();
        table.binary(p, threads(c.threads));
        return out;
    }
};

void compare_all(const binary_case& c, std::uint64_t seed) {
    const binary_data data(c, seed);
    const guarded<std::uint8_t> expected = data.run(k::table_for(k::isa::scalar));
    for (const k::isa set : instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        CAPTURE(c.rows);
        CAPTURE(c.channels);
        CAPTURE(data.finish.name);
        CHECK(first_difference(expected, data.run(k::table_for(set)), data.finish.value.output_type) == -1);
    }
}

float apply(k::binary_function function, float x, float y) {
    switch (function) {
        case k::binary_function::add: return x + y;
        case k::binary_function::subtract: return x - y;
        case k::binary_function::multiply: return x * y;
        case k::binary_function::divide: return x / y;
        case k::binary_function::maximum: return std::fmax(x, y);
        case k::binary_function::minimum: return std::fmin(x, y);
        case k::binary_function::squared_difference: return (x - y) * (x - y);
    }
    return 0;
}

const k::binary_function functions[] = {k::binary_function::add,
                                        k::binary_function::subtract,
                                        k::binary_function::multiply,
                                        k::binary_function::divide,
                                        k::binary_function::maximum,
                                        k::binary_function::minimum,
                                        k::binary_function::squared_difference};

} // namespace

TEST_CASE("the scalar elementwise functions are what their names say") {
    for (const k::binary_function function : functions) {
        const std::uint8_t a = 200;
        const std::int8_t b = -100;
        k::binary_problem p;
        p.function = function;
        p.rows = p.channels = 1;
        p.a.data = &a;
        p.a.scale_all = 0.5f;
        p.a.shift_all = 1;
        p.b.data = &b;
        p.b.type = k::element_kind::i8;
        p.b.scale_all = 0.25f;
        p.finish.output_type = k::element_kind::f32;
        float out = 0;
        p.output = &out;
        k::table_for(k::isa::scalar).binary(p, threads(1));
        CHECK(out == apply(function, 101, -25));
    }
}

TEST_CASE("every instruction set gives the scalar bits for every function, type and broadcast") {
    const k::element_kind types[] = {k::element_kind::u8, k::element_kind::i8, k::element_kind::i32,
                                     k::element_kind::f32};
    std::uint64_t seed = 0;
    for (const k::binary_function function : functions) {
        for (const k::element_kind a_type : types) {
            for (const k::element_kind b_type : types) {
                binary_case c{function, 3, 37, a_type, b_type};
                c.per_channel = seed % 2 == 0;
                c.epilogue = static_cast<int>(seed % epilogue_variants);
                compare_all(c, ++seed);
                c.b_row_stride = 0; // one row for all
                compare_all(c, ++seed);
                c.b_row_stride = 1; // one value a row
                c.b_channel_stride = 0;
                compare_all(c, ++seed);
            }
        }
    }
}

TEST_CASE("long rows, short rows and threads make no difference") {
    for (int count = 1; count <= 8; ++count) {
        for (const std::int64_t channels : {1, 15, 257, 1000}) {
            binary_case c{k::binary_function::add, 40, channels, k::element_kind::u8, k::element_kind::u8};
            c.epilogue = count % 2 == 0 ? 0 : 2; // 2 has no arrays, so the rows can be joined
            c.threads = count;
            compare_all(c, static_cast<std::uint64_t>(channels));
        }
    }
}

TEST_CASE("rows that lie side by side give what rows apart give, with one row for all, residuals and threads") {
    std::uint64_t seed = 300;
    for (int variant = 0; variant < epilogue_variants; ++variant) {
        for (const std::int64_t channels : {1, 5, 16, 24, 100, 128, 130}) {
            for (const bool one_row : {false, true}) {
                binary_case c{k::binary_function::multiply, 41, channels, k::element_kind::i8, k::element_kind::f32};
                c.b_row_stride = one_row ? 0 : -1;
                c.epilogue = variant;
                c.threads = 1 + static_cast<int>(seed % 3);
                const binary_data data(c, ++seed);
                const k::element_kind type = data.finish.value.output_type;
                const std::size_t row = static_cast<std::size_t>(channels * k::bytes_of(type));
                const std::size_t gap = static_cast<std::size_t>(k::bytes_of(type));
                for (const k::isa set : instruction_sets()) {
                    const guarded<std::uint8_t> joined = data.run(k::table_for(set));
                    const guarded<std::uint8_t> apart = data.run(k::table_for(set), 1);
                    CAPTURE(channels);
                    CAPTURE(data.finish.name);
                    bool same = true;
                    for (std::size_t r = 0; r < 41; ++r)
                        same = same && std::memcmp(joined.data() + r * row, apart.data() + r * (row + gap), row) == 0;
                    CHECK(same);
                }
            }
        }
    }
}
