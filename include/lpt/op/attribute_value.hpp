// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/tensor/tensor.hpp>

namespace lpt::inline LPT_ABI::op {

/// One value of any type that an attribute can have: the form in which attributes are read from files, written and printed.
struct attribute_value {
    enum class form : unsigned char {
        none,
        boolean,
        integer,
        real,
        word,
        integers,
        reals,
        words,
        element_type,
        dimensions,
        constant
    };

    form holds = form::none;
    std::int64_t integer = 0;  // also boolean and element_type
    double real = 0;
    text word{};
    lpt::integers integers{};
    seq<double> reals{};
    seq<text> words{};
    shape dimensions{};
    tensor constant{};
};

struct named_value {
    text name;
    attribute_value value;
};

namespace detail {
template <class T>
concept is_words = is_same<T, view<text_view>>;
}  // namespace detail

/// What an enumeration of attribute words looks like: `constexpr view<text_view> words_of(E)` gives the published
/// words in the order of the enumerators.
template <class E>
concept word_enumeration = is_enumeration<E> && requires(E value) {
    { words_of(value) } -> detail::is_words;
};

constexpr attribute_value to_value(bool value) {
    return {.holds = attribute_value::form::boolean, .integer = value ? 1 : 0};
}
constexpr attribute_value to_value(std::int64_t value) {
    return {.holds = attribute_value::form::integer, .integer = value};
}
constexpr attribute_value to_value(double value) { return {.holds = attribute_value::form::real, .real = value}; }
constexpr attribute_value to_value(const text& value) { return {.holds = attribute_value::form::word, .word = value}; }
constexpr attribute_value to_value(const integers& value) {
    return {.holds = attribute_value::form::integers, .integers = value};
}
constexpr attribute_value to_value(const seq<double>& value) {
    return {.holds = attribute_value::form::reals, .reals = value};
}
constexpr attribute_value to_value(const seq<text>& value) {
    return {.holds = attribute_value::form::words, .words = value};
}
constexpr attribute_value to_value(element value) {
    return {
        .holds = attribute_value::form::element_type, .integer = static_cast<std::int64_t>(value), .word = name(value)};
}
constexpr attribute_value to_value(const shape& value) {
    return {.holds = attribute_value::form::dimensions, .dimensions = value};
}
constexpr attribute_value to_value(const tensor& value) {
    return {.holds = attribute_value::form::constant, .constant = value};
}
template <word_enumeration E>
constexpr attribute_value to_value(E value) {
    return {.holds = attribute_value::form::word, .word = words_of(value)[static_cast<std::size_t>(value)]};
}

namespace detail {

/// The words between commas of `1, 2,3`, without blanks around them.
constexpr seq<text> split_list(text_view list) {
    seq<text> parts;
    std::size_t from = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i != list.size() && list[i] != ',') {
            continue;
        }
        std::size_t first = from;
        std::size_t last = i;
        while (first < last && list[first] == ' ') {
            ++first;
        }
        while (last > first && list[last - 1] == ' ') {
            --last;
        }
        if (first != last || from != 0 || i != list.size()) {
            parts.push_back(list.substr(first, last - first));
        }
        from = i + 1;
    }
    return parts;
}

constexpr bool parse_integer(text_view word, std::int64_t& result) {
    const bool negative = word.starts_with("-");
    std::uint64_t size = 0;
    const std::size_t first = negative || word.starts_with("+") ? 1 : 0;
    if (word.size() == first || word.size() > first + 19) {
        return false;
    }
    for (std::size_t i = first; i < word.size(); ++i) {
        if (word[i] < '0' || word[i] > '9') {
            return false;
        }
        size = size * 10 + static_cast<std::uint64_t>(word[i] - '0');
    }
    result = static_cast<std::int64_t>(negative ? std::uint64_t{0} - size : size);
    return size <= (negative ? std::uint64_t{1} << 63 : static_cast<std::uint64_t>(INT64_MAX));
}

constexpr bool parse_real(text_view word, double& result) {
    if (word == "inf" || word == "-inf" || word == "nan" || word == "-nan") {
        result = word.ends_with("nan") ? math::not_a_number : word[0] == '-' ? -math::infinity : math::infinity;
        return true;
    }
    std::size_t at = word.starts_with("-") || word.starts_with("+") ? 1 : 0;
    double size = 0;
    int exponent = 0;
    bool any = false;
    for (bool point = false; at < word.size(); ++at) {
        if (word[at] == '.' && !point) {
            point = true;
            continue;
        }
        if (word[at] < '0' || word[at] > '9') {
            break;
        }
        any = true;
        size = size * 10 + (word[at] - '0');
        exponent -= point ? 1 : 0;
    }
    if (any && at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
        std::int64_t more = 0;
        if (!parse_integer(word.substr(at + 1), more) || more > 5000 || more < -5000) {
            return false;
        }
        exponent += static_cast<int>(more);
        at = word.size();
    }
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent) && i < 700; ++i) {
        power *= 10;
    }
    size = exponent < 0 ? size / power : size * power;
    result = word.starts_with("-") ? -size : size;
    return any && at == word.size();
}

}  // namespace detail

