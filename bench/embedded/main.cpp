// SPDX-License-Identifier: Apache-2.0
// lpt_embedded_bench [ROUNDS]: the digits network by its static plan and by the dynamic executor, on each instruction set of the machine
// that built it. Both take the same images in turn, a thousand runs a round; medians over the rounds. bench/README.md has figures.
#include <embedded_plans.hpp>

#include <lpt/import/openvino_ir.hpp>
#include <lpt/lpt.hpp>
#include <lpt/runtime.hpp>
#include <lpt/target/cpu_x86.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int runs = 1000;

struct sample {
    float image[64];
    float logits[10];
};

void fill(sample& to, int round) {
    for (int i = 0; i < 64; ++i) {
        to.image[i] = static_cast<float>((i * 7 + round * 13) % 17) / 16;
    }
}

/// Microseconds of one of many runs.
template <class Run>
double time_of(const Run& run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) {
        run();
    }
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / runs;
}

double median(std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

template <class Network>
void compare(const lpt::graph& model, int rounds) {
    lpt::compile_options options;
    options.instruction_set = Network::isa::value;
    lpt::executable dynamic = lpt::compile(model, options);
    static lpt::static_executor<Network> fixed;
    sample a{};
    sample b{};
    const void* const inputs[] = {b.image};
    void* const outputs[] = {b.logits};
    std::vector<double> static_times;
    std::vector<double> dynamic_times;
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) {
        fill(a, round);
        fill(b, round);
        static_times.push_back(time_of([&] { fixed.run(a.image, a.logits); }));
        dynamic_times.push_back(time_of([&] { dynamic.run(inputs, outputs); }));
        ratios.push_back(dynamic_times.back() / static_times.back());
        if (std::memcmp(a.logits, b.logits, sizeof a.logits) != 0) {
            std::fprintf(stderr, "the results differ\n");
            std::exit(1);
        }
    }
    std::printf("| %s | %.2f | %.2f | %.3f |\n", lpt::kernel::name_of(Network::isa::value), median(static_times),
                median(dynamic_times), median(ratios));
}

template <class... Networks>
void compare_all(std::tuple<Networks...>*, const lpt::graph& model, int rounds) {
    (compare<Networks>(model, rounds), ...);
}

}  // namespace

int main(int count, char** words) {
    lpt::graph model = lpt::import_openvino_ir(LPT_EXAMPLE_DATA_DIR "/digits/model.xml");
    lpt::prepare(model);
    const lpt::target where = lpt::cpu_x86;
    lpt::run_pipeline(model, where.restrictions, where.options);
    std::printf("| instruction set | static, us | dynamic, us | dynamic / static |\n|---|---|---|---|\n");
    compare_all(static_cast<digits_plans*>(nullptr), model, count > 1 ? std::atoi(words[1]) : 101);
    return 0;
}
