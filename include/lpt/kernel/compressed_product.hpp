// SPDX-License-Identifier: Apache-2.0
// Products of f32 with weights of 4 or 8 bits. Few rows expand the weights in registers, each time they read them: reading them bounds the time.
// More rows share a piece of weights that has been expanded once. Rows that may be rounded to bytes do not expand them (compressed_product_of_bytes.hpp).
#pragma once

#include <lpt/kernel/compressed_product_of_bytes.hpp>
#include <lpt/kernel/compressed_weights_panel.hpp>
#include <lpt/kernel/parallel.hpp>
#include <lpt/kernel/sixteen.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Words of codes in registers; the lowest code of each is the next one.
template <class Isa, int Bits>
struct code_words {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    static constexpr int codes = 32 / Bits;
    static constexpr std::int64_t bytes = compressed_block::word_bytes;

    [[gnu::always_inline]] static ints load(const unsigned char* from) noexcept {
        return simd::load_int(reinterpret_cast<const std::int32_t*>(from));
    }
    [[gnu::always_inline]] static ints next(ints words) noexcept {
        return simd::shift_right(words, simd::broadcast_int(Bits));
    }
    [[gnu::always_inline]] static ints code(ints words) noexcept {
        return simd::and_int(words, simd::broadcast_int((1 << Bits) - 1));
    }
};

/// Codes as numbers, less the zero point that all blocks have.
template <class Isa, int Bits, bool HasZeroPoints>
struct code_values {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    static constexpr bool looks_up = Bits == 4 && requires(ints word, floats table) { simd::look_up_16(table, word); };

    floats numbers;  // a table of the 16 values, or the zero point

    explicit code_values(const compressed_product_problem& p) noexcept : numbers(simd::broadcast(p.zero_point)) {
        if constexpr (looks_up) {
            float values[16];
            for (int code = 0; code < 16; ++code)
                values[code] = static_cast<float>(code) - (HasZeroPoints ? 0.0f : p.zero_point);
            numbers = simd::load(values);
        }
    }
    [[gnu::always_inline]] floats operator()(ints words) const noexcept {
        if constexpr (looks_up) {
            return simd::look_up_16(numbers, words);
        } else {
            const floats code = simd::to_float(code_words<Isa, Bits>::code(words));
            return HasZeroPoints ? code : simd::subtract(code, numbers);
        }
    }
};

/// Rows of x times one panel of columns, in f32.
template <class Isa, int Bits, bool HasZeroPoints>
struct compressed_panel : compressed_weights_panel<Isa, Bits> {
    using weights_panel = compressed_weights_panel<Isa, Bits>;
    using part = compressed_part;
    using weights_panel::block;
    using weights_panel::columns;
    using weights_panel::first_row;
    using weights_panel::for_each_part;
    using weights_panel::for_each_tile;
    using weights_panel::most_rows;
    using weights_panel::p;
    using weights_panel::scales;
    using weights_panel::words;
    using weights_panel::zero_points;
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    using code = code_words<Isa, Bits>;
    static constexpr int few_rows = 8;  // expand weights in registers

    const code_values<Isa, Bits, HasZeroPoints> values;
    const std::int64_t row_step;  // of x

    compressed_panel(const compressed_product_problem& problem, std::int64_t number, std::int64_t first) noexcept
        : weights_panel(problem, number, first), values(problem), row_step(p.input_rows.step(p.inner)) {}

    /// Adds up so many rows; `sums`: [rows][columns], written.
    void run(std::int64_t rows, float* sums) const noexcept {
        alignas(64) float of_block[most_rows * columns];
        weights_panel::clear(sums, rows);
        const float* const x = p.input + p.input_rows.begin(first_row, p.inner);
        if (rows > few_rows)
            run_expanded(x, rows, of_block, sums);
        else
            run_few(x, rows, of_block, sums);
    }

private:
    template <int Rows>
    static constexpr int vectors = weights_panel::template vectors<Rows>;

    /// Sums of a tile in registers.
    template <int Rows>
    struct tile {
        static constexpr int width = vectors<Rows>;
        floats sum[Rows][width];

