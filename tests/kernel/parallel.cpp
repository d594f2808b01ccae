// SPDX-License-Identifier: Apache-2.0
#include <lpt/kernel/parallel.hpp>

#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>

using namespace kernel_test;

namespace {

/// What calls a range was cut into, by the task that made them.
struct call {
    std::int64_t begin, end;
    int task;
};

/// Runs the tasks one after the other, the last one first: as if all other threads came late.
void run_last_first(void*, int tasks, void (*task)(void*, int), void* context) {
    for (int i = tasks - 1; i >= 0; --i)
        task(context, i);
}

std::vector<call> calls_of(int threads, std::int64_t count, std::int64_t grain, std::int64_t worth) {
    std::vector<call> calls;
    k::share_out<k::on::scalar>(
        {nullptr, &run_last_first, threads}, count, grain, worth,
        [&](std::int64_t begin, std::int64_t end, int task) { calls.push_back({begin, end, task}); });
    return calls;
}

}  // namespace

TEST_CASE("pieces cover a range once, with borders that are multiples of the grain, at most four a thread") {
    for (const int threads : {1, 2, 3, 5, 64, 65}) {
        for (const std::int64_t count : {1, 2, 31, 96, 1000, 4099}) {
            for (const std::int64_t grain : {1, 4, 12}) {
                for (const std::int64_t worth : {1, 12, 100}) {
                    std::vector<call> calls = calls_of(threads, count, grain, worth);
                    std::sort(calls.begin(), calls.end(),
                              [](const call& a, const call& b) { return a.begin < b.begin; });
                    std::int64_t next = 0;
                    bool fits = calls.size() <= 4 * static_cast<std::size_t>(threads);
                    for (const call& each : calls) {
                        fits = fits && each.begin == next && each.end > next && each.begin % grain == 0 &&
                               each.task >= 0 && each.task < threads;
                        next = each.end;
                    }
                    CAPTURE(threads);
                    CAPTURE(count);
                    CAPTURE(grain);
                    CAPTURE(worth);
                    CHECK(fits);
                    CHECK(next == count);
                }
            }
        }
    }
}

TEST_CASE("a thread does its own pieces first, and then those of threads that come late") {
    const std::vector<call> calls = calls_of(2, 800, 1, 100);
    REQUIRE(calls.size() == 8);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        CHECK(calls[i].task == 1);
        CHECK(calls[i].begin == static_cast<std::int64_t>((i + 4) % 8 * 100));
    }
}

TEST_CASE("a range that is not worth pieces is one part a task, and one call without threads") {
    CHECK(calls_of(2, 800, 1, 300).size() == 2);
    CHECK(calls_of(2, 800, 1, 200).size() == 4);
    std::vector<call> alone;
    k::share_out<k::on::scalar>(
        {}, 800, 1, 1, [&](std::int64_t begin, std::int64_t end, int task) { alone.push_back({begin, end, task}); });
    REQUIRE(alone.size() == 1);
    CHECK(alone[0].end == 800);
}

TEST_CASE("threads take each piece once, and no task is at work twice at once") {
    for (int round = 0; round < 50; ++round) {
        constexpr int tasks = 4;
        std::array<std::atomic<int>, tasks> at_work{};
        std::array<std::atomic<int>, 400> times{};
        std::atomic<bool> alone{true};
        k::share_out<k::on::scalar>(threads(tasks), 400, 1, 1, [&](std::int64_t begin, std::int64_t end, int task) {
            if (at_work[static_cast<std::size_t>(task)].fetch_add(1) != 0) alone = false;
            for (std::int64_t i = begin; i < end; ++i)
                times[static_cast<std::size_t>(i)].fetch_add(1);
            at_work[static_cast<std::size_t>(task)].fetch_sub(1);
        });
        CHECK(alone);
        CHECK(std::all_of(times.begin(), times.end(), [](const std::atomic<int>& each) { return each == 1; }));
    }
}
