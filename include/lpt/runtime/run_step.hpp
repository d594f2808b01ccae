// SPDX-License-Identifier: Apache-2.0
// Runs planned steps: looks up the pointers and calls the kernels.
#pragma once

#include <lpt/reference/evaluate.hpp>
#include <lpt/reference/naming.hpp>
#include <lpt/runtime/moves.hpp>
#include <lpt/runtime/states.hpp>

namespace lpt::inline LPT_ABI::runtime {

/// What steps leave to the owner of their network: nodes that run bodies, or that say their shapes only when they are evaluated.
struct node_evaluator {
    void* owner = nullptr;
    seq<tensor> (*evaluate)(void* owner, node_id id, view<tensor> inputs) = nullptr;
};

/// Memory of one run.
struct memory {
    std::byte* arena = nullptr;
    const void* const* inputs = nullptr;
    state_value* const* states = nullptr;  // by number of the state
    node_evaluator nodes;
    std::vector<tensor>* deferred = nullptr;  // what deferred steps give, one after the other
    std::vector<kernel::post_operation>* posts = nullptr;  // of the step that runs
};

/// Runs steps one after the other.
class step_runner {
    const plan::network& net_;
    const kernel::kernel_table& kernels_;
    const kernel::parallel_for& threads_;
    kernel::parallel_for parallel_;  // of the step that runs
    const memory& memory_;

    const plan::stored_tensor& at(plan::tensor_id tensor) const { return net_[tensor]; }

    // ---- epilogues

