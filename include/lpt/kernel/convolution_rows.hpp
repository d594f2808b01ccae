// SPDX-License-Identifier: Apache-2.0
// The rows of the matrix that a convolution is to the dense kernel: pointers to pixels, or copies.
#pragma once

#include <lpt/kernel/convolution_geometry.hpp>
#include <lpt/kernel/gemm.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Rows of an implicit matrix: one pointer per tap, to the input pixel or to a row of zero points.
template <class Isa>
struct pixel_rows {
    static constexpr bool copies_rows = false;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = false;
    using geometry = convolution_geometry<Isa>;
    const convolution_shape* shape = nullptr;
    pixel_image image;
    std::int64_t copied_group = 0;

    const unsigned char* outside() const noexcept { return image.outside; }
    /// Images whose pixels do not end with a whole k group are copied.
    static constexpr std::int64_t readable_rows(std::int64_t) noexcept { return 0; }
    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        const std::int64_t taps = geometry::taps(*shape);
        geometry::for_each_part(
            *shape, first, count, [&](const typename geometry::coordinates& c, std::int64_t place, std::int64_t part) {
                geometry::for_each_input_line(*shape, c, [&](std::int64_t line, std::int64_t input_line) {
                    find(c.at[2], part, line, input_line, pointers + place * taps);
                });
            });
    }

private:
    /// The taps of one kernel line for `count` output pixels side by side, from column `column` on. Most of them are inside.
    void find(std::int64_t column, std::int64_t count, std::int64_t line, std::int64_t input_line,
              const unsigned char** pointers) const noexcept {
        const convolution_shape& s = *shape;
        const std::int64_t taps = geometry::taps(s);
        const std::int64_t width = s.kernel[2];
        const std::int64_t stride = s.stride[2];
        const unsigned char** const first = pointers + line * width;
        const std::int64_t x = column * stride - s.pad_begin[2];  // of the first tap of the first pixel
        const std::int64_t step = stride * image.pixel_bytes;
        const std::int64_t apart = s.dilation[2] * image.pixel_bytes;
        const unsigned char* at = image.input + (input_line * s.in[2] + x) * image.pixel_bytes;
        const unsigned char** to = first;
        if (input_line >= 0 && width == 3) {
            for (std::int64_t i = 0; i < count; ++i, to += taps, at += step) {
                to[0] = at;
                to[1] = at + apart;
                to[2] = at + 2 * apart;
            }
        } else {
            for (std::int64_t i = 0; i < count; ++i, to += taps, at += step) {
                for (std::int64_t kw = 0; kw < width; ++kw)
                    to[kw] = input_line < 0 ? image.outside : at + kw * apart;
            }
        }
        if (input_line < 0) return;
        for (std::int64_t kw = 0; kw < width; ++kw) {
            const std::int64_t tap = x + kw * s.dilation[2];
            for (std::int64_t i = 0; i < count && tap + i * stride < 0; ++i)
                first[i * taps + kw] = image.outside;
            for (std::int64_t i = count - 1; i >= 0 && tap + i * stride >= s.in[2]; --i)
                first[i * taps + kw] = image.outside;
        }
    }
};

/// Rows of an implicit matrix whose taps are lines of the kernel, over an image whose lines have their padding and hold group after
/// group; the first line is the one that stands for all lines outside.
template <class Isa>
struct line_rows {
    static constexpr bool copies_rows = false;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = true;
    using geometry = convolution_geometry<Isa>;
    const convolution_shape* shape = nullptr;
    const unsigned char* image = nullptr;
    std::int64_t line_bytes = 0;
    std::int64_t pixel_bytes = 0;  // of a group
    std::int64_t copied_group = 0;
    static constexpr const unsigned char* outside() noexcept { return nullptr; }

    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        const std::int64_t taps = shape->kernel[0] * shape->kernel[1];
        const std::int64_t step = shape->stride[2] * pixel_bytes;
        geometry::for_each_part(
            *shape, first, count, [&](const typename geometry::coordinates& c, std::int64_t place, std::int64_t part) {
                geometry::for_each_input_line(*shape, c, [&](std::int64_t line, std::int64_t input_line) {
                    const unsigned char* const at = image + (1 + input_line) * line_bytes + c.at[2] * step;
                    const unsigned char** const to = pointers + place * taps + line;
                    evenly_spaced<Isa>(to, taps, part, at, step);
                });
            });
    }
};

/// Rows that are copied together from such lines, `row_bytes` apart.
template <class Isa>
struct joined_rows {
    static constexpr bool copies_rows = true;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = true;
    using geometry = convolution_geometry<Isa>;
    const convolution_shape* shape = nullptr;
    const unsigned char* image = nullptr;
    std::int64_t line_bytes = 0;
    std::int64_t pixel_bytes = 0;
    std::int64_t copied_group = 0;
    std::int64_t row_bytes = 0;
    unsigned char* buffer = nullptr;
    static constexpr const unsigned char* outside() noexcept { return nullptr; }

