// SPDX-License-Identifier: Apache-2.0
// Networks that run.
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/kernel/dispatch.hpp>
#include <lpt/runtime/network_runner.hpp>
#include <lpt/runtime/platform.hpp>
#include <lpt/runtime/thread_pool.hpp>

#include <initializer_list>
#include <optional>
#include <utility>

namespace lpt::inline LPT_ABI {

/// What becomes of operations that no kernel computes: the scalar reference, many times slower, computes them, or they are an error.
enum class reference_use { allow, refuse };

/// How a network is to be run.
struct compile_options {
    /// >= 1; no result depends on it. Steps that are over before another thread could help run on one.
    int threads = 1;
    std::optional<kernel::isa> instruction_set;  // none: the best that this processor has; no result depends on it
    /// The user's own threads instead of `threads` new ones, if `run` is set; they are called for in every step.
    kernel::parallel_for parallel;
    std::size_t most_plans = 32;  // >= 1: plans for different shapes that are kept, of the network and of each body
    /// Bytes that the intermediate tensors of a plan and all packed weights may take together; none: as much as the machine has.
    std::optional<std::size_t> memory_limit;
    /// >= 0: iterations of all loops in a run, but for those that take a part of an input each.
    std::int64_t most_iterations = reference::limits{}.iterations;
    /// Bytes that the outputs of one operation without a kernel may take, and 32 for each place along one of their axes: beyond it the
    /// scalar reference does not compute it.
    std::uint64_t most_evaluated_bytes = reference::limits{}.bytes;
    /// `executable::on_reference` names the operations that it allowed.
    reference_use on_reference = reference_use::allow;
    /// Products with weights of 4 or 8 bits take half the time for one row and a third for several, and numbers move by up to 1/254 of the greatest one
    /// in their group.
    data_rounding dynamic_quantization = data_rounding::allowed;
};

namespace runtime {

/// What `compile` makes once, and sessions share: plans and packed weights.
struct program {
    program_context context;
    compile_options options;
    double planning_us = 0;  // of the plans that were made at once
    std::unique_ptr<network_program> network;

    /// `parallel`: threads that pack weights meanwhile.
    program(graph model, const compile_options& given, const kernel::kernel_table& kernels,
            const kernel::parallel_for& parallel)
        : options(given) {
        if (options.most_plans < 1) {
            fail({"at least one plan must be kept, not ", options.most_plans});
        }
        const bool own_threads = options.parallel.run == nullptr && options.threads > 1;
        context.kernels = &kernels;
        context.threads =
            options.parallel.run != nullptr ? options.parallel.threads : math::maximum(options.threads, 1);
        context.short_steps_alone = own_threads && context.kernels->instruction_set != kernel::isa::scalar;
        context.most_plans = options.most_plans;
        context.memory_limit = options.memory_limit.value_or(memory_of_machine());
        context.weights = plan::weight_store(context.memory_limit);
        context.most_evaluated_bytes = options.most_evaluated_bytes;
        context.folding = model.folding();
        context.needs_kernels = options.on_reference == reference_use::refuse;
        context.dynamic_quantization = options.dynamic_quantization;
        context.parallel = parallel;
        network = std::make_unique<network_program>(std::move(model), context, planning_us);
        context.parallel = {};
    }
};

// What lpt::compiled_runtime holds: all that packs weights, plans and runs is reached through these.

template <compiled = once>
[[gnu::noinline]] std::shared_ptr<program> make_program(graph model, const compile_options& options,
                                                        const kernel::kernel_table& kernels,
                                                        const kernel::parallel_for& parallel) {
    return std::make_shared<program>(std::move(model), options, kernels, parallel);
}
template <compiled = once>
[[gnu::noinline]] std::unique_ptr<network_runner> make_runner(network_program& network, session_context& context) {
    return std::make_unique<network_runner>(network, context);
}
template <compiled = once>
[[gnu::noinline]] void run_network(network_runner& runner, const void* const* inputs, void* const* outputs,
                                   bool timed) {
    runner.run(inputs, outputs, timed);
}
template <compiled = once>
[[gnu::noinline]] std::vector<tensor> run_network(network_runner& runner, view<tensor> inputs, bool timed) {
    return runner.run(inputs, timed);
}

#ifdef LPT_COMPILED_RUNTIME
LPT_COMPILED_RUNTIME template std::shared_ptr<program>
make_program<>(graph, const compile_options&, const kernel::kernel_table&, const kernel::parallel_for&);
LPT_COMPILED_RUNTIME template std::unique_ptr<network_runner> make_runner<>(network_program&, session_context&);
LPT_COMPILED_RUNTIME template void run_network<>(network_runner&, const void* const*, void* const*, bool);
LPT_COMPILED_RUNTIME template std::vector<tensor> run_network<>(network_runner&, view<tensor>, bool);
#endif

}  // namespace runtime

/// A network with packed weights, fused steps and planned memory. Its states (ReadValue, Assign) live as long as it does.
///
/// Shapes that are not known when it is compiled follow from the inputs of each run, or from values that are computed in it. There
/// is a plan for each combination of shapes; the most recently used ones are kept, and share packed weights and memory.
/// One run at a time. Several threads that run the network at once take a `session` each, which shares plans and packed weights.
/// It can be moved.
class executable {
    std::shared_ptr<runtime::program> program_;
    std::unique_ptr<thread_pool> pool_;
    std::unique_ptr<runtime::session_context> context_;
    std::unique_ptr<runtime::network_runner> network_;

