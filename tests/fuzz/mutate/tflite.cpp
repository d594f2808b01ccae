// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/dice.hpp"
#include "tests/fuzz/mutate/mutate.hpp"

#include <cstring>

namespace lpt::fuzz {

namespace {

constexpr std::size_t least_size = 16;

/// A number of `width` bytes at a place where one may stand, changed.
void change_number(std::string& content, dice& random) {
    static constexpr std::size_t widths[] = {1, 2, 4, 4, 4, 8};
    const std::size_t width = random.one_of(widths);
    const std::size_t at = random.below(content.size() / width) * width;
    std::uint64_t value = 0;
    std::memcpy(&value, &content[at], std::min(width, content.size() - at));
    switch (random.below(6)) {
        case 0: ++value; break;
        case 1: --value; break;
        case 2: value *= 2; break;
        case 3: value ^= std::uint64_t{1} << random.below(8 * width); break;
        default: value = static_cast<std::uint64_t>(interesting_integer(random));
    }
    std::memcpy(&content[at], &value, std::min(width, content.size() - at));
}

}  // namespace

std::string mutate_tflite(std::string_view content, unsigned seed) {
    if (content.size() < least_size) {
        return {};
    }
    dice random(seed);
    std::string result(content);
    if (random.once_in(40)) {
        result.resize(least_size + random.below(result.size() - least_size + 1));
    }
    for (std::size_t left = 1 + random.below(3); left != 0; --left) {
        change_number(result, random);
    }
    return result;
}

std::string cross_tflite(std::string_view content, std::string_view other, unsigned seed) {
    if (content.size() < least_size || other.size() < least_size) {
        return {};
    }
    dice random(seed);
    std::string result(content);
    const std::size_t words = std::min(content.size(), other.size()) / 4;
    const std::size_t from = random.below(words);
    const std::size_t to = random.below(words);
    const std::size_t count = std::min(random.below(32) + 1, words - std::max(from, to));
    result.replace(4 * to, 4 * count, other.substr(4 * from, 4 * count));
    return result;
}

}  // namespace lpt::fuzz
