// SPDX-License-Identifier: Apache-2.0
// How sums of channels that do not lie side by side become results: convolutions whose vectors of bytes are put together inside
// 128-bit parts.
#pragma once

#include <lpt/kernel/dot.hpp>
#include <lpt/kernel/store.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Some of the channels of a convolution.
struct channel_span {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Slot order of a block of 4 * lanes channels: slot (vector v, part l, element e) is channel 16 l + 4 v + e, which is the order that
/// packing to bytes takes back.
template <class Isa, dot_products Dot = dot_of_four<Isa>, byte_lanes Simd = lanes<Isa>>
struct slot_store {
    using simd = Simd;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    using dot = Dot;
    using accumulator = typename dot::accumulator;
    static constexpr std::int64_t block = 4 * dot::lanes;
    static constexpr std::int64_t staged_pixels = 16;  // of a buffer of scaled sums

    /// Place of a channel of a block.
    static std::int64_t slot(std::int64_t channel) noexcept {
        return channel % 16 / 4 * dot::lanes + channel / 16 * 4 + channel % 4;
    }

    /// What holds for a block of channels.
    struct constants {
        std::int64_t channel = 0;
        std::int64_t count = 0;
        bool bytes = false;  // sums go straight to bytes
        bool fixed = false;  // in fixed point
        bool activated = false;  // or through a function and a scale
        bool staged = false;  // or to a buffer, of which `column_store` takes them
        bool limited = false;
        std::int32_t low = 0;
        std::int32_t high = 0;
        alignas(64) std::int32_t start[block];  // of the sums
        alignas(64) float scale[block];
        alignas(64) float bias[block];
        typename simd::fixed_factors factors[4];  // in fixed point, whose bias is in `start`
        std::int32_t offset = 0;
        post_operation function;  // of what is activated, and then:
        alignas(64) float last_scale[block];
        alignas(64) float last_bias[block];
        column_steps steps;
    };

    /// The numbers of an epilogue that hold for all channels.
    static void fill(step_numbers<block>& of_all, const epilogue& e) noexcept {
        if (is_staged(e)) column_store<Isa>::fill(of_all, e);
    }

    /// `sums`: of each slot's weights; `zero_point`: of the image, as the dot product sees its bytes. `copies` is for numbers of the
    /// last block, which may not be whole.
    static void prepare(const epilogue& e, const channel_span& channels, const std::int32_t* sums,
                        std::int32_t zero_point, std::int64_t products, const step_numbers<block>& of_all,
                        step_numbers<block>& copies, constants& to) noexcept {
        to.channel = channels.first;
        to.count = channels.count;
        const ints factor = simd::broadcast_int(static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(zero_point)));
        for (std::int64_t i = 0; i < block; i += simd::width)
            simd::store_int(to.start + i, simd::multiply_int(simd::load_int(sums + i), factor));
        to.fixed = e.fixed != nullptr && e.fixed->shifts;
        to.bytes = to.fixed || finish<Isa>::requantizes_directly(e, to.channel, to.channel + to.count, products);
        to.activated = !to.bytes && is_activation(e);
        to.staged = !to.bytes && !to.activated && is_staged(e);
        if (!to.bytes && !to.activated && !to.staged) return;
        if (to.staged) column_store<Isa>::find(e, of_all, to.channel, to.count, block, copies, to.steps);
        to.low = static_cast<std::int32_t>(e.quant_low);
        to.high = static_cast<std::int32_t>(e.quant_high);
        to.limited = to.high - to.low < 255;
        if (to.fixed) {
            prepare_fixed(*e.fixed, to);
            return;
        }
        put_in_slots<float>(e.scale, e.scale_all, to.channel, to.count, to.scale);
        put_in_slots<float>(e.bias, e.bias_all, to.channel, to.count, to.bias);
        if (to.activated) {
            const bool scales = e.post_count == 2;
            const post_operation& last = e.post[e.post_count - 1];
            to.function = e.post[0];
            put_in_slots<float>(scales ? last.per_channel_a : nullptr, scales ? last.alpha : 1.0f, to.channel, to.count,
                                to.last_scale);
            put_in_slots<float>(scales ? last.per_channel_b : nullptr, scales ? last.beta : -0.0f, to.channel, to.count,
                                to.last_bias);
        }
    }

