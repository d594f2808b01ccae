// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/avg_pool_precision_preserved.hpp>
#include <lpt/attribute/intervals_alignment.hpp>
#include <lpt/attribute/precision_preserved.hpp>
#include <lpt/attribute/precisions.hpp>
#include <lpt/attribute/quantization_alignment.hpp>
#include <lpt/attribute/quantization_granularity.hpp>
#include <lpt/base/compiled.hpp>
#include <lpt/base/platform.hpp>
#include <lpt/graph/graph.hpp>

/// Where values of attributes lie: shared by the ports that have one in common, found by port.
namespace lpt::inline LPT_ABI::attribute {

/// Where an attribute is: on a node, on one of its input ports or on one of its output ports.
struct place {
    enum class side : unsigned char { node, input, output };

    node_id node = node_id::none;
    side where = side::node;
    std::int32_t port = 0;

    static constexpr place on_node(node_id id) { return {id, side::node, 0}; }
    static constexpr place on_input(node_id id, std::size_t port) {
        return {id, side::input, static_cast<std::int32_t>(port)};
    }
    static constexpr place on_output(node_id id, std::size_t port) {
        return {id, side::output, static_cast<std::int32_t>(port)};
    }
    static constexpr place on_output(output_ref output) { return {output.node, side::output, output.port}; }
    friend constexpr bool operator==(const place&, const place&) = default;
};

namespace detail {

struct no_own_data {};

template <class A>
struct value_of {
    using type = A;
};
template <class A>
    requires requires { typename A::shared_value; }
struct value_of<A> {
    using type = typename A::shared_value;
};
template <class Value>
struct own_data_of {
    using type = no_own_data;
};
template <class Value>
    requires requires { typename Value::own_data; }
struct own_data_of<Value> {
    using type = typename Value::own_data;
};

/// Classes of members, joined by union-find, with what each member has for itself.
template <class Own>
class member_classes {
protected:
    struct member {
        std::int32_t parent = -1;  // of a root: less than zero, and its complement is the number of its value
        LPT_NO_UNIQUE_ADDRESS Own own{};
    };
    seq<member> members_;

    constexpr member& at(std::int32_t number) { return members_[static_cast<std::size_t>(number)]; }
    constexpr std::int32_t put(std::int32_t parent, Own own) {
        members_.push_back({parent, own});
        return static_cast<std::int32_t>(members_.size()) - 1;
    }

public:
    /// A member of the class of another one: the same one where places have nothing for themselves.
    constexpr std::int32_t add_to_class_of(std::int32_t other) {
        if constexpr (__is_same(Own, no_own_data)) {
            return other;
        } else {
            return put(root(other), Own(at(other).own));
        }
    }
    constexpr std::int32_t root(std::int32_t number) const {
        while (members_[static_cast<std::size_t>(number)].parent >= 0) {
            number = members_[static_cast<std::size_t>(number)].parent;
        }
        return number;
    }
    constexpr std::int32_t root(std::int32_t number) {
        while (at(number).parent >= 0) {
            const std::int32_t above = at(at(number).parent).parent;
            if (above < 0) {
                return at(number).parent;
            }
            at(number).parent = above;
            number = above;
        }
        return number;
    }
    constexpr Own& own(std::int32_t number) { return at(number).own; }
    constexpr const Own& own(std::int32_t number) const { return members_[static_cast<std::size_t>(number)].own; }
    constexpr std::size_t size() const { return members_.size(); }
};

/// The values of one kind, each shared by a class of members: the root holds the value.
template <class Value>
class value_pool : public member_classes<typename own_data_of<Value>::type> {
    using classes = member_classes<typename own_data_of<Value>::type>;
    seq<Value> values_;  // apart: most members of large classes have none

public:
    using own_data = typename own_data_of<Value>::type;
    using classes::root;

    constexpr std::int32_t add(Value value, own_data own) {
        const auto number = static_cast<std::int32_t>(values_.size());
        values_.push_back(lpt::move(value));
        return this->put(~number, own);
    }
    constexpr void join(std::int32_t into, std::int32_t from) {
        const std::int32_t winner = root(into);
        const std::int32_t loser = root(from);
        if (winner != loser) {
            value(loser) = Value{};
            this->at(loser).parent = winner;
        }
    }
    constexpr Value& value(std::int32_t number) {
        return values_[static_cast<std::size_t>(~this->at(root(number)).parent)];
    }

    /// Shows the parts of each member, and the values, of which the one of a root has the complement of its parent as number:
    /// `visit.member(parent, own, values)`.
    template <class Pool, class Visit>
    static constexpr void show(Pool& pool, Visit& visit) {
        for (auto& each : pool.members_) {
            visit.member(each.parent, each.own, pool.values_);
        }
    }
    constexpr void resize(std::size_t count) {
        this->members_.resize(count);
        values_.resize(count);
    }
};

/// The members of the ports of one side of nodes: for each node a part of one long sequence.
class port_members {
    struct part {
        std::int32_t first = 0;
        std::int32_t size = 0;
    };
    seq<part> parts_;  // by node number
    seq<std::int32_t, 8> members_;
    std::size_t expected_ = 0;

