// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/pools.hpp>

namespace lpt::inline LPT_ABI::attribute {

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
    constexpr void add_body(node_id id, std::size_t which, tables_of* content) {
        if (index_of(id) >= last_body_.size()) {
            last_body_.resize(index_of(id) + 1, -1);
        }
        bodies_.push_back({id, which, content, last_body(id)});
        last_body_[index_of(id)] = static_cast<std::int32_t>(bodies_.size()) - 1;
    }
    /// The tables of graph number `which` inside a node, made on the first call.
    constexpr tables_of*& content_of_body(node_id id, std::size_t which) {
        for (std::int32_t i = last_body(id); i >= 0; i = bodies_[static_cast<std::size_t>(i)].previous) {
            if (bodies_[static_cast<std::size_t>(i)].which == which) {
                return bodies_[static_cast<std::size_t>(i)].content;
            }
        }
        add_body(id, which, new tables_of);
        return bodies_.back().content;
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
            tables_of*& content = content_of_body(to, bodies_[static_cast<std::size_t>(i)].which);
            tables_of* made = new tables_of(*bodies_[static_cast<std::size_t>(i)].content);
            delete content;
            content = made;
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
    constexpr tables_of& body(node_id id, std::size_t which) { return *content_of_body(id, which); }

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
