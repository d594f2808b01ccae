// SPDX-License-Identifier: Apache-2.0
#include "tests/support/error_bound.hpp"

#include "tests/support/padding.hpp"
#include "tests/support/reference.hpp"
#include <lpt/graph/traverse.hpp>
#include <lpt/transformation/quantization_details.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace lpt::support {

namespace {

/// How many roundings of constants one operation of the network can meet in a rewrite: as many operations as a dequantization
/// has, each with a constant that is computed from two others.
constexpr double roundings = 8;

struct bounded {
    tensor value;  // f64 where it is real
    tensor radius;  // f64
    double step = 0;  // of a variable: the greatest scale that its dequantization may have
};
using variable_values = std::map<std::string, bounded>;

/// What may not be bounded; sums, products and monotone functions take it to all that depends on it.
constexpr double unbounded = math::infinity;

tensor zeros(const shape& dimensions) { return make_tensor(f64, dimensions, {0.0}); }
template <class Function>
tensor map(const tensor& from, Function function) {
    tensor_builder result(f64, from.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, function(from.real(i)));
    }
    return result.finish();
}
template <class Function>
tensor map(const tensor& left, const tensor& right, Function function) {
    tensor_builder result(f64, left.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, function(left.real(i), right.real(i)));
    }
    return result.finish();
}
double absolute(double value) { return value < 0 ? -value : value; }
/// NaN if either is.
double larger(double left, double right) { return math::is_nan(right) || right > left ? right : left; }
tensor magnitude(const tensor& of) { return map(of, absolute); }
/// Infinite constants are not rounded.
tensor finite_magnitude(const tensor& of) {
    return map(of, [](double value) { return math::is_finite(value) ? absolute(value) : 0; });
}
tensor sum(const tensor& left, const tensor& right) {
    return map(left, right, [](double a, double b) { return a + b; });
}

/// The values of a tensor at the elements of a shape that it broadcasts to.
tensor spread(const tensor& from, const shape& dimensions) {
    const shape wide = from.dimensions().padded_left(dimensions.rank());
    tensor_builder result(f64, dimensions);
    std::vector<std::size_t> place(dimensions.rank(), 0);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        std::size_t at = 0;
        for (std::size_t axis = 0; axis < place.size(); ++axis) {
            at = at * static_cast<std::size_t>(wide[axis]) + (wide[axis] == 1 ? 0 : place[axis]);
        }
        result.real(i, from.real(at));
        for (std::size_t axis = place.size(); axis-- > 0;) {
            if (++place[axis] < static_cast<std::size_t>(dimensions[axis])) {
                break;
            }
            place[axis] = 0;
        }
    }
    return result.finish();
}
double greatest(const tensor& of) {
    double result = 0;
    for (std::size_t i = 0; i < of.elements(); ++i) {
        result = larger(result, of.real(i));
    }
    return result;
}

/// The output interval of one channel of a FakeQuantize.
struct interval {
    double low;
    double high;
};

/// What lies between a FakeQuantize with real numbers and one with the integers of a type.
struct type_distance {
    double rounding = 0;  // of the zero point
    double uneven = 0;  // steps that are no whole numbers
    double neglected = 0;  // the zero point itself, where the type goes without
};

/// The values of a type that a FakeQuantize uses; none where it cannot use the type. With `whole_steps` as many as it has levels.
data_precision values_of_type(std::int64_t levels, element type, bool whole_steps) {
    const data_precision range = range_of_type(type, levels);
    if (!whole_steps) {
        return range;
    }
    const bool has_enough =
        static_cast<double>(range.high) - static_cast<double>(range.low) >= static_cast<double>(levels - 1);
    return has_enough ? with_whole_steps(range, levels) : data_precision{};
}
/// The types that a FakeQuantize of this many levels may be quantized to.
std::vector<element> types_of_levels(std::int64_t levels) {
    return levels < 65535 ? std::vector<element>{u8, i8} : std::vector<element>{u8, i8, u16, i16};
}

/// The distance between the steps of a FakeQuantize and those of a type: dequantized values s (q - z), where
///   s = (high - low) / (most - least),  z = (least · high - most · low) / (high - low).
///
/// z is rounded to a whole number by the operation that takes it: at most s · |z - round(z)|. If the levels do not divide the range
/// of the type into whole steps, q is rounded too: at most s / 2 (with `whole_steps` the range is made smaller instead). A type
/// that suits the interval within 0.2 % is taken without z: at most s · |z|.
type_distance distance_to_type(std::int64_t levels, interval bounds, element type, bool whole_steps) {
    const data_precision range = values_of_type(levels, type, whole_steps);
    if (!range || bounds.high == bounds.low) {
        return {};
    }
    const double low = static_cast<double>(range.low);
    const double high = static_cast<double>(range.high);
    const bool uneven = std::fmod(high - low, static_cast<double>(levels - 1)) != 0;
    const double step = (bounds.high - bounds.low) / (high - low);
    const double zero_point = (low * bounds.high - high * bounds.low) / (bounds.high - bounds.low);
    type_distance result;
    result.rounding = absolute(step * (zero_point - std::nearbyint(zero_point)));
    result.uneven = uneven ? absolute(step) / 2 : 0;
    const float lows[] = {static_cast<float>(bounds.low)};
    const float highs[] = {static_cast<float>(bounds.high)};
    const precision_details details = precision_details_of(levels, lows, highs);
    if (!details.has_zero_point && is_integral(details.preferred) && is_signed(details.preferred) == is_signed(type)) {
        result.neglected = absolute(step * zero_point);
    }
    return result;
}

/// The greatest step that a FakeQuantize of this many levels may get where it shares the scale of an interval of this width.
double greatest_common_step(std::int64_t levels, double width, bool whole_steps) {
    double step = 0;
    for (const element type : types_of_levels(levels)) {
        if (const data_precision range = values_of_type(levels, type, whole_steps)) {
            step = larger(step, width / (static_cast<double>(range.high) - static_cast<double>(range.low)));
        }
    }
    return step;
}

/// A network evaluated with radii.
class analysis {
    const graph& model_;
    const std::vector<bounded>& inputs_;
    variable_values& variables_;
    variable_values written_;  // seen by the next run
    const bound_settings& settings_;
    const double unit_;  // of rounding, times `roundings`
    std::vector<std::vector<bounded>> values_;
    std::vector<double> aligned_;  // a FakeQuantize node: what alignment with others can change
    double greatest_scale_ = 1;
    double common_step_ = 0;  // of FakeQuantize operations that meet in a Concat
    std::vector<double> steps_;  // of a node's values: the greatest scale that its dequantization may have
    difference_set met_;
    const bool follows_;  // upstream's errors

    void meet(difference what, bool is_so) {
        if (is_so) {
            met_.set(static_cast<std::size_t>(what));
        }
    }

    // ---- what alignment changes

