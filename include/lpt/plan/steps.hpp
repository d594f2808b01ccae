// SPDX-License-Identifier: Apache-2.0
// A planned network as data: tensors, where they live, and the steps that make them.
#pragma once

#include <lpt/graph/graph.hpp>
#include <lpt/kernel/rows.hpp>
#include <lpt/plan/ids.hpp>
#include <lpt/plan/moving_steps.hpp>
#include <lpt/plan/zeroed_memory.hpp>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

/// The order of a tensor's elements in memory: as its axes stand, or with axis 1 (the channels) innermost.
enum class layout : unsigned char { plain, channels_last };

/// Where a tensor's bytes are.
enum class area : unsigned char {
    arena,     // memory that steps share, planned by liveness
    constant,  // known when the network was planned
    input,     // what the caller gives
    state,     // kept from run to run
    output,    // what the caller gives for results, which no step reads but a Concat that puts them together
};

/// A block of memory that one or more tensors see.
struct storage {
    area where = area::arena;
    std::size_t bytes = 0;
    std::size_t offset = 0;  // arena: from the beginning of that memory; input, output: its position; state: its number
    step_id first_step = step_id::none;  // arena: the first step that touches it
    step_id last_step = step_id::none;  // and the last; one past all steps for what the caller reads
    lpt::tensor value;  // constant
};

/// A tensor in memory: a storage, or a part of one, that begins `offset` bytes behind its beginning.
struct stored_tensor {
    element type = dynamic;
    lpt::shape dimensions;
    layout order = layout::plain;
    storage_id storage = storage_id::none;
    std::size_t offset = 0;
    spaced_rows rows = {};  // where it is a part of each row of a wider one (parts.hpp)

    std::size_t bytes() const { return byte_size(type, dimensions.elements()); }
    /// Bytes from row to row: `dense`, which is what a row has, where there are no gaps.
    std::size_t row_bytes(std::size_t dense) const {
        return rows.exist() ? byte_size(type, static_cast<std::size_t>(rows.distance)) : dense;
    }
};

/// Numbers of an epilogue: one for all, or an array.
/// `strides`: for each loop axis of its step, how far the array moves with it; empty: it is one number.
struct number_row {
    std::vector<float> values{0.0f};
    std::vector<std::int64_t> strides;

    static number_row of(double value) { return {{static_cast<float>(value)}, {}}; }

    bool is_one() const { return strides.empty(); }
};

/// A tensor that an elementwise step or an epilogue reads, with its strides (elements) along the loop axes.
struct strided_tensor {
    tensor_id tensor = tensor_id::none;
    std::vector<std::int64_t> strides;
};

/// A post operation of an epilogue (kernel::post_operation) before its pointers are known.
struct planned_post {
    kernel::post_kind kind = kernel::post_kind::clamp;
    kernel::unary_function function = kernel::unary_function::abs;
    number_row a;
    number_row b;
    strided_tensor residual;
};

/// An epilogue (kernel::epilogue) before its pointers are known.
struct planned_finish {
    number_row scale{{1.0f}, {}};
    number_row bias{{-0.0f}, {}};  // adds nothing, and keeps the sign of zeros
    std::vector<planned_post> posts;
    element type = f32;
    float low = 0;
    float high = 0;
};

/// Packed weights.
using packed_bytes = zeroed_memory;

/// Convolution, grouped, depthwise or transposed, of 8-bit or f32 data; channels innermost. Loop axes: pixels, channels.
struct convolution_step {
    kernel::convolution_shape shape;
    kernel::convolution_method method = kernel::convolution_method::direct;
    tensor_id input = tensor_id::none;
    std::int32_t zero_point = 0;
    std::shared_ptr<const packed_bytes> weights;  // null: they are computed
    tensor_id computed_weights = tensor_id::none;
    tensor_id packed = tensor_id::none;  // where a run packs them
    kernel::convolution_weights packing;  // without pointers
    tensor_id scratch = tensor_id::none;  // a tensor of bytes, or none
    tensor_id output = tensor_id::none;
    planned_finish finish;
};

