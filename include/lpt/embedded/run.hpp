// SPDX-License-Identifier: Apache-2.0
// The steps of embedded networks. Include it only in the translation unit that is compiled for the network's instruction set:
//   #include <digits.hpp>
//   #include <lpt/embedded/run.hpp>
//   template void lpt::embedded::run_network<digits::isa, digits>(const lpt::embedded::memory&) noexcept;
// with the flags of `lpt_add_kernels`; the CMake function `lpt_embed` with EXECUTOR makes it. Everything here is a template on the
// instruction set, so that the linker never puts it in the place of other code.
#pragma once

#include <lpt/embedded/executor.hpp>
#include <lpt/kernel/bind.hpp>
#include <lpt/kernel/table.hpp>

#include <cstring>

namespace lpt::inline LPT_ABI::embedded {

/// Operands of a network's steps in the memory of a run, as `kernel/bind.hpp` asks for them.
template <class Isa, class Network>
class operands {
    const memory& where_;

public:
    [[gnu::always_inline]] explicit operands(const memory& where) noexcept : where_(where) {}

    /// The index of each loop of an elementwise step around its pixels and channels.
    template <int Count>
    struct position {
        std::int64_t index[Count + 1] = {};
        [[gnu::always_inline]] static constexpr std::size_t size() noexcept { return Count; }
        [[gnu::always_inline]] constexpr std::int64_t& operator[](std::size_t axis) noexcept { return index[axis]; }
        [[gnu::always_inline]] constexpr std::int64_t operator[](std::size_t axis) const noexcept {
            return index[axis];
        }
    };

    [[gnu::always_inline]] const std::byte* read(const place& at) const noexcept {
        switch (at.where) {
            case area::constants: return reinterpret_cast<const std::byte*>(Network::constants) + at.offset;
            case area::input: return static_cast<const std::byte*>(where_.inputs[at.offset]) + at.part;
            case area::state: return where_.states + at.offset;
            case area::output: return static_cast<const std::byte*>(where_.outputs[at.offset]) + at.part;
            case area::none: return nullptr;
            case area::arena: break;
        }
        return where_.arena + at.offset;
    }
    /// Steps write to the arena, to states and to outputs.
    [[gnu::always_inline]] std::byte* write(const place& at) const noexcept {
        switch (at.where) {
            case area::state: return where_.states + at.offset;
            case area::output: return static_cast<std::byte*>(where_.outputs[at.offset]) + at.part;
            case area::none: return nullptr;
            default: return where_.arena + at.offset;
        }
    }
    [[gnu::always_inline]] const std::byte* read(const operand& from) const noexcept { return read(from.at); }
    [[gnu::always_inline]] std::byte* write(const operand& to) const noexcept { return write(to.at); }
    [[gnu::always_inline]] static std::int64_t row_stride(const place& of, std::int64_t dense) noexcept {
        return of.row_stride == 0 ? dense : of.row_stride;
    }
    [[gnu::always_inline]] static std::int64_t row_stride(const operand& of, std::int64_t dense) noexcept {
        return row_stride(of.at, dense);
    }
    [[gnu::always_inline]] static kernel::element_kind type_of(const operand& of) noexcept { return of.type; }
    [[gnu::always_inline]] static kernel::element_kind kind_of(kernel::element_kind type) noexcept { return type; }
    [[gnu::always_inline]] static const void* packed(const unsigned char* weights) noexcept { return weights; }
    [[gnu::always_inline]] static std::int64_t batches(const product& step) noexcept { return step.batches; }

    template <int Count>
    [[gnu::always_inline]] static kernel::bound_numbers numbers(const embedded::numbers& row,
                                                                const position<Count>& at) noexcept {
        if (row.values == nullptr) return {nullptr, row.all};
        const float* const first = row.values + kernel::offset_at(row.outer, at);
        return row.per_channel ? kernel::bound_numbers{first, *first} : kernel::bound_numbers{nullptr, *first};
    }
    struct post_range {
        const post_step* first;
        const post_step* last;
        [[gnu::always_inline]] const post_step* begin() const noexcept { return first; }
        [[gnu::always_inline]] const post_step* end() const noexcept { return last; }
    };
    [[gnu::always_inline]] static post_range posts(const finish& from) noexcept {
        return {from.posts, from.posts + from.post_count};
    }
    [[gnu::always_inline]] static bool has_residual(const post_step& post) noexcept { return post.has_residual; }

    template <int Count>
    [[gnu::always_inline]] kernel::bound_operand strided(const strided_operand& from, const position<Count>& at,
                                                         std::int64_t more) const noexcept {
        const std::int64_t offset = kernel::offset_at(from.outer, at) + more;
        return {read(from.data) + offset * kernel::bytes_of(from.data.type), from.data.type, from.row, from.channel};
    }
    template <int Count>
    [[gnu::always_inline]] std::byte* target(const strided_operand& to, const position<Count>& at) const noexcept {
        return write(to.data) + kernel::offset_at(to.outer, at) * kernel::bytes_of(to.data.type);
    }
};

/// Runs steps: each calls the kernel that the plan names, with everything but addresses in constants.
template <class Isa, class Network>
class runner {
    static constexpr kernel::parallel_for serial{};
    /// The scalar kernels are one for all types.
    static constexpr bool is_scalar = Isa::value == kernel::isa::scalar;
    template <int Count>
    using position = typename operands<Isa, Network>::template position<Count>;

    const memory& where_;
    operands<Isa, Network> operands_;

    [[gnu::always_inline]] const std::byte* read(const place& at) const noexcept { return operands_.read(at); }
    [[gnu::always_inline]] std::byte* write(const place& at) const noexcept { return operands_.write(at); }

    // ---- steps with kernels

