// SPDX-License-Identifier: Apache-2.0
// Packed columns of the dense kernel: their layout in memory, and how they are made.
#pragma once

#include <lpt/kernel/dot.hpp>
#include <lpt/kernel/lanes.hpp>
#include <lpt/kernel/parallel.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::kernel {

/// The tile arithmetic of 8-bit integers.
template <class Isa>
    requires dense_dot_products<dot_product<Isa>> && byte_lanes<lanes<Isa>>
struct integer_arithmetic : dot_product<Isa> {
    using sum_type = std::int32_t;
    static constexpr bool is_float = false;
    static constexpr std::int64_t column_group_bytes = dot_product<Isa>::group;
    static constexpr std::int64_t row_value_bytes = 1;

    [[gnu::always_inline]] static typename dot_product<Isa>::accumulator zero() noexcept {
        return typename dot_product<Isa>::accumulator{};
    }
};

/// The tile arithmetic of floats: the same loop with one k value in 4 bytes.
template <class Isa>
    requires dot_products<dot_of_four<Isa>> && byte_lanes<lanes<Isa>>
struct float_arithmetic {
    using sum_type = float;
    using simd = kernel::lanes<Isa>;
    using accumulator = typename simd::floats;
    using row_group = typename simd::floats;
    using column_group = typename simd::floats;
    static constexpr bool is_float = true;
    static constexpr std::int64_t group = 1;
    static constexpr std::int64_t row_value_bytes = 4;
    static constexpr std::int64_t column_group_bytes = 4;
    static constexpr int lanes = simd::width;
    static constexpr int rows = dot_of_four<Isa>::rows;
    static constexpr int vectors = dot_of_four<Isa>::vectors;
    static constexpr bool unsigned_rows = true;
    static constexpr bool either_sign = false;

    [[gnu::always_inline]] static accumulator zero() noexcept { return simd::broadcast(0.0f); }
    [[gnu::always_inline]] static accumulator load(const float* from) noexcept { return simd::load(from); }
    [[gnu::always_inline]] static void store(float* to, accumulator value) noexcept { simd::store(to, value); }
    [[gnu::always_inline]] static void settle(accumulator&) noexcept {}
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return simd::load(reinterpret_cast<const float*>(from));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        float value;
        std::memcpy(&value, from, sizeof value);
        return simd::broadcast(value);
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return simd::fma(row, column, sum);
    }
};

/// Sizes of packed columns: `groups` independent matrices of `columns` columns and taps * channels rows each.
/// In memory: a header, column sums, column zero points, panels (group by group). A panel holds `vectors * lanes` columns, the last
/// one as many vectors as are left; inside it [tap][k / group][column][group], k padded with zeros.
/// Columns of four bits: [tap][k / group / 2][column][group] bytes, whose low halves are one k group and whose high halves are the next;
/// they hold 8 more than the values, so that nothing is negative.
/// Where the dot product has a quicker form for columns whose pairs fit (`pair_step`), the k groups of a tap stand in an order of their own:
/// those that fit in the first pairing, in the second …, the others. Behind the panels lies for each tap of each panel how many fit in each
/// pairing, and which k group is where.
template <class Arithmetic>
struct dense_layout {
    std::int64_t groups = 1;
    std::int64_t columns = 1;
    std::int64_t taps = 1;
    std::int64_t channels = 1;
    bool four_bits = false;

    static constexpr std::int64_t header_bytes = 64;
    static constexpr std::int64_t panel_columns = Arithmetic::vectors * Arithmetic::lanes;

