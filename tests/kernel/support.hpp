// SPDX-License-Identifier: Apache-2.0
// What the kernel tests share: memory that notices a read or write past its end, random data with extremes, and the instruction sets.
#pragma once

#include "tests/support/instruction_sets.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kernel_test {

namespace k = lpt::kernel;

/// The greater of two errors; one that is no number is greater than any.
inline double worse_of(double worst, double error) {
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
}

/// An array whose last byte is the last byte of a page; the next page cannot be accessed. What lies before it in memory is filled with
/// a pattern, `front_is_intact` says whether it still is.
template <class T>
class guarded {
    unsigned char* mapping_ = nullptr;
    std::size_t mapped_ = 0;
    std::size_t count_ = 0;
    T* data_ = nullptr;

    static constexpr unsigned char front_pattern = 0x5a;
    std::size_t front_bytes() const {
        return static_cast<std::size_t>(reinterpret_cast<const unsigned char*>(data_) - mapping_);
    }

public:
    explicit guarded(std::size_t count) : count_(count) {
        const std::size_t page = 65536;  // a multiple of every page size in use
        const std::size_t bytes = count * sizeof(T);
        mapped_ = (bytes + page - 1) / page * page + page;
        void* at = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) throw std::runtime_error("mmap failed");
        mapping_ = static_cast<unsigned char*>(at);
        mprotect(mapping_ + mapped_ - page, page, PROT_NONE);
        data_ = reinterpret_cast<T*>(mapping_ + mapped_ - page - bytes);
        std::memset(mapping_, front_pattern, front_bytes());
    }
    guarded(guarded&& other) noexcept { swap(other); }
    guarded& operator=(guarded&& other) noexcept {
        swap(other);
        return *this;
    }
    ~guarded() {
        if (mapping_ != nullptr) munmap(mapping_, mapped_);
    }
    void swap(guarded& o) noexcept {
        std::swap(mapping_, o.mapping_);
        std::swap(mapped_, o.mapped_);
        std::swap(count_, o.count_);
        std::swap(data_, o.data_);
    }
    bool front_is_intact() const {
        for (std::size_t i = 0; i < front_bytes(); ++i) {
            if (mapping_[i] != front_pattern) return false;
        }
        return true;
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return count_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
};

/// A small generator with the same numbers everywhere.
class generator {
    std::uint64_t state_;

public:
    explicit generator(std::uint64_t seed) : state_(seed * 2654435769u + 88172645463325252u) {}
    std::uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::uint32_t>(state_ >> 16);
    }
    std::int64_t below(std::int64_t limit) {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
    }
    float real(float low, float high) { return low + (high - low) * static_cast<float>(next() % 65536) / 65535.0f; }
    /// Bytes, one in four an extreme of u8 or i8.
    std::uint8_t byte() {
        const std::uint8_t extremes[] = {0, 255, 127, 128};
        const std::uint32_t r = next();
        return r % 4 == 0 ? extremes[r / 4 % 4] : static_cast<std::uint8_t>(r >> 8);
    }
};