// Reading: each returns false when the value cannot be taken as this type. Words are parsed, so that a reader of a text
// format need not know the type of an attribute.
constexpr bool from_value(const attribute_value& value, bool& result) {
    if (value.holds == attribute_value::form::word) {
        result = value.word == "true" || value.word == "True" || value.word == "1";
        return result || value.word == "false" || value.word == "False" || value.word == "0";
    }
    result = value.integer != 0;
    return value.holds == attribute_value::form::boolean || value.holds == attribute_value::form::integer;
}
constexpr bool from_value(const attribute_value& value, std::int64_t& result) {
    if (value.holds == attribute_value::form::word) {
        return detail::parse_integer(value.word, result);
    }
    if (value.holds == attribute_value::form::real) {
        if (!(value.real >= -9223372036854775808.0 && value.real < 9223372036854775808.0)) {
            return false;
        }
        result = static_cast<std::int64_t>(value.real);
        return static_cast<double>(result) == value.real;
    }
    result = value.integer;
    return value.holds == attribute_value::form::integer || value.holds == attribute_value::form::boolean;
}
constexpr bool from_value(const attribute_value& value, double& result) {
    if (value.holds == attribute_value::form::word) {
        return detail::parse_real(value.word, result);
    }
    result = value.holds == attribute_value::form::integer ? static_cast<double>(value.integer) : value.real;
    return value.holds == attribute_value::form::integer || value.holds == attribute_value::form::real;
}
constexpr bool from_value(const attribute_value& value, text& result) {
    result = value.word;
    return value.holds == attribute_value::form::word;
}
constexpr bool from_value(const attribute_value& value, integers& result) {
    result = value.integers;
    if (value.holds == attribute_value::form::word) {
        for (const text& part : detail::split_list(value.word)) {
            if (!detail::parse_integer(part, result.push_back(0))) {
                return false;
            }
        }
        return true;
    }
    if (value.holds == attribute_value::form::integer) {
        result = {value.integer};
        return true;
    }
    return value.holds == attribute_value::form::integers ||
           (value.holds == attribute_value::form::reals && value.reals.empty()) ||
           (value.holds == attribute_value::form::words && value.words.empty());
}
constexpr bool from_value(const attribute_value& value, seq<double>& result) {
    result = value.reals;
    if (value.holds == attribute_value::form::word) {
        for (const text& part : detail::split_list(value.word)) {
            if (!detail::parse_real(part, result.push_back(0))) {
                return false;
            }
        }
        return true;
    }
    if (value.holds == attribute_value::form::integers) {
        for (const std::int64_t each : value.integers) {
            result.push_back(static_cast<double>(each));
        }
        return true;
    }
    return value.holds == attribute_value::form::reals;
}
constexpr bool from_value(const attribute_value& value, seq<text>& result) {
    if (value.holds == attribute_value::form::word) {
        result = detail::split_list(value.word);
    } else {
        result = value.words;
    }
    return value.holds == attribute_value::form::word || value.holds == attribute_value::form::words ||
           (value.holds == attribute_value::form::integers && value.integers.empty());
}
constexpr bool from_value(const attribute_value& value, element& result) {
    result =
        value.holds == attribute_value::form::word ? parse_element(value.word) : static_cast<element>(value.integer);
    return value.holds == attribute_value::form::element_type ||
           (value.holds == attribute_value::form::word && (result != dynamic || value.word == "dynamic"));
}
constexpr bool from_value(const attribute_value& value, shape& result) {
    if (value.holds == attribute_value::form::word) {
        if (value.word == "...") {
            result = shape::of_dynamic_rank();
            return true;
        }
        result = shape();
        for (const text& part : detail::split_list(value.word)) {
            std::int64_t size = dynamic_dimension;
            bool interval = part == "?";
            for (const char each : part.view()) {
                interval = interval || each == '.';
            }
            if (!interval && (!detail::parse_integer(part, size) || size < -1)) {
                return false;
            }
            result.push_back(size);
        }
        return true;
    }
    if (value.holds == attribute_value::form::integers) {
        result = shape(value.integers);
        return true;
    }
    result = value.dimensions;
    return value.holds == attribute_value::form::dimensions;
}
constexpr bool from_value(const attribute_value& value, tensor& result) {
    result = value.constant;
    return value.holds == attribute_value::form::constant;
}
namespace detail {
/// True for equal words where capital and small letters count as the same: files write some words either way.
constexpr bool same_word(text_view left, text_view right) {
    const auto small = [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
    };
    if (left.size() != right.size()) {
        return false;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (small(left[i]) != small(right[i])) {
            return false;
        }
    }
    return true;
}
}  // namespace detail
template <word_enumeration E>
constexpr bool from_value(const attribute_value& value, E& result) {
    const view<text_view> words = words_of(result);
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (value.holds == attribute_value::form::word && detail::same_word(words[i], value.word)) {
            result = static_cast<E>(i);
            return true;
        }
    }
    return false;
}

}  // namespace lpt::inline LPT_ABI::op
