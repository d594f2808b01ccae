// SPDX-License-Identifier: Apache-2.0
// Every kernel on every instruction set of this processor, at layer shapes of real networks. Counter "mac" is multiply-accumulates a
// second, "bytes" is bytes read and written a second.

#include <lpt/kernel/dispatch.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace k = lpt::kernel;

struct aligned_bytes {
    std::vector<unsigned char> storage;
    unsigned char* data;

    explicit aligned_bytes(std::size_t count, unsigned char value = 1) : storage(count + 64, value) {
        const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
        data = storage.data() + (64 - address % 64) % 64;
    }
};

void set_rate(benchmark::State& state, const char* name, double amount) {
    state.counters[name] = benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate);
}

struct gemm_shape {
    std::int64_t m, n, k;
};

void run_gemm(benchmark::State& state, k::isa set, gemm_shape shape, k::element_kind a_type) {
    const k::kernel_table& table = k::table_for(set);
    const aligned_bytes a(static_cast<std::size_t>(shape.m * shape.k));
    const aligned_bytes b(static_cast<std::size_t>(shape.k * shape.n));
    const aligned_bytes c(static_cast<std::size_t>(shape.m * shape.n));
    const aligned_bytes packed(table.packed_gemm_bytes(k::element_kind::i8, shape.k, shape.n));
    k::gemm_weights weights;
    weights.data = b.data;
    weights.k = shape.k;
    weights.n = shape.n;
    weights.k_stride = shape.n;
    weights.n_stride = 1;
    table.pack_gemm(weights, packed.data);
    const std::vector<float> scale(static_cast<std::size_t>(shape.n), 0.01f);
    k::gemm_problem problem;
    problem.m = shape.m;
    problem.n = shape.n;
    problem.k = shape.k;
    problem.a = a.data;
    problem.a_type = a_type;
    problem.a_row_stride = shape.k;
    problem.packed_b = packed.data;
    problem.c = c.data;
    problem.c_row_stride = shape.n;
    problem.finish.scale = scale.data();
    for (auto _ : state)
        table.gemm(problem, k::parallel_for());
    set_rate(state, "mac", static_cast<double>(shape.m * shape.n * shape.k));
}

struct layer {
    const char* name;
    std::int64_t in_channels, out_channels, groups, size, kernel, stride;
    bool transposed = false;
};

k::convolution_shape shape_of(const layer& l) {
    k::convolution_shape s;
    s.in_channels = l.in_channels;
    s.out_channels = l.out_channels;
    s.groups = l.groups;
    s.transposed = l.transposed;
    for (int axis = 1; axis < 3; ++axis) {
        s.in[axis] = l.size;
        s.kernel[axis] = l.kernel;
        s.stride[axis] = l.stride;
        s.pad_begin[axis] = l.kernel / 2;
        s.out[axis] = l.transposed ? l.size * l.stride : (l.size + 2 * (l.kernel / 2) - l.kernel) / l.stride + 1;
    }
    return s;
}

void run_convolution(benchmark::State& state, k::isa set, layer l) {
    const k::kernel_table& table = k::table_for(set);
    const k::convolution_shape s = shape_of(l);
    const std::int64_t taps = l.kernel * l.kernel;
    const std::int64_t group_in = l.in_channels / l.groups;
    const std::int64_t group_out = l.out_channels / l.groups;
    const std::int64_t pixels = s.out[1] * s.out[2];
    const aligned_bytes input(static_cast<std::size_t>(l.size * l.size * l.in_channels));
    const aligned_bytes data(static_cast<std::size_t>(l.out_channels * group_in * taps));
    const aligned_bytes output(static_cast<std::size_t>(pixels * l.out_channels));
    const aligned_bytes packed(table.packed_convolution_bytes(s, k::element_kind::i8));
    const aligned_bytes scratch(table.convolution_scratch_bytes(s, k::element_kind::u8, 1));
    k::convolution_weights weights;
    weights.data = data.data;
    weights.group_stride = group_in * group_out * taps;
    weights.out_stride = l.transposed ? taps : group_in * taps;
    weights.in_stride = l.transposed ? group_out * taps : taps;
    table.pack_convolution(s, weights, packed.data);
    const std::vector<float> scale(static_cast<std::size_t>(l.out_channels), 0.01f);
    k::convolution_problem problem;
    problem.shape = s;
    problem.input = input.data;
    problem.input_pixel_stride = l.in_channels;
    problem.packed_weights = packed.data;
    problem.output = output.data;
    problem.output_pixel_stride = l.out_channels;
    problem.scratch = scratch.data;
    problem.finish.scale = scale.data();
    for (auto _ : state)
        table.convolution(problem, k::parallel_for());
    state.SetLabel(table.convolution_algorithm(s));
    const std::int64_t positions = l.transposed ? l.size * l.size : pixels;
    set_rate(state, "mac", static_cast<double>(positions * l.out_channels * group_in * taps));
}

void run_pool(benchmark::State& state, k::isa set, k::pool_kind kind) {
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
    for (auto _ : state)
        k::table_for(set).pool(problem, k::parallel_for());
    set_rate(state, "bytes", 112 * 112 * 64 + 56 * 56 * 64);
}

void run_binary(benchmark::State& state, k::isa set, k::binary_function function) {
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
    for (auto _ : state)
        k::table_for(set).binary(problem, k::parallel_for());
    set_rate(state, "bytes", static_cast<double>(3 * count));
}

