// SPDX-License-Identifier: Apache-2.0
// lpt_run MODEL: imports a network, transforms it to 8-bit integers, runs it, and says what each operation became.
// The command line and the report are described in docs/design.md.
#include "file_errors.hpp"
#include "network_file.hpp"
#include "ready_target.hpp"
#include "run/arguments.hpp"
#include "run/compare.hpp"
#include "run/html.hpp"
#include "run/inputs.hpp"
#include "run/outputs.hpp"
#include "run/specified.hpp"
#include "run/specified_rows.hpp"
#include "standard_output.hpp"

#include <lpt/export/dot.hpp>
#include <lpt/lpt.hpp>
#include <lpt/optimization/optimize.hpp>
#include <lpt/pipeline/prepare.hpp>

#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace {

using namespace lpt;
using run::arguments;
using run::outputs;

class stopwatch {
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
    }
};

/// The option that raises the limit that an error is about, to put behind its words.
std::string hint_of_limit(const std::string& words) {
    constexpr const char* limits[][2] = {{"it would run more than ", "--iterations"},
                                         {"outputs take more than ", "--evaluation-limit"},
                                         {"and the limit is ", "--memory-limit"}};
    for (const auto& [part, option] : limits) {
        if (words.find(part) != std::string::npos) {
            return std::string(" (") + option + " raises the limit)";
        }
    }
    return {};
}

