// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/seq.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace {

using namespace lpt;

/// Counts how many of its values are alive.
struct counted {
    static inline int alive = 0;
    int value = 0;
    counted() { ++alive; }
    explicit counted(int number) : value(number) { ++alive; }
    counted(const counted& other) : value(other.value) { ++alive; }
    counted(counted&& other) noexcept : value(other.value) {
        other.value = 0;
        ++alive;
    }
    counted& operator=(const counted&) = default;
    counted& operator=(counted&& other) noexcept {
        value = other.value;
        other.value = 0;
        return *this;
    }
    ~counted() { --alive; }
};

template <std::size_t Inline>
constexpr bool behaves() {
    seq<int, Inline> values;
    for (int i = 0; i < 10; ++i) {
        values.push_back(i);
    }
    values.insert(0, -1);
    values.insert(5, 100);
    values.erase(1);
    values.erase_unordered(0);
    const seq<int, Inline> expected{9, 1, 2, 3, 100, 4, 5, 6, 7, 8};
    if (!(values == expected) || !values.contains(100) || values.contains(0)) {
        return false;
    }
    seq<int, Inline> copy = values;
    copy[0] = 7;
    seq<int, Inline> moved = std::move(copy);
    values = moved;
    values.resize(3);
    values.resize(5, 42);
    values.append(view<int>({1, 2}));
    values.pop_back();
    if (!(values == seq<int, Inline>{7, 1, 2, 42, 42, 1}) || moved.size() != 10 || values.front() != 7 ||
        values.back() != 1) {
        return false;
    }
    values.resize(2);
    values.resize(5);  // new values are zeros where others were before
    if (!(values == seq<int, Inline>{7, 1, 0, 0, 0})) {
        return false;
    }
    values.resize_for_overwrite(1);
    values.resize_for_overwrite(100);
    values[99] = 3;
    return values.size() == 100 && values[0] == 7 && values[99] == 3;
}
static_assert(behaves<0>());
static_assert(behaves<1>());
static_assert(behaves<4>());
static_assert(behaves<64>());

}  // namespace

TEST_CASE("sequences behave alike, whatever they keep inside") {
    CHECK(behaves<0>());
    CHECK(behaves<4>());
    CHECK(behaves<64>());
}

TEST_CASE("a sequence destroys its values, inside and outside") {
    {
        seq<counted, 2> values;
        for (int i = 0; i < 5; ++i) {
            values.push_back(counted(i));
        }
        seq<counted, 2> copy = values;
        copy = std::move(values);
        CHECK(copy[4].value == 4);
    }
    CHECK(counted::alive == 0);
}

TEST_CASE("a sequence that was moved from is empty and can be filled again") {
    seq<int, 2> from{1, 2, 3};
    const seq<int, 2> to = std::move(from);
    CHECK(to == seq<int, 2>{1, 2, 3});
    from.push_back(5);  // NOLINT: the moved-from state is part of the contract
    CHECK(from == seq<int, 2>{5});
    seq<int, 4> inside{1, 2};
    const seq<int, 4> taken = std::move(inside);
    CHECK(inside.empty());
    CHECK(taken.size() == 2);
}

TEST_CASE("assigning a sequence to itself leaves it as it is") {
    seq<int> values{1, 2, 3};
    seq<int>& same = values;
    values = same;
    CHECK(values == seq<int>{1, 2, 3});
    values = std::move(same);
    CHECK(values == seq<int>{1, 2, 3});
}

TEST_CASE("shrinking gives up what the values hold") {
    seq<counted> values;
    values.push_back(counted(3));
    values.resize(0);
    values.resize(1);
    CHECK(values[0].value == 0);
}
