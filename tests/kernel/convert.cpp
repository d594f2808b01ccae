// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <utility>

using namespace kernel_test;

namespace {

enum class layout { channels, planes, wide_channels };

k::element_layout describe(layout kind, std::int64_t pixels, std::int64_t channels) {
    switch (kind) {
        case layout::channels: return {pixels * channels, channels, 1};
        case layout::planes: return {channels * pixels, 1, pixels};
        case layout::wide_channels: return {pixels * (channels + 3), channels + 3, 1};
    }
    return {};
}
std::int64_t elements_of(const k::element_layout& l, std::int64_t batch, std::int64_t pixels, std::int64_t channels) {
    return (batch - 1) * l.batch_stride + (pixels - 1) * l.pixel_stride + (channels - 1) * l.channel_stride + 1;
}

struct convert_case {
    std::int64_t batch, pixels, channels;
    k::element_kind input_type = k::element_kind::f32;
    layout from = layout::channels, to = layout::channels;
    bool clamp_per_channel = false;
    int epilogue = 0;
    int threads = 1;
};

struct convert_data {
    convert_case c;
    guarded<std::uint8_t> input{1};
    guarded<float> low{1}, high{1};
    epilogue_data finish;

    explicit convert_data(const convert_case& of, std::uint64_t seed) : c(of) {
        generator random(seed);
        input = random_elements(random, c.input_type,
                                elements_of(describe(c.from, c.pixels, c.channels), c.batch, c.pixels, c.channels));
        low = random_floats(random, c.channels, -2, 0);
        high = random_floats(random, c.channels, 1, 2);
        const float typical = c.input_type == k::element_kind::f32   ? 1.0f
                              : c.input_type == k::element_kind::i32 ? 50000.0f
                                                                     : 100.0f;
        finish = make_epilogue(random, c.epilogue, c.batch * c.pixels, c.channels, typical);
        if (c.input_type != k::element_kind::i32) avoid_accumulators(finish);
    }
    guarded<std::uint8_t> run(const k::kernel_table& table) const {
        k::convert_problem p;
        p.batch = c.batch;
        p.pixels = c.pixels;
        p.channels = c.channels;
        p.input = input.data();
        p.input_type = c.input_type;
        p.input_layout = describe(c.from, c.pixels, c.channels);
        p.output_layout = describe(c.to, c.pixels, c.channels);
        if (c.clamp_per_channel) {
            p.input_low = low.data();
            p.input_high = high.data();
        }
        p.finish = finish.value;
        guarded<std::uint8_t> out =
            output_buffer(elements_of(p.output_layout, c.batch, c.pixels, c.channels), p.finish.output_type);
        p.output = out.data();
        table.convert(p, threads(c.threads));
        return out;
    }
};

void compare_all(const convert_case& c, std::uint64_t seed) {
    const convert_data data(c, seed);
    const guarded<std::uint8_t> expected = data.run(k::table_for(k::isa::scalar));
    for (const k::isa set : instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        CAPTURE(c.pixels);
        CAPTURE(c.channels);
        CAPTURE(data.finish.name);
        CHECK(first_difference(expected, data.run(k::table_for(set)), data.finish.value.output_type) == -1);
    }
}

/// One row of numbers through quantization.
std::vector<int> quantize(const k::kernel_table& table, const std::vector<float>& values, float scale, float bias,
                          float low, float high) {
    k::convert_problem p;
    p.channels = static_cast<std::int64_t>(values.size());
    p.input = values.data();
    p.input_layout = p.output_layout = {p.channels, p.channels, 1};
    p.input_low_all = low;
    p.input_high_all = high;
    p.finish.scale_all = scale;
    p.finish.bias_all = bias;
    std::vector<std::uint8_t> out(values.size());
    p.output = out.data();
    table.convert(p, threads(1));
    return {out.begin(), out.end()};
}

} // namespace

