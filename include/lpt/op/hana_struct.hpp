// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/all.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/string.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

/// Operations as Hana's Structs: `hana::for_each`, `hana::keys`, `hana::at_key` … work on their attributes, which have
/// their published names as keys, `hana::string_c<'a', 'x', 'i', 's'>`. Apart from `lpt/lpt.hpp`, because few programs
/// ask for it.
namespace lpt::inline LPT_ABI::op {

/// The types that attributes of operations have. A user's operation with others says so in a specialization of `attribute_types_of`.
template <class... Types>
struct attribute_types {
    using hana_tag = list_tag<attribute_types>;
};

/// Which types the attributes of the operation `Op` may have: those of all published operations.
template <class Op>
struct attribute_types_of {
    using type =
        attribute_types<bool, std::int64_t, double, text, element, shape, tensor, seq<std::int64_t, 4>, seq<double>,
                        seq<text>, auto_broadcast, auto_pad, box_encoding, broadcast_mode,
                        coordinate_transformation_mode, depth_space_mode, element_reduction, gelu_approximation,
                        grid_sample_mode, grid_sample_padding, interpolate_mode, lstm_weights_format, mvn_eps_mode,
                        nearest_mode, normalize_eps_mode, one_hot_negative_indices, pad_mode, recurrent_direction,
                        roi_aligned_mode, roi_pooling, round_mode, rounding_type, scatter_reduction,
                        shape_calculation_mode, top_k_mode, top_k_sort>;
};

namespace detail {

/// `Op::fields` names an operation's attributes one by one; this counts them, and looks at number `wanted`.
template <class... Types>
struct field_visitor {
    int wanted = -1;
    int count = 0;
    text_view name{};
    int type = -1;

    template <class Value>
    constexpr void operator()(text_view field_name, const Value&, in_versions = {}) {
        if (count++ == wanted) {
            name = field_name;
            int position = 0;
            ((__is_same(Types, Value) ? void(type = position) : void(), ++position), ...);
        }
    }
};

/// Where attribute number `wanted` lies, if it has the type `Value`.
template <class Value>
struct field_finder {
    int wanted;
    Value* found = nullptr;

    template <class Any>
    constexpr void operator()(text_view, Any& value, in_versions = {}) {
        if (wanted-- == 0) {
            if constexpr (__is_same(Any, Value)) {
                found = &value;
            }
        }
    }
};

template <class Op>
concept names_attributes = requires(Op& object, field_visitor<>& visit) { Op::fields(object, visit); };

template <class Op, class... Types>
consteval field_visitor<Types...> visit_field(int wanted, attribute_types<Types...>) {
    const Op object{};
    field_visitor<Types...> visit{wanted};
    Op::fields(object, visit);
    return visit;
}
template <class Op>
consteval auto field_number(int wanted) {
    return visit_field<Op>(wanted, typename attribute_types_of<Op>::type{});
}

/// The function that gives attribute number `Number` of an operation.
template <class Op, int Number>
struct attribute_accessor {
    static constexpr int type = field_number<Op>(Number).type;
    static_assert(type >= 0, "an attribute's type is not in attribute_types_of<Op>");
    using value_type = lpt::detail::member_at<typename attribute_types_of<Op>::type, type, void>;

    constexpr value_type& operator()(Op& object) const { return find<value_type>(object); }
    constexpr const value_type& operator()(const Op& object) const { return find<const value_type>(object); }

private:
    template <class Value, class Object>
    static constexpr Value& find(Object& object) {
        field_finder<Value> visit{Number};
        Op::fields(object, visit);
        return *visit.found;
    }
};

template <class Op, int Number, std::size_t... Places>
constexpr auto attribute_key(std::index_sequence<Places...>) {
    constexpr text_view name = field_number<Op>(Number).name;
    return hana::string_c<name[Places]...>;
}
template <class Op, int Number>
constexpr auto attribute_member() {
    constexpr std::size_t length = field_number<Op>(Number).name.size();
    return hana::make_pair(attribute_key<Op, Number>(std::make_index_sequence<length>{}),
                           attribute_accessor<Op, Number>{});
}
template <class Op, int... Numbers>
constexpr auto attribute_members(std::integer_sequence<int, Numbers...>) {
    return hana::make_basic_tuple(attribute_member<Op, Numbers>()...);
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::op

namespace boost::hana {

template <class Op>
struct accessors_impl<Op, when<lpt::op::detail::names_attributes<Op>>> {
    static constexpr auto apply() {
        constexpr int count = lpt::op::detail::field_number<Op>(-1).count;
        return lpt::op::detail::attribute_members<Op>(std::make_integer_sequence<int, count>{});
    }
};

}  // namespace boost::hana
