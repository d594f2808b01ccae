// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>

using namespace kernel_test;

namespace {

struct pool_case {
    k::pool_problem problem;
    int epilogue = 0;
    int threads = 1;
};

k::pool_problem shape_of(k::pool_kind kind, std::int64_t channels, std::int64_t size, std::int64_t kernel,
                         std::int64_t stride, std::int64_t pad, int axes = 2) {
    k::pool_problem p;
    p.kind = kind;
    p.channels = channels;
    for (int axis = 3 - axes; axis < 3; ++axis) {
        p.in[axis] = size + (axis == 2 ? 1 : 0);
        p.kernel[axis] = kernel;
        p.stride[axis] = stride;
        p.pad_begin[axis] = pad;
        p.pad_end[axis] = pad;
        p.out[axis] =
            (p.in[axis] + 2 * pad - kernel + stride - 1) / stride + 1; // rounded up: windows may pass the padding
    }
    return p;
}

struct pool_data {
    pool_case c;
    guarded<std::uint8_t> input{1};
    epilogue_data finish;

    explicit pool_data(const pool_case& of, std::uint64_t seed) : c(of) {
        generator random(seed);
        k::pool_problem& p = c.problem;
        p.input_pixel_stride = p.channels + 2;
        const std::int64_t pixels = p.batch * p.in[0] * p.in[1] * p.in[2];
        input = random_elements(random, p.input_type, (pixels - 1) * p.input_pixel_stride + p.channels);
        finish = make_epilogue(random, c.epilogue, p.batch * p.out[0] * p.out[1] * p.out[2], p.channels, 100);
        avoid_accumulators(finish);
    }
    guarded<std::uint8_t> run(const k::kernel_table& table) const {
        k::pool_problem p = c.problem;
        p.input = input.data();
        p.finish = finish.value;
        p.output_pixel_stride = p.channels + 1;
        const std::int64_t pixels = p.batch * p.out[0] * p.out[1] * p.out[2];
        guarded<std::uint8_t> out =
            output_buffer((pixels - 1) * p.output_pixel_stride + p.channels, p.finish.output_type);
        p.output = out.data();
        table.pool(p, threads(c.threads));
        return out;
    }
};

void compare_all(const pool_case& c, std::uint64_t seed) {
    const pool_data data(c, seed);
    const guarded<std::uint8_t> expected = data.run(k::table_for(k::isa::scalar));
    for (const k::isa set : instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        CAPTURE(c.problem.channels);
        CAPTURE(data.finish.name);
        CHECK(first_difference(expected, data.run(k::table_for(set)), data.finish.value.output_type) == -1);
    }
}

const k::pool_kind kinds[] = {k::pool_kind::max, k::pool_kind::average_exclude_pad, k::pool_kind::average_include_pad};

/// Pools `values` (one channel, one row) with a kernel of 3, stride 2, one element of padding on both sides, to f32.
std::vector<float> pool_row(k::pool_kind kind, const std::vector<std::int8_t>& values, std::int32_t zero_point) {
    k::pool_problem p = shape_of(kind, 1, static_cast<std::int64_t>(values.size()) - 1, 3, 2, 1, 1);
    p.input = values.data();
    p.input_type = k::element_kind::i8;
    p.input_pixel_stride = 1;
    p.input_zero_point = zero_point;
    p.output_pixel_stride = 1;
    p.finish.output_type = k::element_kind::f32;
    std::vector<float> out(static_cast<std::size_t>(p.out[2]));
    p.output = out.data();
    k::table_for(k::isa::scalar).pool(p, threads(1));
    return out;
}

} // namespace

TEST_CASE("max pooling takes the largest element inside the image") {
    CHECK(pool_row(k::pool_kind::max, {-5, -9, 3, -128, -128, -120}, 0) == std::vector<float>{-5, 3, -120, -120});
}

TEST_CASE("average pooling without padding divides by the elements inside the image") {
    CHECK(pool_row(k::pool_kind::average_exclude_pad, {1, 2, 3, 4, 5, 7}, 99) ==
          std::vector<float>{1.5f, 3, 16.0f / 3, 7});
}