inline guarded<std::uint8_t> random_bytes(generator& random, std::int64_t count) {
    guarded<std::uint8_t> bytes(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = random.byte();
    return bytes;
}
inline guarded<float> random_floats(generator& random, std::int64_t count, float low, float high) {
    guarded<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = random.real(low, high);
    return values;
}

/// Elements of a type, stored as bytes.
inline guarded<std::uint8_t> random_elements(generator& random, k::element_kind type, std::int64_t count) {
    if (type == k::element_kind::u8 || type == k::element_kind::i8) return random_bytes(random, count);
    if (type == k::element_kind::i4) {
        guarded<std::uint8_t> weights = random_bytes(random, count);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = static_cast<std::uint8_t>((weights[i] & 15) - 8);
        return weights;
    }
    guarded<std::uint8_t> bytes(static_cast<std::size_t>(count * 4));
    for (std::int64_t i = 0; i < count; ++i) {
        const float f = random.real(-3, 3);
        const std::int32_t n = static_cast<std::int32_t>(random.below(200001)) - 100000;
        if (type == k::element_kind::f32)
            std::memcpy(bytes.data() + i * 4, &f, 4);
        else
            std::memcpy(bytes.data() + i * 4, &n, 4);
    }
    return bytes;
}

/// Runs tasks on as many threads as there are tasks.
inline void run_on_threads(void*, int tasks, void (*task)(void*, int), void* context) {
    std::vector<std::thread> threads;
    for (int i = 1; i < tasks; ++i)
        threads.emplace_back(task, context, i);
    task(context, 0);
    for (std::thread& thread : threads)
        thread.join();
}
inline k::parallel_for threads(int count) {
    k::parallel_for parallel;
    parallel.threads = count;
    parallel.run = count > 1 ? &run_on_threads : nullptr;
    return parallel;
}

/// The instruction sets to compare with the scalar definition.
inline const std::vector<k::isa>& instruction_sets() {
    static const std::vector<k::isa> sets = [] {
        std::vector<k::isa> found = lpt::support::available_instruction_sets();
        found.erase(found.begin());
        return found;
    }();
    return sets;
}

/// Where two buffers of elements differ, or -1. All NaN are equal.
inline std::int64_t first_difference(const guarded<std::uint8_t>& a, const guarded<std::uint8_t>& b,
                                     k::element_kind type) {
    if (a.size() != b.size()) return 0;
    const std::int64_t size = k::bytes_of(type);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(a.size()); i += size) {
        if (std::memcmp(a.data() + i, b.data() + i, static_cast<std::size_t>(size)) == 0) continue;
        if (type == k::element_kind::f32) {
            float x, y;
            std::memcpy(&x, a.data() + i, 4);
            std::memcpy(&y, b.data() + i, 4);
            if (std::isnan(x) && std::isnan(y)) continue;
        }
        return i / size;
    }
    return -1;
}

inline guarded<std::uint8_t> output_buffer(std::int64_t elements, k::element_kind type) {
    guarded<std::uint8_t> bytes(static_cast<std::size_t>(elements * k::bytes_of(type)));
    std::memset(bytes.data(), 0xa5, bytes.size());
    return bytes;
}

/// An epilogue with the arrays that it points at.
struct epilogue_data {
    guarded<float> scale{1}, bias{1}, slope{1}, multiply{1}, add{1};
    guarded<std::uint8_t> residual{1};
    std::vector<k::post_operation> post;
    k::epilogue value;
    std::string name;
};

/// Number of different epilogues that `make_epilogue` makes.
inline constexpr int epilogue_variants = 25;

