// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

#include <cmath>

/// Running products, Fourier transforms, and bits seen as another type.
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

/// The discrete Fourier transform along an axis of real or complex numbers, whose two parts lie along the last axis.
inline void read_fourier_transform(operation& n) {
    const output_ref x = n.in(0);
    const lpt::shape sizes = n.static_shape(x);
    if (sizes.rank() < 2 || sizes[sizes.rank() - 1] < 1 || sizes[sizes.rank() - 1] > 2) {
        n.wrong({"data of shape ", sizes, " has no real or complex numbers along its last axis"});
    }
    std::int64_t axis = n.version() < 20 ? n.integer("axis", 1) : n.has(2) ? n.known_input(2).integer(0) : -2;
    axis = n.axis_of(axis, sizes.rank());
    const std::int64_t length = n.has(1) ? n.known_input(1).integer(0) : sizes[static_cast<std::size_t>(axis)];
    const bool inverse = n.flag("inverse");
    const bool one_sided = n.flag("onesided");
    constexpr std::int64_t longest = 4096;
    const auto last = static_cast<std::int64_t>(sizes.rank()) - 1;
    if (length < 1 || length > longest || axis == last || (inverse && one_sided)) {
        n.wrong({"a transform of length ", length, " along axis ", axis, " is not supported"});
    }
    const std::int64_t kept = math::minimum(length, sizes[static_cast<std::size_t>(axis)]);
    const std::int64_t wanted = one_sided ? length / 2 + 1 : length;
    seq<double> cosines;
    seq<double> sines;
    for (std::int64_t i = 0; i < kept; ++i) {
        for (std::int64_t k = 0; k < wanted; ++k) {
            const double angle = 6.283185307179586 * static_cast<double>(i * k % length) / static_cast<double>(length);
            cosines.push_back(std::cos(angle) / (inverse ? static_cast<double>(length) : 1.0));
            sines.push_back(std::sin(angle) / (inverse ? -static_cast<double>(length) : 1.0));
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
        imaginary = n.make(op::add{}, {imaginary, product(part(1), cosine)});
    }
    n.out(n.concat({n.unsqueeze(n.transpose(real, order), {last}), n.unsqueeze(n.transpose(imaginary, order), {last})},
                   last));
}

/// The bits of integers seen as other integers of as many bits.
inline void read_bit_cast(operation& n) {
    const element from = n.type(n.in(0));
    const element to = known_element_of(n.integer("to", 0), n.builder());
    if (bit_width(from) != bit_width(to) || is_real(from) || is_real(to)) {
        n.wrong({"bits of ", lpt::name(from), " as ", lpt::name(to), " are not supported"});
    }
    n.out(n.convert(n.in(0), to));
}

inline constexpr operator_entry signal_operators[] = {
    {"", "CumProd", read_cumulative_product},
    {"", "DFT", read_fourier_transform},
    {"", "BitCast", read_bit_cast},
};

}  // namespace lpt::inline LPT_ABI::onnx