    std::int64_t padded_columns() const noexcept {
        return (columns + Arithmetic::lanes - 1) / Arithmetic::lanes * Arithmetic::lanes;
    }
    std::int64_t panels() const noexcept { return (columns + panel_columns - 1) / panel_columns; }
    std::int64_t groups_per_tap() const noexcept { return (channels + Arithmetic::group - 1) / Arithmetic::group; }
    std::int64_t column_bytes() const noexcept {
        const std::int64_t cells = four_bits ? (groups_per_tap() + 1) / 2 : groups_per_tap();
        return taps * cells * Arithmetic::column_group_bytes;
    }
    std::int64_t sums_offset() const noexcept { return header_bytes; }
    std::int64_t zero_points_offset() const noexcept { return sums_offset() + groups * padded_columns() * 4; }
    std::int64_t panels_offset() const noexcept {
        return (zero_points_offset() + groups * padded_columns() * 4 + 63) / 64 * 64;
    }
    std::int64_t group_bytes() const noexcept { return padded_columns() * column_bytes(); }
    std::int64_t orders_offset() const noexcept { return panels_offset() + groups * group_bytes(); }
    /// Numbers of 16 bits that tell the order of a panel's k groups.
    std::int64_t order_size() const noexcept { return is_ordered() ? taps * (pairings + groups_per_tap()) : 0; }
    std::int64_t bytes() const noexcept {
        return orders_offset() + groups * panels() * order_size() * std::int64_t{sizeof(std::uint16_t)};
    }
    static constexpr int pairings = [] {
        if constexpr (requires { Arithmetic::pairings; })
            return Arithmetic::pairings;
        else
            return 0;
    }();
    bool is_ordered() const noexcept { return pairings != 0 && !four_bits && groups_per_tap() <= 16384; }
    /// Columns of a panel including padding.
    std::int64_t panel_width(std::int64_t panel) const noexcept {
        const std::int64_t rest = padded_columns() - panel * panel_columns;
        return rest < panel_columns ? rest : panel_columns;
    }
};

/// What the header of packed columns says about them.
struct dense_header {
    std::int32_t differs = 0;  // columns have different zero points
    std::int32_t zero_point = 0;  // of all columns, if not
    std::int32_t four_bits = 0;
};

/// Where the elements to pack come from: element (group, column, tap, channel).
/// `merged_channels` > 0 says that a tap of the layout holds `merged_taps` taps with so many channels each.
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
    std::int64_t merged_taps = 1;

    [[gnu::always_inline]] std::int64_t index(std::int64_t g, std::int64_t n, std::int64_t t,
                                              std::int64_t k) const noexcept {
        if (merged_channels > 0) {
            t = t * merged_taps + k / merged_channels;
            k = k % merged_channels;
        }
        return g * group_stride + n * column_stride + t * tap_stride + k * channel_stride;
    }
};

/// Makes packed columns. `Isa` only tags the symbols.
template <class Isa, class Arithmetic>
struct dense_pack {
    using layout = dense_layout<Arithmetic>;
    static constexpr bool is_float = Arithmetic::is_float;
    static constexpr std::int64_t group = Arithmetic::group;
    static constexpr std::int64_t cell = Arithmetic::column_group_bytes;
    static constexpr std::int64_t least_bytes = 32768;  // worth a task

