// SPDX-License-Identifier: Apache-2.0
// Small convolutions and matrix products of i8 codes, whose time would go into what the large ones prepare in each call.
#pragma once

#include <lpt/kernel/dot.hpp>
#include <lpt/kernel/fixed_point.hpp>
#include <lpt/kernel/parallel.hpp>

#include <initializer_list>
#include <new>

namespace lpt::inline LPT_ABI::kernel {

/// Where a padded copy of an image has its pixels. Each line of a window is a run of bytes in it.
struct fixed_product_image {
    static constexpr std::int64_t most_size = 1 << 20;  // so that no product of two sizes leaves 64 bits

    std::int64_t before[2], after[2];  // pixels of padding
    std::int64_t pitch;  // bytes of a line
    std::int64_t lines;  // of an image

    explicit fixed_product_image(const fixed_product_shape& s) noexcept {
        for (int axis = 0; axis < 2; ++axis) {
            const std::int64_t past =
                (s.out[axis] - 1) * s.stride[axis] + (s.kernel[axis] - 1) * s.dilation[axis] + 1 - s.pad_begin[axis];
            before[axis] = s.pad_begin[axis];
            after[axis] = past > s.in[axis] ? past - s.in[axis] : 0;
        }
        pitch = (before[1] + s.in[1] + after[1]) * s.in_channels;
        lines = before[0] + s.in[0] + after[0];
    }
    bool is_padded() const noexcept { return before[0] + before[1] + after[0] + after[1] != 0; }
    /// Bytes from the beginning of the copy to the window of an output pixel.
    std::int64_t window(const fixed_product_shape& s, std::int64_t image, std::int64_t row,
                        std::int64_t column) const noexcept {
        return (image * lines + row * s.stride[0]) * pitch + column * s.stride[1] * s.in_channels;
    }
    /// Calls f(bytes from the beginning of the copy, bytes from the beginning of the input, count) for what is copied of an input.
    template <class Function>
    void for_each_run(const fixed_product_shape& s, const Function& f) const noexcept {
        const std::int64_t line = s.in[1] * s.in_channels;
        if (!is_padded()) return f(0, 0, s.batch * s.in[0] * line);
        for (std::int64_t b = 0; b < s.batch; ++b) {
            for (std::int64_t y = 0; y < s.in[0]; ++y)
                f((b * lines + before[0] + y) * pitch + before[1] * s.in_channels, (b * s.in[0] + y) * line, line);
        }
    }
    std::int64_t bytes(const fixed_product_shape& s) const noexcept { return s.batch * lines * pitch; }
};

/// Whether all sizes are so small that none of those that follow from them leaves 64 bits.
inline bool has_small_sizes(const fixed_product_shape& s) noexcept {
    bool result = true;
    for (const std::int64_t each : {s.batch, s.in_channels, s.out_channels})
        result = result && each <= fixed_product_image::most_size;
    for (int axis = 0; axis < 2; ++axis) {
        for (const std::int64_t each :
             {s.in[axis], s.out[axis], s.kernel[axis], s.stride[axis], s.dilation[axis], s.pad_begin[axis]})
            result = result && each <= fixed_product_image::most_size;
    }
    return result;
}

/// Codes of tiles of sums, and their way to memory. Vectors run along the channels.
template <class Isa, byte_lanes Simd = lanes<Isa>>
struct fixed_product_store {
    using ints = typename Simd::ints;
    static constexpr std::int64_t width = Simd::width;

    const fixed_product_problem& p;
    ints zero = Simd::broadcast_int(p.numbers->zero_point);

    /// The factors of vectors of channels from `channel` on, which all tiles of a panel read.
    template <int Vectors>
    struct columns {
        std::int64_t channel;
        typename Simd::fixed_factors factors[Vectors];

