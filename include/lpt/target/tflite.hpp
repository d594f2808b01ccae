// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/null.hpp>
#include <lpt/restriction/composition.hpp>
#include <lpt/spec/correspondence.hpp>
#include <lpt/target/callbacks.hpp>
#include <lpt/transformation/main/add.hpp>
#include <lpt/transformation/main/avg_pool.hpp>
#include <lpt/transformation/main/batch_to_space.hpp>
#include <lpt/transformation/main/concat.hpp>
#include <lpt/transformation/main/convolution.hpp>
#include <lpt/transformation/main/gather.hpp>
#include <lpt/transformation/main/group_convolution.hpp>
#include <lpt/transformation/main/interpolate.hpp>
#include <lpt/transformation/main/mat_mul.hpp>
#include <lpt/transformation/main/max_pool.hpp>
#include <lpt/transformation/main/multiply.hpp>
#include <lpt/transformation/main/multiply_partial.hpp>
#include <lpt/transformation/main/normalize_l2.hpp>
#include <lpt/transformation/main/pad.hpp>
#include <lpt/transformation/main/reduce_mean.hpp>
#include <lpt/transformation/main/reduce_sum.hpp>
#include <lpt/transformation/main/reshape.hpp>
#include <lpt/transformation/main/slice.hpp>
#include <lpt/transformation/main/space_to_batch.hpp>
#include <lpt/transformation/main/squeeze.hpp>
#include <lpt/transformation/main/subtract.hpp>
#include <lpt/transformation/main/transpose.hpp>

