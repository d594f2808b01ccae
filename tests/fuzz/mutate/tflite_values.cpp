// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/tflite_values.hpp"

#include "tests/fuzz/mutate/numbers.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace lpt::fuzz {

namespace {

constexpr std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// One of the numbers of all places with a role.
std::uint64_t other_value(std::string_view file, const tflite_places& places, role is, dice& random) {
    std::vector<number_place> same;
    std::copy_if(places.all.begin(), places.all.end(), std::back_inserter(same),
                 [&](const number_place& each) { return each.is == is; });
    if (same.empty()) {
        return 1;
    }
    const number_place& from = random.one_of(same);
    return bits(value_of(file, from, random.below(from.count)));
}

std::uint64_t new_zero_point(std::uint64_t old, std::uint64_t other, dice& random) {
    static constexpr std::int64_t bounds[] = {0, 0, -1, 1, -128, 127, 128, 255, 256, -32768, 32767};
    switch (random.below(6)) {
        case 0: return old + 1;
        case 1: return bits(interesting_integer(random));
        case 2: return other;
        default: return bits(random.one_of(bounds));
    }
}

std::uint64_t new_real(std::size_t width, std::uint64_t old, std::uint64_t other, dice& random) {
    if (width == 2) {
        return interesting_half(random);
    }
    if (width == 8) {
        return std::bit_cast<std::uint64_t>(static_cast<double>(interesting_real(random)));
    }
    const auto before = std::bit_cast<float>(static_cast<std::uint32_t>(old));
    switch (random.below(6)) {
        case 0: return other;
        case 1: return std::bit_cast<std::uint32_t>(before * 2);
        case 2: return std::bit_cast<std::uint32_t>(-before);
        default: return std::bit_cast<std::uint32_t>(interesting_real(random));
    }
}

std::uint64_t new_length(std::uint64_t old, dice& random) {
    switch (random.below(6)) {
        case 0: return 0;
        case 1: return old + 1;
        case 2: return 2 * old;
        case 3: return random.once_in(4) ? bits(interesting_integer(random)) : old - 1;
        default: return random.below(static_cast<std::size_t>(old & 0xffff) + 1);
    }
}

}  // namespace

std::uint64_t new_value(std::string_view file, const tflite_places& places, const number_place& where, std::int64_t old,
                        dice& random) {
    const auto other = [&](role is) { return other_value(file, places, is, random); };
    constexpr std::uint64_t absent = ~std::uint64_t{0};
    constexpr std::size_t most_versions = 12;
    constexpr std::size_t option_tables = 127;
    constexpr std::size_t most_axes = 6;
    switch (where.is) {
        case role::edge: return random.once_in(8) ? absent : new_index(where.choices, random);
        case role::dimension: return new_dimension(bits(old), other(role::dimension), random);
        case role::version: return new_index(most_versions, random);
        case role::options_type: return random.once_in(3) ? 0 : new_index(option_tables, random);
        case role::zero_point: return new_zero_point(bits(old), other(role::zero_point), random);
        case role::axis: {
            const std::uint64_t below_zero = random.below(3);
            return new_index(most_axes, random) - below_zero;
        }
        case role::flag: return bits(old ^ 1);
        case role::option:
        case role::integer_constant: return new_small_integer(bits(old), other(role::dimension), random);
        case role::scale:
        case role::real_option:
        case role::real_constant: return new_real(where.width, bits(old), other(where.is), random);
        case role::length: return new_length(bits(old), random);
        case role::slot:  // 0: the field has its default
            return random.once_in(2) ? 0 : bits(value_of(file, where, random.below(where.count)));
        default: return new_index(where.choices, random);
    }
}

}  // namespace lpt::fuzz
