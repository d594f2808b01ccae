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

/// All attributes of one type `A`: which places have one, and which of them share a value.
///
/// A place has at most one attribute of a type. Values are reached through pointers that end with the next insertion.
/// Looking up takes constant time, joining practically so.
template <class A>
class table {
public:
    using value_type = typename detail::value_of<A>::type;

private:
    using pool = detail::value_pool<value_type>;
    detail::place_index& index_;
    pool& pool_;

    template <class>
    friend class table;

    constexpr void merge_values(std::int32_t a, std::int32_t b, const value_type& other) {
        if constexpr (requires { attribute::merge(pool_.value(a), other, pool_.own(a), pool_.own(b)); }) {
            const auto other_own = pool_.own(b);
            attribute::merge(pool_.value(a), other, pool_.own(a), other_own);
        } else {
            attribute::merge(pool_.value(a), other);
        }
    }

public:
    using own_data = typename pool::own_data;

    constexpr table(detail::place_index& index, pool& values) : index_(index), pool_(values) {}

    constexpr bool has(place where) const { return index_.find(where) >= 0; }
    /// The value at a place, null if there is none; changing it changes it for all places that share it.
    constexpr value_type* find(place where) const {
        const std::int32_t member = index_.find(where);
        return member < 0 ? nullptr : &pool_.value(member);
    }
    constexpr value_type* find_node(node_id id) const { return find(place::on_node(id)); }
    constexpr value_type* find_input(node_id id, std::size_t port) const { return find(place::on_input(id, port)); }
    constexpr value_type* find_output(node_id id, std::size_t port = 0) const {
        return find(place::on_output(id, port));
    }
    constexpr value_type* find_output(output_ref output) const { return find(place::on_output(output)); }
    /// What the place has for itself, beside the shared value; null if there is no attribute.
    constexpr own_data* find_own(place where) const {
        const std::int32_t member = index_.find(where);
        return member < 0 ? nullptr : &pool_.own(member);
    }

    /// Gives a place a value that it shares with nobody yet; an attribute that it had leaves its class.
    constexpr void set(place where, value_type value, own_data own = {}) {
        index_.set(where, pool_.add(lpt::move(value), own));
    }
    constexpr void set_node(node_id id, value_type value, own_data own = {}) {
        set(place::on_node(id), lpt::move(value), own);
    }
    constexpr void set_input(node_id id, std::size_t port, value_type value, own_data own = {}) {
        set(place::on_input(id, port), lpt::move(value), own);
    }
    constexpr void set_output(node_id id, std::size_t port, value_type value, own_data own = {}) {
        set(place::on_output(id, port), lpt::move(value), own);
    }
    constexpr void erase(place where) { index_.set(where, -1); }

    /// Gives `to` an attribute that shares the value at `from`. `from` must have one.
    constexpr void share(place to, place from) { index_.set(to, pool_.add_to_class_of(index_.find(from))); }
    /// The same with an attribute of another type that has values of this one's type.
    template <class B>
    constexpr void share_from(const table<B>& other, place to, place from) {
        index_.set(to, pool_.add_to_class_of(other.index_.find(from)));
    }
    /// Everything that shares the value at `from` shares the value at `into` from now on, which stays as it is.
    constexpr void join(place into, place from) { pool_.join(index_.find(into), index_.find(from)); }
    /// Merges the value at `from` into the one at `into` by the rule of the attribute type. Classes stay as they are.
    constexpr void merge(place into, place from) {
        const std::int32_t a = index_.find(into);
        const std::int32_t b = index_.find(from);
        if (pool_.root(a) != pool_.root(b)) {
            return merge_values(a, b, pool_.value(b));
        }
        const value_type itself = pool_.value(b);
        merge_values(a, b, itself);
    }
    constexpr bool same_class(place left, place right) const { return class_number(left) == class_number(right); }
    /// Equal for places that share their value, different for places that do not; -1 if there is no attribute.
    constexpr std::int32_t class_number(place where) const {
        const std::int32_t member = index_.find(where);
        return member < 0 ? -1 : pool_.root(member);
    }
    /// True if no place ever had an attribute of this type.
    constexpr bool is_unused() const { return index_.is_unused(); }
    constexpr bool is_on_node(node_id id) const { return index_.is_on_node(index_of(id)); }
    /// One more than the largest port of a side of a node that may have an attribute.
    constexpr std::size_t port_bound(place::side side, node_id id) const { return index_.port_bound(side, id); }