    static void run(const layout& shape, const dense_source& from, void* packed,
                    const parallel_for& parallel) noexcept {
        unsigned char* const base = static_cast<unsigned char*>(packed);
        std::memset(base, 0, static_cast<std::size_t>(shape.panels_offset()));
        if constexpr (!is_float) pack_zero_points(shape, from, base);
        const std::int64_t panels_of_task = 1 + least_bytes / (layout::panel_columns * shape.column_bytes());
        split<Isa>(parallel, shape.groups * shape.panels(), panels_of_task,
                   [&](std::int64_t begin, std::int64_t end, int) {
                       for (std::int64_t i = begin; i < end; ++i) {
                           const std::int64_t g = i / shape.panels();
                           const std::int64_t panel = i % shape.panels();
                           pack_panel(shape, from, base, g, panel);
                           if constexpr (layout::pairings != 0) {
                               if (shape.is_ordered()) order_groups(shape, base, g, panel);
                           }
                       }
                   });
    }

private:
    /// Puts the k groups of each tap in the order of the pairings in which they fit.
    static void order_groups(const layout& shape, unsigned char* base, std::int64_t g, std::int64_t panel) noexcept {
        const std::int64_t width = shape.panel_width(panel);
        const std::int64_t size = width * cell;
        const std::int64_t count = shape.groups_per_tap();
        unsigned char* at = base + shape.panels_offset() + g * shape.group_bytes() +
                            panel * layout::panel_columns * shape.column_bytes();
        auto* order = reinterpret_cast<std::uint16_t*>(base + shape.orders_offset()) +
                      (g * shape.panels() + panel) * shape.order_size();
        for (std::int64_t t = 0; t < shape.taps; ++t, at += count * size, order += layout::pairings + count) {
            std::uint16_t* const number = order + layout::pairings;
            for (std::int64_t i = 0; i < count; ++i)
                number[i] = static_cast<std::uint16_t>(i);
            std::int64_t low = 0;
            for (int p = 0; p < layout::pairings; ++p) {
                const std::int64_t first = low;
                for (std::int64_t high = count; low < high;) {
                    if (fits(at + low * size, size, p)) {
                        for (std::int64_t i = 0; i < size; i += Arithmetic::lanes * cell)
                            Arithmetic::pair_columns(at + low * size + i, p);
                        ++low;
                    } else {
                        --high;
                        std::swap(number[low], number[high]);
                        swap_columns(at + low * size, at + high * size, size);
                    }
                }
                order[p] = static_cast<std::uint16_t>(low - first);
            }
        }
    }
    static void swap_columns(unsigned char* a, unsigned char* b, std::int64_t size) noexcept {
        constexpr std::int64_t step = Arithmetic::lanes * cell;
        unsigned char held[step];
        for (std::int64_t i = 0; i < size; i += step) {
            std::memcpy(held, a + i, step);
            std::memcpy(a + i, b + i, step);
            std::memcpy(b + i, held, step);
        }
    }
    /// Whether all columns of a k group fit in a pairing.
    static bool fits(const unsigned char* group_at, std::int64_t size, int pairing) noexcept {
        bool fitting = true;
        for (std::int64_t i = 0; i < size; i += Arithmetic::lanes * cell)
            fitting &= Arithmetic::fits_pairing(group_at + i, pairing);
        return fitting;
    }

    static void pack_zero_points(const layout& shape, const dense_source& from, unsigned char* base) noexcept {
        // u8 columns are stored as i8, those of four bits without a sign.
        const std::int32_t shift = from.type == element_kind::u8 ? 128 : from.type == element_kind::i4 ? -8 : 0;
        dense_header header;
        header.four_bits = shape.four_bits ? 1 : 0;
        header.zero_point = (from.zero_point_count > 0 ? from.zero_points[0] : 0) - shift;
        for (std::int64_t g = 0; g < shape.groups; ++g) {
            unsigned char* to = base + shape.zero_points_offset() + g * shape.padded_columns() * 4;
            for (std::int64_t n = 0; n < shape.columns; ++n) {
                std::int32_t zero = header.zero_point;
                if (from.zero_point_count > 1) zero = from.zero_points[g * shape.columns + n] - shift;
                if (zero != header.zero_point) header.differs = 1;
                std::memcpy(to + n * 4, &zero, sizeof zero);
            }
        }
        std::memcpy(base, &header, sizeof header);
    }

