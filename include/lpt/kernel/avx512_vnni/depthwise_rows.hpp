// SPDX-License-Identifier: Apache-2.0
// How depthwise convolution in registers of 512 bits shares its work: output rows among tasks, and those of a task among the parts of
// vectors.
#pragma once

#if defined(__AVX512VNNI__) && defined(__AVX512VL__) && defined(__AVX512BW__)

#include <lpt/kernel/avx512_vnni/depthwise_lines.hpp>
#include <lpt/kernel/avx512_vnni/half_blocks.hpp>

namespace lpt::inline LPT_ABI::kernel::detail {

/// A template for the reason that `depthwise_lines` is one.
template <class Isa>
struct depthwise_rows;

template <>
struct depthwise_rows<on::avx512_vnni> : depthwise_lines<on::avx512_vnni> {
    using packing = depthwise_dots<isa_type>;
    using half_packing = depthwise_dots<isa_type, half_blocks<isa_type>::dot, half_blocks<isa_type>::simd>;

    /// Whether it is a convolution of planes, by `taps` x `taps` taps side by side, at stride 1 or 2, whose sums become bytes at once.
    static bool fits(const convolution_problem& problem, std::int64_t taps) noexcept {
        const convolution_shape& s = problem.shape;
        const bool plane = s.kernel[0] == 1 && s.stride[0] == 1 && s.pad_begin[0] == 0 && s.in[0] == s.out[0];
        const bool square = s.kernel[1] == taps && s.kernel[2] == taps && s.dilation[1] == 1 && s.dilation[2] == 1;
        const bool strides = s.stride[1] == s.stride[2] && (s.stride[2] == 1 || s.stride[2] == 2);
        return plane && square && strides &&
               (is_fixed(problem.finish) ||
                finish<isa_type>::requantizes_directly(problem.finish, 0, s.out_channels, taps * taps));
    }

    /// The channels of the two packings.
    struct packed_weights {
        channel_span full;
        const unsigned char* packed_full;
        channel_span rest;
        const unsigned char* packed_rest;
    };

    /// A task: output rows, or pairs of them, counting those of all planes, of which each has `rows`.
    struct work {
        std::int64_t rows;
        std::int64_t begin;
        std::int64_t end;
    };

    /// Output rows, or pairs of them, of one plane.
    struct row_range {
        std::int64_t plane;
        std::int64_t begin;
        std::int64_t end;
    };

    /// Rows, or pairs of them, that each part takes of a range, and how far they are from the first part's.
    struct part_rows {
        std::int64_t count;
        std::int64_t apart[4];
    };

    /// Calls f<Parts>(work, channels) on threads, for output rows or `pairs` of them.
    template <class Function>
    static void share(const convolution_problem& problem, bool pairs, const packed_weights& weights,
                      const parallel_for& parallel, const Function& f) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t rows = pairs ? (s.out[1] + 1) / 2 : s.out[1];
        // The last two pairs of an odd height share a row, and so a task: no byte is written by two threads.
        const std::int64_t units = pairs ? s.out[1] / 2 : s.out[1];
        split<isa_type>(parallel, s.batch * s.out[0] * units, 1, [&](std::int64_t begin, std::int64_t end, int) {
            const auto row_of = [&](std::int64_t unit) { return unit / units * rows + unit % units; };
            const work job{rows, row_of(begin), row_of(end)};
            const auto run_channels = [&](const packed_channels& from) {
                switch (from.parts) {
                    case 1: f.template operator()<1>(job, from); break;
                    case 2: f.template operator()<2>(job, from); break;
                    default: f.template operator()<4>(job, from); break;
                }
            };
            for (std::int64_t b = 0; b < packing::blocks(weights.full); ++b)
                for_each_part(channels_of<packing>(s, weights.full, weights.packed_full, b), run_channels);
            for (std::int64_t b = 0; b < half_packing::blocks(weights.rest); ++b)
                for_each_part(channels_of<half_packing>(s, weights.rest, weights.packed_rest, b), run_channels);
        });
    }

    /// Calls f(range, rows of the parts) for each plane of a task.
    template <int Parts, class Function>
    static void for_each_range(const work& job, const Function& f) noexcept {
        for (std::int64_t i = job.begin; i < job.end;) {
            const std::int64_t plane = i / job.rows;
            const std::int64_t next = (plane + 1) * job.rows < job.end ? (plane + 1) * job.rows : job.end;
            const row_range range{plane, i - plane * job.rows, next - plane * job.rows};
            part_rows rows{(range.end - range.begin + Parts - 1) / Parts, {}};
            for (int part = 0; part < Parts; ++part) {
                const std::int64_t last = range.end - range.begin - rows.count;  // the parts may overlap
                rows.apart[part] = part * rows.count < last ? part * rows.count : last;
            }
            f(range, rows);
            i = next;
        }
    }

    /// The first row of a pair; an odd last row comes with the one before it, once more.
    static std::int64_t row_of_pair(const convolution_shape& s, std::int64_t pair) noexcept {
        return 2 * pair + 2 <= s.out[1] ? 2 * pair : s.out[1] - 2;
    }

    /// From column `column` on; `rows` are those of the parts.
    template <int Parts>
    static target target_at(const convolution_problem& problem, const constants& c, std::int64_t plane,
                            const std::int64_t (&rows)[Parts], std::int64_t column) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t pixel = problem.output_pixel_stride;
        const std::int64_t row = s.out[2] * pixel;
        unsigned char* const to = static_cast<unsigned char*>(problem.output) + (plane * s.out[1] + rows[0]) * row +
                                  column * pixel + c.channel;
        target out{to, pixel, row, {}};
        for (int part = 0; part < Parts; ++part)
            out.apart[part] = (rows[part] - rows[0]) * row;
        return out;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel::detail

#endif
