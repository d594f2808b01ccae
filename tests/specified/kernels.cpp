// SPDX-License-Identifier: Apache-2.0
// Operations on the library's kernels give the bytes that their definition gives, on every instruction set and thread count.
#include "tests/specified/models.hpp"
#include "tests/support/instruction_sets.hpp"

#include <lpt/kernel/dispatch.hpp>
#include <lpt/runtime/thread_pool.hpp>

#include <doctest/doctest.h>

#include <random>

namespace specified_kernels_test {

using namespace specified_test;

/// Bytes from all over their range.
std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> result(count);
    for (std::byte& each : result)
        each = random() % 8 == 0 ? static_cast<std::byte>(127 + random() % 2) : static_cast<std::byte>(random());
    return result;
}

tflite::tensor_info random_constant(shape dimensions, float scale, std::int64_t zero_point, unsigned seed) {
    tflite::tensor_info result = tensor_of(dimensions, scale, zero_point);
    const std::vector<std::byte> numbers = random_bytes(dimensions.elements(), seed);
    seq<std::byte> content(numbers.size(), std::byte{0});
    std::memcpy(content.data(), numbers.data(), numbers.size());
    result.value = tensor(i8, dimensions, bytes(lpt::move(content)));
    return result;
}

tflite::option real(const char* name, double number) {
    tflite::option result;
    result.name = name;
    result.holds = tflite::option::form::real;
    result.real = number;
    return result;
}
tflite::option yes_or_no(const char* name, bool is_so) { return whole(name, is_so ? 1 : 0); }

/// The bytes of the first output after two runs.
std::vector<std::byte> output_of(const tflite::model& model, const kernel::kernel_table* kernels, int threads) {
    thread_pool pool(threads);
    specified::network net(model, kernels, threads > 1 ? pool.parallel() : kernel::parallel_for());
    for (int run = 0; run < 2; ++run) {
        for (std::size_t i = 0; i < net.inputs(); ++i) {
            const unsigned seed = 17 * static_cast<unsigned>(run + 1) + static_cast<unsigned>(i);
            const std::vector<std::byte> content = random_bytes(net.input(i).memory.size(), seed);
            net.set_input(i, view<std::byte>(content.data(), content.size()));
        }
        net.run();
    }
    return {net.output(0).memory.begin(), net.output(0).memory.end()};
}

void check(const tflite::model& model) {
    const std::vector<std::byte> wanted = output_of(model, nullptr, 1);
    REQUIRE(!wanted.empty());
    for (const kernel::isa set : lpt::support::available_instruction_sets()) {
        CAPTURE(std::string(kernel::name_of(set)));
        for (const int threads : {1, 3})
            CHECK(output_of(model, &kernel::table_for(set), threads) == wanted);
    }
}

const std::int64_t channel_counts[] = {1, 3, 16, 33, 64, 150};

TEST_CASE("averages over windows, also beyond an image and of even and odd numbers of codes") {
    for (const std::int64_t channels : channel_counts) {
        for (const std::int64_t size : {2, 3, 7}) {
            for (const std::int64_t padding : {0, 1}) {
                CAPTURE(channels);
                CAPTURE(size);
                const std::int64_t out = padding == 0 ? (9 + 1) / 2 : (9 - size + 2) / 2;
                check(
                    model_of(builtin::average_pool_2d,
                             {tensor_of({2, 9, 9, channels}, 0.5F, 3), tensor_of({2, out, out, channels}, 0.5F, 3)},
                             {whole("filter_height", size), whole("filter_width", size), whole("stride_h", 2),
                              whole("stride_w", 2), whole("padding", padding), whole("fused_activation_function", 0)}));
            }
        }
    }
}

TEST_CASE("means and sums over axes that lie side by side, and others") {
    const std::vector<std::int32_t> axes[] = {{1, 2}, {1}, {0, 1}, {3}, {1, 3}, {0, 1, 2, 3}};
    for (const builtin code : {builtin::mean, builtin::sum}) {
        for (const std::int64_t channels : channel_counts) {
            for (const std::vector<std::int32_t>& each : axes) {
                CAPTURE(channels);
                tflite::tensor_info over = tensor_of({static_cast<dimension>(each.size())}, 1, 0, tensor_type::int32);
                seq<std::byte> content(each.size() * 4, std::byte{0});
                std::memcpy(content.data(), each.data(), content.size());
                over.value = tensor(i32, over.dimensions, bytes(lpt::move(content)));
                check(model_of(code,
                               {tensor_of({2, 5, 7, channels}, 0.3F, -7), over,
                                tensor_of({2, 5, 7, channels}, code == builtin::mean ? 0.31F : 2.9F, 11)},
                               {yes_or_no("keep_dims", channels % 2 == 0)}));
            }
        }
    }
}

