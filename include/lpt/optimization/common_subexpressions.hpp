// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/compose.hpp>
#include <lpt/transformation/markup/bodies.hpp>

namespace lpt::inline LPT_ABI {

/// Operations that compute the same from the same become one, which all their readers read.
///
/// The same: operation, version, attributes, element types, and inputs, where Constants of a few numbers count by their values. What a
/// Result reads stays, because it has a name outside; so do operations with states or bodies. Results keep their bits.
struct common_subexpressions {
    static constexpr text_view name = "CommonSubexpressions";

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        const seq<node_id> order = r.operations();
        seq<std::int32_t> place;  // in the order, by number of the node
        place.resize(r.model.id_bound(), -1);
        for (std::size_t i = 0; i < order.size(); ++i) {
            run_on_bodies<common_subexpressions>(r, order[i]);
            place[index_of(order[i])] = static_cast<std::int32_t>(i);
        }
        for (const node_id id : order) {
            const node_id earlier = find_earlier(r.model, id, place);
            if (earlier == node_id::none) {
                continue;
            }
            for (std::size_t port = 0; port < r.model[id].outputs(); ++port) {
                const auto number = static_cast<std::int32_t>(port);
                r.model.replace_uses(output_ref(id, number), output_ref(earlier, number));
            }
            place[index_of(id)] = -1;
        }
        r.model.collect();
    }

private:
    static constexpr std::size_t most_readers =
        64;  // that are compared: what more operations read is seldom read alike
    static constexpr std::size_t most_values = 64;  // of a Constant

    static constexpr bool may_be_shared(const graph& model, node_id id) {
        const node& each = model[id];
        switch (each.kind()) {
            case op::kind::parameter:
            case op::kind::result:
            case op::kind::read_value:
            case op::kind::assign: return false;
            default: return each.inputs() != 0 && each.bodies().size() == 0 && !feeds_result(model, id);
        }
    }
    static constexpr bool same_input(const graph& model, output_ref left, output_ref right) {
        if (left == right) {
            return true;
        }
        const tensor* a = model.constant_value(left);
        const tensor* b = model.constant_value(right);
        if (is_null(a) || is_null(b) || a->type() != b->type() || a->dimensions() != b->dimensions() ||
            a->elements() > most_values) {
            return false;
        }
        for (std::size_t i = 0; i < a->elements(); ++i) {
            const bool same = is_real(a->type())
                                  ? a->real(i) == b->real(i) && math::sign_bit(a->real(i)) == math::sign_bit(b->real(i))
                                  : a->integer(i) == b->integer(i);
            if (!same) {
                return false;
            }
        }
        return true;
    }
    static constexpr bool same_types(const node& left, const node& right) {
        const relaxation* a = left.own_types();
        const relaxation* b = right.own_types();
        return is_null(a) || is_null(b) ? is_null(a) && is_null(b) : *a == *b;
    }
    static constexpr bool compute_the_same(const graph& model, node_id left, node_id right) {
        const node& a = model[left];
        const node& b = model[right];
        if (a.kind() != b.kind() || a.version() != b.version() || a.inputs() != b.inputs() ||
            a.outputs() != b.outputs() || !(a.attributes() == b.attributes()) || !same_types(a, b) ||
            a.has(mark::may_round_data) != b.has(mark::may_round_data)) {
            return false;
        }
        for (std::size_t port = 0; port < a.inputs(); ++port) {
            if (!same_input(model, a.input(port), b.input(port))) {
                return false;
            }
        }
        return true;
    }
    /// The input that tells most: not a Constant, which many may read.
    static constexpr output_ref data_of(const graph& model, node_id id) {
        const node& each = model[id];
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            if (is_null(model.constant_value(each.input(port)))) {
                return each.input(port);
            }
        }
        return {};
    }
    /// An operation in front of this one that computes the same; `none` if there is none.
    static constexpr node_id find_earlier(const graph& model, node_id id, const seq<std::int32_t>& place) {
        if (!may_be_shared(model, id)) {
            return node_id::none;
        }
        const output_ref data = data_of(model, id);
        if (!data || model.use_count(data) < 2 || model.use_count(data) > most_readers) {
            return node_id::none;
        }
        for (input_ref user = model.first_use(data); user.node != node_id::none; user = model.next_use(user)) {
            const std::int32_t where = place[index_of(user.node)];
            if (user.node != id && where >= 0 && where < place[index_of(id)] && model[user.node].bodies().size() == 0 &&
                compute_the_same(model, user.node, id)) {
                return user.node;
            }
        }
        return node_id::none;
    }
};

}  // namespace lpt::inline LPT_ABI
