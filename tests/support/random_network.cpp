// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_network.hpp"

#include <lpt/graph/traverse.hpp>
#include <lpt/op/all.hpp>
#include <lpt/target/cpu_arm.hpp>
#include <lpt/target/cpu_x86.hpp>
#include <lpt/target/cpu_x86_amx.hpp>
#include <lpt/target/gpu.hpp>

#include <algorithm>
#include <utility>

namespace lpt::support {

namespace {

/// An output of the network that further layers may read, and about how large its values are. The estimate only serves to
/// choose ranges that fit; it is plain arithmetic, so that it is the same everywhere.
struct value {
    output_ref at;
    double low = -4;
    double high = 4;
    bool is_stored_integer = false;  // has passed no FakeQuantize and needs none: it is dequantized input

    double size() const { return std::max({-low, high, 0.01}); }
};

class builder {
    random_numbers random_;
    graph model_;
    element type_ = f32;  // of the network's real numbers
    bool keep_batch_open_ = false;  // no layer may write down the size of the batch
    std::vector<value> values_;
    std::vector<shape> input_shapes_;
    seq<node_id> scalars_;  // constants that several layers share
    bool is_body_ = false;  // without states, inputs and bodies of its own

    // ---- constants

    output_ref indices(view<std::int64_t> numbers) { return model_.constant(make_indices(numbers)); }
    output_ref number(double real) { return scalar(type_, real); }
    output_ref scalar(element type, double real) {
        if (random_.chance(30)) {
            for (const node_id known : scalars_) {
                const tensor& held = model_[known].as<op::constant>().value;
                if (held.type() == type && held.real(0) == convert_value(type, real)) {
                    return known;
                }
            }
        }
        scalars_.push_back(model_.constant(make_scalar(type, real)));
        return scalars_.back();
    }
    output_ref filled(element type, const shape& dimensions, double low, double high) {
        tensor_builder result(type, dimensions);
        for (std::size_t i = 0; i < result.elements(); ++i) {
            result.real(i, is_real(type) ? random_.real(low, high)
                                         : static_cast<double>(random_.between(static_cast<std::int64_t>(low),
                                                                               static_cast<std::int64_t>(high))));
        }
        return model_.constant(result.finish());
    }
    /// `[1, C, 1…]` or, one axis shorter, `[C, 1…]`.
    shape per_channel_shape(const shape& data, bool may_be_shorter) {
        shape result = shape::of_ones(data.rank());
        if (data.rank() > 1) {
            result[1] = data[1];
            if (may_be_shorter && random_.chance(20)) {
                result.erase(0);
            }
        }
        return result;
    }
    shape single_shape(const shape& data) {
        switch (random_.below(4)) {
            case 0: return shape{1};
            case 1: return shape::of_ones(data.rank());
            default: return {};
        }
    }

    // ---- values

    const shape& dimensions(const value& of) const { return model_.shape(of.at); }
    void keep(output_ref at, double low, double high) { values_.push_back({at, low, high}); }
    void keep_symmetric(output_ref at, double size) { keep(at, -size, size); }
    output_ref add(op::attributes what, view<output_ref> inputs, int version = -1) {
        return model_.add(std::move(what), inputs, {}, version);
    }
    value pick_value() {
        if (random_.chance(60)) {
            return values_.back();
        }
        const std::size_t recent = std::min<std::size_t>(values_.size(), 6);
        return values_[values_.size() - 1 - random_.index(recent)];
    }

    // ---- FakeQuantize

    struct range {
        double low;
        double high;
    };
    std::int64_t pick_levels() {
        switch (random_.below(20)) {
            case 0: return 16;
            case 1: return 15;
            case 2: return 65536;
            case 3: return 65535;
            case 4: return random_.pick<std::int64_t>({2, 3, 17, 128, 250, 1024});
            case 5:
            case 6:
            case 7: return 255;
            default: return 256;
        }
    }
    /// A number as it comes out of training, or a decimal, or a power of two times `levels - 1`.
    double pick_end(double about, std::int64_t levels) {
        const double steps = static_cast<double>(levels - 1);
        switch (random_.below(3)) {
            case 0: {
                double step = 0x1p-16;
                while (step * steps < about) {
                    step *= 2;
                }
                return step * steps;
            }
            case 1: return static_cast<double>(static_cast<std::int64_t>(about / steps * 1000) + 1) / 1000 * steps;
            default: return about;
        }
    }
    range pick_range(const value& data, std::int64_t levels) {
        const double size = data.size() * random_.real(0.4, 1.3);
        const double steps = static_cast<double>(levels - 1);
        const double end = pick_end(size, levels);
        const bool is_unsigned = data.low >= 0 ? random_.chance(85) : random_.chance(20);
        if (is_unsigned) {
            return {0, end};
        }
        switch (random_.below(6)) {
            case 0:  // as many steps below zero as above
                return {-end, end};
            case 1: {  // any two ends
                const double low = data.low * random_.real(0.3, 1.2);
                const double high = data.high * random_.real(0.3, 1.2);
                return low < high ? range{low, high} : range{-size, size / 2};
            }
            case 2: {  // zero is one of the steps
                const double step = 2 * size / steps;
                const double zero = static_cast<double>(random_.between(0, levels - 1));
                return {-zero * step, (steps - zero) * step};
            }
            case 3:  // without zero
                return random_.chance(50) ? range{size * 0.1, size} : range{-size, -size * 0.2};
            default:  // one step more below zero
                return levels % 2 == 0 ? range{-end, end * (steps - 1) / (steps + 1)} : range{-end, end};
        }
    }
    output_ref bound(double real, const shape& dimensions, const std::vector<double>& factors) {
        if (dimensions.elements() == 1) {
            return dimensions.rank() == 0 ? number(real)
                                          : output_ref(model_.constant(make_tensor(type_, dimensions, {real})));
        }
        tensor_builder result(type_, dimensions);
        for (std::size_t i = 0; i < result.elements(); ++i) {
            result.real(i, real * factors[i]);
        }
        return model_.constant(result.finish());
    }
    std::vector<double> pick_factors(std::size_t count) {
        std::vector<double> factors(count, 1);
        const bool are_powers = random_.chance(30);
        for (double& each : factors) {
            each = are_powers ? random_.pick({0.25, 0.5, 1.0}) : random_.real(0.25, 1);
        }
        return factors;
    }
    output_ref fake_quantize(output_ref data, std::int64_t levels, range in, range out, const shape& in_shape,
                             const shape& out_shape, bool same) {
        const std::vector<double> in_factors = pick_factors(in_shape.elements());
        const std::vector<double> out_factors = in_shape == out_shape ? in_factors : pick_factors(out_shape.elements());
        const output_ref in_low = bound(in.low, in_shape, in_factors);
        const output_ref in_high = bound(in.high, in_shape, in_factors);
        const bool shares = same && in_shape == out_shape && random_.chance(50);
        const output_ref out_low = shares ? in_low : bound(out.low, out_shape, out_factors);
        const output_ref out_high = shares ? in_high : bound(out.high, out_shape, out_factors);
        return add(op::fake_quantize{levels}, {data, in_low, in_high, out_low, out_high});
    }
    value quantize(const value& data) {
        if (random_.chance(15)) {
            return quantize_and_dequantize(data);
        }
        const std::int64_t levels = pick_levels();
        const range in = pick_range(data, levels);
        const bool same = random_.chance(80);
        range out = in;
        if (!same) {
            const double factor = random_.pick({0.5, 2.0, 1.5});
            out = random_.chance(60) ? range{in.low * factor, in.high * factor} : pick_range(data, levels);
        }
        const shape single = single_shape(dimensions(data));
        const shape channels = per_channel_shape(dimensions(data), true);
        const bool per_channel = random_.chance(25);
        const shape in_shape = per_channel ? channels : single;
        const shape out_shape = per_channel || random_.chance(8) ? channels : single;
        return {fake_quantize(data.at, levels, in, out, in_shape, out_shape, same), std::min(out.low, 0.0),
                std::max(out.high, 0.0)};
    }
    /// FakeQuantize to the limits of a type, two Converts and a dequantization.
    value quantize_and_dequantize(const value& data) {
        const element stored = random_.pick({u8, i8});
        const double least = stored == u8 ? 0 : -128;
        const range in = pick_range(data, 256);
        const output_ref quantized =
            fake_quantize(data.at, 256, in, {least, least + 255}, single_shape(dimensions(data)), {}, false);
        const double step = (in.high - in.low) / 255;
        const output_ref narrow = add(op::convert{stored}, {quantized});
        const output_ref at = dequantize(narrow, dimensions(data), step, least - in.low / step, random_.chance(15));
        return {at, std::min(in.low, 0.0), std::max(in.high, 0.0)};
    }
    /// Convert -> [Subtract] -> Multiply behind stored integers.
    output_ref dequantize(output_ref stored, const shape& data, double step, double zero_point, bool per_channel) {
        const element type = model_.type(stored);
        const double least = type == u8 ? 0 : -128;
        const double whole = std::clamp(math::round_half_even(zero_point), least, least + 255);
        output_ref at = add(op::convert{type_}, {stored});
        if (whole != 0 || random_.chance(10)) {
            output_ref zero;
            if (random_.chance(50)) {
                zero = add(op::convert{type_}, {model_.constant(make_scalar(type, whole))});
            } else {
                zero = number(random_.chance(80) ? whole : whole + random_.real(-0.4, 0.4));
            }
            at = add(op::subtract{}, {at, zero});
        }
        const shape scales = per_channel ? per_channel_shape(data, true) : single_shape(data);
        const output_ref scale = bound(step, scales, pick_factors(scales.elements()));
        return random_.chance(90) ? add(op::multiply{}, {at, scale}) : add(op::multiply{}, {scale, at});
    }

