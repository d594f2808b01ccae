// SPDX-License-Identifier: Apache-2.0
#include "tests/property/on_off.hpp"

#include "tests/support/error_bound.hpp"
#include "tests/support/reference.hpp"
#include <lpt/graph/freeze.hpp>
#include <lpt/graph/traverse.hpp>
#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/prepare.hpp>
#include <lpt/pipeline/transform.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace lpt::support {

void prepare_for(graph& model, const random_setting& setting) { prepare(model, setting.where.options); }
void run_default_pipeline(graph& model, const random_setting& setting) {
    run_pipeline(model, setting.where.restrictions, setting.where.options);
}

namespace {

void change(graph& model, const random_setting& setting) {
    prepare_for(model, setting);
    run_default_pipeline(model, setting);
}

std::string string_of(text_view words) { return {words.data(), words.size()}; }

/// True if a cleanup transformation would still change this node.
template <class Transformation>
bool still_applies(const rewrite& r, node_id id) {
    return Transformation::pattern::matches(r.model, id) && !r.skips(Transformation::name, id) &&
           Transformation::can_transform(r, id);
}
/// A part of a dequantization that the FakeQuantize above it can take back, by the conditions of the cleanup; empty if there is
/// none. As upstream has it, a zero point behind a Convert stays: when the Convert is folded the Subtract has had its turn.
std::string left_below_fake_quantize(graph& model, const random_setting& setting, bool has_converted_zero_points) {
    attribute::tables attributes;
    const rewrite r(model, attributes, setting.where.options, setting.where.restrictions);
    const bool may_leave = has_converted_zero_points && setting.where.options.follow_upstream_errors;
    for (const node_id id : topological_order(model)) {
        if ((!may_leave && still_applies<fuse_subtract_to_fake_quantize_transformation>(r, id)) ||
            still_applies<fuse_multiply_to_fake_quantize_transformation>(r, id)) {
            return string_of(model[id].operation()) + " can be taken back into the FakeQuantize above it: '" +
                   string_of(model[id].name()) + "'";
        }
    }
    return {};
}

/// The same network, transformed where everything lies at other addresses.
bool same_elsewhere(const random_network& network, const random_setting& setting, const graph& expected) {
    std::vector<std::unique_ptr<std::byte[]>> gaps;
    random_numbers random(network.model.id_bound());
    for (int i = 0; i < 64; ++i) {
        gaps.push_back(std::make_unique<std::byte[]>(static_cast<std::size_t>(random.between(16, 3000))));
    }
    for (std::size_t i = 0; i < gaps.size(); i += 2) {
        gaps[i].reset();
    }
    graph other = thaw(freeze(network.model));
    change(other, setting);
    return freeze(other) == freeze(expected);
}

bool has_converted_zero_points(const graph& model) {
    for (const node_id id : topological_order(model)) {
        if (model[id].is<op::subtract>() &&
            (is_converted_constant(model, model[id].input(0)) || is_converted_constant(model, model[id].input(1)))) {
            return true;
        }
    }
    return false;
}
bool has_f16_constants(const graph& model) {
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        if (model.contains(id_at(i)) && model[id_at(i)].is<op::constant>() && model[id_at(i)].type() == f16) {
            return true;
        }
    }
    return false;
}

/// How far values lie apart, as a share of what is allowed; empty text: nowhere more than that.
std::string compare(const std::vector<tensor>& actual, const bounded_results& expected) {
    for (std::size_t which = 0; which < actual.size(); ++which) {
        const bounded_result& wanted = expected.results[which];
        if (actual[which].dimensions() != wanted.value.dimensions()) {
            return "result " + std::to_string(which) + " has another shape";
        }
        for (std::size_t i = 0; i < wanted.radius.size(); ++i) {
            const double given = actual[which].real(i);
            const double expected_value = wanted.value.real(i);
            const bool same = given == expected_value || (math::is_nan(given) && math::is_nan(expected_value));
            if (!same && !(math::absolute(given - expected_value) <= wanted.radius[i])) {
                std::ostringstream out;
                out << "result " << which << " element " << i << ": " << actual[which].real(i) << " instead of "
                    << wanted.value.real(i) << ", allowed difference " << wanted.radius[i];
                return out.str();
            }
        }
    }
    return {};
}

