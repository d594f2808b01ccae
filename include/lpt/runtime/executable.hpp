// SPDX-License-Identifier: Apache-2.0
// Networks that run.
#pragma once

#include <lpt/kernel/dispatch.hpp>
#include <lpt/plan/plan.hpp>
#include <lpt/runtime/run_step.hpp>
#include <lpt/runtime/thread_pool.hpp>

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>

namespace lpt {

/// How a network is to be run.
struct compile_options {
    int threads = 1;                             // >= 1; no result depends on it
    std::optional<kernel::isa> instruction_set;  // none: the best that this processor has; no result depends on it
    kernel::parallel_for parallel;  // the user's own threads instead of `threads` new ones, if `run` is set
};

/// How long a step took, in microseconds: by the clock, and by all processors together.
struct step_time {
    double real = 0;
    double processor = 0;
};

/// A network with packed weights, fused steps and planned memory. Its states (ReadValue, Assign) live as long as it does.
///
/// One run at a time. It can be moved.
class executable {
    struct memory_block {
        std::unique_ptr<std::byte[]> own;
        std::byte* first = nullptr;

        explicit memory_block(std::size_t size) : own(new std::byte[size + 128]()) {
            const auto address = reinterpret_cast<std::uintptr_t>(own.get());
            first = own.get() + (64 - address % 64) % 64;
        }
    };

    const kernel::kernel_table* kernels_;
    std::unique_ptr<thread_pool> pool_;
    kernel::parallel_for parallel_;
    plan::network net_;
    memory_block arena_;
    memory_block states_;
    std::vector<bool> state_is_set_;
    std::vector<step_time> times_;

    static std::unique_ptr<thread_pool> pool_for(const compile_options& options) {
        const bool own = options.parallel.run == nullptr && options.threads > 1;
        return own ? std::make_unique<thread_pool>(options.threads) : nullptr;
    }
    static const kernel::kernel_table& table_for(const compile_options& options) {
        return kernel::table_for(options.instruction_set.value_or(kernel::best_isa()));
    }
    static double processor_seconds() {
        std::timespec now{};
#if defined(CLOCK_PROCESS_CPUTIME_ID)
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
#else
        return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
    }
    void run_timed(runtime::step_runner& runner) {
        times_.resize(net_.steps.size());
        for (std::size_t i = 0; i < net_.steps.size(); ++i) {
            const auto begin = std::chrono::steady_clock::now();
            const double processor = processor_seconds();
            runner.run(net_.steps[i]);
            times_[i].processor += (processor_seconds() - processor) * 1e6;
            times_[i].real +=
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
        }
    }
    void check_inputs(view<tensor> inputs) const {
        if (inputs.size() != net_.inputs.size()) {
            fail("the network has ", net_.inputs.size(), " inputs, not ", inputs.size());
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const plan::port& wanted = net_.inputs[i];
            if (inputs[i].type() != wanted.type || !(inputs[i].dimensions() == wanted.dimensions)) {
                fail("input ", i, " '", wanted.name, "' must be ", name(wanted.type), to_text(wanted.dimensions),
                     ", not ", name(inputs[i].type()), to_text(inputs[i].dimensions()));
            }
        }
    }

public:
    /// Use `compile`.
    executable(graph model, const compile_options& options)
        : kernels_(&table_for(options)),
          pool_(pool_for(options)),
          parallel_(pool_ ? pool_->parallel() : options.parallel),
          net_(plan::make_plan(std::move(model), {kernels_, parallel_.run != nullptr ? parallel_.threads : 1})),
          arena_(net_.arena_bytes),
          states_(net_.state_bytes),
          state_is_set_(net_.states.size(), false) {}

    const std::vector<plan::port>& inputs() const { return net_.inputs; }
    const std::vector<plan::port>& outputs() const { return net_.outputs; }
    /// The plan, for reports.
    const plan::network& plan() const { return net_; }
    kernel::isa instruction_set() const { return kernels_->instruction_set; }
    /// Bytes of memory for intermediate tensors.
    std::size_t arena_bytes() const { return net_.arena_bytes; }

    /// Runs once on raw memory: a pointer for each input and output, of their types and sizes. No check.
    void run(const void* const* inputs, void* const* outputs, bool timed = false) {
        const runtime::memory where{arena_.first, states_.first, inputs, &state_is_set_};
        runtime::step_runner runner(net_, *kernels_, parallel_, where);
        if (timed) {
            run_timed(runner);
        } else {
            for (const plan::step& each : net_.steps) {
                runner.run(each);
            }
        }
        for (std::size_t i = 0; i < net_.outputs.size(); ++i) {
            const int tensor = net_.outputs[i].tensor;
            std::memcpy(outputs[i], runner.read(tensor), net_.tensors[static_cast<std::size_t>(tensor)].bytes());
        }
    }
    /// Runs once. Raises an error that names the input for one of another type or shape.
    std::vector<tensor> run(view<tensor> inputs, bool timed = false) {
        check_inputs(inputs);
        std::vector<const void*> from;
        for (const tensor& each : inputs) {
            from.push_back(each.data());
        }
        std::vector<tensor_builder> results;
        std::vector<void*> to;
        for (const plan::port& each : net_.outputs) {
            results.emplace_back(each.type, each.dimensions);
        }
        for (tensor_builder& each : results) {
            to.push_back(each.data());
        }
        run(from.data(), to.data(), timed);
        std::vector<tensor> outputs;
        for (tensor_builder& each : results) {
            outputs.push_back(each.finish());
        }
        return outputs;
    }
    std::vector<tensor> run(const std::vector<tensor>& inputs) {
        return run(view<tensor>(inputs.data(), inputs.size()));
    }
    /// The same; `outputs` gets one tensor for each output of the network.
    void run(view<tensor> inputs, std::vector<tensor>& outputs) { outputs = run(inputs); }

    /// All states begin anew.
    void reset() {
        state_is_set_.assign(net_.states.size(), false);
        std::memset(states_.first, 0, net_.state_bytes);
    }
    /// Times of the steps of `plan().steps`, summed over all timed runs; empty before the first.
    const std::vector<step_time>& times() const { return times_; }
};

/// Makes a network run: fuses its operations into steps, packs weights, plans memory.
///
/// Any graph whose inputs have known types and sizes, transformed or not; what has no kernel is computed by the scalar reference.
/// Raises an error for an instruction set that the processor lacks, and one that names the operation for what cannot be run.
inline executable compile(const graph& model, const compile_options& options = {}) {
    return executable(model, options);
}

}  // namespace lpt