    // ---- weights

    /// Constant weights of about [-size, size] in one of the forms that files have; quantized per tensor or along `axis`.
    output_ref weights(const shape& sizes, std::size_t axis, double size) {
        shape channels = shape::of_ones(sizes.rank());
        channels[axis] = sizes[axis];
        const shape constants = random_.chance(50)   ? channels
                                : random_.chance(50) ? shape::of_ones(sizes.rank())
                                                     : shape{};
        switch (random_.below(10)) {
            case 0: return filled(type_, sizes, -size, size);  // not quantized
            case 1:
            case 2:
            case 3: return stored_weights(random_.pick({i8, i8, i8, u8, i4, u4}), sizes, constants, size);
            case 4: {  // a stored constant of another type below FakeQuantize
                const element stored = random_.pick({f16, i8});
                const double end = stored == i8 ? 127 : size;
                const output_ref data = add(op::convert{type_}, {filled(stored, sizes, -end, end)});
                return weights_fake_quantize(data, constants, stored == i8 ? range{-127, 127} : range{-size, size},
                                             {-size, size}, 255);
            }
            default: {
                const output_ref data = filled(type_, sizes, -size, size);
                const std::int64_t levels = random_.pick<std::int64_t>({255, 255, 255, 255, 256, 256, 16});
                range bounds{-size, size};
                if (levels == 256 && random_.chance(60)) {
                    bounds.high = size * 127 / 128;
                } else if (random_.chance(10)) {
                    bounds = {-size * random_.real(0.1, 1), size};
                }
                return weights_fake_quantize(data, constants, bounds, bounds, levels);
            }
        }
    }
    output_ref weights_fake_quantize(output_ref data, const shape& constants, range in, range out,
                                     std::int64_t levels) {
        const bool same = in.low == out.low && in.high == out.high;
        const bool single_input = !same || random_.chance(20);
        return fake_quantize(data, levels, in, out, single_input ? shape{} : constants, constants, same);
    }
    output_ref stored_weights(element stored, const shape& sizes, const shape& constants, double size) {
        const bool has_sign = is_signed(stored);
        const double steps = bit_width(stored) == 4 ? 15 : 255;
        const double least = has_sign ? -(steps + 1) / 2 : 0;
        const output_ref values = filled(stored, sizes, least, least + steps);
        output_ref at = add(op::convert{type_}, {values});
        if (!has_sign || random_.chance(20)) {
            const double middle = has_sign ? static_cast<double>(random_.between(-3, 3)) : (steps + 1) / 2;
            const output_ref zero = random_.chance(50)
                                        ? add(op::convert{type_}, {model_.constant(make_scalar(stored, middle))})
                                        : number(middle);
            at = add(op::subtract{}, {at, zero});
        }
        const std::vector<double> factors = pick_factors(constants.elements());
        return add(op::multiply{}, {at, bound(2 * size / steps, constants, factors)});
    }
    /// A constant added to each output channel.
    output_ref with_bias(output_ref at, double size) {
        if (!random_.chance(45)) {
            return at;
        }
        shape channels = shape::of_ones(model_.shape(at).rank());
        const bool along_last = model_[at.node].is<op::mat_mul>();
        const std::size_t axis = along_last ? channels.rank() - 1 : 1;
        channels[axis] = model_.shape(at)[axis];
        return add(op::add{}, {at, filled(type_, channels, -size, size)});
    }

    // ---- layers

