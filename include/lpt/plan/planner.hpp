// SPDX-License-Identifier: Apache-2.0
// What the makers of steps share: the tensors of the network that is being planned, in the layouts that exist so far.
#pragma once

#include <lpt/plan/finish.hpp>
#include <lpt/plan/groups.hpp>
#include <lpt/plan/layout_uses.hpp>
#include <lpt/plan/recurrent_weights.hpp>
#include <lpt/plan/steps.hpp>
#include <lpt/plan/weight_store.hpp>
#include <lpt/plan/weights.hpp>
#include <lpt/reference/evaluate.hpp>
#include <lpt/reference/naming.hpp>

#include <array>
#include <map>
#include <set>
#include <utility>

namespace lpt::inline LPT_ABI {

/// Which products of real numbers with weights of 4 or 8 bits (FullyConnectedCompressed, which `optimize` makes of large constant weights) round
/// their data to 8 bits as they run, in groups of at most 128 numbers of a row, each scaled by its greatest magnitude: none, those whose file allows
/// it (ONNX: MatMulNBits with the `accuracy_level` 4), or all.
enum class data_rounding { none, allowed, all };

}  // namespace lpt::inline LPT_ABI

namespace lpt::inline LPT_ABI::plan {

/// A byte for each byte.
using byte_table = std::array<std::uint8_t, 256>;

/// What a plan is made for.
struct plan_options {
    const kernel::kernel_table* kernels = nullptr;
    int threads = 1;
    weight_store* weights = nullptr;  // packed weights of other plans; none: the plan packs its own
    std::size_t memory_limit = SIZE_MAX;  // bytes of intermediate tensors and packed weights together
    bool short_steps_alone = false;  // calling for threads takes about a microsecond
    bool needs_kernels = false;  // an operation that only the scalar reference computes is an error
    kernel::parallel_for parallel{};  // that packs weights
    bool writes_outputs = false;  // results that no step reads are written where the caller wants them
    data_rounding dynamic_quantization = data_rounding::allowed;
};

/// Makes the steps of one network.
class planner {
public:
    planner(graph model, const plan_options& options) : options_(options), own_weights_(options.memory_limit) {
        net_.model = std::move(model);
    }

    /// `known_order`: of the graph, where somebody found it before.
    network plan(kept_order known_order = {});

private:
    /// How a byte of `from` becomes one of another tensor.
    struct byte_function {
        tensor_id from = tensor_id::none;
        byte_table table{};
    };
    struct versions {
        tensor_id plain = tensor_id::none;
        tensor_id channels_last = tensor_id::none;
    };

    const graph& model() const { return net_.model; }
    const kernel::kernel_table& kernels() const { return *options_.kernels; }
    stored_tensor& at(tensor_id tensor) { return net_[tensor]; }

    // ---- tensors

