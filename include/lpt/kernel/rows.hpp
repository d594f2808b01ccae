// SPDX-License-Identifier: Apache-2.0
// The contract between whoever plans a network and the kernels: plain data, no SIMD, no graph.
#pragma once

#include <lpt/kernel/rows/attention.hpp>
#include <lpt/kernel/rows/cast.hpp>
#include <lpt/kernel/rows/compressed_product.hpp>
#include <lpt/kernel/rows/element_kind.hpp>
#include <lpt/kernel/rows/groups.hpp>
#include <lpt/kernel/rows/movement.hpp>
#include <lpt/kernel/rows/pointwise.hpp>
#include <lpt/kernel/rows/recurrent.hpp>
#include <lpt/kernel/rows/resampling.hpp>
#include <lpt/kernel/rows/softmax.hpp>
#include <lpt/kernel/rows/specified.hpp>
#include <lpt/kernel/rows/top_k.hpp>

#include <cstddef>
#include <cstdint>

namespace lpt::inline LPT_ABI::kernel {

/// An instruction set that the kernels are compiled for.
/// `scalar` is the definition; every other one gives the same bits.
/// `neon_i8mm` has the matrix products of bytes and the dot products.
/// `avx512_vnni_256` is the 256-bit AVX-VNNI code in EVEX encoding, for processors that have AVX-512 VNNI but not AVX-VNNI.
enum class isa : std::uint8_t { scalar, avx2, avx_vnni, avx512_vnni_256, avx512_vnni, neon, neon_dot, neon_i8mm };

/// Number of instruction sets in `isa`.
inline constexpr int isa_count = 8;

/// The name of an instruction set as command lines and reports spell it.
constexpr const char* name_of(isa set) noexcept {
    switch (set) {
        case isa::scalar: return "scalar";
        case isa::avx2: return "avx2";
        case isa::avx_vnni: return "avx_vnni";
        case isa::avx512_vnni_256: return "avx512_vnni_256";
        case isa::avx512_vnni: return "avx512_vnni";
        case isa::neon: return "neon";
        case isa::neon_dot: return "neon_dot";
        case isa::neon_i8mm: return "neon_i8mm";
    }
    return "";
}

/// Something that can run independent tasks; all zero means: run them one after the other on the caller's thread.
/// `run` calls `task(context, i)` once for each i in [0, tasks), on any threads, and returns when all are done.
/// `threads` (>= 1) is how many tasks a kernel should cut its work into. No result depends on it.
struct parallel_for {
    void* pool = nullptr;
    void (*run)(void* pool, int tasks, void (*task)(void* context, int index), void* context) = nullptr;
    int threads = 1;
};

// ---------------------------------------------------------------------------------------------------------------------
// Epilogue

/// Functions of one number that an epilogue can apply.
/// Each has one definition, an expression of IEEE single precision operations without contraction (`kernel/unary.hpp`, accuracy
/// there), so all instruction sets give the same bits.
enum class unary_function : std::uint8_t {
    sigmoid,  ///< 1 / (1 + exp(-v))
    tanh,  ///< tanh(v)
    hswish,  ///< v * (min(max(v + 3, 0), 6) / 6)
    hsigmoid,  ///< min(max(v + 3, 0), 6) / 6
    hard_sigmoid,  ///< min(max(fma(v, alpha, beta), 0), 1)
    gelu_erf,  ///< v * (1 + erf(v / sqrt(2))) / 2
    gelu_tanh,  ///< v * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 v^3))) / 2
    swish,  ///< v / (1 + exp(-alpha * v)); alpha is 1 for SiLU
    mish,  ///< v * tanh(softplus(v))
    elu,  ///< v >= 0 ? v : alpha * (exp(v) - 1)
    selu,  ///< v > 0 ? beta * v : beta * alpha * (exp(v) - 1)
    softplus,  ///< ln(1 + exp(v))
    softsign,  ///< v / (1 + |v|)
    exp,  ///< exp(v)
    log,  ///< ln(v)
    erf,  ///< erf(v)
    sqrt,  ///< sqrt(v)
    abs,  ///< |v|
    negative,  ///< -v
    floor,  ///< the largest integer not above v
    ceiling,  ///< the smallest integer not below v
    round_even,  ///< the nearest integer, ties to even
    round_away,  ///< the nearest integer, ties away from zero
    sign,  ///< -1, 0 or 1
    reciprocal,  ///< 1 / v
    square,  ///< v * v
    cube,  ///< v * v * v
};

/// What a step of an epilogue does to v, the value of one output element in channel c of row r.
enum class post_kind : std::uint8_t {
    clamp,  ///< v = min(max(v, alpha), beta); NaN becomes alpha. ReLU is clamp(0, infinity)
    prelu,  ///< v = v < 0 ? v * a : v with a = per_channel_a[c], or alpha when that is null
    divide,  ///< v = v / a with a = per_channel_a[c], or alpha when that is null; one rounding
    scale_shift,  ///< v = fma(v, a, b) with a = per_channel_a[c] or alpha, b = per_channel_b[c] or beta
    add_residual,  ///< v = fma(float(residual[r, c]), alpha, v); fold zero points into the bias or a scale_shift before
    multiply_residual,  ///< v = v * fma(float(residual[r, c]), alpha, beta)
    unary,  ///< v = function(v), see unary_function for the meaning of alpha and beta
};

/// One step of an epilogue.
/// Arrays have one element per output channel and need neither padding nor alignment.
/// `residual` points at element (row 0, channel 0) of an array of type u8, i8, i32 or f32 with `residual_row_stride` elements
/// from row to row (0 repeats one row); rows are those of the problem's output.
struct post_operation {
    post_kind kind = post_kind::clamp;
    unary_function function = unary_function::abs;
    element_kind residual_type = element_kind::u8;
    float alpha = 0;
    float beta = 0;
    const float* per_channel_a = nullptr;
    const float* per_channel_b = nullptr;
    const void* residual = nullptr;
    std::int64_t residual_row_stride = 0;
};

/// What happens to an accumulator on its way to memory.
///   v = fma(float(accumulator), scale[c], bias[c]); then each post operation in order; then
///   u8, i8: round_half_even(min(max(v, quant_low), quant_high));   f32: v;   i32: the accumulator itself (everything else is ignored).
/// `scale` and `bias` have one element per output channel, or are null: then `scale_all` / `bias_all` holds for all channels.
/// `quant_low`, `quant_high`: integers inside the range of `output_type`; they saturate, and can be narrower to clamp for free.
/// Rounding: to nearest, ties to even; the fma rounds once. NaN becomes quant_low; as f32 it stays some quiet NaN.
/// float(accumulator) of a 32-bit integer rounds to nearest even.
/// `fixed`, of matrix products and convolutions of bytes with output i8: the code is that of `fixed_point`, of all else only the limits count.
struct epilogue {
    const float* scale = nullptr;
    const float* bias = nullptr;
    float scale_all = 1;
    float bias_all = 0;
    const post_operation* post = nullptr;
    int post_count = 0;
    element_kind output_type = element_kind::u8;
    float quant_low = 0;
    float quant_high = 255;
    const fixed_point* fixed = nullptr;
};

// ---------------------------------------------------------------------------------------------------------------------
// Matrix multiplication

/// The second operand of a matrix multiplication before packing: B[k, n] = data[k * k_stride + n * n_stride].
/// Strides are in elements, so row-major (n, 1) and transposed (1, k) matrices need no copy.
/// `type`: u8, i8, i4, or f32. `zero_points`: `zero_point_count` (0, 1 or n) values, each in [-128, 255]; B means B - zero_point.
struct gemm_weights {
    const void* data = nullptr;
    element_kind type = element_kind::i8;
    std::int64_t k = 0;
    std::int64_t n = 0;
    std::int64_t k_stride = 0;
    std::int64_t n_stride = 0;
    const std::int32_t* zero_points = nullptr;
    std::int64_t zero_point_count = 0;
};

/// C[m, n] = epilogue(sum over k of (A[m, k] - a_zero_point) * (B[k, n] - b_zero_point[n])).
/// A is u8 or i8 with `a_row_stride` elements from row to row, any alignment, and `a_zero_point` a value of its type; B comes from `pack_gemm` of the same table.
/// Accumulators are exact 32-bit integers (modulo 2^32 when K is so long that the sum does not fit).
/// A of type f32 goes with f32 weights only: the accumulator is then float, starts at 0 and takes fma(a, b, accumulator) for
/// k = 0, 1, 2 … in this order; it replaces float(accumulator), and output type i32 is not allowed.
/// Batches are calls with other pointers. m >= 0, n >= 1, k >= 1.
struct gemm_problem {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    const void* a = nullptr;
    element_kind a_type = element_kind::u8;
    std::int64_t a_row_stride = 0;
    std::int32_t a_zero_point = 0;
    const void* packed_b = nullptr;
    void* c = nullptr;
    std::int64_t c_row_stride = 0;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Convolution

/// The geometry of a convolution. Spatial axes are depth, height, width; a 2-D convolution has depth 1, a 1-D one also height 1.
/// Channels are totals over all groups. Output sizes are given (they imply the padding at the end).
///   forward:    out[o] = sum over taps t of in[o * stride + t * dilation - pad_begin] * w[t], taps outside the image contribute 0;
///   transposed: in[i] * w[t] is added to out[i * stride + t * dilation - pad_begin] (positions outside are dropped).
struct convolution_shape {
    std::int64_t batch = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t out[3] = {1, 1, 1};
    std::int64_t kernel[3] = {1, 1, 1};
    std::int64_t stride[3] = {1, 1, 1};
    std::int64_t dilation[3] = {1, 1, 1};
    std::int64_t pad_begin[3] = {0, 0, 0};
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;
    std::int64_t groups = 1;
    bool transposed = false;
};

/// How a convolution is computed; its shape decides, and an instruction set may have a choice of its own.
enum class convolution_method : std::uint8_t {
    direct,  ///< sums as their definition says, one by one
    gemm,  ///< a matrix product as it is
    depthwise,  ///< one channel a group, not transposed
    implicit_gemm,  ///< sums over taps and channels, through pointers
    merged_lines,  ///< the same with the taps of a kernel line as one run of channels, over a padded copy of the image
    joined_lines,  ///< rows copied together from such lines
    im2col,  ///< rows copied together from their taps
};

/// The name of a method as reports spell it; copies of lines count as what they are a form of.
constexpr const char* name_of(convolution_method method) noexcept {
    switch (method) {
        case convolution_method::direct: return "direct";
        case convolution_method::gemm: return "gemm";
        case convolution_method::depthwise: return "depthwise";
        case convolution_method::implicit_gemm:
        case convolution_method::merged_lines: return "implicit_gemm";
        case convolution_method::joined_lines:
        case convolution_method::im2col: return "im2col";
    }
    return "";
}

/// Weights of a convolution before packing.
/// w[g, o, i, t] = data[g * group_stride + o * out_stride + i * in_stride + t * tap_stride]; o and i count inside the group, t is
/// the tap (kd * kernel[1] + kh) * kernel[2] + kw; strides are in elements. `type`: u8, i8, i4, or f32.
/// `zero_points`: `zero_point_count` (0, 1 or out_channels) values in [-128, 255]; w means w - zero_point.
struct convolution_weights {
    const void* data = nullptr;
    element_kind type = element_kind::i8;
    std::int64_t group_stride = 0;
    std::int64_t out_stride = 0;
    std::int64_t in_stride = 0;
    std::int64_t tap_stride = 1;
    const std::int32_t* zero_points = nullptr;
    std::int64_t zero_point_count = 0;
};

/// A convolution over channel-innermost (N D H W C) data:
///   out = epilogue(sum over taps and input channels of (in - input_zero_point) * (w - weights_zero_point)).
/// `input_pixel_stride`, `output_pixel_stride`: elements from pixel to pixel (>= channels, so slices of wider tensors work); pixels are
/// dense otherwise. The output's row of the epilogue is ((n * D + d) * H + h) * W + w.
/// `input_zero_point` must be a value of the input type (it is what padding reads as); for f32 it is 0.
/// `scratch`: `convolution_scratch_bytes(shape, input_type, threads)` bytes, any alignment, contents irrelevant; may be null when that is 0.
/// f32 input goes with f32 weights only, see gemm_problem; the order of the sum is taps, then input channels; taps outside the image
/// are added as zeros (fma(0, w, accumulator)), but for those of a transposed convolution that lead to no input position for their output.
struct convolution_problem {
    convolution_shape shape;
    const void* input = nullptr;
    element_kind input_type = element_kind::u8;
    std::int64_t input_pixel_stride = 0;
    std::int32_t input_zero_point = 0;
    const void* packed_weights = nullptr;
    void* output = nullptr;
    std::int64_t output_pixel_stride = 0;
    void* scratch = nullptr;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Pooling

/// Which pooling.
enum class pool_kind : std::uint8_t {
    max,  ///< largest element of the window inside the image (the lowest value of the type if there is none)
    average_exclude_pad,  ///< sum inside the image / number of elements inside the image (0 / 1 if there is none)
    average_include_pad,  ///< (sum inside + zero_point * rest) / number of elements inside the padded image
};

/// Max or average pooling over channel-innermost (N D H W C) data of type u8, i8 or f32.
///   max:     x = float(largest);   average: x = float(sum) / float(count), one rounding each;
///   v = fma(x, scale[c], bias[c]), post operations and store as in `epilogue` (output i32 is not allowed).
/// f32 input: sums start at 0 and add in the order d, h, w of the window; NaN compares as not larger.
/// `pad_end` matters only to average_include_pad: the window is cut to [-pad_begin, in + pad_end).
/// A pass-through max pooling (same type, scale 1, bias 0, no post operation, full quantization range) copies values exactly.
struct pool_problem {
    pool_kind kind = pool_kind::max;
    std::int64_t batch = 1;
    std::int64_t channels = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t out[3] = {1, 1, 1};
    std::int64_t kernel[3] = {1, 1, 1};
    std::int64_t stride[3] = {1, 1, 1};
    std::int64_t dilation[3] = {1, 1, 1};
    std::int64_t pad_begin[3] = {0, 0, 0};
    std::int64_t pad_end[3] = {0, 0, 0};
    const void* input = nullptr;
    element_kind input_type = element_kind::u8;
    std::int64_t input_pixel_stride = 0;
    std::int32_t input_zero_point = 0;
    void* output = nullptr;
    std::int64_t output_pixel_stride = 0;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Elementwise

/// Elements of a row that elementwise kernels and pooling take at a time; their buffers live on the stack.
inline constexpr int finish_columns = 256;

/// Functions of two numbers.
enum class binary_function : std::uint8_t { add, subtract, multiply, divide, maximum, minimum, squared_difference };

/// One operand of `binary`: element (r, c) is data[r * row_stride + c * channel_stride], of type u8, i8, i32 or f32;
/// its value is fma(float(element), scale, shift) with per-channel arrays, or `scale_all` / `shift_all` where they are null.
/// row_stride 0 repeats one row; channel_stride is 1, or 0 for one value a row.
struct binary_operand {
    const void* data = nullptr;
    element_kind type = element_kind::u8;
    std::int64_t row_stride = 0;
    std::int64_t channel_stride = 1;
    const float* scale = nullptr;
    const float* shift = nullptr;
    float scale_all = 1;
    float shift_all = 0;
};

/// out[r, c] = epilogue with x = function(a[r, c], b[r, c]) in place of float(accumulator); output i32 is not allowed.
/// add, subtract, multiply, divide round once; maximum is a > b ? a : b, minimum is a < b ? a : b;
/// squared_difference is (a - b) * (a - b).
struct binary_problem {
    binary_function function = binary_function::add;
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    binary_operand a;
    binary_operand b;
    void* output = nullptr;
    std::int64_t output_row_stride = 0;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Conversion: quantize, dequantize, requantize, any of them with a change of layout

/// Where element (batch n, pixel p, channel c) is: data[n * batch_stride + p * pixel_stride + c * channel_stride], in elements.
/// Channel innermost: {pixels * channels, channels, 1}; planes (NCHW): {channels * pixels, 1, pixels}.
struct element_layout {
    std::int64_t batch_stride = 0;
    std::int64_t pixel_stride = 0;
    std::int64_t channel_stride = 0;
};

/// Quantize (f32 to u8/i8), dequantize (u8/i8 to f32), requantize (i32/u8/i8 to u8/i8), and plain f32 arithmetic:
///   x = min(max(float(input), input_low[c]), input_high[c]);   v and the store as in `epilogue` with x in place of float(accumulator).
/// `input_low` / `input_high`: per channel arrays, or null: `input_low_all` / `input_high_all`, whose defaults do not clamp.
/// NaN becomes the channel's input_low; without bounds (no arrays, infinite `_all`) it is not touched here. Any input and output type (output i32 only for input i32, a copy).
/// Rows of post operations are n * pixels + p. Input and output must not overlap unless type and layout agree.
struct convert_problem {
    std::int64_t batch = 1;
    std::int64_t pixels = 1;
    std::int64_t channels = 1;
    const void* input = nullptr;
    element_kind input_type = element_kind::f32;
    element_layout input_layout;
    const float* input_low = nullptr;
    const float* input_high = nullptr;
    float input_low_all = -__builtin_inff();
    float input_high_all = __builtin_inff();
    void* output = nullptr;
    element_layout output_layout;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// The table

/// The problems that say their fields themselves (`kernel/rows/`); `kernel_of<Isa, Problem>` has the kernel of each.
using problems =
    problem_list<softmax_problem, attention_problem, normalization_problem, reduction_problem, recurrent_problem,
                 cast_problem, pointwise_problem, resampling_problem, compressed_product_problem, top_k_problem>;

namespace detail {

template <class Problem>
struct kernel_entry {
    void (*run)(const Problem& problem, const parallel_for& parallel) = nullptr;
};
template <class Problems>
struct kernel_entries;
template <class... Problems>
struct kernel_entries<problem_list<Problems...>> : kernel_entry<Problems>... {};

}  // namespace detail

/// All kernels of one instruction set. Kernels never allocate, never throw, keep no state and check nothing: the problem must keep
/// the preconditions that its struct states. Packed data belongs to the table that packed it. Buffers of packed data are best aligned
/// to 64 bytes, but need not be.
struct kernel_table {
    isa instruction_set = isa::scalar;