        columns(const fixed_point& f, std::int64_t first) noexcept : channel(first) {
            if (!f.shifts) return;
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const std::int64_t at = channel + v * width;
                factors[v] = Simd::factors_of(Simd::load_int(f.multiplier + at), Simd::load_int(f.right + at));
            }
        }
    };

    /// Sums of `Rows` pixels, row by row. `to` is the first pixel's first channel of all.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] void tile(const ints (&sum)[Rows * Vectors], const columns<Vectors>& column,
                                     std::int8_t* to) const noexcept {
        const fixed_point& f = *p.numbers;
        const std::int64_t channel = column.channel;
        ints code[Rows * Vectors];
        if (f.shifts) {
            constexpr int some = Rows * Vectors < 4 ? Rows * Vectors : 4;
#pragma GCC unroll 4
            for (int first = 0; first < Rows * Vectors; first += some) {
                typename Simd::fixed_factors factors[some];
                ints x[some], each[some];
#pragma GCC unroll 4
                for (int i = 0; i < some; ++i) {
                    factors[i] = column.factors[i % Vectors];
                    x[i] = sum[first + i];
                }
                codes_of<Simd>(x, factors, zero, each);
#pragma GCC unroll 4
                for (int i = 0; i < some; ++i)
                    code[first + i] = each[i];
            }
        } else if (f.real != nullptr) {
#pragma GCC unroll 16
            for (int i = 0; i < Rows * Vectors; ++i) {
                const double* const by = f.real + channel + i % Vectors * width;
                code[i] = Simd::add_int(Simd::rounded_products(sum[i], by), zero);
            }
        } else {
#pragma GCC unroll 16
            for (int i = 0; i < Rows * Vectors; ++i)
                code[i] = fixed_columns<Simd>::load(f, channel + i % Vectors * width).scaled(sum[i]);
        }
        const std::int64_t left = p.shape.out_channels - channel;
        const std::int64_t count = left < Vectors * width ? left : Vectors * width;
        auto* const first = reinterpret_cast<std::uint8_t*>(to + channel);
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            constexpr auto last = [](int v) { return v < Vectors ? v : Vectors - 1; };
            const ints* const row = code + r * Vectors;
            const auto packed = Simd::template pack<true>(row[0], row[last(1)], row[last(2)], row[last(3)]);
            Simd::store_first(first + r * p.shape.out_channels, Simd::template limit<true>(packed, p.low, p.high),
                              count);
        }
    }
};

/// In memory: what follows from the shape, the first sums of all channels, where the window of each pixel begins in the padded copy of the input (int64), the weights, and that copy,
/// whose padding is written when weights are packed.
template <class Isa>
struct fixed_product {
    using simd = lanes<Isa>;
    using ints = typename simd::ints;
    using dot = dot_of_four<Isa>;
    using accumulator = typename dot::accumulator;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t group = 4;
    static constexpr std::int64_t slack = 64;  // that loads may read behind what they need
    static constexpr std::int64_t most_vectors = 4;
    static constexpr int most_rows = dot::rows * dot::vectors >= 16 ? 4 : 2;
    static constexpr unsigned char flip = dot::unsigned_rows ? 0x80 : 0;
    static_assert(dot::lanes == simd::width && dot::group == group);

    /// Multiply instructions from which on the other kernels are faster: on several threads, or as what they prepare is little then.
    static constexpr std::int64_t most_steps = requires { dot::pairings; } ? 1024 : 8192;
    static constexpr std::int64_t most_depthwise_steps = 512;
    static constexpr std::int64_t most_image_bytes = 16384;
    static constexpr std::int64_t most_size = fixed_product_image::most_size;