/// True where a zero point that a FakeQuantize needs in an 8-bit type, or one that is subtracted, rounds to no value of the type.
bool has_zero_point_that_wraps(const graph& model, const node& each) {
    const auto wraps = [](double zero_point, element type) {
        const double whole = math::round_half_away(zero_point);
        return whole < facts(type).lowest || whole > facts(type).highest;
    };
    if (each.is<op::subtract>()) {
        const tensor* zero_point = model.constant_value(each.input(1));
        return zero_point != nullptr && wraps(zero_point->real(0), i8) && wraps(zero_point->real(0), u8);
    }
    const tensor* lows = model.constant_value(each.input(3));
    const tensor* highs = model.constant_value(each.input(4));
    if (lows == nullptr || highs == nullptr || lows->elements() != highs->elements()) {
        return false;
    }
    for (std::size_t i = 0; i < lows->elements(); ++i) {
        const double low = lows->real(i);
        const double high = highs->real(i);
        for (const element type : {u8, i8}) {
            const double zero_point = (facts(type).lowest * high - facts(type).highest * low) / (high - low);
            if (low != high && wraps(zero_point, type)) {
                return true;
            }
        }
    }
    return false;
}
/// True where a FakeQuantize quantizes anew what another one gives, over ends that differ by no more than one of its steps.
bool nearly_repeats_another(const graph& model, const node& each) {
    const node* above = &model[each.input(0).node];
    while (!above->is<op::fake_quantize>() && above->inputs() > 0) {
        above = &model[above->input(0).node];
    }
    if (!above->is<op::fake_quantize>()) {
        return false;
    }
    const auto end = [&](const node& of, std::size_t port) {
        const tensor* values = model.constant_value(of.input(port));
        return values != nullptr ? values->real(0) : math::not_a_number;
    };
    const double low = end(*above, 3);
    const double high = end(*above, 4);
    const double step = math::absolute(high - low) / static_cast<double>(above->as<op::fake_quantize>().levels - 1);
    return math::absolute(end(each, 1) - low) <= step && math::absolute(end(each, 2) - high) <= step;
}

/// The wrong answers of upstream that a network may meet, beside those that the bound knows of.
difference_set upstream_errors_of(const graph& model, const transformation_options& options) {
    difference_set met;
    const auto meet = [&](difference what, bool is_so) {
        if (is_so) {
            met.set(static_cast<std::size_t>(what));
        }
    };
    const auto any = [](const integers& values) {
        return std::any_of(values.begin(), values.end(), [](std::int64_t each) { return each != 0; });
    };
    bool has_concat = false;
    bool has_pair = false;
    bool has_mat_mul = false;
    bool has_groups = false;
    std::set<std::int64_t> levels;
    for (const node_id id : topological_order(model)) {
        const node& each = model[id];
        meet(difference::overflowing_range, each.type() == f16 || options.dequantization_precision == f16);
        has_mat_mul = has_mat_mul || each.is<op::mat_mul>();
        has_groups = has_groups || each.is<op::group_convolution>();
        if (each.is<op::concat>()) {
            has_concat = true;
        } else if (each.is<op::fake_quantize>()) {
            levels.insert(each.as<op::fake_quantize>().levels);
            const tensor* low = model.constant_value(each.input(3));
            const tensor* high = model.constant_value(each.input(4));
            meet(difference::eliminated_limit,
                 (low != nullptr && high != nullptr && high->real(0) - low->real(0) == 255) ||
                     nearly_repeats_another(model, each));
            meet(difference::wrapped_zero_point, has_zero_point_that_wraps(model, each));
        } else if (each.is<op::convert>() && is_integral(each.type())) {
            has_pair = true;
        } else if (each.is<op::subtract>()) {
            meet(difference::wrapped_zero_point, has_zero_point_that_wraps(model, each));
        } else if (each.is<op::depth_to_space>()) {
            meet(difference::depth_to_space_constants, true);
        } else if (each.is<op::space_to_batch>()) {
            meet(difference::space_to_batch_margin, any(integers_of(*model.constant_value(each.input(2)))) ||
                                                        any(integers_of(*model.constant_value(each.input(3)))));
        } else if (each.is<op::pad>() && each.inputs() > 3) {
            meet(difference::truncated_pad_value, model.constant_value(each.input(3))->real(0) != 0);
        } else if (each.is<op::avg_pool>()) {
            const auto& self = each.as<op::avg_pool>();
            meet(difference::margin_in_average, !self.exclude_pad && (any(self.pads_begin) || any(self.pads_end)));
        }
    }
    meet(difference::levels_of_neighbour, levels.size() > 1);
    meet(difference::interval_of_pair, has_concat && has_pair);
    meet(difference::scale_of_other_axis, has_mat_mul && has_groups && !options.update_precisions);
    return met;
}

on_off_result failure(std::string what) { return {outcome::failed, std::move(what), {}}; }

