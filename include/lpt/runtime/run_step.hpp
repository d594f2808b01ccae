// SPDX-License-Identifier: Apache-2.0
// Runs planned steps: each calls its kernel with its operands where they lie.
#pragma once

#include <lpt/reference/evaluate.hpp>
#include <lpt/reference/naming.hpp>
#include <lpt/runtime/moves.hpp>
#include <lpt/runtime/run_memory.hpp>

namespace lpt::inline LPT_ABI::runtime {

/// Runs steps one after the other.
class step_runner {
    using position = run_memory::position;

    const plan::network& net_;
    const kernel::kernel_table& kernels_;
    const kernel::parallel_for& threads_;
    kernel::parallel_for parallel_;  // of the step that runs
    const memory& memory_;
    run_memory operands_;

    const plan::stored_tensor& at(plan::tensor_id tensor) const { return net_[tensor]; }

    // ---- steps with kernels

    void operator()(const plan::convolution_step& work) {
        kernel::convolution_problem problem =
            kernel::bind_convolution(operands_, work, operands_.room_for(work.finish), position());
        if (work.weights == nullptr) {
            problem.packed_weights = pack_computed_weights(work);
        }
        kernels_.convolution(problem, parallel_);
    }
    const std::byte* pack_computed_weights(const plan::convolution_step& work) const {
        std::byte* const packed = write(work.packed);
        kernel::convolution_weights weights = work.packing;
        weights.data = read(work.computed_weights);
        std::memset(packed, 0, at(work.packed).bytes());  // packing leaves gaps as they are
        kernels_.pack_convolution(work.shape, weights, packed, parallel_);
        return packed;
    }
    void operator()(const plan::product_step& work) {
        kernel::for_each_product(
            operands_, work, operands_.room_for(work.finish), position(),
            [&](std::int64_t offset) {
                kernels_.pack_gemm(kernel::bind_columns(operands_, work, offset), write(work.scratch), parallel_);
            },
            [&](const kernel::gemm_problem& problem) { kernels_.gemm(problem, parallel_); });
    }
    void operator()(const plan::pool_step& work) {
        kernels_.pool(kernel::bind_pool(operands_, work, operands_.room_for(work.finish), position()), parallel_);
    }
    void operator()(const plan::elementwise_step& work) {
        const std::size_t outer = work.sizes.size() - 2;
        const std::int64_t rows = work.sizes[outer];
        const std::int64_t channels = work.sizes[outer + 1];
        kernel::post_operation* const posts = operands_.room_for(work.finish);
        kernel::for_each_position(work.sizes, position(outer, 0), [&](const position& at) {
            if (!work.has_two) {
                return kernels_.convert(kernel::bind_convert(operands_, rows, channels, work.operands[0], work.output,
                                                             work.finish, posts, at),
                                        parallel_);
            }
            const auto operand = [&](int which) {
                return kernel::bind_operand(operands_, work.operands[which], work.scales[which], work.shifts[which],
                                            at);
            };
            kernels_.binary(kernel::bind_binary(operands_, work.function, rows, channels, operand(0), operand(1),
                                                work.output, work.finish, posts, at),
                            parallel_);
        });
    }
    void operator()(const plan::lookup_step& work) {
        kernels_.lookup(
            kernel::bind_lookup(operands_, work.input, work.output, work.rows, work.count, work.table.data()),
            parallel_);
    }
    void operator()(const plan::transpose_step& work) {
        kernels_.transpose(kernel::bind_transpose(operands_, work), parallel_);
    }
    template <class Problem>
    void operator()(const plan::kernel_step<Problem>& work) {
        kernels_.run(kernel::bind_problem(operands_, work), parallel_);
    }

    // ---- steps that move bytes

    void operator()(const plan::gather_step& work) { gather(work, operands_, parallel_); }
    void operator()(const plan::choice_step& work) {
        const bool is_wide = at(work.indices).type == i64;
        (is_wide ? &choose<std::int64_t> : &choose<std::int32_t>)(work, operands_);
    }
    void operator()(const plan::margin_step& work) { add_margin(work, read(work.input), write(work.output)); }
    void operator()(const plan::concat_step& work) { concatenate(work, operands_, parallel_); }

