// SPDX-License-Identifier: Apache-2.0
// Where the operands of a plan lie in a run.
#pragma once

#include <lpt/kernel/bind.hpp>
#include <lpt/plan/steps.hpp>
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
    void* const* outputs = nullptr;
    state_value* const* states = nullptr;  // by number of the state
    node_evaluator nodes;
    std::vector<tensor>* deferred = nullptr;  // what deferred steps give, one after the other
    std::vector<kernel::post_operation>* posts = nullptr;  // of the step that runs
};

/// Tensors of a plan in the memory of a run, as `kernel/bind.hpp` asks for them.
class run_memory {
    const plan::network& net_;
    const memory& memory_;

public:
    run_memory(const plan::network& net, const memory& where) : net_(net), memory_(where) {}

    /// The index of each loop of an elementwise step around its pixels and channels.
    using position = seq<std::int64_t, 8>;  // a run asks for no memory unless there are more loops

    const std::byte* read(plan::tensor_id tensor) const {
        if (tensor == plan::tensor_id::none) {
            return nullptr;
        }
        const plan::storage& block = net_.storage_of(tensor);
        const std::size_t offset = net_[tensor].offset;
        switch (block.where) {
            case plan::area::arena: return memory_.arena + block.offset + offset;
            case plan::area::constant: return block.value.data() + offset;
            case plan::area::input: return static_cast<const std::byte*>(memory_.inputs[block.offset]) + offset;
            case plan::area::state: return memory_.states[block.offset]->bytes.data() + offset;
            case plan::area::output: return static_cast<const std::byte*>(memory_.outputs[block.offset]) + offset;
        }
        return nullptr;
    }
    /// Steps write to the arena, to states and to outputs.
    std::byte* write(plan::tensor_id tensor) const {
        if (tensor == plan::tensor_id::none) {
            return nullptr;
        }
        const plan::storage& block = net_.storage_of(tensor);
        const std::size_t offset = net_[tensor].offset;
        switch (block.where) {
            case plan::area::state: return memory_.states[block.offset]->bytes.data() + offset;
            case plan::area::output: return static_cast<std::byte*>(memory_.outputs[block.offset]) + offset;
            default: return memory_.arena + block.offset + offset;
        }
    }
    const plan::spaced_rows& rows_of(plan::tensor_id tensor) const { return net_[tensor].rows; }
    std::int64_t row_stride(plan::tensor_id tensor, std::int64_t dense) const {
        const plan::spaced_rows& rows = rows_of(tensor);
        return rows.exist() ? rows.distance : dense;
    }
    /// Where rows of so many bytes lie, in bytes, each a part of those that have gaps between them.
    kernel::row_layout places_of(plan::tensor_id tensor, std::size_t bytes) const {
        const plan::spaced_rows& rows = rows_of(tensor);
        const auto size_of = [&](std::int64_t elements) {
            return static_cast<std::int64_t>(byte_size(net_[tensor].type, static_cast<std::size_t>(elements)));
        };
        return rows.exist()
                   ? kernel::row_layout{size_of(rows.length) / static_cast<std::int64_t>(bytes), size_of(rows.distance)}
                   : kernel::row_layout();
    }
    std::size_t row_bytes(plan::tensor_id tensor, std::size_t dense) const { return net_[tensor].row_bytes(dense); }
    kernel::element_kind type_of(plan::tensor_id tensor) const { return plan::kind_of(net_[tensor].type); }
    static kernel::element_kind kind_of(element type) { return plan::kind_of(type); }
    static const void* packed(const std::shared_ptr<const plan::packed_bytes>& weights) {
        return weights == nullptr ? nullptr : weights->data();
    }
    static std::int64_t batches(const plan::product_step& work) {
        return static_cast<std::int64_t>(work.a_offsets.size());
    }

    static kernel::bound_numbers numbers(const plan::number_row& row, const position& at) {
        if (row.is_one()) {
            return {nullptr, row.values[0]};
        }
        const float* const first = row.values.data() + kernel::offset_at(row.strides, at);
        return row.strides.back() == 0 ? kernel::bound_numbers{nullptr, *first} : kernel::bound_numbers{first, *first};
    }
    static const std::vector<plan::planned_post>& posts(const plan::planned_finish& finish) { return finish.posts; }
    static bool has_residual(const plan::planned_post& post) { return post.residual.tensor != plan::tensor_id::none; }
    /// Room for the post operations of an epilogue.
    kernel::post_operation* room_for(const plan::planned_finish& finish) const {
        memory_.posts->resize(finish.posts.size());
        return memory_.posts->data();
    }

    kernel::bound_operand strided(const plan::strided_tensor& from, const position& at, std::int64_t more) const {
        const kernel::element_kind type = type_of(from.tensor);
        const std::int64_t offset = kernel::offset_at(from.strides, at) + more;
        return {read(from.tensor) + offset * kernel::bytes_of(type), type, from.strides[at.size()],
                from.strides[at.size() + 1]};
    }
    std::byte* target(const plan::strided_tensor& to, const position& at) const {
        return write(to.tensor) + kernel::offset_at(to.strides, at) * kernel::bytes_of(type_of(to.tensor));
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
