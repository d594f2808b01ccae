// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/shared.hpp>

#include <lpt/base/error.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace lpt;

struct witness {
    int* destroyed = nullptr;
    constexpr witness() = default;
    constexpr explicit witness(int* count) : destroyed(count) {}
    constexpr witness(witness&& other) noexcept : destroyed(other.destroyed) { other.destroyed = nullptr; }
    constexpr ~witness() {
        if (destroyed != nullptr) {
            ++*destroyed;
        }
    }
};

constexpr int destructions() {
    int count = 0;
    {
        shared<witness> first(witness{&count});
        shared<witness> second = first;
        first = shared<witness>();
        if (count != 0 || !second || first) {
            return -1;
        }
        const shared<witness> third = std::move(second);
        if (second || !third.same(third)) {
            return -2;
        }
    }
    return count;
}
static_assert(destructions() == 1);

}  // namespace

TEST_CASE("the last owner destroys the value, once") { CHECK(destructions() == 1); }

TEST_CASE("assigning a shared value to itself keeps it") {
    int count = 0;
    shared<witness> value(witness{&count});
    shared<witness>& same = value;
    value = same;
    value = std::move(same);
    CHECK(value);
    CHECK(count == 0);
}

TEST_CASE("owners may come and go on several threads") {
    int count = 0;
    {
        const shared<witness> value(witness{&count});
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&value] {
                for (int k = 0; k < 20000; ++k) {
                    const shared<witness> mine = value;
                    const shared<witness> other = mine;
                }
            });
        }
        for (std::thread& each : threads) {
            each.join();
        }
        CHECK(count == 0);
    }
    CHECK(count == 1);
}

TEST_CASE("an error carries its message joined from parts") {
    try {
        fail({"node '", "x", "' has ", 3, " inputs"});
    } catch (const std::exception& raised) {
        CHECK(std::string(raised.what()) == "node 'x' has 3 inputs");
        return;
    }
    FAIL("no error");
}