TEST_CASE("average pooling with padding counts it as zero points, but nothing past it") {
    // Windows start at -1, 1, 3, 5; the padded image ends at 6, so the last window has two elements.
    CHECK(pool_row(k::pool_kind::average_include_pad, {1, 2, 3, 4, 5, 7}, 10) ==
          std::vector<float>{13.0f / 3, 3, 16.0f / 3, 8.5f});
}

TEST_CASE("a window much larger than the image costs what the image has") {
    const std::vector<std::int8_t> values{3, -5, 8};
    for (const k::pool_kind kind : {k::pool_kind::max, k::pool_kind::average_exclude_pad}) {
        k::pool_problem p = shape_of(kind, 1, 2, 1, 1, 0, 1);
        p.kernel[2] = std::int64_t{1} << 40;
        p.pad_begin[2] = 1;
        p.pad_end[2] = p.kernel[2];
        p.out[2] = 3;
        p.input = values.data();
        p.input_type = k::element_kind::i8;
        p.input_pixel_stride = 1;
        p.output_pixel_stride = 1;
        p.finish.output_type = k::element_kind::f32;
        std::vector<float> out(3);
        p.output = out.data();
        k::table_for(k::isa::scalar).pool(p, threads(1));
        CHECK(out == (kind == k::pool_kind::max ? std::vector<float>{8, 8, 8} : std::vector<float>{2, 2, 1.5f}));
    }
}

TEST_CASE("every instruction set pools to the scalar bits") {
    std::uint64_t seed = 0;
    for (const k::pool_kind kind : kinds) {
        for (const k::element_kind type : {k::element_kind::u8, k::element_kind::i8, k::element_kind::f32}) {
            for (const std::int64_t channels : {1, 7, 16, 33, 300}) {
                pool_case c{shape_of(kind, channels, 6, 3, 2, 1, channels == 7 ? 3 : 2),
                            static_cast<int>(seed % epilogue_variants), 1};
                c.problem.batch = 2;
                c.problem.input_type = type;
                c.problem.input_zero_point = type == k::element_kind::f32 ? 0 : 5;
                if (channels == 16) c.problem.dilation[2] = 2;
                compare_all(c, ++seed);
            }
        }
    }
}

TEST_CASE("global average pooling and windows without any element are the same on every instruction set") {
    pool_case c{shape_of(k::pool_kind::average_exclude_pad, 40, 13, 13, 1, 0), 0, 1};
    c.problem.kernel[2] = 14;
    c.problem.out[1] = c.problem.out[2] = 1;
    compare_all(c, 1);
    for (const k::pool_kind kind : kinds) {
        pool_case empty{shape_of(kind, 9, 2, 1, 1, 2), 4, 1};
        compare_all(empty, 2);
    }
}