    /// Gives a node another part, behind all others, at least twice as long as its old one.
    constexpr part move_to_end(part old, std::size_t least) {
        const std::size_t size =
            math::maximum(math::maximum(least, std::size_t{2}), 2 * static_cast<std::size_t>(old.size));
        const part made{static_cast<std::int32_t>(members_.size()), static_cast<std::int32_t>(size)};
        members_.resize(members_.size() + size, -1);
        for (std::int32_t port = 0; port < old.size; ++port) {
            members_[static_cast<std::size_t>(made.first + port)] =
                members_[static_cast<std::size_t>(old.first + port)];
        }
        return made;
    }

public:
    constexpr std::int32_t find(std::size_t id, std::size_t port) const {
        if (id >= parts_.size() || port >= static_cast<std::size_t>(parts_[id].size)) {
            return -1;
        }
        return members_[static_cast<std::size_t>(parts_[id].first) + port];
    }
    constexpr void set(std::size_t id, std::size_t port, std::int32_t member) {
        if (id >= parts_.size()) {
            if (parts_.empty()) {
                parts_.reserve(expected_);
                members_.reserve(expected_);
            }
            parts_.resize(id + 1);
        }
        if (port >= static_cast<std::size_t>(parts_[id].size)) {
            parts_[id] = move_to_end(parts_[id], port + 1);
        }
        members_[static_cast<std::size_t>(parts_[id].first) + port] = member;
    }
    /// Calls `visit(id, port, member)` for each port that has a member.
    template <class Visit>
    constexpr void show(Visit&& visit) const {
        for (std::size_t id = 0; id < parts_.size(); ++id) {
            for (std::int32_t port = 0; port < parts_[id].size; ++port) {
                const std::int32_t member = members_[static_cast<std::size_t>(parts_[id].first + port)];
                if (member >= 0) {
                    visit(id, port, member);
                }
            }
        }
    }
    constexpr bool is_unused() const { return parts_.empty(); }
    constexpr void expect(std::size_t nodes) { expected_ = nodes; }
    /// One more than the largest port of a node that may have a member.
    constexpr std::size_t bound(std::size_t id) const {
        return id < parts_.size() ? static_cast<std::size_t>(parts_[id].size) : 0;
    }
};

/// Which member of a pool each place has: arrays by node number, and by port.
class place_index {
    seq<std::int32_t, 8> nodes_;
    port_members inputs_;
    port_members outputs_;
    std::size_t expected_ = 0;

public:
    constexpr std::int32_t find(place where) const {
        const std::size_t id = index_of(where.node);
        if (where.where == place::side::node) {
            return id < nodes_.size() ? nodes_[id] : -1;
        }
        const port_members& ports = where.where == place::side::input ? inputs_ : outputs_;
        return ports.find(id, static_cast<std::size_t>(where.port));
    }
    constexpr void set(place where, std::int32_t member) {
        const std::size_t id = index_of(where.node);
        if (where.where == place::side::node) {
            if (id >= nodes_.size()) {
                if (nodes_.empty()) {
                    nodes_.reserve(expected_);
                }
                nodes_.resize(id + 1, -1);
            }
            nodes_[id] = member;
            return;
        }
        port_members& ports = where.where == place::side::input ? inputs_ : outputs_;
        ports.set(id, static_cast<std::size_t>(where.port), member);
    }
    /// Calls `visit(place, member)` for each place that has a member.
    template <class Visit>
    constexpr void show(Visit&& visit) const {
        for (std::size_t id = 0; id < nodes_.size(); ++id) {
            if (nodes_[id] >= 0) {
                visit(place::on_node(id_at(id)), nodes_[id]);
            }
        }
        inputs_.show([&](std::size_t id, std::int32_t port, std::int32_t member) {
            visit(place{id_at(id), place::side::input, port}, member);
        });
        outputs_.show([&](std::size_t id, std::int32_t port, std::int32_t member) {
            visit(place{id_at(id), place::side::output, port}, member);
        });
    }
    constexpr std::size_t port_bound(place::side where, node_id id) const {
        return (where == place::side::input ? inputs_ : outputs_).bound(index_of(id));
    }
    constexpr bool is_on_node(std::size_t id) const { return id < nodes_.size() && nodes_[id] >= 0; }
    /// Takes room for so many nodes as soon as one has a member.
    constexpr void expect(std::size_t nodes) {
        expected_ = nodes;
        inputs_.expect(nodes);
        outputs_.expect(nodes);
    }
    /// True if no place ever had a member.
    constexpr bool is_unused() const { return nodes_.empty() && inputs_.is_unused() && outputs_.is_unused(); }
};

/// The values of an attribute type; none where it uses those of another one.
template <class A>
struct pool_slot {
    value_pool<A> pool;
};
template <class A>
    requires requires { typename A::shared_value; }
struct pool_slot<A> {};
template <class A>
struct index_slot {
    place_index index;
};

template <class A>
concept prints_no_class = requires { requires !A::prints_class; };

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::attribute
