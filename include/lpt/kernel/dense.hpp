// SPDX-License-Identifier: Apache-2.0
// The dense kernel behind matrix multiplication and convolution: sums over taps and channels of row bytes times packed columns.
//
// A row of the result is a matrix row or an output pixel. For each tap (one for a matrix) it has a pointer to `channels` consecutive
// elements; taps outside an image point at a row of zero points. B is packed into panels of `vectors * lanes` columns with 4 consecutive
// k per column, so one load feeds one dot product, and one panel is one forward stream.
#pragma once

#include <lpt/kernel/dot.hpp>
#include <lpt/kernel/epilogue.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::kernel {

/// The tile arithmetic of 8-bit integers.
template <class Isa>
struct integer_arithmetic : dot_product<Isa> {
    using sum_type = std::int32_t;
    static constexpr std::int64_t group = 4;  // k values per column in 4 packed bytes

    [[gnu::always_inline]] static typename dot_product<Isa>::column_group
    load_group(const unsigned char* from) noexcept {
        return dot_product<Isa>::load_columns(reinterpret_cast<const std::int8_t*>(from));
    }
};

/// The tile arithmetic of floats: the same loop with one k value in 4 bytes.
template <class Isa>
struct float_arithmetic {
    using sum_type = float;
    using simd = kernel::lanes<Isa>;
    using accumulator = typename simd::floats;
    using row_group = typename simd::floats;
    using column_group = typename simd::floats;
    static constexpr std::int64_t group = 1;
    static constexpr int lanes = simd::width;
    static constexpr int rows = dot_product<Isa>::rows;
    static constexpr int vectors = dot_product<Isa>::vectors;
    static constexpr bool unsigned_rows = true;

    [[gnu::always_inline]] static accumulator load(const float* from) noexcept { return simd::load(from); }
    [[gnu::always_inline]] static void store(float* to, accumulator value) noexcept { simd::store(to, value); }
    [[gnu::always_inline]] static column_group load_group(const unsigned char* from) noexcept {
        return simd::load(reinterpret_cast<const float*>(from));
    }
    [[gnu::always_inline]] static row_group repeat(std::uint32_t four) noexcept {
        return simd::broadcast(__builtin_bit_cast(float, four));
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return simd::fma(row, column, sum);
    }
};

/// Sizes of packed columns: `groups` independent matrices of `columns` columns and taps * channels rows each.
/// In memory: a header, column sums, column zero points, panels (group by group).
template <class Arithmetic>
struct dense_layout {
    std::int64_t groups = 1;
    std::int64_t columns = 1;
    std::int64_t taps = 1;
    std::int64_t channels = 1;

    static constexpr std::int64_t header_bytes = 64;
    static constexpr std::int64_t panel_columns = Arithmetic::vectors * Arithmetic::lanes;

    std::int64_t padded_columns() const noexcept {
        return (columns + Arithmetic::lanes - 1) / Arithmetic::lanes * Arithmetic::lanes;
    }
    std::int64_t panels() const noexcept { return (columns + panel_columns - 1) / panel_columns; }
    std::int64_t groups_per_tap() const noexcept { return (channels + Arithmetic::group - 1) / Arithmetic::group; }
    std::int64_t column_bytes() const noexcept { return taps * groups_per_tap() * 4; }
    std::int64_t sums_offset() const noexcept { return header_bytes; }
    std::int64_t zero_points_offset() const noexcept { return sums_offset() + groups * padded_columns() * 4; }
    std::int64_t panels_offset() const noexcept {
        return (zero_points_offset() + groups * padded_columns() * 4 + 63) / 64 * 64;
    }
    std::int64_t group_bytes() const noexcept { return padded_columns() * column_bytes(); }
    std::int64_t bytes() const noexcept { return panels_offset() + groups * group_bytes(); }
    /// Columns of a panel including padding.
    std::int64_t panel_width(std::int64_t panel) const noexcept {
        const std::int64_t rest = padded_columns() - panel * panel_columns;
        return rest < panel_columns ? rest : panel_columns;
    }
};

/// Where the elements to pack come from: element (group, column, tap, channel).
/// `merged_channels` > 0 says that the layout's one tap holds all taps with so many channels each.
struct dense_source {
    const void* data = nullptr;
    element_kind type = element_kind::i8;
    std::int64_t group_stride = 0;
    std::int64_t column_stride = 0;
    std::int64_t tap_stride = 0;
    std::int64_t channel_stride = 0;
    const std::int32_t* zero_points = nullptr;
    std::int64_t zero_point_count = 0;
    std::int64_t merged_channels = 0;