    static void prepare_fixed(const fixed_point& f, constants& to) noexcept {
        alignas(64) std::int32_t bias[block], multiplier[block], right[block];
        put_in_slots<std::int32_t>(f.bias, 0, to.channel, to.count, bias);
        put_in_slots<std::int32_t>(f.multiplier, 0, to.channel, to.count, multiplier);
        put_in_slots<std::int32_t>(f.right, 0, to.channel, to.count, right);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
            const int at = v * dot::lanes;
            simd::store_int(to.start + at, simd::add_int(simd::load_int(to.start + at), simd::load_int(bias + at)));
            to.factors[v] = simd::factors_of(simd::load_int(multiplier + at), simd::load_int(right + at));
        }
        to.offset = f.zero_point;
    }

    /// The sums of `Pixels` pixels side by side, the first of which is `row` of the epilogue; what is staged goes to `staged`.
    template <int Pixels>
    [[gnu::always_inline]] static void store(const convolution_problem& problem, const constants& w,
                                             accumulator (&sum)[Pixels][4], std::int64_t row, float* staged) noexcept {
        const epilogue& e = problem.finish;
        unsigned char* const to = static_cast<unsigned char*>(problem.output) +
                                  (row * problem.output_pixel_stride + w.channel) * bytes_of(e.output_type);
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                dot::settle(sum[p][v]);
        }
        if (w.fixed) {
            store_fixed<Pixels>(w, sum, to, problem.output_pixel_stride);
            return;
        }
        if (w.bytes) {
            store_bytes<Pixels>(w, sum, e.output_type == element_kind::i8, to, problem.output_pixel_stride);
            return;
        }
        alignas(64) std::int32_t slots[Pixels * block];
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p) {
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                dot::store(slots + p * block + v * dot::lanes, sum[p][v]);
        }
        if (w.activated)
            activate(w, slots, Pixels, e.output_type == element_kind::i8, to, problem.output_pixel_stride);
        else if (w.staged)
            stage(w, slots, Pixels, staged);
        else
            store_others(problem, w, slots, Pixels, row, to);
    }

    /// What was staged of `pixels` pixels from row `row` of the epilogue on.
    static void finish_staged(const convolution_problem& problem, const constants& w, float* staged, std::int64_t row,
                              std::int64_t pixels) noexcept {
        const epilogue& e = problem.finish;
        const std::int64_t element = bytes_of(e.output_type);
        const std::int64_t pixel_bytes = problem.output_pixel_stride * element;
        column_store<Isa>::finish_rows(
            e, w.steps, {row, 1}, pixels, block, staged, w.count,
            static_cast<unsigned char*>(problem.output) + row * pixel_bytes + w.channel * element, pixel_bytes);
    }

