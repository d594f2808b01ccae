// SPDX-License-Identifier: Apache-2.0
// lpt_scaling_bench: how long it takes to import, verify, transform and plan networks of several forms, by size. One row of a table a
// network; times are processor time. bench/README.md has the table.
#include "bodies.hpp"
#include "networks.hpp"

#include <bench/pipeline/write_ir.hpp>
#include <lpt/import/openvino_ir.hpp>
#include <lpt/lpt.hpp>
#include <lpt/runtime.hpp>

#include <CLI/CLI.hpp>

#include <malloc.h>

#include <cstdio>
#include <ctime>
#include <filesystem>

namespace {

struct arguments {
    std::vector<std::string> forms;
    std::vector<std::size_t> sizes{10000, 20000, 40000, 100000};
    std::string folder = std::filesystem::temp_directory_path().string();
};

template <class Work>
double time_of(Work work) {
    const std::clock_t begin = std::clock();
    work();
    return static_cast<double>(std::clock() - begin) * 1000 / CLOCKS_PER_SEC;
}

/// Bytes that the program has from the system's allocator.
double bytes_in_use() {
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

void write_network(const std::string& form, std::size_t operations, const std::string& stem) {
    if (form == "bodies") return bench::write_bodies(stem + ".xml", operations);
    for (const bench::network_form& each : bench::network_forms) {
        if (form != each.name) continue;
        bench::network_builder made;
        each.make(made, operations);
        bench::ir_writer(made.model(), stem).write();
    }
}

/// What one network took; `before`: the whole time of the one before, 0 if there is none to compare with.
double measure(const std::string& form, std::size_t operations, const std::string& stem, double before, double ratio) {
    write_network(form, operations, stem);
    malloc_trim(0);
    const double memory = bytes_in_use();
    lpt::graph model;
    const double import = time_of([&] { model = lpt::import_openvino_ir(stem + ".xml"); });
    const double imported = bytes_in_use();
    const double verify = time_of([&] { lpt::verify(model); });
    const double transform = time_of([&] {
        lpt::prepare(model);
        lpt::transform(model, lpt::cpu_x86);
    });
    std::unique_ptr<lpt::executable> net;
    const double transformed = bytes_in_use();
    const double plan = time_of([&] { net = std::make_unique<lpt::executable>(lpt::compile(model)); });
    const double planned = bytes_in_use();
    const double all = import + verify + transform + plan;
    const double per_operation = 1 / static_cast<double>(operations);
    std::printf("| %s | %zu | %.0f | %.0f | %.0f | %.0f | %.0f | ", form.c_str(), operations, import, verify, transform,
                plan, all);
    if (before > 0) std::printf("%.2f", std::pow(all / before, 1 / std::log2(ratio)));
    std::printf(" | %.0f | %.0f | %zu |\n", (imported - memory) * per_operation,
                (planned - transformed) * per_operation, net->arena_bytes());
    std::fflush(stdout);
    std::filesystem::remove(stem + ".xml");
    std::filesystem::remove(stem + ".bin");
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"times import, verify, transform and plan of networks of several forms; a row of a table for each"};
    arguments given;
    for (const bench::network_form& each : bench::network_forms)
        given.forms.push_back(each.name);
    given.forms.push_back("bodies");
    app.add_option("--form", given.forms, "forms of networks")
        ->check(CLI::IsMember(std::vector<std::string>(given.forms)));
    app.add_option("--operations", given.sizes, "their sizes, without Constants, in growing order");
    app.add_option("--folder", given.folder, "where the networks are written for a moment");
    CLI11_PARSE(app, argc, argv);
    try {
        const std::string stem = given.folder + "/lpt_scaling_" + std::to_string(::getpid());
        std::printf(
            "| form | operations | import ms | verify ms | transform ms | plan ms | all ms | per doubling | "
            "graph bytes | plan bytes | arena bytes |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        for (const std::string& form : given.forms) {
            double before = 0;
            std::size_t size_before = 1;
            for (const std::size_t size : given.sizes) {
                before =
                    measure(form, size, stem, before, static_cast<double>(size) / static_cast<double>(size_before));
                size_before = size;
            }
        }
    } catch (const std::exception& raised) {
        std::fprintf(stderr, "%s\n", raised.what());
        return 1;
    }
}