    /// Takes the threads of the user, or makes new ones.
    executable(const kernel::parallel_for& parallel, int threads)
        : context_(std::make_unique<runtime::session_context>()) {
        if (parallel.run == nullptr && threads > 1) {
            pool_ = std::make_unique<thread_pool>(threads);
        }
        context_->parallel = pool_ ? pool_->parallel() : parallel;
    }
    void begin(std::shared_ptr<runtime::program> shared) {
        program_ = std::move(shared);
        context_->planning_us = program_->planning_us;
        network_ = runtime::make_runner(*program_->network, *context_);
    }

public:
    /// Use `compile`.
    executable(graph model, const compile_options& options) : executable(options.parallel, options.threads) {
        // Not in make_program: lpt::compiled_runtime must not need the kernels, or the order of static libraries would matter.
        const kernel::kernel_table& kernels = kernel::table_for(options.instruction_set.value_or(kernel::best_isa()));
        begin(runtime::make_program(std::move(model), options, kernels, context_->parallel));
    }

    /// Another session of the same network, cheap to make: it shares plans and packed weights, and has memory, states, times and threads of
    /// its own. Sessions run at the same time, each by one thread, and give the same bits.
    ///
    /// `parallel`: the user's own threads for this session; without, as many new ones as the network was compiled for. The
    /// network's program lives as long as its last session.
    executable session(const kernel::parallel_for& parallel = {}) const {
        executable result(parallel, program_->options.threads);
        result.begin(program_);
        return result;
    }

    /// Inputs and outputs in order; sizes that follow from each run are dynamic.
    const std::vector<plan::port>& inputs() const { return program_->network->inputs(); }
    const std::vector<plan::port>& outputs() const { return program_->network->outputs(); }
    /// True if all shapes were known when the network was compiled: there is one plan, made then.
    bool is_fixed() const { return program_->network->is_fixed(); }
    /// The plan of the last run, of its last part where shapes depend on values; before the first run the one that was made when the
    /// network was compiled. Raises an error if there is none yet. Valid until the next run.
    const plan::network& plan() const {
        const plan::network* last = network_->last_plan();
        if (last == nullptr) {
            fail({"there is no plan before the first run, because the shapes of the inputs are not known"});
        }
        return *last;
    }
    /// Plans that are kept now, of the network without its bodies, for all sessions.
    std::size_t plans() const { return program_->network->plans(); }
    kernel::isa instruction_set() const { return program_->context.kernels->instruction_set; }
    /// Bytes of memory for intermediate tensors: as much as the largest plan that was run needs.
    std::size_t arena_bytes() const { return network_->arena_bytes(); }
    /// Packed weights of all plans, and of the bodies' plans: how many, and their bytes. All sessions share them; not to be asked while
    /// another session may make a plan.
    const plan::weight_store& packed_weights() const { return program_->context.weights; }