/// The target that the TensorFlow Lite 8-bit quantization specification describes; all of it comes from the table in lpt/spec.
namespace lpt::inline LPT_ABI {

namespace detail {

/// What a row asks of all inputs of an operation that takes any number of them.
constexpr seq<port_types> types_of_every_input(const graph& model, node_id id) {
    const spec::requirement* asks = spec::find(model[id].kind())->find(spec::operand::every_input);
    port_types all;
    for (std::size_t port = 0; port < model[id].inputs(); ++port) {
        all.ports.push_back(static_cast<std::int32_t>(port));
    }
    all.types.push_back(asks->type);
    return {all};
}

constexpr void append_restrictions(restriction_table& table, op::kind operation, const spec::row& row) {
    seq<std::int32_t, 8> per_tensor_ports;
    for (const spec::requirement& asks : row) {
        const int port = spec::port_of(asks.role);
        if (port < 0 || !can_take(operation, port, asks.type)) {
            continue;
        }
        if (asks.role == spec::operand::every_input) {
            table.precisions.push_back({operation, any_version, {}, &types_of_every_input});
            table.granularities.push_back({operation, any_version, {}, attribute::granularity::per_tensor});
            continue;
        }
        table.precisions.push_back({operation, any_version, {{port}, {asks.type}}, nullptr});
        if (asks.granularity == spec::granularity::per_tensor) {
            per_tensor_ports.push_back(port);
        }
    }
    if (!per_tensor_ports.empty()) {
        table.granularities.push_back({operation, any_version, per_tensor_ports, attribute::granularity::per_tensor});
    }
}

}  // namespace detail

/// The restrictions that the specification's table makes: of each operation that has a row and that low precision can reach, the element
/// types of its input ports, and one scale and zero point where the row asks for them.
constexpr restriction_table tflite_restrictions() {
    restriction_table result;
    for (const spec::correspondence& each : spec::correspondences) {
        if (is_quantizable(each.operation)) {
            detail::append_restrictions(result, each.operation, *spec::find(each.row));
        }
    }
    return result;
}

namespace detail {

/// True if every value of a zero point is a code of the type.
constexpr bool are_codes(const tensor& zero_points, element type) {
    for (std::size_t i = 0; i < zero_points.elements(); ++i) {
        const double value = zero_points.real(i);
        if (convert_value(type, value) != value) {
            return false;
        }
    }
    return true;
}

/// True if a dequantized activation is not what the row asks for. Products round zero points themselves; sums that are scaled, which are
/// real numbers, are no activations.
constexpr bool activation_breaks(const graph& model, const dequantization& found, element asked, bool is_product) {
    if (found.empty() || is_real(model.type(found.data))) {
        return false;
    }
    if (model.type(found.data) != asked || (found.has_multiply() && !is_scalar_like(model, found.scale))) {
        return true;
    }
    if (!found.has_subtract()) {
        return false;
    }
    const tensor& zero_points = constant_of(model, found.zero_point);
    return !is_scalar_like(zero_points) || (!is_product && !are_codes(zero_points, asked));
}

constexpr double first_value(const graph& model, node_id constant, double otherwise) {
    return constant == node_id::none ? otherwise : constant_of(model, constant).real(0);
}
/// True if two dequantizations with one scale and zero point each make the same numbers of the same codes.
constexpr bool is_same_quantization(const graph& model, const dequantization& one, const dequantization& other) {
    return first_value(model, one.scale, 1) == first_value(model, other.scale, 1) &&
           first_value(model, one.zero_point, 0) == first_value(model, other.zero_point, 0);
}

/// True if arithmetic with a constant would leave codes with several scales or zero points.
constexpr bool spreads_quantization(const graph& model, node_id id, const dequantization& found) {
    if (found.empty() || is_real(model.type(found.data)) || model[id].inputs() != 2) {
        return false;
    }
    const tensor* constant = model.constant_value(model[id].input(1));
    return !is_null(constant) && !is_scalar_like(*constant);
}

/// True if weights have another type, a zero point, or a code below the lowest that the row allows.
constexpr bool weights_break(const rewrite& r, node_id id, const spec::requirement& asks) {
    const weights_source weights = find_weights(r.model, id, r.options.default_precisions);
    if (!is_constant_path(r.model, r.model[id].input(1).node)) {
        return false;  // a product of activations, which has no row
    }
    if (asks.is_symmetric() && is_asymmetric_on_weights(r, id)) {
        return true;
    }
    if (weights.found.empty()) {
        const std::int64_t most_levels = asks.highest - asks.lowest + 1;
        return weights.fake_quantize != node_id::none &&
               r.model[weights.fake_quantize].as<op::fake_quantize>().levels > most_levels;
    }
    const tensor* codes = r.model.constant_value(weights.found.data);
    if (is_null(codes)) {
        return false;
    }
    if (codes->type() != asks.type) {
        return true;
    }
    for (std::size_t i = 0; i < codes->elements(); ++i) {
        if (codes->integer(i) < asks.lowest) {
            return true;
        }
    }
    return false;
}

}  // namespace detail

namespace callback {

/// True for an operation whose codes would break its row of the TensorFlow Lite specification: activations with several scales, zero
/// points that are no codes, scales that differ where the row asks for equal ones, weights with a zero point or with codes below the row's range.
/// Weights of a FakeQuantize with more levels than the range has codes (256) are among them.
[[gnu::noinline]] constexpr bool breaks_tflite_specification(const rewrite& r, node_id id) {
    const graph& model = r.model;
    const spec::row* row = spec::find(model[id].kind());
    if (is_null(row)) {
        return false;
    }
    const bool is_product = row->names(spec::operand::weight);
    const dequantization first = find_dequantization(r, id);
    if (row->names(spec::operand::input_1) && lpt::detail::spreads_quantization(model, id, first)) {
        return true;
    }
    for (const spec::requirement& asks : *row) {
        if (spec::port_of(asks.role) < 0) {
            continue;
        }
        const auto port = static_cast<std::size_t>(spec::port_of(asks.role));
        if (asks.role == spec::operand::weight) {
            if (lpt::detail::weights_break(r, id, asks)) {
                return true;
            }
            continue;
        }
        const std::size_t end = asks.role == spec::operand::every_input ? model[id].inputs() : port + 1;
        for (std::size_t each = port; each < end; ++each) {
            const dequantization found = find_dequantization(r, id, each);
            if (lpt::detail::activation_breaks(model, found, asks.type, is_product) ||
                (row->same_quantization && !found.empty() && !first.empty() &&
                 !lpt::detail::is_same_quantization(model, first, found))) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace callback

namespace detail {

/// Codes of any other type stay real numbers.
constexpr void set_tflite_options(transformation_options& options) {
    options.default_precisions = {spec::rule<spec::op::add>(spec::operand::input_0).type};
}

template <class... Transformations>
using specification_target = target_of<computed_restrictions<tflite_restrictions>, set_options<&set_tflite_options>,
                                       skip<Transformations, callback::breaks_tflite_specification>...>;

}  // namespace detail

/// The TensorFlow Lite 8-bit specification as a target: signed activations with one scale and zero point, symmetric signed weights.
///
/// What would break the specification stays in floating point (`callback::breaks_tflite_specification`). The default precisions are i8
/// alone. `check::violations_of` finds nothing in what the transformations make with it.
inline constexpr auto tflite_specification = detail::specification_target<
    add_transformation, avg_pool_transformation, batch_to_space_transformation, concat_transformation,
    convolution_transformation, gather_transformation, group_convolution_transformation, interpolate_transformation,
    mat_mul_transformation, max_pool_transformation, multiply_partial_transformation, multiply_transformation,
    normalize_l2_transformation, pad_transformation, reduce_mean_transformation, reduce_sum_transformation,
    reshape_transformation, slice_transformation, space_to_batch_transformation, squeeze_transformation,
    subtract_transformation, transpose_transformation>{};

}  // namespace lpt::inline LPT_ABI
