// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>
#include <lpt/import/tflite/activation.hpp>
#include <lpt/import/tflite/spectrum.hpp>

#include <numbers>

/// Functions of elements.
namespace lpt::inline LPT_ABI::tflite {

// ---- of two tensors

/// The operands of an operator that broadcasts its inputs, and the order of axes that they agree about.
struct operands {
    axes order = axes::as_in_file;
    seq<output_ref, 5> inputs;
};

inline operands broadcast_operands(network& net, const std::vector<std::size_t>& ports) {
    std::size_t rank = 0;
    bool may_be_first = true;
    for (const std::size_t port : ports) {
        rank = std::max(rank, net.input_info(port).dimensions.rank());
    }
    for (const std::size_t port : ports) {  // sizes that are open cannot be put in front of others
        const tensor_info& info = net.input_info(port);
        may_be_first = may_be_first && (info.dimensions.rank() == rank || info.signature.is_static());
    }
    operands result;
    result.order = rank == 4 && may_be_first ? net.order_for_all(ports) : axes::as_in_file;
    for (const std::size_t port : ports) {
        result.inputs.push_back(net.operand(port, rank, result.order));
    }
    return result;
}

template <class Operation>
void make_binary(network& net) {
    const operands both = broadcast_operands(net, {0, 1});
    net.give(activated(net, net.make().add(Operation{}, both.inputs)), both.order);
}
/// The greater or the less of two: a code of the inputs, where all have the same quantization.
template <class Operation>
void make_choice(network& net) {
    const operands both = broadcast_operands(net, {0, 1});
    const output_ref result = net.make().add(Operation{}, both.inputs);
    if (same_quantization(net.input_info(0), net.input_info(1))) {
        net.give_moved(result, both.order, 0);
    } else {
        net.give(result, both.order);
    }
}
inline void make_floor_div(network& net) {
    const operands both = broadcast_operands(net, {0, 1});
    op::divide what;
    what.m_pythondiv = true;
    const output_ref quotient = net.make().add(what, both.inputs);
    net.give(is_real(net.make().type_of(quotient)) ? net.make().add(op::floor{}, {quotient}) : quotient, both.order);
}
inline void make_div(network& net) {
    const operands both = broadcast_operands(net, {0, 1});
    op::divide what;
    what.m_pythondiv = false;  // integers towards zero
    net.give(activated(net, net.make().add(what, both.inputs)), both.order);
}
/// The angle of the point (x, y), the second input and the first. A quotient loses the quadrant, and is nothing where both are zero or both infinite.
inline void make_atan2(network& net) {
    composer n(net.make());
    const operands both = broadcast_operands(net, {0, 1});
    const output_ref y = both.inputs[0];
    const output_ref x = both.inputs[1];
    const output_ref zero = n.like(y, 0);
    const auto each_is = [&](const op::attributes& what, output_ref of) { return n.make(what, {of}); };
    const auto is_zero = [&](output_ref of) { return n.make(op::equal{}, {of, zero}); };
    // Below zero, or the zero whose reciprocal is.
    const auto is_negative = [&](output_ref of) {
        const output_ref reciprocal = n.make(op::divide{}, {n.like(of, 1), of});
        return n.make(op::logical_or{}, {n.make(op::less{}, {of, zero}), n.make(op::less{}, {reciprocal, zero})});
    };
    const output_ref are_infinite = n.make(op::logical_and{}, {each_is(op::is_inf{}, y), each_is(op::is_inf{}, x)});
    const output_ref of_signs = n.make(op::multiply{}, {each_is(op::sign{}, y), each_is(op::sign{}, x)});
    output_ref ratio = n.make(op::select{}, {are_infinite, of_signs, n.make(op::divide{}, {y, x})});
    const output_ref are_zero = n.make(op::logical_and{}, {is_zero(y), is_zero(x)});
    ratio = n.make(op::select{}, {are_zero, y, ratio});
    const output_ref half =
        n.make(op::select{}, {is_negative(y), n.like(y, -std::numbers::pi), n.like(y, std::numbers::pi)});
    const output_ref turned = n.make(op::select{}, {is_negative(x), half, zero});
    net.give(n.make(op::add{}, {n.make(op::atan{}, {ratio}), turned}), both.order);
}
inline void make_select(network& net) {
    const tensor_info& condition = net.input_info(0);
    const tensor_info& chosen = net.input_info(1);
    if (condition.dimensions.rank() == 1 && chosen.dimensions.rank() > 1 && net.op().code == builtin::select) {
        shape rows = shape::of_ones(chosen.dimensions.rank());  // one truth value chooses a whole row
        rows[0] = condition.dimensions[0];
        const output_ref which =
            net.make().add(op::reshape{}, {net.real_input(0), net.make().indices(rows.dimensions())});
        net.give(net.make().add(op::select{}, {which, net.real_input(1), net.real_input(2)}));
        return;
    }
    const operands all = broadcast_operands(net, {0, 1, 2});
    const output_ref result = net.make().add(op::select{}, all.inputs);
    if (same_quantization(chosen, net.input_info(2))) {
        net.give_moved(result, all.order, 1);
    } else {
        net.give(result, all.order);
    }
}
inline void make_add_n(network& net) {
    output_ref sum = net.real_input(0);
    for (std::size_t port = 1; port < net.op().inputs.size(); ++port) {
        sum = net.make().add(op::add{}, {sum, net.real_input(port)});
    }
    net.give(sum);
}

// ---- of one tensor

/// Calls `function` with the input in the order in which it is there, and gives what comes back.
template <class Function>
void make_of_one(network& net, Function&& function) {
    const axes order = net.order_for_all({0});
    net.give(function(net.real_input(0, order)), order);
}
template <class Operation>
void make_unary(network& net) {
    make_of_one(net, [&](output_ref data) { return net.make().add(Operation{}, {data}); });
}
/// A number of the type of some data.
inline output_ref number_like(network& net, output_ref data, double value) {
    return net.make().real(value, net.make().type_of(data));
}
inline void make_limited(network& net, double low, double high) {
    make_of_one(net, [&](output_ref data) {
        if (is_within(net.output_info(), low, high)) {
            return data;
        }
        return high == math::infinity ? net.make().add(op::relu{}, {data})
                                      : net.make().add(op::clamp{{}, low, high}, {data});
    });
}
inline void make_relu(network& net) { make_limited(net, 0, math::infinity); }
inline void make_relu6(network& net) { make_limited(net, 0, 6); }
inline void make_relu_n1_to_1(network& net) { make_limited(net, -1, 1); }
inline void make_relu_0_to_1(network& net) { make_limited(net, 0, 1); }

inline void make_elu(network& net) {
    make_of_one(net, [&](output_ref data) { return net.make().add(op::elu{{}, 1.0}, {data}); });
}
inline void make_leaky_relu(network& net) {
    make_of_one(net, [&](output_ref data) {
        const output_ref slope = net.make().constant(make_tensor(f32, shape{1}, {net.op().real("alpha")}));
        return net.make().add(op::prelu{}, {data, slope});
    });
}
inline void make_prelu(network& net) {
    const std::size_t rank = net.input_info(0).dimensions.rank();
    const tensor_info& slope = net.input_info(1);
    const axes order = rank == 4 && slope.is_constant() ? net.order_for_all({0}) : axes::as_in_file;
    output_ref by = net.operand(1, rank, order);
    if (order == axes::as_in_file &&
        slope.dimensions.rank() < rank) {  // one axis alone would be taken for the channels
        by = net.make().add(op::reshape{}, {by, net.make().indices(slope.dimensions.padded_left(rank).dimensions())});
    }
    net.give(net.make().add(op::prelu{}, {net.real_input(0, order), by}), order);
}
inline void make_gelu(network& net) {
    make_of_one(net, [&](output_ref data) {
        const bool by_tanh = net.op().flag("approximate");
        return net.make().add(op::gelu{{}, by_tanh ? op::gelu_approximation::tanh : op::gelu_approximation::erf},
                              {data});
    });
}
inline void make_rsqrt(network& net) {
    make_of_one(net, [&](output_ref data) {
        return net.make().add(op::divide{}, {number_like(net, data, 1), net.make().add(op::sqrt{}, {data})});
    });
}
inline void make_square(network& net) {
    make_of_one(net, [&](output_ref data) { return net.make().add(op::multiply{}, {data, data}); });
}
inline void make_zeros_like(network& net) {
    make_of_one(net,
                [&](output_ref data) { return net.make().add(op::multiply{}, {data, number_like(net, data, 0)}); });
}

// ---- between types

/// Of complex numbers the real parts.
inline void make_cast(network& net) {
    if (has_spectrum(net)) {
        return make_part_of_spectrum<0>(net);
    }
    const element type = element_of(net.output_info().type);
    if (type == dynamic) {
        net.wrong("cannot give the type ", name(net.output_info().type));
    }
    const axes order = net.order_for_all({0});
    net.give(net.make().add(op::convert{type}, {net.codes(net.input(0), order)}), order);
}
/// Real numbers become integers: giving them is all there is to do.
inline void make_quantize(network& net) {
    const axes order = net.order_for_all({0});
    net.give(net.real_input(0, order), order);
}
/// Integers, or real numbers of 16 bits, become real numbers.
inline void make_dequantize(network& net) {
    const axes order = net.order_for_all({0});
    const output_ref data = net.real_input(0, order);
    net.give(net.make().type_of(data) == f32 ? data : net.make().add_node(op::convert{f32}, {data}), order);
}
inline void make_fake_quant(network& net) {
    const double low = net.op().real("min");
    const double high = net.op().real("max");
    const std::int64_t bits = net.op().integer("num_bits");
    if (!(low < high) || bits < 2 || bits > 16) {
        net.wrong("has the range ", low, " to ", high, " in ", bits, " bits");
    }
    const double lowest = net.op().flag("narrow_range") ? 1 : 0;
    const double highest = static_cast<double>((std::int64_t{1} << bits) - 1);
    const double scale = (high - low) / (highest - lowest);
    // The range is moved so that zero is a level.
    const double zero = math::minimum(math::maximum(std::round(lowest - low / scale), lowest), highest);
    make_of_one(net, [&](output_ref data) {
        const output_ref from = net.make().real((lowest - zero) * scale);
        const output_ref to = net.make().real((highest - zero) * scale);
        return net.make().add(op::fake_quantize{static_cast<std::int64_t>(highest - lowest) + 1},
                              {data, from, to, from, to});
    });
}

}  // namespace lpt::inline LPT_ABI::tflite
