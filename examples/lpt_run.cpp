// SPDX-License-Identifier: Apache-2.0
// lpt_run MODEL: imports a network, transforms it to 8-bit integers, runs it, and says what each operation became.
// The command line and the report are described in docs/design.md.
#include "folding_options.hpp"
#include "network_file.hpp"
#include "ready_target.hpp"
#include "run/compare.hpp"
#include "run/html.hpp"
#include "run/inputs.hpp"
#include "run/specified.hpp"

#include <lpt/export/dot.hpp>
#include <lpt/lpt.hpp>
#include <lpt/optimization/optimize.hpp>
#include <lpt/pipeline/prepare.hpp>

#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

namespace {

using namespace lpt;

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

class stopwatch {
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
    }
};

void read_arguments(CLI::App& app, arguments& to) {
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
           "specified where all of them are int8 and no option is given that only the other has")
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

/// An option that is given and that specified arithmetic, which makes no transformations and no report, does not have; or null.
const char* option_of_transformed(const CLI::App& app) {
    for (const char* const option :
         {"--report", "--html", "--dot", "--precision", "--target", "--follow-upstream", "--as-transformed", "--all",
          "--width", "--iterations", "--evaluation-limit", "--folding-limit", "--folding-steps", "--on-reference",
          "--dynamic-quantization", "--sessions", "--compare"}) {
        if (app.count(option) != 0) {
            return option;
        }
    }
    return nullptr;
}

/// Whether the network runs in the arithmetic that its file specifies.
bool runs_as_specified(const CLI::App& app, const arguments& given) {
    const char* const other = option_of_transformed(app);
    if (given.arithmetic == "specified" && other != nullptr) {
        fail({"--arithmetic specified and ", other, " exclude each other"});
    }
    return given.arithmetic.empty() ? other == nullptr && run::is_all_int8(given.model, given.signature)
                                    : given.arithmetic == "specified";
}

/// The kernels of this library on ARM run more than an engine that has only convolutions and matrix products in 8 bits.
[[maybe_unused]] constexpr auto arm_kernels =
    cpu_arm.enabling<avg_pool_transformation, group_convolution_transformation, interpolate_transformation,
                     max_pool_transformation, mvn_transformation, normalize_l2_transformation,
                     recurrent_cell_transformation, reduce_max_transformation, reduce_mean_transformation,
                     reduce_min_transformation, reduce_sum_transformation>();

target target_of_name(const std::string& name) {
    if (name == "host") {
#if defined(__aarch64__)
        return arm_kernels;
#else
        return cpu_x86;
#endif
    }
    return ready_target(name);
}

void write_text(const std::string& file, const std::string& words) {
    std::ofstream stream(file, std::ios::binary);
    stream << words;
    if (!stream.flush()) {
        fail({file.c_str(), ": cannot be written"});
    }
}

/// Outputs of all samples, stacked if the inputs were.
class outputs {
    std::vector<std::vector<tensor>> samples_;
    bool stacked_;

    tensor stack_of(std::size_t k) const {
        const tensor& first = samples_[0][k];
        shape dimensions = first.dimensions();
        dimensions.insert(0, static_cast<dimension>(samples_.size()));
        tensor_builder stack(first.type(), dimensions);
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            const tensor& value = samples_[i][k];
            if (!(value.dimensions() == first.dimensions())) {
                fail({"output ", k, " has the shape ", first.dimensions(), " for the first sample and ",
                      value.dimensions(), " for sample ", i, ": they cannot be stacked"});
            }
            if (value.size_in_bytes() != 0) {
                std::memcpy(stack.data() + i * value.size_in_bytes(), value.data(), value.size_in_bytes());
            }
        }
        return stack.finish();
    }
    /// The stack of no sample; sizes that no run has decided are 0.
    static tensor empty_stack(const plan::port& port) {
        shape dimensions = port.dimensions;
        for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
            dimensions[axis] = dimensions.is_static(axis) ? dimensions[axis] : 0;
        }
        dimensions.insert(0, 0);
        return tensor_builder(port.type, dimensions).finish();
    }

