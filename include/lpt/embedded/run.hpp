// SPDX-License-Identifier: Apache-2.0
// The steps of embedded networks. Include it only in the translation unit that is compiled for the network's instruction set:
//   #include <digits.hpp>
//   #include <lpt/embedded/run.hpp>
//   template void lpt::embedded::run_network<digits::isa, digits>(const lpt::embedded::memory&) noexcept;
// with the flags of `lpt_add_kernels`; the CMake function `lpt_embed` with EXECUTOR makes it. Everything here is a template on the
// instruction set, so that the linker never puts it in the place of other code.
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/embedded/executor.hpp>
#include <lpt/kernel/table.hpp>

#include <cstring>

namespace lpt::inline LPT_ABI::embedded {

/// Runs steps: each calls the kernel that the plan names, with everything but addresses in constants.
template <class Isa, class Network>
class runner {
    static constexpr kernel::parallel_for serial{};
    /// The scalar kernels are one for all types.
    static constexpr bool is_scalar = Isa::value == kernel::isa::scalar;
    const memory& where_;

    // ---- memory

    [[gnu::always_inline]] const std::byte* read(const place& at) const noexcept {
        switch (at.where) {
            case area::constants: return reinterpret_cast<const std::byte*>(Network::constants) + at.offset;
            case area::input: return static_cast<const std::byte*>(where_.inputs[at.offset]);
            case area::state: return where_.states + at.offset;
            case area::none: return nullptr;
            case area::arena: break;
        }
        return where_.arena + at.offset;
    }
    /// Steps write only to the arena and to states.
    [[gnu::always_inline]] std::byte* write(const place& at) const noexcept {
        if (at.where == area::none) return nullptr;
        return (at.where == area::state ? where_.states : where_.arena) + at.offset;
    }

    // ---- loops

    using indices = std::int64_t[most_axes];
    static constexpr indices none = {};

    /// Calls `body(index of each loop)`.
    template <class Body>
    [[gnu::always_inline]] static void for_each_outer(const indices& sizes, int count, const Body& body) noexcept {
        indices at = {};
        while (true) {
            body(at);
            int axis = count;
            while (axis > 0 && ++at[axis - 1] == sizes[axis - 1]) {
                at[--axis] = 0;
            }
            if (axis == 0) return;
        }
    }
    [[gnu::always_inline]] static std::int64_t offset_of(const indices& strides, const indices& at,
                                                         int count) noexcept {
        std::int64_t offset = 0;
        for (int axis = 0; axis < count; ++axis) {
            offset += at[axis] * strides[axis];
        }
        return offset;
    }

    // ---- epilogues

    struct bound_numbers {
        const float* array = nullptr;
        float all = 0;
    };
    [[gnu::always_inline]] static bound_numbers bind(const numbers& row, const indices& at, int count) noexcept {
        if (row.values == nullptr) return {nullptr, row.all};
        const float* const first = row.values + offset_of(row.outer, at, count);
        return row.per_channel ? bound_numbers{first, *first} : bound_numbers{nullptr, *first};
    }
    [[gnu::always_inline]] const void* address_of(const strided_operand& from, const indices& at, int count,
                                                  std::int64_t more = 0) const noexcept {
        return read(from.data.at) + (offset_of(from.outer, at, count) + more) * kernel::bytes_of(from.data.type);
    }
    /// `posts` has room for those of the epilogue; residuals are read from `more` elements on.
    [[gnu::always_inline]] kernel::epilogue bind(const finish& from, kernel::post_operation* posts, const indices& at,
                                                 int count, std::int64_t more = 0) const noexcept {
        kernel::epilogue result;
        const bound_numbers scale = bind(from.scale, at, count);
        const bound_numbers bias = bind(from.bias, at, count);
        result.scale = scale.array;
        result.scale_all = scale.all;
        result.bias = bias.array;
        result.bias_all = bias.all;
        for (int i = 0; i < from.post_count; ++i) {
            const post_step& each = from.posts[i];
            kernel::post_operation& post = posts[i];
            const bound_numbers a = bind(each.a, at, count);
            const bound_numbers b = bind(each.b, at, count);
            post.kind = each.kind;
            post.function = each.function;
            post.alpha = a.all;
            post.beta = b.all;
            post.per_channel_a = a.array;
            post.per_channel_b = b.array;
            if (each.has_residual) {
                post.residual_type = each.residual.data.type;
                post.residual = address_of(each.residual, at, count, more);
                post.residual_row_stride = each.residual.row;
            }
        }
        result.post = posts;
        result.post_count = from.post_count;
        result.output_type = from.type;
        result.quant_low = from.low;
        result.quant_high = from.high;
        return result;
    }