    /// Writes front to back.
    static void pack_panel(const layout& shape, const dense_source& from, unsigned char* base, std::int64_t g,
                           std::int64_t panel) noexcept {
        const std::int64_t first = panel * layout::panel_columns;
        const std::int64_t width = shape.panel_width(panel);
        const std::int64_t columns = shape.columns - first < width ? shape.columns - first : width;
        unsigned char* to = base + shape.panels_offset() + g * shape.group_bytes() + first * shape.column_bytes();
        typename Arithmetic::accumulator sums[Arithmetic::vectors];
        for (auto& sum : sums)
            sum = Arithmetic::zero();
        if constexpr (!is_float) {
            if (!shape.four_bits) fetch_columns(shape, from, g, first, columns);
            if (packs_taps_together(shape, from)) return pack_taps(shape, from, base, g, panel);
        }
        [[maybe_unused]] alignas(64) unsigned char cells[layout::panel_columns * cell];
        for (std::int64_t t = 0; t < shape.taps; ++t) {
            std::int64_t k = 0;
            if constexpr (!is_float) {
                if (packs_lines(shape, from)) {
                    k = shape.channels / group * group;
                    pack_lines(from, from.index(g, first, t, 0), k / group, columns, width, to, sums);
                    to += k * width;
                }
            }
            for (; k < shape.channels; k += group) {
                const std::int64_t rest = shape.channels - k;
                if constexpr (is_float) {
                    pack_floats(from, from.index(g, first, t, k), columns, width, to);
                } else {
                    unsigned char* const at = shape.four_bits ? cells : to;
                    const std::int64_t count = rest < group ? rest : group;
                    std::int64_t origins[group] = {};
                    for (std::int64_t j = 0; j < count; ++j)
                        origins[j] = from.index(g, first, t, k + j);
                    pack_bytes(from, origins, count, columns, width, at);
                    make_stored(from.type, count, width, at);
                    add_up(width, at, sums);
                    if (shape.four_bits) {
                        const bool is_high = k / group % 2 != 0;
                        put_halves(cells, width, is_high, to);
                        if (!is_high && rest > group) continue;  // the next k group goes to the same bytes
                    }
                }
                to += width * cell;
            }
        }
        if constexpr (!is_float) store_sums(shape, base, g, first, width, sums);
    }
    static void store_sums(const layout& shape, unsigned char* base, std::int64_t g, std::int64_t first,
                           std::int64_t width, const typename Arithmetic::accumulator* sums) noexcept {
        unsigned char* const at = base + shape.sums_offset() + (g * shape.padded_columns() + first) * 4;
        for (std::int64_t v = 0; v < width / Arithmetic::lanes; ++v)
            Arithmetic::store(reinterpret_cast<std::int32_t*>(at) + v * Arithmetic::lanes, sums[v]);
    }

    /// Reads one cache line after another of columns that lie side by side: the loops that pack them jump from column to column, and would
    /// wait for memory each time.
    static void fetch_columns(const layout& shape, const dense_source& from, std::int64_t g, std::int64_t first,
                              std::int64_t columns) noexcept {
        constexpr std::int64_t most_bytes = std::int64_t{1} << 20;  // more does not stay in a cache
        const std::int64_t bytes = columns * from.column_stride;
        if (from.column_stride != shape.taps * shape.channels || bytes > most_bytes) return;
        const volatile unsigned char* const at =
            static_cast<const unsigned char*>(from.data) + from.index(g, first, 0, 0);
        for (std::int64_t i = 0; i < bytes; i += 64)
            static_cast<void>(at[i]);
    }
    /// Whether the channels of a tap lie side by side.
    static bool packs_lines(const layout& shape, const dense_source& from) noexcept {
        return !shape.four_bits && from.merged_channels == 0 && from.channel_stride == 1;
    }
    /// Packs whole k groups of a tap, two cache lines of a column at a time: columns lie far apart, and to read all of them for each k group
    /// would fetch these lines anew.
    static void pack_lines(const dense_source& from, std::int64_t origin, std::int64_t groups, std::int64_t columns,
                           std::int64_t width, unsigned char* to,
                           typename Arithmetic::accumulator (&sums)[Arithmetic::vectors]) noexcept {
        constexpr std::int64_t most = 128 / group;
        const std::int64_t line = width * cell;
        const unsigned char* const data = static_cast<const unsigned char*>(from.data) + origin;
        for (std::int64_t done = 0; done < groups; done += most, to += most * line) {
            const std::int64_t count = groups - done < most ? groups - done : most;
            if (columns < width) std::memset(to, 0, static_cast<std::size_t>(count * line));
            const unsigned char* at = data + done * group;
            for (std::int64_t n = 0; n < columns; ++n, at += from.column_stride) {
                for (std::int64_t i = 0; i < count; ++i)
                    std::memcpy(to + i * line + n * cell, at + i * group, static_cast<std::size_t>(cell));
            }
            for (std::int64_t i = 0; i < count; ++i) {
                make_stored(from.type, group, width, to + i * line);
                add_up(width, to + i * line, sums);
            }
        }
    }

    static constexpr std::int64_t most_taps = 64;
    static constexpr std::int64_t mixed = 16;  // columns of `interleave`