    struct numbers {
        const float* array = nullptr;
        float all = 0;
    };
    /// The numbers of a row where the outer loops are at `outer`.
    static numbers bind(const plan::number_row& row, const std::vector<std::int64_t>& outer) {
        if (row.is_one()) {
            return {nullptr, row.values[0]};
        }
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < outer.size(); ++axis) {
            offset += outer[axis] * row.strides[axis];
        }
        const float* first = row.values.data() + offset;
        return row.strides.back() == 0 ? numbers{nullptr, *first} : numbers{first, *first};
    }
    static std::int64_t offset_of(const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& outer) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < outer.size(); ++axis) {
            offset += outer[axis] * strides[axis];
        }
        return offset;
    }
    /// `residual_offset`: elements that residuals are moved by, for batches of products.
    kernel::epilogue bind(const plan::planned_finish& finish, const std::vector<std::int64_t>& outer,
                          std::int64_t residual_offset = 0) {
        kernel::epilogue result;
        const numbers scale = bind(finish.scale, outer);
        const numbers bias = bind(finish.bias, outer);
        result.scale = scale.array;
        result.scale_all = scale.all;
        result.bias = bias.array;
        result.bias_all = bias.all;
        std::vector<kernel::post_operation>& posts = *memory_.posts;
        posts.clear();
        for (const plan::planned_post& each : finish.posts) {
            kernel::post_operation post;
            post.kind = each.kind;
            post.function = each.function;
            const numbers a = bind(each.a, outer);
            const numbers b = bind(each.b, outer);
            post.alpha = a.all;
            post.beta = b.all;
            post.per_channel_a = a.array;
            post.per_channel_b = b.array;
            if (each.residual.tensor != plan::tensor_id::none) {
                const plan::stored_tensor& other = at(each.residual.tensor);
                const std::int64_t offset = offset_of(each.residual.strides, outer) + residual_offset;
                post.residual_type = plan::kind_of(other.type);
                post.residual = read(each.residual.tensor) + offset * kernel::bytes_of(post.residual_type);
                post.residual_row_stride = each.residual.strides[each.residual.strides.size() - 2];
            }
            posts.push_back(post);
        }
        result.post = posts.data();
        result.post_count = static_cast<int>(posts.size());
        result.output_type = plan::kind_of(finish.type);
        result.quant_low = finish.low;
        result.quant_high = finish.high;
        return result;
    }

    // ---- steps

    void operator()(const plan::convolution_step& work) {
        kernel::convolution_problem problem;
        problem.shape = work.shape;
        problem.input = read(work.input);
        problem.input_type = plan::kind_of(at(work.input).type);
        problem.input_pixel_stride = work.shape.in_channels;
        problem.input_zero_point = work.zero_point;
        problem.packed_weights = work.weights->data();
        problem.output = write(work.output);
        problem.output_pixel_stride = work.shape.out_channels;
        problem.scratch = work.scratch == plan::tensor_id::none ? nullptr : write(work.scratch);
        problem.finish = bind(work.finish, {});
        kernels_.convolution(problem, parallel_);
    }

    void operator()(const plan::product_step& work) {
        kernel::gemm_problem problem;
        problem.m = work.m;
        problem.n = work.n;
        problem.k = work.k;
        problem.a_type = plan::kind_of(at(work.a).type);
        problem.a_row_stride = work.a_row_stride;
        problem.a_zero_point = work.a_zero_point;
        problem.c_row_stride = work.n;
        const std::int64_t a_bytes = kernel::bytes_of(problem.a_type);
        const std::int64_t c_bytes = kernel::bytes_of(plan::kind_of(work.finish.type));
        std::int64_t packed = -1;
        for (std::size_t batch = 0; batch < work.a_offsets.size(); ++batch) {
            const std::int64_t c_offset = static_cast<std::int64_t>(batch) * work.m * work.n;
            problem.a = read(work.a) + work.a_offsets[batch] * a_bytes;
            problem.c = write(work.output) + c_offset * c_bytes;
            if (work.b == plan::tensor_id::none) {
                problem.packed_b =
                    work.weights->data() + static_cast<std::size_t>(work.b_offsets[batch]) * work.packed_matrix_bytes;
            } else {
                if (packed != work.b_offsets[batch]) {
                    pack(work, work.b_offsets[batch]);
                    packed = work.b_offsets[batch];
                }
                problem.packed_b = read(work.scratch);
            }
            problem.finish = bind(work.finish, {}, c_offset);
            kernels_.gemm(problem, parallel_);
        }
    }
    void pack(const plan::product_step& work, std::int64_t offset) {
        kernel::gemm_weights weights;
        weights.type = plan::kind_of(at(work.b).type);
        weights.data = read(work.b) + offset * kernel::bytes_of(weights.type);
        weights.k = work.k;
        weights.n = work.n;
        weights.k_stride = work.b_k_stride;
        weights.n_stride = work.b_n_stride;
        weights.zero_points = &work.b_zero_point;
        weights.zero_point_count = work.b_zero_point == 0 ? 0 : 1;
        kernels_.pack_gemm(weights, write(work.scratch));
    }

    void operator()(const plan::pool_step& work) {
        kernel::pool_problem problem = work.problem;
        problem.input = read(work.input);
        problem.input_pixel_stride = problem.channels;
        problem.output = write(work.output);
        problem.output_pixel_stride = problem.channels;
        problem.finish = bind(work.finish, {});
        kernels_.pool(problem, parallel_);
    }

    void operator()(const plan::elementwise_step& work) {
        std::vector<std::int64_t> outer(work.sizes.size() - 2, 0);
        while (true) {
            if (work.has_two) {
                run_two(work, outer);
            } else {
                run_one(work, outer);
            }
            std::size_t axis = outer.size();
            while (axis > 0 && ++outer[axis - 1] == work.sizes[axis - 1]) {
                outer[--axis] = 0;
            }
            if (axis == 0) {
                return;
            }
        }
    }
    void run_one(const plan::elementwise_step& work, const std::vector<std::int64_t>& outer) {
        const std::size_t rows = outer.size();
        kernel::convert_problem problem;
        const auto place = [&](const plan::strided_tensor& operand) {
            return kernel::element_layout{0, operand.strides[rows], operand.strides[rows + 1]};
        };
        problem.pixels = work.sizes[rows];
        problem.channels = work.sizes[rows + 1];
        problem.input_type = plan::kind_of(at(work.operands[0].tensor).type);
        problem.input = read(work.operands[0].tensor) +
                        offset_of(work.operands[0].strides, outer) * kernel::bytes_of(problem.input_type);
        problem.input_layout = place(work.operands[0]);
        problem.finish = bind(work.finish, outer);
        problem.output = write(work.output.tensor) +
                         offset_of(work.output.strides, outer) * kernel::bytes_of(problem.finish.output_type);
        problem.output_layout = place(work.output);
        kernels_.convert(problem, parallel_);
    }
    kernel::binary_operand operand_of(const plan::elementwise_step& work, int which,
                                      const std::vector<std::int64_t>& outer) {
        const std::size_t rows = outer.size();
        const plan::strided_tensor& from = work.operands[which];
        const numbers scale = bind(work.scales[which], outer);
        const numbers shift = bind(work.shifts[which], outer);
        kernel::binary_operand result;
        result.type = plan::kind_of(at(from.tensor).type);
        result.data = read(from.tensor) + offset_of(from.strides, outer) * kernel::bytes_of(result.type);
        result.row_stride = from.strides[rows];
        result.channel_stride = from.strides[rows + 1];
        result.scale = scale.array;
        result.scale_all = scale.all;
        result.shift = shift.array;
        result.shift_all = shift.all;
        return result;
    }
    void run_two(const plan::elementwise_step& work, const std::vector<std::int64_t>& outer) {
        const std::size_t rows = outer.size();
        kernel::binary_problem problem;
        problem.function = work.function;
        problem.rows = work.sizes[rows];
        problem.channels = work.sizes[rows + 1];
        problem.a = operand_of(work, 0, outer);
        problem.b = operand_of(work, 1, outer);
        problem.finish = bind(work.finish, outer);
        problem.output = write(work.output.tensor) +
                         offset_of(work.output.strides, outer) * kernel::bytes_of(problem.finish.output_type);
        problem.output_row_stride = work.output.strides[rows];
        kernels_.binary(problem, parallel_);
    }

    void operator()(const plan::lookup_step& work) {
        kernel::lookup_problem problem;
        problem.input = reinterpret_cast<const std::uint8_t*>(read(work.input));
        problem.output = reinterpret_cast<std::uint8_t*>(write(work.output));
        problem.count = static_cast<std::int64_t>(at(work.input).dimensions.elements());
        problem.table = work.table.data();
        kernels_.lookup(problem, parallel_);
    }

    void operator()(const plan::gather_step& work) { gather(work, read(work.input), write(work.output), parallel_); }
    void operator()(const plan::choice_step& work) {
        const bool is_wide = at(work.indices).type == i64;
        (is_wide ? &choose<std::int64_t> : &choose<std::int32_t>)(work, read(work.input), read(work.indices),
                                                                  write(work.output));
    }
    void operator()(const plan::margin_step& work) { add_margin(work, read(work.input), write(work.output)); }
    void operator()(const plan::concat_step& work) {
        concatenate(work, [&](std::size_t i) { return read(work.inputs[i]); }, write(work.output), parallel_);
    }

    void operator()(const plan::transpose_step& work) {
        kernel::transpose_problem problem = work.problem;
        problem.input = read(work.input);
        problem.output = write(work.output);
        kernels_.transpose(problem, parallel_);
    }

    template <class Problem>
    void operator()(const plan::kernel_step<Problem>& work) {
        Problem problem = work.problem;
        constexpr plan::tensor_id none = plan::tensor_id::none;
        const auto tensor_of = [&work](int slot) { return work.operands[static_cast<std::size_t>(slot)]; };
        kernel::point_operands(
            problem, [&](int slot) { return tensor_of(slot) == none ? nullptr : read(tensor_of(slot)); },
            [&](int slot) { return tensor_of(slot) == none ? nullptr : write(tensor_of(slot)); });
        kernels_.run(problem, parallel_);
    }

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