    struct window {
        integers kernel;
        integers strides;
        integers dilations;
        integers begin;
        integers end;
    };
    window pick_window(const shape& data, bool has_dilations) {
        window result;
        for (std::size_t axis = 2; axis < data.rank(); ++axis) {
            const std::int64_t kernel = random_.between(1, std::min<std::int64_t>(3, data[axis]));
            const bool dilates = has_dilations && kernel == 2 && data[axis] > 2 && random_.chance(20);
            result.kernel.push_back(kernel);
            result.strides.push_back(random_.chance(70) ? 1 : 2);
            result.dilations.push_back(dilates ? 2 : 1);
            result.begin.push_back(random_.below(kernel));
            result.end.push_back(random_.below(kernel));
        }
        return result;
    }
    static bool has_spatial_axes(const shape& data) { return data.rank() >= 3 && data.rank() <= 5; }

    bool convolution(const value& from) {
        const shape data = dimensions(from);
        if (!has_spatial_axes(data)) {
            return false;
        }
        const window place = pick_window(data, true);
        const std::int64_t outputs = random_.between(1, 6);
        shape sizes{outputs, data[1]};
        double fan_in = static_cast<double>(data[1]);
        for (const std::int64_t each : place.kernel) {
            sizes.push_back(each);
            fan_in *= static_cast<double>(each);
        }
        const double size = random_.real(0.2, 1.5);
        const double result = from.size() * size * math::sqrt(fan_in);
        const output_ref at = add(op::convolution{place.strides, place.dilations, place.begin, place.end},
                                  {from.at, weights(sizes, 0, size)});
        keep_symmetric(with_bias(at, result / 2), result);
        return true;
    }
    bool group_convolution(const value& from) {
        const shape data = dimensions(from);
        if (!has_spatial_axes(data)) {
            return false;
        }
        std::int64_t groups = data[1];
        if (groups % 2 == 0 && random_.chance(40)) {
            groups = 2;
        }
        const std::int64_t per_group = random_.between(1, 2);
        const window place = pick_window(data, true);
        shape sizes{groups, per_group, data[1] / groups};
        shape flat{groups * per_group, data[1] / groups};
        for (const std::int64_t each : place.kernel) {
            sizes.push_back(each);
            flat.push_back(each);
        }
        output_ref kernel;
        if (random_.chance(50)) {  // quantized as the kernel of a convolution, then split into groups
            kernel = add(op::reshape{}, {weights(flat, 0, 1), indices(sizes.dimensions())});
        } else {
            kernel = weights(sizes, random_.below(2) == 0 || per_group == 1 ? 0 : 1, 1);
        }
        const output_ref at =
            add(op::group_convolution{place.strides, place.begin, place.end, place.dilations}, {from.at, kernel});
        keep_symmetric(with_bias(at, from.size()), 2 * from.size());
        return true;
    }
    bool transposed_convolution(const value& from) {
        const shape data = dimensions(from);
        if (!has_spatial_axes(data) || data[2] > 6) {
            return false;
        }
        const bool grouped = data[1] % 2 == 0 && random_.chance(30);
        shape sizes = grouped ? shape{2, data[1] / 2} : shape{data[1]};
        sizes.push_back(random_.between(1, 4));
        integers ones(data.rank() - 2, 1);
        integers zeros(data.rank() - 2, 0);
        integers strides;
        for (std::size_t axis = 2; axis < data.rank(); ++axis) {
            sizes.push_back(random_.between(1, 3));
            strides.push_back(random_.between(1, 2));
        }
        const output_ref kernel = weights(sizes, grouped ? 0 : 1, 0.7);
        output_ref at;
        if (grouped) {
            at = add(op::group_convolution_backprop_data{strides, zeros, zeros, ones}, {from.at, kernel});
        } else {
            at = add(op::convolution_backprop_data{strides, ones, zeros, zeros}, {from.at, kernel});
        }
        keep_symmetric(with_bias(at, from.size()), 2 * from.size());
        return true;
    }
    bool mat_mul(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() < 2) {
            return false;
        }
        const bool transpose_a = random_.chance(10);
        const bool transpose_b = random_.chance(60);
        const std::int64_t depth = data[data.rank() - (transpose_a ? 2 : 1)];
        const std::int64_t outputs = random_.between(1, 6);
        shape sizes = transpose_b ? shape{outputs, depth} : shape{depth, outputs};
        const std::size_t lead = data.rank() > 2 && random_.chance(20) ? data.rank() - 2 : 0;
        for (std::size_t i = 0; i < lead; ++i) {
            sizes.insert(0, 1);
        }
        const std::size_t axis = random_.chance(90) ? (transpose_b ? 0u : 1u) + lead : (transpose_b ? 1u : 0u) + lead;
        const double size = random_.real(0.2, 1.5);
        const double result = from.size() * size * math::sqrt(static_cast<double>(depth));
        const output_ref at = add(op::mat_mul{transpose_a, transpose_b}, {from.at, weights(sizes, axis, size)});
        keep_symmetric(with_bias(at, result / 2), result);
        return true;
    }
    /// The product of two values that both depend on the inputs.
    bool mat_mul_of_activations(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() < 2) {
            return false;
        }
        const value left = quantize(from);
        const value right = random_.chance(80) ? quantize(from) : from;
        const bool first = random_.chance(50);
        const double result =
            left.size() * right.size() * math::sqrt(static_cast<double>(data[data.rank() - (first ? 2 : 1)]));
        keep_symmetric(add(op::mat_mul{first, !first}, {left.at, right.at}), result);
        return true;
    }