    // ---- steps with kernels

    template <const convolution& Step>
    void run() const noexcept {
        kernel::post_operation posts[Step.finish.post_count + 1];
        kernel::convolution_problem problem;
        problem.shape = Step.shape;
        problem.input = read(Step.input.at);
        problem.input_type = Step.input.type;
        problem.input_pixel_stride = Step.shape.in_channels;
        problem.input_zero_point = Step.zero_point;
        problem.packed_weights = Step.weights;
        problem.output = write(Step.output.at);
        problem.output_pixel_stride = Step.shape.out_channels;
        problem.scratch = write(Step.scratch);
        problem.finish = bind(Step.finish, posts, none, 0);
        if constexpr (is_scalar) {
            kernel::convolution<Isa>::run(problem, serial);
        } else if constexpr (Step.method == kernel::convolution_method::depthwise) {
            kernel::depthwise<Isa>::run(problem, serial);
        } else if constexpr (Step.input.type == kernel::element_kind::f32) {
            kernel::convolution<Isa>::template run_as<kernel::float_arithmetic<Isa>>(problem, serial);
        } else {
            kernel::convolution<Isa>::template run_as<kernel::integer_arithmetic<Isa>>(problem, serial);
        }
    }

    template <const product& Step>
    using arithmetic_of = choose<Step.a.type == kernel::element_kind::f32, kernel::float_arithmetic<Isa>,
                                 kernel::integer_arithmetic<Isa>>;

    template <const product& Step>
    void run() const noexcept {
        kernel::post_operation posts[Step.finish.post_count + 1];
        kernel::gemm_problem problem;
        problem.m = Step.m;
        problem.n = Step.n;
        problem.k = Step.k;
        problem.a_type = Step.a.type;
        problem.a_row_stride = Step.a_row_stride;
        problem.a_zero_point = Step.a_zero_point;
        problem.c_row_stride = Step.n;
        std::int64_t packed = -1;
        for (std::int64_t batch = 0; batch < Step.batches; ++batch) {
            const std::int64_t c_offset = batch * Step.m * Step.n;
            problem.a = read(Step.a.at) + Step.a_offsets[batch] * kernel::bytes_of(Step.a.type);
            problem.c = write(Step.output.at) + c_offset * kernel::bytes_of(Step.output.type);
            if constexpr (Step.packed_matrix_bytes != 0) {
                problem.packed_b = Step.weights + Step.b_offsets[batch] * Step.packed_matrix_bytes;
            } else {
                if (packed != Step.b_offsets[batch]) pack<Step>(Step.b_offsets[batch]);
                packed = Step.b_offsets[batch];
                problem.packed_b = read(Step.scratch);
            }
            problem.finish = bind(Step.finish, posts, none, 0, c_offset);
            if constexpr (is_scalar) {
                kernel::gemm<Isa>::run(problem, serial);
            } else {
                kernel::gemm<Isa>::template run_as<arithmetic_of<Step>>(problem, serial);
            }
        }
    }
    template <const product& Step>
    void pack(std::int64_t offset) const noexcept {
        constexpr std::int32_t zero_point = Step.b_zero_point;
        kernel::gemm_weights weights;
        weights.type = Step.b.type;
        weights.data = read(Step.b.at) + offset * kernel::bytes_of(Step.b.type);
        weights.k = Step.k;
        weights.n = Step.n;
        weights.k_stride = Step.b_k_stride;
        weights.n_stride = Step.b_n_stride;
        weights.zero_points = &zero_point;
        weights.zero_point_count = zero_point == 0 ? 0 : 1;
        if constexpr (is_scalar) {
            kernel::gemm<Isa>::pack(weights, write(Step.scratch));
        } else {
            kernel::gemm<Isa>::template pack_as<arithmetic_of<Step>>(weights, write(Step.scratch));
        }
    }

