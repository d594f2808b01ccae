// SPDX-License-Identifier: Apache-2.0
// The dense kernel behind matrix multiplication and convolution: sums over taps and channels of row bytes times packed columns.
//
// A row of the result is a matrix row or an output pixel. For each tap (one for a matrix) it has a pointer to `channels` consecutive
// elements; taps outside an image point at a row of zero points. B is packed into panels of `vectors * lanes` columns with a few
// consecutive k per column, so one load feeds one dot product, and one panel is one forward stream.
#pragma once

#include <lpt/kernel/dense_lines.hpp>
#include <lpt/kernel/dense_row.hpp>
#include <lpt/kernel/dense_tile.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa, class Arithmetic>
struct dense {
    using layout = dense_layout<Arithmetic>;
    using sum_type = typename Arithmetic::sum_type;
    using tile = dense_tile<Isa, Arithmetic>;
    using store = column_store<Isa>;
    using line_ends = lines_with_ends<Isa>;
    static constexpr bool is_float = Arithmetic::is_float;
    static constexpr int tile_rows = Arithmetic::rows;
    static constexpr std::int64_t row_group_bytes = Arithmetic::group * Arithmetic::row_value_bytes;
    static constexpr std::int64_t block_tiles = 64;  // most tiles between two passes over all panels
    static constexpr std::int64_t usual_tiles = 16;
    static constexpr std::int64_t block_bytes = 1048576;  // of more rows than usual: they stay in the L2 cache
    static constexpr std::int64_t pointer_budget = 8192;  // pointers of a block
    static constexpr std::int64_t line_block_rows = block_tiles * tile_rows;  // of a block of lines, at most

    /// The most rows of a source that has a buffer for them.
    static constexpr std::int64_t copied_rows = usual_tiles * tile_rows;
    /// The most rows that are worked on together.
    static std::int64_t block_rows(std::int64_t taps) noexcept {
        const std::int64_t fitting = pointer_budget / (taps * tile_rows);
        const std::int64_t most = taps == 1 ? block_tiles : usual_tiles;
        return (fitting < 1 ? 1 : fitting > most ? most : fitting) * tile_rows;
    }
    /// The pointers that a task needs for the rows of a block.
    static std::int64_t pointer_count(std::int64_t taps) noexcept {
        const std::int64_t lines = line_block_rows * taps <= pointer_budget ? line_block_rows : 0;
        const std::int64_t rows = block_rows(taps);
        return (rows > lines ? rows : lines) * taps;
    }
    /// The rows of such a size that are worked on together.
    static std::int64_t block_rows(const layout& shape) noexcept {
        const std::int64_t most = block_rows(shape.taps);
        const std::int64_t usual = usual_tiles * tile_rows;
        const std::int64_t fitting = block_bytes / copied_bytes(shape.taps * shape.channels);
        return most <= usual || fitting >= most ? most : fitting > usual ? fitting / tile_rows * tile_rows : usual;
    }

    static void pack(const layout& shape, const dense_source& from, void* packed,
                     const parallel_for& parallel) noexcept {
        dense_pack<Isa, Arithmetic>::run(shape, from, packed, parallel);
    }

    /// One call: which rows, whose columns, and what to do with the sums.
    struct call {
        layout shape;
        const unsigned char* packed = nullptr;
        std::int64_t rows = 0;
        bool signed_rows = false;  // elements of A are i8
        std::int32_t zero_point = 0;  // of A
        std::int64_t group_row_bytes =
            0;  // distance of a group's channels in a row of A, when pointers serve all groups
        line_ends lines;
        const epilogue* finish = nullptr;
        unsigned char* output = nullptr;
        std::int64_t output_stride = 0;  // elements
    };

    /// Takes over what packed columns say about their own layout.
    static void read_layout(call& c) noexcept {
        if constexpr (!is_float) {
            dense_header header;
            std::memcpy(&header, c.packed, sizeof header);
            c.shape.four_bits = header.four_bits != 0;
        }
    }