    [[gnu::always_inline]] std::int64_t index(std::int64_t g, std::int64_t n, std::int64_t t,
                                              std::int64_t k) const noexcept {
        if (merged_channels > 0) {
            t = k / merged_channels;
            k = k % merged_channels;
        }
        return g * group_stride + n * column_stride + t * tap_stride + k * channel_stride;
    }
};

template <class Isa, class Arithmetic>
struct dense {
    using layout = dense_layout<Arithmetic>;
    using sum_type = typename Arithmetic::sum_type;
    static constexpr bool is_float = Arithmetic::group == 1;
    static constexpr int tile_rows = Arithmetic::rows;
    static constexpr int lanes_per_vector = Arithmetic::lanes;
    static constexpr std::int64_t block_tiles =
        16;  // rows between two passes over all panels: A's part stays in the L1/L2 cache
    static constexpr std::int64_t pointer_budget = 8192;  // pointers of a block

    /// Rows that are worked on together, a multiple of the tile's rows.
    static std::int64_t block_rows(std::int64_t taps) noexcept {
        const std::int64_t tiles = pointer_budget / (taps * tile_rows);
        return (tiles < 1 ? 1 : tiles > block_tiles ? block_tiles : tiles) * tile_rows;
    }

    // ------------------------------------------------------------------------------------------------------------------
    // Packing

