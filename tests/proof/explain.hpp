// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/proof/dyadic.hpp"
#include "tests/proof/local_values.hpp"
#include "tests/support/differences.hpp"
#include "tests/support/padding.hpp"

#include <lpt/transformation/fake_quantize/decompose.hpp>
#include <lpt/transformation/weightable.hpp>

#include <limits>

/// Why a rewrite changed values, found by what it rewrote, and by how much it may. The derivations are in docs/differences.md.
namespace lpt::proof {

using support::difference;
using support::difference_set;

/// The entries that a step meets, and the greatest change that they allow where the rewritten operation is read.
struct explanation {
    difference_set entries;
    double bound = 0;
    detail::allowance may;

    void add(difference what, double more) {
        entries.set(static_cast<std::size_t>(what));
        bound += more;
    }
    bool has(difference what) const { return entries.test(static_cast<std::size_t>(what)); }
};

namespace detail {

/// Explains one step.
class explainer {
    const step& step_;
    const std::vector<tensor>& inputs_;
    const int runs_;
    const transformation_options& options_;
    const graph& before_;
    const graph& after_;
    local_values local_;
    explanation result_;
    double cache_change_ = 0;

    const node& old() const { return before_[step_.node]; }
    bool is(std::string_view transformation) const { return step_.transformation == transformation; }
    bool is_convolution() const {
        return is("ConvolutionTransformation") || is("GroupConvolutionTransformation") ||
               is("ConvolutionBackpropDataTransformation");
    }

    dequantization dequantization_above(std::size_t port = 0) const {
        return find_dequantization(before_, step_.node, options_.default_precisions, port);
    }

    // ---- FakeQuantize that was decomposed

