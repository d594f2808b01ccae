// SPDX-License-Identifier: Apache-2.0
// lpt_bench [--shape gemm:MxNxK | --shape conv:n1_h56_w56_c64_o64_k3x3_s1_p1_g1]… [google-benchmark's options]
// Every kernel on every instruction set of this processor, on one and two threads. Names: operation/types/shape/instruction set/threads.
// Counters: "mac_per_second"; "of_peak", the part of the dot products that as many threads could do, measured just before; for matrices
// of few rows also "of_read", the part of the rate at which the packed weights could be read from where they lie.

#include "bench/kernel/epilogues.hpp"
#include "bench/kernel/other.hpp"
#include "bench/kernel/peak.hpp"
#include "bench/kernel/problem.hpp"

#include <lpt/runtime/thread_pool.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace bench;

/// Runs `function` as often as asked; the counters are those of its median time, which is given back.
template <class Function>
double measure(benchmark::State& state, double macs, double peak, const Function& function) {
    const std::int64_t calls = median_time::calls_of(function);
    median_time time;
    while (state.KeepRunningBatch(calls))
        time.sample(calls, function);
    const double seconds = time.seconds();
    state.counters["mac_per_second"] = macs / seconds;
    if (peak > 0) state.counters["of_peak"] = macs / seconds / peak;
    return seconds;
}

void run_gemm(benchmark::State& state, k::isa set, const gemm_shape& shape, const type_triple& types,
              const k::parallel_for& parallel) {
    const gemm_case given(set, shape, types, parallel);
    const double peak = peak_macs_per_second(set, types.is_float()) * parallel.threads;
    constexpr std::int64_t few_rows = 8;
    const std::size_t bytes = byte_count(shape.k * shape.n, types.b) / (types.b == k::element_kind::i4 ? 2 : 1);
    const double read =
        shape.m <= few_rows && parallel.threads == 1 ? read_bytes_per_second(set, given.b.data, bytes) : 0;
    const double seconds = measure(state, shape.macs(), peak, [&] { given.run(); });
    if (read > 0) state.counters["of_read"] = static_cast<double>(bytes) / seconds / read;
}

void run_convolution(benchmark::State& state, k::isa set, const conv_shape& shape, const type_triple& types,
                     const k::parallel_for& parallel) {
    const conv_case given(set, shape, types, parallel);
    const double peak = peak_macs_per_second(set, types.is_float()) * parallel.threads;
    measure(state, shape.macs(), peak, [&] { given.run(); });
    state.SetLabel(given.method());
}

void run_peak(benchmark::State& state, k::isa set, bool is_float) {
    measure(state, multiply_often(set, is_float), 0, [&] { multiply_often(set, is_float); });
}

void run_read(benchmark::State& state, k::isa set, std::size_t bytes) {
    const aligned_bytes from(bytes);
    double rate = 0;
    for (auto _ : state)
        rate = std::max(rate, read_bytes_per_second(set, from.data, bytes, 1));
    state.counters["bytes_per_second"] = rate;
}

void register_peaks(k::isa set) {
    const std::string on = std::string("/") + k::name_of(set) + "/threads:1";
    if (multiply_twelve(set, false) == 0) return;
    benchmark::RegisterBenchmark(("peak/dot" + on).c_str(), run_peak, set, false);
    benchmark::RegisterBenchmark(("peak/f32" + on).c_str(), run_peak, set, true);
    const struct {
        const char* name;
        std::size_t bytes;
    } sizes[] = {{"16KiB", 16 << 10}, {"512KiB", 512 << 10}, {"8MiB", 8 << 20}, {"256MiB", 256 << 20}};
    for (const auto& size : sizes)
        benchmark::RegisterBenchmark((std::string("peak/read/") + size.name + on).c_str(), run_read, set, size.bytes);
}

void register_shapes(const shape_list& shapes, k::isa set, const k::parallel_for& parallel) {
    using enum k::element_kind;
    const std::string on = std::string("/") + k::name_of(set) + "/threads:" + std::to_string(parallel.threads);
    const type_triple gemm_types[] = {{u8, i8, u8}, {u8, i8, i8}, {u8, i8, i32}, {u8, i8, f32},
                                      {i8, i8, i8}, {u8, u8, u8}, {u8, i4, u8},  {f32, f32, f32}};
    for (const gemm_shape& shape : shapes.gemms) {
        for (const type_triple& types : gemm_types) {
            const std::string name = "gemm/" + types.name() + "/" + shape.name() + on;
            benchmark::RegisterBenchmark(name.c_str(), run_gemm, set, shape, types, parallel);
        }
    }
    const type_triple conv_types[] = {{u8, i8, u8}, {i8, i8, i8}, {u8, i4, u8}, {f32, f32, f32}};
    for (const conv_shape& shape : shapes.convolutions) {
        for (const type_triple& types : conv_types) {
            const std::string name = "conv/" + types.name() + "/" + shape.name() + on;
            benchmark::RegisterBenchmark(name.c_str(), run_convolution, set, shape, types, parallel);
        }
    }
}

/// Takes `--shape X` and `--shape=X` out of the arguments.
std::vector<std::string> take_shapes(int& argc, char** argv) {
    std::vector<std::string> shapes;
    const std::string option = "--shape";
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.starts_with(option + "=")) {
            shapes.push_back(argument.substr(option.size() + 1));
        } else if (argument == option && i + 1 < argc) {
            shapes.push_back(argv[++i]);
        } else {
            argv[kept++] = argv[i];
        }
    }
    argc = kept;
    return shapes;
}

int run(int argc, char** argv) {
    shape_list shapes = default_shapes();
    for (const std::string& text : take_shapes(argc, argv))
        shapes.add(text);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    lpt::thread_pool two_threads(2);
    for (int i = 1; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        register_peaks(set);
        for (const k::parallel_for& parallel : {k::parallel_for(), two_threads.parallel()}) {
            register_shapes(shapes, set, parallel);
            register_epilogues(set, parallel);
            register_others(set, parallel);
        }
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const lpt::error& e) {
        std::fprintf(stderr, "lpt_bench: %s\n", e.what());
        return 1;
    }
}