public:
    step_runner(const plan::network& net, const kernel::kernel_table& kernels, const kernel::parallel_for& parallel,
                const memory& where)
        : net_(net), kernels_(kernels), threads_(parallel), memory_(where) {}

    const std::byte* read(plan::tensor_id tensor) const {
        const plan::storage& block = net_.storage_of(tensor);
        switch (block.where) {
            case plan::area::arena: return memory_.arena + block.offset;
            case plan::area::constant: return block.value.data();
            case plan::area::input: return static_cast<const std::byte*>(memory_.inputs[block.offset]);
            case plan::area::state: return memory_.states[block.offset]->bytes.data();
        }
        return nullptr;
    }
    /// Steps write only to the arena and to states.
    std::byte* write(plan::tensor_id tensor) const {
        const plan::storage& block = net_.storage_of(tensor);
        return block.where == plan::area::state ? memory_.states[block.offset]->bytes.data()
                                                : memory_.arena + block.offset;
    }
    void run(const plan::step& each) {
        parallel_ = each.is_short ? kernel::parallel_for() : threads_;
        const auto work_on = [&] { std::visit([this](const auto& work) { (*this)(work); }, each.work); };
        if (each.nodes.empty() || !net_.model.contains(each.nodes[0])) {
            return work_on();
        }
        lpt::detail::naming_memory_of(net_.model[each.nodes[0]], work_on);
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
