// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

/// The only include of Hana: where users hand over lists of types. Behind this header there are plain packs.
namespace lpt {

namespace hana = boost::hana;

namespace detail {
template <template <class...> class Target>
struct collect_into {
    template <class... Types>
    constexpr auto operator()(Types...) const -> Target<typename Types::type...> {
        return {};
    }
};
}  // namespace detail

/// `Target<T...>` of a Hana sequence of `hana::type_c<T>`: `from_hana<restrictions>(hana::make_basic_tuple(hana::type_c<A>, …))`.
template <template <class...> class Target, class Sequence>
constexpr auto from_hana(const Sequence& types) {
    return hana::unpack(types, detail::collect_into<Target>{});
}

}  // namespace lpt
