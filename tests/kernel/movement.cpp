// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

TEST_CASE("lookup replaces each byte by its entry of the table, on every instruction set and thread count") {
    generator random(1);
    const guarded<std::uint8_t> table = random_bytes(random, 256);
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        for (const std::int64_t count : {1, 3, 64, 9001}) {
            const guarded<std::uint8_t> input = random_bytes(random, count);
            guarded<std::uint8_t> output = output_buffer(count, k::element_kind::u8);
            k::table_for(set).lookup({input.data(), output.data(), count, table.data()},
                                     threads(static_cast<int>(count % 4) + 1));
            bool equal = true;
            for (std::size_t j = 0; j < output.size(); ++j)
                equal = equal && output[j] == table[input[j]];
            CHECK(equal);
        }
    }
}

TEST_CASE("lookup leaves what lies between its rows, on every instruction set and thread count") {
    generator random(3);
    const guarded<std::uint8_t> table = random_bytes(random, 256);
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        for (const std::int64_t count : {1, 31, 64, 200}) {
            constexpr std::int64_t rows = 301;
            const std::int64_t in_stride = count + 7;
            const std::int64_t out_stride = count + 40;
            const guarded<std::uint8_t> input = random_bytes(random, (rows - 1) * in_stride + count);
            guarded<std::uint8_t> output = output_buffer((rows - 1) * out_stride + count, k::element_kind::u8);
            guarded<std::uint8_t> expected = output_buffer((rows - 1) * out_stride + count, k::element_kind::u8);
            for (std::int64_t r = 0; r < rows; ++r) {
                for (std::int64_t j = 0; j < count; ++j)
                    expected.data()[r * out_stride + j] = table[input.data()[r * in_stride + j]];
            }
            k::table_for(set).lookup({input.data(), output.data(), count, table.data(), rows, in_stride, out_stride},
                                     threads(static_cast<int>(count % 4) + 1));
            CHECK(std::memcmp(output.data(), expected.data(), output.size()) == 0);
        }
    }
}

TEST_CASE("transpose swaps rows and columns of bytes and of 4-byte elements") {
    generator random(2);
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        for (const std::int64_t rows : {1, 2, 3, 4, 5, 33, 64, 7001}) {
            for (const std::int64_t columns : {1, 2, 3, 4, 7, 16, 29, 32, 100, 7001}) {
                if (rows * columns > 300000) continue;
                for (const int size : {1, 4}) {
                    const std::int64_t batch = rows * columns % 2 + 1;
                    const guarded<std::uint8_t> input = random_bytes(random, batch * rows * columns * size);
                    guarded<std::uint8_t> output(input.size());
                    k::table_for(set).transpose({batch, rows, columns, size, input.data(), output.data()},
                                                threads(size == 4 ? 3 : 2));
                    bool equal = true;
                    for (std::int64_t n = 0; n < batch; ++n) {
                        for (std::int64_t r = 0; r < rows; ++r) {
                            for (std::int64_t c = 0; c < columns; ++c) {
                                const std::int64_t from = ((n * rows + r) * columns + c) * size;
                                const std::int64_t to = ((n * columns + c) * rows + r) * size;
                                equal = equal && std::memcmp(input.data() + from, output.data() + to,
                                                             static_cast<std::size_t>(size)) == 0;
                            }
                        }
                    }
                    CAPTURE(std::string(k::name_of(set)));
                    CHECK(equal);
                }
            }
        }
    }
}
