// SPDX-License-Identifier: Apache-2.0
#include <lpt/runtime/thread_pool.hpp>

#include <doctest/doctest.h>

TEST_CASE("A thread pool runs every task of every round once") {
    for (const int threads : {1, 2, 5}) {
        lpt::thread_pool pool(threads);
        const lpt::kernel::parallel_for parallel = pool.parallel();
        CHECK(parallel.threads == threads);
        for (const int tasks : {0, 1, 3, 100}) {
            std::vector<std::atomic<int>> counts(100);
            for (int round = 0; round < 50; ++round) {
                parallel.run(
                    parallel.pool, tasks,
                    [](void* context, int index) {
                        ++(*static_cast<std::vector<std::atomic<int>>*>(context))[static_cast<std::size_t>(index)];
                    },
                    &counts);
            }
            for (int i = 0; i < 100; ++i) {
                CHECK(counts[static_cast<std::size_t>(i)] == (i < tasks ? 50 : 0));
            }
        }
    }
}
