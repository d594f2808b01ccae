// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

namespace lpt::conformance {

using json = nlohmann::json;

/// A number of a case; those that JSON cannot write are strings ("inf", "-inf", "nan").
inline double number_of(const json& value) {
    if (!value.is_string()) {
        return value.get<double>();
    }
    const std::string& word = value.get_ref<const std::string&>();
    char* end = nullptr;
    const double result = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0') {
        throw json::other_error::create(599, "not a number: " + word, &value);
    }
    return result;
}

/// A whole number that a case says; raises JSON's error for anything else, and for one that the type does not hold.
template <class Integer>
Integer integer_of(const json& value) {
    if (value.is_number_unsigned() && std::in_range<Integer>(value.get<std::uint64_t>())) {
        return static_cast<Integer>(value.get<std::uint64_t>());
    }
    if (!value.is_number_unsigned() && value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>())) {
        return static_cast<Integer>(value.get<std::int64_t>());
    }
    throw json::type_error::create(302, "not an integer that fits: " + value.dump(), &value);
}

/// The form in which a case writes a real number.
inline json json_of_real(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value < 0 ? "-inf" : "inf";
    }
    return value;
}

/// Member `key` of an object, or null where there is none.
inline const json* find(const json& object, const char* key) {
    const auto at = object.find(key);
    return at == object.end() ? nullptr : &*at;
}

}  // namespace lpt::conformance
