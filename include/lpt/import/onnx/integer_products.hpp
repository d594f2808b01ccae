// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/convolution.hpp>

/// ConvInteger and MatMulInteger: exact sums of 32 bits, by kernels of bytes whose sums are read as f32.
namespace lpt::inline LPT_ABI::onnx {

/// Integers less the zero point at a port, in real numbers; a zero point for each row or column stands along axis `axis`.
inline output_ref centred(operation& n, output_ref integers, std::size_t zero_point, std::int64_t axis,
                          element type = f32) {
    const output_ref x = n.convert(integers, type);
    if (!n.has(zero_point)) {
        return x;
    }
    output_ref zero = n.convert(n.in(zero_point), type);
    const lpt::shape& own = n.shape(zero);
    if (own.rank() == 1 && !(own.is_static() && own.elements() == 1)) {
        zero = broadcast_along(n, zero, x, axis, 0);
    }
    return n.make(op::subtract{}, {x, zero});
}

/// Integers that were computed as f32: what casts them back reads those.
inline value as_integers(operation& n, output_ref whole) {
    value result = n.reader().of(n.convert(whole, i32));
    result.whole = whole;
    return result;
}

/// The elements of one place on an axis: those of all axes behind it.
inline std::size_t elements_behind(const lpt::shape& dimensions, std::size_t axis) {
    std::size_t elements = 1;
    for (std::size_t i = axis + 1; i < dimensions.rank(); ++i) {
        elements *= static_cast<std::size_t>(dimensions[i]);
    }
    return elements;
}

/// The sums of bytes along one axis, of size 1 in the result, from each of which the zero point of its place on axis `channels` is
/// subtracted first: as many as there are places, or one for all, or none.
inline tensor sums_of_bytes(operation& n, const tensor& bytes, std::size_t axis, const tensor& zero_points,
                            std::size_t channels) {
    lpt::shape dimensions = bytes.dimensions();
    const auto length = static_cast<std::size_t>(dimensions[axis]);
    const auto count = static_cast<std::size_t>(dimensions[channels]);
    if (zero_points && zero_points.elements() != 1 && zero_points.elements() != count) {
        n.wrong({"has ", zero_points.elements(), " zero points for ", count, " channels"});
    }
    const std::size_t inner = elements_behind(dimensions, axis);
    const std::size_t channel_size = elements_behind(dimensions, channels);
    dimensions[axis] = 1;
    tensor_builder result(f32, dimensions);
    const bool signs = is_signed(bytes.type());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::byte* const from = bytes.data() + i / inner * inner * length + i % inner;
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < length; ++k) {
            sum += signs ? static_cast<std::int8_t>(from[k * inner]) : std::to_integer<int>(from[k * inner]);
        }
        if (zero_points && length != 0) {
            const std::size_t channel =
                channels < axis ? i / (channel_size / length) % count : i / channel_size % count;
            const std::int64_t zero = zero_points.integer(zero_points.elements() == 1 ? 0 : channel);
            sum -= zero * static_cast<std::int64_t>(length);
        }
        result.real(i, static_cast<double>(sum));
    }
    return result.finish();
}

/// Splits a sum of products of bytes where f32 could not tell it from its neighbours: gives the ends of parts of the summed axis none of
/// which adds to more than 2^24 whatever the data is. `magnitude(k, channel)` is the most that data of 1 gives at place k of the axis.
/// Empty: a single place may give more, or there would be more parts than a network should be made of.
template <class Magnitude>
lpt::integers ends_of_exact_sums(std::int64_t length, std::size_t channels, const Magnitude& magnitude) {
    constexpr std::int64_t most = (std::int64_t{1} << 24) / 255;
    constexpr std::size_t most_parts = 1024;
    lpt::integers ends;
    seq<std::int64_t> sums;
    sums.resize(channels, 0);
    for (std::int64_t k = 0; k < length; ++k) {
        bool fits = true;
        for (std::size_t c = 0; c < channels; ++c) {
            const std::int64_t added = magnitude(k, c);
            if (added > most) {
                return {};
            }
            fits = fits && sums[c] + added <= most;
        }
        if (!fits) {
            if (ends.size() == most_parts) {
                return {};
            }
            ends.push_back(k);
        }
        for (std::size_t c = 0; c < channels; ++c) {
            sums[c] = (fits ? sums[c] : 0) + magnitude(k, c);
        }
    }
    ends.push_back(length);
    return ends;
}

/// The weights at port 1 and their zero points, where all are known and one zero point is there for a channel or for all.
struct known_weights {
    const tensor* bytes = nullptr;
    tensor zeros;

