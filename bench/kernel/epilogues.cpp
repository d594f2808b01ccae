// SPDX-License-Identifier: Apache-2.0
// Layers with the epilogues of real networks: counter "of_plain" is the time of the same layer with plain requantization, measured in
// turn, over the epilogue's.
#include "bench/kernel/epilogues.hpp"

#include "bench/kernel/peak.hpp"
#include "bench/kernel/problem.hpp"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

namespace bench {

namespace {

enum class ending { clamp_scale, sum_u8, sum_i8, sum_f32, prelu, hswish, swish, gelu, gelu_floats };
constexpr const char* ending_names[] = {"clamp_scale", "sum_u8", "sum_i8", "sum_f32",    "prelu",
                                        "hswish",      "swish",  "gelu",   "gelu_floats"};

/// Post operations after a scale and a bias, and what they read.
class ended_layer {
    std::vector<float> numbers_;
    aligned_bytes residual_;
    aligned_bytes floats_;  // the output, where it is of that type
    std::vector<k::post_operation> posts_;

    k::post_operation& add(k::post_kind kind, float alpha, float beta) {
        k::post_operation post;
        post.kind = kind;
        post.alpha = alpha;
        post.beta = beta;
        posts_.push_back(post);
        return posts_.back();
    }
    void add(k::unary_function function) { add(k::post_kind::unary, 1, 0).function = function; }
    void add_quantization() {
        add(k::post_kind::clamp, 0, 200);
        add(k::unary_function::round_even);
        add(k::post_kind::scale_shift, 0.05f, -1);
    }
    void add_function(k::unary_function function) {
        add(function);
        add(k::post_kind::scale_shift, 9, 3);
    }

public:
    conv_case layer;

    ended_layer(k::isa set, const conv_shape& s, ending end, const k::parallel_for& parallel)
        : numbers_(static_cast<std::size_t>(s.out_channels), 1.25f),
          residual_(static_cast<std::size_t>(s.out_height() * s.out_width() * s.out_channels) *
                    (end == ending::sum_f32 ? 4 : 1)),
          floats_(end == ending::gelu_floats
                      ? static_cast<std::size_t>(4 * s.out_height() * s.out_width() * s.out_channels)
                      : 0),
          layer(set, s, type_triple{}, parallel) {
        switch (end) {
            case ending::clamp_scale:
                add(k::post_kind::clamp, 0, 6);
                add(k::post_kind::scale_shift, 0, 0).per_channel_a = numbers_.data();
                break;
            case ending::sum_u8: add_sum(k::element_kind::u8, s); break;
            case ending::sum_i8: add_sum(k::element_kind::i8, s); break;
            case ending::sum_f32: add_sum(k::element_kind::f32, s); break;
            case ending::prelu: add(k::post_kind::prelu, 0, 0).per_channel_a = numbers_.data(); break;
            case ending::hswish: add_function(k::unary_function::hswish); break;
            case ending::swish: add_function(k::unary_function::swish); break;
            case ending::gelu: add_function(k::unary_function::gelu_erf); break;
            case ending::gelu_floats:
                add_function(k::unary_function::gelu_erf);
                add_quantization();
                break;
        }
        k::epilogue& finish = layer.problem.finish;
        finish.post = posts_.data();
        finish.post_count = static_cast<int>(posts_.size());
        if (end == ending::gelu_floats) {
            finish.output_type = k::element_kind::f32;
            layer.problem.output = floats_.data;
        }
    }
    void add_sum(k::element_kind type, const conv_shape& s) {
        add_quantization();
        k::post_operation& post = add(k::post_kind::add_residual, 0.02f, 0);
        post.residual_type = type;
        post.residual = residual_.data;
        post.residual_row_stride = s.out_channels;
        add(k::post_kind::scale_shift, 20, 4);
    }
};

void run_ended(benchmark::State& state, k::isa set, const conv_shape& shape, ending end,
               const k::parallel_for& parallel) {
    const conv_case plain(set, shape, type_triple{}, parallel);
    const ended_layer ended(set, shape, end, parallel);
    const auto run_plain = [&] { plain.run(); };
    const auto run = [&] { ended.layer.run(); };
    const std::int64_t calls = median_time::calls_of(run_plain);
    median_time time;
    median_time plain_time;
    while (state.KeepRunningBatch(calls)) {
        state.PauseTiming();
        plain_time.sample(calls, run_plain);
        state.ResumeTiming();
        time.sample(calls, run);
    }
    const double seconds = time.seconds();
    state.counters["mac_per_second"] = shape.macs() / seconds;
    state.counters["of_plain"] = plain_time.seconds() / seconds;
}

}  // namespace

void register_epilogues(k::isa set, const k::parallel_for& parallel) {
    const conv_shape shapes[] = {
        {1, 112, 112, 16, 96, 1, 1, 1, 0, 1},   {1, 56, 56, 64, 64, 1, 1, 1, 0, 1},
        {1, 56, 56, 64, 256, 1, 1, 1, 0, 1},    {1, 28, 28, 128, 512, 1, 1, 1, 0, 1},
        {1, 14, 14, 256, 256, 3, 3, 1, 1, 1},   {1, 28, 28, 144, 24, 1, 1, 1, 0, 1},
        {1, 56, 56, 128, 128, 3, 3, 1, 1, 128}, {1, 28, 28, 240, 240, 5, 5, 1, 2, 240},
    };
    const std::string on = std::string("/") + k::name_of(set) + "/threads:" + std::to_string(parallel.threads);
    for (const conv_shape& shape : shapes) {
        for (int i = 0; i < static_cast<int>(std::size(ending_names)); ++i) {
            const std::string name = std::string("epilogue/") + ending_names[i] + "/" + shape.name() + on;
            benchmark::RegisterBenchmark(name.c_str(), run_ended, set, shape, static_cast<ending>(i), parallel);
        }
    }
}

}  // namespace bench