    /// Whether rows of a problem have to be copied into the form that the dot product reads: flipped to the other sign, or
    /// with a last k group that is readable as a whole.
    static bool needs_copies(const layout& shape, bool signed_rows) noexcept {
        if constexpr (is_float) return false;
        return flips(signed_rows) || shape.channels % Arithmetic::group != 0;
    }
    /// Bytes of `channels` channels in that form.
    static std::int64_t copied_bytes(std::int64_t channels) noexcept {
        return (channels + Arithmetic::group - 1) / Arithmetic::group * row_group_bytes;
    }

    /// How far copied rows lie apart.
    static std::int64_t copied_distance(std::int64_t channels) noexcept {
        const std::int64_t lines = (copied_bytes(channels) + 63) / 64 * 64;
        return lines % meeting_distance == 0 ? lines + 64 : lines;
    }

    /// Computes rows [row_begin, row_end) x units [unit_begin, unit_end); a unit is a panel of a group. The source has
    ///   rows(first, count, group, pointers)  writes the pointer of tap t of row first + r to pointers[r * taps + t];
    ///   copies_rows      whether it copies them, into a buffer for `copied_rows`;
    ///   per_group        whether these pointers differ from group to group;
    ///   readable_ends    whether the last k group of a row is readable as a whole;
    ///   readable_rows(over)  how many rows, from the first one on, are if not all of them are, of `over` bytes past their end;
    ///   outside()        a row that stands for all taps outside an image, as the dot product reads it, or null;
    ///   copied_group     0, or its rows are already in the form of `needs_copies` and so many bytes apart from group to group.
    /// `pointers` has room for pointer_count(taps).
    template <class Source>
    static void run(const call& c, const Source& source, std::int64_t row_begin, std::int64_t row_end,
                    std::int64_t unit_begin, std::int64_t unit_end, const unsigned char** pointers) noexcept {
        const std::int64_t panels = c.shape.panels();
        std::int64_t block = block_rows(c.shape);
        if (Source::copies_rows && block > copied_rows) block = copied_rows;
        state s;
        prepare(c, unit_begin, unit_end, s);
        sum_type row_sums[block_tiles * tile_rows];
        s.row_sums = row_sums;
        s.pointers = pointers;
        alignas(64) unsigned char buffer[is_float ? 64 : copy_bytes];
        const bool in_form = source.copied_group != 0;
        bool copies = false;
        bool adds_rows = false;
        std::int64_t readable = row_end;  // rows from here on are copied for the end of their last k group
        if constexpr (!is_float) {
            const unsigned char* outside = source.outside();
            if (outside != nullptr) {
                std::uint32_t first;  // k group; its values are all the same
                std::memcpy(&first, outside, sizeof first);
                if (first == 0) s.zeros = outside;
            }
            adds_rows = s.header.differs != 0 || s.header.zero_point != 0;
            if (!in_form) {
                copies = flips(c.signed_rows) ||
                         meets_in_cache(c, source, row_begin, row_end, unit_end - unit_begin, pointers);
                if constexpr (!Source::readable_ends) {
                    const std::int64_t rest = c.shape.channels % Arithmetic::group;
                    if (!copies && rest != 0) readable = source.readable_rows(Arithmetic::group - rest);
                }
            }
        }
        const std::int64_t copied = copied_distance(c.shape.channels);
        const std::int64_t ends = row_end - (readable > row_begin ? readable : row_begin);
        if (readable < row_end && copied * (ends < block ? ends : block) > copy_bytes) copies = true;
        if (copies) {
            const std::int64_t fitting = copy_bytes / copied;
            if (fitting == 0) s.chunks = true;
            if (fitting < block) block = fitting < 1 ? 1 : fitting;
        }
        if (splits_lines(c, s)) {
            block = c.lines.most_rows(row_end - row_begin, tile_rows, 2 * usual_tiles * tile_rows);
            s.lines = c.lines.with_leftovers(block / c.lines.line, tile_rows);
        }
        // Blocks of equal heights, if there are lines, of whole ones: a low one would read all panels for a few rows.
        const std::int64_t unit_rows = s.lines.line != 0 ? s.lines.line : 1;
        const std::int64_t first_unit = row_begin / unit_rows;
        const std::int64_t row_units = (row_end + unit_rows - 1) / unit_rows - first_unit;
        const std::int64_t most_units = block / unit_rows;
        const std::int64_t blocks = (row_units + most_units - 1) / most_units;
        std::int64_t first = row_begin;
        for (std::int64_t i = 0; i < blocks; ++i, first += s.rows) {
            const std::int64_t end = (first_unit + row_units * (i + 1) / blocks) * unit_rows;
            s.first = first;
            s.rows = (end < row_end ? end : row_end) - first;
            bool filled = false;
            for (std::int64_t unit = unit_begin; unit < unit_end;) {
                const std::int64_t g = unit / panels;
                const std::int64_t past = (g + 1) * panels < unit_end ? (g + 1) * panels : unit_end;
                s.offset = in_form ? g * source.copied_group : Source::per_group ? 0 : g * c.group_row_bytes;
                if (!filled || Source::per_group || copies) {
                    source.rows(first, s.rows, g, pointers);
                    filled = true;
                }
                if constexpr (!is_float) {
                    if (adds_rows) sum_rows(c, s, in_form, row_sums);
                    if (copies && !s.chunks) copy_rows(c, s, buffer, copied);
                    if (!copies && readable < first + s.rows) {
                        copy_ends(c, s, readable < first ? 0 : readable - first, buffer, copied);
                        filled = false;
                    }
                }
                if (s.rows == 1 && takes_row(c, s)) unit = run_row(c, s, g, unit, past);
                for (; unit < past; ++unit) {
                    // The panel that follows; in the end the first one, for the next block.
                    const unsigned char* next = nullptr;
                    if (unit + 1 < past)
                        next = panel_of(c, g, unit + 1 - g * panels);
                    else if (past < unit_end)
                        next = panel_of(c, g + 1, 0);
                    else if (i + 1 < blocks && unit_end - unit_begin > 1)
                        next = panel_of(c, unit_begin / panels, unit_begin % panels);
                    run_panel(c, s, g, unit - g * panels, buffer, next);
                }
            }
        }
    }