    template <const convolution& Step>
    void run() const noexcept {
        kernel::post_operation posts[Step.finish.post_count + 1];
        const kernel::convolution_problem problem = kernel::bind_convolution(operands_, Step, posts, position<0>());
        if constexpr (is_scalar) {
            kernel::convolution<Isa>::run(problem, serial);
        } else {
            using kernels = kernel::convolution<Isa>;
            kernels::template run_form<kernels::form_of(Step.shape, Step.input.type)>(problem, serial);
        }
    }

    template <const product& Step>
    void run() const noexcept {
        kernel::post_operation posts[Step.finish.post_count + 1];
        kernel::for_each_product(
            operands_, Step, posts, position<0>(), [this](std::int64_t offset) { pack<Step>(offset); },
            [](const kernel::gemm_problem& problem) {
                if constexpr (is_scalar) {
                    kernel::gemm<Isa>::run(problem, serial);
                } else if constexpr (Step.a.type == kernel::element_kind::f32) {
                    kernel::gemm<Isa>::template run_as<kernel::float_arithmetic<Isa>>(problem, serial);
                } else {
                    kernel::gemm<Isa>::template run_as<kernel::integer_arithmetic<Isa>>(problem, serial);
                }
            });
    }
    /// Packs the second operand, unless the step has it packed.
    template <const product& Step>
    void pack(std::int64_t offset) const noexcept {
        if constexpr (Step.packed_matrix_bytes == 0) {
            const kernel::gemm_weights weights = kernel::bind_columns(operands_, Step, offset);
            std::byte* const to = write(Step.scratch);
            if constexpr (is_scalar) {
                kernel::gemm<Isa>::pack(weights, to, {});
            } else if constexpr (Step.a.type == kernel::element_kind::f32) {
                kernel::gemm<Isa>::template pack_as<kernel::float_arithmetic<Isa>>(weights, to, {});
            } else {
                kernel::gemm<Isa>::template pack_as<kernel::integer_arithmetic<Isa>>(weights, to, {});
            }
        }
    }

    template <const pooling& Step>
    void run() const noexcept {
        kernel::post_operation posts[Step.finish.post_count + 1];
        kernel::pool<Isa>::run(kernel::bind_pool(operands_, Step, posts, position<0>()), serial);
    }

    template <const map& Step>
    void run() const noexcept {
        using loops = position<Step.outer_count>;
        kernel::for_each_position(Step.outer, loops(), [this](const loops& at) {
            kernel::post_operation posts[Step.finish.post_count + 1];
            kernel::convert<Isa>::run(kernel::bind_convert(operands_, Step.rows, Step.channels, Step.input, Step.output,
                                                           Step.finish, posts, at),
                                      serial);
        });
    }

    template <const combine& Step>
    void run() const noexcept {
        using loops = position<Step.outer_count>;
        kernel::for_each_position(Step.outer, loops(), [this](const loops& at) {
            kernel::post_operation posts[Step.finish.post_count + 1];
            const kernel::binary_operand a = kernel::bind_operand(operands_, Step.a, Step.a_scale, Step.a_shift, at);
            const kernel::binary_operand b = kernel::bind_operand(operands_, Step.b, Step.b_scale, Step.b_shift, at);
            kernel::binary<Isa>::run(kernel::bind_binary(operands_, Step.function, Step.rows, Step.channels, a, b,
                                                         Step.output, Step.finish, posts, at),
                                     serial);
        });
    }

    template <const lookup& Step>
    void run() const noexcept {
        kernel::lookup<Isa>::run(
            kernel::bind_lookup(operands_, Step.input, Step.output, Step.rows, Step.count, Step.table), serial);
    }

    template <const transpose& Step>
    void run() const noexcept {
        kernel::transpose<Isa>::run(kernel::bind_transpose(operands_, Step), serial);
    }

    template <const auto& Step, class Problem>
    void run_kernel(const kernel_step<Problem>&) const noexcept {
        kernel::kernel_of<Isa, Problem>::run(kernel::bind_problem(operands_, Step), serial);
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
            if (Step.gap != 0 && i != 0 && i % Step.blocks_in_row == 0) {
                to += Step.gap;
            }
            if (Step.sources[i] >= 0) {
                move_bytes(to, from + Step.sources[i] * Step.element_bytes, Step.block_bytes);
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
        constexpr std::int64_t row = Step.in[2] * Step.pixel_bytes;
        kernel::for_each_part_of_margin(Step, fill, [&from, &to] {
            move_bytes(to, from, row);
            from += row;
        });
    }

    template <const concat& Step>
    void run() const noexcept {
        const std::byte* const place =
            read(Step.output);  // not write(): a part of a network's input has no address for that
        std::int64_t offset = 0;
        for (int i = 0; i < Step.part_count; ++i) {
            const concat_part& part = Step.parts[i];
            const std::byte* const from = read(part.input);
            const bool is_in_place = from == place + offset && (Step.rows == 1 || part.distance == Step.row_bytes);
            for (std::int64_t row = 0; row < Step.rows && !is_in_place; ++row) {
                std::memcpy(write(Step.output) + offset + row * Step.row_bytes, from + row * part.distance,
                            static_cast<std::size_t>(part.bytes));
            }
            offset += part.bytes;
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
    explicit runner(const memory& where) noexcept : where_(where), operands_(where) {}

    template <const auto&... Steps>
    void run_all(steps<Steps...>) const noexcept {
        (run_any<Steps>(), ...);
    }
    void give_results() const noexcept {
        for (std::size_t i = 0; i < Network::outputs::count; ++i) {
            const std::byte* const from = read(Network::results[i].from);
            if (from != where_.outputs[i]) std::memcpy(where_.outputs[i], from, Network::results[i].bytes);
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