    struct quantizer {
        node_id id;
        interval bounds;
        double factor;  // of a dequantization below it
        std::int64_t levels;
        std::set<node_id> concats;
        bool is_moved;
    };
    /// The FakeQuantize operations that meet in a Concat, directly or by way of others.
    static std::vector<std::vector<quantizer>> groups_of(std::vector<quantizer> all) {
        std::vector<std::vector<quantizer>> groups;
        while (!all.empty()) {
            std::vector<quantizer> group{std::move(all.back())};
            all.pop_back();
            for (std::size_t known = 0; known < group.size(); ++known) {
                for (std::size_t i = all.size(); i-- > 0;) {
                    const bool meets = std::any_of(all[i].concats.begin(), all[i].concats.end(), [&](node_id concat) {
                        return group[known].concats.count(concat) != 0;
                    });
                    if (meets) {
                        group.push_back(std::move(all[i]));
                        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
                    }
                }
            }
            groups.push_back(std::move(group));
        }
        return groups;
    }
    const tensor* constant_at(node_id id, std::size_t port) const {
        return model_.constant_value(model_[id].input(port));
    }
    /// True where an output reaches one of these operations before it is quantized anew.
    bool reaches(output_ref from, std::initializer_list<op::kind> wanted) const {
        std::vector<char> seen(model_.id_bound(), 0);
        return reaches(from, wanted, seen);
    }
    bool reaches(output_ref from, std::initializer_list<op::kind> wanted, std::vector<char>& seen) const {
        for (const input_ref user : model_.uses(from)) {
            const node& reader = model_[user.node];
            if (std::find(wanted.begin(), wanted.end(), reader.kind()) != wanted.end()) {
                return true;
            }
            if (reader.is<op::fake_quantize>() || seen[index_of(user.node)] != 0) {
                continue;
            }
            seen[index_of(user.node)] = 1;
            for (std::size_t port = 0; port < reader.outputs(); ++port) {
                if (reaches({user.node, static_cast<std::int32_t>(port)}, wanted, seen)) {
                    return true;
                }
            }
        }
        return false;
    }
    /// The Concat operations that an output reaches before it is quantized anew, or multiplied and added up.
    std::set<node_id> concats_of(output_ref from) const {
        std::set<node_id> found;
        std::vector<char> seen(model_.id_bound(), 0);
        std::vector<output_ref> open{from};
        while (!open.empty()) {
            const output_ref place = open.back();
            open.pop_back();
            for (const input_ref user : model_.uses(place)) {
                const node& reader = model_[user.node];
                if (reader.is<op::fake_quantize>() || adds_up_products(reader) || seen[index_of(user.node)]++ != 0) {
                    continue;
                }
                if (reader.is<op::concat>()) {
                    found.insert(user.node);
                }
                for (std::size_t port = 0; port < reader.outputs(); ++port) {
                    open.push_back({user.node, static_cast<std::int32_t>(port)});
                }
            }
        }
        return found;
    }
    static bool adds_up_products(const node& each) {
        switch (each.kind()) {
            case op::kind::convolution:
            case op::kind::group_convolution:
            case op::kind::convolution_backprop_data:
            case op::kind::group_convolution_backprop_data:
            case op::kind::mat_mul: return true;
            default: return false;
        }
    }
    /// True where an operation that takes whole zero points alone may read an output: a convolution, or a MatMul, which drops those of
    /// its second operand that round to 0.
    bool reaches_rounding_of_zero_points(output_ref from) const {
        return reaches(from, {op::kind::convolution, op::kind::group_convolution, op::kind::convolution_backprop_data,
                              op::kind::mat_mul});
    }
    double factor_below(node_id id) const {
        output_ref at{id, 0};
        while (model_.use_count(at) == 1) {
            const node_id reader = model_.first_use(at).node;
            const node& each = model_[reader];
            if (each.is<op::multiply>()) {
                for (const std::size_t port : {1u, 0u}) {
                    if (const tensor* scale = constant_at(reader, port)) {
                        return greatest(magnitude(*scale));
                    }
                }
                return 1;
            }
            if (!each.is<op::convert>() && !each.is<op::subtract>()) {
                return 1;
            }
            at = {reader, 0};
        }
        return 1;
    }
    /// True for a FakeQuantize that MoveFakeQuantize puts above a Concat, one copy on each input, with the ranges of its channels.
    bool moves_above_concat(node_id id) const {
        const node& above = model_[model_.producer(id, 0)];
        return above.is<op::concat>() || (above.is<op::relu>() && model_[above.input(0).node].is<op::concat>());
    }
    /// FakeQuantize operations that meet in a Concat may get one scale and zero point for all. With S = (highest - lowest end) /
    /// (most - least value of the type), each end moves to a multiple of S (by S / 2), the zero point to a whole number (S / 2), the
    /// values between the ends to the nearest multiple (S / 2), and they were rounded to their own step s before: at most 3 S / 2 + s / 2.
    void find_aligned() {
        std::vector<quantizer> found;
        for (const node_id id : topological_order(model_)) {
            const node& each = model_[id];
            if (!each.is<op::fake_quantize>() || constant_at(id, 3) == nullptr || constant_at(id, 4) == nullptr ||
                constant_at(id, 0) != nullptr || constant_at(id, 3)->elements() == 0) {
                continue;
            }
            const tensor& lows = *constant_at(id, 3);
            const tensor& highs = *constant_at(id, 4);
            const double factor = factor_below(id);
            const bool is_moved = moves_above_concat(id);
            interval bounds{lows.real(0) * factor, highs.real(0) * factor};
            for (std::size_t i = 0; is_moved && i < lows.elements() && lows.elements() == highs.elements(); ++i) {
                bounds.low = std::min(bounds.low, lows.real(i) * factor);
                bounds.high = larger(bounds.high, highs.real(i) * factor);
            }
            const double steps = static_cast<double>(each.as<op::fake_quantize>().levels - 1);
            greatest_scale_ = larger(greatest_scale_, greatest(magnitude(highs)) * 2 * factor / steps);
            std::set<node_id> concats = concats_of({id, 0});
            if (is_moved || !concats.empty()) {
                found.push_back(
                    {id, bounds, factor, each.as<op::fake_quantize>().levels, std::move(concats), is_moved});
            }
        }
        for (const std::vector<quantizer>& group : groups_of(std::move(found))) {
            align(group);
        }
    }
    void align(const std::vector<quantizer>& group) {
        if (group.size() < 2 && !group[0].is_moved) {
            return;
        }
        double low = 0;
        double high = 0;
        for (const quantizer& each : group) {
            low = std::min({low, each.bounds.low, each.bounds.high});
            high = std::max({high, each.bounds.low, each.bounds.high});
        }
        for (const quantizer& each : group) {
            const double common = greatest_common_step(each.levels, high - low, !follows_);
            common_step_ = larger(common_step_, common);
            const double own = absolute(each.bounds.high - each.bounds.low) / static_cast<double>(each.levels - 1);
            aligned_[index_of(each.id)] = (1.5 * common + 0.5 * own) / each.factor;
        }
        meet(difference::aligned_intervals, true);
        const bool has_pair =
            std::any_of(group.begin(), group.end(), [&](const quantizer& each) { return is_pair(each.id); });
        for (const quantizer& each : group) {
            if (has_pair) {
                is_aligned_to_pair_.insert(each.id);
            }
        }
    }
    /// True for the FakeQuantize of a pair of quantize and dequantize operations.
    bool is_pair(node_id id) const {
        const node_id reader = model_.first_use({id, 0}).node;
        return reader != node_id::none && model_[reader].is<op::convert>() && is_integral(model_[reader].type());
    }
    /// What a pair may be wrong by in a network with a Concat, before its scale below: its values are rounded to steps of its integers.
    double error_of_pair(node_id id) const {
        const tensor* low = constant_at(id, 3);
        const tensor* high = constant_at(id, 4);
        if (low == nullptr || high == nullptr || low->elements() == 0 || constant_at(id, 0) != nullptr) {
            return 0;
        }
        const double width = absolute(high->real(0) - low->real(0));
        const std::int64_t levels = model_[id].as<op::fake_quantize>().levels;
        return 1.5 * width / 255 / factor_below(id) + 0.5 * width / static_cast<double>(levels - 1);
    }