    template <const pooling& Step>
    void run() const noexcept {
        kernel::post_operation posts[Step.finish.post_count + 1];
        kernel::pool_problem problem = Step.problem;
        problem.input = read(Step.input);
        problem.input_pixel_stride = problem.channels;
        problem.output = write(Step.output.at);
        problem.output_pixel_stride = problem.channels;
        problem.finish = bind(Step.finish, posts, none, 0);
        kernel::pool<Isa>::run(problem, serial);
    }

    template <const map& Step>
    void run() const noexcept {
        for_each_outer(Step.outer, Step.outer_count, [this](const indices& at) {
            kernel::post_operation posts[Step.finish.post_count + 1];
            kernel::convert_problem problem;
            problem.pixels = Step.rows;
            problem.channels = Step.channels;
            problem.input_type = Step.input.data.type;
            problem.input = address_of(Step.input, at, Step.outer_count);
            problem.input_layout = {0, Step.input.row, Step.input.channel};
            problem.output = const_cast<void*>(address_of(Step.output, at, Step.outer_count));
            problem.output_layout = {0, Step.output.row, Step.output.channel};
            problem.finish = bind(Step.finish, posts, at, Step.outer_count);
            kernel::convert<Isa>::run(problem, serial);
        });
    }

    [[gnu::always_inline]] kernel::binary_operand bind(const strided_operand& from, const numbers& scales,
                                                       const numbers& shifts, const indices& at,
                                                       int count) const noexcept {
        const bound_numbers scale = bind(scales, at, count);
        const bound_numbers shift = bind(shifts, at, count);
        kernel::binary_operand result;
        result.type = from.data.type;
        result.data = address_of(from, at, count);
        result.row_stride = from.row;
        result.channel_stride = from.channel;
        result.scale = scale.array;
        result.scale_all = scale.all;
        result.shift = shift.array;
        result.shift_all = shift.all;
        return result;
    }
    template <const combine& Step>
    void run() const noexcept {
        for_each_outer(Step.outer, Step.outer_count, [this](const indices& at) {
            kernel::post_operation posts[Step.finish.post_count + 1];
            kernel::binary_problem problem;
            problem.function = Step.function;
            problem.rows = Step.rows;
            problem.channels = Step.channels;
            problem.a = bind(Step.a, Step.a_scale, Step.a_shift, at, Step.outer_count);
            problem.b = bind(Step.b, Step.b_scale, Step.b_shift, at, Step.outer_count);
            problem.output = const_cast<void*>(address_of(Step.output, at, Step.outer_count));
            problem.output_row_stride = Step.output.row;
            problem.finish = bind(Step.finish, posts, at, Step.outer_count);
            kernel::binary<Isa>::run(problem, serial);
        });
    }

    template <const lookup& Step>
    void run() const noexcept {
        kernel::lookup_problem problem;
        problem.input = reinterpret_cast<const std::uint8_t*>(read(Step.input));
        problem.output = reinterpret_cast<std::uint8_t*>(write(Step.output));
        problem.count = Step.count;
        problem.table = Step.table;
        kernel::lookup<Isa>::run(problem, serial);
    }

    template <const transpose& Step>
    void run() const noexcept {
        kernel::transpose_problem problem = Step.problem;
        problem.input = read(Step.input);
        problem.output = write(Step.output);
        kernel::transpose<Isa>::run(problem, serial);
    }

