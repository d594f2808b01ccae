// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace lpt::fuzz {

/// What numbers of a TFLite file stand for.
enum class role : unsigned char {
    edge,
    operator_index,
    builtin_code,
    version,
    options_type,
    dimension,
    element_type,
    buffer_index,
    subgraph_index,
    scale,
    zero_point,
    axis,
    flag,
    enumeration,
    option,
    real_option,
    integer_constant,
    real_constant,
    length,
    slot
};
inline constexpr std::size_t role_count = static_cast<std::size_t>(role::slot) + 1;

/// Numbers that lie one behind the other. None: `count` is 0.
struct number_list {
    std::size_t first = 0;
    std::size_t count = 0;
};

/// Where numbers of a role lie. Of indices and enumerations, `choices` is how many values they can have.
struct number_place {
    role is;
    std::size_t first;
    std::size_t count;
    std::size_t width;
    std::size_t choices;
};

/// What is known of tensors, operators and their codes; a position of 0 is that of a field that the file leaves out.
struct tensor_places {
    number_list shape;
    std::int64_t type;
    std::size_t buffer;
};
struct operator_places {
    std::size_t code;
    std::size_t options_type;
};
struct code_places {
    std::size_t old_code;  // of 8 bits, which newer files have beside the new one
    std::size_t new_code;
    std::int64_t code;
};

/// The parts of a file, as far as they lie in it. All positions are inside of it, whatever it is.
struct tflite_places {
    std::vector<number_place> all;
    std::vector<tensor_places> tensors;
    std::vector<operator_places> operators;
    std::vector<code_places> codes;
    std::vector<number_list> buffers;
};
tflite_places places_of(std::string_view file);

/// A number of a file, or 0 where it ends before.
template <class Value>
Value number_at(std::string_view file, std::size_t at) {
    Value result{};
    if (at <= file.size() && sizeof result <= file.size() - at) {
        std::memcpy(&result, file.data() + at, sizeof result);
    }
    return result;
}
inline std::int64_t integer_at(std::string_view file, std::size_t at, std::size_t width) {
    switch (width) {
        case 1: return number_at<std::int8_t>(file, at);
        case 2: return number_at<std::int16_t>(file, at);
        case 4: return number_at<std::int32_t>(file, at);
        default: return number_at<std::int64_t>(file, at);
    }
}

}  // namespace lpt::fuzz