    known_weights(operation& n, std::size_t zero_point) {
        const tensor* const found = n.known(n.in(1));
        if (found == nullptr || bit_width(found->type()) != 8 || (n.has(zero_point) && !n.is_known(zero_point))) {
            return;
        }
        if (n.has(zero_point)) {
            zeros = n.known_input(zero_point);
        }
        bytes = !zeros || zeros.dimensions().rank() < 2 ? found : nullptr;
    }
    /// |weight - zero point|
    std::int64_t magnitude(std::size_t index, std::size_t channel) const {
        const std::int64_t zero = zeros ? zeros.integer(zeros.elements() == 1 ? 0 : channel) : 0;
        const std::int64_t centred = bytes->integer(index) - zero;
        return centred < 0 ? -centred : centred;
    }
    /// Whether there is one zero point, or one for each channel.
    bool fits(std::size_t channels) const {
        return bytes != nullptr && (!zeros || zeros.elements() == 1 || zeros.elements() == channels);
    }
};

/// Elements [begin, end) along an axis of a tensor of bytes.
inline tensor part_of_bytes(const tensor& from, std::size_t axis, std::int64_t begin, std::int64_t end) {
    lpt::shape dimensions = from.dimensions();
    const auto length = static_cast<std::size_t>(dimensions[axis]);
    const auto taken = static_cast<std::size_t>(end - begin);
    dimensions[axis] = end - begin;
    const std::size_t inner = elements_behind(dimensions, axis);
    tensor_builder result(from.type(), dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::size_t place = i / inner % taken + static_cast<std::size_t>(begin);
        result.integer(i, from.integer((i / inner / taken * length + place) * inner + i % inner));
    }
    return result.finish();
}

/// True for weights that are known under data whose zero point, at port `data_zero`, is known only in a run.
inline bool has_computed_zero_point(operation& n, std::size_t data_zero, const known_weights& known) {
    return known.bytes != nullptr && n.has(data_zero) && !n.is_known(data_zero);
}
/// Integers in real numbers: those that they were computed as, where they were.
inline output_ref whole_of(operation& n, const value& integers) {
    return integers.whole ? integers.whole : n.convert(n.reader().plain_of(integers), f32);
}

/// The data of a sum of products of bytes, and its weights, known or not; or a part of both along the axis that is summed.
struct integer_operands {
    output_ref data;
    output_ref weights;
    tensor bytes;  // the weights, where they are known
    output_ref centred_weights;  // less their zero points, f32
};

/// The sums over the whole axis or over parts of it that f32 holds exactly, which are then added as integers. `sum(operands)` gives those
/// of a part as f32, `zero_point` is the port of the weights' and stands along `zero_axis` of them.
template <class Sum>
value sums_of(operation& n, const known_weights& known, const lpt::integers& ends, std::int64_t data_axis,
              std::size_t weight_axis, std::size_t zero_point, std::int64_t zero_axis, const Sum& sum) {
    integer_operands all{n.in(0), n.in(1), known.bytes != nullptr ? *known.bytes : tensor(), {}};
    if (ends.size() == 1) {
        all.centred_weights = centred(n, all.weights, zero_point, zero_axis);
        return as_integers(n, sum(all));
    }
    output_ref result;
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
        integer_operands part = all;
        part.data = n.slice(all.data, data_axis, begin, end);
        if (all.bytes) {
            part.bytes = part_of_bytes(all.bytes, weight_axis, begin, end);
            part.weights = n.builder().constant(part.bytes);
        } else {
            part.weights = n.slice(all.weights, static_cast<std::int64_t>(weight_axis), begin, end);
        }
        part.centred_weights = centred(n, part.weights, zero_point, zero_axis);
        const output_ref added = n.convert(sum(part), i32);
        result = result ? n.make(op::add{}, {result, added}) : added;
        begin = end;
    }
    return n.reader().of(result);
}

/// A zero point of the data that is known only in a run is taken out of the convolution, so that this multiplies bytes. What it adds is the
/// same for all data: a convolution of ones with the sums of the weights' channels.
inline output_ref convolution_of_bytes(operation& n, const integer_operands& of, const known_weights& known) {
    const lpt::shape sizes = n.shape(of.data);
    const std::size_t rank = n.rank(of.weights);
    if (!has_computed_zero_point(n, 2, known) || rank < 3 || (sizes.rank_is_static() && sizes.rank() != rank)) {
        return convolved(n, centred(n, of.data, 2, 1), of.centred_weights, {});
    }
    const tensor sums = sums_of_bytes(n, of.bytes, 1, known.zeros, 0);
    const output_ref one_image = n.concat({n.indices({1, 1}), n.slice(n.shape_of(of.data), 0, 2, INT64_MAX)}, 0);
    const output_ref ones = n.broadcast(n.builder().real(1), one_image);
    const output_ref added = convolved_in_groups(n, ones, n.builder().constant(sums), {}, 1);
    const output_ref result = convolved(n, n.convert(of.data, f32), of.centred_weights, {});
    const output_ref zero = n.reshape(whole_of(n, n.value_at(2)), view<std::int64_t>());
    return n.make(op::subtract{}, {result, n.make(op::multiply{}, {zero, added})});
}