TEST_CASE("averages of pixels that lie side by side are those of pixels that lie apart, on every instruction set") {
    std::uint64_t seed = 100;
    for (const k::pool_kind kind : {k::pool_kind::average_exclude_pad, k::pool_kind::average_include_pad}) {
        for (const k::element_kind type : {k::element_kind::u8, k::element_kind::i8, k::element_kind::f32}) {
            for (const std::int64_t channels : {1, 3, 16, 33, 70}) {
                pool_case c{shape_of(kind, channels, 21, 3, 1, channels % 2),
                            static_cast<int>(++seed % epilogue_variants), channels == 33 ? 3 : 1};
                c.problem.input_type = type;
                c.problem.dilation[1] = channels == 70 ? 2 : 1;
                c.problem.out[1] -= channels == 70 ? 2 : 0;
                pool_data apart(c, seed);
                CAPTURE(channels);
                CAPTURE(apart.finish.name);
                k::pool_problem p = c.problem;
                const auto bytes = static_cast<std::size_t>(k::bytes_of(type));
                const auto pixel = static_cast<std::size_t>(channels) * bytes;
                const std::int64_t pixels = p.out[1] * p.out[2];
                guarded<std::uint8_t> input(static_cast<std::size_t>(p.in[1] * p.in[2]) * pixel);
                for (std::size_t i = 0; i * pixel < input.size(); ++i)
                    std::memcpy(input.data() + i * pixel, apart.input.data() + i * (pixel + 2 * bytes), pixel);
                p.input = input.data();
                p.input_pixel_stride = p.output_pixel_stride = channels;
                p.finish = apart.finish.value;
                for (const k::isa set : lpt::support::available_instruction_sets()) {
                    CAPTURE(std::string(k::name_of(set)));
                    const guarded<std::uint8_t> expected = apart.run(k::table_for(set));
                    guarded<std::uint8_t> out = output_buffer(pixels * channels, p.finish.output_type);
                    p.output = out.data();
                    k::table_for(set).pool(p, threads(c.threads));
                    const auto wide = static_cast<std::size_t>(k::bytes_of(p.finish.output_type));
                    const auto row = static_cast<std::size_t>(channels) * wide;
                    bool same = true;
                    for (std::size_t i = 0; i < static_cast<std::size_t>(pixels); ++i)
                        same = same && std::memcmp(out.data() + i * row, expected.data() + i * (row + wide), row) == 0;
                    CHECK(same);
                    CHECK(out.front_is_intact());
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("averages of bytes are rounded quotients of their sums, whatever the number of places", Byte,
                   std::uint8_t, std::int8_t) {
    constexpr std::int64_t channels = 110;
    constexpr bool is_signed = std::is_signed_v<Byte>;
    generator random(3);
    for (const std::int64_t places :
         {1, 2, 3, 5, 6, 7, 9, 11, 13, 25, 49, 63, 100, 127, 196, 254, 255, 256, 257, 300, 1000}) {
        CAPTURE(places);
        k::pool_problem p = shape_of(k::pool_kind::average_exclude_pad, channels, places - 1, places, 1, 0, 1);
        guarded<std::uint8_t> input = random_bytes(random, places * channels);
        for (std::int64_t i = 0; i < places; ++i) {  // the largest sums are those of extremes
            for (const std::int64_t c : {0, 1, 62, 63, 108})
                input[static_cast<std::size_t>(i * channels + c)] = is_signed ? 0x80 : 0xff;
            for (const std::int64_t c : {2, 3, 60, 61, 109})
                input[static_cast<std::size_t>(i * channels + c)] = is_signed ? 0x7f : 0;
        }
        p.input = input.data();
        p.input_type = is_signed ? k::element_kind::i8 : k::element_kind::u8;
        p.input_pixel_stride = p.output_pixel_stride = channels;
        p.finish.output_type = k::element_kind::f32;
        std::vector<float> expected;
        for (std::int64_t c = 0; c < channels; ++c) {
            std::int32_t sum = 0;
            for (std::int64_t i = 0; i < places; ++i)
                sum += static_cast<Byte>(input[static_cast<std::size_t>(i * channels + c)]);
            expected.push_back(static_cast<float>(sum) / static_cast<float>(places));
        }
        for (const k::isa set : lpt::support::available_instruction_sets()) {
            CAPTURE(std::string(k::name_of(set)));
            std::vector<float> out(channels);
            p.output = out.data();
            k::table_for(set).pool(p, threads(1));
            CHECK(out == expected);
        }
    }
}

TEST_CASE("a pass-through max pooling keeps every value and type") {
    pool_case c{shape_of(k::pool_kind::max, 256, 1, 1, 1, 0, 1), 0, 1};
    pool_data data(c, 1);
    for (std::size_t i = 0; i < data.input.size(); ++i)
        data.input[i] = static_cast<std::uint8_t>(i);
    data.finish = epilogue_data();
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        const guarded<std::uint8_t> out = data.run(k::table_for(set));
        bool equal = true;
        for (std::size_t channel = 0; channel < 256; ++channel)
            equal = equal && out[channel] == channel;
        CHECK(equal);
    }
}

TEST_CASE("pooling gives the same bits on 1 to 8 threads") {
    for (int count = 1; count <= 8; ++count) {
        pool_case c{shape_of(k::pool_kind::average_include_pad, 20, 7, 3, 1, 1), 1, count};
        compare_all(c, 4);
    }
}

namespace {

/// The largest byte of each window, straight from the definition; channels without gaps.
template <class Byte>
std::vector<Byte> largest_bytes(const k::pool_problem& p, const guarded<std::uint8_t>& input) {
    std::vector<Byte> result;
    const auto inside = [&](int axis, std::int64_t o, std::int64_t tap) {
        const std::int64_t at = o * p.stride[axis] - p.pad_begin[axis] + tap * p.dilation[axis];
        return at >= 0 && at < p.in[axis] ? at : -1;
    };
    for (std::int64_t n = 0; n < p.batch; ++n)
        for (std::int64_t h = 0; h < p.out[1]; ++h)
            for (std::int64_t w = 0; w < p.out[2]; ++w)
                for (std::int64_t c = 0; c < p.channels; ++c) {
                    Byte most = std::numeric_limits<Byte>::lowest();
                    for (std::int64_t kh = 0; kh < p.kernel[1]; ++kh)
                        for (std::int64_t kw = 0; kw < p.kernel[2]; ++kw) {
                            const std::int64_t y = inside(1, h, kh);
                            const std::int64_t x = inside(2, w, kw);
                            if (y < 0 || x < 0) continue;
                            const auto at =
                                static_cast<std::size_t>(((n * p.in[1] + y) * p.in[2] + x) * p.channels + c);
                            most = std::max(most, static_cast<Byte>(input[at]));
                        }
                    result.push_back(most);
                }
    return result;
}

template <class Byte>
void check_largest_bytes(k::pool_problem p, std::uint64_t seed) {
    constexpr bool is_signed = std::is_signed_v<Byte>;
    generator random(seed);
    const guarded<std::uint8_t> input = random_bytes(random, p.batch * p.in[1] * p.in[2] * p.channels);
    const std::vector<Byte> expected = largest_bytes<Byte>(p, input);
    p.input = input.data();
    p.input_type = p.finish.output_type = is_signed ? k::element_kind::i8 : k::element_kind::u8;
    p.input_pixel_stride = p.output_pixel_stride = p.channels;
    p.finish.quant_low = is_signed ? -128.0f : 0.0f;
    p.finish.quant_high = is_signed ? 127.0f : 255.0f;
    for (const k::isa set : lpt::support::available_instruction_sets()) {
        for (const int count : {1, 2, 3, 4}) {
            CAPTURE(std::string(k::name_of(set)));
            guarded<std::uint8_t> out(expected.size());
            p.output = out.data();
            k::table_for(set).pool(p, threads(count));
            CHECK(std::memcmp(out.data(), expected.data(), expected.size()) == 0);
        }
    }
}

}  // namespace

TEST_CASE(
    "max pooling from bytes to bytes gives the largest byte, whatever the channels, strides, borders and threads") {
    std::uint64_t seed = 0;
    for (const std::int64_t channels : {1, 2, 3, 5, 15, 16, 24, 31, 33, 64, 65, 130}) {
        for (const std::int64_t stride : {1, 2}) {
            for (const std::int64_t pad : {0, 1}) {
                k::pool_problem p = shape_of(k::pool_kind::max, channels, 9, 2 + pad, stride, pad);
                p.batch = 2;
                p.dilation[2] = channels == 15 && pad == 0 ? 3 : 1;
                if (p.dilation[2] == 3) p.out[2] -= 2 / stride;
                check_largest_bytes<std::uint8_t>(p, ++seed);
                check_largest_bytes<std::int8_t>(p, ++seed);
            }
        }
    }
    k::pool_problem large = shape_of(k::pool_kind::max, 24, 64, 2, 1, 0);  // worth threads; padded at the end alone
    large.out[1] = large.in[1];
    large.out[2] = large.in[2];
    large.pad_end[1] = large.pad_end[2] = 1;
    check_largest_bytes<std::uint8_t>(large, ++seed);
}

TEST_CASE("global pooling gives the scalar bits where threads share channels") {
    for (const std::int64_t channels : {48, 200, 1000}) {
        pool_case c{shape_of(k::pool_kind::average_exclude_pad, channels, 40, 40, 1, 0), 0, 1};
        c.problem.kernel[2] = 41;
        c.problem.out[1] = c.problem.out[2] = 1;
        for (const k::element_kind type : {k::element_kind::u8, k::element_kind::i8, k::element_kind::f32}) {
            c.problem.input_type = type;
            for (const int count : {1, 2, 3, 4}) {
                c.threads = count;
                compare_all(c, static_cast<std::uint64_t>(channels));
            }
        }
    }
}