    /// Cuts a call into tasks for the threads: work(row_begin, row_end, unit_begin, unit_end, task).
    template <class Function>
    static void share(const call& c, const parallel_for& parallel, const Function& work) noexcept {
        const std::int64_t units = c.shape.groups * c.shape.panels();
        parallel_for some = parallel;
        some.threads = threads_for(c, parallel.threads);
        const std::int64_t pieces = 1 + steps_of(c) / worth_of_piece;
        if (splits_rows(c, some.threads)) {
            const bool many = c.rows >= many_tiles * tile_rows * some.threads;
            share_out<Isa>(some, c.rows, many ? tile_rows : 1, many ? 1 + c.rows / pieces : c.rows,
                           [&](std::int64_t begin, std::int64_t end, int task) { work(begin, end, 0, units, task); });
        } else {
            share_out<Isa>(some, units, 1, 1 + units / pieces,
                           [&](std::int64_t begin, std::int64_t end, int task) { work(0, c.rows, begin, end, task); });
        }
    }

private:
    static constexpr std::int64_t least_steps =
        4096;  // multiply instructions of a task: about a microsecond, as a round of threads
    static constexpr std::int64_t worth_of_piece = 64 * least_steps;
    static constexpr std::int64_t many_tiles = 16;  // of a task, from where on a last low one does not matter

    static std::int64_t steps_of(const call& c) noexcept {
        const std::int64_t depth = c.shape.taps * c.shape.groups_per_tap();
        const std::int64_t vectors = c.shape.groups * c.shape.padded_columns() / Arithmetic::lanes;
        return c.rows * vectors * depth;
    }
    /// How many threads are worth their round.
    static int threads_for(const call& c, int threads) noexcept {
        const std::int64_t most = steps_of(c) / least_steps;
        return most < 1 ? 1 : most < threads ? static_cast<int>(most) : threads;
    }

