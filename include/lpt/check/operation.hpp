// SPDX-License-Identifier: Apache-2.0
// Holds one operation against its row of the TensorFlow Lite 8-bit quantization specification.
#pragma once

#include <lpt/check/described.hpp>
#include <lpt/spec/table.hpp>

namespace lpt::inline LPT_ABI::check {

namespace detail {

/// A tensor that the row asks something of, and what has been found so far.
struct covered_tensor {
    const described_tensor* tensor = nullptr;
    const spec::requirement* asks = nullptr;
    int input = -1;  // number of the input, -1: the output
    bool readable = false;  // has the right type and a quantization
    bool scales_usable = false;
    bool has_one_scale = false;  // and with it one zero point
};

constexpr double difference(double a, double b) { return a < b ? b - a : a - b; }

/// Whether two scales agree: they differ by at most a millionth of `wanted`.
constexpr bool agree(double scale, double wanted) {
    return difference(scale, wanted) <= 1e-6 * (wanted < 0 ? -wanted : wanted);
}

constexpr bool is_usable(float scale) { return scale > 0 && scale <= 3.4028234663852886e38F; }

inline text in_words(view<float> scales) {
    if (scales.size() == 1) return join({static_cast<double>(scales[0])});
    return join({scales.size(), " scales"});
}

/// "1 zero point", "2 zero points"
inline text in_words(std::size_t count, text_view what) { return join({count, " ", what, count == 1 ? "" : "s"}); }

inline std::int64_t zero_point_of(const described_tensor& tensor) {
    return tensor.zero_points.empty() ? 0 : tensor.zero_points[0];
}

inline text quantization_in_words(double scale, std::int64_t zero_point) {
    return join({"scale ", scale, " and zero point ", zero_point});
}

/// Checks one operation and appends what is wrong.
class operation_check {
    const described_operation& operation_;
    const spec::row& row_;
    seq<violation, 0>& found_;
    seq<covered_tensor, 0> covered_;

    static text role_of(const covered_tensor& each) {
        if (each.asks->role == spec::operand::weight) return "weights";
        if (each.asks->role == spec::operand::bias) return "bias";
        return each.input < 0 ? text("output0") : join({"input", each.input});
    }

    void report(text role, spec::restriction rule, text expected, text found) {
        violation result;
        result.operation = operation_.index;
        result.operation_name = operation_.name;
        result.role = move(role);
        result.rule = rule;
        result.expected = move(expected);
        result.found = move(found);
        found_.push_back(move(result));
    }

    void report(const covered_tensor& each, spec::restriction rule, text expected, text found) {
        report(role_of(each), rule, move(expected), move(found));
        found_.back().tensor = each.tensor->index;
        found_.back().tensor_name = each.tensor->name;
    }

    void cover(view<described_tensor> tensors, std::size_t index, const spec::requirement& asks, int input) {
        if (index < tensors.size() && tensors[index].is_present())
            covered_.push_back({&tensors[index], &asks, input, false, false, false});
    }

    void cover_all() {
        for (const spec::requirement& asks : row_) {
            switch (asks.role) {
                case spec::operand::output_0: cover(operation_.outputs, 0, asks, -1); break;
                case spec::operand::every_input:
                    for (std::size_t i = 0; i < operation_.inputs.size(); ++i)
                        cover(operation_.inputs, i, asks, static_cast<int>(i));
                    break;
                case spec::operand::input_0: cover(operation_.inputs, 0, asks, 0); break;
                case spec::operand::input_1:
                case spec::operand::weight: cover(operation_.inputs, 1, asks, 1); break;
                case spec::operand::input_2:
                case spec::operand::bias: cover(operation_.inputs, 2, asks, 2); break;
            }
        }
    }

    /// Real numbers are not the specification's affair, nor is QUANTIZE from or to them or between other integers.
    bool applies() const {
        bool all_real = true;
        for (const covered_tensor& each : covered_)
            all_real = all_real && each.tensor->type == f32;
        if (all_real) return false;
        if (row_.name != spec::op::quantize::name) return true;
        for (const covered_tensor& each : covered_) {
            if (each.tensor->type != i8) return false;
        }
        return true;
    }

