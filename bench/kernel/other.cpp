// SPDX-License-Identifier: Apache-2.0
// Kernels that move memory: counter "bytes_per_second" is bytes read and written, "of_peak" the part of what copying so many bytes
// reaches in the same run.
#include "bench/kernel/other.hpp"

#include "bench/kernel/peak.hpp"
#include "bench/kernel/problem.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

namespace {

/// Measures `function`, which reads and writes `bytes` bytes, and a copy of as many, in turn.
template <class Function>
void measure(benchmark::State& state, std::int64_t bytes, const Function& function) {
    const std::size_t half = static_cast<std::size_t>(bytes / 2);
    aligned_bytes from(half);
    aligned_bytes to(half);
    const auto copy = [&] {
        std::memcpy(to.data, from.data, half);
        __asm__ volatile("" ::: "memory");
    };
    const std::int64_t calls = median_time::calls_of(function);
    const std::int64_t copies = median_time::calls_of(copy);
    median_time time;
    median_time copy_time;
    while (state.KeepRunningBatch(calls)) {
        state.PauseTiming();
        copy();
        copy_time.sample(copies, copy);
        function();  // its data is where it was before the copies
        state.ResumeTiming();
        time.sample(calls, function);
    }
    const double seconds = time.seconds();
    state.counters["bytes_per_second"] = static_cast<double>(bytes) / seconds;
    state.counters["of_peak"] = copy_time.seconds() / seconds;
}

void run_pool(benchmark::State& state, k::isa set, const k::parallel_for& parallel, k::pool_kind kind) {
    const k::kernel_table& table = k::table_for(set);
    k::pool_problem problem;
    problem.kind = kind;
    problem.channels = 64;
    for (int axis = 1; axis < 3; ++axis) {
        problem.in[axis] = 112;
        problem.kernel[axis] = 3;
        problem.stride[axis] = 2;
        problem.pad_begin[axis] = problem.pad_end[axis] = 1;
        problem.out[axis] = 56;
    }
    const aligned_bytes input(112 * 112 * 64);
    const aligned_bytes output(56 * 56 * 64);
    problem.input = input.data;
    problem.input_pixel_stride = 64;
    problem.output = output.data;
    problem.output_pixel_stride = 64;
    measure(state, 112 * 112 * 64 + 56 * 56 * 64, [&] { table.pool(problem, parallel); });
}

void run_binary(benchmark::State& state, k::isa set, const k::parallel_for& parallel, k::binary_function function) {
    const k::kernel_table& table = k::table_for(set);
    const std::int64_t count = 56 * 56 * 256;
    const aligned_bytes a(static_cast<std::size_t>(count));
    const aligned_bytes out(static_cast<std::size_t>(count));
    k::binary_problem problem;
    problem.function = function;
    problem.rows = 56 * 56;
    problem.channels = 256;
    problem.a.data = problem.b.data = a.data;
    problem.a.row_stride = problem.b.row_stride = 256;
    problem.output = out.data;
    problem.output_row_stride = 256;
    measure(state, 3 * count, [&] { table.binary(problem, parallel); });
}

/// A conversion of `pixels` pixels of three channels, from planes or from channels side by side.
struct conversion {
    k::element_kind from, to;
    std::int64_t pixels = 224 * 224;
    bool planes = false;
    bool divides = false;  // as QuantizeLinear does, or takes a zero point off first
};

void run_convert(benchmark::State& state, k::isa set, const k::parallel_for& parallel, const conversion& c) {
    const k::kernel_table& table = k::table_for(set);
    const std::int64_t count = c.pixels * 3;
    const aligned_bytes input(byte_count(count, c.from), 0);
    const aligned_bytes output(byte_count(count, c.to));
    k::convert_problem problem;
    problem.pixels = c.pixels;
    problem.channels = 3;
    problem.input = input.data;
    problem.input_type = c.from;
    problem.input_layout = {count, 3, 1};
    if (c.planes) problem.input_layout = {count, 1, c.pixels};
    problem.output = output.data;
    problem.output_layout = {count, 3, 1};
    problem.finish.scale_all = c.from == k::element_kind::i32 ? 0.01f : 0.5f;
    problem.finish.output_type = c.to;
    k::post_operation post[3];
    if (c.divides) {
        problem.finish.scale_all = 1;
        problem.finish.post = post;
        const bool dequantizes = c.to == k::element_kind::f32;
        post[0].kind = dequantizes ? k::post_kind::scale_shift : k::post_kind::divide;
        post[0].alpha = 0.3f;
        post[0].beta = -0.0f;
        post[1].kind = k::post_kind::unary;
        post[1].function = k::unary_function::round_even;
        post[2].kind = k::post_kind::scale_shift;
        post[2].alpha = 1;
        post[2].beta = 3;
        problem.finish.post_count = dequantizes ? 1 : 3;
        problem.finish.bias_all = dequantizes ? -3.0f : 0.0f;
    }
    measure(state, count * (k::bytes_of(c.from) + k::bytes_of(c.to)), [&] { table.convert(problem, parallel); });
}

void run_cast(benchmark::State& state, k::isa set, const k::parallel_for& parallel, k::number_type from,
              k::number_type to) {
    const k::kernel_table& table = k::table_for(set);
    const std::int64_t count = 1 << 20;
    const auto width = [](k::number_type type) {
        return type == k::number_type::i64 ? 8 : type == k::number_type::f16 ? 2 : 4;
    };
    const aligned_bytes input(static_cast<std::size_t>(count * width(from)), 0);
    const aligned_bytes output(static_cast<std::size_t>(count * width(to)));
    const k::cast_problem problem{count, from, to, input.data, output.data};
    measure(state, count * (width(from) + width(to)), [&] { table.run(problem, parallel); });
}

void run_pointwise(benchmark::State& state, k::isa set, const k::parallel_for& parallel, k::pointwise_function function,
                   k::number_type type, k::number_type output_type) {
    const k::kernel_table& table = k::table_for(set);
    const std::int64_t count = 1 << 20;
    const auto width = [](k::number_type of) {
        return of == k::number_type::boolean ? 1 : of == k::number_type::i64 ? 8 : 4;
    };
    const aligned_bytes a(static_cast<std::size_t>(count * width(type)), 0);
    const aligned_bytes b(static_cast<std::size_t>(count * width(type)), 0);
    const aligned_bytes condition(static_cast<std::size_t>(count), 0);
    const aligned_bytes output(static_cast<std::size_t>(count * width(output_type)));
    k::pointwise_problem problem;
    problem.function = function;
    problem.input_type = type;
    problem.output_type = output_type;
    problem.count = 1;
    problem.sizes[0] = count;
    problem.condition_strides[0] = problem.a_strides[0] = problem.b_strides[0] = 1;
    problem.condition = function == k::pointwise_function::select ? condition.data : nullptr;
    problem.a = a.data;
    problem.b = b.data;
    problem.output = output.data;
    measure(state, count * (2 * width(type) + width(output_type)), [&] { table.run(problem, parallel); });
}

/// An axis of 28 places becomes one of 56, linearly.
void run_resampling(benchmark::State& state, k::isa set, const k::parallel_for& parallel, std::int64_t outer,
                    std::int64_t inner) {
    const k::kernel_table& table = k::table_for(set);
    std::vector<std::int32_t> first{0};
    std::vector<std::int32_t> places;
    std::vector<float> weights;
    for (std::int32_t place = 0; place < 56; ++place) {
        const std::int32_t low = place / 2 < 26 ? place / 2 : 26;
        places.insert(places.end(), {low, low + 1});
        weights.insert(weights.end(), {0.25f, 0.75f});
        first.push_back(static_cast<std::int32_t>(places.size()));
    }
    const aligned_bytes input(static_cast<std::size_t>(outer * 28 * inner * 4), 0);
    const aligned_bytes output(static_cast<std::size_t>(outer * 56 * inner * 4));
    k::resampling_problem problem;
    problem.outer = outer;
    problem.input_length = 28;
    problem.length = 56;
    problem.inner = inner;
    problem.first_taps = first.data();
    problem.places = places.data();
    problem.weights = weights.data();
    problem.input = static_cast<const float*>(static_cast<const void*>(input.data));
    problem.output = static_cast<float*>(static_cast<void*>(output.data));
    measure(state, outer * (28 + 56) * inner * 4, [&] { table.run(problem, parallel); });
}

void run_lookup(benchmark::State& state, k::isa set, const k::parallel_for& parallel) {
    const k::kernel_table& table = k::table_for(set);
    const aligned_bytes input(1 << 20);
    const aligned_bytes output(1 << 20);
    const aligned_bytes entries(256);
    const k::lookup_problem problem{input.data, output.data, 1 << 20, entries.data};
    measure(state, 2 << 20, [&] { table.lookup(problem, parallel); });
}

void run_transpose(benchmark::State& state, k::isa set, const k::parallel_for& parallel, int element_bytes) {
    const k::kernel_table& table = k::table_for(set);
    const std::int64_t rows = 256;
    const std::int64_t columns = 56 * 56;
    const std::int64_t bytes = rows * columns * element_bytes;
    const aligned_bytes input(static_cast<std::size_t>(bytes));
    const aligned_bytes output(static_cast<std::size_t>(bytes));
    const k::transpose_problem problem{1, rows, columns, element_bytes, input.data, output.data};
    measure(state, 2 * bytes, [&] { table.transpose(problem, parallel); });
}

}  // namespace