    bool activation(const value& from) {
        const double size = from.size();
        switch (random_.below(14)) {
            case 0:
            case 1:
            case 2: keep(add(op::relu{}, {from.at}), 0, std::max(from.high, 0.1)); return true;
            case 3: {
                const shape data = dimensions(from);
                const shape slopes = data.rank() > 1 && random_.chance(50) ? shape{data[1]} : shape{1};
                const double least = random_.chance(80) ? 0 : -0.5;
                keep(add(op::prelu{}, {from.at, filled(type_, slopes, least, 0.5)}), from.low / 2, size);
                return true;
            }
            case 4:
            case 5: {
                const double low = random_.pick({0.0, -size / 2});
                const double high = size * random_.real(0.3, 0.9);
                keep(add(op::clamp{{}, low, high}, {from.at}), low, high);
                return true;
            }
            case 6: keep(add(op::sigmoid{}, {from.at}), 0, 1); return true;
            case 7: keep(add(op::tanh{}, {from.at}), -1, 1); return true;
            case 8: keep(add(op::elu{{}, 1.0}, {from.at}), -1, size); return true;
            case 9: keep(add(op::hswish{}, {from.at}), -0.4, size); return true;
            case 10: keep(add(op::abs{}, {from.at}), 0, size); return true;
            case 11: keep(add(op::negative{}, {from.at}), -from.high, -from.low); return true;
            case 12: keep(add(op::gelu{}, {from.at}), -0.2, size); return true;
            default: {
                const shape data = dimensions(from);
                keep(add(op::softmax{random_.between(0, static_cast<std::int64_t>(data.rank()) - 1)}, {from.at}, 8), 0,
                     1);
                return data.rank() > 0;
            }
        }
    }
    /// An elementwise operation with a constant.
    bool with_constant(const value& from) {
        const shape data = dimensions(from);
        const shape constants = random_.chance(40) ? per_channel_shape(data, true) : single_shape(data);
        const bool positive = random_.chance(80);
        const output_ref constant = filled(type_, constants, positive ? 0.2 : -1.5, 2);
        const bool constant_first = random_.chance(15);
        const output_ref left = constant_first ? constant : from.at;
        const output_ref right = constant_first ? from.at : constant;
        switch (random_.below(8)) {
            case 0:
            case 1:
            case 2: keep_symmetric(add(op::multiply{}, {left, right}), 2 * from.size()); return true;
            case 3:
            case 4: keep(add(op::add{}, {left, right}), from.low - 1.5, from.high + 2); return true;
            case 5:
            case 6: keep_symmetric(add(op::subtract{}, {left, right}), from.size() + 2); return true;
            default: {
                const output_ref away = filled(type_, constants, 0.5, 2);
                keep_symmetric(add(op::divide{}, {from.at, away}), 2 * from.size());
                return true;
            }
        }
    }
    /// Another value of the same shape; one is made if there is none.
    value partner(const value& of) {
        std::vector<value> fitting;
        for (const value& each : values_) {
            if (dimensions(each) == dimensions(of)) {
                fitting.push_back(each);
            }
        }
        return fitting[random_.index(fitting.size())];
    }
    bool two_branches(const value& from) {
        value left = random_.chance(60) ? quantize(from) : from;
        value right = partner(from);
        if (random_.chance(60)) {
            right = quantize(right);
        }
        if (random_.chance(20)) {
            std::swap(left, right);
        }
        const double sum = left.size() + right.size();
        switch (random_.below(10)) {
            case 0:
            case 1:
            case 2: keep_symmetric(add(op::multiply{}, {left.at, right.at}), left.size() * right.size()); return true;
            case 3: keep_symmetric(add(op::subtract{}, {left.at, right.at}), sum); return true;
            case 4: keep_symmetric(add(op::maximum{}, {left.at, right.at}), sum); return true;
            case 5: keep_symmetric(add(op::minimum{}, {left.at, right.at}), sum); return true;
            default:
                keep(add(op::add{}, {left.at, right.at}), left.low + right.low, left.high + right.high);
                return true;
        }
    }
    bool concat(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() == 0) {
            return false;
        }
        const std::int64_t count = random_.between(2, 3);
        seq<output_ref> parts;
        value all{{}, 0, 0};
        for (std::int64_t i = 0; i < count; ++i) {
            value part = partner(from);
            if (random_.chance(85)) {
                part = quantize(part);
            }
            if (random_.chance(20)) {
                part = {add(op::relu{}, {part.at}), 0, part.high};
            }
            all.low = std::min(all.low, part.low);
            all.high = std::max(all.high, part.high);
            parts.push_back(part.at);
        }
        const bool along_channels = data.rank() > 1 && random_.chance(75);
        const std::int64_t axis = along_channels ? 1 : random_.below(static_cast<std::int64_t>(data.rank()));
        keep(add(op::concat{axis}, parts), all.low, all.high);
        return true;
    }
    bool split(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() == 0) {
            return false;
        }
        const std::size_t axis = random_.index(data.rank());
        if (data[axis] < 2) {
            return false;
        }
        const output_ref axis_constant =
            model_.constant(make_integer_tensor(i64, {}, {static_cast<std::int64_t>(axis)}));
        node_id made;
        if (data[axis] % 2 == 0 && random_.chance(60)) {
            made = model_.add(op::split{2}, {from.at, axis_constant});
        } else {
            const std::int64_t first = random_.between(1, data[axis] - 1);
            made = model_.add(op::variadic_split{}, {from.at, axis_constant, indices({first, data[axis] - first})});
        }
        keep({made, 0}, from.low, from.high);
        keep({made, 1}, from.low, from.high);
        return true;
    }
    bool pooling(const value& from) {
        const shape data = dimensions(from);
        if (!has_spatial_axes(data)) {
            return false;
        }
        const window place = pick_window(data, false);
        for (std::size_t i = 0; i < place.kernel.size(); ++i) {
            if (place.begin[i] * 2 > place.kernel[i] || place.end[i] * 2 > place.kernel[i]) {
                return false;  // a window may lie in the padding only
            }
        }
        if (random_.chance(50)) {
            op::max_pool what{place.strides, {}, place.begin, place.end, place.kernel};
            const int version = random_.pick({1, 8, 14});
            if (version > 1) {
                what.dilations = place.dilations;
            }
            keep(add(std::move(what), {from.at}, version), from.low, from.high);
        } else {
            op::avg_pool what{place.kernel, place.strides, {}, place.begin, place.end, random_.chance(50)};
            keep(add(std::move(what), {from.at}, random_.pick({1, 14})), from.low, from.high);
        }
        return true;
    }
    bool reduction(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() < 2) {
            return false;
        }
        integers axes;
        double count = 1;
        for (std::size_t axis = keep_batch_open_ ? 1 : 0; axis < data.rank(); ++axis) {
            if (random_.chance(axis > 1 ? 60 : 15)) {
                axes.push_back(static_cast<std::int64_t>(axis));
                count *= static_cast<double>(data[axis]);
            }
        }
        const bool keeps = random_.chance(70) || axes.size() + 1 >= data.rank();
        const output_ref places = indices(axes);
        switch (random_.below(5)) {
            case 0: keep(add(op::reduce_max{{keeps}}, {from.at, places}), from.low, from.high); return true;
            case 1: keep(add(op::reduce_min{{keeps}}, {from.at, places}), from.low, from.high); return true;
            case 2:
                keep(add(op::reduce_sum{{keeps}}, {from.at, places}), from.low * count, from.high * count);
                return true;
            default: keep(add(op::reduce_mean{{keeps}}, {from.at, places}), from.low, from.high); return true;
        }
    }
    bool normalization(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() < 2) {
            return false;
        }
        if (random_.chance(40)) {
            integers axes{1};
            for (std::size_t axis = 2; axis < data.rank() && random_.chance(50); ++axis) {
                axes.push_back(static_cast<std::int64_t>(axis));
            }
            const auto mode = random_.pick({op::normalize_eps_mode::add, op::normalize_eps_mode::max});
            keep_symmetric(add(op::normalize_l2{1e-6, mode}, {from.at, indices(axes)}), 1);
            return true;
        }
        const bool normalizes = random_.chance(80);
        const double size = normalizes ? 2 : from.size();
        if (data.rank() >= 3 && random_.chance(30)) {
            op::mvn what;
            what.across_channels = random_.chance(40);
            what.normalize_variance = normalizes;
            keep_symmetric(add(std::move(what), {from.at}, 0), size);
            return true;
        }
        integers axes;
        for (std::size_t axis = 1; axis < data.rank(); ++axis) {
            if (axis + 1 == data.rank() || random_.chance(50)) {
                axes.push_back(static_cast<std::int64_t>(axis));
            }
        }
        op::mvn what;
        what.eps = random_.pick({1e-9, 1e-5, 1e-3});
        what.normalize_variance = normalizes;
        what.eps_mode = random_.pick({op::mvn_eps_mode::inside_sqrt, op::mvn_eps_mode::outside_sqrt});
        keep_symmetric(add(std::move(what), {from.at, indices(axes)}, 6), size);
        return true;
    }

    // ---- movement

    bool reshape(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() < 2) {
            return false;
        }
        integers pattern{0};
        switch (random_.below(5)) {
            case 0: pattern.push_back(-1); break;  // all behind the batch
            case 1:
                pattern.push_back(0);
                pattern.push_back(-1);
                break;
            case 2:  // channels become two axes
                for (const std::int64_t by : {2, 3, 1}) {
                    if (data[1] % by == 0) {
                        pattern.push_back(by);
                        pattern.push_back(data[1] / by);
                        break;
                    }
                }
                for (std::size_t axis = 2; axis < data.rank(); ++axis) {
                    pattern.push_back(data[axis]);
                }
                break;
            case 3: {  // batch and channels become one axis
                pattern = {-1};
                for (std::size_t axis = 2; axis < data.rank(); ++axis) {
                    pattern.push_back(data[axis]);
                }
                break;
            }
            default: return reshape_by_shape(from);
        }
        if (pattern.size() > 5) {
            return false;
        }
        keep(add(op::reshape{true}, {from.at, indices(pattern)}), from.low, from.high);
        return true;
    }
    /// Reshape to a shape that is computed from the shape of the data.
    bool reshape_by_shape(const value& from) {
        const output_ref sizes = add(op::shape_of{i64}, {from.at}, 3);
        const output_ref axis = model_.constant(make_integer_tensor(i64, {}, {0}));
        const output_ref batch = add(op::gather{}, {sizes, indices({0}), axis}, 8);
        keep(add(op::reshape{false}, {from.at, add(op::concat{0}, {batch, indices({-1})})}), from.low, from.high);
        return true;
    }
    bool transpose(const value& from) {
        const std::size_t rank = dimensions(from).rank();
        if (rank < 2) {
            return false;
        }
        integers order;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
        const std::size_t first = random_.chance(70) ? 1 : 0;
        for (std::size_t axis = rank - 1; axis > first; --axis) {
            std::swap(order[axis], order[first + random_.index(axis - first + 1)]);
        }
        keep(add(op::transpose{}, {from.at, indices(order)}), from.low, from.high);
        return true;
    }
    bool squeeze_or_unsqueeze(const value& from) {
        const shape data = dimensions(from);
        integers ones;
        for (std::size_t axis = keep_batch_open_ ? 1 : 0; axis < data.rank(); ++axis) {
            if (data[axis] == 1) {
                ones.push_back(static_cast<std::int64_t>(axis));
            }
        }
        if (!ones.empty() && data.rank() > 2 && random_.chance(60)) {
            keep(add(op::squeeze{}, {from.at, indices({ones[random_.index(ones.size())]})}, random_.pick({0, 15})),
                 from.low, from.high);
            return true;
        }
        if (data.rank() > 4) {
            return false;
        }
        const std::int64_t axis = random_.below(static_cast<std::int64_t>(data.rank()) + 1);
        keep(add(op::unsqueeze{}, {from.at, indices({axis})}), from.low, from.high);
        return true;
    }
    bool slice(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() == 0) {
            return false;
        }
        if (random_.chance(50)) {
            const std::size_t axis = random_.index(data.rank());
            const std::int64_t start = random_.below(data[axis]);
            const std::int64_t step = random_.pick<std::int64_t>({1, 1, 2, -1});
            const std::int64_t stop = step < 0 ? -1 - data[axis] : random_.between(start + 1, data[axis]);
            keep(add(op::slice{}, {from.at, indices({start}), indices({stop}), indices({step}),
                                   indices({static_cast<std::int64_t>(axis)})}),
                 from.low, from.high);
            return true;
        }
        integers begin;
        integers end;
        integers open_begin;
        integers open_end;
        integers shrink;
        for (std::size_t axis = 0; axis < data.rank(); ++axis) {
            const bool cuts = random_.chance(40) && !(axis == 0 && keep_batch_open_);
            const std::int64_t start = cuts ? random_.below(data[axis]) : 0;
            begin.push_back(start);
            end.push_back(cuts ? random_.between(start + 1, data[axis]) : 0);
            open_begin.push_back(cuts ? 0 : 1);
            open_end.push_back(cuts ? 0 : 1);
            shrink.push_back(0);
        }
        if (data.rank() > 2 && random_.chance(15)) {
            const std::size_t axis = 1 + random_.index(data.rank() - 1);
            begin[axis] = random_.below(data[axis]);
            end[axis] = begin[axis] + 1;
            open_begin[axis] = 0;
            open_end[axis] = 0;
            shrink[axis] = 1;
        }
        const integers none(data.rank(), 0);
        const integers steps(data.rank(), 1);
        keep(add(op::strided_slice{open_begin, open_end, none, shrink, none},
                 {from.at, indices(begin), indices(end), indices(steps)}),
             from.low, from.high);
        return true;
    }
    bool gather(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() == 0) {
            return false;
        }
        const std::size_t axis = random_.index(data.rank());
        const bool single = random_.chance(30) && data.rank() > 2;
        integers picked;
        for (std::int64_t i = 0, count = single ? 1 : random_.between(1, 3); i < count; ++i) {
            picked.push_back(random_.below(data[axis]));
        }
        const shape sizes = single ? shape{} : shape{static_cast<dimension>(picked.size())};
        const output_ref which = model_.constant(make_integer_tensor(i64, sizes, picked));
        const output_ref along = model_.constant(make_integer_tensor(i64, {}, {static_cast<std::int64_t>(axis)}));
        keep(add(op::gather{}, {from.at, which, along}, random_.pick({1, 7, 8})), from.low, from.high);
        return true;
    }
    bool pad(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() == 0) {
            return false;
        }
        const auto mode = random_.pick({op::pad_mode::constant, op::pad_mode::constant, op::pad_mode::edge,
                                        op::pad_mode::reflect, op::pad_mode::symmetric});
        integers begin;
        integers end;
        for (std::size_t axis = 0; axis < data.rank(); ++axis) {
            const bool pads = data[axis] > 1 && !(axis == 0 && keep_batch_open_) && random_.chance(axis > 1 ? 50 : 10);
            begin.push_back(pads ? random_.below(2) : 0);
            end.push_back(pads ? random_.below(2) : 0);
        }
        const int version = random_.pick({1, 12});
        seq<output_ref> inputs{from.at, indices(begin), indices(end)};
        if (mode == op::pad_mode::constant && random_.chance(90)) {
            inputs.push_back(number(random_.chance(70) ? 0 : random_.real(-2, 2)));
        }
        keep(add(op::pad{mode}, inputs, version), from.low, from.high);
        return true;
    }
    bool broadcast(const value& from) {
        shape target = dimensions(from);
        bool wider = false;
        for (std::size_t axis = 0; axis < target.rank(); ++axis) {
            if (target[axis] == 1 && random_.chance(70)) {
                target[axis] = random_.between(2, 3);
                wider = true;
            }
        }
        if (!wider || keep_batch_open_) {
            return false;
        }
        if (random_.chance(30)) {
            integers axes;
            for (std::size_t axis = 0; axis < target.rank(); ++axis) {
                axes.push_back(static_cast<std::int64_t>(axis));
            }
            keep(add(op::broadcast{op::broadcast_mode::explicit_axes},
                     {from.at, indices(target.dimensions()), indices(axes)}, 3),
                 from.low, from.high);
        } else {
            keep(add(op::broadcast{op::broadcast_mode::numpy}, {from.at, indices(target.dimensions())}, 3), from.low,
                 from.high);
        }
        return true;
    }
    bool blocks(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() != 4) {
            return false;
        }
        if (data[1] % 4 == 0 && random_.chance(70)) {
            const auto mode = random_.pick({op::depth_space_mode::blocks_first, op::depth_space_mode::depth_first});
            keep(add(op::depth_to_space{2, mode}, {from.at}), from.low, from.high);
            return true;
        }
        if (data[1] % 2 == 0 && random_.chance(50)) {
            keep(add(op::shuffle_channels{1, 2}, {from.at}), from.low, from.high);
            return true;
        }
        const std::int64_t high_end = data[2] % 2;
        const std::int64_t wide_end = data[3] % 2;
        const output_ref size = indices({1, 1, 2, 2});
        if (keep_batch_open_) {
            return false;
        }
        if (data[0] % 4 == 0) {
            const std::int64_t crop = random_.below(2);
            keep(add(op::batch_to_space{}, {from.at, size, indices({0, 0, 0, 0}), indices({0, 0, 0, crop})}), from.low,
                 from.high);
        } else {
            keep(add(op::space_to_batch{}, {from.at, size, indices({0, 0, 0, 0}), indices({0, 0, high_end, wide_end})}),
                 from.low, from.high);
        }
        return true;
    }
    bool interpolate(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() != 4 || data[2] * data[3] > 64) {
            return false;
        }
        const bool nearest = random_.chance(70);
        if (random_.chance(30)) {
            op::interpolate what;
            what.align_corners = random_.chance(20);
            what.axes = {2, 3};
            what.mode = nearest ? op::interpolate_mode::nearest : op::interpolate_mode::linear;
            keep(add(std::move(what), {from.at, indices({data[2] * 2, data[3] + 1})}, 0), from.low, from.high);
            return true;
        }
        op::interpolate what;
        what.mode = nearest ? op::interpolate_mode::nearest : op::interpolate_mode::linear_onnx;
        what.shape_calculation_mode = op::shape_calculation_mode::sizes;
        what.coordinate_transformation_mode = random_.pick({op::coordinate_transformation_mode::half_pixel,
                                                            op::coordinate_transformation_mode::asymmetric,
                                                            op::coordinate_transformation_mode::align_corners});
        what.pads_begin = {0, 0, 0, 0};
        what.pads_end = {0, 0, 0, 0};
        if (random_.chance(15)) {
            what.pads_end[3] = 1;
        }
        const double wide = static_cast<double>(data[3] + what.pads_end[3]);
        const std::int64_t high_size = data[2] * 2;
        const std::int64_t wide_size = data[3] * 2;
        const output_ref scales = model_.constant(make_tensor(f32, {2}, {2.0, static_cast<double>(wide_size) / wide}));
        keep(add(std::move(what), {from.at, indices({high_size, wide_size}), scales, indices({2, 3})}, 4), from.low,
             from.high);
        return true;
    }

    // ---- recurrent layers and states

    bool recurrent(const value& from) {
        const shape data = dimensions(from);
        if (data.rank() != 3 || keep_batch_open_) {
            return false;
        }
        const std::int64_t hidden = random_.between(1, 4);
        const bool is_lstm = random_.chance(50);
        const std::int64_t gates = is_lstm ? 4 : 3;
        const value in = random_.chance(70) ? quantize(from) : from;
        const shape states{data[0], 1, hidden};
        output_ref state = filled(type_, states, -1, 1);
        if (random_.chance(70)) {
            state = fake_quantize(state, 256, {0, 2.55}, {0, 2.55}, {}, {}, true);
        }
        const output_ref lengths = model_.constant(make_integer_tensor(i64, {data[0]}, {data[1]}));
        const output_ref w = weights({1, gates * hidden, data[2]}, 1, 0.5);
        const output_ref r = weights({1, gates * hidden, hidden}, 1, 0.5);
        const output_ref b = filled(type_, {1, gates * hidden}, -0.5, 0.5);
        output_ref at;
        if (is_lstm) {
            op::lstm_sequence what;
            what.hidden_size = hidden;
            at = add(std::move(what), {in.at, state, filled(type_, states, -1, 1), lengths, w, r, b});
        } else {
            op::gru_sequence what;
            what.hidden_size = hidden;
            at = add(std::move(what), {in.at, state, lengths, w, r, b});
        }
        keep_symmetric(at, 1);
        return true;
    }
    /// value + state, where the state is what the last run gave.
    bool state(const value& from) {
        const shape data = dimensions(from);
        if (keep_batch_open_ || is_body_) {
            return false;
        }
        const text name = join({"state", model_.id_bound()});
        const output_ref zero = model_.constant(make_tensor(type_, data, {0.0}));
        const node_id read = model_.add(op::read_value{name, type_, data}, {zero}, {}, 6);
        const value sum = quantize({add(op::add{}, {from.at, read}), from.low, from.high});
        const node_id write = model_.add(op::assign{name, type_, data}, {sum.at}, {}, 6);
        model_.add_control_dependency(write, read);
        values_.push_back(sum);
        return true;
    }

    /// Attention over all that was given so far: a cache that grows by this value in each run.
    bool cache(const value& from) {
        const shape data = dimensions(from);
        if (keep_batch_open_ || is_body_ || data.rank() != 4 || data[0] != 1) {
            return false;
        }
        const value added = random_.chance(85) ? quantize(from) : from;
        shape none = data;
        none[2] = 0;
        shape open = data;
        open[2] = dynamic_dimension;
        const text name = join({"cache", model_.id_bound()});
        const output_ref empty = model_.constant(tensor_builder(type_, none).finish());
        const node_id read = model_.add(op::read_value{name, type_, open}, {empty}, {}, 6);
        const output_ref beam = indices({0});
        const output_ref axis = model_.constant(make_integer_tensor(i64, {}, {0}));
        const output_ref kept = random_.chance(70) ? add(op::gather{}, {read, beam, axis}, 8) : output_ref(read);
        const output_ref all = add(op::concat{2}, {kept, added.at});
        const node_id write = model_.add(op::assign{name, type_, open}, {all}, {}, 6);
        model_.add_control_dependency(write, read);
        const value query = random_.chance(70) ? quantize(from) : from;
        const output_ref scores = add(op::mat_mul{false, true}, {query.at, all});
        output_ref shares = add(op::softmax{-1}, {scores}, 8);
        if (random_.chance(50)) {
            shares = fake_quantize(shares, 256, {0, 1}, {0, 1}, {}, {}, true);
        }
        keep(add(op::mat_mul{}, {shares, all}), from.low, from.high);
        return true;
    }

    // ---- bodies

    /// Layers on a copy of each of these values; they are the parameters, in order.
    void begin_body(element type, const std::vector<std::pair<shape, value>>& parameters, std::int64_t steps) {
        is_body_ = true;
        type_ = type;
        for (const auto& [sizes, like] : parameters) {
            input_shapes_.push_back(sizes);
            values_.push_back({model_.parameter(type, sizes), like.low, like.high});
        }
        values_.push_back(quantize(values_.front()));
        for (std::int64_t i = 0; i < steps; ++i) {
            const std::size_t known = values_.size();
            step();
            while (values_.size() > known && too_large(values_.back())) {
                values_.pop_back();
            }
        }
    }
    /// The last value of this shape; there is a parameter of it.
    value last_of(const shape& sizes) const {
        std::size_t i = values_.size() - 1;
        while (dimensions(values_[i]) != sizes) {
            --i;
        }
        return values_[i];
    }
    /// TensorIterator or Loop over the parts of an axis: the body has a state that it hands on, the mean of what it got and its last value.
    bool iteration(const value& from) {
        const shape data = dimensions(from);
        if (keep_batch_open_ || is_body_ || data.rank() < 2) {
            return false;
        }
        const std::size_t axis = random_.index(data.rank());
        shape part = data;
        part[axis] = 1;
        builder inner(random_.next());
        inner.begin_body(type_, {{part, from}, {part, from}}, random_.between(1, 4));
        const value last = inner.last_of(part);
        const output_ref before = inner.model_.parameters()[1];
        const value mean{inner.add(op::multiply{}, {inner.add(op::add{}, {before, last.at}), inner.number(0.5)}),
                         last.low, last.high};
        const value handed = inner.random_.chance(60) ? inner.quantize(mean) : mean;
        const auto cut = static_cast<std::int64_t>(axis);
        const op::body_slice slice{cut, 0, 1, 1, -1};
        const output_ref start = filled(type_, part, -1, 1);
        const bool is_loop = random_.chance(40);
        const std::int64_t first = is_loop ? 2 : 0;
        inner.model_.result(handed.at);
        inner.model_.result(last.at);
        const seq<op::body_input> inputs{{first, 0, op::body_input::form::sliced, -1, slice},
                                         {first + 1, 1, op::body_input::form::merged, 0}};
        const seq<op::body_output> outputs{{0, 0}, {1, 1, op::body_output::form::concatenated, -1, slice}};
        const seq<op::declared_output> declared{{type_, part}, {type_, data}};
        node_id made;
        if (is_loop) {
            inner.model_.result(inner.model_.constant(make_integer_tensor(boolean, {}, {1})));
            const output_ref trips = model_.constant(make_integer_tensor(i64, {}, {data[axis]}));
            const output_ref always = model_.constant(make_integer_tensor(boolean, {}, {1}));
            made = model_.add(op::loop{inputs, outputs, -1, 2, declared}, {trips, always, from.at, start});
        } else {
            made = model_.add(op::tensor_iterator{inputs, outputs, declared}, {from.at, start});
        }
        model_.add_body(made, std::move(inner.model_));
        keep({made, 0}, handed.low, handed.high);
        keep({made, 1}, last.low, last.high);
        return true;
    }
    /// One of two bodies, as an input of the network says.
    bool choice(const value& from) {
        const shape data = dimensions(from);
        if (keep_batch_open_ || is_body_) {
            return false;
        }
        const node_id condition = model_.parameter(boolean, shape{}, join({"condition", input_shapes_.size()}));
        input_shapes_.push_back({});
        const seq<op::body_input> inputs{{1, 0}};
        const seq<op::body_output> outputs{{0, 0}};
        op::if_else what{inputs, outputs, inputs, outputs, {{type_, data}}};
        const node_id made = model_.add(std::move(what), {condition, from.at});
        value all{{made, 0}, from.low, from.high};
        for (int branch = 0; branch < 2; ++branch) {
            builder inner(random_.next());
            inner.begin_body(type_, {{data, from}}, random_.between(1, 3));
            const value last = inner.last_of(data);
            inner.model_.result(last.at);
            model_.add_body(made, std::move(inner.model_));
            all.low = std::min(all.low, last.low);
            all.high = std::max(all.high, last.high);
        }
        values_.push_back(all);
        return true;
    }

    // ---- the whole

    void input() {
        const bool is_first = input_shapes_.empty();
        shape sizes{random_.between(1, 2)};
        if (!is_first && random_.chance(60)) {
            sizes = input_shapes_[0];
        } else {
            const std::int64_t rank = random_.pick<std::int64_t>({1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 5});
            if (rank == 1) {
                sizes = {random_.between(1, 6)};
            }
            for (std::int64_t axis = 1; axis < rank; ++axis) {
                sizes.push_back(axis == 1 ? random_.pick<std::int64_t>({1, 2, 3, 4, 4, 6, 8}) : random_.between(2, 6));
            }
            if (rank == 4 && !keep_batch_open_ && random_.chance(5)) {
                sizes[0] = 4;
            }
        }
        input_shapes_.push_back(sizes);
        const text name = join({"input", input_shapes_.size()});
        if (random_.chance(12)) {
            const element stored = random_.pick({u8, i8});
            const node_id in = model_.parameter(stored, sizes, name);
            const double zero =
                random_.chance(50) ? 0 : static_cast<double>(random_.between(stored == u8 ? 0 : -128, 127));
            const double step = random_.real(0.005, 0.1);
            const double least = stored == u8 ? 0 : -128;
            const output_ref at = dequantize(in, sizes, step, zero, random_.chance(20));
            values_.push_back({at, (least - zero) * step, (least + 255 - zero) * step, true});
            return;
        }
        keep_symmetric(model_.parameter(type_, sizes, name), 4);
        if (random_.chance(85)) {
            values_.push_back(quantize(values_.back()));
        }
    }
    bool step() {
        const value from = pick_value();
        const bool wants_integers = random_.chance(75);
        const auto quantized = [&] { return wants_integers && !from.is_stored_integer ? quantize(from) : from; };
        switch (random_.below(47)) {
            case 0:
            case 1:
            case 2:
            case 3:
            case 4:
            case 5: return convolution(quantized());
            case 6:
            case 7:
            case 8: return group_convolution(quantized());
            case 9: return transposed_convolution(quantized());
            case 10:
            case 11:
            case 12: return mat_mul(quantized());
            case 13: return mat_mul_of_activations(from);
            case 14:
            case 15:
            case 16:
            case 17: return activation(from);
            case 18:
            case 19:
            case 20: return with_constant(from);
            case 21:
            case 22:
            case 23: return two_branches(from);
            case 24:
            case 25:
            case 26: return concat(from);
            case 27: return split(from);
            case 28:
            case 29: return pooling(from);
            case 30: return reduction(from);
            case 31: return normalization(from);
            case 32: return reshape(from);
            case 33: return transpose(from);
            case 34: return squeeze_or_unsqueeze(from);
            case 35: return slice(from);
            case 36: return gather(from);
            case 37: return pad(from);
            case 38: return broadcast(from);
            case 39: return blocks(from);
            case 40: return interpolate(from);
            case 41: return recurrent(from);
            case 42: return random_.chance(40) && state(from);
            case 43: return random_.chance(70) ? cache(from) : random_.chance(40) && state(from);
            case 44: return random_.chance(60) ? iteration(from) : choice(from);
            default: values_.push_back(quantize(from)); return true;
        }
    }
    bool too_large(const value& made) const { return dimensions(made).elements() > 2000 || made.size() > 1000; }

    /// Makes the batch, all sizes or the ranks of the inputs dynamic, if all layers allow it.
    void open_sizes() {
        graph open = model_;
        const std::int64_t how = random_.below(4);
        for (const node_id id : open.parameters()) {
            op::parameter self = open[id].as<op::parameter>();
            if (how == 3) {
                self.dimensions = shape::of_dynamic_rank();
            } else {
                for (std::size_t axis = 0; axis < (how == 2 ? self.dimensions.rank() : 1); ++axis) {
                    self.dimensions[axis] = dynamic_dimension;
                }
            }
            open.set_attributes(id, self);
        }
        try {
            infer_all(open);
        } catch (const error&) {
            return;  // some layer has written sizes down
        }
        model_ = std::move(open);
    }

