// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/access.hpp>
#include <lpt/graph/print.hpp>

namespace lpt::inline LPT_ABI {

/// What has to be equal for two graphs to be equal.
struct comparison {
    double relative = 0;     // floating point numbers may differ by this much of the larger one,
    double absolute = 0;     // or by this much
    bool values = true;      // values of Constants
    bool names = false;      // names of all nodes
    bool marks = true;       // marks, and whether nodes are relaxed
};

namespace detail {

constexpr bool nearly_equal(double left, double right, const comparison& rules) {
    if (left == right || (math::is_nan(left) && math::is_nan(right))) {
        return true;
    }
    if (!math::is_finite(left) || !math::is_finite(right)) {
        return false;
    }
    const double size = math::maximum(math::absolute(left), math::absolute(right));
    return math::absolute(left - right) <= math::maximum(rules.absolute, rules.relative * size);
}

constexpr bool same_tensors(const tensor& left, const tensor& right, const comparison& rules) {
    if (left.type() != right.type() || !(left.dimensions() == right.dimensions())) {
        return false;
    }
    if (!rules.values || left.shares_bytes_with(right)) {
        return true;
    }
    for (std::size_t i = 0; i < left.elements(); ++i) {
        const bool same = is_real(left.type()) ? nearly_equal(left.real(i), right.real(i), rules)
                                               : left.integer(i) == right.integer(i);
        if (!same) {
            return false;
        }
    }
    return true;
}

constexpr bool same_attribute_values(const op::attribute_value& left, const op::attribute_value& right,
                                     const comparison& rules) {
    if (left.holds != right.holds || left.integer != right.integer || !(left.word == right.word) ||
        !(left.integers == right.integers) || !(left.words == right.words) || !(left.dimensions == right.dimensions) ||
        !nearly_equal(left.real, right.real, rules) || left.reals.size() != right.reals.size()) {
        return false;
    }
    for (std::size_t i = 0; i < left.reals.size(); ++i) {
        if (!nearly_equal(left.reals[i], right.reals[i], rules)) {
            return false;
        }
    }
    return same_tensors(left.constant, right.constant, rules);
}

/// One comparison of two graphs: which nodes are paired so far.
class graph_comparison {
    struct pair_of_nodes {
        node_id left;
        node_id right;
    };

    const graph& left_;
    const graph& right_;
    const comparison& rules_;
    seq<node_id> right_of_;
    seq<node_id> left_of_;
    seq<pair_of_nodes> waiting_;
    seq<pair_of_nodes> paired_;
    std::size_t with_dependencies_ = 0;  // the first so many of `paired_` have had their dependencies paired
    text difference_;

    template <class... Parts>
    [[gnu::cold]] constexpr bool differ(node_id left, node_id right, const Parts&... parts) {
        difference_ = join({label(left_, left), " and ", label(right_, right), ": ", parts...});
        return false;
    }

    /// Pairs two nodes; Constants may be shared or copied at will.
    constexpr bool pair(node_id left, node_id right) {
        if (left_[left].is<op::constant>() && right_[right].is<op::constant>()) {
            return right_of_[index_of(left)] == right || push(left, right);
        }
        const node_id known_right = right_of_[index_of(left)];
        const node_id known_left = left_of_[index_of(right)];
        if (known_right == right && known_left == left) {
            return true;
        }
        if (known_right != node_id::none || known_left != node_id::none) {
            return differ(left, right, "one is paired with another node already: it is shared in one graph only");
        }
        return push(left, right);
    }
    constexpr bool push(node_id left, node_id right) {
        right_of_[index_of(left)] = right;
        left_of_[index_of(right)] = left;
        waiting_.push_back({left, right});
        return true;
    }

    constexpr bool same_outputs(node_id left, node_id right) {
        const node& a = left_[left];
        const node& b = right_[right];
        if (a.outputs() != b.outputs()) {
            return differ(left, right, a.outputs(), " and ", b.outputs(), " outputs");
        }
        for (std::size_t port = 0; port < a.outputs(); ++port) {
            if (a.type(port) != b.type(port) || !(a.shape(port) == b.shape(port))) {
                return differ(left, right, "output ", port, " is ", name(a.type(port)), to_text(a.shape(port)), " and ",
                              name(b.type(port)), to_text(b.shape(port)));
            }
        }
        return true;
    }
    constexpr bool same_attributes(node_id left, node_id right) {
        const node& a = left_[left];
        const node& b = right_[right];
        if (a.attributes() == b.attributes()) {
            return true;
        }
        const seq<op::named_value> x = op::fields_of(a.attributes()).read(a.attributes(), a.version());
        const seq<op::named_value> y = op::fields_of(b.attributes()).read(b.attributes(), b.version());
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (!same_attribute_values(x[i].value, y[i].value, rules_)) {
                text values;
                append_value(values, x[i].value);
                values.append(" and ");
                append_value(values, y[i].value);
                return differ(left, right, "attribute ", x[i].name, " is ", values);
            }
        }
        return true;
    }
    constexpr bool same_marks(node_id left, node_id right) {
        const node& a = left_[left];
        const node& b = right_[right];
        if (rules_.names && !(a.name() == b.name())) {
            return differ(left, right, "the names differ");
        }
        if (rules_.marks && (a.marks() != b.marks() || a.relaxed() != b.relaxed())) {
            return differ(left, right,
                          a.relaxed() != b.relaxed() ? text_view("one is relaxed") : text_view("the marks differ"));
        }
        return true;
    }
    constexpr bool same_bodies(node_id left, node_id right);

