// SPDX-License-Identifier: Apache-2.0
// lpt_pipeline_bench: how long the default pipeline takes, on networks from files and on generated ones. One line of
// JSON a network; times are processor time, medians and minima over the runs, each on a fresh copy. bench/README.md says how to use it.
#include "write_ir.hpp"

#include <cmake/lpt_compiled_networks.hpp>
#include <lpt/import/openvino_ir.hpp>
#include <lpt/lpt.hpp>

#include <CLI/CLI.hpp>

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace {

struct arguments {
    std::vector<std::string> models;
    std::vector<std::size_t> nodes;
    std::string save;
    std::string target = "cpu_x86";
    bool follow_upstream = false;
    int least_runs = 5;
    double seconds = 0.5;
    std::uint64_t seed = 1;
};

/// Time of the processor, not of the clock: what else the machine does counts little.
class stopwatch {
    std::clock_t begin_ = std::clock();

public:
    double ms() const { return static_cast<double>(std::clock() - begin_) * 1000 / CLOCKS_PER_SEC; }
};

template <class Work>
double time_of(Work work) {
    const stopwatch watch;
    work();
    return watch.ms();
}

struct times {
    std::vector<double> all;

    double median() {
        std::sort(all.begin(), all.end());
        return all[all.size() / 2];
    }
    double least() const { return *std::min_element(all.begin(), all.end()); }
};

/// Bytes that the program has from the system's allocator.
double bytes_in_use() {
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

lpt::restriction_table target_of(const arguments& given) {
    if (given.target == "cpu_x86") return lpt::cpu_x86;
    if (given.target == "gpu") return lpt::gpu;
    return {};
}

std::string escaped(const std::string& word) {
    std::string result;
    for (const char each : word)
        result += (each == '"' || each == '\\' ? "\\" : "") + std::string(1, each);
    return result;
}

/// Times the pipeline on copies of a network and prints what it took.
void time_pipeline(const std::string& network, const lpt::graph& model, const arguments& given,
                   const std::string& details) {
    const lpt::restriction_table target = target_of(given);
    lpt::transformation_options options;
    options.follow_upstream_errors = given.follow_upstream;
    times copy;
    times pipeline;
    std::size_t after = 0;
    const stopwatch all;
    do {
        lpt::graph transformed;
        copy.all.push_back(time_of([&] { transformed = model; }));
        pipeline.all.push_back(time_of([&] { lpt::run_pipeline(transformed, target, options); }));
        after = transformed.size();
    } while (static_cast<int>(pipeline.all.size()) < given.least_runs || all.ms() < given.seconds * 1000);
    if (pipeline.all.size() > 2) {  // the first run touches memory and code for the first time
        pipeline.all.erase(pipeline.all.begin());
        copy.all.erase(copy.all.begin());
    }
    const auto nodes = static_cast<double>(model.size());
    std::printf("{\"network\": \"%s\", \"runs\": %zu, \"nodes\": %zu, \"nodes_after\": %zu, \"copy_ms\": %.4f, "
                "\"pipeline_ms\": %.4f, \"min_ms\": %.4f, \"ns_per_node\": %.0f%s}\n",
                escaped(network).c_str(), pipeline.all.size(), model.size(), after, copy.median(), pipeline.median(),
                pipeline.least(), pipeline.median() / nodes * 1e6, details.c_str());
    std::fflush(stdout);
}

/// Builds a network of so many nodes, and times also building, sorting and verifying; says what a node takes of memory.
void time_generated(std::size_t nodes, const arguments& given) {
    const double before = bytes_in_use();
    lpt::graph model;
    const double build = time_of([&] { model = lpt_networks::network_generator(given.seed).make(nodes); });
    const double memory = bytes_in_use() - before;
    const double sort = time_of([&] { static_cast<void>(lpt::topological_order(model)); });
    const double verify = time_of([&] { lpt::verify(model); });
    char details[200];
    std::snprintf(details, sizeof details,
                  ", \"build_ms\": %.3f, \"sort_ms\": %.3f, \"verify_ms\": %.3f, \"bytes_per_node\": %.0f", build, sort,
                  verify, memory / static_cast<double>(model.size()));
    const std::string name = "generated_" + std::to_string(nodes);
    if (!given.save.empty()) bench::ir_writer(model, given.save + "/" + name).write();
    time_pipeline(name, model, given, details);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"times the default pipeline; a line of JSON for each network"};
    arguments given;
    app.add_option("MODEL", given.models, "networks, .xml files");
    app.add_option("--nodes", given.nodes, "sizes of generated networks");
    app.add_option("--seed", given.seed, "seed of the generated networks");
    app.add_option("--save", given.save, "folder for the generated networks, as .xml and .bin");
    app.add_option("--target", given.target, "restrictions: cpu_x86, gpu or none")
        ->check(CLI::IsMember({"cpu_x86", "gpu", "none"}));
    app.add_flag("--follow-upstream", given.follow_upstream,
                 "make the network that OpenVINO makes, also where it is wrong");
    app.add_option("--runs", given.least_runs, "at least so many runs a network")->check(CLI::Range(1, 1000000));
    app.add_option("--seconds", given.seconds, "and at least so long")->check(CLI::Range(0.0, 3600.0));
    CLI11_PARSE(app, argc, argv);
    try {
        for (const std::string& each : given.models)
            time_pipeline(each, lpt::import_openvino_ir(each.c_str()), given, "");
        for (const std::size_t nodes : given.nodes)
            time_generated(nodes, given);
    } catch (const std::exception& raised) {
        std::fprintf(stderr, "%s\n", raised.what());
        return 1;
    }
}