void register_others(k::isa set, const k::parallel_for& parallel) {
    const std::string on = std::string("/") + k::name_of(set) + "/threads:" + std::to_string(parallel.threads);
    const auto add = [&](const std::string& name, auto function, auto... arguments) {
        benchmark::RegisterBenchmark((name + on).c_str(), function, set, parallel, arguments...);
    };
    const std::string window = "/n1_h112_w112_c64_k3x3_s2_p1";
    add("pool_max/u8_u8" + window, run_pool, k::pool_kind::max);
    add("pool_average/u8_u8" + window, run_pool, k::pool_kind::average_exclude_pad);
    add("binary_add/u8u8_u8/3136x256", run_binary, k::binary_function::add);
    add("binary_multiply/u8u8_u8/3136x256", run_binary, k::binary_function::multiply);
    using enum k::element_kind;
    add("quantize_planes/f32_u8/50176x3", run_convert, conversion{f32, u8, 50176, true});
    add("quantize_planes_divided/f32_u8/50176x3", run_convert, conversion{f32, u8, 50176, true, true});
    // 0.7 MB, 21 MB and 0.5 GB: in the L2, the L3 and neither.
    for (const std::int64_t pixels : {50176, 1400000, 33000000}) {
        const std::string size = "/" + std::to_string(pixels) + "x3";
        add("quantize/f32_u8" + size, run_convert, conversion{f32, u8, pixels});
        add("quantize_divided/f32_u8" + size, run_convert, conversion{f32, u8, pixels, false, true});
        add("dequantize_centred/u8_f32" + size, run_convert, conversion{u8, f32, pixels, false, true});
        add("quantize/f32_i8" + size, run_convert, conversion{f32, i8, pixels});
        add("dequantize/u8_f32" + size, run_convert, conversion{u8, f32, pixels});
        add("dequantize/i8_f32" + size, run_convert, conversion{i8, f32, pixels});
        add("requantize/i32_u8" + size, run_convert, conversion{i32, u8, pixels});
        add("requantize/u8_u8" + size, run_convert, conversion{u8, u8, pixels});
    }
    using number = k::number_type;
    add("cast/i64_f32/1048576", run_cast, number::i64, number::f32);
    add("cast/f32_i32/1048576", run_cast, number::f32, number::i32);
    add("cast/f16_f32/1048576", run_cast, number::f16, number::f32);
    add("cast/f32_f16/1048576", run_cast, number::f32, number::f16);
    using function = k::pointwise_function;
    add("pointwise_add/i64/1048576", run_pointwise, function::add, number::i64, number::i64);
    add("pointwise_multiply/i32/1048576", run_pointwise, function::multiply, number::i32, number::i32);
    add("pointwise_greater/f32/1048576", run_pointwise, function::greater, number::f32, number::boolean);
    add("pointwise_select/i32/1048576", run_pointwise, function::select, number::i32, number::i32);
    add("resampling/f32/64x28_56x28", run_resampling, std::int64_t{64}, std::int64_t{28});
    add("resampling/f32/3584x28_56x1", run_resampling, std::int64_t{3584}, std::int64_t{1});
    add("lookup/u8_u8/1048576", run_lookup);
    add("transpose/u8/256x3136", run_transpose, 1);
    add("transpose/f32/256x3136", run_transpose, 4);
}

}  // namespace bench