    storage_id add_storage(area where, std::size_t bytes) {
        storage made;
        made.where = where;
        made.bytes = bytes;
        net_.storages.push_back(std::move(made));
        return id_at<storage_id>(net_.storages.size() - 1);
    }
    tensor_id add_view(element type, const shape& dimensions, layout order, storage_id storage,
                       std::size_t offset = 0) {
        net_.tensors.push_back({type, dimensions, dimensions.rank() > 2 ? order : layout::plain, storage, offset});
        return id_at<tensor_id>(net_.tensors.size() - 1);
    }
    /// The bytes of a tensor seen another way, from `offset` bytes on.
    tensor_id add_view_of(tensor_id whole, const shape& dimensions, layout order, std::size_t offset = 0) {
        const stored_tensor of = at(whole);
        return add_view(of.type, dimensions, order, of.storage, of.offset + offset);
    }
    tensor_id add_tensor(element type, const shape& dimensions, layout order, area where = area::arena) {
        return add_view(type, dimensions, order, add_storage(where, byte_size(type, dimensions.elements())));
    }
    /// Kernels read values at multiples of their size; files keep constants anywhere.
    static tensor aligned_constant(const tensor& value) {
        const auto width = static_cast<std::uintptr_t>(bit_width(value.type()) < 8 ? 1 : bit_width(value.type()) / 8);
        const bool is_aligned = reinterpret_cast<std::uintptr_t>(value.data()) % width == 0;
        return is_aligned ? value : reference::detail::copy_of(value);
    }
    tensor_id add_constant(const tensor& given) { return add_constant_as_it_lies(aligned_constant(given)); }
    tensor_id add_constant_as_it_lies(const tensor& value) {
        const tensor_id result = add_tensor(value.type(), value.dimensions(), layout::plain, area::constant);
        net_.storage_of(result).value = value;
        return result;
    }
    /// For steps that copy bytes: a constant where the file has it, since a table of embeddings is large. It is not defined as the output's tensor:
    /// kernels need theirs aligned.
    tensor_id tensor_at_any_address(output_ref output) {
        const tensor* const constant = model().constant_value(output);
        return constant != nullptr && !exists(output, layout::plain) ? add_constant_as_it_lies(*constant)
                                                                     : tensor_of(output, layout::plain);
    }
    versions& versions_of(output_ref output) { return values_[{index_of(output.node), output.port}]; }
    tensor_id& version_in(output_ref output, layout order) {
        versions& all = versions_of(output);
        return order == layout::channels_last ? all.channels_last : all.plain;
    }
    /// Says where the value of an output is.
    void define(output_ref output, tensor_id tensor) {
        versions& all = versions_of(output);
        const stored_tensor value = at(tensor);
        (value.order == layout::channels_last ? all.channels_last : all.plain) = tensor;
        if (layouts_agree(value.dimensions)) {
            const layout other = other_layout(value.order);
            version_in(output, other) = add_view_of(tensor, value.dimensions, other);
        }
    }
    /// The layout that was chosen for an operation, or for the group that ends with it.
    layout layout_of(node_id id) const { return layouts_[index_of(id)]; }
    bool exists(output_ref output, layout order) { return version_in(output, order) != tensor_id::none; }

    /// The tensor of an output in a layout; makes it if there is none yet.
    tensor_id tensor_of(output_ref output, layout order) {
        if (model().shape(output).rank() < 3) {
            order = layout::plain;
        }
        if (exists(output, order)) {
            return version_in(output, order);
        }
        if (!exists(output, layout::plain) && !exists(output, layout::channels_last)) {
            make_value(output, order);
        }
        if (!exists(output, order)) {
            change_layout(output, order);
        }
        return version_in(output, order);
    }

    /// Constants and dequantizations come into being with their first reader.
    void make_value(output_ref output, layout order) {
        if (const tensor* constant = model().constant_value(output)) {
            define(output, add_constant(*constant));
            return;
        }
        if (!sources_.is_dequantization(output)) {
            const node& each = model()[output.node];
            fail({each.operation(), " '", each.name(), "' is read before it is computed"});
        }
        make_dequantization(output, order);
    }

    /// Batches of matrices transposed, as a new tensor of the same shape.
    tensor_id make_transposed(tensor_id from, std::int64_t batch, std::int64_t rows, std::int64_t columns) {
        const stored_tensor value = at(from);
        transpose_step work;
        work.problem.batch = batch;
        work.problem.rows = rows;
        work.problem.columns = columns;
        work.problem.element_bytes = bit_width(value.type) / 8;
        work.input = from;
        work.output = add_tensor(value.type, value.dimensions, layout::plain);
        step made;
        made.kernel = "reorder";
        made.precision = value.type;
        made.reads = {from};
        made.writes = {work.output};
        made.work = work;
        add_step(std::move(made));
        return work.output;
    }

    /// Bytes as f32 in the same order; a tensor of f32 as it is. Kernels that compute on f32 read nothing else.
    tensor_id make_f32(tensor_id from) {
        const stored_tensor value = at(from);
        if (value.type == f32) {
            return from;
        }
        elementwise_step work;
        const auto count = static_cast<std::int64_t>(value.dimensions.elements());
        work.sizes = {1, count};
        work.operands[0] = {from, {count, 1}};
        work.output = {add_tensor(f32, value.dimensions, value.order), {count, 1}};
        step made;
        made.kernel = std::string("convert_") + kernel::name_of(kernels().instruction_set) + "_FP32";
        made.reads = {from};
        made.writes = {work.output.tensor};
        const tensor_id result = work.output.tensor;
        made.work = std::move(work);
        add_step(std::move(made));
        return result;
    }