    void check_options() {
        if (operation_.missing_option.empty()) return;
        report("options", spec::restriction::option_missing, join({operation_.missing_option, " above 0"}), "none");
    }

    void check_tensor(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (tensor.type != each.asks->type)
            return report(each, spec::restriction::dtype, name(each.asks->type), name(tensor.type));
        if (!tensor.is_quantized())
            return report(each, spec::restriction::quant_missing, "a scale and a zero point", "none");
        if (tensor.broken_zero_point != 0) {
            return report(each, spec::restriction::zero_point_range, "a zero point that is a whole number",
                          join({tensor.broken_zero_point}));
        }
        each.readable = true;
        each.scales_usable = true;
        each.has_one_scale = tensor.scales.size() == 1;
        if (each.asks->scale != spec::scale_rule::product) check_scales(each);
        switch (each.asks->role) {
            case spec::operand::weight: return check_weights(each);
            case spec::operand::bias: return check_bias_alone(each);
            default: return check_activation(each);
        }
    }

    void check_scales(covered_tensor& each) {
        for (const float scale : each.tensor->scales) {
            if (is_usable(scale)) continue;
            each.scales_usable = false;
            return report(each, spec::restriction::scale_positive, "scales that are finite and above 0",
                          join({static_cast<double>(scale)}));
        }
    }

    void check_zero_is(covered_tensor& each, spec::restriction rule) {
        for (const std::int64_t zero_point : each.tensor->zero_points) {
            if (zero_point != 0) return report(each, rule, "zero point 0", join({"zero point ", zero_point}));
        }
    }

    /// Without zero points all are 0.
    void check_zero_count(const covered_tensor& each) {
        const std::size_t zero_points = each.tensor->zero_points.size();
        const std::size_t scales = each.tensor->scales.size();
        if (zero_points == 0 || zero_points == scales) return;
        report(each, spec::restriction::zero_point_count, in_words(scales, "zero point"),
               in_words(zero_points, "zero point"));
    }

    void check_bias_alone(covered_tensor& each) {
        check_zero_count(each);
        check_zero_is(each, spec::restriction::bias_zero_point);
    }

    void check_weights(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (tensor.scales.size() > 1) check_axis(each);
        check_zero_count(each);
        check_zero_is(each, spec::restriction::weight_zero_point);
        constexpr int lowest_code = -128;
        if (each.asks->lowest > lowest_code && tensor.constant_bytes != 0 &&
            __builtin_memchr(tensor.constant, lowest_code & 0xFF, tensor.constant_bytes) != nullptr)
            report(each, spec::restriction::weight_range,
                   join({"values in [", each.asks->lowest, ", ", each.asks->highest, "]"}), join({lowest_code}));
    }

    void check_axis(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (tensor.axis != each.asks->axis) {
            each.scales_usable = false;
            return report(each, spec::restriction::per_axis_dim, join({"quantized dimension ", each.asks->axis}),
                          join({"quantized dimension ", tensor.axis}));
        }
        const bool has_axis = static_cast<std::size_t>(tensor.axis) < tensor.dimensions.size();
        const std::int64_t length = has_axis ? tensor.dimensions[static_cast<std::size_t>(tensor.axis)] : 1;
        if (static_cast<std::int64_t>(tensor.scales.size()) == length) return;
        each.scales_usable = false;
        report(each, spec::restriction::per_axis_count, join({length, " scales"}),
               join({tensor.scales.size(), " scales"}));
    }

    void check_activation(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (!each.has_one_scale)
            return report(each, spec::restriction::per_tensor, "one scale", join({tensor.scales.size(), " scales"}));
        check_zero_count(each);
        const element_facts& range = facts(each.asks->type);
        for (const std::int64_t zero_point : tensor.zero_points) {
            if (static_cast<double>(zero_point) >= range.lowest && static_cast<double>(zero_point) <= range.highest)
                continue;
            return report(each, spec::restriction::zero_point_range, "a zero point in [-128, 127]", join({zero_point}));
        }
    }

    const covered_tensor* find(spec::operand role) const {
        for (const covered_tensor& each : covered_) {
            if (each.asks->role == role) return &each;
        }
        return nullptr;
    }

