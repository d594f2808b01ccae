// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

/// The only include of Hana: where users hand over lists of types. Behind this header there are plain packs.
namespace lpt {

namespace hana = boost::hana;

namespace detail {
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
template <class... Types>
struct listed_types {
    template <template <class...> class Target>
    using in = Target<Types...>;
};
struct collect_types {
    template <class... Members>
    constexpr listed_types<typename listed_type<Members>::type...> operator()(Members...) const {
        return {};
    }
};
template <class Sequence>
using types_of = decltype(hana::unpack(*static_cast<const Sequence*>(nullptr), collect_types{}));
}  // namespace detail

/// `Target<T...>` of a Hana sequence of `hana::type_c<T>` or of objects without data:
/// `from_hana<restrictions>(hana::make_basic_tuple(hana::type_c<A>, B{}, …))`.
template <template <class...> class Target, class Sequence>
constexpr auto from_hana(const Sequence&) -> typename detail::types_of<Sequence>::template in<Target> {
    // Named as the result, not made within Hana's functions: a mistake in the list is one error, without a trace through them.
    return {};
}

}  // namespace lpt