    void add_step(step made) {
        std::vector<tensor_id> distinct;
        for (const tensor_id tensor : made.reads) {
            if (tensor != tensor_id::none) {
                distinct.push_back(tensor);
            }
        }
        made.reads = std::move(distinct);
        net_.steps.push_back(std::move(made));
    }

    void change_layout(output_ref output, layout order) {
        const tensor_id from = version_in(output, other_layout(order));
        const stored_tensor value = at(from);
        if (!detail::may_change_layout(value.type)) {
            const node& each = model()[output.node];
            fail({each.operation(), " '", each.name(), "': elements of type ", name(value.type),
                  " cannot change their layout"});
        }
        const bool to_plain = order == layout::plain;
        std::int64_t pixels = 1;
        for (std::size_t axis = 2; axis < value.dimensions.rank(); ++axis) {
            pixels *= value.dimensions[axis];
        }
        transpose_step work;
        work.problem.batch = value.dimensions[0];
        work.problem.rows = to_plain ? pixels : value.dimensions[1];
        work.problem.columns = to_plain ? value.dimensions[1] : pixels;
        work.problem.element_bytes = bit_width(value.type) / 8;
        if (net_.storage_of(from).where == area::constant) {
            version_in(output, order) = add_transposed_constant(from, work.problem, order);
            return;
        }
        work.input = from;
        work.output = add_tensor(value.type, value.dimensions, order);
        version_in(output, order) = work.output;
        step made;
        made.work = work;
        made.kernel = "reorder";
        made.precision = value.type;
        made.reads = {from};
        made.writes = {work.output};
        add_step(std::move(made));
    }
    /// A constant in its other layout, which no run has to make.
    tensor_id add_transposed_constant(tensor_id from, kernel::transpose_problem problem, layout order) {
        const stored_tensor value = at(from);
        tensor_builder transposed(value.type, value.dimensions);
        problem.input = net_.storage_of(from).value.data() + value.offset;
        problem.output = transposed.data();
        kernels().transpose(problem, {});
        const tensor_id result = add_tensor(value.type, value.dimensions, order, area::constant);
        net_.storage_of(result).value = transposed.finish();
        return result;
    }

    /// The step of a kernel whose problem says its fields itself. `operands`: a tensor for each, in the order of the fields, or none.
    template <class Problem>
    void add_kernel(std::vector<node_id> nodes, const Problem& problem, std::vector<tensor_id> operands,
                    element precision = f32, bool may_overwrite = false) {
        step made;
        std::size_t slot = 0;
        kernel::for_each_operand(problem, [&]<class Operand>(const Operand&) {
            const tensor_id tensor = operands[slot++];
            if (tensor != tensor_id::none) {
                (kernel::is_read<Operand> ? made.reads : made.writes).push_back(tensor);
            }
        });
        made.nodes = std::move(nodes);
        made.kernel = std::string(Problem::name) + "_" + kernel::name_of(kernels().instruction_set) +
                      suffix_of(is_byte(precision) ? precision : f32);
        made.precision = precision;
        made.may_overwrite = may_overwrite;
        made.work = kernel_step<Problem>{problem, std::move(operands)};
        add_step(std::move(made));
    }

    // ---- epilogues

    /// The epilogue of a step over pixels and channels, both dense.
    planned_finish channel_finish(const chain& functions, layout order, std::int64_t channels) {
        return finish_of(functions, &channel_numbers, [&](output_ref other) {
            const bool full = model().shape(other) == functions.dimensions;
            return strided_tensor{tensor_of(other, order), {full ? channels : 0, 1}};
        });
    }

    // ---- makers of steps, each in a header of its own

