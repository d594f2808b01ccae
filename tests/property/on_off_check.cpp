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
        for (std::size_t body = 0; model.contains(id_at(i)) && body < model[id_at(i)].bodies().size(); ++body) {
            if (has_f16_constants(model[id_at(i)].bodies()[body])) {
                return true;
            }
        }
        if (model.contains(id_at(i)) && model[id_at(i)].is<op::constant>() && model[id_at(i)].type() == f16) {
            return true;
        }
    }
    return false;
}

/// What an element may not be, or empty. Only errors that are followed have infinite radii.
std::string compare_element(double given, double wanted, double radius) {
    const bool same = given == wanted || (math::is_nan(given) && math::is_nan(wanted));
    if (same || radius == math::infinity || math::absolute(given - wanted) <= radius) {
        return {};
    }
    std::ostringstream out;
    out << ": " << given << " instead of " << wanted << ", allowed difference " << radius;
    return out.str();
}
/// How far values lie apart, as a share of what is allowed; empty text: nowhere more than that.
std::string compare(const std::vector<tensor>& actual, const bounded_results& expected) {
    for (std::size_t which = 0; which < actual.size(); ++which) {
        const bounded_result& wanted = expected.results[which];
        if (actual[which].dimensions() != wanted.value.dimensions()) {
            shape merged;
            if (wanted.may_broadcast &&
                broadcast_shapes(actual[which].dimensions(), wanted.value.dimensions(), merged) &&
                merged == actual[which].dimensions()) {
                continue;
            }
            return "result " + std::to_string(which) + " has another shape";
        }
        for (std::size_t i = 0; i < wanted.radius.size(); ++i) {
            const std::string wrong = compare_element(actual[which].real(i), wanted.value.real(i), wanted.radius[i]);
            if (!wrong.empty()) {
                return "result " + std::to_string(which) + " element " + std::to_string(i) + wrong;
            }
        }
    }
    return {};
}
bool has_unbounded_values(const bounded_results& expected) {
    return std::any_of(expected.results.begin(), expected.results.end(), [](const bounded_result& each) {
        return each.may_broadcast ||
               std::find(each.radius.begin(), each.radius.end(), math::infinity) != each.radius.end();
    });
}

using kinds_of_operations = std::vector<transformed_kind>;

/// Operations inside of bodies count under a name of their own.
void count_before(const graph& model, kinds_of_operations& kinds, const char* name_of_all = nullptr) {
    for (const node_id id : topological_order(model)) {
        const std::string name = name_of_all != nullptr ? name_of_all : string_of(model[id].operation());
        const auto found =
            std::find_if(kinds.begin(), kinds.end(), [&](const transformed_kind& kind) { return kind.name == name; });
        ++(found == kinds.end() ? *kinds.insert(kinds.end(), {name, 0, 0}) : *found).before;
        for (std::size_t body = 0; body < model[id].bodies().size(); ++body) {
            count_before(model[id].bodies()[body], kinds, "in bodies");
        }
    }
}
bool is_on_8_bits(const graph& model, const node& each) {
    if (each.is<op::fake_quantize>()) {
        return is_integral(each.type()) && bit_width(each.type()) <= 8;
    }
    const bool computes = each.inputs() > 0 && !each.is<op::convert>() && !each.is<op::result>();
    const element type = computes ? model.type(each.input(0)) : f32;
    return is_integral(type) && bit_width(type) <= 8 && type != boolean;
}
void count_after(const graph& model, kinds_of_operations& kinds, const char* name_of_all = nullptr) {
    for (const node_id id : topological_order(model)) {
        const node& each = model[id];
        const std::string name = name_of_all != nullptr ? name_of_all : string_of(each.operation());
        for (transformed_kind& kind : kinds) {
            kind.in_8_bits += kind.name == name && is_on_8_bits(model, each) ? 1 : 0;
        }
        for (std::size_t body = 0; body < each.bodies().size(); ++body) {
            count_after(each.bodies()[body], kinds, "in bodies");
        }
    }
}

on_off_result failure(std::string what) { return {outcome::failed, std::move(what), {}, {}}; }

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
    on_off_result all;
    count_before(network.model, all.kinds);
    count_after(changed, all.kinds);
    const bool follows = setting.where.options.follow_upstream_errors;
    const bool f16_constants = setting.where.options.dequantization_precision == f16 ||
                               has_f16_constants(network.model) || has_f16_constants(changed);
    std::vector<std::vector<tensor>> runs;
    for (std::uint64_t run = 0; run < (network.model.sinks().empty() ? 1 : 3); ++run) {
        runs.push_back(make_random_inputs(network, seed + (run << 40)));
    }
    const std::vector<bounded_results> expected =
        evaluate_with_bound(network.model, runs,
                            {f16_constants, follows, setting.where.options.update_precisions,
                             setting.where.options.dequantization_precision == f16});
    reference::state variables;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const std::vector<tensor> actual =
            reference::evaluate<double>(changed, view<tensor>(runs[run].data(), runs[run].size()), variables);
        if (const std::string difference = compare(actual, expected[run]); !difference.empty()) {
            return failure(runs.size() == 1 ? difference : "run " + std::to_string(run) + ", " + difference);
        }
        all.met |= expected[run].met;
        all.how = has_unbounded_values(expected[run])                ? outcome::known_error
                  : all.met.any() && all.how != outcome::known_error ? outcome::within_bound
                                                                     : all.how;
    }
    return all;
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
    if (model[id].outputs() != 1 || model.type(source) != model[id].type() || model[id].is<op::read_value>()) {
        return false;  // Assigns wait for a ReadValue
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
