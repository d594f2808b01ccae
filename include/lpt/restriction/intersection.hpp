// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/table_algebra.hpp>

#include <boost/hana/range.hpp>

/// What two lists of restrictions both accept, as a list again.
///
/// Hana goes through the operations; what an operation is left with is computed as rows of a table, of which types are made.
namespace lpt::inline LPT_ABI {

namespace detail {

/// The precisions of an operation, or its granularity.
template <class Op, bool AboutGranularity>
struct about {};

struct add_what_is_new {
    template <class... Known, class Restriction>
    constexpr auto operator()(type_list<Known...>, hana::basic_type<Restriction>) const {
        using subject = about<typename subject_of<Restriction>::type, subject_of<Restriction>::about_granularity>;
        return choose<(is_same<Known, subject> || ...), type_list<Known...>, type_list<Known..., subject>>{};
    }
};

/// What lists `One` and `Other` come to for one operation. Rows of the same version stand together.
template <class Op, class One, class Other>
constexpr restriction_table intersect_lists() {
    restriction_table result;
    intersect_precisions(result, One{}.table(), Other{}.table(), Op::number, nullptr);
    intersect_granularities(result, One{}.table(), Other{}.table(), Op::number);
    return result;
}
/// How many rows they are. The table has a name because clang 16 does not destroy it where it is a part of a template argument.
template <auto Rows, class Op, class One, class Other>
constexpr std::size_t count_common() {
    const restriction_table all = intersect_lists<Op, One, Other>();
    return (all.*Rows).size();
}
/// The rows of one sort, inside the object, as a constant must keep them.
template <class Row, auto Rows, class Op, class One, class Other>
constexpr auto keep_common() {
    const restriction_table all = intersect_lists<Op, One, Other>();
    seq<Row, count_common<Rows, Op, One, Other>()> result;
    result.append(all.*Rows);
    return result;
}
template <class Op, class One, class Other>
struct common_rows {
    static constexpr auto precisions = keep_common<precision_row, &restriction_table::precisions, Op, One, Other>();
    static constexpr auto granularities =
        keep_common<granularity_row, &restriction_table::granularities, Op, One, Other>();

    static constexpr bool begins_version(std::size_t row) {
        return row == 0 || precisions[row - 1].version != precisions[row].version;
    }
    /// The first row of precisions that is not of the version of row `first`.
    static constexpr std::size_t end_of_version(std::size_t first) {
        std::size_t end = first;
        while (end < precisions.size() && precisions[end].version == precisions[first].version) {
            ++end;
        }
        return end;
    }
};

template <class Op, int Version>
using versioned = choose<Version == any_version, Op, in_version<Op, Version>>;

/// Calls a function with the integral constants from `First` to `End - 1`.
template <std::size_t First, std::size_t End, class Function>
constexpr auto with_numbers(Function function) {
    return hana::unpack(hana::range_c<std::size_t, First, End>, function);
}

template <std::int32_t... Ports>
struct group_of_ports {
    static constexpr auto value = ports<Ports...>;
};
template <std::int32_t Port>
struct group_of_ports<Port> {
    static constexpr int value = Port;
};

/// Row number `Row` of the precisions as an `on<…>`; none where nothing may be quantized.
template <class Rows, std::size_t Row>
constexpr auto accepted_in() {
    constexpr std::size_t ports = Rows::precisions[Row].accepted.ports.size();
    if constexpr (ports == 0) {
        return type_list<>{};
    } else {
        return with_numbers<0, ports>([](auto... port) {
            using group = group_of_ports<Rows::precisions[Row].accepted.ports[decltype(port)::value]...>;
            return with_numbers<0, Rows::precisions[Row].accepted.types.size()>([](auto... type) {
                return type_list<on<group::value, Rows::precisions[Row].accepted.types[decltype(type)::value]...>>{};
            });
        });
    }
}

/// The rows of a version as one restriction, where row number `Row` is the first of them; no restriction where it is not.
template <class Op, class Rows, std::size_t Row>
constexpr auto list_precisions() {
    if constexpr (!Rows::begins_version(Row)) {
        return type_list<>{};
    } else {
        using accepted = decltype(with_numbers<Row, Rows::end_of_version(Row)>(
            [](auto... row) { return joined<type_list<>, decltype(accepted_in<Rows, decltype(row)::value>())...>{}; }));
        return hana::unpack(accepted{}, [](auto... on) {
            return type_list<
                precisions<versioned<Op, Rows::precisions[Row].version>, typename decltype(on)::type...>>{};
        });
    }
}
template <class Op, class Rows, std::size_t Row>
constexpr auto list_granularity() {
    return with_numbers<0, Rows::granularities[Row].ports.size()>([](auto... port) {
        return type_list<per_tensor<versioned<Op, Rows::granularities[Row].version>,
                                    Rows::granularities[Row].ports[decltype(port)::value]...>>{};
    });
}

/// What lists `One` and `Other` both accept of one operation; a function for `hana::chain`.
template <class One, class Other>
struct accepted_by_both_lists {
    template <class Op>
    constexpr auto operator()(hana::basic_type<about<Op, false>>) const {
        using rows = common_rows<Op, One, Other>;
        return with_numbers<0, rows::precisions.size()>([](auto... row) {
            return joined<type_list<>, decltype(list_precisions<Op, rows, decltype(row)::value>())...>{};
        });
    }
    template <class Op>
    constexpr auto operator()(hana::basic_type<about<Op, true>>) const {
        using rows = common_rows<Op, One, Other>;
        return with_numbers<0, rows::granularities.size()>([](auto... row) {
            return joined<type_list<>, decltype(list_granularity<Op, rows, decltype(row)::value>())...>{};
        });
    }
};

template <class Restriction>
inline constexpr bool asks_each_node = false;
template <class Op, precision_rule Rule>
inline constexpr bool asks_each_node<precisions_by_node<Op, Rule>> = true;

template <class One, class Other>
struct intersection_of {
    using type = composed_restrictions<intersecting, One, Other>;
};
template <class... One, class... Other>
    requires(!(asks_each_node<One> || ...) && !(asks_each_node<Other> || ...))
struct intersection_of<restrictions<One...>, restrictions<Other...>> {
    using subjects = decltype(hana::fold_left(type_list<One..., Other...>{}, type_list<>{}, add_what_is_new{}));
    using both = accepted_by_both_lists<restrictions<One...>, restrictions<Other...>>;
    using type = typename decltype(hana::chain(subjects{}, both{}))::template in<restrictions>;
};

/// What two lists both accept as a list; where one is computed, or asks each node, as restrictions that are composed.
template <class One, class Other>
using intersected_restrictions = typename intersection_of<One, Other>::type;

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