TEST_CASE(
    "quantization clamps, scales with one rounding, rounds ties to even and saturates, on every instruction set") {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        CAPTURE(std::string(k::name_of(set)));
        const k::kernel_table& table = k::table_for(set);
        CHECK(quantize(table, {0.5f, 1.5f, 2.5f, -1, 300, 254.5f, 0.49999997f}, 1, 0, -inf, inf) ==
              std::vector<int>{0, 2, 2, 0, 255, 254, 0});
        CHECK(quantize(table, {-2, 0, 1, 9}, 100, 50, 0, 1) == std::vector<int>{50, 50, 150, 150});
        CHECK(quantize(table, {nan, inf, -inf}, 100, 50, 0.25f, 1) == std::vector<int>{75, 150, 75});
        CHECK(quantize(table, {nan, inf, -inf}, 1, 0, -inf, inf) == std::vector<int>{0, 255, 0});
        CHECK(quantize(table, {inf, 1}, 0, 7, -inf, inf) == std::vector<int>{0, 7}); // infinity times zero is NaN
        // 3 * 0.1666... + 100.5 is 101.0 - tiny; a product rounded on its own would give a different sum.
        const float third = 1.0f / 3;
        CHECK(quantize(table, {1.5f}, third, 100, -inf, inf) ==
              std::vector<int>{static_cast<int>(std::nearbyint(std::fma(1.5f, third, 100.0f)))});
    }
}

TEST_CASE("a conversion of floats without bounds keeps NaN and infinities") {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> values = {std::numeric_limits<float>::quiet_NaN(), inf, -inf, 2};
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        k::convert_problem p;
        p.channels = 4;
        p.input = values.data();
        p.input_layout = p.output_layout = {4, 4, 1};
        p.finish.scale_all = 3;
        p.finish.output_type = k::element_kind::f32;
        std::vector<float> out(4);
        p.output = out.data();
        k::table_for(set).convert(p, threads(1));
        CHECK(std::isnan(out[0]));
        CHECK(out[1] == inf);
        CHECK(out[2] == -inf);
        CHECK(out[3] == 6);
    }
}

TEST_CASE("dequantization is fma(q, scale, shift) to f32") {
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        std::vector<std::int8_t> q(256);
        for (std::size_t j = 0; j < q.size(); ++j)
            q[j] = static_cast<std::int8_t>(static_cast<int>(j) - 128);
        k::convert_problem p;
        p.channels = 256;
        p.input = q.data();
        p.input_type = k::element_kind::i8;
        p.input_layout = p.output_layout = {256, 256, 1};
        p.finish.scale_all = 0.1f;
        p.finish.bias_all = 0.3f;
        p.finish.output_type = k::element_kind::f32;
        std::vector<float> out(256);
        p.output = out.data();
        k::table_for(set).convert(p, threads(1));
        int wrong = 0;
        for (std::size_t j = 0; j < q.size(); ++j)
            wrong += out[j] != std::fma(static_cast<float>(q[j]), 0.1f, 0.3f);
        CHECK(wrong == 0);
    }
}

