// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/fuzz/mutate/dice.hpp"
#include "tests/fuzz/mutate/tflite_places.hpp"

namespace lpt::fuzz {

/// A number of a place.
inline std::int64_t value_of(std::string_view file, const number_place& where, std::size_t index) {
    return integer_at(file, where.first + where.width * index, where.width);
}

/// The bits of a number for a place that has `old`: one that it may have, and now and then one that it may not.
std::uint64_t new_value(std::string_view file, const tflite_places& places, const number_place& where, std::int64_t old,
                        dice& random);

}  // namespace lpt::fuzz