    static void pack(const layout& shape, const dense_source& from, void* packed) noexcept {
        unsigned char* const base = static_cast<unsigned char*>(packed);
        std::memset(base, 0, static_cast<std::size_t>(shape.bytes()));
        for (std::int64_t g = 0; g < shape.groups; ++g) {
            for (std::int64_t panel = 0; panel < shape.panels(); ++panel)
                pack_panel(shape, from, base, g, panel);
            if constexpr (!is_float) {
                for (std::int64_t n = 0; n < shape.columns; ++n)
                    pack_zero_point(shape, from, base, g, n);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------------------------
    // Computing

    /// One call: which rows, whose columns, and what to do with the sums.
    struct call {
        layout shape;
        const unsigned char* packed = nullptr;
        std::int64_t rows = 0;
        bool signed_rows = false;  // elements of A are i8
        std::int32_t zero_point = 0;  // of A
        std::int64_t group_row_bytes =
            0;  // distance of a group's channels in a row of A, when pointers serve all groups
        const epilogue* finish = nullptr;
        unsigned char* output = nullptr;
        std::int64_t output_stride = 0;  // elements
    };

    /// Computes rows [row_begin, row_end) x units [unit_begin, unit_end); a unit is a panel of a group.
    /// `source.row(row, group, pointers, step)` writes the row's pointer of tap t to pointers[t * step];
    /// `Source::per_group` says that they differ from group to group. `pointers` has room for block_rows(taps) * taps.
    template <class Source>
    static void run(const call& c, const Source& source, std::int64_t row_begin, std::int64_t row_end,
                    std::int64_t unit_begin, std::int64_t unit_end, const unsigned char** pointers) noexcept {
        const std::int64_t panels = c.shape.panels();
        const std::int64_t block = block_rows(c.shape.taps);
        sum_type row_sums[block_tiles * tile_rows];
        for (std::int64_t first = row_begin; first < row_end; first += block) {
            const std::int64_t rows = row_end - first < block ? row_end - first : block;
            std::int64_t filled_group = -1;
            for (std::int64_t unit = unit_begin; unit < unit_end;) {
                const std::int64_t g = unit / panels;
                const std::int64_t past = (g + 1) * panels < unit_end ? (g + 1) * panels : unit_end;
                if (filled_group < 0 || (Source::per_group && filled_group != g)) {
                    fill(c, source, first, rows, g, pointers);
                    filled_group = g;
                }
                const std::int64_t offset = Source::per_group ? 0 : g * c.group_row_bytes;
                if (c.packed[0] != 0) sum_rows(c, rows, offset, pointers, row_sums);
                for (; unit < past; ++unit)
                    run_panel(c, first, rows, g, unit - g * panels, offset, pointers, row_sums);
            }
        }
    }

    /// Threads share the rows when there are enough of them, else the panels.
    static bool splits_rows(const call& c, const parallel_for& parallel) noexcept {
        return tile_count(c.rows) >= 2 * parallel.threads || c.shape.groups * c.shape.panels() < 2;
    }

private:
    /// Writes front to back; reads along the columns, four k values at a time.
    static void pack_panel(const layout& shape, const dense_source& from, unsigned char* base, std::int64_t g,
                           std::int64_t panel) noexcept {
        const std::int64_t first = panel * layout::panel_columns;
        const std::int64_t width = shape.panel_width(panel);
        const std::int64_t columns = shape.columns - first < width ? shape.columns - first : width;
        std::uint32_t sums[layout::panel_columns] = {};
        unsigned char* to = base + shape.panels_offset() + g * shape.group_bytes() + first * shape.column_bytes();
        for (std::int64_t t = 0; t < shape.taps; ++t) {
            for (std::int64_t k = 0; k < shape.channels; k += Arithmetic::group, to += width * 4) {
                if constexpr (is_float) {
                    const unsigned char* at =
                        static_cast<const unsigned char*>(from.data) + from.index(g, first, t, k) * 4;
                    for (std::int64_t n = 0; n < columns; ++n)
                        std::memcpy(to + n * 4, at + n * from.column_stride * 4, 4);
                } else {
                    const std::int64_t rest = shape.channels - k;
                    for (std::int64_t j = 0; j < (rest < 4 ? rest : 4); ++j)
                        pack_row(from, from.index(g, first, t, k + j), columns, to + j, sums);
                }
            }
        }
        if constexpr (!is_float) {
            unsigned char* const at = base + shape.sums_offset() + (g * shape.padded_columns() + first) * 4;
            std::memcpy(at, sums, static_cast<std::size_t>(columns) * 4);
        }
    }

    /// One k value of `columns` columns, every fourth byte of `to`.
    static void pack_row(const dense_source& from, std::int64_t origin, std::int64_t columns, unsigned char* to,
                         std::uint32_t* sums) noexcept {
        const unsigned char* at = static_cast<const unsigned char*>(from.data) + origin;
        const unsigned char flip =
            from.type == element_kind::u8 ? 0x80 : 0;  // u8 minus 128 is the byte with its top bit flipped
        for (std::int64_t n = 0; n < columns; ++n, at += from.column_stride) {
            const unsigned char byte = static_cast<unsigned char>(*at ^ flip);
            to[n * 4] = byte;
            sums[n] += static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(byte)));
        }
    }

    static void pack_zero_point(const layout& shape, const dense_source& from, unsigned char* base, std::int64_t g,
                                std::int64_t n) noexcept {
        const std::int64_t index = from.zero_point_count > 1 ? g * shape.columns + n : 0;
        std::int32_t zero = from.zero_point_count > 0 ? from.zero_points[index] : 0;
        if (from.type == element_kind::u8) zero -= 128;
        std::memcpy(base + shape.zero_points_offset() + (g * shape.padded_columns() + n) * 4, &zero, sizeof zero);
        if (zero != 0) base[0] = 1;
    }

    /// Tiles of a block: as few as possible, heights as even as possible.
    static std::int64_t tile_count(std::int64_t rows) noexcept { return (rows + tile_rows - 1) / tile_rows; }

    template <class Source>
    static void fill(const call& c, const Source& source, std::int64_t first, std::int64_t rows, std::int64_t g,
                     const unsigned char** pointers) noexcept {
        const std::int64_t tiles = tile_count(rows);
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
            const std::int64_t begin = rows * tile / tiles;
            const std::int64_t height = rows * (tile + 1) / tiles - begin;
            const unsigned char** to = pointers + begin * c.shape.taps;
            for (std::int64_t r = 0; r < height; ++r)
                source.row(first + begin + r, begin + r, g, to + r, height);
        }
    }

    /// Sums of the rows' elements as the tile sees them, for columns with a zero point.
    static void sum_rows(const call& c, std::int64_t rows, std::int64_t offset, const unsigned char* const* pointers,
                         sum_type* sums) noexcept {
        if constexpr (!is_float) {
            const unsigned char flip = c.signed_rows == Arithmetic::unsigned_rows ? 0x80 : 0;
            const std::int64_t tiles = tile_count(rows);
            for (std::int64_t tile = 0; tile < tiles; ++tile) {
                const std::int64_t begin = rows * tile / tiles;
                const std::int64_t height = rows * (tile + 1) / tiles - begin;
                for (std::int64_t r = 0; r < height; ++r) {
                    std::uint32_t sum = 0;
                    for (std::int64_t t = 0; t < c.shape.taps; ++t) {
                        const unsigned char* from = pointers[begin * c.shape.taps + t * height + r] + offset;
                        for (std::int64_t k = 0; k < c.shape.channels; ++k) {
                            const unsigned char byte = static_cast<unsigned char>(from[k] ^ flip);
                            const std::int32_t value = Arithmetic::unsigned_rows
                                                           ? static_cast<std::int32_t>(byte)
                                                           : static_cast<std::int32_t>(static_cast<std::int8_t>(byte));
                            sum += static_cast<std::uint32_t>(value);
                        }
                    }
                    sums[begin + r] = static_cast<std::int32_t>(sum);
                }
            }
        }
    }