    /// Threads share the rows: what a thread reads is then what it wrote in the layer before, and lies in its cache. They share the
    /// panels where these are evenly divided and many times more bytes than rows, or if there are too few rows.
    static bool splits_rows(const call& c, int threads) noexcept {
        constexpr std::int64_t times = 4;  // a byte from another thread's cache takes as long as so many weights
        const std::int64_t units = c.shape.groups * c.shape.panels();
        const std::int64_t read = c.shape.channels * Arithmetic::row_value_bytes;
        const std::int64_t written = c.shape.columns * bytes_of(c.finish->output_type);
        const std::int64_t moved = c.rows * c.shape.groups * (read + written);
        if (units % threads == 0 && c.shape.groups * c.shape.group_bytes() >= times * moved) return false;
        const std::int64_t row_tasks = (c.rows + tile_rows - 1) / tile_rows;
        return row_tasks >= 2 * threads || units < 2 || units < row_tasks;
    }

    static constexpr std::int64_t staged_tiles = 8;

    /// What holds for a whole call, and for the block of rows that is being worked on.
    struct state {
        dense_header header;
        tile_result result = tile_result::sums;  // of tiles
        bool staged = false;  // tiles go to a buffer, of which `column_store` takes them
        bool chunks = false;  // a row does not fit into the buffer and is copied in pieces, panel by panel
        alignas(64) float scale_of_all[layout::panel_columns];
        alignas(64) float bias_of_all[layout::panel_columns];
        step_numbers<layout::panel_columns> numbers_of_all;
        line_ends lines;  // those of the call, if its ends have tiles of their own
        std::int64_t first = 0;
        std::int64_t rows = 0;
        std::int64_t offset = 0;
        const unsigned char** pointers = nullptr;
        const unsigned char* zeros = nullptr;  // the row for taps outside, if it is zero
        const sum_type* row_sums = nullptr;  // times the columns' common zero point, negated, if they have one
    };

    /// Whether pixels at the ends of lines have tiles of their own, which leave out the taps outside the image for all of them.
    static bool splits_lines(const call& c, const state& s) noexcept {
        const std::int64_t ends = c.lines.left + c.lines.right;
        const bool is_plain = c.finish->post_count == 0 && c.finish->output_type == element_kind::f32;
        const bool by_strips = c.finish->fixed != nullptr || (s.result != tile_result::sums && !is_plain);
        return ends != 0 && s.zeros != nullptr && by_strips && s.header.zero_point == 0 && c.lines.line - ends >= 3 &&
               c.lines.line * tile_rows <= line_block_rows && line_block_rows * c.shape.taps <= pointer_budget;
    }
    static constexpr std::int64_t copy_bytes = 65536;  // of the rows of a block
    static constexpr std::int64_t meeting_distance = 2048;

    /// Whether rows lie so far apart that those of a tile have the same places in the L1 cache, and enough panels read them for copies
    /// to be worth it: a tile takes up to twice as long there. Only where copies of all fit: smaller blocks would read the weights more often.
    template <class Source>
    static bool meets_in_cache(const call& c, const Source& source, std::int64_t row_begin, std::int64_t row_end,
                               std::int64_t units, const unsigned char** pointers) noexcept {
        const std::int64_t rows = row_end - row_begin;
        if (Source::copies_rows || c.shape.taps != 1 || units < 4 || rows < 3) return false;
        if (rows * copied_distance(c.shape.channels) > copy_bytes) return false;
        source.rows(row_begin, 2, 0, pointers);
        return (pointers[1] - pointers[0]) % meeting_distance == 0 && pointers[1] != pointers[0];
    }

    /// Copies the rows of a block into the form that the tiles read and lets the pointers point there.
    static void copy_rows(const call& c, state& s, unsigned char* buffer, std::int64_t row_bytes) noexcept {
        for (std::int64_t r = 0; r < s.rows; ++r) {
            unsigned char* const to = buffer + r * row_bytes;
            Arithmetic::prepare_rows(to, s.pointers[r] + s.offset, c.shape.channels, c.signed_rows);
            s.pointers[r] = to;
        }
        s.offset = 0;
    }

