// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/bool.hpp>
#include <boost/hana/concat.hpp>
#include <boost/hana/concept/sequence.hpp>
#include <boost/hana/core/make.hpp>
#include <boost/hana/core/tag_of.hpp>
#include <boost/hana/drop_front.hpp>
#include <boost/hana/empty.hpp>
#include <boost/hana/filter.hpp>
#include <boost/hana/fold_left.hpp>
#include <boost/hana/fwd/chain.hpp>
#include <boost/hana/is_empty.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/remove_if.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

/// The include of Hana that most headers need. The library's lists of types (`stage`, `restrictions`, `op::list`, `attribute::set`) are Hana sequences
/// of `hana::type_c<Member>`: `hana::for_each`, `hana::find_if`, `hana::remove_if` … work on them, each behind its own Hana header.
///
/// Functions that make other lists (`hana::transform`, `hana::append` …) must give types again; `hana::to<hana::tuple_tag>(list)` takes
/// any results. Never for graphs, tables at run time or constants, which are values.
namespace lpt::inline LPT_ABI {

namespace hana = boost::hana;

/// Hana's tag of the lists that are made by `List`: `using hana_tag = lpt::list_tag<stage>;` makes `stage<…>` a sequence.
template <template <class...> class List>
struct list_tag {};
/// Hana's tag of types that hold such a list, `members()`, and are as foldable, iterable and searchable as it: `pipeline`, `target_of`.
template <template <class...> class Holder>
struct holder_tag {};

namespace detail {

/// A list that nobody checks: of what is still being put together.
template <class... Types>
struct type_list {
    using hana_tag = list_tag<type_list>;
    template <template <class...> class Target>
    using in = Target<Types...>;
};

/// True for these types, as a condition of `hana::remove_if` and its like.
template <class... Types>
struct is_any_of {
    template <class Member>
    constexpr auto operator()(hana::basic_type<Member>) const {
        return hana::bool_c<(__is_same(Member, Types) || ...)>;
    }
};

/// The type that a member of a list stands for: what `hana::type_c` holds, or that of an object.
template <class Member>
struct listed_type {
    using type = Member;
};
template <class Member>
    requires requires { typename Member::type; }
struct listed_type<Member> {
    using type = typename Member::type;
};
struct collect_types {
    template <class... Members>
    constexpr type_list<typename listed_type<Members>::type...> operator()(Members...) const {
        return {};
    }
};
template <class Sequence>
using types_of = decltype(hana::unpack(*static_cast<const Sequence*>(nullptr), collect_types{}));

/// Lists of one sort, one after the other.
template <class... Lists>
using joined = decltype(hana::fold_left(hana::basic_tuple<Lists...>{}, hana::concat));

/// Number `Place` of a list; `Otherwise` of an empty one.
template <class List, int Place, class Otherwise>
constexpr auto find_member(List list) {
    if constexpr (decltype(hana::is_empty(list))::value) {
        return hana::type_c<Otherwise>;
    } else {
        return hana::at_c<static_cast<std::size_t>(Place)>(list);
    }
}
template <class List, int Place, class Otherwise>
using member_at = typename decltype(find_member<List, Place, Otherwise>(List{}))::type;

}  // namespace detail

/// `Target<T...>` of a Hana sequence of `hana::type_c<T>` or of objects without data:
/// `from_hana<restrictions>(hana::make_basic_tuple(hana::type_c<A>, B{}, …))`.
template <template <class...> class Target, class Sequence>
constexpr auto from_hana(const Sequence&) -> typename detail::types_of<Sequence>::template in<Target> {
    // Named as the result, not made within Hana's functions: a mistake in the list is one error, without a trace through them.
    return {};
}

}  // namespace lpt::inline LPT_ABI