    void explain_decomposition() {
        for (const output_ref place : local_.places) {
            const dequantization found = find_dequantization_at(after_, place, options_.default_precisions);
            if (found.has_multiply()) {
                return explain_decomposition(found);
            }
        }
    }
    void explain_decomposition(const dequantization& found) {
        const quantization_details original = details_of(before_, step_.node);
        const tensor& scales = constant_of(after_, found.scale);
        const double scale = magnitude(scales);
        const double zero_point = found.has_subtract() ? magnitude(constant_of(after_, found.zero_point)) : 0;
        const element type = after_.type(found.data);
        const node& made = after_[found.data.node];
        if (!made.is<op::fake_quantize>()) {
            return explain_constant_outputs(original, type);
        }
        const quantization_details quantized = details_of(after_, found.data.node);
        const std::int64_t levels = original.levels;
        explain_constant_outputs(original, type);
        if (quantized.levels != levels || is_aligned(original, quantized, found)) {
            const double step =
                std::abs(static_cast<double>(original.highs[0]) - static_cast<double>(original.lows[0])) /
                static_cast<double>(levels - 1);
            result_.add(difference::aligned_intervals,
                        step / 2 + 1.5 * scale + float_error(scale, quantized, zero_point));
            return;
        }
        const double steps = static_cast<double>(levels - 1);
        bool uneven = false;
        bool out_of_range = false;
        for (std::size_t i = 0; i < quantized.lows.size(); ++i) {
            const double width = static_cast<double>(quantized.highs[i]) - static_cast<double>(quantized.lows[i]);
            uneven = uneven || (width != steps && width != 0);
            out_of_range = out_of_range || static_cast<double>(quantized.highs[i]) > facts(type).highest;
        }
        if (bit_width(type) == 32) {
            result_.add(difference::range_of_32_bits, scale * 1.5);
        } else if (uneven) {
            result_.add(difference::uneven_levels, scale / 2);
        }
        if (!found.has_subtract()) {
            explain_missing_zero_point(original, quantized);
        }
        explain_clamped_scale(original, quantized);
        const double rounding = float_error(scale, quantized, zero_point);
        if (has_long_constants(found) || result_.entries.any()) {
            result_.bound += rounding;
            if (has_long_constants(found)) {
                result_.add(difference::rounded_constants, 0);
            }
        }
    }
    /// True if scale and zero point are not those of the FakeQuantize's own range, but of a group's.
    bool is_aligned(const quantization_details& original, const quantization_details& quantized,
                    const dequantization& found) const {
        const double low = static_cast<double>(original.lows[0]);
        const double high = static_cast<double>(original.highs[0]);
        const double least = static_cast<double>(quantized.lows[0]);
        const double greatest = static_cast<double>(quantized.highs[0]);
        if (!std::isfinite(high - low) || std::abs(high - low) < 1e-30 || greatest == least) {
            return false;
        }
        const double scale = constant_of(after_, found.scale).real(0);
        const double own_zero_point = (least * high - greatest * low) / (high - low);
        const double zero_point = found.has_subtract() ? constant_of(after_, found.zero_point).real(0) : own_zero_point;
        const double tolerance = std::ldexp(1.0, -18);
        return std::abs(scale * (greatest - least) - (high - low)) > tolerance * std::abs(high - low) ||
               std::abs(zero_point - own_zero_point) > tolerance * (greatest - least);
    }
    /// Scale and zero point are rounded to float, and so were the products that they come from.
    static double float_error(double scale, const quantization_details& quantized, double zero_point) {
        double size = zero_point;
        for (std::size_t i = 0; i < quantized.lows.size(); ++i) {
            size = std::max({size, std::abs(static_cast<double>(quantized.lows[i])),
                             std::abs(static_cast<double>(quantized.highs[i]))});
        }
        return scale * size * std::ldexp(8.0, -24);
    }
    bool has_long_constants(const dequantization& found) const {
        const auto is_long = [&](node_id constant) {
            const tensor& values = constant_of(after_, constant);
            for (std::size_t i = 0; i < values.elements(); ++i) {
                if (!is_short(values.real(i))) {
                    return true;
                }
            }
            return false;
        };
        return is_long(found.scale) || (found.has_subtract() && is_long(found.zero_point));
    }
    /// A number without its fraction and without the multiples of 2^bits that a type leaves out.
    static double wrapped(element type, double value) {
        const double count = std::ldexp(1.0, bit_width(type));
        return std::trunc(value) - count * std::floor((std::trunc(value) - facts(type).lowest) / count);
    }
    /// An equal bound is the value of the type that it becomes, with scale 1.
    void explain_constant_outputs(const quantization_details& original, element type) {
        double bound = 0;
        for (std::size_t i = 0; i < original.lows.size(); ++i) {
            const double value = static_cast<double>(original.lows[i]);
            if (original.lows[i] == original.highs[i] && is_integral(type)) {
                bound = std::max(bound, std::abs(wrapped(type, value) - value));
            }
        }
        if (bound != 0) {
            result_.add(difference::constant_in_low_precision, bound);
        }
    }
    void explain_missing_zero_point(const quantization_details& original, const quantization_details& quantized) {
        double bound = 0;
        for (std::size_t i = 0; i < original.lows.size(); ++i) {
            const std::size_t k = quantized.lows.size() == 1 ? 0 : i;
            const double low = static_cast<double>(original.lows[i]);
            const double high = static_cast<double>(original.highs[i]);
            const double least = static_cast<double>(quantized.lows[k]);
            const double greatest = static_cast<double>(quantized.highs[k]);
            if (high != low && std::isfinite(high - low)) {
                const double zero_point = (least * high - greatest * low) / (high - low);
                bound = std::max(bound, std::abs(zero_point * (high - low) / (greatest - least)));
            }
        }
        if (bound != 0) {
            result_.add(difference::neglected_zero_point, bound);
        }
    }
    void explain_clamped_scale(const quantization_details& original, const quantization_details& quantized) {
        for (std::size_t i = 0; i < original.lows.size() && options_.follows(quirk::clamped_scale); ++i) {
            const std::size_t k = quantized.lows.size() == 1 ? 0 : i;
            const double least = static_cast<double>(quantized.lows[k]);
            const double greatest = static_cast<double>(quantized.highs[k]);
            const double width =
                std::abs(static_cast<double>(original.highs[i]) - static_cast<double>(original.lows[i]));
            const double scale = width / (greatest - least);
            if (width != 0 && scale < 1e-32) {
                const double size = std::max(std::abs(least), std::abs(greatest)) +
                                    std::max(std::abs(static_cast<double>(original.lows[i])),
                                             std::abs(static_cast<double>(original.highs[i]))) /
                                        scale;
                result_.add(difference::clamped_scale, 2 * size * 1.001e-32);
            } else if (!(scale < 1e32)) {
                result_.add(difference::clamped_scale, 0);
                result_.may.infinite_from = 0.999e32;
            }
        }
    }

    // ---- FakeQuantize that took up an operation below it

