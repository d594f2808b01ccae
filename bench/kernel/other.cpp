// SPDX-License-Identifier: Apache-2.0
// Kernels that move memory: counter "bytes_per_second" is bytes read and written, "of_peak" the part of what copying so many bytes
// reaches in the same run.
#include "bench/kernel/other.hpp"

#include "bench/kernel/peak.hpp"
#include "bench/kernel/problem.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

namespace {

/// Measures `function`, which reads and writes `bytes` bytes, and a copy of as many.
template <class Function>
void measure(benchmark::State& state, std::int64_t bytes, const Function& function) {
    const std::size_t half = static_cast<std::size_t>(bytes / 2);
    aligned_bytes from(half);
    aligned_bytes to(half);
    const double copied = copy_bytes_per_second(to.data, from.data, half);
    const std::int64_t calls = median_time::calls_of(function);
    median_time time;
    while (state.KeepRunningBatch(calls))
        time.sample(calls, function);
    const double rate = static_cast<double>(bytes) / time.seconds();
    state.counters["bytes_per_second"] = rate;
    state.counters["of_peak"] = rate / copied;
}

void run_pool(benchmark::State& state, k::isa set, const k::parallel_for& parallel, k::pool_kind kind) {
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
    measure(state, 112 * 112 * 64 + 56 * 56 * 64, [&] { k::table_for(set).pool(problem, parallel); });
}

void run_binary(benchmark::State& state, k::isa set, const k::parallel_for& parallel, k::binary_function function) {
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
    measure(state, 3 * count, [&] { k::table_for(set).binary(problem, parallel); });
}

enum class conversion { quantize, quantize_planes, dequantize, requantize };

void run_convert(benchmark::State& state, k::isa set, const k::parallel_for& parallel, conversion kind) {
    const std::int64_t pixels = 224 * 224;
    const bool from_float = kind == conversion::quantize || kind == conversion::quantize_planes;
    const bool to_float = kind == conversion::dequantize;
    const aligned_bytes input(static_cast<std::size_t>(pixels * 3 * 4), 0);
    const aligned_bytes output(static_cast<std::size_t>(pixels * 3 * 4));
    k::convert_problem problem;
    problem.pixels = pixels;
    problem.channels = 3;
    problem.input = input.data;
    problem.input_type = from_float ? k::element_kind::f32 : k::element_kind::u8;
    problem.input_layout = {pixels * 3, 3, 1};
    if (kind == conversion::quantize_planes) problem.input_layout = {pixels * 3, 1, pixels};
    problem.output = output.data;
    problem.output_layout = {pixels * 3, 3, 1};
    problem.finish.scale_all = 0.5f;
    if (to_float) problem.finish.output_type = k::element_kind::f32;
    measure(state, pixels * 3 * ((from_float ? 4 : 1) + (to_float ? 4 : 1)),
            [&] { k::table_for(set).convert(problem, parallel); });
}

void run_lookup(benchmark::State& state, k::isa set, const k::parallel_for& parallel) {
    const aligned_bytes input(1 << 20);
    const aligned_bytes output(1 << 20);
    const aligned_bytes table(256);
    const k::lookup_problem problem{input.data, output.data, 1 << 20, table.data};
    measure(state, 2 << 20, [&] { k::table_for(set).lookup(problem, parallel); });
}

void run_transpose(benchmark::State& state, k::isa set, const k::parallel_for& parallel, int element_bytes) {
    const std::int64_t rows = 256;
    const std::int64_t columns = 56 * 56;
    const std::int64_t bytes = rows * columns * element_bytes;
    const aligned_bytes input(static_cast<std::size_t>(bytes));
    const aligned_bytes output(static_cast<std::size_t>(bytes));
    const k::transpose_problem problem{1, rows, columns, element_bytes, input.data, output.data};
    measure(state, 2 * bytes, [&] { k::table_for(set).transpose(problem, parallel); });
}

}  // namespace

void register_others(k::isa set, const k::parallel_for& parallel) {
    const std::string on = std::string("/") + k::name_of(set) + "/threads:" + std::to_string(parallel.threads);
    const auto add = [&](const std::string& name, auto function, auto... arguments) {
        benchmark::RegisterBenchmark((name + on).c_str(), function, set, parallel, arguments...)->UseRealTime();
    };
    const std::string window = "/n1_h112_w112_c64_k3x3_s2_p1";
    add("pool_max/u8_u8" + window, run_pool, k::pool_kind::max);
    add("pool_average/u8_u8" + window, run_pool, k::pool_kind::average_exclude_pad);
    add("binary_add/u8u8_u8/3136x256", run_binary, k::binary_function::add);
    add("binary_multiply/u8u8_u8/3136x256", run_binary, k::binary_function::multiply);
    add("quantize/f32_u8/50176x3", run_convert, conversion::quantize);
    add("quantize_planes/f32_u8/50176x3", run_convert, conversion::quantize_planes);
    add("dequantize/u8_f32/50176x3", run_convert, conversion::dequantize);
    add("requantize/u8_u8/50176x3", run_convert, conversion::requantize);
    add("lookup/u8_u8/1048576", run_lookup);
    add("transpose/u8/256x3136", run_transpose, 1);
    add("transpose/f32/256x3136", run_transpose, 4);
}

}  // namespace bench