TEST_CASE("images in another size") {
    for (const builtin code : {builtin::resize_bilinear, builtin::resize_nearest_neighbor}) {
        for (const std::int64_t channels : channel_counts) {
            for (const auto& [corners, centers] : {std::pair{false, false}, {true, false}, {false, true}}) {
                CAPTURE(channels);
                check(model_of(code,
                               {tensor_of({2, 5, 7, channels}, 0.3F, 0),
                                constant_of<std::int32_t>({2}, 1, {12, 9}, tensor_type::int32),
                                tensor_of({2, 12, 9, channels}, 0.3F, 0)},
                               {yes_or_no("align_corners", corners), yes_or_no("half_pixel_centers", centers)}));
            }
        }
    }
}

TEST_CASE("transposed convolutions, also of one channel and with positions that no input reaches") {
    for (const std::int64_t channels : {1, 5, 16, 40}) {
        for (const std::int64_t size : {1, 2, 3}) {
            CAPTURE(channels);
            CAPTURE(size);
            tflite::model model = model_of(
                builtin::transpose_conv,
                {constant_of<std::int32_t>({4}, 1, {1, 10, 8, static_cast<std::int32_t>(channels)}, tensor_type::int32),
                 random_constant({channels, size, size, 6}, 0.02F, 0, 5), tensor_of({1, 5, 4, 6}, 0.1F, -9),
                 tensor_of({1, 10, 8, channels}, 0.3F, 4)},
                {whole("stride_h", 2), whole("stride_w", 2), whole("padding", 0)});
            model.subgraphs[0].inputs = {2};
            check(model);
        }
    }
}

TEST_CASE("matrix products whose batches repeat, of either matrix as it is or transposed") {
    for (const bool left_transposed : {false, true}) {
        for (const bool transposed : {false, true}) {
            for (const std::int64_t columns : {1, 17, 40}) {
                CAPTURE(left_transposed);
                CAPTURE(transposed);
                CAPTURE(columns);
                tflite::model model =
                    model_of(builtin::batch_matmul,
                             {left_transposed ? tensor_of({2, 3, 20, 5}, 0.1F, -9) : tensor_of({2, 3, 5, 20}, 0.1F, -9),
                              transposed ? tensor_of({3, columns, 20}, 0.2F, 5) : tensor_of({3, 20, columns}, 0.2F, 5),
                              tensor_of({2, 3, 5, columns}, 1.1F, 4)},
                             {yes_or_no("adj_x", left_transposed), yes_or_no("adj_y", transposed)});
                model.subgraphs[0].inputs = {0, 1};
                check(model);
            }
        }
    }
}

TEST_CASE("the zero point that all weights of a layer have is a part of them") {
    for (const std::int64_t rows : {1, 40}) {
        for (const std::int64_t outputs : {1, 10, 70}) {
            tflite::model model = model_of(builtin::fully_connected, {tensor_of({rows, 30}, 0.1F, -9),
                                                                      random_constant({outputs, 30}, 0.02F, 7, 3),
                                                                      tensor_of({rows, outputs}, 0.4F, 4)});
            check(model);
            const std::vector<std::byte> with = output_of(model, nullptr, 1);
            model.subgraphs[0].tensors[1].quantized.zero_points = {0};
            CHECK(output_of(model, nullptr, 1) != with);
        }
    }
}

TEST_CASE("zero points of the channels of weights are left out, as the reference kernels do") {
    tflite::model model =
        model_of(builtin::depthwise_conv_2d,
                 {tensor_of({1, 4, 4, 3}, 0.1F, -9), random_constant({1, 2, 2, 3}, 0.02F, 0, 3),
                  tensor_of({1, 4, 4, 3}, 0.1F, 4)},
                 {whole("stride_h", 1), whole("stride_w", 1), whole("padding", 0), whole("depth_multiplier", 1)});
    const std::vector<std::byte> without = output_of(model, nullptr, 1);
    model.subgraphs[0].tensors[1].quantized = {{0.02F, 0.02F, 0.02F}, {1, 2, 3}};
    model.subgraphs[0].tensors[1].quantized.axis = 3;
    CHECK(output_of(model, nullptr, 1) == without);
    check(model);
}

TEST_CASE("rows of softmax, also in 16 bits") {
    for (const std::int64_t length : {1, 2, 10, 1000}) {
        for (const tensor_type type : {tensor_type::int8, tensor_type::int16}) {
            const bool is_byte = type == tensor_type::int8;
            check(model_of(builtin::softmax,
                           {tensor_of({70, length}, 0.1F, 3),
                            tensor_of({70, length}, is_byte ? 1.0F / 256 : 1.0F / 32768, is_byte ? -128 : 0, type)},
                           {real("beta", 1)}));
        }
        check(model_of(builtin::log_softmax,
                       {tensor_of({70, length}, 0.1F, 3), tensor_of({70, length}, 16.0F / 256, 127)}));
    }
}

}  // namespace specified_kernels_test