    /// Whether the taps of a channel lie side by side: then all are read at once, a tap at a time would read the same memory so often.
    static bool packs_taps_together(const layout& shape, const dense_source& from) noexcept {
        return shape.taps > 1 && shape.taps <= most_taps && !shape.four_bits && from.merged_channels == 0 &&
               from.tap_stride == 1 && from.channel_stride == shape.taps;
    }
    /// The taps of a k group are put together in a small buffer first: where they go, they lie far apart, in the same sets of a cache.
    [[gnu::noinline]] static void pack_taps(const layout& shape, const dense_source& from, unsigned char* base,
                                            std::int64_t g, std::int64_t panel) noexcept {
        const std::int64_t first = panel * layout::panel_columns;
        const std::int64_t width = shape.panel_width(panel);
        const std::int64_t columns = shape.columns - first < width ? shape.columns - first : width;
        const std::int64_t taps = shape.taps;
        const std::int64_t line = width * cell;
        const std::int64_t tap_bytes = shape.groups_per_tap() * line;
        unsigned char* to = base + shape.panels_offset() + g * shape.group_bytes() + first * shape.column_bytes();
        typename Arithmetic::accumulator sums[Arithmetic::vectors];
        for (auto& sum : sums)
            sum = Arithmetic::zero();
        const unsigned char* const data = static_cast<const unsigned char*>(from.data);
        const std::int64_t end = from.index(shape.groups - 1, shape.columns - 1, taps - 1, shape.channels - 1) + 1;
        const std::int64_t reach = (group - 1) * taps + (taps + mixed - 1) / mixed * mixed;
        alignas(64) unsigned char cells[most_taps * layout::panel_columns * cell];
        for (std::int64_t k = 0; k < shape.channels; k += group, to += line) {
            const std::int64_t rest = shape.channels - k;
            const std::int64_t count = rest < group ? rest : group;
            if (columns < width || count < group) std::memset(cells, 0, static_cast<std::size_t>(taps * line));
            std::int64_t at = from.index(g, first, 0, k);
            for (std::int64_t n = 0; n < columns; ++n, at += from.column_stride) {
                if (count == group && at + reach <= end)
                    mix_taps(taps, data + at, line, cells + n * cell);
                else
                    copy_taps(taps, data + at, count, line, cells + n * cell);
            }
            for (std::int64_t t = 0; t < taps; ++t) {
                make_stored(from.type, count, width, cells + t * line);
                add_up(width, cells + t * line, sums);
                std::memcpy(to + t * tap_bytes, cells + t * line, static_cast<std::size_t>(line));
            }
        }
        store_sums(shape, base, g, first, width, sums);
    }
    /// [group][taps] of a column to [taps], `line` bytes from each other; reads whole `mixed` taps of each k value.
    static void mix_taps(std::int64_t taps, const unsigned char* at, std::int64_t line, unsigned char* to) noexcept {
        const unsigned char* values[group];
        for (std::int64_t j = 0; j < group; ++j)
            values[j] = at + j * taps;
        alignas(64) unsigned char together[mixed * cell];
        for (std::int64_t done = 0; done < taps; done += mixed) {
            Arithmetic::interleave(together, values, done);
            const std::int64_t count = taps - done < mixed ? taps - done : mixed;
            for (std::int64_t t = 0; t < count; ++t)
                std::memcpy(to + (done + t) * line, together + t * cell, static_cast<std::size_t>(cell));
        }
    }
    /// As `mix_taps`, for `count` k values, and reads nothing else.
    static void copy_taps(std::int64_t taps, const unsigned char* at, std::int64_t count, std::int64_t line,
                          unsigned char* to) noexcept {
        for (std::int64_t t = 0; t < taps; ++t) {
            for (std::int64_t j = 0; j < count; ++j)
                to[t * line + j] = at[j * taps + t];
        }
    }

    static void pack_floats(const dense_source& from, std::int64_t origin, std::int64_t columns, std::int64_t width,
                            unsigned char* to) noexcept {
        const unsigned char* at = static_cast<const unsigned char*>(from.data) + origin * 4;
        if (from.column_stride == 1) {
            std::memcpy(to, at, static_cast<std::size_t>(columns) * 4);
        } else {
            for (std::int64_t n = 0; n < columns; ++n)
                std::memcpy(to + n * 4, at + n * from.column_stride * 4, 4);
        }
        std::memset(to + columns * 4, 0, static_cast<std::size_t>(width - columns) * 4);
    }

