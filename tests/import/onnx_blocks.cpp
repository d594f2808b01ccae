// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

/// MatMulNBits against its definition: (number - zero point of its block) * scale of its block.
namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;

constexpr std::int64_t i32_type = 6;
constexpr std::size_t rows = 20;
constexpr std::size_t columns = 2;
constexpr std::size_t block = 8;
constexpr std::size_t blocks = 3;

/// Numbers of a column after the other, packed from the lowest bits on; each column fills whole bytes.
std::vector<int> packed(const std::vector<int>& all, std::size_t in_column, int bits) {
    std::vector<int> bytes;
    for (std::size_t column = 0; column * in_column < all.size(); ++column) {
        for (std::size_t i = 0; i < in_column; ++i) {
            const int place = static_cast<int>(i) * bits % 8;
            if (place == 0) {
                bytes.push_back(0);
            }
            bytes.back() |= all[column * in_column + i] << place;
        }
    }
    return bytes;
}
std::vector<int> numbers_up_to(int end, std::size_t count, int step) {
    std::vector<int> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(static_cast<int>(i) * step % end);
    }
    return all;
}
std::string i32_tensor(const std::string& name, const std::vector<std::int32_t>& all) {
    return raw_tensor(name, {static_cast<std::int64_t>(all.size())}, i32_type,
                      {reinterpret_cast<const char*>(all.data()), all.size() * 4});
}
parts product(int bits, const std::vector<int>& weights, const std::vector<int>& zeros,
              const std::vector<std::int32_t>& order) {
    const auto size = [](std::size_t count) { return static_cast<std::int64_t>(count); };
    const std::vector<int> bytes = packed(weights, blocks * block, bits);
    parts net{{make_node("MatMulNBits", {"x", "w", "s", zeros.empty() ? "" : "z", order.empty() ? "" : "order"}, {"y"},
                         {integer("K", size(rows)), integer("N", size(columns)), integer("bits", bits),
                          integer("block_size", size(block))},
                         "com.microsoft")},
              {small("w", {size(columns), size(blocks), bits}, bytes), floats("s", {6}, {1, 0.5F, 2, 0.25F, 4, 3})},
              {value("x", {1, size(rows)})},
              {value("y", {1, size(columns)})}};
    if (!zeros.empty()) {
        const std::vector<int> all = packed(zeros, blocks, bits);
        net.initializers.push_back(small("z", {size(all.size())}, all));
    }
    if (!order.empty()) {
        net.initializers.push_back(i32_tensor("order", order));
    }
    return net;
}

}  // namespace

TEST_CASE("MatMulNBits has weights of 2, 4 and 8 bits in blocks, whose rows may be said to belong to other blocks") {
    const double scales[columns][blocks] = {{1, 0.5, 2}, {0.25, 4, 3}};
    std::vector<std::int32_t> shuffled;
    values x;
    for (std::size_t row = 0; row < rows; ++row) {
        shuffled.push_back(static_cast<std::int32_t>(row * 5 % 7 % blocks));
        x.push_back(static_cast<double>(row) - 7);
    }
    for (const int bits : {2, 4, 8}) {
        const std::vector<int> weights = numbers_up_to(1 << bits, columns * blocks * block, 37);
        for (const std::vector<int>& zeros : {std::vector<int>(), numbers_up_to(1 << bits, columns * blocks, 5)}) {
            for (const std::vector<std::int32_t>& order : {std::vector<std::int32_t>(), shuffled}) {
                values wanted;
                for (std::size_t column = 0; column < columns; ++column) {
                    double sum = 0;
                    for (std::size_t row = 0; row < rows; ++row) {
                        const std::size_t which = order.empty() ? row / block : static_cast<std::size_t>(order[row]);
                        const int zero = zeros.empty() ? 1 << (bits - 1) : zeros[column * blocks + which];
                        sum += x[row] * (weights[column * blocks * block + row] - zero) * scales[column][which];
                    }
                    wanted.push_back(sum);
                }
                CAPTURE(bits);
                CHECK(results_of(make_model(product(bits, weights, zeros, order)),
                                 {floats_of({1, static_cast<dimension>(rows)}, x)})[0] == wanted);
            }
        }
    }
}

TEST_CASE("MatMulBnb4 has weights in codes for floats of four bits or for quantiles, a factor for each block of them") {
    const auto products = [](int type, const std::vector<int>& bytes) {
        const parts net{
            {make_node("MatMulBnb4", {"x", "w", "s"}, {"y"},
                       {integer("K", 4), integer("N", 2), integer("block_size", 4), integer("quant_type", type)},
                       "com.microsoft")},
            {small("w", {4}, bytes), floats("s", {2}, {2, 3})},
            {value("x", {1, 4})},
            {value("y", {1, 2})}};
        return results_of(make_model(net), {floats_of({1, 4}, {1, 2, 4, 8})})[0];
    };
    CHECK(products(0, {0x35, 0x7B, 0xD0, 0x00}) == values{2 * (1 + 2 * 0.5 + 4 * 0.25 - 8), 3 * -0.5});
    CHECK(products(1, {0xF7, 0x77, 0x00, 0x77}) == values{2, 3 * -3});
}

TEST_CASE("MatMulNBits refuses rows of blocks that are not there, and other numbers of rows or bits") {
    const std::vector<int> weights(columns * blocks * block, 1);
    std::vector<std::int32_t> order(rows, 0);
    order[3] = 3;
    CHECK_THROWS_WITH_AS(import_content(make_model(product(4, weights, {}, order))),
                         doctest::Contains("row 3 belongs to block 3, but there are 3"), error);
    order.pop_back();
    CHECK_THROWS_WITH_AS(import_content(make_model(product(4, weights, {}, order))),
                         doctest::Contains("input 4 has 19 numbers, expected one for each of 20 rows"), error);
    CHECK_THROWS_WITH_AS(import_content(make_model(product(1, weights, {}, {}))),
                         doctest::Contains("numbers of 1 bits in blocks of 8 are not supported"), error);
}