public:
    explicit outputs(const run::samples& samples) : stacked_(samples.any_stacked) {}

    void put(std::vector<tensor> values) { samples_.push_back(std::move(values)); }
    void write(const std::vector<plan::port>& ports, const std::string& folder) const {
        std::error_code wrong;
        std::filesystem::create_directories(folder, wrong);
        for (std::size_t k = 0; k < ports.size(); ++k) {
            const std::string file = (std::filesystem::path(folder) / (std::to_string(k) + ".npy")).string();
            if (samples_.empty()) {
                npy::write(file, empty_stack(ports[k]));
            } else {
                npy::write(file, stacked_ ? stack_of(k) : samples_[0][k]);
            }
        }
    }
};

/// Memory for the outputs of a network whose shapes are known.
class output_memory {
    std::vector<std::vector<std::byte>> bytes_;
    std::vector<void*> places_;

public:
    explicit output_memory(const std::vector<plan::port>& ports) {
        for (const plan::port& each : ports) {
            bytes_.emplace_back(byte_size(each.type, each.dimensions.elements()));
            places_.push_back(bytes_.back().data());
        }
    }
    void* const* places() const { return places_.data(); }
};

/// Times of runs in milliseconds, without those of steps: to read the clocks for each would be part of what is measured. Outputs go to the
/// same memory each time, where shapes are known.
std::vector<double> time_runs(executable& net, view<tensor> inputs, int count) {
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(count));
    std::vector<const void*> from;
    for (const tensor& each : inputs) {
        from.push_back(each.data());
    }
    const output_memory results(net.is_fixed() ? net.outputs() : std::vector<plan::port>());
    std::vector<tensor> made;
    for (int i = 0; i < count; ++i) {
        const stopwatch watch;
        if (net.is_fixed()) {
            net.run(from.data(), results.places());
        } else {
            net.run(inputs, made);
        }
        times.push_back(watch.ms());
    }
    return times;
}

/// Runs that are timed step by step, behind those that are timed as a whole: a tenth of them, at least one.
int profiled_runs(int repeat) { return repeat / 10 + (repeat % 10 != 0 ? 1 : 0); }

/// Runs all samples, then the first one again as often as asked; gives how many runs the times of the steps are sums of.
double run_samples(executable& net, const run::samples& samples, outputs& results, int repeat, run::figures& all) {
    std::vector<double> times;
    for (std::size_t i = 0; i < samples.count; ++i) {
        const std::vector<tensor> inputs = samples.sample(i);
        const double planned = net.planning_us();
        const stopwatch watch;
        results.put(net.run(view<tensor>(inputs.data(), inputs.size()), repeat == 0));
        const double planning = (net.planning_us() - planned) / 1000;
        all.plan_ms += planning;
        times.push_back(watch.ms() - planning);
    }
    std::size_t profiled = times.size();
    if (repeat > 0 && samples.count > 0) {
        const std::vector<tensor> sample = samples.sample(0);
        const view<tensor> inputs(sample.data(), sample.size());
        times = time_runs(net, inputs, repeat);
        profiled = static_cast<std::size_t>(profiled_runs(repeat));
        for (std::size_t i = 0; i < profiled; ++i) {
            net.run(inputs, true);
        }
    }
    std::sort(times.begin(), times.end());
    if (!times.empty()) {
        all.run_ms = times[times.size() / 2];
        all.least_run_ms = times[0];
    }
    return static_cast<double>(std::max<std::size_t>(profiled, 1));
}