    /// Bytes that `pack_gemm` writes for weights of this type.
    std::size_t (*packed_gemm_bytes)(element_kind type, std::int64_t k, std::int64_t n) = nullptr;
    void (*pack_gemm)(const gemm_weights& weights, void* packed, const parallel_for& parallel) = nullptr;
    void (*gemm)(const gemm_problem& problem, const parallel_for& parallel) = nullptr;

    /// Bytes that `pack_convolution` writes for weights of this type.
    std::size_t (*packed_convolution_bytes)(const convolution_shape& shape, element_kind type) = nullptr;
    void (*pack_convolution)(const convolution_shape& shape, const convolution_weights& weights, void* packed,
                             const parallel_for& parallel) = nullptr;
    /// Bytes of scratch memory for an input of this type; grows with `threads`, which must be the one of `parallel` in the call.
    std::size_t (*convolution_scratch_bytes)(const convolution_shape& shape, element_kind input_type,
                                             int threads) = nullptr;
    void (*convolution)(const convolution_problem& problem, const parallel_for& parallel) = nullptr;
    /// How the shape is computed.
    convolution_method (*method_of_convolution)(const convolution_shape& shape) = nullptr;

    /// Bytes that `pack_fixed_product` writes; 0 where the other kernels are faster.
    std::size_t (*packed_fixed_product_bytes)(const fixed_product_shape& shape) = nullptr;
    void (*pack_fixed_product)(const fixed_product_shape& shape, const fixed_product_weights& weights,
                               void* packed) = nullptr;

    void (*pool)(const pool_problem& problem, const parallel_for& parallel) = nullptr;
    void (*binary)(const binary_problem& problem, const parallel_for& parallel) = nullptr;
    void (*convert)(const convert_problem& problem, const parallel_for& parallel) = nullptr;
    void (*lookup)(const lookup_problem& problem, const parallel_for& parallel) = nullptr;
    void (*transpose)(const transpose_problem& problem, const parallel_for& parallel) = nullptr;

    /// The kernels of `problems` and of `specified_problems`.
    detail::kernel_entries<problems> others = {};
    detail::kernel_entries<specified_problems> specified = {};

    /// Runs the kernel of one of these problems.
    template <class Problem>
    void run(const Problem& problem, const parallel_for& parallel) const {
        if constexpr (requires { static_cast<const detail::kernel_entry<Problem>&>(others); })
            static_cast<const detail::kernel_entry<Problem>&>(others).run(problem, parallel);
        else
            static_cast<const detail::kernel_entry<Problem>&>(specified).run(problem, parallel);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
