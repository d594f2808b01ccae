// SPDX-License-Identifier: Apache-2.0
// The command line of lpt_run, and the arithmetic that it asks for.
#pragma once

#include "../folding_options.hpp"
#include "../network_file.hpp"
#include "specified.hpp"

#include <lpt/reference/limits.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace lpt::run {

struct arguments {
    std::string model;
    std::string signature;
    std::vector<std::string> inputs;
    std::string output;
    std::string report;
    std::string html;
    std::string dot;
    std::string precision = "int8";
    std::string arithmetic;
    std::string target = "host";
    bool follow_upstream = false;
    bool allow_external_data = false;
    bool as_transformed = false;
    int threads = 1;
    std::string isa;
    int repeat = 0;
    int sessions = 1;
    bool all = false;
    bool compare = false;
    int width = 0;
    std::size_t memory_limit = 0;  // MiB; 0: the machine's
    std::int64_t iterations = reference::limits{}.iterations;
    std::uint64_t evaluation_limit = reference::limits{}.bytes >> 20;  // MiB
    folding_options folding;
    std::string on_reference = "allow";
    std::string dynamic_quantization = "allowed";
};

inline void read_arguments(CLI::App& app, arguments& to) {
    app.add_option("MODEL", to.model, "the network: an .onnx or .tflite file, or an .xml file with its .bin beside it")
        ->required();
    app.add_option("--signature", to.signature,
                   "key of the signature of a .tflite file to run; default: the file's first subgraph");
    app.add_option("--input", to.inputs,
                   "[NAME=]FILE.npy, once for each input of the network; without it, random numbers")
        ->allow_extra_args(false);
    app.add_option("--output", to.output, "folder for the outputs: 0.npy, 1.npy, ...");
    app.add_option("--report", to.report, "file for the report as JSON");
    app.add_option("--html", to.html, "file for the report as HTML");
    app.add_option("--dot", to.dot, "file for a picture of the transformed network, in graphviz's language");
    app.add_option("--precision", to.precision, "int8, or f32 for the network without transformations")
        ->check(CLI::IsMember({"int8", "f32"}));
    app.add_option(
           "--arithmetic", to.arithmetic,
           "transformed, or specified: a TFLite network runs in the integer arithmetic of its operations; default: "
           "specified where all of them are int8 and no option asks for something of the transformations")
        ->check(CLI::IsMember({"specified", "transformed"}));
    app.add_option(
           "--target", to.target,
           "what to transform for: cpu_x86, cpu_x86_amx, cpu_arm, gpu, tflite or none; default: this processor's")
        ->check(CLI::IsMember({"host", "cpu_x86", "cpu_x86_amx", "cpu_arm", "gpu", "tflite", "none"}));
    app.add_flag("--follow-upstream", to.follow_upstream,
                 "give the network that OpenVINO gives, also where it is wrong");
    app.add_flag("--allow-external-data", to.allow_external_data,
                 "read tensors of an ONNX model from files outside its folder, too");
    app.add_flag("--as-transformed", to.as_transformed,
                 "run what the transformations give, without the optimizations around them");
    app.add_option("--threads", to.threads, "number of threads")->check(CLI::Range(1, 1024));
    app.add_option("--isa", to.isa, "instruction set (a wrong one lists them); default: the best of this processor");
    app.add_option("--memory-limit", to.memory_limit,
                   "MiB that intermediate tensors and packed weights may take; default: what the machine has")
        ->check(CLI::Range(1, 1 << 30));
    app.add_option("--iterations", to.iterations, "iterations that all loops together may take in a run")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--evaluation-limit", to.evaluation_limit,
                   "MiB that the outputs of one operation without a kernel may take")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 30))
        ->capture_default_str();
    to.folding.add_to(app);
    app.add_option("--on-reference", to.on_reference,
                   "operations without a kernel: allow them, report each on stderr, or refuse the network")
        ->check(CLI::IsMember({"allow", "report", "refuse"}));
    app.add_option(
           "--dynamic-quantization", to.dynamic_quantization,
           "which products with weights of 4 or 8 bits round their data to 8 bits as they run: none, those whose "
           "file asks for it, or all")
        ->check(CLI::IsMember({"none", "allowed", "all"}))
        ->capture_default_str();
    CLI::Option* const repeat =
        app.add_option("--repeat", to.repeat, "time so many runs")->check(CLI::Range(1, 1000000000));
    app.add_option("--sessions", to.sessions, "with --repeat: time so many sessions at once, too, each on a thread")
        ->check(CLI::Range(1, 1024))
        ->needs(repeat);
    app.add_flag("--compare", to.compare,
                 "print what quantization costs each operation, worst first, and what would improve it");
    app.add_flag("--all", to.all, "print every operation, as where stdout is no terminal");
    app.add_option("--width", to.width, "print what fits a terminal with lines of so many characters")
        ->check(CLI::Range(80, 100000));
}

/// The options among some that are given, with commas; empty where none is.
inline std::string given_of(const CLI::App& app, const std::vector<const char*>& options) {
    std::string result;
    for (const char* const option : options) {
        if (app.count(option) != 0) {
            result += (result.empty() ? "" : ", ") + std::string(option);
        }
    }
    return result;
}

/// The options given that ask for something of the transformations, which specified arithmetic does not have.
inline std::string options_of_transformations(const CLI::App& app) {
    return given_of(app, {"--precision", "--target", "--follow-upstream", "--as-transformed", "--dynamic-quantization",
                          "--compare"});
}

/// What is to be said of options that a run as specified accepts and that change nothing in it.
inline std::string note_of_idle_options(const CLI::App& app) {
    const std::string idle =
        given_of(app, {"--iterations", "--evaluation-limit", "--folding-limit", "--folding-steps", "--on-reference"});
    return idle.empty() ? idle
                        : idle + ": without effect, as nothing is folded, repeated or left to the scalar reference "
                                 "where a network runs as its file specifies";
}

/// In which arithmetic a network runs, and why.
struct choice {
    bool specified = false;
    std::string note;  // where that is not what one may expect
};

/// What is to be said of options of the transformations where there are none.
inline std::string note_without_transformations(const CLI::App& app, const arguments& given) {
    const std::string idle = given.precision == "int8"
                                 ? std::string()
                                 : given_of(app, {"--target", "--follow-upstream", "--as-transformed"});
    return idle.empty() ? idle : idle + ": without effect, as --precision f32 leaves out the transformations";
}

inline choice arithmetic_of(const CLI::App& app, const arguments& given) {
    const std::string asking = options_of_transformations(app);
    if (given.arithmetic == "specified") {
        if (!asking.empty()) {
            fail({"--arithmetic specified and ", asking.c_str(), " exclude each other"});
        }
        const std::string kind = kind_of_file(given.model);
        if (!kind.empty() && !is_tflite(given.model)) {
            fail({given.model.c_str(), ": is ", kind.c_str(),
                  ", and only the operations of TFLite models specify their arithmetic; expected one, or "
                  "--arithmetic transformed"});
        }
        return {true, note_of_idle_options(app)};
    }
    if (!given.arithmetic.empty() || !is_all_int8(given.model, given.signature)) {
        return {};
    }
    if (!asking.empty()) {
        return {false, "arithmetic: transformed, asked for by " + asking +
                           "; without that it would be what the operations of the file specify"};
    }
    return {true, note_of_idle_options(app)};
}

}  // namespace lpt::run