    static constexpr std::int64_t aligned(std::int64_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

    /// The runs of bytes that a window reads.
    struct runs {
        std::int64_t count, bytes, distance;

        runs(const fixed_product_shape& s, const fixed_product_image& image) noexcept
            : count(s.kernel[0]), bytes(s.kernel[1] * s.in_channels), distance(s.dilation[0] * image.pitch) {
            if (distance != bytes) return;  // else one run
            bytes *= count;
            count = 1;
        }
        std::int64_t groups() const noexcept { return (bytes + group - 1) / group; }
    };

    /// Vectors of channels; the last ones are 1, 2 or 4.
    static std::int64_t vectors(const fixed_product_shape& s) noexcept {
        const std::int64_t needed = (s.out_channels + width - 1) / width;
        return needed % most_vectors == 3 ? needed + 1 : needed;
    }
    static std::int64_t pixels(const fixed_product_shape& s) noexcept { return s.batch * s.out[0] * s.out[1]; }
    static std::int64_t pairs(const fixed_product_shape& s) noexcept { return (s.kernel[0] * s.kernel[1] + 1) / 2; }

    static bool is_fast(const fixed_product_shape& s) noexcept {
        if (!has_small_sizes(s)) return false;
        const fixed_product_image image(s);
        if (image.lines > most_size || image.pitch > most_size || s.batch * image.lines > most_size ||
            image.bytes(s) > most_image_bytes || pixels(s) > most_size || pixels(s) * vectors(s) > most_size)
            return false;
        const std::int64_t each = pixels(s) * vectors(s);
        if (s.depthwise) return pairs(s) <= most_size && each * pairs(s) <= most_depthwise_steps;
        const runs run(s, image);
        const std::int64_t steps = run.count * run.groups();
        return s.dilation[1] == 1 && steps <= most_size && each * steps <= most_steps;
    }

    /// What follows from a shape: the parts in memory, and how they are walked.
    struct plan {
        fixed_product_image image;
        runs run;
        std::int64_t steps;  // of a pixel and a vector of channels
        std::int64_t vectors, pixels;
        std::int64_t starts, windows, weights, copy, end;  // offsets

        explicit plan(const fixed_product_shape& s) noexcept
            : image(s),
              run(s, image),
              steps(s.depthwise ? pairs(s) : run.count * run.groups()),
              vectors(fixed_product::vectors(s)),
              pixels(fixed_product::pixels(s)) {
            starts = aligned(sizeof(plan));
            windows = starts + aligned(vectors * width * 4);
            weights = windows + aligned(pixels * 8);
            copy = weights + aligned(steps * vectors * width * 4);
            end = copy + aligned(image.bytes(s)) + slack;
        }
        static const plan& of(const unsigned char* base) noexcept {
            return *std::launder(reinterpret_cast<const plan*>(base));
        }
    };
    static unsigned char* begin_of(void* packed) noexcept {
        const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(packed));
        return static_cast<unsigned char*>(packed) + (aligned(address) - address);
    }

    static std::size_t packed_bytes(const fixed_product_shape& s) noexcept {
        return is_fast(s) ? static_cast<std::size_t>(plan(s).end + 63) : 0;
    }

    static void pack(const fixed_product_shape& s, const fixed_product_weights& from, void* packed) noexcept {
        unsigned char* const base = begin_of(packed);
        const plan& made = *new (base) plan(s);
        std::memset(base + made.starts, 0, static_cast<std::size_t>(made.copy - made.starts));
        const std::int32_t outside = s.depthwise ? from.zero_point : from.zero_point ^ static_cast<std::int8_t>(flip);
        std::memset(base + made.copy, outside & 0xff, static_cast<std::size_t>(made.end - made.copy));
        std::int64_t pixel = 0;
        for (std::int64_t b = 0; b < s.batch; ++b) {
            for (std::int64_t y = 0; y < s.out[0]; ++y) {
                for (std::int64_t x = 0; x < s.out[1]; ++x) {
                    const std::int64_t window = made.image.window(s, b, y, x);
                    std::memcpy(base + made.windows + 8 * pixel++, &window, sizeof window);
                }
            }
        }
        for (std::int64_t o = 0; o < s.out_channels; ++o) {
            const std::int64_t sum = s.depthwise ? pack_channel(s, made, from, o, base + made.weights)
                                                 : pack_column(made, from, o, base + made.weights);
            // What a row holds is as much more than codes less their zero point.
            const std::int64_t more = from.zero_point + (s.depthwise ? 0 : flip);
            const auto start = static_cast<std::int32_t>(from.bias[o] - more * sum);  // wraps around
            std::memcpy(base + made.starts + 4 * o, &start, sizeof start);
        }
    }