    double constant_size(const node& each, double otherwise) const {
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            if (const tensor* constant = model_.constant_value(each.input(port))) {
                return greatest(magnitude(*constant));
            }
        }
        return otherwise;
    }
    /// The greatest step between two quantized values that a node gives; 0 where it gives none.
    double step_of(node_id id) const {
        const node& each = model_[id];
        double step = each.is<op::read_value>() ? values_[index_of(id)][0].step : 0;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            step = larger(step, steps_[index_of(each.input(port).node)]);
        }
        switch (each.kind()) {
            case op::kind::convert: return is_integral(model_.type(each.input(0))) ? 1 : step;
            case op::kind::multiply: return step * constant_size(each, 0);
            case op::kind::divide: return 0;
            case op::kind::fake_quantize: {
                const double levels = static_cast<double>(each.as<op::fake_quantize>().levels - 1);
                const double span = greatest(magnitude(at(each, 3).value)) + greatest(magnitude(at(each, 4).value));
                return larger(common_step_, span / std::min(levels, 254.0));
            }
            case op::kind::convolution:
            case op::kind::group_convolution:
            case op::kind::convolution_backprop_data:
            case op::kind::group_convolution_backprop_data:
            case op::kind::mat_mul: return 0;
            default: return step;
        }
    }

    // ---- upstream's wrong answers: each is excused where it is made, and in what depends on it

    /// What an operation may be wrong by, beside what it has from its inputs.
    struct excuse {
        difference what;
        double radius;
    };
    std::map<node_id, std::vector<excuse>> excuses_;
    std::set<node_id> broadcasts_;
    bool has_zero_scale_ = false;  // which a normalization loses as it loses others
    std::set<node_id> has_no_value_;  // may be NaN
    std::set<node_id> eliminated_;  // FakeQuantize that cleanup may leave out
    std::set<node_id> is_aligned_to_pair_;

    void excuse_at(node_id id, difference what, double radius, bool is_so) {
        if (is_so && radius > 0) {
            excuses_[id].push_back({what, radius});
        }
    }
    static bool has_tiny(const tensor& values) {
        for (std::size_t i = 0; i < values.elements(); ++i) {
            if (values.real(i) != 0 && absolute(values.real(i)) < 1e-32) {
                return true;
            }
        }
        return false;
    }
    static bool has_zero(const tensor* values) {
        for (std::size_t i = 0; values != nullptr && i < values->elements(); ++i) {
            if (values->real(i) == 0) {
                return true;
            }
        }
        return false;
    }
    static bool is_zero(const tensor* values) { return values == nullptr || greatest(magnitude(*values)) == 0; }
    static bool is_zero(const integers& values) {
        return std::all_of(values.begin(), values.end(), [](std::int64_t each) { return each == 0; });
    }
    /// The range of a FakeQuantize with constant bounds of one channel or several; without width for others.
    interval range_of(node_id id) const {
        const tensor* lows = constant_at(id, 3);
        const tensor* highs = constant_at(id, 4);
        interval all{0, 0};
        for (std::size_t i = 0; lows != nullptr && highs != nullptr && i < lows->elements(); ++i) {
            all.low = std::min(all.low, lows->real(i));
        }
        for (std::size_t i = 0; lows != nullptr && highs != nullptr && i < highs->elements(); ++i) {
            all.high = larger(all.high, highs->real(i));
        }
        return all;
    }
    static bool wraps(double zero_point, element type) {
        const double whole = math::round_half_away(zero_point);
        return !(whole >= facts(type).lowest && whole <= facts(type).highest);
    }
    /// True where a zero point that a FakeQuantize needs in an 8-bit type, or one that is subtracted, rounds to no value of the type.
    bool has_zero_point_that_wraps(node_id id) const {
        if (model_[id].is<op::subtract>()) {
            const tensor* zero_point = constant_at(id, 1);
            bool fits = true;
            for (std::size_t i = 0; zero_point != nullptr && i < zero_point->elements(); ++i) {
                fits = fits && (!wraps(zero_point->real(i), i8) || !wraps(zero_point->real(i), u8));
            }
            return !fits;
        }
        const tensor* lows = constant_at(id, 3);
        const tensor* highs = constant_at(id, 4);
        for (std::size_t i = 0; lows != nullptr && highs != nullptr && i < lows->elements(); ++i) {
            const double low = lows->real(i);
            const double high = highs->real(highs->elements() == 1 ? 0 : i);
            for (const element type : {u8, i8}) {
                if (low != high &&
                    wraps((facts(type).lowest * high - facts(type).highest * low) / (high - low), type)) {
                    return true;
                }
            }
        }
        return false;
    }
    /// True where the values of an input have such a zero point: it is that of the nearest FakeQuantize, or a Subtract below it.
    bool reads_zero_point_that_wraps(node_id id, std::size_t port) const {
        std::vector<node_id> open{model_.producer(id, port)};
        std::vector<char> seen(model_.id_bound(), 0);
        while (!open.empty()) {
            const node_id next = open.back();
            open.pop_back();
            const node& each = model_[next];
            if (seen[index_of(next)]++ != 0) {
                continue;
            }
            const bool is_quantizer = each.is<op::fake_quantize>();
            if ((is_quantizer || each.is<op::subtract>()) && has_zero_point_that_wraps(next)) {
                return true;
            }
            for (std::size_t input = 0; !is_quantizer && !adds_up_products(each) && input < each.inputs(); ++input) {
                open.push_back(model_.producer(next, input));
            }
        }
        return false;
    }
    /// True where a FakeQuantize quantizes anew what another one gives, over ends that differ by no more than one of its steps. With 15 or 16
    /// levels upstream takes the type's highest value for that of the levels: steps are so large that most ends do.
    bool nearly_repeats_another(node_id id) const {
        node_id above = model_.producer(id, 0);
        while (!model_[above].is<op::fake_quantize>() && model_[above].inputs() > 0) {
            above = model_.producer(above, 0);
        }
        if (!model_[above].is<op::fake_quantize>() || constant_at(id, 1) == nullptr || constant_at(id, 2) == nullptr) {
            return false;
        }
        if (model_[id].as<op::fake_quantize>().levels <= 16) {
            return true;
        }
        const interval range = range_of(above);
        const double step =
            (range.high - range.low) / static_cast<double>(model_[above].as<op::fake_quantize>().levels - 1);
        return absolute(constant_at(id, 1)->real(0) - range.low) <= step &&
               absolute(constant_at(id, 2)->real(0) - range.high) <= step;
    }
    /// A scale that is limited to 1e-32 is that of both networks' outputs, times a quantized value; one above 1e32 is as good as infinite.
    void excuse_clamped_scales(node_id id) {
        const tensor* lows = constant_at(id, 3);
        const tensor* highs = constant_at(id, 4);
        for (std::size_t i = 0; lows != nullptr && highs != nullptr && i < lows->elements(); ++i) {
            const double width = absolute(highs->real(highs->elements() == 1 ? 0 : i) - lows->real(i));
            excuse_at(id, difference::clamped_scale, 2e-32 * 65536, width != 0 && width / 65535 < 1e-32);
            excuse_at(id, difference::clamped_scale, unbounded, !(width / 255 < 1e32));
        }
    }
    bool has_constant_outputs(node_id id) const {
        const tensor* lows = constant_at(id, 3);
        const tensor* highs = constant_at(id, 4);
        for (std::size_t i = 0; lows != nullptr && highs != nullptr && i < lows->elements(); ++i) {
            if (lows->real(i) != 0 && lows->real(i) == highs->real(highs->elements() == 1 ? 0 : i)) {
                return true;
            }
        }
        return false;
    }
    void find_excuses() {
        std::int64_t least_levels = 0;
        std::int64_t most_levels = 0;
        bool has_mat_mul = false;
        bool has_concat = false;
        for (const node_id id : topological_order(model_)) {
            const node& each = model_[id];
            has_mat_mul = has_mat_mul || each.is<op::mat_mul>();
            has_concat = has_concat || each.is<op::concat>();
            has_zero_scale_ = has_zero_scale_ || (each.is<op::multiply>() && has_zero(constant_at(id, 1)));
            if (each.is<op::fake_quantize>()) {
                const std::int64_t levels = each.as<op::fake_quantize>().levels;
                least_levels = least_levels == 0 ? levels : std::min(least_levels, levels);
                most_levels = std::max(most_levels, levels);
            }
        }
        for (const node_id id : topological_order(model_)) {
            const node& each = model_[id];
            const bool in_f16 = is_real(each.type()) && (each.type() == f16 || settings_.dequantizes_in_f16);
            excuse_at(id, difference::wrapped_zero_point, unbounded,
                      adds_up_products(each) &&
                          (reads_zero_point_that_wraps(id, 0) || reads_zero_point_that_wraps(id, 1)));
            excuse_at(id, difference::overflowing_range, unbounded,
                      in_f16 && (adds_up_products(each) || each.is<op::fake_quantize>() || each.is<op::multiply>()));
            if (each.is<op::multiply>() && constant_at(id, 1) != nullptr) {
                excuse_at(id, difference::clamped_scale, 2e-32 * 65536, has_tiny(*constant_at(id, 1)));
            }
            if (each.is<op::fake_quantize>()) {
                const interval range = range_of(id);
                const double width = range.high - range.low;
                if (width == 255 || nearly_repeats_another(id)) {
                    eliminated_.insert(id);
                }
                // Old and new steps over the same range.
                const double own = width / static_cast<double>(each.as<op::fake_quantize>().levels - 1);
                excuse_at(id, difference::levels_of_neighbour,
                          own / 2 + width / static_cast<double>(least_levels - 1) / 2, least_levels != most_levels);
                excuse_at(id, difference::constant_in_low_precision, unbounded, has_constant_outputs(id));
                excuse_clamped_scales(id);
                excuse_at(id, difference::interval_of_pair, unbounded, is_aligned_to_pair_.count(id) != 0);
                excuse_at(id, difference::interval_of_pair, error_of_pair(id), has_concat && is_pair(id));
            } else if (each.is<op::depth_to_space>()) {
                const node_id reader = model_.first_use({id, 0}).node;
                const bool is_result = reader != node_id::none && model_[reader].is<op::result>();
                excuse_at(id, difference::depth_to_space_constants, unbounded, is_result);
                if (is_result) {
                    broadcasts_.insert(id);
                }
            } else if (each.is<op::space_to_batch>()) {
                excuse_at(id, difference::space_to_batch_margin, unbounded,
                          !is_zero(constant_at(id, 2)) || !is_zero(constant_at(id, 3)));
            } else if (each.is<op::pad>() && each.inputs() > 3) {
                // The fraction of the value, in the margins.
                excuse_at(id, difference::truncated_pad_value, 1, !is_zero(constant_at(id, 3)));
                excuse_at(id, difference::padded_axis_of_one, unbounded, fills_axis_of_one(model_, id));
            } else if (each.is<op::avg_pool>()) {
                const auto& self = each.as<op::avg_pool>();
                excuse_at(id, difference::margin_in_average, unbounded,
                          !self.exclude_pad && (!is_zero(self.pads_begin) || !is_zero(self.pads_end)));
            } else if (each.is<op::group_convolution>()) {
                excuse_at(id, difference::scale_of_other_axis, unbounded, has_mat_mul && !settings_.updates_precisions);
            }
        }
    }
    /// True where infinities come from an error that is followed, by which a value may be NaN: that limits of other operations do not end.
    bool may_have_no_value(node_id id) {
        bool may = false;
        if (const auto found = excuses_.find(id); found != excuses_.end()) {
            may = std::any_of(found->second.begin(), found->second.end(), [](const excuse& each) {
                return each.radius == unbounded &&
                       (each.what == difference::overflowing_range || each.what == difference::clamped_scale);
            });
        }
        const node& each = model_[id];
        for (std::size_t port = 0; port < each.inputs() && !may; ++port) {
            may = has_no_value_.count(each.input(port).node) != 0;
        }
        if (may) {
            has_no_value_.insert(id);
        }
        return may;
    }
    /// A parameter of a body or a variable that is unbounded may be NaN, if anything overflows.
    void note_unbounded(node_id id, const bounded& value) {
        if (settings_.dequantizes_in_f16 && greatest(value.radius) == unbounded) {
            has_no_value_.insert(id);
        }
    }
    /// The radius of an output with what its operation may be wrong by.
    tensor excused(node_id id, const tensor& value, const tensor& radius) {
        double more = may_have_no_value(id) ? unbounded : 0;
        if (const auto found = excuses_.find(id); found != excuses_.end()) {
            for (const excuse& each : found->second) {
                more += each.radius;
                meet(each.what, true);
            }
        }
        // What is infinite stays so. Where something is unbounded, 0 times it and differences of it are, too.
        return map(value, radius, [&](double v, double r) {
            return follows_ && (math::is_nan(r) || more == unbounded) ? unbounded : math::is_infinite(v) ? 0 : r + more;
        });
    }

    // ---- evaluation

    const bounded& at(const node& each, std::size_t port) const {
        const output_ref source = each.input(port);
        return values_[index_of(source.node)][static_cast<std::size_t>(source.port)];
    }
    seq<tensor> values_at(const node& each) const {
        seq<tensor> result;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            result.push_back(at(each, port).value);
        }
        return result;
    }
    /// The node with its inputs, of which some are others.
    seq<tensor> evaluate(node_id id, const seq<tensor>& inputs) const {
        return reference::evaluate_node<double>(model_, id, inputs);
    }
    seq<tensor> evaluate_with(node_id id, const tensor& data) const {
        seq<tensor> inputs = values_at(model_[id]);
        inputs[0] = data;
        return evaluate(id, inputs);
    }
    seq<tensor> evaluate_with(node_id id, const tensor& first, const tensor& second) const {
        seq<tensor> inputs = values_at(model_[id]);
        inputs[0] = first;
        inputs[1] = second;
        return evaluate(id, inputs);
    }
    /// A radius with the share of rounded constants for results of this size.
    tensor with_roundings(const tensor& radius, const tensor& size) const {
        return map(radius, size, [&](double r, double s) { return r + unit_ * absolute(s); });
    }

    /// |a| r_b + |b| r_a + r_a r_b, and the roundings of |a| |b|.
    tensor radius_of_product(node_id id) const {
        const node& each = model_[id];
        const bounded& left = at(each, 0);
        const bounded& right = at(each, 1);
        const tensor left_size = magnitude(left.value);
        const tensor right_size = magnitude(right.value);
        tensor result = evaluate_with(id, left_size, right.radius)[0];
        result = sum(result, evaluate_with(id, left.radius, right_size)[0]);
        result = sum(result, evaluate_with(id, left.radius, right.radius)[0]);
        return with_roundings(result, evaluate_with(id, left_size, right_size)[0]);
    }
    tensor radius_of_sum(node_id id) {
        const node& each = model_[id];
        const bounded& left = at(each, 0);
        const bounded& right = at(each, 1);
        const shape& wide = values_[index_of(id)][0].value.dimensions();
        const auto total = [&](const tensor& a, const tensor& b) { return sum(spread(a, wide), spread(b, wide)); };
        tensor result =
            with_roundings(total(left.radius, right.radius), total(magnitude(left.value), magnitude(right.value)));
        const tensor* zero_point = nullptr;
        if (each.is<op::subtract>() && model_[each.input(0).node].is<op::convert>()) {
            zero_point = model_.constant_value(each.input(1));
        }
        if (zero_point != nullptr) {
            const tensor moved = map(*zero_point, [](double z) { return absolute(z - std::nearbyint(z)); });
            meet(difference::rounded_zero_point, greatest(moved) > 0);
            result = sum(result, spread(moved, wide));
        }
        const double moved = half_step_of_sum(id);
        meet(difference::rounded_zero_point, moved > 0);
        return map(result, [&](double r) { return r + moved; });
    }
    /// A constant that is added to dequantized values becomes part of their zero point, b / s less; an operation that takes whole
    /// zero points rounds it: by half a step.
    double half_step_of_sum(node_id id) const {
        const node& each = model_[id];
        for (const std::size_t port : {0u, 1u}) {
            if (constant_at(id, port) != nullptr && reaches_rounding_of_zero_points({id, 0})) {
                return steps_[index_of(each.input(1 - port).node)] / 2;
            }
        }
        return 0;
    }
    tensor radius_of_quotient(node_id id) const {
        const bounded& left = at(model_[id], 0);
        const bounded& right = at(model_[id], 1);
        const tensor& result = values_[index_of(id)][0].value;
        const shape& wide = result.dimensions();
        tensor by = map(spread(right.value, wide), spread(right.radius, wide),
                        [](double value, double radius) { return absolute(value) - radius; });
        by = map(by, [](double value) { return value > 0 ? value : 0; });
        const tensor over = sum(spread(left.radius, wide), map(result, spread(right.radius, wide),
                                                               [](double q, double r) { return absolute(q) * r; }));
        return with_roundings(map(over, by, [](double a, double b) { return a / b; }), result);
    }
    /// The farthest that a monotone function goes; also for steps.
    tensor radius_of_monotone(node_id id, const tensor& middle, const tensor& uncertainty) const {
        const bounded& data = at(model_[id], 0);
        const tensor above = evaluate_with(id, sum(data.value, uncertainty))[0];
        const tensor below =
            evaluate_with(id, map(data.value, uncertainty, [](double value, double r) { return value - r; }))[0];
        const auto distance = [](double a, double b) { return absolute(a - b); };
        return map(map(above, middle, distance), map(below, middle, distance), larger);
    }
    tensor radius_of_monotone(node_id id) const {
        const tensor& middle = values_[index_of(id)][0].value;
        return with_roundings(radius_of_monotone(id, middle, at(model_[id], 0).radius), middle);
    }
    tensor radius_of_lipschitz(node_id id, double constant) const {
        const bounded& data = at(model_[id], 0);
        return with_roundings(map(data.radius, [&](double r) { return constant * r; }), data.value);
    }

    tensor radius_of_fake_quantize(node_id id) {
        const node& each = model_[id];
        const bounded& data = at(each, 0);
        const shape& wide = values_[index_of(id)][0].value.dimensions();
        const tensor input_low = spread(at(each, 1).value, wide);
        const tensor input_high = spread(at(each, 2).value, wide);
        const tensor output_low = spread(at(each, 3).value, wide);
        const tensor output_high = spread(at(each, 4).value, wide);
        const tensor uncertainty =
            with_roundings(data.radius, sum(finite_magnitude(input_low), finite_magnitude(input_high)));
        const tensor steps = radius_of_monotone(id, values_[index_of(id)][0].value, uncertainty);
        const tensor size = sum(magnitude(output_low), magnitude(output_high));
        const std::int64_t levels = each.as<op::fake_quantize>().levels;
        const bool rounds_zero_point = reaches_rounding_of_zero_points({id, 0});
        const tensor types = map(output_low, output_high, [&](double low, double high) {
            return distance_to_types(levels, {low, high}, rounds_zero_point) + aligned_[index_of(id)];
        });
        const tensor bound = sum(with_roundings(steps, size), types);
        return eliminated_.count(id) == 0 ? bound : sum(bound, radius_without_limits(id));
    }
    /// A FakeQuantize that is left out gives the line through its ends, low' + (x - low) (high' - low') / (high - low), or, where it nearly
    /// repeats another one, that one's integers: a step away at either end at most.
    tensor radius_without_limits(node_id id) {
        meet(difference::eliminated_limit, true);
        const node& each = model_[id];
        const tensor& result = values_[index_of(id)][0].value;
        const shape& wide = result.dimensions();
        const auto bound_at = [&](std::size_t port) { return spread(at(each, port).value, wide); };
        const tensor width = map(bound_at(2), bound_at(1), [](double high, double low) { return high - low; });
        const tensor slope = map(map(bound_at(4), bound_at(3), [](double high, double low) { return high - low; }),
                                 width, [](double to, double from) { return to / from; });
        tensor line = map(map(at(each, 0).value, bound_at(1), [](double x, double low) { return x - low; }), slope,
                          [](double x, double by) { return x * by; });
        line = sum(line, bound_at(3));
        const tensor moved = map(at(each, 0).radius, slope, [](double r, double by) { return r * absolute(by); });
        const interval range = range_of(id);
        const double step =
            nearly_repeats_another(id)
                ? absolute(range.high - range.low) / static_cast<double>(each.as<op::fake_quantize>().levels - 1)
                : 0;
        return sum(moved, map(line, result, [&](double a, double b) { return absolute(a - b) + step; }));
    }
    /// Between quantized operations the mean of integers is rounded to an integer: by at most half a step.
    tensor radius_of_average(node_id id) {
        const double half_step = step_of(id) / 2;
        meet(difference::rounded_average, half_step > 0);
        const tensor passed = with_roundings(evaluate_with(id, at(model_[id], 0).radius)[0],
                                             evaluate_with(id, magnitude(at(model_[id], 0).value))[0]);
        return map(passed, [&](double r) { return r + half_step * (1 + unit_); });
    }
    double distance_to_types(std::int64_t levels, interval bounds, bool rounds_zero_point) {
        if (!is_supported_level_count(levels)) {
            return 0;
        }
        double result = 0;
        for (const element type : types_of_levels(levels)) {
            type_distance distance = distance_to_type(levels, bounds, type, !follows_);
            distance.rounding = rounds_zero_point ? distance.rounding : 0;
            const double size = larger(absolute(bounds.low), absolute(bounds.high));
            meet(difference::rounded_zero_point, distance.rounding > unit_ * size);
            meet(difference::neglected_zero_point, distance.neglected > unit_ * size);
            meet(difference::uneven_levels, distance.uneven > 0);
            result = larger(result, distance.rounding + distance.uneven + distance.neglected);
        }
        return result;
    }

    /// The groups of elements that are normalised together.
    struct groups {
        std::vector<std::size_t> of;  // an element's group
        std::vector<double> count;  // a group's elements
        std::size_t size() const { return count.size(); }
    };
    static groups groups_of(const shape& data, const integers& axes) {
        const reference::detail::element_groups all(data, axes);
        groups result{std::vector<std::size_t>(data.elements()), std::vector<double>(all.count(), 0)};
        all.for_each([&](std::size_t i, std::size_t group) {
            result.of[i] = group;
            ++result.count[group];
        });
        return result;
    }
    template <class Function>
    static std::vector<double> sums(const groups& all, Function value) {
        std::vector<double> result(all.size(), 0);
        for (std::size_t i = 0; i < all.of.size(); ++i) {
            result[all.of[i]] += value(i);
        }
        return result;
    }
    /// |s_i(x + d) - s_i(x)| <= sum of |ds_i / dx_j| R <= 2 s_i (1 - s_i) R <= R / 2.
    tensor radius_of_softmax(node_id id, std::int64_t axis) const {
        const bounded& data = at(model_[id], 0);
        const groups all = groups_of(data.value.dimensions(), {normalized_axis(axis, data.value.dimensions().rank())});
        std::vector<double> most(all.size(), 0);
        for (std::size_t i = 0; i < all.of.size(); ++i) {
            most[all.of[i]] = larger(most[all.of[i]], data.radius.real(i) + unit_ * absolute(data.value.real(i)));
        }
        tensor_builder result(f64, data.value.dimensions());
        for (std::size_t i = 0; i < all.of.size(); ++i) {
            result.real(i, std::min(1.0, most[all.of[i]] / 2));
        }
        return result.finish();
    }
    /// y = (x - mean) / d. The mean moves by the mean of r, x - mean by r + mean(r), and d, which is a norm, by R = the root of the
    /// mean of r²: |dy| <= (r + mean(r) + |y| R) / (d - R), and never more than 2 sqrt(n). With the scale s moved behind it, eps
    /// stands for eps s² (eps s outside of the root), so d lies between its values for eps = 0 and for the greatest scale.
    tensor radius_of_mvn(node_id id) {
        const bounded& data = at(model_[id], 0);
        const auto& self = model_[id].as<op::mvn>();
        const bool outside = model_[id].version() >= 6 && self.eps_mode == op::mvn_eps_mode::outside_sqrt;
        integers axes = self.reduction_axes;
        if (model_[id].version() >= 6) {
            axes = integers_of(at(model_[id], 1).value);
        } else if (axes.empty()) {
            for (std::size_t axis = self.across_channels ? 1 : 2; axis < data.value.dimensions().rank(); ++axis) {
                axes.push_back(static_cast<std::int64_t>(axis));
            }
        }
        const groups all = groups_of(data.value.dimensions(), axes);
        std::vector<double> mean = sums(all, [&](std::size_t i) { return data.value.real(i); });
        const auto radius = [&](std::size_t i) { return data.radius.real(i) + unit_ * absolute(data.value.real(i)); };
        std::vector<double> mean_radius = sums(all, radius);
        std::vector<double> squares = sums(all, [&](std::size_t i) { return radius(i) * radius(i); });
        for (std::size_t group = 0; group < all.size(); ++group) {
            mean[group] /= all.count[group];
            mean_radius[group] /= all.count[group];
        }
        const auto from_mean = [&](std::size_t i) { return data.value.real(i) - mean[all.of[i]]; };
        const std::vector<double> variance = sums(all, [&](std::size_t i) { return from_mean(i) * from_mean(i); });
        tensor_builder result(f64, data.value.dimensions());
        for (std::size_t i = 0; i < all.of.size(); ++i) {
            const std::size_t group = all.of[i];
            const double direct = radius(i) + mean_radius[group];
            if (!self.normalize_variance) {
                result.real(i, direct);
                continue;
            }
            const double deviation = std::sqrt(variance[group] / all.count[group]);
            const auto divisor = [&](double scale) {
                return outside ? deviation + self.eps * scale
                               : std::sqrt(deviation * deviation + self.eps * scale * scale);
            };
            const double spread_radius = std::sqrt(squares[group] / all.count[group]);
            const double most = 2 * std::sqrt(all.count[group]);
            result.real(i, normalised_radius(from_mean(i), direct, divisor, spread_radius, most));
        }
        return result.finish();
    }
    /// y = x / d with d the norm: |dy| <= (r + |y| ‖r‖) / (d - ‖r‖), never more than 2; eps as in MVN.
    tensor radius_of_normalize_l2(node_id id) {
        const bounded& data = at(model_[id], 0);
        const auto& self = model_[id].as<op::normalize_l2>();
        const groups all = groups_of(data.value.dimensions(), integers_of(at(model_[id], 1).value));
        const auto radius = [&](std::size_t i) { return data.radius.real(i) + unit_ * absolute(data.value.real(i)); };
        const std::vector<double> squares =
            sums(all, [&](std::size_t i) { return data.value.real(i) * data.value.real(i); });
        const std::vector<double> radius_squares = sums(all, [&](std::size_t i) { return radius(i) * radius(i); });
        tensor_builder result(f64, data.value.dimensions());
        for (std::size_t i = 0; i < all.of.size(); ++i) {
            const std::size_t group = all.of[i];
            const auto divisor = [&](double scale) {
                const double eps = self.eps * scale * scale;
                const bool adds = self.eps_mode == op::normalize_eps_mode::add;
                return std::sqrt(adds ? squares[group] + eps : larger(squares[group], eps));
            };
            result.real(i,
                        normalised_radius(data.value.real(i), radius(i), divisor, std::sqrt(radius_squares[group]), 2));
        }
        return result.finish();
    }
    template <class Divisor>
    double normalised_radius(double over, double over_radius, Divisor divisor, double divisor_radius, double most) {
        const double by = divisor(1);
        const double least = divisor(0) - divisor_radius;
        if (over == 0 && over_radius == 0 && !(follows_ && has_zero_scale_)) {
            return 0;
        }
        if (!follows_) {  // eps is rescaled
            return std::min(most, by <= divisor_radius
                                      ? most
                                      : (over_radius + absolute(over / by) * divisor_radius) / (by - divisor_radius));
        }
        if (least <= 0) {
            meet(difference::unscaled_epsilon, true);
            return most;
        }
        const double rescaled =
            larger(absolute(over / by - over / divisor(0)), absolute(over / by - over / divisor(greatest_scale_)));
        meet(difference::unscaled_epsilon, rescaled > unit_);
        return std::min(most, (over_radius + absolute(over / by) * divisor_radius) / least + rescaled);
    }
    /// A step: what goes into a gate has radius P = sum |W| r_x + sum |R| r_h + sum r_W |x| + sum r_R |h|; sigmoid has slope 1 / 4,
    /// tanh 1, |h| <= 1, |c| grows by at most 1 a step.
    tensor radius_of_recurrent(node_id id, std::size_t port) const {
        const node& each = model_[id];
        const bool is_lstm = each.is<op::lstm_sequence>();
        const std::size_t weights_port = is_lstm ? 4 : 3;
        const bounded& data = at(each, 0);
        const bounded& first = at(each, 1);
        const bounded& w = at(each, weights_port);
        const bounded& r = at(each, weights_port + 1);
        const auto row_sum = [&](const tensor& values) {
            const std::size_t columns = static_cast<std::size_t>(values.dimensions()[2]);
            double most = 0;
            for (std::size_t row = 0; row < values.elements(); row += columns) {
                double total = 0;
                for (std::size_t i = 0; i < columns; ++i) {
                    total += absolute(values.real(row + i));
                }
                most = larger(most, total);
            }
            return most;
        };
        const double size = greatest(magnitude(data.value));
        const double state_size = larger(1, greatest(magnitude(first.value)));
        const double x_radius = greatest(data.radius) + unit_ * size;
        double hidden = greatest(first.radius) + unit_ * state_size;
        double cell = is_lstm ? greatest(at(each, 2).radius) : 0;
        double cell_size = is_lstm ? greatest(magnitude(at(each, 2).value)) : 0;
        const std::int64_t time = data.value.dimensions()[1];
        for (std::int64_t step = 0; step < time; ++step) {
            const double gate = row_sum(w.value) * x_radius + row_sum(r.value) * hidden + row_sum(w.radius) * size +
                                row_sum(r.radius) * state_size + unit_ * (row_sum(w.value) * size + row_sum(r.value));
            if (is_lstm) {
                cell = cell + cell_size * gate / 4 + gate / 4 + gate;
                cell_size += 1;
                hidden = cell + gate / 4;
            } else {  // h' = (1 - z) n + z h, n = tanh(W x + r * R h)
                const double candidate = gate + row_sum(r.value) * state_size * gate / 4;
                hidden = hidden + candidate + 2 * state_size * gate / 4;
            }
        }
        const shape& wide = values_[index_of(id)][port].value.dimensions();
        return make_tensor(f64, wide, {larger(hidden, is_lstm && port == 2 ? cell : 0)});
    }
    /// Conversion to integers behind a FakeQuantize whose steps are whole numbers becomes part of it, where it rounds.
    bounded convert(node_id id) const {
        const bounded& data = at(model_[id], 0);
        const element to = model_[id].type();
        if (is_real(to) && bit_width(to) == 8) {  // a step function, too
            const tensor value = evaluate(id, values_at(model_[id]))[0];
            return {value, radius_of_monotone(id, value, with_roundings(data.radius, magnitude(data.value)))};
        }
        if (is_real(to) || is_integral(data.value.type())) {
            return {evaluate(id, values_at(model_[id]))[0], data.radius};
        }
        const auto nearest = [](double value) {
            return absolute(value - std::nearbyint(value)) < 1e-3 ? std::nearbyint(value) : value;
        };
        const tensor value = evaluate_with(id, map(data.value, nearest))[0];
        const double range = std::ldexp(1.0, bit_width(to));  // of which the constants of the joined operation are made
        const tensor radius = map(data.value, data.radius, [&](double v, double r) {
            return unit_ * range +
                   larger(std::nearbyint(v + r) - std::nearbyint(v), std::nearbyint(v) - std::nearbyint(v - r));
        });
        return {value, radius};
    }

    tensor radius_of(node_id id, std::size_t port) {
        const node& each = model_[id];
        switch (each.kind()) {
            case op::kind::multiply:
            case op::kind::convolution:
            case op::kind::group_convolution:
            case op::kind::convolution_backprop_data:
            case op::kind::group_convolution_backprop_data:
            case op::kind::mat_mul: return radius_of_product(id);
            case op::kind::add: return radius_of_sum(id);
            case op::kind::subtract: return radius_of_sum(id);
            case op::kind::divide: return radius_of_quotient(id);
            case op::kind::maximum:
            case op::kind::minimum: {
                const shape& wide = values_[index_of(id)][0].value.dimensions();
                return map(spread(at(each, 0).radius, wide), spread(at(each, 1).radius, wide), larger);
            }
            case op::kind::fake_quantize: return radius_of_fake_quantize(id);
            case op::kind::avg_pool: return radius_of_average(id);
            case op::kind::relu:
            case op::kind::clamp:
            case op::kind::sigmoid:
            case op::kind::tanh:
            case op::kind::elu: return radius_of_monotone(id);
            case op::kind::abs:
            case op::kind::negative: return radius_of_lipschitz(id, 1);
            case op::kind::hswish: return radius_of_lipschitz(id, 1.5);
            case op::kind::gelu: return radius_of_lipschitz(id, 1.13);
            case op::kind::prelu: return radius_of_lipschitz(id, larger(1, greatest(magnitude(at(each, 1).value))));
            case op::kind::softmax: return radius_of_softmax(id, each.as<op::softmax>().axis);
            case op::kind::mvn: return radius_of_mvn(id);
            case op::kind::normalize_l2: return radius_of_normalize_l2(id);
            case op::kind::lstm_sequence:
            case op::kind::gru_sequence: return radius_of_recurrent(id, port);
            case op::kind::max_pool:
                if (port == 1) {
                    return zeros(values_[index_of(id)][1].value.dimensions());
                }
                break;
            case op::kind::reduce_min: {
                graph model;
                const node_id data = model.parameter(f64, at(each, 0).radius.dimensions());
                const node_id axes = model.constant(at(each, 1).value);
                const node_id most = model.add(op::reduce_max{{each.as<op::reduce_min>().keep_dims}}, {data, axes});
                return reference::evaluate_node<double>(model, most, {at(each, 0).radius, at(each, 1).value})[0];
            }
            case op::kind::concat: {
                seq<tensor> radii;
                for (std::size_t from = 0; from < each.inputs(); ++from) {
                    radii.push_back(at(each, from).radius);
                }
                return evaluate(id, radii)[0];
            }
            default: break;
        }
        // Movement, sums and means of the first input: linear, with weights that are not negative.
        seq<tensor> inputs = values_at(each);
        inputs[0] = at(each, 0).radius;
        if (each.is<op::pad>() && inputs.size() > 3) {
            inputs[3] = zeros({});
        }
        const tensor result = evaluate(id, inputs)[port];
        const bool adds = !op::has(op::row_of(each.kind()).traits, op::trait::movement);
        return adds ? with_roundings(result, evaluate_with(id, magnitude(at(each, 0).value))[port]) : result;
    }
    std::vector<bounded> bounded_values(node_id id) {
        const node& each = model_[id];
        if (each.is<op::parameter>()) {
            for (std::size_t i = 0; i < inputs_.size(); ++i) {
                if (model_.parameters()[i] == id) {
                    note_unbounded(id, inputs_[i]);
                    return {inputs_[i]};
                }
            }
        }
        if (each.is<op::convert>()) {
            bounded made = convert(id);
            made.radius = is_real(made.value.type()) ? excused(id, made.value, made.radius) : made.radius;
            return {std::move(made)};
        }
        if (each.is<op::read_value>()) {
            const auto known = variables_.find(each.as<op::read_value>().variable_id.c_str());
            const bounded& value = known == variables_.end() ? at(each, 0) : known->second;
            note_unbounded(id, value);
            return {value};
        }
        if (each.is<op::assign>()) {
            bounded& written = written_[each.as<op::assign>().variable_id.c_str()];
            written = at(each, 0);
            written.step = steps_[index_of(each.input(0).node)];
        }
        if (each.is<op::result>() || each.is<op::assign>()) {
            return {at(each, 0)};
        }
        if (reference::runs_bodies(each.kind())) {
            return values_of_bodies(id);
        }
        for (const tensor& value : evaluate(id, values_at(each))) {
            values_[index_of(id)].push_back({value, {}});
        }
        std::vector<bounded>& made = values_[index_of(id)];
        for (std::size_t port = 0; port < made.size(); ++port) {
            const bool is_exact = each.inputs() == 0 || !is_real(made[port].value.type());
            made[port].radius =
                is_exact ? zeros(made[port].value.dimensions()) : excused(id, made[port].value, radius_of(id, port));
        }
        return made;
    }
    /// The bodies are run twice: on the values, and on the radii, which are cut, handed on and joined as the values are. In the second pass
    /// each run of a body has the values of the first beside the radii that it gets.
    std::vector<bounded> values_of_bodies(node_id id) {
        const node& each = model_[id];
        const auto evaluate_body = [&](std::size_t which, const std::vector<tensor>& given) {
            return reference::evaluate<double>(each.bodies()[which], view<tensor>(given.data(), given.size()));
        };
        std::vector<std::vector<tensor>> calls;
        const seq<tensor> values = reference::evaluate_control_flow(
            each, values_at(each), [&](std::size_t which, const std::vector<tensor>& given) {
                calls.push_back(given);
                return evaluate_body(which, given);
            });
        seq<tensor> inputs;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            inputs.push_back(is_real(at(each, port).value.type()) ? at(each, port).radius : at(each, port).value);
        }
        std::size_t next = 0;
        const seq<tensor> radii =
            reference::evaluate_control_flow(each, inputs, [&](std::size_t which, const std::vector<tensor>& given) {
                const std::vector<tensor>& known = calls[next++];
                std::vector<bounded> parameters;
                for (std::size_t i = 0; i < known.size(); ++i) {
                    const bool has_radius = is_real(known[i].type());
                    parameters.push_back({known[i], has_radius ? given[i] : zeros(known[i].dimensions())});
                }
                analysis body(each.bodies()[which], parameters, variables_, settings_);
                std::vector<tensor> results;
                for (const bounded& result : body.run()) {
                    results.push_back(is_real(result.value.type()) ? result.radius : result.value);
                }
                met_ |= body.met();
                return results;
            });
        std::vector<bounded> all;
        for (std::size_t port = 0; port < values.size(); ++port) {
            const bool has_radius = is_real(values[port].type());
            all.push_back(
                {values[port], has_radius ? excused(id, values[port], radii[port]) : zeros(values[port].dimensions())});
        }
        return all;
    }