    /// Copies the rows of a block from `begin` on, which stay as they are but for their ends.
    static void copy_ends(const call& c, const state& s, std::int64_t begin, unsigned char* buffer,
                          std::int64_t row_bytes) noexcept {
        for (std::int64_t r = begin; r < s.rows; ++r) {
            unsigned char* const to = buffer + (r - begin) * row_bytes;
            Arithmetic::prepare_rows(to, s.pointers[r] + s.offset, c.shape.channels, c.signed_rows);
            s.pointers[r] = to - s.offset;
        }
    }

    /// Rows are flipped to the sign that the dot product takes.
    static bool flips(bool signed_rows) noexcept {
        return !Arithmetic::either_sign && signed_rows == Arithmetic::unsigned_rows;
    }

    static void prepare(const call& c, std::int64_t unit_begin, std::int64_t unit_end, state& s) noexcept {
        if constexpr (!is_float) {
            std::memcpy(&s.header, c.packed, sizeof s.header);
            const epilogue& e = *c.finish;
            if (s.header.differs != 0) return;
            if (e.fixed != nullptr && e.fixed->shifts && !c.shape.four_bits) s.result = tile_result::bytes;
            if (e.fixed != nullptr || e.output_type == element_kind::i32 || e.post_count > column_steps::most) return;
            const auto [begin, end] = channels_of(c, unit_begin, unit_end);
            const bool takes_list = tile::takes_list(e, c.shape.four_bits);
            const bool direct = finish<Isa>::requantizes_directly(e, begin, end, c.shape.taps * c.shape.channels);
            const bool is_real = e.output_type == element_kind::f32;
            s.result = !is_real && (direct || takes_list) ? tile_result::bytes : tile_result::floats;
            s.staged = is_real ? e.post_count != 0 && !takes_list : !direct && !takes_list;
            store::fill(s.scale_of_all, e.scale_all);
            store::fill(s.bias_of_all, e.bias_all);
            store::fill(s.numbers_of_all, e);
        }
    }

    /// The output channels of units.
    struct channel_range {
        std::int64_t begin;
        std::int64_t end;
    };
    static channel_range channels_of(const call& c, std::int64_t unit_begin, std::int64_t unit_end) noexcept {
        const std::int64_t panels = c.shape.panels();
        const std::int64_t begin =
            (unit_begin / panels) * c.shape.columns + unit_begin % panels * layout::panel_columns;
        const std::int64_t last = unit_end - 1;
        const std::int64_t last_columns = (last % panels + 1) * layout::panel_columns;
        const std::int64_t columns = last_columns < c.shape.columns ? last_columns : c.shape.columns;
        return {begin, (last / panels) * c.shape.columns + columns};
    }

    /// Sums of the rows' elements as the tile sees them, for columns with a zero point. `in_form`: they have been copied into the form
    /// that it reads.
    static void sum_rows(const call& c, const state& s, bool in_form, sum_type* sums) noexcept {
        const bool seen_signed = Arithmetic::either_sign ? c.signed_rows : !Arithmetic::unsigned_rows;
        // Sums of i8 are taken as of u8, 128 more each.
        const unsigned char flip = (in_form ? seen_signed : c.signed_rows) ? 0x80 : 0;
        const std::uint32_t shift =
            seen_signed ? 128u * static_cast<std::uint32_t>(c.shape.taps * c.shape.channels) : 0u;
        const std::uint32_t factor = s.header.differs != 0 ? 1u : 0u - static_cast<std::uint32_t>(s.header.zero_point);
        for (std::int64_t r = 0; r < s.rows; ++r) {
            std::uint32_t sum = 0;
            for (std::int64_t t = 0; t < c.shape.taps; ++t) {
                const unsigned char* const row = s.pointers[r * c.shape.taps + t] + s.offset;
                sum += lanes<Isa>::sum_bytes(row, c.shape.channels, flip);
            }
            sums[r] = static_cast<std::int32_t>((sum - shift) * factor);
        }
    }
    static const unsigned char* panel_of(const call& c, std::int64_t g, std::int64_t panel) noexcept {
        return c.packed + c.shape.panels_offset() + g * c.shape.group_bytes() +
               panel * layout::panel_columns * c.shape.column_bytes();
    }