    static void run(const fixed_product_problem& p) noexcept {
        unsigned char* const base = begin_of(p.packed);
        const plan& made = plan::of(base);
        const call c{p, made, base, {p}};
        if (p.shape.depthwise) {
            run_depthwise(c);
        } else {
            made.image.for_each_run(p.shape, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                copy_run(base + made.copy + to, reinterpret_cast<const unsigned char*>(p.input + from), count);
            });
            for_each_panel(made.vectors, [&]<int Vectors>(std::int64_t channel) { dense_panel<Vectors>(c, channel); });
        }
    }

private:
    struct call {
        const fixed_product_problem& p;
        const plan& made;
        unsigned char* base;
        fixed_product_store<Isa> store;

        [[gnu::always_inline]] std::int64_t window(std::int64_t pixel) const noexcept {
            std::int64_t result;
            std::memcpy(&result, base + made.windows + 8 * pixel, sizeof result);
            return result;
        }
        [[gnu::always_inline]] const std::int32_t* starts(std::int64_t channel) const noexcept {
            return reinterpret_cast<const std::int32_t*>(base + made.starts) + channel;
        }
        [[gnu::always_inline]] const unsigned char* panel(std::int64_t channel) const noexcept {
            return base + made.weights + channel * 4 * made.steps;
        }
    };

    /// [panel of vectors][run][group][channel of the panel][4]; gives the sum of the column.
    static std::int64_t pack_column(const plan& made, const fixed_product_weights& from, std::int64_t o,
                                    unsigned char* to) noexcept {
        const runs& run = made.run;
        const std::int64_t panel = o / (most_vectors * width) * most_vectors;
        const std::int64_t left = made.vectors - panel;
        const std::int64_t step = (left < most_vectors ? left : most_vectors) * width * group;
        unsigned char* at = to + panel * width * group * made.steps + (o - panel * width) * group;
        const std::int8_t* weight = from.data + o * run.count * run.bytes;
        std::int64_t sum = 0;
        for (std::int64_t r = 0; r < run.count; ++r) {
            for (std::int64_t k = 0; k < run.bytes; ++k, ++weight) {
                at[k / group * step + k % group] = static_cast<unsigned char>(*weight & 0xff);
                sum += *weight;
            }
            at += run.groups() * step;
        }
        return sum;
    }

    /// [panel of vectors][pair of taps][channel of the panel], the first tap of a pair in the low half.
    static std::int64_t pack_channel(const fixed_product_shape& s, const plan& made, const fixed_product_weights& from,
                                     std::int64_t c, unsigned char* to) noexcept {
        const std::int64_t panel = c / (most_vectors * width) * most_vectors;
        const std::int64_t left = made.vectors - panel;
        const std::int64_t step = (left < most_vectors ? left : most_vectors) * width * 4;
        unsigned char* const at = to + panel * width * 4 * made.steps + (c - panel * width) * 4;
        std::int64_t sum = 0;
        for (std::int64_t t = 0; t < s.kernel[0] * s.kernel[1]; ++t) {
            const std::int16_t weight = from.data[t * s.out_channels + c];
            std::memcpy(at + t / 2 * step + t % 2 * 2, &weight, sizeof weight);
            sum += weight;
        }
        return sum;
    }

    // -- products of rows and columns

    /// Copies bytes into the form that `load_row` reads, and writes nothing past them: there is padding.
    static void copy_run(unsigned char* to, const unsigned char* from, std::int64_t count) noexcept {
        const std::int64_t whole = count / group * group;
        dot::prepare_rows(to, from, whole, true);
        for (std::int64_t i = whole; i < count; ++i)
            to[i] = from[i] ^ flip;
    }

    template <int Vectors>
    using columns = typename fixed_product_store<Isa>::template columns<Vectors>;

    /// Sets of sums of a tile: a dot product waits for the one before into the same sum.
    template <int Sums>
    static constexpr int sets = Sums >= 4 ? 1 : 4 / Sums;

    template <int Rows, int Vectors>
    static void dense_tile(const call& c, const columns<Vectors>& of, std::int64_t pixel) noexcept {
        const std::int64_t channel = of.channel;
        const runs run = c.made.run;
        const unsigned char* panel = c.panel(channel);
        constexpr int count = sets<Rows * Vectors>;
        constexpr std::int64_t step = Vectors * width * group;
        accumulator sum[count][Rows][Vectors] = {};
        const unsigned char* row[Rows];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            row[r] = c.base + c.made.copy + c.window(pixel + r);
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                sum[0][r][v] = dot::load(c.starts(channel) + v * width);
        }
        const auto multiply = [&](accumulator(&to)[Rows][Vectors], std::int64_t at) __attribute__((always_inline)) {
            typename dot::column_group column[Vectors];
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                column[v] = dot::load_columns(panel + v * width * group);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                const auto values = dot::load_row(row[r] + at);
#pragma GCC unroll 4
                for (int v = 0; v < Vectors; ++v)
                    to[r][v] = dot::step(to[r][v], values, column[v]);
            }
            panel += step;
        };
        for (std::int64_t l = 0; l < run.count; ++l) {
            std::int64_t k = 0;
            for (; k + (count - 1) * group < run.bytes; k += count * group) {
#pragma GCC unroll 4
                for (int set = 0; set < count; ++set)
                    multiply(sum[set], k + set * group);
            }
            for (; k < run.bytes; k += group)
                multiply(sum[0], k);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r)
                row[r] += run.distance;
        }
        ints whole[Rows * Vectors];