    void explain_fusion_to_fake_quantize() {
        if (local_.places.empty()) {
            return;
        }
        const node_id now = local_.places[0].node;
        const node_id then = fake_quantize_above(before_, step_.node);
        if (then == node_id::none || !after_[now].is<op::fake_quantize>()) {
            return;
        }
        const node& made = after_[now];
        const std::int64_t levels = made.as<op::fake_quantize>().levels;
        const std::int64_t old_levels = before_[then].as<op::fake_quantize>().levels;
        const quantization_details range = details_of(after_, now);
        double width = 0;
        for (std::size_t i = 0; i < range.lows.size(); ++i) {
            width = std::max(width, std::abs(static_cast<double>(range.highs[i]) - static_cast<double>(range.lows[i])));
        }
        if (levels != old_levels) {
            result_.add(difference::levels_of_neighbour, width / 2 / static_cast<double>(levels - 1) +
                                                             width / 2 / static_cast<double>(old_levels - 1) +
                                                             width * std::ldexp(1.0, -20));
        }
        for (std::size_t port = 1; port < 5; ++port) {
            if (std::isinf(magnitude(after_.constant_value(made.input(port))))) {
                // It gives the lower bound of its range as it would be in real numbers, in place of any value of that range.
                result_.add(difference::overflowing_range, fused_width(then));
            }
        }
        if (const element type = before_[then].type(); is_integral(type)) {
            explain_rounding_that_ends(details_of(before_, then), type, width);
        }
    }
    /// The width that the range of a FakeQuantize gets from the Multiply that it took up.
    double fused_width(node_id fake_quantize) const {
        const quantization_details range = details_of(before_, fake_quantize);
        double width = 0;
        for (std::size_t i = 0; i < range.lows.size(); ++i) {
            width = std::max(width, std::abs(static_cast<double>(range.highs[i]) - static_cast<double>(range.lows[i])));
        }
        return width * std::max(magnitude(before_.constant_value(old().input(0))),
                                magnitude(before_.constant_value(old().input(1))));
    }
    /// The output of an integral type was rounded, that of the new FakeQuantize is not.
    void explain_rounding_that_ends(const quantization_details& quantized, element type, double width) {
        for (std::size_t i = 0; i < quantized.lows.size(); ++i) {
            const double old_width =
                std::abs(static_cast<double>(quantized.highs[i]) - static_cast<double>(quantized.lows[i]));
            const double step = old_width / static_cast<double>(quantized.levels - 1);
            if (old_width != 0 && (step != std::nearbyint(step) || bit_width(type) == 32)) {
                const bool wide = bit_width(type) == 32;
                result_.add(wide ? difference::range_of_32_bits : difference::uneven_levels,
                            width / old_width * (wide ? 1.5 : 0.5) + width * std::ldexp(1.0, -20));
                return;
            }
        }
    }

    // ---- other operations

