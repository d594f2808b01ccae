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
template <template <class...> class Target>
struct collect_into {
    template <class... Types>
    constexpr auto operator()(Types...) const -> Target<typename listed_type<Types>::type...> {
        return {};
    }
};
}  // namespace detail

/// `Target<T...>` of a Hana sequence of `hana::type_c<T>` or of objects without data:
/// `from_hana<restrictions>(hana::make_basic_tuple(hana::type_c<A>, B{}, …))`.
template <template <class...> class Target, class Sequence>
constexpr auto from_hana(const Sequence& types) {
    return hana::unpack(types, detail::collect_into<Target>{});
}

}  // namespace lpt