    void make_convolution(const group& made);
    void make_product(const group& made);
    void make_pool(const group& made);
    void make_elementwise(const group& made);
    void make_dequantization(output_ref output, layout order);
    bool make_movement(node_id id);
    bool make_kernel(node_id id);
    void make_reference(node_id id);
    void make_control_flow(node_id id);
    void add_outputs(node_id id, std::vector<tensor_id>& outputs);
    weight_store& packed_weights() { return options_.weights != nullptr ? *options_.weights : own_weights_; }
    void make_group(const group& made);
    void make_node(node_id id);

    bool integer_convolution(const group& made, integer_weights& weights) const;
    tensor_id make_margin(tensor_id input, kernel::convolution_shape& shape,
                          const std::vector<std::int32_t>& zero_points);
    bool try_elementwise(const group& made, layout order);
    bool try_lookup(step& made);
    byte_function function_of(tensor_id tensor) const;
    std::vector<bool> unread_lookups();
    void drop_unread_lookups();
    bool make_view(node_id id);
    bool make_concat(node_id id);
    tensor_id add_row_part(node_id id, tensor_id from, const spaced_rows& rows, std::int32_t first,
                           const shape& dimensions, layout order);
    bool make_gather(node_id id);
    bool make_choice(node_id id);
    bool add_choice(node_id id, choice_step work);
    void make_parameter(node_id id, std::size_t position);
    void make_results();
    void make_states();
    void make_assign(node_id id);
    tensor_id away_from_states(tensor_id tensor);
    state_id state_of(const text& variable, element type);
    state_id state_of(const node& each, const text& variable);
    tensor_id state_view(state_id number, const shape& dimensions);
    bool make_softmax(node_id id);
    bool make_recurrent(node_id id);
    recurrent_weights recurrent_weights_of(const node& each, std::size_t port);
    tensor_id pack_matrices(const recurrent_weights& weights, std::int64_t directions, std::int64_t rows,
                            std::int64_t first, std::int64_t n, std::int64_t& distance);
    tensor_id sequence_lengths(output_ref given, std::int64_t time);
    attention_input input_of_attention(node_id id, std::size_t port, bool may_share);
    std::array<attention_input, 3> inputs_of_attention(node_id id);
    void join_to_attentions(const seq<node_id>& order);
    bool make_attention(node_id id);
    bool make_compressed_product(node_id id);
    const group* affine_behind(node_id id, const kernel::normalization_problem& problem) const;
    tensor_id numbers_along(const spread& numbers, std::int64_t length);
    bool make_normalization(node_id id);
    bool make_reduction(node_id id);
    bool make_cast(node_id id);
    bool make_pointwise(node_id id);
    bool make_resampling(node_id id);
    bool make_top_k(node_id id);
    void make_computed_convolution(const group& made);
    void add_convolution(convolution_step work, const chain& functions, element precision);

    network net_;
    quantized_sources sources_{net_.model};
    plan_options options_;
    grouping grouping_;
    std::vector<layout> layouts_;  // by node
    std::vector<bool> is_joined_;  // by node: another step does what it does
    std::map<std::pair<std::size_t, std::int32_t>, versions> values_;
    std::vector<step> last_steps_;  // writes of states
    std::map<std::string, state_id> states_;  // by name
    std::map<tensor_id, byte_function> byte_functions_;  // by output of a lookup
    // By operand: outputs of the lookups whose tables include its own.
    std::map<tensor_id, std::set<tensor_id>> lookups_through_;
    weight_store own_weights_;
};

/// The type in which the reference computes an operation: that of its data if it is real (then it may give integers: a FakeQuantize, a
/// comparison), else that of what it gives.
inline element reference_type(const graph& model, const node& each) {
    const bool real = each.inputs() != 0 && !each.is<op::shape_of>() && is_real(model.type(each.input(0)));
    return real ? model.type(each.input(0)) : each.outputs() != 0 && each.type() != dynamic ? each.type() : f32;
}

}  // namespace lpt::inline LPT_ABI::plan