    void explain_average() {
        const dequantization found = dequantization_above();
        if (found.empty()) {
            return;
        }
        const double scale = found.has_multiply() ? magnitude(constant_of(before_, found.scale)) : 1;
        const double zero_point = found.has_subtract() ? magnitude(constant_of(before_, found.zero_point)) : 0;
        const double rounding = std::ldexp(8.0, -53) * (local_.greatest() + scale * zero_point);
        bool keeps_type = false;
        for (const output_ref place : local_.places) {
            const dequantization moved = find_dequantization_at(after_, place, options_.default_precisions);
            keeps_type = keeps_type || (moved.data && is_integral(after_.type(moved.data)));
        }
        if (keeps_type) {
            result_.add(difference::rounded_average, scale / 2 + rounding);
        } else {
            result_.add(difference::rounded_quotient, rounding);
        }
    }
    /// The greatest relative change of 1 / root(v + eps) when eps becomes eps / scale^2, v at least `least`.
    static double eps_change(double eps, double scaled_eps, double least, bool outside) {
        const double then = outside ? std::sqrt(least) + scaled_eps : std::sqrt(least + scaled_eps);
        const double now = outside ? std::sqrt(least) + eps : std::sqrt(least + eps);
        return std::abs(1 - now / then);
    }
    /// The greatest power of two of which all values are multiples.
    static double grid_of(const tensor& values) {
        int least = 0;
        for (std::size_t i = 0; i < values.elements(); ++i) {
            for (double rest = std::ldexp(values.real(i), -least); is_ordinary(rest) && rest != std::nearbyint(rest);) {
                --least;
                rest = std::ldexp(values.real(i), -least);
            }
        }
        return std::ldexp(1.0, least);
    }
    void explain_normalization() {
        const dequantization found = dequantization_above();
        if (!found.has_multiply()) {
            return;
        }
        const double grid = grid_of(values_at(before_, {found.data}, inputs_)[0]);
        const shape& dimensions = local_.before.empty() ? shape() : local_.before[0].dimensions();
        const tensor& scales = constant_of(before_, found.scale);
        double relative = 0;
        for (std::size_t i = 0; i < scales.elements(); ++i) {
            const double scale = std::abs(scales.real(i));
            if (old().is<op::mvn>()) {
                const auto& self = old().as<op::mvn>();
                const auto count = static_cast<double>(dimensions.elements());
                const bool outside = self.eps_mode == op::mvn_eps_mode::outside_sqrt;
                relative = std::max(relative, eps_change(self.eps, rescaled_eps(self.eps, scale, outside ? 1 : 2),
                                                         (count - 1) / count / count * grid * grid, outside));
            } else {
                const auto& self = old().as<op::normalize_l2>();
                relative =
                    std::max(relative, eps_change(self.eps, rescaled_eps(self.eps, scale, 2), grid * grid, false));
            }
        }
        double greatest = 0;
        for (const tensor& values : local_.after) {
            greatest = std::max(greatest, magnitude(values));
        }
        result_.add(difference::unscaled_epsilon, greatest * (relative + std::ldexp(1.0, -45)));
    }
    void explain_movement() {
        const dequantization found = dequantization_above();
        if (is("DepthToSpaceTransformation")) {
            const bool several = (found.has_multiply() && constant_of(before_, found.scale).elements() > 1) ||
                                 (found.has_subtract() && constant_of(before_, found.zero_point).elements() > 1);
            if (several) {
                result_.add(difference::depth_to_space_constants, 0);
                result_.may.broadcasts = true;
            }
        } else if (is("SpaceToBatchTransformation") && found.has_subtract() && found.has_multiply()) {
            result_.add(difference::space_to_batch_margin, magnitude(constant_of(before_, found.zero_point)) *
                                                               magnitude(constant_of(before_, found.scale)));
        } else if (is("PadTransformation") && old().inputs() == 4) {
            const double value = before_.constant_value(old().input(3))->real(0);
            const element type = before_.type(found.data);
            if (convert_value(type, value) != value) {
                result_.add(difference::truncated_pad_value, std::abs(value - convert_value(type, value)));
            }
            if (support::fills_axis_of_one(before_, step_.node)) {
                const double zero_point = found.has_subtract() ? constant_of(before_, found.zero_point).real(0) : 0;
                const double scale = found.has_multiply() ? constant_of(before_, found.scale).real(0) : 1;
                result_.add(difference::padded_axis_of_one, std::abs((value - zero_point) * scale - value));
            }
        }
    }
    void explain_elimination() {
        const element type = old().type();
        const double low = before_.constant_value(old().input(1))->real(0);
        const double high = before_.constant_value(old().input(2))->real(0);
        if (is_integral(type) && (facts(type).lowest < low || facts(type).highest > high)) {
            result_.add(difference::eliminated_limit,
                        std::max(std::abs(facts(type).lowest - low), std::abs(facts(type).highest - high)));
        }
    }
    /// The attention reads what it read before. Other readers of the two caches get values x that went through the type: of
    /// y = x · scale − shift the nearest value of the type, at most the |y| / 16 (/ 8) of half a last digit away, or half the least value, or
    /// the distance to the range of the type.
    void explain_caches() {
        double worst = 0;
        for (const std::size_t port : {std::size_t{1}, std::size_t{2}}) {
            const node_id convert = before_.producer(step_.node, port);
            if (convert == node_id::none || !before_[convert].is<op::fake_convert>()) {
                continue;
            }
            const element type = before_[convert].as<op::fake_convert>().destination_type;
            const double scale = before_.constant_value(before_[convert].input(1))->real(0);
            const double shift =
                before_[convert].inputs() > 2 ? before_.constant_value(before_[convert].input(2))->real(0) : 0;
            const local_values read = values_of_readers(step_, {before_[convert].input(0)}, inputs_);
            for (std::size_t i = 0; i < read.before.size(); ++i) {
                for (std::size_t k = 0; k < read.before[i].elements(); ++k) {
                    const double value = read.before[i].real(k);
                    const double size = std::abs(value * scale - shift);
                    const double bound = std::max({size * (type == f8e4m3 ? 1.0 / 16 : 1.0 / 8),
                                                   type == f8e4m3 ? 0x1p-10 : 0x1p-17, size - facts(type).highest}) /
                                         std::abs(scale);
                    const double change = std::abs(value - read.after[i].real(k));
                    if (!(change / bound <= worst)) {
                        worst = change / bound;
                        cache_change_ = change;
                        result_.bound = bound;
                    }
                }
            }
        }
        result_.add(difference::quantized_cache, 0);
    }
    /// Before, a cached value f (q - z) was quantized anew in each run, to another q' of the type where the constants are not inverse; now
    /// q stays: the results of the runs differ by at most f |q - q'|.
    void explain_requantized_cache() {
        double factor = 1;
        node_id above = before_.producer(step_.node, 0);
        while (!before_[above].is<op::convert>() && before_[above].inputs() > 1) {
            if (before_[above].is<op::multiply>()) {
                factor *= magnitude(before_.constant_value(before_[above].input(1)));
            }
            above = before_.producer(above, 0);
        }
        if (!before_[above].is<op::convert>()) {
            return;
        }
        const auto& range = facts(before_.type(before_[above].input(0)));
        local_.before = values_of(before_, inputs_, runs_);
        local_.after = values_of(after_, inputs_, runs_);
        result_.add(difference::requantized_cache, factor * (range.highest - range.lowest));
    }
    void explain_stripping() {
        if (!old().is<op::fake_quantize>()) {
            return;
        }
        const quantization_details range = details_of(before_, step_.node);
        const double low = static_cast<double>(std::min(range.lows[0], range.highs[0]));
        const double high = static_cast<double>(std::max(range.lows[0], range.highs[0]));
        double bound = 0;
        for (const tensor& values : local_.after) {
            for (std::size_t i = 0; i < values.elements(); ++i) {
                const double beyond = std::max({low - values.real(i), values.real(i) - high, 0.0});
                bound = std::max(bound, beyond + (high - low) / static_cast<double>(range.levels - 1) * 0.5001);
            }
        }
        result_.add(difference::stripped_fake_quantize, bound);
    }
    void explain_convolution() {
        const dequantization data = dequantization_above(0);
        const weights_source weights = find_weights(before_, step_.node, options_.default_precisions);
        const std::vector<tensor> operands = values_at(before_, {old().input(0), old().input(1)}, inputs_);
        double sum = 0;
        for (std::size_t i = 0; i < operands[1].elements(); ++i) {
            sum += std::abs(operands[1].real(i));
        }
        const auto rounded_by = [&](const dequantization& found) {
            double result = 0;
            if (found.has_subtract()) {
                const tensor& zero_point = constant_of(before_, found.zero_point);
                for (std::size_t i = 0; i < zero_point.elements(); ++i) {
                    result = std::max(result, std::abs(zero_point.real(i) - std::round(zero_point.real(i))));
                }
            }
            return result * (found.has_multiply() ? magnitude(constant_of(before_, found.scale)) : 1);
        };
        const double of_data = rounded_by(data) * sum;
        const double of_weights =
            rounded_by(weights.found) * magnitude(operands[0]) * static_cast<double>(operands[1].elements());
        if (of_data + of_weights != 0) {
            result_.add(difference::rounded_zero_point, (of_data + of_weights) * 1.001);
        }
        if (weights.fake_quantize != node_id::none) {
            explain_weights(weights.fake_quantize, sum);
        }
        explain_products(sum * magnitude(operands[0]));
    }
    /// A FakeQuantize on weights that was decomposed on the way, with levels that the type does not divide into whole steps.
    void explain_weights(node_id fake_quantize, double) {
        const quantization_details original = details_of(before_, fake_quantize);
        if (original.levels != 256 && original.levels != 16) {
            result_.add(difference::uneven_levels, 0);
        }
    }
    /// True where a constant with many digits belongs to the rewritten operation: it is one of its inputs or of a dequantization above it,
    /// or the rewrite has made it.
    bool has_long_constants_here() const {
        for (std::size_t port = 0; port < old().inputs(); ++port) {
            const dequantization found = dequantization_above(port);
            if (has_long_values(before_.constant_value(old().input(port))) ||
                (found.has_multiply() && has_long_values(&constant_of(before_, found.scale))) ||
                (found.has_subtract() && has_long_values(&constant_of(before_, found.zero_point)))) {
                return true;
            }
        }
        for (const node_id id : topological_order(after_)) {
            const bool is_new = !before_.contains(id) || !before_[id].is<op::constant>();
            if (is_new && after_[id].is<op::constant>() && has_long_values(&after_[id].as<op::constant>().value)) {
                return true;
            }
        }
        return false;
    }
    /// Constants with many digits: their products, quotients and sums are rounded to float.
    void explain_products(double size) {
        if (!has_long_constants_here()) {
            return;
        }
        std::vector<output_ref> operands;
        for (std::size_t port = 0; port < old().inputs(); ++port) {
            operands.push_back(old().input(port));
        }
        for (const tensor& each : values_at(before_, operands, inputs_)) {
            size = std::max(size, is_real(each.type()) ? magnitude(each) : 0);
        }
        double bound = std::ldexp(16.0, -24) * std::max(size, local_.greatest());
        if (old().is<op::fake_quantize>()) {
            const quantization_details range = details_of(before_, step_.node);
            for (std::size_t i = 0; i < range.lows.size(); ++i) {
                bound = std::max(
                    bound, 1.001 * std::abs(static_cast<double>(range.highs[i]) - static_cast<double>(range.lows[i])) /
                               static_cast<double>(range.levels - 1));
            }
        }
        result_.add(difference::rounded_constants, bound);
    }
    /// A range that is computed at run time is rounded like a constant, also where its numbers are short: levels are divided by it.
    void explain_computed_range() {
        for (const node_id id : topological_order(after_)) {
            if (after_[id].is<op::fake_quantize>() && !has_constant_ranges(after_, id, 3)) {
                result_.add(difference::rounded_constants, std::ldexp(16.0, -24) * local_.greatest());
                return;
            }
        }
    }

public:
    explainer(const step& changed, const std::vector<tensor>& inputs, int runs, const transformation_options& options)
        : step_(changed),
          inputs_(inputs),
          runs_(runs),
          options_(options),
          before_(changed.before),
          after_(changed.after),
          local_(values_around(changed, inputs)) {}