    void check_bias() {
        const covered_tensor* bias = find(spec::operand::bias);
        const covered_tensor* weights = find(spec::operand::weight);
        const covered_tensor* input = find(spec::operand::input_0);
        if (bias == nullptr || weights == nullptr || input == nullptr) return;
        if (!bias->readable || !weights->scales_usable || !input->scales_usable || !input->has_one_scale) return;
        const view<float> scales = bias->tensor->scales;
        const view<float> of_weights = weights->tensor->scales;
        if (scales.size() != of_weights.size())
            return report(*bias, spec::restriction::bias_granularity, in_words(of_weights), in_words(scales));
        for (std::size_t i = 0; i < scales.size(); ++i) {
            const float wanted = input->tensor->scales[0] * of_weights[i];
            if (agree(static_cast<double>(scales[i]), static_cast<double>(wanted))) continue;
            return report(*bias, spec::restriction::bias_scale, join({"scale ", static_cast<double>(wanted)}),
                          join({"scale ", static_cast<double>(scales[i])}));
        }
    }

    void check_fixed_output() {
        const covered_tensor* output = find(spec::operand::output_0);
        if (output == nullptr || output->asks->scale != spec::scale_rule::fixed || !output->readable ||
            !output->has_one_scale)
            return;
        const double scale = static_cast<double>(output->tensor->scales[0]);
        const std::int64_t zero_point = zero_point_of(*output->tensor);
        const bool scale_agrees = !output->scales_usable || agree(scale, output->asks->fixed_scale());
        if (scale_agrees && zero_point == output->asks->fixed_zero_point) return;
        report(*output, spec::restriction::fixed_output,
               quantization_in_words(output->asks->fixed_scale(), output->asks->fixed_zero_point),
               quantization_in_words(scale, zero_point));
    }

    void check_same_quantization() {
        const covered_tensor* first = nullptr;
        for (const covered_tensor& each : covered_) {
            if (each.input == 0) first = &each;
        }
        if (!row_.same_quantization || first == nullptr || !first->readable || !first->has_one_scale) return;
        const float scale = first->tensor->scales[0];
        const std::int64_t zero_point = zero_point_of(*first->tensor);
        for (const covered_tensor& each : covered_) {
            if (&each == first || !each.readable || !each.has_one_scale) continue;
            const bool scale_agrees = !first->scales_usable || !each.scales_usable || each.tensor->scales[0] == scale;
            if (scale_agrees && zero_point_of(*each.tensor) == zero_point) continue;
            report(each, spec::restriction::same_quant, quantization_in_words(static_cast<double>(scale), zero_point),
                   quantization_in_words(static_cast<double>(each.tensor->scales[0]), zero_point_of(*each.tensor)));
        }
    }

public:
    operation_check(const described_operation& operation, const spec::row& row, seq<violation, 0>& found)
        : operation_(operation), row_(row), found_(found) {}

    void run() {
        cover_all();
        if (!applies()) return;
        check_options();
        for (covered_tensor& each : covered_)
            check_tensor(each);
        check_bias();
        check_fixed_output();
        check_same_quantization();
    }
};

/// By role, then rule, as their names sort.
inline bool comes_before(const violation& left, const violation& right) {
    if (!(left.role == right.role)) return left.role < right.role;
    return spec::name(left.rule) < spec::name(right.rule);
}

inline void sort_from(seq<violation, 0>& found, std::size_t first) {
    for (std::size_t i = first + 1; i < found.size(); ++i) {
        for (std::size_t at = i; at > first && comes_before(found[at], found[at - 1]); --at) {
            violation moved = move(found[at]);
            found[at] = move(found[at - 1]);
            found[at - 1] = move(moved);
        }
    }
}

}  // namespace detail

/// Appends what an operation breaks of its row in the specification, sorted by role and rule. Operations without a row break nothing, nor do
/// those of real numbers.
inline void check_operation(const described_operation& operation, seq<violation, 0>& found) {
    const spec::row* row = spec::find(operation.name);
    if (row == nullptr) return;
    const std::size_t first = found.size();
    detail::operation_check(operation, *row, found).run();
    detail::sort_from(found, first);
}

}  // namespace lpt::inline LPT_ABI::check