/// Runs a second of so many sessions at once, each with threads of its own and `count` runs.
double throughput(const executable& net, view<tensor> inputs, int sessions, int count) {
    std::vector<executable> all;
    for (int i = 0; i < sessions; ++i) {
        all.push_back(net.session());
        all.back().run(inputs);  // the first run of a session takes memory
    }
    std::vector<std::thread> threads;
    const stopwatch watch;
    for (executable& each : all) {
        threads.emplace_back([&each, inputs, count] { time_runs(each, inputs, count); });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    return sessions * count / watch.ms() * 1000;
}
void print_throughput(const executable& net, const std::vector<tensor>& sample, int sessions, int count) {
    const view<tensor> inputs(sample.data(), sample.size());
    const double one = throughput(net, inputs, 1, count);
    const double all = throughput(net, inputs, sessions, count);
    std::printf("%d sessions at once: %.1f runs a second, %.2f times those of one\n", sessions, all, all / one);
}

void print_comparison(const graph& original, executable& net, const compile_options& options,
                      const run::samples& samples) {
    std::vector<std::vector<tensor>> inputs;
    for (std::size_t i = 0; i < samples.count; ++i) {
        inputs.push_back(samples.sample(i));
    }
    net.reset();
    run::print_comparison(run::compare_with_real(original, net, options, inputs));
}

std::size_t peak_memory_bytes() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<std::size_t>(used.ru_maxrss) * 1024;
}

