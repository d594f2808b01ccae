// SPDX-License-Identifier: Apache-2.0
// A planned network as a type: descriptions of its steps that the compiler knows, written by lpt_embed. No SIMD, no graph, no memory.
#pragma once

#include <lpt/kernel/isa.hpp>

namespace lpt::inline LPT_ABI::embedded {

/// The layout of generated headers; they check that they fit to the library.
inline constexpr int plan_format = 7;

/// Loops of an elementwise step around its pixels and channels, and axes of the other steps that have lists of them: at most so many.
inline constexpr int most_axes = 8;

/// Memory that a tensor can be in.
enum class area : std::uint8_t {
    arena,  ///< shared by steps, planned by liveness
    constants,  ///< known to the compiler
    input,  ///< what the caller gives
    state,  ///< kept from run to run
    output,  ///< what the caller gives for results
    none,  ///< an operand that is left out
};

/// Where a tensor begins: `offset` bytes into its area; in an input or output, `offset` is its number, and the tensor begins `part` bytes into it.
/// `row_stride`: elements from row to row where its rows are parts of wider ones; 0: there is no gap between them.
struct place {
    area where = area::arena;
    std::size_t offset = 0;
    std::size_t part = 0;
    std::int64_t row_stride = 0;
};

/// A tensor that kernels read or write.
struct operand {
    place at = {};
    kernel::element_kind type = kernel::element_kind::f32;
};

/// Numbers of an epilogue: `all`, or, if there are `values`, those: one per channel, or the first for all channels.
/// `outer`: elements that the array moves by with each loop of an elementwise step around its pixels and channels.
struct numbers {
    const float* values = nullptr;
    float all = 0;
    bool per_channel = false;
    std::int64_t outer[most_axes] = {};
};

/// A tensor with its strides, in elements, along the loops of an elementwise step: those around, then pixels and channels.
struct strided_operand {
    operand data = {};
    std::int64_t outer[most_axes] = {};
    std::int64_t row = 0;
    std::int64_t channel = 1;
};

/// A post operation of an epilogue, see kernel::post_operation; `residual` counts for those that read one.
struct post_step {
    kernel::post_kind kind = kernel::post_kind::clamp;
    kernel::unary_function function = kernel::unary_function::abs;
    numbers a = {};
    numbers b = {};
    bool has_residual = false;
    strided_operand residual = {};
};

/// An epilogue, see kernel::epilogue.
struct finish {
    numbers scale{.all = 1};
    numbers bias = {};
    const post_step* posts = nullptr;
    int post_count = 0;
    kernel::element_kind type = kernel::element_kind::f32;
    float low = 0;
    float high = 0;
};

/// An enumerator of any type by its number, as generated headers write those of problems.
struct enumerator {
    int number = 0;
    template <class Enumeration>
    constexpr operator Enumeration() const {
        return static_cast<Enumeration>(number);
    }
};

// ---- Steps: the problems of the kernels, and of what has no kernel ----

/// Convolution, grouped, depthwise or transposed; channels innermost.
struct convolution {
    kernel::convolution_shape shape = {};
    operand input = {};
    std::int32_t zero_point = 0;
    const unsigned char* weights = nullptr;  // packed for the instruction set of the plan
    place scratch = {};
    operand output = {};
    embedded::finish finish = {};
};

/// Matrix products, one for each batch.
struct product {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    operand a = {};
    std::int64_t a_row_stride = 0;
    std::int32_t a_zero_point = 0;
    const unsigned char* weights = nullptr;  // packed matrices
    std::int64_t packed_matrix_bytes = 0;  // 0: there are none, and `b` is packed into `scratch` when the step runs
    operand b = {};
    std::int64_t b_k_stride = 0;
    std::int64_t b_n_stride = 0;
    std::int32_t b_zero_point = 0;
    place scratch = {};
    std::int64_t batches = 1;
    const std::int64_t* a_offsets = nullptr;  // of each batch, in elements
    const std::int64_t* b_offsets = nullptr;  // in elements of `b`, or the number of the packed matrix
    operand output = {};
    embedded::finish finish = {};
};

/// Max or average pooling; channels innermost. `problem` has no pointers.
struct pooling {
    kernel::pool_problem problem = {};
    place input = {};
    operand output = {};
    embedded::finish finish = {};
};

/// A function of one tensor, element by element: its epilogue, with any broadcast and change of layout.
struct map {
    int outer_count = 0;
    std::int64_t outer[most_axes] = {};
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    strided_operand input = {};
    strided_operand output = {};
    embedded::finish finish = {};
};

/// A function of two tensors, element by element.
struct combine {
    kernel::binary_function function = kernel::binary_function::add;
    int outer_count = 0;
    std::int64_t outer[most_axes] = {};
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    strided_operand a = {};
    numbers a_scale{.all = 1};
    numbers a_shift = {};
    strided_operand b = {};
    numbers b_scale{.all = 1};
    numbers b_shift = {};
    strided_operand output = {};
    embedded::finish finish = {};
};

/// A function of one byte for each byte, of `rows` rows of `count`.
struct lookup {
    place input = {};
    place output = {};
    std::int64_t rows = 1;
    std::int64_t count = 0;
    const unsigned char* table = nullptr;
};

/// Blocks of `block_bytes` in another order: output block i is the input block that begins at element `sources[i]`, or `fill`, one element again and
/// again, where that is -1. `gap`: bytes between rows of `blocks_in_row` output blocks.
struct gather {
    place input = {};
    place output = {};
    std::int64_t element_bytes = 1;
    std::int64_t block_bytes = 1;
    const std::int32_t* sources = nullptr;
    std::int64_t count = 0;
    std::int64_t blocks_in_row = 0;
    std::int64_t gap = 0;
    const unsigned char* fill = nullptr;
};

/// A margin around the pixels, of one value a channel; channels innermost. `pixel` is a pixel of the margin.
struct margin {
    place input = {};
    place output = {};
    std::int64_t batch = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t begin[3] = {0, 0, 0};
    std::int64_t out[3] = {1, 1, 1};
    const unsigned char* pixel = nullptr;
    std::int64_t pixel_bytes = 1;
};

/// A part of each row of a concatenation; the input's rows are `distance` bytes apart.
struct concat_part {
    place input = {};
    std::int64_t bytes = 0;
    std::int64_t distance = 0;
};

/// Tensors next to each other: parts of each of `rows` rows of `row_bytes` bytes.
struct concat {
    const concat_part* parts = nullptr;
    int part_count = 0;
    std::int64_t rows = 1;
    std::int64_t row_bytes = 0;
    place output = {};
};

/// Batches of matrices transposed. `problem` has no pointers.
struct transpose {
    kernel::transpose_problem problem = {};
    place input = {};
    place output = {};
};

/// A kernel whose problem says its fields itself (kernel/rows/). `problem` has no pointers; `operands` are in the order of its fields.
template <class Problem>
struct kernel_step {
    Problem problem = {};
    place operands[kernel::operand_count<Problem>] = {};
};

/// Copies bytes. Of a state, `state` is its number: `first_time` only while nothing has written it, otherwise it counts as written.
struct copy {
    place input = {};
    place output = {};
    std::int64_t bytes = 0;
    int state = -1;
    bool first_time = false;
};

// ---- The plan ----

/// What the caller reads: `bytes` bytes.
struct result {
    place from = {};
    std::size_t bytes = 0;
};

/// The steps of a network, one after the other; each is a constexpr object of a type above.
template <const auto&... Steps>
struct steps {
    static constexpr int count = sizeof...(Steps);
};

/// An input or output: `Count` elements of type `Element`, dense, in the order of the tensor's axes.
template <class Element, std::size_t Count>
struct port {
    using element = Element;
    static constexpr std::size_t count = Count;
};

/// The inputs or the outputs of a network, in its order.
template <class... Ports>
struct ports {
    static constexpr std::size_t count = sizeof...(Ports);
};

}  // namespace lpt::inline LPT_ABI::embedded