public:
    explicit builder(std::uint64_t seed) : random_(seed) {}

    random_network make(std::size_t steps) {
        const bool opens_sizes = random_.chance(12);
        keep_batch_open_ = opens_sizes;
        type_ = random_.chance(7) ? f16 : f32;
        for (std::int64_t i = 0, count = random_.pick<std::int64_t>({1, 1, 1, 1, 2, 2, 3}); i < count; ++i) {
            input();
        }
        for (std::size_t made = 0, tries = 0; made < steps && tries < 8 * steps; ++tries) {
            const std::size_t known = values_.size();
            if (!step()) {
                continue;
            }
            ++made;
            while (values_.size() > known && too_large(values_.back())) {
                values_.pop_back();
            }
        }
        for (const value& each : values_) {
            const bool is_read = model_.use_count(each.at) != 0;
            if (!is_read || random_.chance(4)) {
                model_.result(each.at, join({"result", model_.results().size()}));
            }
        }
        model_.collect();
        if (opens_sizes) {
            open_sizes();
        }
        return {std::move(model_), std::move(input_shapes_)};
    }
};

}  // namespace

random_network make_random_network(std::uint64_t seed, std::size_t steps) { return builder(seed).make(steps); }

std::size_t steps_of(std::uint64_t seed) {
    random_numbers random(seed ^ 0x5DEECE66Du);
    return static_cast<std::size_t>(random.between(1, random.chance(10) ? 30 : 12));
}