/// Epilogues of all kinds; `typical` is the size of the accumulators that shall land in the middle of the output range.
inline epilogue_data make_epilogue(generator& random, int variant, std::int64_t rows, std::int64_t channels,
                                   float typical) {
    epilogue_data e;
    const float s = 60.0f / typical;
    e.scale = random_floats(random, channels, s * 0.5f, s * 1.5f);
    e.bias = random_floats(random, channels, -20, 140);
    e.slope = random_floats(random, channels, -0.5f, 0.5f);
    e.multiply = random_floats(random, channels, 0.5f, 2);
    e.add = random_floats(random, channels, -30, 30);
    e.value.scale = e.scale.data();
    e.value.bias = e.bias.data();
    const auto residual = [&](k::post_kind kind, k::element_kind type, std::int64_t stride, float alpha, float beta) {
        e.residual = random_elements(random, type, (rows - 1) * stride + channels);
        k::post_operation step;
        step.kind = kind;
        step.residual_type = type;
        step.residual = e.residual.data();
        step.residual_row_stride = stride;
        step.alpha = alpha;
        step.beta = beta;
        e.post.push_back(step);
    };
    const auto clamp = [&](float low, float high) {
        k::post_operation step;
        step.alpha = low;
        step.beta = high;
        e.post.push_back(step);
    };
    const auto scale_shift = [&](const float* a, const float* b, float all_a, float all_b) {
        k::post_operation step;
        step.kind = k::post_kind::scale_shift;
        step.per_channel_a = a;
        step.per_channel_b = b;
        step.alpha = all_a;
        step.beta = all_b;
        e.post.push_back(step);
    };
    const auto function = [&](k::unary_function f) {
        k::post_operation step;
        step.kind = k::post_kind::unary;
        step.function = f;
        e.post.push_back(step);
    };
    const auto signed_output = [&] {
        e.value.output_type = k::element_kind::i8;
        e.value.quant_low = -128;
        e.value.quant_high = 127;
    };
    switch (variant) {
        case 0: e.name = "requantize to u8"; break;
        case 1:
            e.name = "requantize to i8";
            signed_output();
            break;
        case 2:
            e.name = "one scale, narrowed range";
            e.value.scale = nullptr;
            e.value.bias = nullptr;
            e.value.scale_all = s;
            e.value.bias_all = 100.5f;
            e.value.quant_low = 7;
            e.value.quant_high = 200;
            break;
        case 3:
            e.name = "accumulators";
            e.value.output_type = k::element_kind::i32;
            break;
        case 4:
            e.name = "floats";
            e.value.output_type = k::element_kind::f32;
            break;
        case 5:
            e.name = "clamp, scale, shift";
            {
                clamp(0, 77.7f);
                k::post_operation step;
                step.kind = k::post_kind::scale_shift;
                step.per_channel_a = e.multiply.data();
                step.per_channel_b = e.add.data();
                e.post.push_back(step);
                break;
            }
        case 6:
            e.name = "prelu per channel to i8";
            {
                signed_output();
                k::post_operation step;
                step.kind = k::post_kind::prelu;
                step.per_channel_a = e.slope.data();
                e.post.push_back(step);
                break;
            }
        case 7:
            e.name = "u8 residual, relu";
            residual(k::post_kind::add_residual, k::element_kind::u8, channels, 0.7f, 0);
            clamp(0, 1e30f);
            break;
        case 8:
            e.name = "i8 residual with gaps";
            signed_output();
            residual(k::post_kind::add_residual, k::element_kind::i8, channels + 5, -0.3f, 0);
            break;
        case 9:
            e.name = "f32 residual with gaps, floats";
            e.value.output_type = k::element_kind::f32;
            residual(k::post_kind::add_residual, k::element_kind::f32, channels + rows % 2 * 3, 11, 0);
            break;
        case 10:
            e.name = "multiplied by u8 residual";
            residual(k::post_kind::multiply_residual, k::element_kind::u8, channels, 0.01f, -0.3f);
            break;
        case 11:
            e.name = "swish of a repeated row, rescaled";
            {
                residual(k::post_kind::add_residual, k::element_kind::i32, 0, 0.001f, 0);
                k::post_operation scale;
                scale.kind = k::post_kind::scale_shift;
                scale.alpha = 0.05f;
                scale.beta = -4;
                e.post.push_back(scale);
                k::post_operation step;
                step.kind = k::post_kind::unary;
                step.function = k::unary_function::swish;
                step.alpha = 1;
                e.post.push_back(step);
                scale.alpha = 20;
                scale.beta = 3;
                e.post.push_back(scale);
                break;
            }
        case 12:
            e.name = "scales so large that rounding needs the clamp before it";
            for (std::size_t c = 0; c < e.scale.size(); ++c)
                e.scale[c] = c % 3 == 0 ? 3e5f : c % 3 == 1 ? -3e38f : e.scale[c];
            e.bias[e.bias.size() - 1] = std::numeric_limits<float>::quiet_NaN();
            break;
        case 13:
            e.name = "range of i8 narrowed on both sides";
            signed_output();
            e.value.quant_low = -100;
            e.value.quant_high = 31;
            break;
        case 14:
        case 15:
        case 16:
        case 17: {
            const k::element_kind types[] = {k::element_kind::u8, k::element_kind::i8, k::element_kind::f32,
                                             k::element_kind::i32};
            const k::element_kind type = types[variant - 14];
            e.name = "a quantization, a residual of type " + std::to_string(static_cast<int>(type)) + ", the next one";
            clamp(-40.25f, 190.5f);
            function(k::unary_function::round_even);
            scale_shift(nullptr, nullptr, 0.03125f, -2.5f);
            residual(k::post_kind::add_residual, type, channels + 3, type == k::element_kind::i32 ? 1e-4f : 0.017f, 0);
            if (variant % 2 == 0)
                scale_shift(e.multiply.data(), e.add.data(), 0, 0);
            else
                scale_shift(nullptr, nullptr, 17.5f, 30);
            if (variant == 15) signed_output();
            break;
        }
        case 18:
            e.name = "clamp, scale per channel, to a narrow range of i8";
            signed_output();
            e.value.quant_low = -90;
            clamp(-1e38f, 55);
            scale_shift(e.multiply.data(), nullptr, 0, -20.5f);
            break;
        case 19:
            e.name = "hswish, scale, shift per channel";
            scale_shift(nullptr, nullptr, 0.05f, -4);
            function(k::unary_function::hswish);
            scale_shift(e.multiply.data(), e.add.data(), 0, 0);
            break;
        case 20:
            e.name = "gelu, a quantization, floats";
            e.value.output_type = k::element_kind::f32;
            function(k::unary_function::gelu_erf);
            scale_shift(nullptr, nullptr, 0.7f, 11);
            clamp(0, 255);
            function(k::unary_function::round_even);
            scale_shift(nullptr, nullptr, 0.3f, -9);
            break;
        case 21:
            e.name = "two functions and more steps than tiles keep";
            for (int i = 0; i < 9; ++i)
                scale_shift(nullptr, nullptr, 1.0625f, -1);
            function(k::unary_function::tanh);
            scale_shift(nullptr, nullptr, 100, 100);
            function(k::unary_function::abs);
            break;
        case 22:
            e.name = "scales that exceed 32 bits before the known steps";
            for (std::size_t c = 0; c < e.scale.size(); ++c)
                e.scale[c] = c % 3 == 0 ? 3e5f : c % 3 == 1 ? -3e38f : e.scale[c];
            e.bias[e.bias.size() - 1] = std::numeric_limits<float>::quiet_NaN();
            clamp(-1e38f, 1e38f);
            scale_shift(e.multiply.data(), nullptr, 0, 3);
            break;
        case 23:
            e.name = "divided per channel and rounded, shifted";
            function(k::unary_function::round_even);
            scale_shift(nullptr, nullptr, 1, 7);
            e.post.insert(e.post.begin(), e.post.front());
            e.post.front().kind = k::post_kind::divide;
            e.post.front().per_channel_a = e.multiply.data();
            break;
        case 24:
            e.name = "a quantization, then another one per channel, NaN among its scales";
            e.bias[e.bias.size() - 1] = std::numeric_limits<float>::quiet_NaN();
            clamp(3, 190);
            function(k::unary_function::round_even);
            scale_shift(e.multiply.data(), e.add.data(), 0, 0);
            break;
        default: break;
    }
    e.value.post = e.post.data();
    e.value.post_count = static_cast<int>(e.post.size());
    return e;
}

/// The same epilogue for a kernel that has floats in place of accumulators and cannot store those.
inline void avoid_accumulators(epilogue_data& e) {
    if (e.value.output_type == k::element_kind::i32) e.value.output_type = k::element_kind::f32;
}

/// The epilogue of one value, written down once more from its documentation, for the kinds without functions.
inline double plain_requantize(float x, float scale, float bias, float low, float high) {
    const float v = std::fma(x, scale, bias);
    const float clamped = std::isnan(v) ? low : std::fmin(std::fmax(v, low), high);
    return std::nearbyint(clamped);
}

}  // namespace kernel_test