    template <const auto& Step, class Problem>
    void run_kernel(const kernel_step<Problem>&) const noexcept {
        Problem problem = Step.problem;
        kernel::point_operands(
            problem, [this](int slot) { return read(Step.operands[slot]); },
            [this](int slot) { return write(Step.operands[slot]); });
        kernel::kernel_of<Isa, Problem>::run(problem, serial);
    }

    // ---- steps that move bytes

    [[gnu::always_inline]] static void move_bytes(std::byte*& to, const void* from, std::int64_t count) noexcept {
        std::memcpy(to, from, static_cast<std::size_t>(count));
        to += count;
    }

    template <const gather& Step>
    void run() const noexcept {
        const std::byte* const from = read(Step.input);
        std::byte* to = write(Step.output);
        for (std::int64_t i = 0; i < Step.count; ++i) {
            if (Step.blocks[i] >= 0) {
                move_bytes(to, from + Step.blocks[i] * Step.block_bytes, Step.block_bytes);
                continue;
            }
            for (std::int64_t done = 0; done < Step.block_bytes; done += Step.element_bytes) {
                move_bytes(to, Step.fill, Step.element_bytes);
            }
        }
    }

    template <const margin& Step>
    void run() const noexcept {
        const std::byte* from = read(Step.input);
        std::byte* to = write(Step.output);
        const auto fill = [&to](std::int64_t pixels) {
            for (std::int64_t i = 0; i < pixels; ++i) {
                move_bytes(to, Step.pixel, Step.pixel_bytes);
            }
        };
        const auto inside = [](std::int64_t at, int axis) {
            return at >= Step.begin[axis] && at < Step.begin[axis] + Step.in[axis];
        };
        constexpr std::int64_t row = Step.in[2] * Step.pixel_bytes;
        for (std::int64_t n = 0; n < Step.batch; ++n) {
            for (std::int64_t d = 0; d < Step.out[0]; ++d) {
                for (std::int64_t h = 0; h < Step.out[1]; ++h) {
                    if (!inside(d, 0) || !inside(h, 1)) {
                        fill(Step.out[2]);
                        continue;
                    }
                    fill(Step.begin[2]);
                    move_bytes(to, from, row);
                    from += row;
                    fill(Step.out[2] - Step.begin[2] - Step.in[2]);
                }
            }
        }
    }

    template <const concat& Step>
    void run() const noexcept {
        std::byte* to = write(Step.output);
        for (std::int64_t row = 0; row < Step.rows; ++row) {
            for (int i = 0; i < Step.part_count; ++i) {
                move_bytes(to, read(Step.parts[i].input) + row * Step.parts[i].bytes, Step.parts[i].bytes);
            }
        }
    }

    template <const copy& Step>
    void run() const noexcept {
        if constexpr (Step.state >= 0) {
            if (Step.first_time && where_.set[Step.state]) return;
            where_.set[Step.state] = !Step.first_time;
        }
        std::memmove(write(Step.output), read(Step.input), static_cast<std::size_t>(Step.bytes));
    }

    template <const auto& Step>
    void run_any() const noexcept {
        if constexpr (requires { run_kernel<Step>(Step); })
            run_kernel<Step>(Step);
        else
            run<Step>();
    }

public:
    explicit runner(const memory& where) noexcept : where_(where) {}

    template <const auto&... Steps>
    void run_all(steps<Steps...>) const noexcept {
        (run_any<Steps>(), ...);
    }
    void give_results() const noexcept {
        for (std::size_t i = 0; i < Network::outputs::count; ++i) {
            std::memcpy(where_.outputs[i], read(Network::results[i].from), Network::results[i].bytes);
        }
    }
};

template <class Isa, class Network>
void run_network(const memory& where) noexcept {
    const runner<Isa, Network> all(where);
    all.run_all(typename Network::plan());
    all.give_results();
}

}  // namespace lpt::inline LPT_ABI::embedded