TEST_CASE("a zero point that is taken off before the scaling leaves exactly 0, on every instruction set") {
    std::vector<std::uint8_t> q(1000);
    for (std::size_t j = 0; j < q.size(); ++j)
        q[j] = static_cast<std::uint8_t>(j % 256);
    k::post_operation scaling;
    scaling.kind = k::post_kind::scale_shift;
    scaling.beta = -0.0f;
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        CAPTURE(std::string(k::name_of(set)));
        for (const int zero_point : {1, 77, 131, 255}) {
            scaling.alpha = 0.0123f * static_cast<float>(zero_point);
            k::convert_problem p;
            p.channels = static_cast<std::int64_t>(q.size());
            p.input = q.data();
            p.input_type = k::element_kind::u8;
            p.input_layout = p.output_layout = {p.channels, p.channels, 1};
            p.finish.bias_all = static_cast<float>(-zero_point);
            p.finish.post = &scaling;
            p.finish.post_count = 1;
            p.finish.output_type = k::element_kind::f32;
            std::vector<float> out(q.size());
            p.output = out.data();
            k::table_for(set).convert(p, threads(1));
            int wrong = 0;
            for (std::size_t j = 0; j < q.size(); ++j)
                wrong += out[j] != static_cast<float>(q[j] - zero_point) * scaling.alpha;
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("every instruction set converts every type and layout to the scalar bits") {
    std::uint64_t seed = 0;
    const layout layouts[] = {layout::channels, layout::planes, layout::wide_channels};
    for (const k::element_kind type :
         {k::element_kind::f32, k::element_kind::u8, k::element_kind::i8, k::element_kind::i32}) {
        for (const layout from : layouts) {
            for (const layout to : layouts) {
                for (const std::int64_t channels : {1, 2, 3, 4, 16, 37, 300}) {
                    convert_case c{2, channels == 300 ? 3 : 19, channels, type, from, to, seed % 2 == 0};
                    c.epilogue = static_cast<int>(seed % epilogue_variants);
                    compare_all(c, ++seed);
                }
            }
        }
    }
}

namespace {

/// The elements of a tensor in another layout.
guarded<std::uint8_t> moved(const guarded<std::uint8_t>& elements, k::element_kind type, const convert_case& c,
                            layout from, layout to) {
    const k::element_layout in = describe(from, c.pixels, c.channels), out = describe(to, c.pixels, c.channels);
    const std::int64_t size = k::bytes_of(type);
    guarded<std::uint8_t> result(static_cast<std::size_t>(elements_of(out, c.batch, c.pixels, c.channels) * size));
    for (std::int64_t n = 0; n < c.batch; ++n) {
        for (std::int64_t i = 0; i < c.pixels; ++i) {
            for (std::int64_t channel = 0; channel < c.channels; ++channel)
                std::memcpy(
                    result.data() + (n * out.batch_stride + i * out.pixel_stride + channel * out.channel_stride) * size,
                    elements.data() + (n * in.batch_stride + i * in.pixel_stride + channel * in.channel_stride) * size,
                    static_cast<std::size_t>(size));
        }
    }
    return result;
}

}  // namespace

TEST_CASE("an epilogue gives each element the same bits, in whichever layouts it is read and written") {
    const convert_case sizes[] = {{1, 300, 37}, {2, 19, 16}, {1, 257, 3}};
    for (int variant = 0; variant <= epilogue_variants; ++variant) {
        for (convert_case c : sizes) {
            c.epilogue = variant % epilogue_variants;
            c.threads = 2;
            convert_data data(c, static_cast<std::uint64_t>(variant));
            k::epilogue& e = data.finish.value;
            if (variant == epilogue_variants) {  // more post operations than follow pixels
                data.finish.post.resize(9);
                for (k::post_operation& each : data.finish.post)
                    each = {.alpha = -1000, .beta = 1000};
                e.post = data.finish.post.data();
                e.post_count = 9;
            }
            const guarded<std::uint8_t> input = moved(data.input, c.input_type, c, layout::channels, layout::channels);
            for (const k::isa set : instruction_sets()) {
                CAPTURE(std::string(k::name_of(set)));
                CAPTURE(variant);
                CAPTURE(c.pixels);
                const auto run = [&](layout from, layout to) {
                    data.c.from = from;
                    data.c.to = to;
                    data.input = moved(input, c.input_type, c, layout::channels, from);
                    return moved(data.run(k::table_for(set)), e.output_type, c, to, layout::channels);
                };
                const guarded<std::uint8_t> expected = run(layout::channels, layout::channels);
                for (const auto& [from, to] :
                     {std::pair(layout::planes, layout::channels), std::pair(layout::channels, layout::planes),
                      std::pair(layout::planes, layout::planes)})
                    CHECK(first_difference(expected, run(from, to), e.output_type) == -1);
            }
        }
    }
}

namespace {

/// `count` elements side by side with the same constants, at an address that is `shift` elements past the start of a buffer.
struct line_case {
    k::element_kind from, to;
    std::int64_t count, shift;
    bool is_bounded, is_narrow;

    guarded<std::uint8_t> run(const k::kernel_table& table) const {
        generator random(static_cast<std::uint64_t>(count + shift));
        guarded<std::uint8_t> input = random_elements(random, from, shift + count);
        if (from == k::element_kind::f32) {
            const float inf = std::numeric_limits<float>::infinity();
            const float specials[] = {std::numeric_limits<float>::quiet_NaN(), inf, -inf, 3e38f, -3e38f, 2147483648.0f};
            for (std::int64_t i = 0; i < shift + count; i += 7)
                std::memcpy(input.data() + i * 4, &specials[i / 7 % 6], 4);
        }
        k::convert_problem p;
        p.channels = count;
        p.input = input.data() + shift * k::bytes_of(from);
        p.input_type = from;
        p.input_layout = p.output_layout = {count, count, 1};
        if (is_bounded) {
            p.input_low_all = -1.5f;
            p.input_high_all = 2.25f;
        }
        p.finish.scale_all = from == k::element_kind::f32 ? 70.3f : from == k::element_kind::i32 ? 0.002f : 1.37f;
        p.finish.bias_all = 11.25f;
        if (count == 191) p.finish.scale_all *= 3e6f;  // too large to be rounded without a clamp
        p.finish.output_type = to;
        p.finish.quant_low = to == k::element_kind::i8 ? -128 : 0;
        p.finish.quant_high = to == k::element_kind::i8 ? 127 : 255;
        if (is_narrow) {
            p.finish.quant_low += 5;
            p.finish.quant_high -= 60;
        }
        guarded<std::uint8_t> out = output_buffer(shift + count, to);
        p.output = out.data() + shift * k::bytes_of(to);
        table.convert(p, threads(static_cast<int>(1 + count % 3)));
        CHECK(out.front_is_intact());
        return out;
    }
};

}  // namespace

TEST_CASE("long lines with the same constants for all elements give the scalar bits") {
    using enum k::element_kind;
    for (const k::element_kind from : {f32, u8, i8, i32}) {
        for (const k::element_kind to : {u8, i8, f32}) {
            for (const std::int64_t count : {5, 64, 191, 16385}) {
                for (int variant = 0; variant < 4; ++variant) {
                    const line_case c{from, to, count, count % 3, variant % 2 != 0, variant / 2 != 0};
                    const guarded<std::uint8_t> expected = c.run(k::table_for(k::isa::scalar));
                    for (const k::isa set : instruction_sets()) {
                        CAPTURE(std::string(k::name_of(set)));
                        CAPTURE(count);
                        CAPTURE(variant);
                        CHECK(first_difference(expected, c.run(k::table_for(set)), to) == -1);
                    }
                }
            }
        }
    }
}

namespace {

/// Elements in the middle between two steps, and the numbers next to those, as QuantizeLinear counts them.
struct counted_case {
    std::int64_t batch, pixels, channels;
    layout from, to;
    k::element_kind type;
    bool per_channel;
    bool scales_first;
    float step;

    static float factor_of(std::int64_t channel) { return 0.75f + 0.5f * static_cast<float>(channel % 3); }
    static float divisor_of(std::int64_t channel) { return 0.0137f + 0.211f * static_cast<float>(channel % 11); }
    static int zero_point_of(std::int64_t channel) { return static_cast<int>(channel % 5) - 2; }
    static std::int64_t at(const k::element_layout& l, std::int64_t n, std::int64_t pixel, std::int64_t channel) {
        return n * l.batch_stride + pixel * l.pixel_stride + channel * l.channel_stride;
    }
    template <class Visit>
    void each(const Visit& visit) const {
        for (std::int64_t n = 0; n < batch; ++n)
            for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
                for (std::int64_t channel = 0; channel < channels; ++channel)
                    visit(n, pixel, channel);
    }
    /// How many elements are not saturate(round_half_even((x * factor + summand) / divisor) * step + zero point).
    int wrong(const k::kernel_table& table) const {
        const k::element_layout in = describe(from, pixels, channels);
        const k::element_layout out = describe(to, pixels, channels);
        guarded<float> input(static_cast<std::size_t>(elements_of(in, batch, pixels, channels)));
        const auto numbers = static_cast<std::size_t>(channels);
        guarded<float> factors(numbers), summands(numbers), divisors(numbers), zeros(numbers);
        for (std::int64_t c = 0; c < channels; ++c) {
            divisors.data()[c] = divisor_of(per_channel ? c : 0);
            zeros.data()[c] = static_cast<float>(zero_point_of(per_channel ? c : 3));
            factors.data()[c] = scales_first ? factor_of(per_channel ? c : 1) : 1;
            summands.data()[c] = scales_first ? 0.125f * zeros.data()[c] : 0;
        }
        std::int64_t count = 0;
        each([&](std::int64_t n, std::int64_t pixel, std::int64_t c) {
            const float steps = static_cast<float>(count % 300 - 150) + 0.5f;
            const float middle = steps * divisors.data()[c];
            const float inf = std::numeric_limits<float>::infinity();
            const float values[] = {middle, std::nextafter(middle, inf), std::nextafter(middle, -inf)};
            input.data()[at(in, n, pixel, c)] = values[count++ / 300 % 3];
        });
        k::post_operation post[3];
        post[0].kind = k::post_kind::divide;
        post[1].kind = k::post_kind::unary;
        post[1].function = k::unary_function::round_even;
        post[2].kind = k::post_kind::scale_shift;
        post[2].alpha = step;
        if (per_channel) {
            post[0].per_channel_a = divisors.data();
            post[2].per_channel_b = zeros.data();
        } else {
            post[0].alpha = divisors.data()[0];
            post[2].beta = zeros.data()[0];
        }
        k::convert_problem p;
        p.batch = batch;
        p.pixels = pixels;
        p.channels = channels;
        p.input = input.data();
        p.input_layout = in;
        p.output_layout = out;
        p.finish.post = post;
        p.finish.post_count = 3;
        if (scales_first && per_channel) {
            p.finish.scale = factors.data();
            p.finish.bias = summands.data();
        } else if (scales_first) {
            p.finish.scale_all = factors.data()[0];
            p.finish.bias_all = summands.data()[0];
        }
        p.finish.output_type = type;
        p.finish.quant_low = type == k::element_kind::i8 ? -128 : 0;
        p.finish.quant_high = type == k::element_kind::i8 ? 127 : 255;
        guarded<std::uint8_t> codes = output_buffer(elements_of(out, batch, pixels, channels), type);
        p.output = codes.data();
        table.convert(p, threads(2));
        int result = 0;
        each([&](std::int64_t n, std::int64_t pixel, std::int64_t c) {
            const float x = std::fma(input.data()[at(in, n, pixel, c)], factors.data()[c], summands.data()[c]);
            const float quotient = x / divisors.data()[c];
            const float code = std::min(std::max(std::nearbyint(quotient) * step + zeros.data()[c], p.finish.quant_low),
                                        p.finish.quant_high);
            const std::uint8_t byte = codes.data()[at(out, n, pixel, c)];
            result += static_cast<int>(code) !=
                      (type == k::element_kind::i8 ? static_cast<std::int8_t>(byte) : static_cast<int>(byte));
        });
        return result;
    }
};

}  // namespace

TEST_CASE(
    "what is scaled, divided, rounded and shifted is so to the last bit, in every layout, on every instruction set") {
    const layout layouts[] = {layout::channels, layout::planes, layout::wide_channels};
    for (const layout from : layouts) {
        for (const layout to : layouts) {
            for (const std::int64_t channels : {1, 3, 16, 37, 300}) {
                for (int variant = 0; variant < 16; ++variant) {
                    const k::element_kind type = variant % 2 == 0 ? k::element_kind::u8 : k::element_kind::i8;
                    const float step = (variant & 8) != 0 ? 2.0f : 1.0f;
                    const counted_case c{2,    4 + 1200 / channels, channels,           from, to,
                                         type, (variant & 2) != 0,  (variant & 4) != 0, step};
                    CAPTURE(channels);
                    CAPTURE(variant);
                    CHECK(c.wrong(k::table_for(k::isa::scalar)) == 0);
                    for (const k::isa set : instruction_sets()) {
                        CAPTURE(std::string(k::name_of(set)));
                        CHECK(c.wrong(k::table_for(set)) == 0);
                    }
                }
            }
        }
    }
}

#if defined(__x86_64__)
TEST_CASE("lines so long that they are stored past the caches give the same numbers, from any address on") {
    constexpr std::size_t count = 27000001;
    std::vector<std::uint8_t> input(count);
    for (std::size_t i = 0; i < count; ++i)
        input[i] = static_cast<std::uint8_t>(i);
    std::vector<float> expected(256);
    for (std::size_t i = 0; i < 256; ++i)
        expected[i] = std::fma(static_cast<float>(i), 0.37f, -3.5f);
    std::vector<float> out(count + 2);
    std::vector<std::uint8_t> back(count + 2);
    for (const k::isa set : instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        k::convert_problem p;
        p.channels = static_cast<std::int64_t>(count);
        p.input = input.data();
        p.input_type = k::element_kind::u8;
        p.input_layout = p.output_layout = {p.channels, p.channels, 1};
        p.finish.scale_all = 0.37f;
        p.finish.bias_all = -3.5f;
        p.finish.output_type = k::element_kind::f32;
        std::memset(out.data(), 0, out.size() * sizeof(float));
        p.output = out.data() + 1;
        k::table_for(set).convert(p, threads(2));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; i += 256)
            wrong += std::memcmp(out.data() + 1 + i, expected.data(), std::min<std::size_t>(256, count - i) * 4) != 0;
        CHECK(wrong == 0);
        CHECK(out[0] == 0);
        CHECK(out[count + 1] == 0);
        p.input = out.data() + 1;
        p.input_type = k::element_kind::f32;
        p.finish.scale_all = 1 / 0.37f;
        p.finish.bias_all = 3.5f / 0.37f;
        p.finish.output_type = k::element_kind::u8;
        std::memset(back.data(), 77, back.size());
        p.output = back.data() + 1;
        k::table_for(set).convert(p, threads(3));
        CHECK(std::memcmp(back.data() + 1, input.data(), count) == 0);
        CHECK(back[0] == 77);
        CHECK(back[count + 1] == 77);
    }
}
#endif

TEST_CASE("a change of layout puts each element where it belongs") {
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        const std::int64_t pixels = 5, channels = 3;
        std::vector<float> planes(static_cast<std::size_t>(pixels * channels));
        for (std::size_t j = 0; j < planes.size(); ++j)
            planes[j] = static_cast<float>(j);
        k::convert_problem p;
        p.pixels = pixels;
        p.channels = channels;
        p.input = planes.data();
        p.input_layout = describe(layout::planes, pixels, channels);
        p.output_layout = describe(layout::channels, pixels, channels);
        std::vector<std::uint8_t> out(planes.size());
        p.output = out.data();
        k::table_for(set).convert(p, threads(1));
        CHECK(out == std::vector<std::uint8_t>{0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14});
    }
}

TEST_CASE("conversion gives the same bits on 1 to 8 threads") {
    for (int count = 1; count <= 8; ++count) {
        for (const layout to : {layout::channels, layout::planes}) {
            convert_case c{1, 700, 6, k::element_kind::f32, layout::channels, to, true};
            c.threads = count;
            compare_all(c, 8);
        }
        convert_case picture{1, 700, 3, k::element_kind::f32, layout::planes, layout::channels, true};
        picture.threads = count;
        compare_all(picture, 9);
    }
}
