// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace lpt::fuzz {

/// Random choices; the same ones for the same seed.
class dice {
    std::minstd_rand numbers_;

public:
    explicit dice(unsigned seed) : numbers_(seed + 1) {}

    /// One of 0 … count - 1; `count` is not 0.
    std::size_t below(std::size_t count) {
        return static_cast<std::size_t>((std::uint64_t{numbers_()} << 20 ^ numbers_()) % count);
    }
    bool once_in(std::size_t count) { return below(count) == 0; }
    template <class List>
    decltype(auto) one_of(const List& list) {
        return list[below(std::size(list))];
    }
};

/// A number that is more likely than others to be at a bound of something.
inline std::int64_t interesting_integer(dice& random) {
    static constexpr int powers[] = {4, 7, 8, 15, 16, 24, 31, 32, 33, 48, 58, 59, 60, 61, 62, 63};
    switch (random.below(4)) {
        case 0: return static_cast<std::int64_t>(random.below(10)) - 2;
        case 1: return static_cast<std::int64_t>(random.below(300));
        default: break;
    }
    const std::uint64_t power = std::uint64_t{1} << random.one_of(powers);
    const std::uint64_t near = power + random.below(3) - 1;
    return static_cast<std::int64_t>(random.once_in(3) ? std::uint64_t{0} - near : near);
}

/// The text of a number, changed: to a neighbour, to a multiple, to another sign, or to something at a bound.
inline std::string changed_number(const std::string& old, dice& random) {
    static const char* const reals[] = {"nan",  "inf",    "-inf",  "-0.0",    "0.5",  "1e-45",
                                        "1e38", "3.5e38", "1e308", "-1e-310", "255.5"};
    const bool is_integer = old.find_first_not_of("+-0123456789") == std::string::npos;
    if (!is_integer && random.once_in(2)) {
        return random.one_of(reals);
    }
    const auto value = static_cast<std::uint64_t>(std::strtoll(old.c_str(), nullptr, 10));
    switch (random.below(8)) {
        case 0: return std::to_string(static_cast<std::int64_t>(value + 1));
        case 1: return std::to_string(static_cast<std::int64_t>(value - 1));
        case 2: return std::to_string(static_cast<std::int64_t>(value * 2));
        case 3: return std::to_string(static_cast<std::int64_t>(0 - value));
        case 4: return random.one_of(reals);
        default: return std::to_string(interesting_integer(random));
    }
}

/// True for words that begin as numbers do.
inline bool looks_like_number(const std::string& word) {
    const std::size_t first = word.find_first_not_of("+-");
    return first < 2 && word[first] >= '0' && word[first] <= '9';
}

/// One number of a list changed, left out or doubled; `separator` is what stands between them.
inline std::string changed_list(const std::string& list, char separator, dice& random) {
    std::vector<std::string> words;
    std::string word;
    for (const char each : list + separator) {
        if (each != separator) {
            word += each;
        } else {
            words.push_back(word);
            word.clear();
        }
    }
    const std::size_t which = random.below(words.size());
    switch (words.size() == 1 && random.once_in(8) ? 7 : random.below(8)) {
        case 0: words.erase(words.begin() + static_cast<std::ptrdiff_t>(which)); break;
        case 1: words.insert(words.begin() + static_cast<std::ptrdiff_t>(which), std::string(words[which])); break;
        default: words[which] = changed_number(words[which], random);
    }
    std::string result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        result += (i == 0 ? std::string() : std::string(1, separator)) + words[i];
    }
    return result;
}

/// Names of all operations and element types, and words that attributes have.
const std::vector<std::string>& operation_names();
const std::vector<std::string>& other_words();

}  // namespace lpt::fuzz
