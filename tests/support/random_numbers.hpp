// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>

namespace lpt::support {

/// Numbers that follow from a seed alone: the same on every machine, compiler and standard library.
///
/// The generator is SplitMix64; real numbers are multiples of 2^-24, so that they are exact in f32.
class random_numbers {
    std::uint64_t state_;

public:
    explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 31);
    }
    /// A whole number in [0, count), `count` >= 1.
    std::int64_t below(std::int64_t count) {
        return static_cast<std::int64_t>((next() >> 1) % static_cast<std::uint64_t>(count));
    }
    /// A whole number in [least, most].
    std::int64_t between(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
    std::size_t index(std::size_t count) { return static_cast<std::size_t>(below(static_cast<std::int64_t>(count))); }
    bool chance(int percent) { return below(100) < percent; }
    /// A real number in [0, 1).
    double unit() { return static_cast<double>(next() >> 40) * 0x1p-24; }
    /// A real number in [low, high).
    double real(double low, double high) { return low + (high - low) * unit(); }
    template <class Value>
    Value pick(std::initializer_list<Value> choices) {
        return choices.begin()[index(choices.size())];
    }
};

}  // namespace lpt::support