    /// Microseconds spent on plans so far, by `compile` and in this session, those of bodies among them; most of it when a shape comes
    /// for the first time.
    double planning_us() const { return context_->planning_us; }

    /// Runs a network that `is_fixed` once on raw memory: a pointer for each input and output, of their types and sizes. Outputs are aligned
    /// to their numbers, and overlap neither inputs nor one another. No other check. Most results are written there by the steps that
    /// compute them, without a copy; where a run raises an error, outputs may hold a part of them.
    void run(const void* const* inputs, void* const* outputs, bool timed = false) {
        if (!is_fixed()) {
            fail({"raw memory has no shapes, and this network needs those of its inputs"});
        }
        context_->iterations_left = program_->options.most_iterations;
        runtime::run_network(*network_, inputs, outputs, timed);
    }
    /// Runs once. Raises an error that names the input for one of another type or shape, and one that names the operation for shapes that
    /// it cannot take, for memory that cannot be had, and for what is beyond `most_iterations` or `most_evaluated_bytes`.
    std::vector<tensor> run(view<tensor> inputs, bool timed = false) {
        context_->iterations_left = program_->options.most_iterations;
        return runtime::run_network(*network_, inputs, timed);
    }
    std::vector<tensor> run(const std::vector<tensor>& inputs) {
        return run(view<tensor>(inputs.data(), inputs.size()));
    }
    std::vector<tensor> run(std::initializer_list<tensor> inputs) {
        return run(view<tensor>(inputs.begin(), inputs.size()));
    }
    /// The same; `outputs` gets one tensor for each output of the network.
    void run(view<tensor> inputs, std::vector<tensor>& outputs) { outputs = run(inputs); }

    /// All states begin anew.
    void reset() { context_->states.reset(); }
    /// Times of the steps of `plan().steps`, summed over all timed runs; empty before the first.
    const std::vector<step_time>& times() const {
        static const std::vector<step_time> none;
        const std::vector<step_time>* last = network_->last_times();
        return last != nullptr ? *last : none;
    }
    /// All steps of the last run, those inside bodies behind the node that has the body. Before the first run those of the plan that
    /// was made when the network was compiled. Valid until the next run.
    std::vector<run_step_record> records() const {
        std::vector<run_step_record> result;
        network_->append_records({}, {}, result);
        return result;
    }
    /// The operations of `records()` that the scalar reference computes, as `MVN 'block/norm'`, in order.
    std::vector<text> on_reference() const {
        std::vector<text> result;
        for (const run_step_record& each : records()) {
            if (plan::is_on_reference(each.net->steps[each.number])) {
                const node& first = (*each.model)[each.net->steps[each.number].nodes[0]];
                result.push_back(join({first.operation(), " '", each.path, first.name(), "'"}));
            }
        }
        return result;
    }
};

/// Makes a network run: fuses its operations into steps, packs weights, plans memory.
///
/// Any graph, transformed or not, with bodies, with sizes or ranks that are only known when it runs; what has no kernel is computed by
/// the scalar reference. Raises an error for an instruction set that the processor lacks, and one that names the operation for what cannot be
/// run, has no kernel where `on_reference` refuses the scalar reference, or needs more memory than the limit or than there is.
inline executable compile(const graph& model, const compile_options& options = {}) {
    return executable(model, options);
}

}  // namespace lpt::inline LPT_ABI