        [[gnu::always_inline]] void clear() noexcept {
#pragma GCC unroll 16
            for (auto& row : sum)
                for (floats& each : row)
                    each = simd::broadcast(0);
        }
        /// Begins with each row's number times each column's.
        [[gnu::always_inline]] void start(const float* of_rows, const float* of_columns) noexcept {
#pragma GCC unroll 4
            for (int v = 0; v < width; ++v) {
                const floats column = simd::load(of_columns + v * simd::width);
#pragma GCC unroll 16
                for (int r = 0; r < Rows; ++r)
                    sum[r][v] = simd::multiply(column, simd::broadcast(of_rows[r]));
            }
        }
        [[gnu::always_inline]] void load(const float* from) noexcept {
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
                for (int v = 0; v < width; ++v)
                    sum[r][v] = simd::load(from + r * columns + v * simd::width);
        }
        [[gnu::always_inline]] void store(float* to) const noexcept {
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
                for (int v = 0; v < width; ++v)
                    simd::store(to + r * columns + v * simd::width, sum[r][v]);
        }
        [[gnu::always_inline]] void add(const float* x, std::int64_t stride, int v, floats weight) noexcept {
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                sum[r][v] = simd::fma(simd::broadcast(x[r * stride]), weight, sum[r][v]);
        }
        /// Adds the sums of a block, times its scales.
        [[gnu::always_inline]] void finish(const float* scale, float* to) const noexcept {
#pragma GCC unroll 4
            for (int v = 0; v < width; ++v) {
                const floats factor = simd::load(scale + v * simd::width);
#pragma GCC unroll 16
                for (int r = 0; r < Rows; ++r) {
                    float* const at = to + r * columns + v * simd::width;
                    simd::store(at, simd::fma(factor, sum[r][v], simd::load(at)));
                }
            }
        }
    };

    /// What is multiplied by the zero points of a block, for each row.
    const float* starts(std::int64_t b) const noexcept {
        return static_cast<const float*>(p.scratch.data) + b * p.rows + first_row;
    }
    /// Begins the sums of a block, or goes on with those of the parts before.
    template <int Rows>
    [[gnu::always_inline]] void begin(tile<Rows>& t, const part& at, std::int64_t column, std::int64_t row,
                                      const float* of_block) const noexcept {
        if (!at.is_first)
            t.load(of_block);
        else if (HasZeroPoints)
            t.start(starts(at.block) + row, zero_points(at.block) + column);
        else
            t.clear();
    }
    template <int Rows>
    [[gnu::always_inline]] void end(const tile<Rows>& t, const part& at, std::int64_t column, float* of_block,
                                    float* sums) const noexcept {
        if (at.is_last)
            t.finish(scales(at.block) + column, sums);
        else
            t.store(of_block);
    }

    // ---- weights expanded in registers

    void run_few(const float* x, std::int64_t rows, float* of_block, float* sums) const noexcept {
        for_each_part(p, [&](const part& at) {
            const float* const from = x + at.block * p.block + at.k;
            for_each_tile(rows, [&](auto height, std::int64_t r) {
                add_few<height()>(from + r * row_step, at, r, of_block + r * columns, sums + r * columns);
            });
        });
    }
    template <int Rows>
    void add_few(const float* x, const part& at, std::int64_t row, float* of_block, float* sums) const noexcept {
        for (std::int64_t column = 0; column < columns; column += vectors<Rows> * simd::width) {
            tile<Rows> t;
            begin(t, at, column, row, of_block + column);
            const unsigned char* word = words(at) + column * code::bytes;
            std::int64_t k = 0;
            for (; k + code::codes <= at.size; k += code::codes, word += columns * code::bytes)
                add_words<Rows>(x + k, code::codes, word, t);
            if (k < at.size) add_words<Rows>(x + k, static_cast<int>(at.size - k), word, t);
            end(t, at, column, of_block + column, sums + column);
        }
    }
    template <int Rows>
    [[gnu::always_inline]] void add_words(const float* x, int count, const unsigned char* word,
                                          tile<Rows>& t) const noexcept {
        ints left[vectors<Rows>];
#pragma GCC unroll 4
        for (int v = 0; v < vectors<Rows>; ++v)
            left[v] = code::load(word + v * simd::width * code::bytes);
#pragma GCC unroll 8
        for (int i = 0; i < code::codes; ++i) {
            if (i >= count) break;
#pragma GCC unroll 4
            for (int v = 0; v < vectors<Rows>; ++v) {
                t.add(x + i, row_step, v, values(left[v]));
                left[v] = code::next(left[v]);
            }
        }
    }

    // ---- weights expanded to memory