public:
    analysis(const graph& model, const std::vector<bounded>& inputs, variable_values& variables,
             const bound_settings& settings)
        : model_(model),
          inputs_(inputs),
          variables_(variables),
          settings_(settings),
          unit_(roundings * (settings.has_f16_constants ? 0x1p-11 : 0x1p-24)),
          values_(model.id_bound()),
          aligned_(model.id_bound(), 0),
          steps_(model.id_bound(), 0),
          follows_(settings.follows_upstream_errors) {}

    const difference_set& met() const { return met_; }
    /// The results of one run, after which its writes are seen.
    std::vector<bounded> run() {
        find_aligned();
        if (follows_) {
            find_excuses();
        }
        for (const node_id id : topological_order(model_)) {
            values_[index_of(id)] = bounded_values(id);
            steps_[index_of(id)] = step_of(id);
        }
        std::vector<bounded> all;
        for (const node_id id : model_.results()) {
            all.push_back(values_[index_of(id)][0]);
        }
        for (auto& [name, value] : written_) {
            variables_[name] = std::move(value);
        }
        return all;
    }
    /// True where a result may have another shape, with the values repeated.
    bool may_broadcast(node_id result) const { return broadcasts_.count(model_.producer(result, 0)) != 0; }
};

}  // namespace

std::vector<bounded_results> evaluate_with_bound(const graph& model, const std::vector<std::vector<tensor>>& runs,
                                                 const bound_settings& settings) {
    variable_values variables;
    std::vector<bounded_results> all;
    for (const std::vector<tensor>& inputs : runs) {
        std::vector<bounded> given;
        for (const tensor& input : inputs) {
            given.push_back(
                {is_real(input.type()) ? map(input, [](double x) { return x; }) : input, zeros(input.dimensions())});
        }
        analysis one(model, given, variables, settings);
        bounded_results found;
        const std::vector<bounded> results = one.run();
        for (std::size_t which = 0; which < results.size(); ++which) {
            bounded_result result{results[which].value, {}, one.may_broadcast(model.results()[which])};
            for (std::size_t i = 0; i < results[which].radius.elements(); ++i) {
                result.radius.push_back(results[which].radius.real(i));
            }
            found.results.push_back(std::move(result));
        }
        found.met = one.met();
        all.push_back(std::move(found));
    }
    return all;
}

}  // namespace lpt::support