    /// The order of a panel's k groups, or null.
    static const std::uint16_t* order_of(const call& c, std::int64_t g, std::int64_t panel) noexcept {
        if (!c.shape.is_ordered()) return nullptr;
        return reinterpret_cast<const std::uint16_t*>(c.packed + c.shape.orders_offset()) +
               (g * c.shape.panels() + panel) * c.shape.order_size();
    }

    /// Whether one row takes panels side by side: what panels have of their own is left to each of them.
    static bool takes_row(const call& c, const state& s) noexcept {
        // A tile that takes either sign multiplies by another instruction for each.
        return !Arithmetic::either_sign && !s.chunks && !c.shape.four_bits && !c.shape.is_ordered() &&
               s.header.differs == 0;
    }
    /// One row: panels of full width, several at a time. Gives the unit that follows them.
    static std::int64_t run_row(const call& c, const state& s, std::int64_t g, std::int64_t unit,
                                std::int64_t past) noexcept {
        using row = dense_row<Isa, Arithmetic>;
        const epilogue& e = *c.finish;
        alignas(64) sum_type sums[row::columns];
        for (; unit + row::panels <= past; unit += row::panels) {
            const std::int64_t panel = unit - g * c.shape.panels();
            if (c.shape.panel_width(panel + row::panels - 1) != layout::panel_columns) break;
            const std::int64_t first = panel * layout::panel_columns;
            const std::int64_t left = c.shape.columns - first;
            const std::int64_t columns = left < row::columns ? left : row::columns;
            const std::int64_t channel = g * c.shape.columns + first;
            unsigned char* const to = c.output + (s.first * c.output_stride + channel) * bytes_of(e.output_type);
            const bool in_place = finish<Isa>::template keeps_sums<is_float>(e) && columns == row::columns;
            sum_type* const at = in_place ? reinterpret_cast<sum_type*>(to) : sums;
            start_row(c, s, g, first, at);
            row::run(c.shape, s.pointers, s.offset, panel_of(c, g, panel), at);
            if (!in_place) finish<Isa>::tile(e, sums, row::columns, 1, s.first, channel, columns, to, c.output_stride);
        }
        return unit;
    }
    static void start_row(const call& c, const state& s, std::int64_t g, std::int64_t first, sum_type* sums) noexcept {
        constexpr std::int64_t columns = dense_row<Isa, Arithmetic>::columns;
        if constexpr (is_float) {
            std::memset(sums, 0, columns * sizeof(sum_type));
        } else {
            fill_start(c, g, first, columns, s.header, sums, nullptr);
            if (s.header.zero_point == 0) return;
            const auto more = lanes<Isa>::broadcast_int(*s.row_sums);
            for (std::int64_t i = 0; i < columns; i += lanes<Isa>::width)
                lanes<Isa>::store_int(sums + i, lanes<Isa>::add_int(lanes<Isa>::load_int(sums + i), more));
        }
    }