    void run_expanded(const float* x, std::int64_t rows, float* of_block, float* sums) const noexcept {
        alignas(64) float weights[compressed_block::most_part * columns];
        // Rows of x that lie far apart share lines of the cache: those of the part are brought together.
        alignas(64) float near[most_rows * compressed_block::most_part];
        for_each_part(p, [&](const part& at) {
            expand(at, weights);
            for (std::int64_t r = 0; r < rows; ++r)
                std::memcpy(near + r * at.size, x + r * row_step + at.block * p.block + at.k,
                            static_cast<std::size_t>(at.size) * sizeof(float));
            for_each_tile(rows, [&](auto height, std::int64_t r) {
                add_expanded<height()>(near + r * at.size, weights, at, r, of_block + r * columns, sums + r * columns);
            });
        });
    }
    /// The weights of a part, as [k][column].
    void expand(const part& at, float* to) const noexcept {
        for (std::int64_t column = 0; column < columns; column += simd::width) {
            const unsigned char* word = words(at) + column * code::bytes;
            for (std::int64_t k = 0; k < at.size; k += code::codes, word += columns * code::bytes) {
                ints left = code::load(word);
#pragma GCC unroll 8
                for (int i = 0; i < code::codes; ++i, left = code::next(left)) {
                    if (k + i >= at.size) break;
                    simd::store(to + (k + i) * columns + column, values(left));
                }
            }
        }
    }
    template <int Rows>
    void add_expanded(const float* x, const float* weights, const part& at, std::int64_t row, float* of_block,
                      float* sums) const noexcept {
        for (std::int64_t column = 0; column < columns; column += vectors<Rows> * simd::width) {
            tile<Rows> t;
            begin(t, at, column, row, of_block + column);
            const float* weight = weights + column;
            for (std::int64_t k = 0; k < at.size; ++k, weight += columns) {
#pragma GCC unroll 4
                for (int v = 0; v < vectors<Rows>; ++v)
                    t.add(x + k, at.size, v, simd::load(weight + v * simd::width));
            }
            end(t, at, column, of_block + column, sums + column);
        }
    }
};

template <class Isa>
struct kernel_of<Isa, compressed_product_problem> {
    static constexpr std::int64_t least_products = 131072;  // worth a task

    static void run(const compressed_product_problem& p, const parallel_for& parallel) noexcept {
        if (p.bits == 4)
            run_bits<4>(p, parallel);
        else
            run_bits<8>(p, parallel);
    }

private:
    template <int Bits>
    static void run_bits(const compressed_product_problem& p, const parallel_for& parallel) noexcept {
        if (p.rounds_rows) {
            rows_as_bytes<Isa, Bits>(p).round(parallel);
            run_panels<compressed_panel_of_bytes<Isa, Bits>>(p, parallel);
        } else if (p.has_zero_points) {
            add_up_blocks(p);
            run_panels<compressed_panel<Isa, Bits, true>>(p, parallel);
        } else {
            run_panels<compressed_panel<Isa, Bits, false>>(p, parallel);
        }
    }
    /// The sum of each block of each row of x, with the other sign: [block][row].
    static void add_up_blocks(const compressed_product_problem& p) noexcept {
        using numbers = sixteen<Isa>;
        const std::int64_t blocks = compressed_blocks(p);
        for (std::int64_t i = 0; i < p.rows * blocks; ++i) {
            const std::int64_t begin = i % blocks * p.block;
            const std::int64_t count = p.inner - begin < p.block ? p.inner - begin : p.block;
            const float* const from = p.input + p.input_rows.begin(i / blocks, p.inner) + begin;
            numbers sum = numbers::broadcast(0);
            for (std::int64_t k = 0; k < count; k += numbers::width)
                sum = sum + numbers::load_first(from + k, count - k, 0);
            static_cast<float*>(p.scratch.data)[i % blocks * p.rows + i / blocks] = -sum.sum();
        }
    }
    template <class Panel>
    static void run_panels(const compressed_product_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t panels = compressed_panels(p);
        const std::int64_t row_blocks = (p.rows + Panel::most_rows - 1) / Panel::most_rows;
        const std::int64_t rows = p.rows < Panel::most_rows ? p.rows : Panel::most_rows;
        const std::int64_t grain = 1 + least_products / (rows * p.inner * Panel::columns);
        share_out<Isa>(parallel, panels * row_blocks, grain, [&](std::int64_t begin, std::int64_t end, int) {
            alignas(64) float sums[Panel::most_rows * Panel::columns];
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t first = i / panels * Panel::most_rows;
                const std::int64_t count = p.rows - first < Panel::most_rows ? p.rows - first : Panel::most_rows;
                Panel(p, i % panels, first).run(count, sums);
                store_columns(p, first, count, i % panels * Panel::columns, sums);
            }
        });
    }
    static void store_columns(const compressed_product_problem& p, std::int64_t first, std::int64_t rows,
                              std::int64_t column, const float* sums) noexcept {
        constexpr std::int64_t width = compressed_block::panel_columns;
        const std::int64_t rest = p.columns - column;
        const auto bytes = static_cast<std::size_t>(rest < width ? rest : width) * sizeof(float);
        for (std::int64_t r = 0; r < rows; ++r)
            std::memcpy(p.output + p.output_rows.begin(first + r, p.columns) + column, sums + r * width, bytes);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