/// The parts of the channels over which a convolution sums; empty where there are none that f32 holds.
inline lpt::integers exact_parts_of_convolution(operation& n, const known_weights& known) {
    const lpt::shape weights = n.shape(n.in(1));
    if (!weights.is_static() || weights.rank() < 3 || weights.elements() == 0) {
        return {};
    }
    const auto length = static_cast<std::size_t>(weights[1]);
    const std::size_t channels =
        known.fits(static_cast<std::size_t>(weights[0])) ? static_cast<std::size_t>(weights[0]) : 0;
    const std::size_t taps = weights.elements() / static_cast<std::size_t>(weights[0]) / length;
    const lpt::integers ends =
        ends_of_exact_sums(weights[1], channels == 0 ? 1 : channels, [&](std::int64_t k, std::size_t c) {
            std::int64_t sum = 0;
            for (std::size_t t = 0; channels != 0 && t < taps; ++t) {
                sum += known.magnitude((c * length + static_cast<std::size_t>(k)) * taps + t, c);
            }
            return channels != 0 ? sum : static_cast<std::int64_t>(taps) * 255;
        });
    return ends.size() > 1 && n.integer("group", 1) != 1 ? lpt::integers() : ends;  // a part has channels of all groups
}

inline void read_convolution_of_integers(operation& n) {
    check_zero_point(n, 0, 2);
    check_zero_point(n, 1, 3);
    const known_weights known(n, 3);
    const lpt::integers ends = exact_parts_of_convolution(n, known);
    if (ends.empty()) {
        const output_ref weights = centred(n, n.in(1), 3, 0, f64);
        return n.out(n.convert(convolved(n, centred(n, n.in(0), 2, 1, f64), weights, {}), i32));
    }
    n.out_value(0, sums_of(n, known, ends, 1, 1, 3, 0,
                           [&](const integer_operands& of) { return convolution_of_bytes(n, of, known); }));
}

/// The product of bytes less a zero point that is known only in a run, which is taken out of it, so that it multiplies bytes:
/// (a - zero) * b = a * b - zero * (sums of b's columns). `b` are `weights` less `zeros`.
inline output_ref product_of_bytes(operation& n, output_ref a, output_ref zero, output_ref b, const tensor& weights,
                                   const tensor& zeros) {
    const output_ref product = n.make(op::mat_mul{}, {n.convert(a, f32), b});
    const output_ref sums = n.builder().constant(sums_of_bytes(n, weights, 0, zeros, 1));
    return n.make(op::subtract{}, {product, n.make(op::multiply{}, {zero, sums})});
}

/// The parts of the axis over which a product sums; empty where it is not known how long that is.
inline lpt::integers exact_parts_of_product(operation& n, const known_weights& known) {
    const lpt::shape& data = n.shape(n.in(0));
    const lpt::shape& weights = n.shape(n.in(1));
    if (!weights.rank_is_static() || weights.rank() < 2 || !data.rank_is_static() || data.rank() == 0) {
        return {};
    }
    const dimension own = weights[weights.rank() - 2];
    const dimension length = own != dynamic_dimension ? own : data[data.rank() - 1];
    if (length < 1) {
        return {};
    }
    const auto columns = static_cast<std::size_t>(math::maximum<dimension>(weights[weights.rank() - 1], 0));
    if (weights.rank() != 2 || columns == 0 || !known.fits(columns)) {
        return ends_of_exact_sums(length, 1, [](std::int64_t, std::size_t) { return std::int64_t{255}; });
    }
    return ends_of_exact_sums(length, columns, [&](std::int64_t k, std::size_t c) {
        return known.magnitude(static_cast<std::size_t>(k) * columns + c, c);
    });
}

/// The product of bytes, each less its zero point: integers of 32 bits.
inline value product_of_integers(operation& n, std::size_t a_zero, std::size_t b_zero) {
    check_zero_point(n, 0, a_zero);
    check_zero_point(n, 1, b_zero);
    const known_weights known(n, b_zero);
    const lpt::integers ends = exact_parts_of_product(n, known);
    if (ends.empty()) {
        const output_ref b = centred(n, n.in(1), b_zero, -1, f64);
        return n.reader().of(n.convert(n.make(op::mat_mul{}, {centred(n, n.in(0), a_zero, -2, f64), b}), i32));
    }
    const bool is_computed = has_computed_zero_point(n, a_zero, known) && n.rank(n.in(0)) > 1 && n.rank(n.in(1)) == 2;
    const auto rows = static_cast<std::size_t>(n.rank(n.in(1)) - 2);
    return sums_of(n, known, ends, -1, rows, b_zero, -1, [&](const integer_operands& of) {
        if (!is_computed) {
            return n.make(op::mat_mul{}, {centred(n, of.data, a_zero, -2), of.centred_weights});
        }
        output_ref zero = whole_of(n, n.value_at(a_zero));
        if (n.rank(zero) == 1) {
            zero = broadcast_along(n, zero, of.data, -2, 0);
        }
        return product_of_bytes(n, of.data, zero, of.centred_weights, of.bytes, known.zeros);
    });
}
inline void read_product_of_integers(operation& n) { n.out_value(0, product_of_integers(n, 2, 3)); }

inline constexpr operator_entry integer_product_operators[] = {
    {"", "ConvInteger", read_convolution_of_integers},
    {"", "MatMulInteger", read_product_of_integers},
};

}  // namespace lpt::inline LPT_ABI::onnx
