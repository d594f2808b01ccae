// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composed/short_time_transform.hpp>
#include <lpt/import/onnx/operation.hpp>

#include <cmath>

/// Running products and Fourier transforms.
namespace lpt::inline LPT_ABI::onnx {

/// Products along an axis up to each place, by the sums of logarithms, of signs and of zeros: the axis may be known only when the network runs.
inline void read_cumulative_product(operation& n) {
    const element type = n.type(n.in(0));
    const output_ref x = n.convert(n.in(0), f64);
    const output_ref axis = n.shape(n.in(1)).rank() == 0 ? n.in(1) : n.reshape(n.in(1), view<std::int64_t>());
    op::cum_sum what;
    what.exclusive = n.flag("exclusive");
    what.reverse = n.flag("reverse");
    const output_ref zero = n.like(x, 0);
    const output_ref is_zero = n.make(op::equal{}, {x, zero});
    const output_ref size = n.make(op::select{}, {is_zero, n.like(x, 1), n.make(op::abs{}, {x})});
    const output_ref product = n.make(op::exp{}, {n.make(what, {n.make(op::log{}, {size}), axis})});
    const output_ref negatives = n.make(what, {n.convert(n.make(op::less{}, {x, zero}), f64), axis});
    const output_ref odd = n.make(op::equal{}, {n.make(op::floor_mod{}, {negatives, n.like(x, 2)}), n.like(x, 1)});
    const output_ref with_sign = n.make(op::select{}, {odd, n.make(op::negative{}, {product}), product});
    const output_ref zeros = n.make(what, {n.convert(is_zero, f64), axis});
    const output_ref result = n.make(op::select{}, {n.make(op::greater{}, {zeros, zero}), zero, with_sign});
    n.out(n.convert(is_real(type) ? result : n.make(op::round{}, {result}), type));
}

/// One of the Fourier transforms of the library: axis and length may be known only when the network runs.
inline output_ref fourier_transform(operation& n, output_ref axis, bool is_inverse, bool is_one_sided) {
    const output_ref x = n.in(0);
    const auto last = static_cast<std::int64_t>(n.rank(x)) - 1;
    const bool is_complex = n.size_of(x, static_cast<std::size_t>(last)) == 2;
    seq<output_ref> inputs{x, axis};
    if (n.has(1)) {
        inputs.push_back(n.reshape(n.convert(n.in(1), i64), {1}));
    }
    if (is_inverse && is_one_sided && is_complex) {
        return n.unsqueeze(n.make(op::irdft{}, inputs), {last});
    }
    if (!is_inverse && is_one_sided && !is_complex) {
        inputs[0] = n.squeeze(x, {last});
        return n.make(op::rdft{}, inputs);
    }
    if (is_one_sided) {
        n.wrong({"a one-sided transform takes real numbers, its inverse complex ones"});
    }
    if (!is_complex) {
        inputs[0] = n.concat({x, n.broadcast(n.like(x, 0), n.shape_of(x))}, last);
    }
    return is_inverse ? n.make(op::idft{}, inputs) : n.make(op::dft{}, inputs);
}

/// The discrete Fourier transform along an axis of real or complex numbers, whose two parts lie along the last axis: two products with a matrix
/// where axis and length are known and small.
inline void read_fourier_transform(operation& n) {
    const output_ref x = n.in(0);
    const std::size_t rank = n.rank(x);
    const dimension parts = rank < 2 ? 0 : n.shape(x)[rank - 1];
    if (parts < 1 || parts > 2) {
        n.wrong({"data of shape ", n.shape(x), " has no real or complex numbers along its last axis"});
    }
    const bool inverse = n.flag("inverse");
    const bool one_sided = n.flag("onesided");
    constexpr std::int64_t longest = 4096;
    const auto last = static_cast<std::int64_t>(rank) - 1;
    if (n.has(2) && n.version() >= 20 && !n.is_known(2)) {
        const output_ref given = n.reshape(n.convert(n.in(2), i64), {1});
        return n.out(fourier_transform(n, n.make(op::floor_mod{}, {given, n.indices({last + 1})}), inverse, one_sided));
    }
    std::int64_t axis = n.version() < 20 ? n.integer("axis", 1) : n.has(2) ? n.known_input(2).integer(0) : -2;
    axis = n.axis_of(axis, rank);
    const bool to_real = inverse && one_sided;
    if (axis == last || (to_real && parts != 2)) {
        n.wrong({"a transform along axis ", axis, " of data of shape ", n.shape(x), " is not possible"});
    }
    const bool is_open = n.shape(x).is_dynamic() || (n.has(1) && !n.is_known(1));
    const dimension size = n.shape(x)[static_cast<std::size_t>(axis)];
    const std::int64_t full = is_open                      ? longest + 1
                              : n.has(1)                   ? n.known_input(1).integer(0)
                              : to_real && size <= longest ? 2 * (size - 1)
                                                           : size;
    if (full > longest) {
        return n.out(fourier_transform(n, n.indices({axis}), inverse, one_sided));
    }
    if (full < 1) {
        n.wrong({"a transform of length ", full, " is not possible"});
    }
    const lpt::shape sizes = n.shape(x);
    const std::int64_t half = full / 2 + 1;
    const std::int64_t kept = math::minimum(to_real ? half : full, sizes[static_cast<std::size_t>(axis)]);
    const std::int64_t wanted = one_sided && !inverse ? half : full;
    seq<double> cosines;
    seq<double> sines;
    for (std::int64_t i = 0; i < kept; ++i) {
        // Of a real signal the other half of the spectrum is the same with the opposite imaginary parts.
        const double times = to_real && i != 0 && 2 * i != full ? 2 : 1;
        const double divisor = (inverse ? static_cast<double>(full) : 1.0) / times;
        for (std::int64_t k = 0; k < wanted; ++k) {
            const double angle = 6.283185307179586 * static_cast<double>(i * k % full) / static_cast<double>(full);
            cosines.push_back(std::cos(angle) / divisor);
            sines.push_back(std::sin(angle) / (inverse ? -divisor : divisor));
        }
    }
    const element type = n.type(x);
    const output_ref cosine = n.builder().constant(make_tensor(type, lpt::shape{kept, wanted}, cosines));
    const output_ref sine = n.builder().constant(make_tensor(type, lpt::shape{kept, wanted}, sines));
    lpt::integers order;
    for (std::int64_t i = 0; i < last; ++i) {
        order.push_back(i);
    }
    std::swap(order[static_cast<std::size_t>(axis)], order[order.size() - 1]);
    const auto part = [&](std::int64_t which) {
        const output_ref one = n.squeeze(n.slice(x, last, which, which + 1), {last});
        return n.transpose(n.slice(one, axis, 0, kept), order);
    };
    const auto product = [&](output_ref of, output_ref with) { return n.make(op::mat_mul{}, {of, with}); };
    output_ref real = product(part(0), cosine);
    output_ref imaginary = n.make(op::negative{}, {product(part(0), sine)});
    if (sizes[sizes.rank() - 1] == 2) {
        real = n.make(op::add{}, {real, product(part(1), sine)});
        if (to_real) {
            return n.out(n.unsqueeze(n.transpose(real, order), {last}));
        }
        imaginary = n.make(op::add{}, {imaginary, product(part(1), cosine)});
    }
    n.out(n.concat({n.unsqueeze(n.transpose(real, order), {last}), n.unsqueeze(n.transpose(imaginary, order), {last})},
                   last));
}

inline void read_short_time_transform(operation& n) {
    if (!n.has(2) && !n.has(3)) {
        n.wrong({"needs a window or a length"});
    }
    n.out(composed::short_time_transform(n, n.in(0), n.in(1), n.has(3) ? n.in(3) : n.size_along(n.in(2), 0),
                                         n.has(2) ? n.in(2) : output_ref(), n.flag("onesided", true)));
}

/// How much each frequency of a spectrum counts for each of some bands, which lie evenly on the mel scale.
inline void read_mel_weights(operation& n) {
    const auto scalar = [&](std::size_t port) { return n.reshape(n.convert(n.in(port), f64), view<std::int64_t>()); };
    const auto number = [&](double value) { return n.builder().real(value, f64); };
    const auto sum = [&](output_ref a, output_ref b) { return n.make(op::add{}, {a, b}); };
    const auto difference = [&](output_ref a, output_ref b) { return n.make(op::subtract{}, {a, b}); };
    const auto product = [&](output_ref a, output_ref b) { return n.make(op::multiply{}, {a, b}); };
    const auto quotient = [&](output_ref a, output_ref b) { return n.make(op::divide{}, {a, b}); };
    const auto is_less = [&](output_ref a, output_ref b) { return n.make(op::less{}, {a, b}); };
    const double per_mel = std::log(10.0) / 2595;
    const auto mel = [&](output_ref hertz) {
        return quotient(n.make(op::log{}, {sum(quotient(hertz, number(700)), number(1))}), number(per_mel));
    };
    const output_ref bands = n.reshape(n.convert(n.in(0), i64), view<std::int64_t>());
    const output_ref length = scalar(1);
    const output_ref points = n.make(op::add{}, {bands, n.integer_constant(2)});
    const output_ref lowest = mel(scalar(3));
    const output_ref step = quotient(difference(mel(scalar(4)), lowest), n.convert(points, f64));
    const output_ref mels = sum(product(n.convert(n.counted(points), f64), step), lowest);
    const output_ref hertz =
        product(difference(n.make(op::exp{}, {product(mels, number(per_mel))}), number(1)), number(700));
    const output_ref all = n.make(op::floor{}, {quotient(product(sum(length, number(1)), hertz), scalar(2))});
    const auto points_from = [&](std::int64_t first) {
        return n.gather(all, n.make(op::add{}, {n.counted(bands), n.integer_constant(first)}), 0);
    };
    const output_ref left = points_from(0);
    const output_ref centre = points_from(1);
    const output_ref right = points_from(2);
    const output_ref half = n.make(op::floor{}, {quotient(length, number(2))});
    const output_ref rows = n.convert(n.make(op::add{}, {n.convert(half, i64), n.integer_constant(1)}), i64);
    const output_ref row = n.unsqueeze(n.convert(n.counted(rows), f64), {1});
    const auto width = [&](output_ref from, output_ref to) {
        return n.make(op::maximum{}, {difference(to, from), number(1)});
    };
    const output_ref no_rise = n.make(op::equal{}, {left, centre});
    const output_ref up =
        n.make(op::select{}, {no_rise, number(1), quotient(difference(row, left), width(left, centre))});
    const output_ref down = quotient(difference(right, row), width(centre, right));
    const auto between = [&](output_ref from, output_ref to) {
        return n.make(op::logical_and{}, {n.make(op::greater_equal{}, {row, from}), to});
    };
    const output_ref rises = between(left, n.make(op::less_equal{}, {row, centre}));
    const output_ref falls = between(centre, is_less(row, right));
    const output_ref weights = n.make(op::select{}, {falls, down, n.make(op::select{}, {rises, up, number(0)})});
    n.out(n.convert(weights, n.type_attribute("output_datatype", f32)));
}

inline constexpr operator_entry signal_operators[] = {
    {"", "CumProd", read_cumulative_product},
    {"", "DFT", read_fourier_transform},
    {"", "STFT", read_short_time_transform},
    {"", "MelWeightMatrix", read_mel_weights},
};

}  // namespace lpt::inline LPT_ABI::onnx