    explanation run() {
        if (is("FakeQuantizeDecompositionTransformation")) {
            explain_decomposition();
        } else if (is("FuseMultiplyToFakeQuantizeTransformation") || is("FuseSubtractToFakeQuantizeTransformation")) {
            explain_fusion_to_fake_quantize();
        } else if (is("AvgPoolTransformation") || is("ReduceMeanTransformation")) {
            explain_average();
        } else if (is("MVNTransformation") || is("NormalizeL2Transformation")) {
            explain_normalization();
        } else if (is("EliminateFakeQuantizeTransformation")) {
            explain_elimination();
        } else if (is("FQStrippingTransformation")) {
            explain_stripping();
        } else if (is("ConvertQuantizeDequantize")) {
            explain_computed_range();
        } else if (is_convolution()) {
            explain_convolution();
        } else if (is("MoveFakeConvertUpThroughKVCacheConcat")) {
            explain_caches();
        } else if (is("KVCacheConcat")) {
            explain_requantized_cache();
        } else {
            explain_movement();
        }
        if (result_.entries.none()) {
            explain_products(0);
        }
        return result_;
    }
    double change() const { return std::max(local_.change(result_.may), cache_change_); }
    bool is_measured() const { return !local_.before.empty(); }
};

}  // namespace detail

/// What became of one step: why values changed, and whether they changed by no more than they may.
struct explained_step {
    explanation why;
    double change = 0;
    bool is_measured = false;  // the rewritten operation, or what it was read by, is still there

    bool is_explained() const { return why.entries.any(); }
    bool is_bounded() const { return std::isfinite(why.bound); }
    bool holds() const { return is_explained() && is_measured && is_bounded() && change <= why.bound; }
};

inline explained_step explain(const step& changed, const std::vector<tensor>& inputs, int runs,
                              const transformation_options& options) {
    detail::explainer explainer(changed, inputs, runs, options);
    explained_step result;
    result.why = explainer.run();
    result.change = explainer.change();
    result.is_measured = explainer.is_measured();
    return result;
}

}  // namespace lpt::proof