    /// `count` (<= group) k values of `columns` columns; zeros up to `group` and `width`.
    static void pack_bytes(const dense_source& from, const std::int64_t (&origins)[group], std::int64_t count,
                           std::int64_t columns, std::int64_t width, unsigned char* to) noexcept {
        const unsigned char* const data = static_cast<const unsigned char*>(from.data);
        if (columns < width || count < group) std::memset(to, 0, static_cast<std::size_t>(width * cell));
        bool in_line = count == group;
        for (std::int64_t j = 1; j < count; ++j)
            in_line = in_line && origins[j] == origins[0] + j;
        if (in_line) {
            const unsigned char* at = data + origins[0];
            for (std::int64_t n = 0; n < columns; ++n, at += from.column_stride)
                std::memcpy(to + n * cell, at, static_cast<std::size_t>(cell));
            return;
        }
        std::int64_t done = 0;
        if (from.column_stride == 1 && count == group) {
            const unsigned char* rows[group];
            const std::int64_t ahead = 8 * group * (origins[1] - origins[0]);  // rows lie far apart
            for (std::int64_t j = 0; j < group; ++j) {
                rows[j] = data + origins[j];
                __builtin_prefetch(rows[j] + ahead);
            }
            for (; done + 16 <= columns; done += 16)
                Arithmetic::interleave(to + done * cell, rows, done);
        }
        for (std::int64_t j = 0; j < count; ++j) {
            const unsigned char* at = data + origins[j] + done * from.column_stride;
            for (std::int64_t n = done; n < columns; ++n, at += from.column_stride)
                to[n * cell + j] = *at;
        }
    }

    /// Makes u8 i8 by flipping the top bits (u8 minus 128), and four bits unsigned by flipping theirs (plus 8).
    static void make_stored(element_kind type, std::int64_t count, std::int64_t width, unsigned char* to) noexcept {
        if (type == element_kind::i8) return;
        unsigned char flip[cell] = {};
        for (std::int64_t j = 0; j < count; ++j)
            flip[j] = type == element_kind::u8 ? 0x80 : 0x08;
        flip_cells(to, width, flip, type == element_kind::u8 ? 0xff : 0x0f);
    }

    /// The low or the high halves of bytes.
    static void put_halves(const unsigned char* cells, std::int64_t width, bool is_high, unsigned char* to) noexcept {
        for (std::int64_t i = 0; i < width * cell; ++i)
            to[i] = is_high ? static_cast<unsigned char>(to[i] | cells[i] << 4) : cells[i];
    }

    /// Adds to the sums of the columns.
    static void add_up(std::int64_t width, const unsigned char* to, typename Arithmetic::accumulator* sums) noexcept {
        unsigned char ones[group] = {};
        for (std::int64_t j = 0; j < group; ++j)
            ones[j] = 1;
        const typename Arithmetic::row_group one = Arithmetic::load_row(ones);
        for (std::int64_t v = 0; v < width / Arithmetic::lanes; ++v) {
            const auto column = Arithmetic::load_columns(to + v * Arithmetic::lanes * cell);
            sums[v] = Arithmetic::step(sums[v], one, column);
        }
    }

    /// Flips the bits of `flip` in each cell and keeps those of `kept` in each byte.
    static void flip_cells(unsigned char* to, std::int64_t width, const unsigned char (&flip)[cell],
                           unsigned char kept) noexcept {
        std::uint64_t mask;  // every panel's line is a multiple of 8 bytes
        for (std::int64_t i = 0; i < 8; i += cell)
            std::memcpy(reinterpret_cast<unsigned char*>(&mask) + i, flip, static_cast<std::size_t>(cell));
        for (std::int64_t i = 0; i < width * cell; i += 8) {
            std::uint64_t eight;
            std::memcpy(&eight, to + i, sizeof eight);
            eight = (eight ^ mask) & (0x0101010101010101u * kept);
            std::memcpy(to + i, &eight, sizeof eight);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