on_off_result check_mode(const random_network& network, const random_setting& setting, std::uint64_t seed) {
    graph changed = network.model;
    change(changed, setting);
    verify(changed);
    const bool may_stay = has_converted_zero_points(network.model);
    if (const std::string left = left_below_fake_quantize(changed, setting, may_stay); !left.empty()) {
        return failure(left);
    }
    if (!same_elsewhere(network, setting, changed)) {
        return failure("the transformed network depends on addresses");
    }
    for (std::size_t i = 0; i < changed.results().size(); ++i) {
        const node& before = network.model[network.model.results()[i]];
        const node& after = changed[changed.results()[i]];
        shape merged = before.shape();
        if (before.type() != after.type() || !merge_shape(merged, after.shape())) {
            return failure("result " + std::to_string(i) + " has another type or shape");
        }
    }
    const std::vector<tensor> inputs = make_random_inputs(network, seed);
    const bool follows = setting.where.options.follow_upstream_errors;
    const bool f16_constants = setting.where.options.dequantization_precision == f16 ||
                               has_f16_constants(network.model) || has_f16_constants(changed);
    const bounded_results expected = evaluate_with_bound(network.model, inputs, {f16_constants, follows});
    const std::vector<tensor> actual = reference::evaluate<double>(changed, view<tensor>(inputs.data(), inputs.size()));
    const std::string difference = compare(actual, expected);
    if (difference.empty()) {
        return {expected.met.any() ? outcome::within_bound : outcome::equal, {}, expected.met};
    }
    const difference_set errors = follows ? upstream_errors_of(network.model, setting.where.options) : difference_set{};
    if (errors.any()) {
        return {outcome::known_error, difference, errors};
    }
    return failure(difference);
}

}  // namespace

on_off_result check_on_off(const random_network& network, const random_setting& setting, std::uint64_t seed) {
    try {
        verify(network.model);
        return check_mode(network, setting, seed);
    } catch (const error& problem) {
        return failure("error: " + string_of(problem.message()));
    }
}

namespace {

/// The network with the results of one operation replaced by one of its inputs; empty where that is no network.
bool bypass(random_network& network, node_id id, std::size_t port) {
    graph& model = network.model;
    const output_ref source = model[id].input(port);
    const input_ref reader = model.first_use({id, 0});
    if (reader.node != node_id::none && model[reader.node].is<op::convert>() &&
        is_integral(model[reader.node].type())) {
        return false;  // only quantized values may become integers
    }
    if (model[id].outputs() != 1 || model.type(source) != model[id].type()) {
        return false;
    }
    try {
        model.replace_uses({id, 0}, source);
        model.remove(id);
        model.collect();
        infer_all(model);
        verify(model);
    } catch (const error&) {
        return false;
    }
    return model.parameters().size() == network.input_shapes.size();
}
bool drop_result(random_network& network, std::size_t which) {
    if (network.model.results().size() < 2) {
        return false;
    }
    network.model.remove(network.model.results()[which]);
    network.model.collect();
    return true;
}
/// An operation as the only result.
bool cut(random_network& network, node_id id) {
    const node& each = network.model[id];
    if (each.is<op::result>() || each.is<op::constant>() || each.is<op::parameter>() || !is_real(each.type())) {
        return false;
    }
    const seq<node_id> old = network.model.results();
    if (old.size() == 1 && network.model.producer(old[0], 0) == id) {
        return false;
    }
    network.model.result({id, 0});
    for (const node_id result : old) {
        network.model.remove(result);
    }
    network.model.collect();
    return true;
}

}  // namespace

random_network shrink(const random_network& network, const random_setting& setting, std::uint64_t seed) {
    random_network best = network;
    // A failure is told by the words of its message; the numbers in them change with the network.
    const auto words = [](const std::string& message) {
        return message.substr(0, message.find_first_of("0123456789["));
    };
    const std::string wanted = words(check_on_off(network, setting, seed).what);
    const auto fails = [&](const random_network& each) {
        const on_off_result result = check_on_off(each, setting, seed);
        return result.how == outcome::failed && words(result.what) == wanted;
    };
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (std::size_t i = 0; i < best.model.id_bound() && !smaller; ++i) {
            const node_id id = id_at(i);
            if (!best.model.contains(id)) {
                continue;
            }
            random_network next = best;
            smaller = cut(next, id) && next.model.size() < best.model.size() && fails(next);
            for (std::size_t port = 0; !smaller && port < best.model[id].inputs(); ++port) {
                next = best;
                smaller = bypass(next, id, port) && next.model.size() < best.model.size() && fails(next);
            }
            if (smaller) {
                best = next;
            }
        }
        for (std::size_t which = 0; which < best.model.results().size() && !smaller; ++which) {
            random_network next = best;
            smaller = drop_result(next, which) && fails(next);
            if (smaller) {
                best = next;
            }
        }
    }
    return best;
}

}  // namespace lpt::support