/// Does some work on the network: errors name its file, the option that would help, and sizes that nobody has chosen.
template <class Work>
auto working_on(const arguments& given, const run::samples* samples, const Work& work) -> decltype(work()) {
    return naming_file(given.model, work, [&](const std::string& words) {
        const std::string open = samples == nullptr ? "" : run::words_of_open_sizes(samples->opened);
        return hint_of_limit(words) + (open.empty() ? "" : " (" + open + ")");
    });
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

/// Runs a second of some sessions at once, each on a thread; `work` does all runs of one.
template <class Session, class Work>
double throughput(std::vector<Session>& all, int count, const Work& work) {
    std::vector<std::thread> threads;
    const stopwatch watch;
    for (Session& each : all) {
        threads.emplace_back([&each, &work] { work(each); });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    return static_cast<double>(all.size()) * count / watch.ms() * 1000;
}
/// `make` gives a session that has run once: the first run takes memory.
template <class Make, class Work>
void print_throughput(int sessions, int count, const Make& make, const Work& work) {
    std::vector<decltype(make())> all;
    all.push_back(make());
    const double one = throughput(all, count, work);
    while (static_cast<int>(all.size()) < sessions) {
        all.push_back(make());
    }
    const double together = throughput(all, count, work);
    std::printf("%d sessions at once: %.1f runs a second, %.2f times those of one\n", sessions, together,
                together / one);
}
void print_throughput(const executable& net, const std::vector<tensor>& sample, int sessions, int count) {
    const view<tensor> inputs(sample.data(), sample.size());
    const auto make = [&] {
        executable result = net.session();
        result.run(inputs);
        return result;
    };
    print_throughput(sessions, count, make, [&](executable& each) { time_runs(each, inputs, count); });
}

void print_comparison(const graph& original, executable& net, const compile_options& options,
                      const run::samples& samples, int width) {
    std::vector<std::vector<tensor>> inputs;
    for (std::size_t i = 0; i < samples.count; ++i) {
        inputs.push_back(samples.sample(i));
    }
    net.reset();
    run::print_comparison(run::compare_with_real(original, net, options, inputs), static_cast<std::size_t>(width),
                          samples.random);
}

std::size_t peak_memory_bytes() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<std::size_t>(used.ru_maxrss) * 1024;
}

/// Characters in a line of what is printed; 0: names whole, a row for every operation.
int width_of(const arguments& given) { return given.all ? 0 : given.width != 0 ? given.width : run::terminal_width(); }

/// The rows as a table, what was decided for want of words, and how much ran on integers.
void print_rows(const arguments& given, const std::vector<run::row>& rows, const run::samples& samples,
                std::vector<std::string> notes, kernel::isa set) {
    const auto width = static_cast<std::size_t>(width_of(given));
    if (width == 0) {
        run::print_table(rows);
    } else {
        run::print_steps(rows, width, kernel::name_of(set));
    }
    notes.push_back(run::words_of_open_sizes(samples.opened));
    for (const std::string& each : notes) {
        if (!each.empty()) {
            run::print_wrapped(run::printable(each), width);
        }
    }
    std::printf("%s\n", run::sentence_of(run::summary_of(rows)).c_str());
}

void print_times(const arguments& given, const run::figures& all, kernel::isa set, bool transformed) {
    std::printf("import %.1f ms, ", all.import_ms);
    if (transformed) {
        std::printf("transformations %.1f ms, ", all.transform_ms);
    }
    std::printf("plan %.1f ms, run %.3f ms (%s, %d thread%s)\n", all.plan_ms, all.run_ms, kernel::name_of(set),
                given.threads, given.threads == 1 ? "" : "s");
    if (given.repeat > 0) {
        std::printf("min %.4f ms, median %.4f ms of %d runs\n", all.least_run_ms, all.run_ms, given.repeat);
    }
}

void write_reports(const arguments& given, const std::vector<run::row>& rows, const run::figures& all) {
    if (!given.report.empty()) {
        write_text(given.report,
                   run::json_of(rows, all).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    if (!given.html.empty()) {
        write_text(given.html, run::html_of(given.model, rows, all));
    }
}

/// Transforms a network in place as the options say, and gives what became of it.
report transform_network(const arguments& given, graph& model, run::figures& all) {
    model.set_folding_budget(given.folding.budget());
    const graph original = model;
    if (given.precision != "int8") {
        return make_report(original, model, {}, dispatch_view());
    }
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
    return make_report(original, model, refusals, where.options);
}

compile_options options_of(const arguments& given) {
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
    return options;
}

void run_network(const arguments& given, const std::string& note) {
    run::figures all;
    stopwatch importing;
    graph model = read_network_file(given.model, given.allow_external_data, given.signature);
    all.import_ms = importing.ms();
    const graph original = model;
    const compile_options options = options_of(given);
    const report became = working_on(given, nullptr, [&] { return transform_network(given, model, all); });
    const text picture = given.dot.empty() ? text() : write_dot(model, became);
    executable net = working_on(given, nullptr, [&] {
        const stopwatch planning;
        if (given.precision == "int8" && !given.as_transformed) {
            optimize(model);
        }
        executable made = compile(model, options);
        all.plan_ms += planning.ms();
        return made;
    });
    const run::samples samples = run::read_samples(given.inputs, net.inputs());
    outputs results(samples);
    const double runs =
        working_on(given, &samples, [&] { return run_samples(net, samples, results, given.repeat, all); });
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
    print_rows(given, rows, samples, {note}, net.instruction_set());
    print_times(given, all, net.instruction_set(), true);
    if (given.compare) {
        working_on(given, &samples, [&] { print_comparison(original, net, options, samples, width_of(given)); });
    }
    if (given.repeat > 0 && given.sessions > 1 && samples.count > 0) {
        print_throughput(net, samples.sample(0), given.sessions, given.repeat);
    }
    write_reports(given, rows, all);
    if (!given.dot.empty()) {
        write_text(given.dot, {picture.view().data(), picture.size()});
    }
    if (run::is_tflite(given.model)) {
        run::print_warnings(tflite::read_model(given.model));
    }
}

/// A network that runs as its file specifies, with threads of its own.
class specified_session {
    std::unique_ptr<thread_pool> pool_;  // outlives the network
    std::unique_ptr<specified::network> net_;

public:
    specified_session(const arguments& given, const tflite::model& model, kernel::isa set) {
        if (given.threads > 1) {
            pool_ = std::make_unique<thread_pool>(given.threads);
        }
        net_ = std::make_unique<specified::network>(
            model, &kernel::table_for(set), pool_ ? pool_->parallel() : kernel::parallel_for(),
            given.memory_limit != 0 ? given.memory_limit << 20 : runtime::memory_of_machine());
    }
    specified::network& net() { return *net_; }

    std::vector<double> time_runs(int count) {
        std::vector<double> times;
        times.reserve(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
            const stopwatch watch;
            net_->run();
            times.push_back(watch.ms());
        }
        return times;
    }
};

/// As `run_samples`: then each row has the time of its operator.
void run_specified_samples(specified_session& session, const run::samples& samples, outputs& results, int repeat,
                           std::vector<run::row>& rows, run::figures& all) {
    std::vector<double> times;
    for (std::size_t i = 0; i < samples.count; ++i) {
        const stopwatch watch;
        results.put(run::run_sample(session.net(), samples.sample(i)));
        times.push_back(watch.ms());
    }
    if (samples.count == 0) {
        return;
    }
    if (repeat > 0) {
        times = session.time_runs(repeat);
    }
    std::sort(times.begin(), times.end());
    all.run_ms = times[times.size() / 2];
    all.least_run_ms = times[0];
    run::time_operators(session.net(), rows, repeat > 0 ? profiled_runs(repeat) : 1);
}

/// In which arithmetic the network ran, and what is to be known of the times.
std::string words_of_specified(const tflite::subgraph& net) {
    return std::string(
               "arithmetic: that of the 8-bit specification, as the file says it (--arithmetic transformed: that of "
               "the transformed network)") +
           (run::may_join_operators(net)
                ? "; operators are timed one by one, and DEQUANTIZE, PRELU and QUANTIZE in a row "
                  "take less in a run, which does them in one step"
                : "");
}

/// Draws what the network would be if it were transformed.
void draw_transformed(const arguments& given) {
    graph model = read_network_file(given.model, given.allow_external_data, given.signature);
    run::figures unused;
    const report became = working_on(given, nullptr, [&] { return transform_network(given, model, unused); });
    const text picture = write_dot(model, became);
    write_text(given.dot, {picture.view().data(), picture.size()});
    std::fprintf(stderr, "lpt_run: note: %s shows the transformed network, not this run, which is as specified\n",
                 given.dot.c_str());
}

/// The same in the arithmetic that the operations of a TFLite file specify.
void run_specified(const arguments& given, const std::string& note) {
    run::figures all;
    all.arithmetic = "specified";
    const stopwatch importing;
    const tflite::model model = run::read_tflite(given.model, given.signature);
    all.import_ms = importing.ms();
    const stopwatch planning;
    const kernel::isa set = given.isa.empty() ? kernel::best_isa() : kernel::isa_named(given.isa.c_str());
    const auto make = [&] { return working_on(given, nullptr, [&] { return specified_session(given, model, set); }); };
    specified_session session = make();
    specified::network& net = session.net();
    all.plan_ms = planning.ms();
    const std::string fixed = run::words_of_fixed_sizes(net.subgraph());
    const run::samples samples = hinting([&] { return run::read_samples(given.inputs, run::ports_of(net, true)); },
                                         [&](const std::string&) { return fixed.empty() ? "" : " (" + fixed + ")"; });
    outputs results(samples);
    std::vector<run::row> rows = run::specified_rows(net.subgraph());
    working_on(given, &samples, [&] { run_specified_samples(session, samples, results, given.repeat, rows, all); });
    if (!given.output.empty()) {
        results.write(run::ports_of(net, false), given.output);
    }
    all.peak_memory_bytes = peak_memory_bytes();
    print_rows(given, rows, samples, {words_of_specified(net.subgraph()), fixed}, set);
    print_times(given, all, set, false);
    if (given.repeat > 0 && given.sessions > 1 && samples.count > 0) {
        const auto make_warm = [&] {
            specified_session result = make();
            run::run_sample(result.net(), samples.sample(0));
            return result;
        };
        print_throughput(given.sessions, given.repeat, make_warm,
                         [&](specified_session& each) { each.time_runs(given.repeat); });
    }
    write_reports(given, rows, all);
    std::fflush(stdout);  // notes stand behind what they are about
    if (!given.dot.empty()) {
        draw_transformed(given);
    }
    if (!note.empty()) {
        std::fprintf(stderr, "lpt_run: note: %s\n", note.c_str());
    }
    run::print_warnings(model);
}

void run_as_chosen(const CLI::App& app, const arguments& given) {
    const run::choice chosen = run::arithmetic_of(app, given);
    chosen.specified ? run_specified(given, chosen.note) : run_network(given, chosen.note);
    const std::string idle = run::note_without_transformations(app, given);
    if (!idle.empty()) {
        std::fprintf(stderr, "lpt_run: note: %s\n", idle.c_str());
    }
}

}  // namespace

int main(int count, char** words) {
    CLI::App app("Transforms a quantized network to 8-bit integers and runs it.");
    arguments given;
    run::read_arguments(app, given);
    try {
        app.parse(count, words);
    } catch (const CLI::ParseError& wrong) {
        if (wrong.get_exit_code() == 0) {
            return status_of_output("lpt_run", app.exit(wrong));
        }
        std::fprintf(stderr, "lpt_run: %s\n", wrong.what());
        return 1;
    }
    try {
        lpt::detail::naming_memory([&] { run_as_chosen(app, given); }, [&] { return text(given.model.c_str()); });
    } catch (const std::exception& wrong) {
        std::fprintf(stderr, "lpt_run: %s\n", wrong.what());
        return 1;
    }
    return status_of_output("lpt_run", 0);
}