#pragma GCC unroll 16
        for (int i = 0; i < Rows * Vectors; ++i) {
            accumulator all = sum[0][i / Vectors][i % Vectors];
#pragma GCC unroll 4
            for (int set = 1; set < count; ++set)
                all = all + sum[set][i / Vectors][i % Vectors];
            whole[i] = ints(dot::bits(all));
        }
        c.store.template tile<Rows, Vectors>(whole, of, c.p.output + pixel * c.p.shape.out_channels);
    }

    template <int Vectors>
    static void dense_panel(const call& c, std::int64_t channel) noexcept {
        const columns<Vectors> of(*c.p.numbers, channel);
        const std::int64_t all = c.made.pixels;
        std::int64_t pixel = 0;
        for (; pixel + most_rows <= all; pixel += most_rows)
            dense_tile<most_rows, Vectors>(c, of, pixel);
        for (; pixel < all; ++pixel)
            dense_tile<1, Vectors>(c, of, pixel);
    }

    /// Calls f<Vectors>(first channel) for the panels of `all` vectors.
    template <class Function>
    [[gnu::always_inline]] static void for_each_panel(std::int64_t all, const Function& f) noexcept {
        std::int64_t v = 0;
        for (; v + most_vectors <= all; v += most_vectors)
            f.template operator()<4>(v * width);
        if (v + 2 == all) f.template operator()<2>(v * width);
        if (v + 1 == all) f.template operator()<1>(v * width);
    }

    // -- depthwise

    static void run_depthwise(const call& c) noexcept {
        const fixed_product_shape& s = c.p.shape;
        const std::int8_t* from = c.p.input;
        if (c.made.image.is_padded()) {
            from = reinterpret_cast<const std::int8_t*>(c.base + c.made.copy);
            c.made.image.for_each_run(s, [&](std::int64_t to, std::int64_t of_input, std::int64_t count) {
                std::memcpy(c.base + c.made.copy + to, c.p.input + of_input, static_cast<std::size_t>(count));
            });
        }
        for_each_panel(c.made.vectors, [&]<int Vectors>(std::int64_t channel) {
            if (s.out_channels - channel >= Vectors * width)
                depthwise_panel<Vectors, true>(c, from, channel);
            else
                depthwise_panel<Vectors, false>(c, from, channel);
        });
    }

    template <int Vectors, bool Whole>
    static void depthwise_panel(const call& c, const std::int8_t* from, std::int64_t channel) noexcept {
        constexpr int most = most_rows * 2 / Vectors < 1   ? 1
                             : most_rows * 2 / Vectors < 4 ? most_rows * 2 / Vectors
                                                           : 4;
        const columns<Vectors> of(*c.p.numbers, channel);
        std::int64_t pixel = 0;
        for (; pixel + most <= c.made.pixels; pixel += most)
            depthwise_tile<most, Vectors, Whole>(c, of, from, pixel);
        for (; pixel < c.made.pixels; ++pixel)
            depthwise_tile<1, Vectors, Whole>(c, of, from, pixel);
    }

    template <bool Whole>
    [[gnu::always_inline]] static ints load_codes(const std::int8_t* from, std::int64_t count) noexcept {
        if constexpr (Whole) return simd::load_i8(from);
        if (count <= 0) return simd::broadcast_int(0);
        return load_part_of_bytes<Isa, true>(reinterpret_cast<const unsigned char*>(from), count);
    }

    template <int Rows, int Vectors, bool Whole>
    static void depthwise_tile(const call& c, const columns<Vectors>& of, const std::int8_t* from,
                               std::int64_t pixel) noexcept {
        const fixed_product_shape& s = c.p.shape;
        const std::int64_t left = s.out_channels - of.channel;
        const unsigned char* weights = c.panel(of.channel);
        const std::int8_t* window[Rows];
        ints sum[Rows * Vectors];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            window[r] = from + c.window(pixel + r) + of.channel;
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v)
                sum[r * Vectors + v] = simd::load_int(c.starts(of.channel) + v * width);
        }
        const auto multiply = [&](std::int64_t low, std::int64_t high) __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const ints weight = simd::load_int(reinterpret_cast<const std::int32_t*>(weights) + v * width);
