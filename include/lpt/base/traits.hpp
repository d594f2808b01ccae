// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

/// The few type traits that the core needs: <type_traits> takes a tenth of what <vector> takes to compile.
namespace lpt::inline LPT_ABI {

/// `std::is_constant_evaluated`.
constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }

template <class A, class B>
inline constexpr bool is_same = __is_same(A, B);
template <class T>
inline constexpr bool is_enumeration = __is_enum(T);
template <class T>
inline constexpr bool is_const_type = false;
template <class T>
inline constexpr bool is_const_type<const T> = true;

namespace detail {
template <bool Which, class Yes, class No>
struct choice {
    using type = Yes;
};
template <class Yes, class No>
struct choice<false, Yes, No> {
    using type = No;
};
template <class T>
struct referred {
    using type = T;
};
template <class T>
struct referred<T&> {
    using type = T;
};
template <class T>
struct referred<T&&> {
    using type = T;
};
}  // namespace detail

/// `std::conditional_t`.
template <bool Which, class Yes, class No>
using choose = typename detail::choice<Which, Yes, No>::type;
/// `std::remove_reference_t`.
template <class T>
using without_reference = typename detail::referred<T>::type;

/// The integer types of the language, `bool` and characters among them; `T` without const.
template <class T>
inline constexpr bool is_integer_type =
    is_same<T, bool> || is_same<T, char> || is_same<T, signed char> || is_same<T, unsigned char> || is_same<T, short> ||
    is_same<T, unsigned short> || is_same<T, int> || is_same<T, unsigned> || is_same<T, long> ||
    is_same<T, unsigned long> || is_same<T, long long> || is_same<T, unsigned long long>;
/// Of an integer type.
template <class T>
inline constexpr bool is_signed_type = T(-1) < T(0);

/// A number as a type.
template <auto Value>
struct constant_value {
    static constexpr auto value = Value;
    constexpr operator decltype(Value)() const noexcept { return Value; }
};

}  // namespace lpt::inline LPT_ABI