/// Matrix products, one for each batch. Loop axes: rows, columns.
struct product_step {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    tensor_id a = tensor_id::none;
    tensor_id b = tensor_id::none;  // none: the weights are packed
    std::int32_t a_zero_point = 0;
    std::int32_t b_zero_point = 0;
    std::int64_t a_row_stride = 0;
    std::int64_t b_k_stride = 0;
    std::int64_t b_n_stride = 0;
    std::shared_ptr<const packed_bytes> weights;  // packed matrices one after the other, `packed_matrix_bytes` apart
    std::size_t packed_matrix_bytes = 0;
    tensor_id scratch = tensor_id::none;  // where `b` is packed
    std::vector<std::int64_t> a_offsets;  // of each batch, in elements
    std::vector<std::int64_t> b_offsets;  // of each batch, in elements of `b`, or the number of the packed matrix
    tensor_id output = tensor_id::none;
    planned_finish finish;
};

/// Max or average pooling; channels innermost. Loop axes: pixels, channels.
struct pool_step {
    kernel::pool_problem problem;  // without pointers
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    planned_finish finish;
};

/// A function of one or two tensors, element by element.
/// The loop axes are the output's, merged where all operands allow; the last but one is the kernel's rows (pixels), the last its
/// channels, all before are looped over.
struct elementwise_step {
    bool has_two = false;
    kernel::binary_function function = kernel::binary_function::add;
    std::vector<std::int64_t> sizes;
    strided_tensor operands[2];
    number_row scales[2];  // of two operands; one operand has the epilogue's
    number_row shifts[2];
    strided_tensor output;
    planned_finish finish;
};

/// A function of one byte for each byte, of `rows` rows of `count`.
struct lookup_step {
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    std::int64_t rows = 1;
    std::int64_t count = 0;
    std::vector<std::uint8_t> table;
};

/// A kernel whose problem says its fields itself (kernel/rows/).
/// `operands`: the tensor of each operand, in the order of the fields; none for what is left out.
template <class Problem>
struct kernel_step {
    Problem problem;  // without pointers
    std::vector<tensor_id> operands;
};

/// An operation that the scalar reference evaluates.
struct reference_step {
    node_id node = node_id::none;
    std::vector<tensor_id> inputs;
    std::vector<tensor_id> outputs;
};

/// A node with bodies.
struct control_flow_step {
    node_id node = node_id::none;
    std::vector<tensor_id> inputs;
    std::vector<tensor_id> outputs;
};

/// A node whose output shapes are known when it has been evaluated: its outputs are no tensors of this network, but inputs of the
/// one that is planned for them.
struct deferred_step {
    node_id node = node_id::none;
    std::vector<tensor_id> inputs;
};

namespace detail {

template <class Problems>
struct step_work_of;
template <class... Problems>
struct step_work_of<kernel::problem_list<Problems...>> {
    using type = std::variant<convolution_step, product_step, pool_step, elementwise_step, lookup_step, gather_step,
                              choice_step, margin_step, concat_step, transpose_step, reference_step, control_flow_step,
                              deferred_step, copy_step, kernel_step<Problems>...>;
};

}  // namespace detail

using step_work = detail::step_work_of<kernel::problems>::type;

/// One step and what it does for whom.
struct step {
    step_work work;
    std::vector<node_id>
        nodes;  // of the graph, the one that gives the step its name first; none for changes of layout, and for all but the last of several steps; a node may be one of several tables
    std::string kernel;  // what computes it, for reports
    element precision = f32;  // the element type that the first node's kernel computes in, or moves
    std::vector<tensor_id> reads;  // tensors
    std::vector<tensor_id> writes;
    bool may_overwrite = false;  // the first tensor read and the first written may be the same memory
    bool is_short = false;  // one thread finishes it before another could help
};

/// Whether the scalar reference computes a step, for want of a kernel.
inline bool is_on_reference(const step& each) { return each.kernel.starts_with("reference"); }

/// The element type in which a step computes one of its nodes, by their order.
///
/// The first one's kernel: 8-bit integers of convolutions, matrix products and pooling, whatever type the sums have; of elementwise functions
/// f32, also of 8-bit operands. What follows in the step is its epilogue, in f32. A lookup table is all of its nodes on 8 bits. What only moves
/// elements has their type.
inline element computing_type(const step& of, std::size_t which) {
    return which == 0 || std::holds_alternative<lookup_step>(of.work) ? of.precision : f32;
}

/// Something that lives from run to run. A step that writes it may give it another shape, which the next run reads.
struct state {
    text name;
    element type = dynamic;
    storage_id storage = storage_id::none;
    std::size_t bytes = 0;  // that are read
};

