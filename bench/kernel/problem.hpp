// SPDX-License-Identifier: Apache-2.0
// Kernel problems with memory of their own, ready to run.
#pragma once

#include "bench/kernel/shapes.hpp"

#include <lpt/kernel/dispatch.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

/// Bytes that start at a cache line, as `packed` ones and tensors of the library do.
struct aligned_bytes {
    std::vector<unsigned char> storage;
    unsigned char* data;

    explicit aligned_bytes(std::size_t count, unsigned char value = 1) : storage(count + 64, value) {
        const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
        data = storage.data() + (64 - address % 64) % 64;
    }
    aligned_bytes(const aligned_bytes&) = delete;
    aligned_bytes& operator=(const aligned_bytes&) = delete;

    /// The same pseudorandom bytes everywhere.
    void randomize(std::size_t count) {
        std::uint32_t state = 12345;
        for (std::size_t i = 0; i < count; ++i) {
            state = state * 1664525u + 1013904223u;
            data[i] = static_cast<unsigned char>(state >> 24);
        }
    }
    /// The same in [-8, 7].
    void limit_to_four_bits(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            data[i] = static_cast<unsigned char>((data[i] & 15) - 8);
    }
};

/// Element types of A, B and C.
struct type_triple {
    k::element_kind a = k::element_kind::u8, b = k::element_kind::i8, c = k::element_kind::u8;

    static const char* name(k::element_kind kind) {
        switch (kind) {
            case k::element_kind::u8: return "u8";
            case k::element_kind::i8: return "i8";
            case k::element_kind::i32: return "i32";
            case k::element_kind::f32: return "f32";
            case k::element_kind::i4: return "i4";
        }
        return "";
    }
    std::string name() const { return std::string(name(a)) + name(b) + "_" + name(c); }
    bool is_float() const { return a == k::element_kind::f32; }
};

inline std::size_t byte_count(std::int64_t elements, k::element_kind kind) {
    return static_cast<std::size_t>(elements * k::bytes_of(kind));
}

/// Per-channel scales and biases; the output's range is the type's.
struct finish_data {
    std::vector<float> scale, bias;
    k::epilogue value;

    finish_data(std::int64_t channels, std::int64_t depth, k::element_kind output)
        : scale(static_cast<std::size_t>(channels), 0.5f / static_cast<float>(depth)),
          bias(static_cast<std::size_t>(channels), 10.0f) {
        value.scale = scale.data();
        value.bias = bias.data();
        value.output_type = output;
        if (output == k::element_kind::i8) {
            value.quant_low = -128;
            value.quant_high = 127;
        }
    }
};

class gemm_case {
    const k::kernel_table& table_;
    k::parallel_for parallel_;
    k::gemm_problem problem_;

public:
    aligned_bytes a, b, c, packed;
    finish_data finish;

    gemm_case(k::isa set, const gemm_shape& s, const type_triple& types, const k::parallel_for& parallel)
        : table_(k::table_for(set)),
          parallel_(parallel),
          a(byte_count(s.m * s.k, types.a)),
          b(byte_count(s.k * s.n, types.b)),
          c(byte_count(s.m * s.n, types.c)),
          packed(table_.packed_gemm_bytes(types.b, s.k, s.n)),
          finish(s.n, s.k, types.c) {
        if (!types.is_float()) {
            a.randomize(byte_count(s.m * s.k, types.a));
            b.randomize(byte_count(s.k * s.n, types.b));
            if (types.b == k::element_kind::i4) b.limit_to_four_bits(byte_count(s.k * s.n, types.b));
        }
        k::gemm_weights weights;
        weights.data = b.data;
        weights.type = types.b;
        weights.k = s.k;
        weights.n = s.n;
        weights.k_stride = s.n;
        weights.n_stride = 1;
        table_.pack_gemm(weights, packed.data, {});
        problem_.m = s.m;
        problem_.n = s.n;
        problem_.k = s.k;
        problem_.a = a.data;
        problem_.a_type = types.a;
        problem_.a_row_stride = s.k;
        problem_.packed_b = packed.data;
        problem_.c = c.data;
        problem_.c_row_stride = s.n;
        problem_.finish = finish.value;
    }
    void run() const { table_.gemm(problem_, parallel_); }
};

class conv_case {
    const k::kernel_table& table_;
    k::parallel_for parallel_;

public:
    k::convolution_problem problem;
    aligned_bytes input, weights, output, packed, scratch;
    finish_data finish;

    /// Input N H W C, weights O I H W.
    conv_case(k::isa set, const conv_shape& s, const type_triple& types, const k::parallel_for& parallel)
        : table_(k::table_for(set)),
          parallel_(parallel),
          input(byte_count(s.batch * s.height * s.width * s.in_channels, types.a)),
          weights(byte_count(s.out_channels * (s.in_channels / s.groups) * s.taps(), types.b)),
          output(byte_count(s.batch * s.out_height() * s.out_width() * s.out_channels, types.c)),
          packed(table_.packed_convolution_bytes(s.geometry(), types.b)),
          scratch(table_.convolution_scratch_bytes(s.geometry(), types.a, parallel.threads)),
          finish(s.out_channels, s.in_channels / s.groups * s.taps(), types.c) {
        const std::int64_t group_in = s.in_channels / s.groups;
        if (!types.is_float()) {
            input.randomize(byte_count(s.batch * s.height * s.width * s.in_channels, types.a));
            weights.randomize(byte_count(s.out_channels * group_in * s.taps(), types.b));
            if (types.b == k::element_kind::i4)
                weights.limit_to_four_bits(byte_count(s.out_channels * group_in * s.taps(), types.b));
        }
        k::convolution_weights w;
        w.data = weights.data;
        w.type = types.b;
        w.group_stride = s.out_channels / s.groups * group_in * s.taps();
        w.out_stride = group_in * s.taps();
        w.in_stride = s.taps();
        table_.pack_convolution(s.geometry(), w, packed.data, {});
        problem.shape = s.geometry();
        problem.input = input.data;
        problem.input_type = types.a;
        problem.input_pixel_stride = s.in_channels;
        problem.packed_weights = packed.data;
        problem.output = output.data;
        problem.output_pixel_stride = s.out_channels;
        problem.scratch = scratch.data;
        problem.finish = finish.value;
    }
    void run() const { table_.convolution(problem, parallel_); }
    const char* method() const { return name_of(table_.method_of_convolution(problem.shape)); }
};

}  // namespace bench