    /// Blocks of 16 bytes that are copied for so many (<= 64) of a line.
    static std::int64_t blocks(std::int64_t piece) noexcept { return piece <= 16 ? 1 : piece <= 32 ? 2 : 4; }
    /// Distance of rows: no line reaches into the next row.
    static std::int64_t distance(const convolution_shape& s, std::int64_t pixel_bytes) noexcept {
        const std::int64_t piece = s.kernel[2] * pixel_bytes;
        return (s.kernel[0] * s.kernel[1] - 1) * piece + blocks(piece) * 16;
    }

    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        const std::int64_t piece = shape->kernel[2] * pixel_bytes;
        const std::int64_t step = shape->stride[2] * pixel_bytes;
        for (std::int64_t r = 0; r < count; ++r)
            pointers[r] = buffer + r * row_bytes;
        geometry::for_each_part(
            *shape, first, count, [&](const typename geometry::coordinates& c, std::int64_t place, std::int64_t part) {
                geometry::for_each_input_line(*shape, c, [&](std::int64_t line, std::int64_t input_line) {
                    const unsigned char* from = image + (1 + input_line) * line_bytes + c.at[2] * step;
                    unsigned char* to = buffer + place * row_bytes + line * piece;
                    switch (blocks(piece)) {
                        case 1: copy<1>(to, from, part, step); break;
                        case 2: copy<2>(to, from, part, step); break;
                        default: copy<4>(to, from, part, step); break;
                    }
                });
            });
    }

private:
    /// The taps of one kernel line for some output pixels side by side, `Blocks` times 16 bytes each; what is too much is overwritten
    /// by the next line, or meets columns of zeros.
    template <int Blocks>
    void copy(unsigned char* to, const unsigned char* from, std::int64_t count, std::int64_t step) const noexcept {
        for (std::int64_t i = 0; i < count; ++i, to += row_bytes, from += step)
            std::memcpy(to, from, Blocks * 16);
    }
};

/// Rows that are copied together from their taps, for few channels.
template <class Isa>
struct gathered_rows {
    static constexpr bool copies_rows = true;
    static constexpr bool per_group = true;
    static constexpr bool readable_ends = true;
    static constexpr std::int64_t copied_group = 0;
    static constexpr const unsigned char* outside() noexcept { return nullptr; }
    const convolution_shape* shape = nullptr;
    const unsigned char* input = nullptr;
    std::int64_t pixel_bytes = 0;
    std::int64_t tap_bytes = 0;  // channels of a group
    int fill = 0;
    std::int64_t row_bytes = 0;
    unsigned char* buffer = nullptr;

    void rows(std::int64_t first, std::int64_t count, std::int64_t group,
              const unsigned char** pointers) const noexcept {
        for (std::int64_t r = 0; r < count; ++r) {
            pointers[r] = buffer + r * row_bytes;
            gather(first + r, group, buffer + r * row_bytes);
        }
    }

private:
    void gather(std::int64_t index, std::int64_t group, unsigned char* to) const noexcept {
        const unsigned char* from = input + group * tap_bytes;
        const std::int64_t width = shape->kernel[2];
        const std::int64_t step = shape->dilation[2] * pixel_bytes;
        const auto copy_line = [&](std::int64_t, std::int64_t begin, std::int64_t end, std::int64_t pixel) {
            for (std::int64_t i = 0; i < begin * tap_bytes; ++i)
                to[i] = static_cast<unsigned char>(fill);
            const unsigned char* at = from + pixel * pixel_bytes;
            if (step == tap_bytes) {
                copy(to + begin * tap_bytes, at, (end - begin) * tap_bytes);
            } else {
                for (std::int64_t kw = begin; kw < end; ++kw, at += step)
                    copy(to + kw * tap_bytes, at, tap_bytes);
            }
            for (std::int64_t i = end * tap_bytes; i < width * tap_bytes; ++i)
                to[i] = static_cast<unsigned char>(fill);
            to += width * tap_bytes;
        };
        convolution_geometry<Isa>::for_each_line(*shape, index, copy_line);
    }

    /// Copies a few bytes; a call of memcpy would cost more than they do. Blocks of 8 bytes, the last one overlapping.
    [[gnu::always_inline]] static void copy(unsigned char* to, const unsigned char* from, std::int64_t count) noexcept {
        if (count >= 8) {
            for (std::int64_t i = 0; i + 8 <= count; i += 8)
                std::memcpy(to + i, from + i, 8);
            std::memcpy(to + count - 8, from + count - 8, 8);
        } else if (count >= 4) {
            std::memcpy(to, from, 4);
            std::memcpy(to + count - 4, from + count - 4, 4);
        } else {
            for (std::int64_t i = 0; i < count; ++i)
                to[i] = from[i];
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