#pragma GCC unroll 4
                for (int r = 0; r < Rows; ++r) {
                    ints& to = sum[r * Vectors + v];
                    const ints a = load_codes<Whole>(window[r] + low + v * width, left - v * width);
                    const ints b = load_codes<Whole>(window[r] + high + v * width, left - v * width);
                    to = simd::multiply_pairs(to, simd::pair(a, b), weight);
                }
            }
            weights += Vectors * width * 4;
        };
        const std::int64_t column = s.dilation[1] * s.in_channels;
        const std::int64_t line = s.dilation[0] * c.made.image.pitch;
        const std::int64_t taps = s.kernel[0] * s.kernel[1];
        std::int64_t tap = 0, x = 0, at = 0;
        const auto next = [&]() __attribute__((always_inline)) {
            const std::int64_t here = at;
            if (++x < s.kernel[1]) {
                at += column;
            } else {
                x = 0;
                at += line - (s.kernel[1] - 1) * column;
            }
            return here;
        };
        for (; tap + 2 <= taps; tap += 2) {
            const std::int64_t low = next();
            multiply(low, next());
        }
        if (tap < taps) multiply(at, at);  // the second one's weight is 0
        c.store.template tile<Rows, Vectors>(sum, of, c.p.output + pixel * s.out_channels);
    }
};

template <class Isa>
struct kernel_of<Isa, fixed_product_problem> {
    static void run(const fixed_product_problem& problem, const parallel_for&) noexcept {
        fixed_product<Isa>::run(problem);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