    using tile_function = void (*)(const unsigned char* const*, std::int64_t, std::int64_t, std::int64_t,
                                   const unsigned char*, const sum_type*, sum_type*) noexcept;

    /// sums[Rows][Vectors * lanes] = start + rows x panel.
    template <int Rows, int Vectors, bool Flip>
    static void tile(const unsigned char* const* pointers, std::int64_t taps, std::int64_t offset,
                     std::int64_t channels, const unsigned char* panel, const sum_type* start,
                     sum_type* sums) noexcept {
        constexpr std::int64_t vector_bytes = Arithmetic::lanes * 4;
        constexpr std::uint32_t flip = Flip ? 0x80808080u : 0u;
        typename Arithmetic::accumulator sum[Rows][Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            const typename Arithmetic::accumulator first = Arithmetic::load(start + v * Arithmetic::lanes);
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r)
                sum[r][v] = first;
        }
        const std::int64_t whole = channels / Arithmetic::group * 4;  // bytes
        const std::int64_t rest = channels % Arithmetic::group;
        for (std::int64_t t = 0; t < taps; ++t) {
            const unsigned char* row[Rows];
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r)
                row[r] = pointers[t * Rows + r] + offset;
            for (std::int64_t k = 0; k < whole; k += 4) {
                typename Arithmetic::column_group column[Vectors];
#pragma GCC unroll 8
                for (int v = 0; v < Vectors; ++v)
                    column[v] = Arithmetic::load_group(panel + v * vector_bytes);
#pragma GCC unroll 8
                for (int r = 0; r < Rows; ++r) {
                    std::uint32_t four;
                    std::memcpy(&four, row[r] + k, sizeof four);
                    const typename Arithmetic::row_group repeated = Arithmetic::repeat(four ^ flip);
#pragma GCC unroll 8
                    for (int v = 0; v < Vectors; ++v)
                        sum[r][v] = Arithmetic::step(sum[r][v], repeated, column[v]);
                }
                panel += Vectors * vector_bytes;
            }
            if (rest != 0) {
                // The packed columns are zero past the last channel, so only reading past it has to be avoided.
                typename Arithmetic::column_group column[Vectors];
#pragma GCC unroll 8
                for (int v = 0; v < Vectors; ++v)
                    column[v] = Arithmetic::load_group(panel + v * vector_bytes);
#pragma GCC unroll 8
                for (int r = 0; r < Rows; ++r) {
                    std::uint32_t four = row[r][whole];
                    if (rest > 1) four |= static_cast<std::uint32_t>(row[r][whole + 1]) << 8;
                    if (rest > 2) four |= static_cast<std::uint32_t>(row[r][whole + 2]) << 16;
                    const typename Arithmetic::row_group repeated = Arithmetic::repeat(four ^ flip);
#pragma GCC unroll 8
                    for (int v = 0; v < Vectors; ++v)
                        sum[r][v] = Arithmetic::step(sum[r][v], repeated, column[v]);
                }
                panel += Vectors * vector_bytes;
            }
        }
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v)
                Arithmetic::store(sums + (r * Vectors + v) * Arithmetic::lanes, sum[r][v]);
        }
    }

    template <int Rows, int Vectors, bool Flip>
    static tile_function find_tile(std::int64_t rows, std::int64_t vectors) noexcept {
        if (rows == Rows && vectors == Vectors) return &tile<Rows, Vectors, Flip>;
        if constexpr (Rows > 1) {
            if (rows < Rows) return find_tile<Rows - 1, Vectors, Flip>(rows, vectors);
        }
        if constexpr (Vectors > 1) return find_tile<Rows, Vectors - 1, Flip>(rows, vectors);
        return nullptr;  // not reached: 1 <= rows <= tile_rows, 1 <= vectors <= Arithmetic::vectors
    }

    static void run_panel(const call& c, std::int64_t first, std::int64_t rows, std::int64_t g, std::int64_t panel,
                          std::int64_t offset, const unsigned char* const* pointers,
                          const sum_type* row_sums) noexcept {
        constexpr std::int64_t most_columns = layout::panel_columns;
        const std::int64_t width = c.shape.panel_width(panel);
        const std::int64_t first_column = panel * most_columns;
        const std::int64_t rest = c.shape.columns - first_column;
        const std::int64_t columns = rest < width ? rest : width;
        const unsigned char* panel_data =
            c.packed + c.shape.panels_offset() + g * c.shape.group_bytes() + first_column * c.shape.column_bytes();
        alignas(64) sum_type start[most_columns] = {};
        alignas(64) sum_type zero[most_columns] = {};
        const bool has_zero_points = c.packed[0] != 0;
        bool flip = false;
        if constexpr (!is_float) {
            flip = c.signed_rows == Arithmetic::unsigned_rows;
            fill_start(c, g, first_column, width, start, zero);
        }
        const std::int64_t tiles = tile_count(rows);
        alignas(64) sum_type sums[tile_rows * most_columns];
        for (std::int64_t tile_index = 0; tile_index < tiles; ++tile_index) {
            const std::int64_t begin = rows * tile_index / tiles;
            const std::int64_t height = rows * (tile_index + 1) / tiles - begin;
            tile_function f = nullptr;
            if constexpr (is_float) {
                f = find_tile<tile_rows, Arithmetic::vectors, false>(height, width / Arithmetic::lanes);
            } else {
                f = flip ? find_tile<tile_rows, Arithmetic::vectors, true>(height, width / Arithmetic::lanes)
                         : find_tile<tile_rows, Arithmetic::vectors, false>(height, width / Arithmetic::lanes);
            }
            f(pointers + begin * c.shape.taps, c.shape.taps, offset, c.shape.channels, panel_data, start, sums);
            if constexpr (!is_float) {
                if (has_zero_points) subtract_zero_points(sums, width, height, zero, row_sums + begin);
            }
            const std::int64_t row_index = first + begin;
            const std::int64_t channel = g * c.shape.columns + first_column;
            unsigned char* to = c.output + (row_index * c.output_stride + channel) * bytes_of(c.finish->output_type);
            finish<Isa>::tile(*c.finish, sums, width, height, row_index, channel, columns, to, c.output_stride);
        }
    }

    /// sum (a - za)(b - zb) = sum a b - za sum b - zb sum a + K za zb: everything that does not depend on the row.
    static void fill_start(const call& c, std::int64_t g, std::int64_t first_column, std::int64_t width,
                           std::int32_t* start, std::int32_t* zero) noexcept {
        const std::int64_t index = (g * c.shape.padded_columns() + first_column) * 4;
        std::memcpy(start, c.packed + c.shape.sums_offset() + index, static_cast<std::size_t>(width) * 4);
        std::memcpy(zero, c.packed + c.shape.zero_points_offset() + index, static_cast<std::size_t>(width) * 4);
        const std::int32_t shift =
            c.signed_rows == Arithmetic::unsigned_rows ? (Arithmetic::unsigned_rows ? 128 : -128) : 0;
        const std::uint32_t row_zero = static_cast<std::uint32_t>(c.zero_point + shift);
        const std::uint32_t k = static_cast<std::uint32_t>(c.shape.taps * c.shape.channels);
        for (std::int64_t i = 0; i < width; ++i) {
            const std::uint32_t value =
                k * row_zero * static_cast<std::uint32_t>(zero[i]) - row_zero * static_cast<std::uint32_t>(start[i]);
            start[i] = static_cast<std::int32_t>(value);
        }
    }

    static void subtract_zero_points(std::int32_t* sums, std::int64_t width, std::int64_t rows,
                                     const std::int32_t* zero, const std::int32_t* row_sums) noexcept {
        using simd = lanes<Isa>;
        for (std::int64_t r = 0; r < rows; ++r) {
            const typename simd::ints row_sum = simd::broadcast_int(row_sums[r]);
            for (std::int64_t i = 0; i < width; i += simd::width) {
                std::int32_t* at = sums + r * width + i;
                simd::store_int(
                    at, simd::subtract_int(simd::load_int(at), simd::multiply_int(simd::load_int(zero + i), row_sum)));
            }
        }
    }
};

}  // namespace lpt::kernel