    /// The value in words, with `#` and the class number where values can be shared; empty if there is no attribute.
    constexpr text text_of(place where) const {
        const std::int32_t member = index_.find(where);
        if (member < 0) {
            return {};
        }
        text result;
        if constexpr (requires { to_text(pool_.value(member), pool_.own(member)); }) {
            result = to_text(pool_.value(member), pool_.own(member));
        } else {
            result = to_text(pool_.value(member));
        }
        if constexpr (!detail::prints_no_class<value_type>) {
            result.append(lpt::join({" #", pool_.root(member)}));
        }
        return result;
    }
};

/// An attribute in words: its published name and its value.
struct description {
    text_view name;
    text value;
    friend constexpr bool operator==(const description&, const description&) = default;
};

/// The attributes of all nodes and ports of one graph, and of the graphs inside its nodes.
///
/// A value of its own beside the graph: copies of both are independent. Attributes of removed nodes stay without harm,
/// because numbers of nodes are not given again.
template <class... Attributes>
class tables_of {
struct slots : detail::pool_slot<Attributes>..., detail::index_slot<Attributes>... {};
    struct body_tables {
        node_id node = node_id::none;
        std::size_t which = 0;
        tables_of* content = nullptr;
        std::int32_t previous = -1;  // the tables of another body of the node, by their place
    };
    slots slots_;
    seq<body_tables> bodies_;
    seq<std::int32_t, 8> last_body_;  // by node: the place of the tables that were made last; -1: none

    constexpr std::int32_t last_body(node_id id) const {
        return index_of(id) < last_body_.size() ? last_body_[index_of(id)] : -1;
    }
    constexpr tables_of& add_body(node_id id, std::size_t which, tables_of* content) {
        if (index_of(id) >= last_body_.size()) {
            last_body_.resize(index_of(id) + 1, -1);
        }
        bodies_.push_back({id, which, content, last_body(id)});
        last_body_[index_of(id)] = static_cast<std::int32_t>(bodies_.size()) - 1;
        return *content;
    }