/// An input or output of the network.
struct port {
    text name;
    seq<text> names;  // of the tensor
    element type = dynamic;
    lpt::shape dimensions;
    tensor_id tensor = tensor_id::none;
};

/// A network, ready to run.
struct network {
    graph model;  // what reference steps evaluate, constants folded
    std::vector<stored_tensor> tensors;
    std::vector<storage> storages;
    std::vector<step> steps;
    std::vector<port> inputs;
    std::vector<port> outputs;
    std::vector<state> states;
    std::size_t arena_bytes = 0;

    stored_tensor& operator[](tensor_id id) { return tensors[index_of(id)]; }
    const stored_tensor& operator[](tensor_id id) const { return tensors[index_of(id)]; }
    storage& operator[](storage_id id) { return storages[index_of(id)]; }
    const storage& operator[](storage_id id) const { return storages[index_of(id)]; }
    step& operator[](step_id id) { return steps[index_of(id)]; }
    const step& operator[](step_id id) const { return steps[index_of(id)]; }
    state& operator[](state_id id) { return states[index_of(id)]; }
    const state& operator[](state_id id) const { return states[index_of(id)]; }

    /// The memory that a tensor sees.
    storage& storage_of(tensor_id id) { return storages[index_of(tensors[index_of(id)].storage)]; }
    const storage& storage_of(tensor_id id) const { return storages[index_of(tensors[index_of(id)].storage)]; }
};

/// The type of a tensor's elements as kernels call it.
inline kernel::element_kind kind_of(element type) {
    switch (type) {
        case u8: return kernel::element_kind::u8;
        case i8: return kernel::element_kind::i8;
        case i32: return kernel::element_kind::i32;
        default: return kernel::element_kind::f32;
    }
}

/// The same where kernels take numbers of any type; false for numbers that share bytes, and floats of 8 bits.
constexpr bool number_type_of(element type, kernel::number_type& result) {
    using kernel::number_type;
    switch (type) {
        case boolean: result = number_type::boolean; return true;
        case u8: result = number_type::u8; return true;
        case i8: result = number_type::i8; return true;
        case u16: result = number_type::u16; return true;
        case i16: result = number_type::i16; return true;
        case u32: result = number_type::u32; return true;
        case i32: result = number_type::i32; return true;
        case u64: result = number_type::u64; return true;
        case i64: result = number_type::i64; return true;
        case bf16: result = number_type::bf16; return true;
        case f16: result = number_type::f16; return true;
        case f32: result = number_type::f32; return true;
        case f64: result = number_type::f64; return true;
        default: return false;
    }
}

/// `_I8`, `_U8` or `_FP32`, as names of kernels in reports end.
inline const char* suffix_of(element type) { return type == u8 ? "_U8" : type == i8 ? "_I8" : "_FP32"; }

/// The strides of a tensor's axes, in elements.
inline std::vector<std::int64_t> strides_of(const lpt::shape& dimensions, layout order) {
    const std::size_t rank = dimensions.rank();
    std::vector<std::int64_t> result(rank, 1);
    std::int64_t stride = 1;
    const auto place_axis = [&](std::size_t axis) {
        result[axis] = stride;
        stride *= dimensions[axis];
    };
    if (order == layout::channels_last && rank > 2) {
        place_axis(1);
        for (std::size_t axis = rank; axis-- > 2;) {
            place_axis(axis);
        }
        place_axis(0);
    } else {
        for (std::size_t axis = rank; axis-- > 0;) {
            place_axis(axis);
        }
    }
    return result;
}

inline layout other_layout(layout order) { return order == layout::plain ? layout::channels_last : layout::plain; }

/// The axes of a tensor from the outermost in memory to the innermost.
inline std::vector<std::size_t> memory_order(std::size_t rank, layout order) {
    std::vector<std::size_t> result;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (axis != 1 || order == layout::plain || rank < 3) {
            result.push_back(axis);
        }
    }
    if (order == layout::channels_last && rank > 2) {
        result.push_back(1);
    }
    return result;
}

/// True if both layouts put the elements of such a tensor into the same order.
inline bool layouts_agree(const lpt::shape& dimensions) {
    std::int64_t pixels = 1;
    for (std::size_t axis = 2; axis < dimensions.rank(); ++axis) {
        pixels *= dimensions[axis];
    }
    return dimensions.rank() < 3 || pixels == 1 || dimensions[1] == 1;
}

}  // namespace lpt::inline LPT_ABI::plan