    // ---- steps on the reference

    /// The tensors of a step's inputs; only what is in the arena or a state changes afterwards.
    seq<tensor> tensors_of(const std::vector<plan::tensor_id>& tensors) const {
        seq<tensor> result;
        for (const plan::tensor_id each : tensors) {
            const plan::stored_tensor& value = at(each);
            const plan::storage& block = net_.storage_of(each);
            if (block.where == plan::area::constant && block.value.dimensions() == value.dimensions) {
                result.push_back(block.value);
            } else {
                result.push_back(
                    tensor(value.type, value.dimensions, bytes(read(each), value.bytes(), nullptr, nullptr)));
            }
        }
        return result;
    }
    void take_results(node_id id, const seq<tensor>& results, const std::vector<plan::tensor_id>& outputs) const {
        for (std::size_t port = 0; port < outputs.size(); ++port) {
            const plan::stored_tensor& wanted = at(outputs[port]);
            if (results[port].type() != wanted.type || !(results[port].dimensions() == wanted.dimensions)) {
                const node& each = net_.model[id];
                fail({each.operation(), " '", each.name(), "' gave ", name(results[port].type()),
                      results[port].dimensions(), " instead of ", name(wanted.type), wanted.dimensions});
            }
            if (wanted.bytes() != 0) {
                std::memcpy(write(outputs[port]), results[port].data(), wanted.bytes());
            }
        }
    }
    void operator()(const plan::reference_step& work) {
        take_results(work.node, memory_.nodes.evaluate(memory_.nodes.owner, work.node, tensors_of(work.inputs)),
                     work.outputs);
    }
    void operator()(const plan::control_flow_step& work) {
        take_results(work.node, memory_.nodes.evaluate(memory_.nodes.owner, work.node, tensors_of(work.inputs)),
                     work.outputs);
    }
    void operator()(const plan::deferred_step& work) {
        for (const tensor& each : memory_.nodes.evaluate(memory_.nodes.owner, work.node, tensors_of(work.inputs))) {
            memory_.deferred->push_back(reference::detail::copy_of(each));  // it may be a window on the arena
        }
    }

    void operator()(const plan::copy_step& work) {
        state_value* const state = work.state == plan::state_id::none ? nullptr : memory_.states[index_of(work.state)];
        if (work.first_time && state->is_set) {
            return;
        }
        const plan::stored_tensor& value = at(work.output);
        if (state != nullptr) {
            state->bytes.grow(value.bytes());
            state->dimensions = value.dimensions;
            state->is_set = !work.first_time;
        }
        if (value.bytes() != 0) {
            std::memmove(write(work.output), read(work.input), value.bytes());
        }
    }

    /// The node that a message is about: the one whose operation it names, else the one that gives the step its name.
    [[gnu::cold]] const node& node_of(const plan::step& each, const text& message) const {
        for (const node_id id : each.nodes) {
            if (net_.model.contains(id) && message.view().starts_with(net_.model[id].operation())) {
                return net_.model[id];
            }
        }
        return net_.model[each.nodes[0]];
    }

public:
    step_runner(const plan::network& net, const kernel::kernel_table& kernels, const kernel::parallel_for& parallel,
                const memory& where)
        : net_(net), kernels_(kernels), threads_(parallel), memory_(where), operands_(net, where) {}

    const std::byte* read(plan::tensor_id tensor) const { return operands_.read(tensor); }
    std::byte* write(plan::tensor_id tensor) const { return operands_.write(tensor); }
    void run(const plan::step& each) {
        parallel_ = each.is_short ? kernel::parallel_for() : threads_;
        const auto work_on = [&] { std::visit([this](const auto& work) { (*this)(work); }, each.work); };
        if (each.nodes.empty() || !net_.model.contains(each.nodes[0])) {
            return work_on();
        }
        try {
            lpt::detail::naming_memory_of(net_.model[each.nodes[0]], work_on);
        } catch (const error& raised) {
            fail({lpt::detail::naming(node_of(each, raised.message()), raised.message())});
        }
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