    constexpr bool compare_nodes(node_id left, node_id right) {
        const node& a = left_[left];
        const node& b = right_[right];
        if (a.kind() != b.kind() || a.version() != b.version()) {
            return differ(left, right, "different operations or versions (", a.version(), " and ", b.version(), ")");
        }
        if (a.inputs() != b.inputs()) {
            return differ(left, right, a.inputs(), " and ", b.inputs(), " inputs");
        }
        if (!same_outputs(left, right) || !same_attributes(left, right) || !same_marks(left, right) ||
            !same_bodies(left, right)) {
            return false;
        }
        for (std::size_t port = 0; port < a.inputs(); ++port) {
            if (a.input(port).port != b.input(port).port) {
                return differ(left, right, "input ", port, " comes from output ", a.input(port).port, " and ",
                              b.input(port).port);
            }
        }
        for (std::size_t port = a.inputs(); port-- > 0;) {
            if (!pair(a.input(port).node, b.input(port).node)) {
                return false;
            }
        }
        return true;
    }

    constexpr bool compare_ends(view<node_id> left, view<node_id> right, text_view what) {
        if (left.size() != right.size()) {
            difference_ = join({left.size(), " and ", right.size(), " ", what});
            return false;
        }
        for (std::size_t i = left.size(); i-- > 0;) {
            if (!pair(left[i], right[i])) {
                return false;
            }
        }
        return true;
    }

    /// Pairs the nodes that paired ones depend on and that nothing paired reads, in their order.
    constexpr bool pair_dependencies() {
        for (; with_dependencies_ < paired_.size(); ++with_dependencies_) {
            const pair_of_nodes each = paired_[with_dependencies_];
            const seq<node_id>& there = right_[each.right].control_dependencies();
            std::size_t next = 0;
            for (const node_id on : left_[each.left].control_dependencies()) {
                while (next < there.size() && left_of_[index_of(there[next])] != node_id::none) {
                    ++next;
                }
                if (right_of_[index_of(on)] == node_id::none && next < there.size() && !pair(on, there[next])) {
                    return false;
                }
            }
        }
        return true;
    }

    constexpr bool compare_control() {
        for (const pair_of_nodes& each : paired_) {
            const seq<node_id>& a = left_[each.left].control_dependencies();
            const seq<node_id>& b = right_[each.right].control_dependencies();
            bool same = a.size() == b.size();
            for (std::size_t i = 0; same && i < a.size(); ++i) {
                same = b.contains(right_of_[index_of(a[i])]);
            }
            if (!same) {
                return differ(each.left, each.right, "they depend on different nodes");
            }
        }
        return true;
    }

public:
    constexpr graph_comparison(const graph& left, const graph& right, const comparison& rules)
        : left_(left),
          right_(right),
          rules_(rules),
          right_of_(left.id_bound(), node_id::none),
          left_of_(right.id_bound(), node_id::none) {}

    constexpr text run() {
        bool same = compare_ends(left_.results(), right_.results(), "results") &&
                    compare_ends(left_.sinks(), right_.sinks(), "sinks") &&
                    compare_ends(left_.parameters(), right_.parameters(), "parameters");
        while (same && !waiting_.empty()) {
            const pair_of_nodes next = waiting_.back();
            waiting_.pop_back();
            paired_.push_back(next);
            same = compare_nodes(next.left, next.right) && (!waiting_.empty() || pair_dependencies());
        }
        if (same) {
            compare_control();
        }
        return lpt::move(difference_);
    }
};

}  // namespace detail

/// The first difference between two graphs in words; empty when they are equal.
///
/// Parameters, results and sinks are paired by their places; what they read, and what they depend on without reading it, is paired upwards. Paired nodes have the same
/// operation and version, attributes, inputs, output types and shapes; shared nodes are shared in both graphs, only
/// Constants may be copied at will. Numbers of nodes and nodes that no end reaches do not matter.
constexpr text difference(const graph& left, const graph& right, const comparison& rules = {}) {
    return detail::graph_comparison(left, right, rules).run();
}

namespace detail {

constexpr bool graph_comparison::same_bodies(node_id left, node_id right) {
    const body_list& a = left_[left].bodies();
    const body_list& b = right_[right].bodies();
    if (a.size() != b.size()) {
        return differ(left, right, a.size(), " and ", b.size(), " graphs inside");
    }
    for (std::size_t which = 0; which < a.size(); ++which) {
        const text inside = difference(a[which], b[which], rules_);
        if (!inside.empty()) {
            return differ(left, right, "graph ", which, " inside: ", inside);
        }
    }
    return true;
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