enum class conversion { quantize, quantize_planes, dequantize, requantize };

void run_convert(benchmark::State& state, k::isa set, conversion kind) {
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
    for (auto _ : state)
        k::table_for(set).convert(problem, k::parallel_for());
    set_rate(state, "bytes", static_cast<double>(pixels * 3 * ((from_float ? 4 : 1) + (to_float ? 4 : 1))));
}

void run_lookup(benchmark::State& state, k::isa set) {
    const aligned_bytes input(1 << 20);
    const aligned_bytes output(1 << 20);
    const aligned_bytes table(256);
    const k::lookup_problem problem{input.data, output.data, 1 << 20, table.data};
    for (auto _ : state)
        k::table_for(set).lookup(problem, k::parallel_for());
    set_rate(state, "bytes", 2 << 20);
}

void run_transpose(benchmark::State& state, k::isa set, int element_bytes) {
    const std::int64_t rows = 256;
    const std::int64_t columns = 56 * 56;
    const std::int64_t bytes = rows * columns * element_bytes;
    const aligned_bytes input(static_cast<std::size_t>(bytes));
    const aligned_bytes output(static_cast<std::size_t>(bytes));
    const k::transpose_problem problem{1, rows, columns, element_bytes, input.data, output.data};
    for (auto _ : state)
        k::table_for(set).transpose(problem, k::parallel_for());
    set_rate(state, "bytes", static_cast<double>(2 * bytes));
}

void register_gemm(k::isa set, const std::string& on) {
    const gemm_shape shapes[] = {{512, 512, 512},  {64, 64, 64},   {196, 256, 64},  {3136, 64, 64},  {3136, 24, 96},
                                 {196, 512, 1024}, {49, 960, 160}, {1, 1000, 1280}, {128, 768, 768}, {384, 384, 64}};
    for (const gemm_shape& s : shapes) {
        const std::string name =
            "gemm/" + on + "/" + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
        for (const k::element_kind type : {k::element_kind::u8, k::element_kind::i8}) {
            benchmark::RegisterBenchmark((name + (type == k::element_kind::u8 ? "/u8" : "/i8")).c_str(), run_gemm, set,
                                         s, type);
        }
    }
}

void register_convolution(k::isa set, const std::string& on) {
    const layer layers[] = {
        {"resnet_stem", 3, 64, 1, 224, 7, 2},
        {"mobilenet_stem", 3, 32, 1, 224, 3, 2},
        {"resnet_56", 64, 64, 1, 56, 3, 1},
        {"resnet_28", 128, 128, 1, 28, 3, 1},
        {"resnet_14", 256, 256, 1, 14, 3, 1},
        {"resnet_7", 512, 512, 1, 7, 3, 1},
        {"pointwise_56", 64, 256, 1, 56, 1, 1},
        {"pointwise_14", 576, 96, 1, 14, 1, 1},
        {"pointwise_stride", 256, 512, 1, 56, 1, 2},
        {"depthwise_112", 32, 32, 32, 112, 3, 1},
        {"depthwise_56_stride", 144, 144, 144, 56, 3, 2},
        {"depthwise_14", 576, 576, 576, 14, 3, 1},
        {"depthwise_5x5", 240, 240, 240, 28, 5, 1},
        {"groups_32", 128, 128, 32, 56, 3, 1},
        {"transposed", 64, 32, 1, 28, 3, 2, true},
    };
    for (const layer& l : layers)
        benchmark::RegisterBenchmark(("convolution/" + on + "/" + l.name).c_str(), run_convolution, set, l);
}

void register_others(k::isa set, const std::string& on) {
    benchmark::RegisterBenchmark(("pool/" + on + "/max").c_str(), run_pool, set, k::pool_kind::max);
    benchmark::RegisterBenchmark(("pool/" + on + "/average").c_str(), run_pool, set, k::pool_kind::average_exclude_pad);
    benchmark::RegisterBenchmark(("binary/" + on + "/add").c_str(), run_binary, set, k::binary_function::add);
    benchmark::RegisterBenchmark(("binary/" + on + "/multiply").c_str(), run_binary, set, k::binary_function::multiply);
    benchmark::RegisterBenchmark(("convert/" + on + "/quantize").c_str(), run_convert, set, conversion::quantize);
    benchmark::RegisterBenchmark(("convert/" + on + "/quantize_planes").c_str(), run_convert, set,
                                 conversion::quantize_planes);
    benchmark::RegisterBenchmark(("convert/" + on + "/dequantize").c_str(), run_convert, set, conversion::dequantize);
    benchmark::RegisterBenchmark(("convert/" + on + "/requantize").c_str(), run_convert, set, conversion::requantize);
    benchmark::RegisterBenchmark(("lookup/" + on).c_str(), run_lookup, set);
    benchmark::RegisterBenchmark(("transpose/" + on + "/1").c_str(), run_transpose, set, 1);
    benchmark::RegisterBenchmark(("transpose/" + on + "/4").c_str(), run_transpose, set, 4);
}

// Registered before main starts, as the other benchmarks of this program are.
const bool registered = [] {
    for (int i = 1; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        const std::string on = k::name_of(set);
        register_gemm(set, on);
        register_convolution(set, on);
        register_others(set, on);
    }
    return true;
}();

}  // namespace
