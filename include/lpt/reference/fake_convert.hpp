// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference {

/// FakeConvert: y = (to_8_bits(x * scale - shift) + shift) / scale, where to_8_bits saturates to the greatest finite value of the type
/// and rounds to nearest even. Products in the number type of x.
[[gnu::cold]] inline bool evaluate_fake_convert(const call& node, seq<tensor>& outputs) {
    const element type = node.as<op::fake_convert>().destination_type;
    const double most = facts(type).highest;
    const tensor zero = make_scalar(node.input(0).type(), 0);
    const tensor& shifts = node.has(2) ? node.input(2) : zero;
    outputs.push_back(detail::with_real(node.output().type, [&](auto number) {
        using real = decltype(number);
        detail::operand<real> x(node.input(0));
        detail::operand<real> scale(node.input(1));
        detail::operand<real> shift(shifts);
        detail::outcome<real> result(node.output());
        const evaluation::broadcast_walk<3> walk(node.output().dimensions,
                                                 {&node.dimensions(0), &node.dimensions(1), &shifts.dimensions()});
        walk.for_each_row([&](const evaluation::broadcast_walk<3>::row& row) {
            for (std::size_t i = 0; i < row.length; ++i) {
                const real factor = scale[row.at[1] + i * row.step[1]];
                const real offset = shift[row.at[2] + i * row.step[2]];
                const auto moved = static_cast<double>(x[row.at[0] + i * row.step[0]] * factor - offset);
                const double limited = math::minimum(math::maximum(moved, -most), most);
                result[row.output + i] = (static_cast<real>(round_to_real(type, limited)) + offset) / factor;
            }
        });
        return result.finish();
    }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