private:
    /// A function that most layers have, then at most a scale and a shift, to bytes.
    static bool is_activation(const epilogue& e) noexcept {
        if (e.output_type != element_kind::u8 && e.output_type != element_kind::i8) return false;
        const bool scales = e.post_count == 2 && e.post[1].kind == post_kind::scale_shift;
        if ((e.post_count != 1 && !scales) || e.post[0].kind != post_kind::unary) return false;
        const unary_function f = e.post[0].function;
        return f == unary_function::hswish || f == unary_function::swish || f == unary_function::gelu_erf;
    }

    static bool is_staged(const epilogue& e) noexcept {
        return e.fixed == nullptr && e.output_type != element_kind::i32 && e.post_count <= column_steps::most;
    }

    /// The numbers of a block's channels, or one for all, at the places of the channels; neighbouring four stay side by side.
    template <class Number>
    static void put_in_slots(const Number* array, Number all, std::int64_t channel, std::int64_t count,
                             Number* slots) noexcept {
        if (array == nullptr || count < block) {
            for (std::int64_t i = 0; i < block; ++i)
                slots[i] = all;
        }
        if (array == nullptr) return;
        if constexpr (block == 64) {  // 4 x 4 parts, of which rows become columns
            if (count == block) {
                floats x[4];
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v)
                    x[v] = simd::load(reinterpret_cast<const float*>(array + channel) + v * dot::lanes);
                simd::order_parts(x);
#pragma GCC unroll 4
                for (int v = 0; v < 4; ++v)
                    simd::store(reinterpret_cast<float*>(slots) + v * dot::lanes, x[v]);
                return;
            }
        }
        std::int64_t c = 0;
        for (; c + 4 <= count; c += 4)
            std::memcpy(slots + slot(c), array + channel + c, 16);
        for (; c < count; ++c)
            slots[slot(c)] = array[channel + c];
    }

    template <int Pixels>
    [[gnu::always_inline]] static void store_bytes(const constants& w, accumulator (&sum)[Pixels][4], bool is_signed,
                                                   unsigned char* to, std::int64_t stride) noexcept {
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p) {
            ints q[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v) {
                const auto scale = simd::load(w.scale + v * dot::lanes);
                const auto bias = simd::load(w.bias + v * dot::lanes);
                q[v] = simd::round_to_int(simd::fma(simd::to_float(ints(dot::bits(sum[p][v]))), scale, bias));
            }
            store_packed(w, q, is_signed, to + p * stride);
        }
    }

    template <int Pixels>
    [[gnu::always_inline]] static void store_fixed(const constants& w, accumulator (&sum)[Pixels][4], unsigned char* to,
                                                   std::int64_t stride) noexcept {
        const ints offset = simd::broadcast_int(w.offset);
#pragma GCC unroll 4
        for (int p = 0; p < Pixels; ++p) {
            const ints x[4] = {ints(dot::bits(sum[p][0])), ints(dot::bits(sum[p][1])), ints(dot::bits(sum[p][2])),
                               ints(dot::bits(sum[p][3]))};
            ints q[4];
            codes_of<simd>(x, w.factors, offset, q);
            store_packed(w, q, true, to + p * stride);
        }
    }

    /// `slots`: of so many pixels side by side.
    [[gnu::noinline]] static void activate(const constants& w, const std::int32_t* slots, std::int64_t pixels,
                                           bool is_signed, unsigned char* to, std::int64_t stride) noexcept {
        using functions = unary<Isa>;
        using numbers = typename lanes<Isa>::floats;
        const numbers alpha = lanes<Isa>::broadcast(w.function.alpha);
        switch (w.function.function) {
            case unary_function::hswish:
                return activate_by(w, slots, pixels, is_signed, to, stride,
                                   [](numbers v) { return functions::hswish(v); });
            case unary_function::swish:
                return activate_by(w, slots, pixels, is_signed, to, stride,
                                   [alpha](numbers v) { return functions::swish(v, alpha); });
            default:
                return activate_by(w, slots, pixels, is_signed, to, stride,
                                   [](numbers v) { return functions::gelu_erf(v); });
        }
    }
    /// Functions are of vectors of full width, whatever that of a block's vectors is.
    template <class Function>
    [[gnu::always_inline]] static void activate_by(const constants& w, const std::int32_t* slots, std::int64_t pixels,
                                                   bool is_signed, unsigned char* to, std::int64_t stride,
                                                   const Function& f) noexcept {
        using full = lanes<Isa>;
        static_assert(block % full::width == 0);
        const auto low = full::broadcast(static_cast<float>(w.low));
        const auto high = full::broadcast(static_cast<float>(w.high));
        for (std::int64_t p = 0; p < pixels; ++p, slots += block, to += stride) {
            alignas(64) std::int32_t rounded[block];
#pragma GCC unroll 4
            for (int at = 0; at < block; at += full::width) {
                const auto x = full::fma(full::to_float(full::load_int(slots + at)), full::load(w.scale + at),
                                         full::load(w.bias + at));
                const auto last = full::fma(f(x), full::load(w.last_scale + at), full::load(w.last_bias + at));
                full::store_int(rounded + at, full::round_for_packing(last, low, high));
            }
            const ints q[4] = {simd::load_int(rounded), simd::load_int(rounded + dot::lanes),
                               simd::load_int(rounded + 2 * dot::lanes), simd::load_int(rounded + 3 * dot::lanes)};
            store_packed(w, q, is_signed, to);
        }
    }
    [[gnu::always_inline]] static void store_packed(const constants& w, const ints (&q)[4], bool is_signed,
                                                    unsigned char* to) noexcept {
        auto packed = is_signed ? simd::template pack_in_parts<true>(q[0], q[1], q[2], q[3])
                                : simd::template pack_in_parts<false>(q[0], q[1], q[2], q[3]);
        if (w.limited) {
            packed = is_signed ? simd::template limit<true>(packed, w.low, w.high)
                               : simd::template limit<false>(packed, w.low, w.high);
        }
        simd::store_first(to, packed, w.count);
    }

    /// Scaled sums, back in the order of the channels. `slots`: of so many pixels side by side.
    [[gnu::noinline]] static void stage(const constants& w, const std::int32_t* slots, std::int64_t pixels,
                                        float* to) noexcept {
        for (std::int64_t p = 0; p < pixels * block; p += block) {
            floats x[4];
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v) {
                const int at = v * dot::lanes;
                x[v] = simd::fma(simd::to_float(simd::load_int(slots + p + at)), simd::load(w.scale + at),
                                 simd::load(w.bias + at));
            }
            simd::order_parts(x);
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v)
                simd::store(to + p + v * dot::lanes, x[v]);
        }
    }

    /// Sums that stay sums, and epilogues of very many steps.
    [[gnu::noinline]] static void store_others(const convolution_problem& problem, const constants& w,
                                               const std::int32_t* slots, std::int64_t pixels, std::int64_t row,
                                               unsigned char* to) noexcept {
        alignas(64) std::int32_t sums[4 * block];
        for (std::int64_t i = 0; i < pixels * block; i += 4)
            std::memcpy(sums + i, slots + i / block * block + slot(i % block), 16);
        finish<Isa>::tile(problem.finish, sums, block, pixels, row, w.channel, w.count, to,
                          problem.output_pixel_stride);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
