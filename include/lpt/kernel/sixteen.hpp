// SPDX-License-Identifier: Apache-2.0
// Sixteen numbers in as many vectors as that takes. Sums over memory are kept in sixteen partial ones and added up in one order, so that
// they have the same bits on every instruction set.
#pragma once

#include <lpt/kernel/lanes.hpp>

#include <cstring>

namespace lpt::inline LPT_ABI::kernel {

/// Element i of the sixteen is element i of memory.
template <class Isa>
    requires vector_lanes<lanes<Isa>>
struct sixteen {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = 16;
    static constexpr int parts = 16 / simd::width;
    floats part[parts];

    [[gnu::always_inline]] static sixteen broadcast(float value) noexcept {
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = simd::broadcast(value);
        return result;
    }
    [[gnu::always_inline]] static sixteen load(const float* from) noexcept {
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = simd::load(from + i * simd::width);
        return result;
    }
    /// The first `count` (<= 16) numbers, then `rest`; nothing past them is read.
    [[gnu::always_inline]] static sixteen load_first(const float* from, std::int64_t count, float rest) noexcept {
        if (count >= width) return load(from);
        float whole[width];
        for (std::int64_t i = 0; i < width; ++i)
            whole[i] = i < count ? from[i] : rest;
        return load(whole);
    }
    [[gnu::always_inline]] void store(float* to) const noexcept {
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            simd::store(to + i * simd::width, part[i]);
    }
    [[gnu::always_inline]] void store_first(float* to, std::int64_t count) const noexcept {
        if (count >= width) return store(to);
        float whole[width];
        store(whole);
        for (std::int64_t i = 0; i < count; ++i)
            to[i] = whole[i];
    }

    /// f(vector) for each vector.
    template <class Function>
    [[gnu::always_inline]] sixteen map(const Function& f) const noexcept {
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = f(part[i]);
        return result;
    }
    /// f(vector, vector of the other) for each vector.
    template <class Function>
    [[gnu::always_inline]] sixteen map(const sixteen& other, const Function& f) const noexcept {
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = f(part[i], other.part[i]);
        return result;
    }
    [[gnu::always_inline]] friend sixteen operator+(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::add(x, y); });
    }
    [[gnu::always_inline]] friend sixteen operator-(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::subtract(x, y); });
    }
    [[gnu::always_inline]] friend sixteen operator*(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::multiply(x, y); });
    }
    [[gnu::always_inline]] friend sixteen operator/(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::divide(x, y); });
    }
    [[gnu::always_inline]] static sixteen larger(const sixteen& a, const sixteen& b) noexcept {
        return a.map(b, [](floats x, floats y) { return simd::at_least(x, y); });
    }

    /// The first `count` of one, the others of another.
    [[gnu::always_inline]] static sixteen first_of(std::int64_t count, const sixteen& first,
                                                   const sixteen& others) noexcept {
        static constexpr float inside[2 * width] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        const sixteen mask = load(inside + width - count);
        sixteen result;
#pragma GCC unroll 16
        for (int i = 0; i < parts; ++i)
            result.part[i] = simd::select(simd::less(simd::broadcast(0), mask.part[i]), first.part[i], others.part[i]);
        return result;
    }

    /// One number: neighbours 8, then 4, 2 and 1 apart are joined by f, of two numbers or of two vectors of four.
    template <class Function>
    [[gnu::always_inline]] float fold(Function f) const noexcept {
        using four [[gnu::vector_size(16)]] = float;
        float whole[width];
        store(whole);
        four quarters[4];
        std::memcpy(quarters, whole, sizeof whole);
        const four all = f(f(quarters[0], quarters[2]), f(quarters[1], quarters[3]));
        return f(f(all[0], all[2]), f(all[1], all[3]));
    }
    [[gnu::always_inline]] float sum() const noexcept {
        return fold([](auto a, auto b) { return a + b; });
    }
    [[gnu::always_inline]] float largest() const noexcept {
        return fold([](auto a, auto b) { return a > b ? a : b; });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