    static void run_panel(const call& c, const state& s, std::int64_t g, std::int64_t panel, unsigned char* buffer,
                          const unsigned char* next) noexcept {
        constexpr std::int64_t most_columns = layout::panel_columns;
        const epilogue& e = *c.finish;
        const std::int64_t width = c.shape.panel_width(panel);
        const std::int64_t vectors = width / Arithmetic::lanes;
        const std::int64_t first_column = panel * most_columns;
        const std::int64_t rest = c.shape.columns - first_column;
        const std::int64_t columns = rest < width ? rest : width;
        const std::int64_t channel = g * c.shape.columns + first_column;
        alignas(64) sum_type start[most_columns];
        alignas(64) sum_type zero[most_columns];
        alignas(64) float scale[most_columns];
        alignas(64) float bias[most_columns];
        alignas(64) sum_type sums[tile_rows * most_columns];
        alignas(64) float scaled[staged_tiles * tile_rows * most_columns];
        step_numbers<layout::panel_columns> step_copies;
        column_steps steps;
        alignas(64) typename tile::factors_type factors[most_columns / Arithmetic::lanes];
        typename tile::work w;
        w.taps = c.shape.taps;
        w.offset = s.offset;
        w.zeros = s.zeros;
        w.channels = c.shape.channels;
        w.signed_rows = c.signed_rows;
        w.panel = panel_of(c, g, panel);
        w.order = order_of(c, g, panel);
        tile_fetches fetches;
        fetches.start_panel(next, layout::panel_columns * c.shape.column_bytes(), s.rows / tile_rows);
        w.fetches = &fetches;
        w.start = start;
        w.columns = columns;
        w.row_bytes = c.output_stride * bytes_of(e.output_type);
        unsigned char* const output = c.output + (s.first * c.output_stride + channel) * bytes_of(e.output_type);
        if constexpr (is_float) {
            for (std::int64_t i = 0; i < width; ++i)
                start[i] = 0;
        } else {
            fill_start(c, g, first_column, width, s.header, start, zero);
            w.result = s.result;
            if (w.result == tile_result::bytes && e.fixed != nullptr) {
                start_fixed<lanes<Isa>>(*e.fixed, channel, vectors, start, factors);
                w.factors = factors;
                w.zero_point = e.fixed->zero_point;
            }
        }
        if (w.result != tile_result::sums) {
            w.signed_bytes = e.output_type == element_kind::i8;
            w.low = static_cast<std::int32_t>(e.quant_low);
            w.high = static_cast<std::int32_t>(e.quant_high);
            w.limited = w.high - w.low < 255;
            w.scale = store::of_columns(e.scale, s.scale_of_all, channel, columns, width, scale);
            w.bias = store::of_columns(e.bias, s.bias_of_all, channel, columns, width, bias);
            store::find(e, s.numbers_of_all, channel, columns, width, step_copies, steps);
        }
        const bool staged = s.staged || (w.result == tile_result::floats && columns != width);
        if (w.result != tile_result::sums && e.post_count != 0 && !staged) w.steps = &steps;
        const bool in_place =
            finish<Isa>::template keeps_sums<is_float>(e) && columns == width && s.header.differs == 0;
        const bool direct = !staged && (w.result != tile_result::sums || in_place);
        const std::int64_t output_bytes = w.row_bytes;
        if (!direct) {
            w.to = staged ? reinterpret_cast<unsigned char*>(scaled) : reinterpret_cast<unsigned char*>(sums);
            w.row_bytes = width * 4;
        }
        const bool common_zero = s.header.differs == 0 && s.header.zero_point != 0;
        const std::int64_t row_bytes = w.row_bytes;
        const std::int64_t strips = s.lines.strips(s.first, s.rows);
        for (std::int64_t i = 0; i < strips; ++i) {
            const typename line_ends::strip part = s.lines.strip_at(s.first, s.rows, i);
            w.row_pointers = part.step * c.shape.taps;
            if (direct) w.row_bytes = part.step * row_bytes;
            w.rows.step = part.step;
            for (std::int64_t done = 0; done < part.count;) {
                const std::int64_t left = part.count - done;
                const std::int64_t begin = part.begin + done * part.step;
                const int height = tile::height_for(left, static_cast<int>(vectors), c.shape.four_bits);
                w.tiles = 1;
                if (direct || staged) w.tiles = tile::tiles_for(left, static_cast<int>(vectors), c.shape.four_bits);
                if (const std::int64_t most = staged_tiles * tile_rows * most_columns / (height * width);
                    staged && w.tiles > most)
                    w.tiles = most;
                w.pointers = s.pointers + begin * c.shape.taps;
                if (common_zero) w.row_start = s.row_sums + begin;
                if (direct) w.to = output + begin * row_bytes;
                w.rows.first = s.first + begin;
                if (s.chunks) {
                    if constexpr (!is_float) run_chunks(c, s, w, vectors, sums, buffer);
                } else {
                    tile::find(height, vectors, c.shape.four_bits)(w);
                }
                const std::int64_t rows = height * w.tiles;
                if (staged) {
                    store::finish_rows(e, steps, w.rows, rows, width, scaled, columns, output + begin * output_bytes,
                                       part.step * output_bytes);
                } else if (!direct) {
                    if constexpr (!is_float) {
                        if (s.header.differs != 0) subtract_zero_points(sums, width, rows, zero, s.row_sums + begin);
                    }
                    unsigned char* const to = output + begin * c.output_stride * bytes_of(e.output_type);
                    finish<Isa>::tile(e, sums, width, rows, s.first + begin, channel, columns, to,
                                      part.step * c.output_stride);
                }
                done += rows;
            }
        }
    }

