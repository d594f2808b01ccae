// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/fake_quantize/decompose_weights.hpp>
#include <lpt/transformation/main/fake_quantize_decomposition.hpp>
#include <lpt/transformation/main/move_behind.hpp>
#include <lpt/transformation/markup/propagation.hpp>

namespace lpt::inline LPT_ABI {

/// Prepares a recurrent operation over a sequence for 8 bits: data and state become u8, weights integers, each with its
/// dequantization right above the operation, where an engine finds it; later steps leave these dequantizations alone.
///
/// The operation itself stays as it is. A FakeQuantize with one scale above operations that hand its precision on (Reshape, MaxPool, Relu …:
/// `move_behind`) is decomposed, and its dequantization moved behind them, by the rules of each. A Constant that a FakeQuantize quantizes becomes
/// integers. Refused where that needs a zero point or no type suits its levels, and where data or state have another low precision type than u8.
/// Ports: X 0, H 1, weights W and R 4 and 5 (LSTMSequence) or 3 and 4 (GRUSequence).
struct recurrent_cell_transformation {
    static constexpr text_view name = "RecurrentCellTransformation";
    using may_read = attribute::set<attribute::precisions, attribute::precision_preserved>;
    using pattern = any_of<lpt::pattern<op::lstm_sequence>, lpt::pattern<op::gru_sequence>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const seq<std::size_t> ports = ports_of(r.model, id);
        const auto first_refusal_of_ports = [&](const auto& verdict_of) {
            verdict answer = yes;
            for (std::size_t i = 0; answer && i < ports.size(); ++i) {
                answer = verdict_of(ports[i]);
            }
            return answer;
        };
        return first_refusal(
            [&] {
                return first_refusal_of_ports(
                    [&](std::size_t port) { return path_verdict(r, port, find_path(r, id, port)); });
            },
            [&] { return data_verdict(r, id); },
            [&] { return first_refusal_of_ports([&](std::size_t port) { return constant_verdict(r, id, port); }); });
    }
    /// Ports are prepared one after the other: those before the one that refuses stay prepared.
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        for (const std::size_t port : ports_of(r.model, id)) {
            const moved_path path = find_path(r, id, port);
            if (const verdict why = path_verdict(r, port, path); !why) {
                return r.refused(id, name, why);
            }
            move_down(r, path);
        }
        if (const verdict why = data_verdict(r, id); !why) {
            return r.refused(id, name, why);
        }
        for (const std::size_t port : ports_of(r.model, id)) {
            if (const verdict why = constant_verdict(r, id, port); !why) {
                return r.refused(id, name, why);
            }
            prepare_port(r, id, port);
        }
        return true;
    }

private:
    static constexpr seq<std::size_t> ports_of(const graph& model, node_id id) {
        const std::size_t weights = model[id].is<op::lstm_sequence>() ? 4 : 3;
        return {0, 1, weights, weights + 1};
    }

    /// The operations between a port and a FakeQuantize, from the port up; no FakeQuantize: there is none to decompose.
    struct moved_path {
        node_id fake_quantize = node_id::none;
        seq<node_id, 4> operations;
    };

    static constexpr moved_path find_path(const rewrite& r, node_id id, std::size_t port) {
        const graph& model = r.model;
        moved_path result;
        node_id at = model.producer(id, port);
        while (detail::move_behind::knows(model, at) && is_precision_preserved(r, at)) {
            result.operations.push_back(at);
            at = model.producer(at, 0);
        }
        if (!result.operations.empty() && model[at].is<op::fake_quantize>() && is_quantize_supported(model, at) &&
            output_range_shape(model, at).elements() == 1 && r.options.update_precisions &&
            fake_quantize_decomposition_transformation::can_transform(r, at)) {
            result.fake_quantize = at;
        }
        return result;
    }
    static constexpr verdict expect_u8(std::size_t port, element type) {
        return type == u8 ? yes : refuse_type(reason::types_do_not_match, static_cast<int>(port), type);
    }
    static constexpr verdict path_verdict(const rewrite& r, std::size_t port, const moved_path& path) {
        if (path.fake_quantize == node_id::none || port > 1) {
            return yes;
        }
        const auto* allowed = attributes_of<attribute::precisions>(r).find_output(path.fake_quantize, 0);
        const element type = allowed == nullptr || allowed->types.empty() ? dynamic : allowed->types.front();
        return expect_u8(port, type);
    }
    static constexpr void move_down(rewrite& r, const moved_path& path) {
        if (path.fake_quantize == node_id::none ||
            !fake_quantize_decomposition_transformation::transform(r, path.fake_quantize)) {
            return;
        }
        for (std::size_t i = path.operations.size(); i-- > 0;) {
            if (!detail::move_behind::apply(r, path.operations[i])) {
                return;
            }
        }
    }

    /// Data and state that are dequantized come from u8.
    static constexpr verdict data_verdict(const rewrite& r, node_id id) {
        const auto of_port = [&](std::size_t port) {
            const dequantization found = find_dequantization(r, id, port);
            return found.empty() ? yes : expect_u8(port, r.model.type(found.data));
        };
        return first_refusal([&] { return of_port(0); }, [&] { return of_port(1); });
    }
    static constexpr bool is_constant_fake_quantize(const graph& model, node_id producer) {
        return model[producer].is<op::fake_quantize>() && is_constant(model, model[producer].input(0));
    }
    static constexpr verdict constant_verdict(const rewrite& r, node_id id, std::size_t port) {
        const node_id producer = r.model.producer(id, port);
        if (!is_constant_fake_quantize(r.model, producer)) {
            return yes;
        }
        const data_precision precision = weights_precision_of(r, producer);
        return !precision ? refuse_levels(r.model, producer, reason::precision_not_chosen, static_cast<int>(port))
               : precision.has_zero_point ? refuse_because_of(reason::has_zero_point, static_cast<int>(port), producer)
               : port > 1                 ? yes
                                          : expect_u8(port, precision.type);
    }
    static constexpr void prepare_port(rewrite& r, node_id id, std::size_t port) {
        graph& model = r.model;
        if (is_constant_fake_quantize(model, model.producer(id, port))) {
            decompose_weights(r, model.producer(id, port));
        }
        const node_id multiply = model.producer(id, port);
        if (!model[multiply].is<op::multiply>()) {
            return;
        }
        const node_id above = model.producer(multiply, 0);
        model.set_mark(multiply, mark::disable_cleanup);
        model.set_mark(above, mark::disable_cleanup);
        model.set_mark(above, mark::disabled_constant_folding);
        if (model[above].is<op::subtract>()) {
            model.set_mark(model.producer(above, 0), mark::disable_cleanup);
        }
    }
};

}  // namespace lpt::inline LPT_ABI