/// What makes a list of types a Hana sequence. `concat` and `chain` could be Hana's, which take the compiler much longer.
namespace boost::hana {

template <template <class...> class List>
struct Sequence<lpt::list_tag<List>> {
    static constexpr bool value = true;
};
template <template <class...> class List>
struct make_impl<lpt::list_tag<List>> {
    template <class... Types>
    static constexpr List<Types...> apply(basic_type<Types>...) {
        return {};
    }
};
template <template <class...> class List>
struct unpack_impl<lpt::list_tag<List>> {
    template <class... Types, class Function>
    static constexpr decltype(auto) apply(const List<Types...>&, Function&& function) {
        return static_cast<Function&&>(function)(type_c<Types>...);
    }
};
template <template <class...> class List>
struct length_impl<lpt::list_tag<List>> {
    template <class... Types>
    static constexpr auto apply(const List<Types...>&) {
        return size_c<sizeof...(Types)>;
    }
};
template <template <class...> class List>
struct is_empty_impl<lpt::list_tag<List>> {
    template <class... Types>
    static constexpr auto apply(const List<Types...>&) {
        return bool_c<(sizeof...(Types) == 0)>;
    }
};
template <template <class...> class List>
struct at_impl<lpt::list_tag<List>> {
    template <class... Types, class Place>
    static constexpr auto apply(const List<Types...>&, const Place& place) {
        return hana::at(basic_tuple<type<Types>...>{}, place);
    }
};
template <template <class...> class List>
struct drop_front_impl<lpt::list_tag<List>> {
    template <class... Types, class Count>
    static constexpr auto apply(const List<Types...>&, const Count& count) {
        return hana::unpack(hana::drop_front(basic_tuple<type<Types>...>{}, count), make<lpt::list_tag<List>>);
    }
};
template <template <class...> class List>
struct concat_impl<lpt::list_tag<List>> {
    template <class... First, class... Second>
    static constexpr List<First..., Second...> apply(const List<First...>&, const List<Second...>&) {
        return {};
    }
};
template <template <class...> class List>
struct chain_impl<lpt::list_tag<List>> {
    template <class... Types, class Function>
    static constexpr auto apply(const List<Types...>&, const Function& function) {
        return hana::fold_left(basic_tuple<decltype(function(type_c<Types>))...>{}, List<>{}, concat);
    }
};

template <template <class...> class Holder>
struct unpack_impl<lpt::holder_tag<Holder>> {
    template <class Whole, class Function>
    static constexpr decltype(auto) apply(const Whole&, Function&& function) {
        return hana::unpack(Whole::members(), static_cast<Function&&>(function));
    }
};
template <template <class...> class Holder>
struct length_impl<lpt::holder_tag<Holder>> {
    template <class Whole>
    static constexpr auto apply(const Whole&) {
        return hana::length(Whole::members());
    }
};
template <template <class...> class Holder>
struct is_empty_impl<lpt::holder_tag<Holder>> {
    template <class Whole>
    static constexpr auto apply(const Whole&) {
        return hana::is_empty(Whole::members());
    }
};
template <template <class...> class Holder>
struct at_impl<lpt::holder_tag<Holder>> {
    template <class Whole, class Place>
    static constexpr auto apply(const Whole&, const Place& place) {
        return hana::at(Whole::members(), place);
    }
};
template <template <class...> class Holder>
struct drop_front_impl<lpt::holder_tag<Holder>> {
    template <class Whole, class Count>
    static constexpr auto apply(const Whole&, const Count& count) {
        return hana::drop_front(Whole::members(), count);
    }
};
template <template <class...> class Holder>
struct filter_impl<lpt::holder_tag<Holder>> {
    template <class Whole, class Condition>
    static constexpr auto apply(const Whole&, const Condition& condition) {
        return Whole::filter(condition);
    }
};
template <template <class...> class Holder>
struct concat_impl<lpt::holder_tag<Holder>> {
    template <class First, class Second>
    static constexpr auto apply(const First&, const Second&) {
        return First::concat(Second{});
    }
};
template <template <class...> class Holder>
struct empty_impl<lpt::holder_tag<Holder>> {
    static constexpr auto apply() { return empty_holder(lpt::holder_tag<Holder>{}); }
};

}  // namespace boost::hana