void run_network(const arguments& given) {
    run::figures all;
    stopwatch importing;
    graph model = read_network_file(given.model, given.allow_external_data, given.signature);
    all.import_ms = importing.ms();
    model.set_folding_budget(given.folding.budget());
    const graph original = model;
    report became = make_report(original, model, {}, dispatch_view());
    if (given.precision == "int8") {
        prepare(model);
        if (!given.as_transformed) {
            const stopwatch fusing;
            fuse_functions(model);
            all.plan_ms += fusing.ms();
        }
        target where = target_of_name(given.target);
        where.options.follow_upstream_errors = given.follow_upstream;
        const stopwatch transforming;
        const seq<refusal> refusals = run_pipeline(model, where.restrictions, where.options);
        all.transform_ms = transforming.ms();
        became = make_report(original, model, refusals, where.options);
    }
    compile_options options;
    options.threads = given.threads;
    if (!given.isa.empty()) {
        options.instruction_set = kernel::isa_named(given.isa.c_str());
    }
    if (given.memory_limit != 0) {
        options.memory_limit = given.memory_limit << 20;
    }
    options.most_iterations = given.iterations;
    options.most_evaluated_bytes = given.evaluation_limit << 20;
    options.on_reference = given.on_reference == "refuse" ? reference_use::refuse : reference_use::allow;
    options.dynamic_quantization = given.dynamic_quantization == "none"  ? data_rounding::none
                                   : given.dynamic_quantization == "all" ? data_rounding::all
                                                                         : data_rounding::allowed;
    const text picture = given.dot.empty() ? text() : write_dot(model, became);
    const stopwatch planning;
    if (given.precision == "int8" && !given.as_transformed) {
        optimize(model);
    }
    executable net = compile(model, options);
    all.plan_ms += planning.ms();
    const run::samples samples = run::read_samples(given.inputs, net.inputs());
    outputs results(samples);
    const double runs = run_samples(net, samples, results, given.repeat, all);
    if (!given.output.empty()) {
        results.write(net.outputs(), given.output);
    }
    all.peak_memory_bytes = peak_memory_bytes();
    if (given.on_reference == "report") {
        for (const text& each : net.on_reference()) {
            std::fprintf(stderr, "no kernel: %s\n", each.c_str());
        }
    }
    const std::vector<run::row> rows = run::make_rows(became, net, runs);
    const int width = given.width != 0 ? given.width : run::terminal_width();
    if (given.all || width == 0) {
        run::print_table(rows);
    } else {
        run::print_steps(rows, static_cast<std::size_t>(width));
    }
    std::printf("%s\n", run::sentence_of(run::summary_of(rows)).c_str());
    std::printf("import %.1f ms, transformations %.1f ms, plan %.1f ms, run %.3f ms (%s, %d thread%s)\n", all.import_ms,
                all.transform_ms, all.plan_ms, all.run_ms, kernel::name_of(net.instruction_set()), given.threads,
                given.threads == 1 ? "" : "s");
    if (given.repeat > 0) {
        std::printf("min %.4f ms, median %.4f ms of %d runs\n", all.least_run_ms, all.run_ms, given.repeat);
    }
    if (given.compare) {
        print_comparison(original, net, options, samples);
    }
    if (given.repeat > 0 && given.sessions > 1 && samples.count > 0) {
        print_throughput(net, samples.sample(0), given.sessions, given.repeat);
    }
    if (!given.report.empty()) {
        write_text(given.report,
                   run::json_of(rows, all).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    if (!given.html.empty()) {
        write_text(given.html, run::html_of(given.model, rows, all));
    }
    if (!given.dot.empty()) {
        write_text(given.dot, {picture.view().data(), picture.size()});
    }
    if (run::is_tflite(given.model)) {
        run::print_warnings(tflite::read_model(given.model));
    }
}

/// How many operators neither read nor write real numbers.
std::size_t operators_on_integers(const tflite::subgraph& net) {
    const auto has_reals = [&](std::int64_t index) {
        return index >= 0 && is_real(tflite::element_of(net.tensors[static_cast<std::size_t>(index)].type));
    };
    return static_cast<std::size_t>(
        std::count_if(net.operators.begin(), net.operators.end(), [&](const tflite::operator_info& each) {
            return std::none_of(each.inputs.begin(), each.inputs.end(), has_reals) &&
                   std::none_of(each.outputs.begin(), each.outputs.end(), has_reals);
        }));
}

/// The same in the arithmetic that the operations of a TFLite file specify.
void run_specified(const arguments& given) {
    const stopwatch importing;
    const tflite::model model = run::read_tflite(given.model, given.signature);
    const double import_ms = importing.ms();
    const stopwatch planning;
    const kernel::isa set = given.isa.empty() ? kernel::best_isa() : kernel::isa_named(given.isa.c_str());
    std::optional<thread_pool> pool;
    if (given.threads > 1) {
        pool.emplace(given.threads);
    }
    specified::network net(model, &kernel::table_for(set), pool ? pool->parallel() : kernel::parallel_for(),
                           given.memory_limit != 0 ? given.memory_limit << 20 : runtime::memory_of_machine());
    const double plan_ms = planning.ms();
    const run::samples samples = run::read_samples(given.inputs, run::ports_of(net, true));
    outputs results(samples);
    std::vector<double> times;
    for (std::size_t i = 0; i < samples.count; ++i) {
        const stopwatch watch;
        results.put(run::run_sample(net, samples.sample(i)));
        times.push_back(watch.ms());
    }
    if (given.repeat > 0) {
        times.clear();
    }
    for (int i = 0; i < given.repeat; ++i) {
        const stopwatch watch;
        net.run();
        times.push_back(watch.ms());
    }
    if (!given.output.empty()) {
        results.write(run::ports_of(net, false), given.output);
    }
    std::sort(times.begin(), times.end());
    const double median = times.empty() ? 0 : times[times.size() / 2];
    std::printf("on integers: %zu of %zu operations, in the arithmetic of the 8-bit specification (--arithmetic "
                "transformed: transformed, with a report)\n",
                operators_on_integers(net.subgraph()), net.subgraph().operators.size());
    std::printf("import %.1f ms, plan %.1f ms, run %.3f ms (%s, %d thread%s)\n", import_ms, plan_ms, median,
                kernel::name_of(set), given.threads, given.threads == 1 ? "" : "s");
    if (given.repeat > 0) {
        std::printf("min %.4f ms, median %.4f ms of %d runs\n", times[0], median, given.repeat);
    }
    run::print_warnings(model);
}

}  // namespace

int main(int count, char** words) {
    CLI::App app("Transforms a quantized network to 8-bit integers and runs it.");
    arguments given;
    read_arguments(app, given);
    try {
        app.parse(count, words);
    } catch (const CLI::ParseError& wrong) {
        if (wrong.get_exit_code() == 0) {
            return app.exit(wrong);
        }
        std::fprintf(stderr, "lpt_run: %s\n", wrong.what());
        return 1;
    }
    try {
        lpt::detail::naming_memory([&] { runs_as_specified(app, given) ? run_specified(given) : run_network(given); },
                                   [&] { return text(given.model.c_str()); });
    } catch (const std::exception& wrong) {
        std::fprintf(stderr, "lpt_run: %s\n", wrong.what());
        return 1;
    }
    return 0;
}
