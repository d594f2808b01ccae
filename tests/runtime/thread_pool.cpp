// SPDX-License-Identifier: Apache-2.0
#include <lpt/runtime/thread_pool.hpp>

#include <doctest/doctest.h>

#include <stdexcept>

namespace {

/// How often each task was called.
struct call_counts {
    std::vector<std::atomic<int>> of_task = std::vector<std::atomic<int>>(100);

    static void count(void* counts, int index) {
        ++static_cast<call_counts*>(counts)->of_task[static_cast<std::size_t>(index)];
    }
    bool are(int tasks, int calls) const {
        bool all = true;
        for (int i = 0; i < static_cast<int>(of_task.size()); ++i) {
            all = all && of_task[static_cast<std::size_t>(i)] == (i < tasks ? calls : 0);
        }
        return all;
    }
};

}  // namespace

TEST_CASE("A thread pool runs every task of every round once") {
    for (int threads = 1; threads <= 8; ++threads) {
        lpt::thread_pool pool(threads);
        const lpt::kernel::parallel_for parallel = pool.parallel();
        CHECK(parallel.threads == threads);
        for (const int tasks : {0, 1, 2, 3, threads, 100}) {
            call_counts counts;
            for (int round = 0; round < 50; ++round) {
                parallel.run(parallel.pool, tasks, &call_counts::count, &counts);
            }
            CHECK(counts.are(tasks, 50));
        }
    }
}

TEST_CASE("A thread pool runs every task once after its threads went to sleep") {
    lpt::thread_pool pool(4);
    call_counts counts;
    for (int round = 0; round < 20; ++round) {
        std::this_thread::sleep_for(std::chrono::microseconds(round * 200));
        pool.run(8, &call_counts::count, &counts);
    }
    CHECK(counts.are(8, 20));
}

TEST_CASE("What tasks write is seen after the round, and what was written before it is seen by tasks") {
    lpt::thread_pool pool(8);
    struct sums {
        std::uint64_t of[8];
    } values{};  // no atomics: the rounds alone put accesses in order
    for (int round = 0; round < 2000; ++round) {
        pool.run(8, [](void* context, int index) { ++static_cast<sums*>(context)->of[index]; }, &values);
        for (std::uint64_t& value : values.of) {
            value += 2;
        }
    }
    for (const std::uint64_t value : values.of) {
        CHECK(value == 6000);
    }
}

TEST_CASE("A thread pool whose caller finishes all tasks does not wait for the others") {
    lpt::thread_pool pool(8);
    call_counts counts;
    for (int round = 0; round < 20000; ++round) {  // rounds that are mostly closed before others come
        pool.run(2, &call_counts::count, &counts);
    }
    CHECK(counts.are(2, 20000));
}

TEST_CASE("Calls from within a task run on its thread") {
    lpt::thread_pool pool(4);
    struct nested {
        lpt::thread_pool& pool;
        call_counts counts;
        std::atomic<int> elsewhere{0};
        static void run(void* context, int) {
            struct inner {
                nested& all;
                std::thread::id thread;
            } own{*static_cast<nested*>(context), std::this_thread::get_id()};
            own.all.pool.run(
                10,
                [](void* given, int index) {
                    inner& self = *static_cast<inner*>(given);
                    self.all.elsewhere += self.thread != std::this_thread::get_id() ? 1 : 0;
                    call_counts::count(&self.all.counts, index);
                },
                &own);
        }
    } work{pool, {}};
    pool.run(20, &nested::run, &work);
    CHECK(work.counts.are(10, 20));
    CHECK(work.elsewhere == 0);
}

TEST_CASE("Several threads may call a thread pool at once") {
    lpt::thread_pool pool(3);
    call_counts counts;
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&] {
            for (int round = 0; round < 500; ++round) {
                pool.run(7, &call_counts::count, &counts);
            }
        });
    }
    for (std::thread& caller : callers) {
        caller.join();
    }
    CHECK(counts.are(7, 2000));
}

TEST_CASE("The first exception of a task comes out of the call, and the thread pool goes on") {
    for (const int threads : {1, 2, 8}) {
        lpt::thread_pool pool(threads);
        call_counts counts;
        for (int round = 0; round < 200; ++round) {
            std::atomic<int> begun{0};
            const auto task = [](void* context, int index) {
                ++*static_cast<std::atomic<int>*>(context);
                if (index % 2 != 0) {
                    throw std::runtime_error("odd");
                }
            };
            CHECK_THROWS_WITH_AS(pool.run(1000, task, &begun), "odd", std::runtime_error);
            CHECK(begun >= 2);
            pool.run(5, &call_counts::count, &counts);
        }
        CHECK(counts.are(5, 200));
    }
}

TEST_CASE("A thread pool has at least one thread") {
    CHECK_THROWS_WITH_AS(lpt::thread_pool(0), "thread pool: expected 1 to 65535 threads, not 0", lpt::error);
}