    template <class A>
    constexpr void copy_attribute(node_id from, node_id to, bool with_ports) {
        table<A> all = of<A>();
        if (all.is_on_node(from)) {
            all.share(place::on_node(to), place::on_node(from));
        }
        if (!with_ports) {
            return;
        }
        for (std::size_t port = 0; port < all.port_bound(place::side::input, from); ++port) {
            copy_place(all, place::on_input(to, port), place::on_input(from, port));
        }
        for (std::size_t port = 0; port < all.port_bound(place::side::output, from); ++port) {
            copy_place(all, place::on_output(to, port), place::on_output(from, port));
        }
    }
    template <class A>
    constexpr void drop_ports_of(node_id id) {
        table<A> all = of<A>();
        for (const place::side side : {place::side::input, place::side::output}) {
            for (std::size_t port = 0, count = all.port_bound(side, id); port < count; ++port) {
                all.erase({id, side, static_cast<std::int32_t>(port)});
            }
        }
    }
    template <class A>
    static constexpr void copy_place(table<A>& all, place to, place from) {
        if (all.has(from)) {
            all.share(to, from);
        }
    }
    template <class A>
    constexpr void describe_one(place where, seq<description>& result) {
        if (of<A>().has(where)) {
            result.push_back({A::name, of<A>().text_of(where)});
        }
    }
    template <class A, class Visit>
    static constexpr void show_pool(tables_of& all, Visit& visit) {
        if constexpr (!requires { typename A::shared_value; }) {
            visit.pool(static_cast<detail::pool_slot<A>&>(all.slots_).pool);
        }
    }
    constexpr void copy_all(node_id from, node_id to, bool with_ports) {
        (copy_attribute<Attributes>(from, to, with_ports), ...);
    }

public:
    constexpr tables_of() = default;
    constexpr tables_of(const tables_of& other) : slots_(other.slots_) {
        for (const body_tables& each : other.bodies_) {
            add_body(each.node, each.which, new tables_of(*each.content));
        }
    }
    constexpr tables_of(tables_of&& other) noexcept { swap(other); }
    constexpr tables_of& operator=(tables_of other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~tables_of() {
        for (const body_tables& each : bodies_) {
            delete each.content;
        }
    }
    constexpr void swap(tables_of& other) noexcept {
        lpt::detail::swap_values(slots_, other.slots_);
        lpt::detail::swap_values(bodies_, other.bodies_);
        lpt::detail::swap_values(last_body_, other.last_body_);
    }

    /// The attributes of one type. The result looks into these tables and must not outlive them.
    template <class A>
    constexpr table<A> of() {
        using value = typename table<A>::value_type;
        return {static_cast<detail::index_slot<A>&>(slots_).index, static_cast<detail::pool_slot<value>&>(slots_).pool};
    }

    /// Gives `to` all attributes of `from`, of the node and of its ports, sharing the values, and copies of the tables of
    /// its bodies: for a node that takes the place of another one of the same operation.
    constexpr void copy(node_id from, node_id to) {
        copy_all(from, to, true);
        for (std::int32_t i = last_body(from); i >= 0; i = bodies_[static_cast<std::size_t>(i)].previous) {
            body(to, bodies_[static_cast<std::size_t>(i)].which) = *bodies_[static_cast<std::size_t>(i)].content;
        }
    }
    /// Gives `to` the attributes of the node `from` without those of its ports: for a replacement by another operation.
    constexpr void copy_node(node_id from, node_id to) { copy_all(from, to, false); }

    /// Says how many nodes there will be: a table then takes its memory at once.
    constexpr void expect(std::size_t nodes) {
        (static_cast<detail::index_slot<Attributes>&>(slots_).index.expect(nodes), ...);
    }
    /// Takes the attributes of the ports of a node away; those of the node stay.
    constexpr void drop_ports(node_id id) { (drop_ports_of<Attributes>(id), ...); }

    /// The attributes of graph number `which` inside a node, made on the first call.
    constexpr tables_of& body(node_id id, std::size_t which) {
        for (std::int32_t i = last_body(id); i >= 0; i = bodies_[static_cast<std::size_t>(i)].previous) {
            if (bodies_[static_cast<std::size_t>(i)].which == which) {
                return *bodies_[static_cast<std::size_t>(i)].content;
            }
        }
        return add_body(id, which, new tables_of);
    }

    /// Shows the values of each type to `visit.pool(pool)` and the places that have them to `visit.index(index)`, not those of bodies.
    template <class Visit>
    static constexpr void show(tables_of& all, Visit&& visit) {
        (show_pool<Attributes>(all, visit), ...);
        (visit.index(static_cast<detail::index_slot<Attributes>&>(all.slots_).index), ...);
    }
    /// Calls `visit(node, which, tables)` for each graph inside a node that has tables.
    template <class Visit>
    constexpr void show_bodies(Visit&& visit) {
        for (const body_tables& each : bodies_) {
            visit(each.node, each.which, *each.content);
        }
    }
    constexpr std::size_t body_count() const { return bodies_.size(); }

    /// All attributes of a place in words.
    constexpr seq<description> describe(place where) {
        seq<description> result;
        (describe_one<Attributes>(where, result), ...);
        return result;
    }
};

/// The tables of the attributes that the library's transformations use.
using tables = tables_of<precisions, precision_preserved, avg_pool_precision_preserved, intervals_alignment,
                         quantization_alignment, quantization_granularity>;
#ifdef LPT_COMPILED
LPT_COMPILED template class tables_of<precisions, precision_preserved, avg_pool_precision_preserved,
                                      intervals_alignment, quantization_alignment, quantization_granularity>;
#endif

}  // namespace lpt::inline LPT_ABI::attribute
