// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

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