std::vector<tensor> make_random_inputs(const random_network& network, std::uint64_t seed) {
    random_numbers random(seed ^ 0xDA3E39CB94B95BDBu);
    std::vector<tensor> inputs;
    for (std::size_t i = 0; i < network.input_shapes.size(); ++i) {
        const element type = network.model[network.model.parameters()[i]].type();
        tensor_builder data(type, network.input_shapes[i]);
        for (std::size_t at = 0; at < data.elements(); ++at) {
            if (type == boolean) {
                data.integer(at, random.below(2));
            } else if (is_integral(type)) {
                data.integer(at, random.between(type == u8 ? 0 : -128, type == u8 ? 255 : 127));
            } else {
                data.real(at, random.chance(3) ? random.pick({0.0, 50.0, -50.0}) : random.real(-4, 4));
            }
        }
        inputs.push_back(data.finish());
    }
    return inputs;
}

random_setting make_random_setting(std::uint64_t seed) {
    random_numbers random(seed ^ 0x9FB21C651E98DF25u);
    random_setting result;
    switch (random.below(8)) {
        case 0: result = {"none", {}}; break;
        case 1: result = {"cpu_arm", cpu_arm}; break;
        case 2: result = {"gpu", gpu}; break;
        case 3: result = {"cpu_x86_amx", cpu_x86_amx}; break;
        default: result = {"cpu_x86", cpu_x86}; break;
    }
    switch (random.below(16)) {
        case 0: result.where.options.default_precisions = {i8}; break;
        case 1: result.where.options.default_precisions = {u8}; break;
        case 2: result.where.options.default_precisions = {i8, u8}; break;
        case 3:
            result.where.options.default_precisions = {};
            result.where.options.default_precisions.append(view<element>(int8_int16_int32_precisions));
            break;
        case 4:
        case 5: result.where.options.update_precisions = false; break;
        case 6: result.where.options.dequantization_precision = f16; break;
        case 7: result.where.options.reshape_ignore_per_tensor_check = true; break;
        default: break;
    }
    return result;
}

}  // namespace lpt::support