    /// One row that is too long for the buffer: each piece starts with the sums of the one before.
    static void run_chunks(const call& c, const state& s, typename tile::work w, std::int64_t vectors, sum_type* sums,
                           unsigned char* buffer) noexcept {
        constexpr std::int64_t values = copy_bytes / Arithmetic::row_value_bytes;
        const typename tile::work last = w;
        const unsigned char* const from = *s.pointers + s.offset;
        const unsigned char* const piece = buffer;
        w.pointers = &piece;
        w.offset = 0;
        w.result = tile_result::sums;
        w.to = reinterpret_cast<unsigned char*>(sums);
        for (std::int64_t k = 0; k < c.shape.channels; k += values) {
            const std::int64_t rest = c.shape.channels - k;
            w.channels = rest < values ? rest : values;
            if (rest <= values) {
                w.result = last.result;
                w.to = last.to;
            }
            Arithmetic::prepare_rows(buffer, from + k, w.channels, c.signed_rows);
            tile::find(1, vectors, c.shape.four_bits)(w);
            w.panel += values / Arithmetic::group / (c.shape.four_bits ? 2 : 1) * vectors * tile::vector_bytes;
            w.start = sums;
            w.row_start = nullptr;
        }
    }

    /// sum (a - za)(b - zb) = sum a b - za sum b - zb sum a + K za zb: everything that does not depend on the row.
    static void fill_start(const call& c, std::int64_t g, std::int64_t first_column, std::int64_t width,
                           const dense_header& header, std::int32_t* start, std::int32_t* zero) noexcept {
        using simd = lanes<Isa>;
        const std::int64_t index = (g * c.shape.padded_columns() + first_column) * 4;
        const auto* const sums = reinterpret_cast<const std::int32_t*>(c.packed + c.shape.sums_offset() + index);
        const auto* const zeros =
            reinterpret_cast<const std::int32_t*>(c.packed + c.shape.zero_points_offset() + index);
        const std::int32_t shift = flips(c.signed_rows) ? (Arithmetic::unsigned_rows ? 128 : -128) : 0;
        const std::uint32_t row_zero = static_cast<std::uint32_t>(c.zero_point + shift);
        const std::uint32_t k = static_cast<std::uint32_t>(c.shape.taps * c.shape.channels);
        const auto per_sum = simd::broadcast_int(static_cast<std::int32_t>(0u - row_zero));
        if (header.differs == 0) {
            const std::uint32_t common = k * row_zero * static_cast<std::uint32_t>(header.zero_point);
            const auto all = simd::broadcast_int(static_cast<std::int32_t>(common));
            if (row_zero == 0) {
                for (std::int64_t i = 0; i < width; i += simd::width)
                    simd::store_int(start + i, all);
            } else {
                for (std::int64_t i = 0; i < width; i += simd::width)
                    simd::store_int(start + i,
                                    simd::add_int(all, simd::multiply_int(simd::load_int(sums + i), per_sum)));
            }
            return;
        }
        const auto per_zero = simd::broadcast_int(static_cast<std::int32_t>(k * row_zero));
        for (std::int64_t i = 0; i < width; i += simd::width) {
            const auto z = simd::load_int(zeros + i);
            simd::store_int(zero + i, z);
            simd::store_int(start + i, simd::add_int(simd::multiply_int(z, per_zero),
                                                     simd::multiply_int(simd::load_int(sums + i), per_sum)));
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

}  // namespace lpt::inline LPT_ABI::kernel
