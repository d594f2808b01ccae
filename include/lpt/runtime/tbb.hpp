// SPDX-License-Identifier: Apache-2.0
// oneTBB's threads for the kernels. Empty unless LPT_TBB is defined, as linking lpt::tbb does.
#pragma once

#if defined(LPT_TBB)

#include <lpt/kernel/rows.hpp>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace lpt::inline LPT_ABI {

/// A kernel::parallel_for that runs tasks on oneTBB's threads, for `compile_options::parallel`.
///
/// `threads`: how many tasks a kernel cuts its work into; by default as many as the calling thread's arena has. No result depends on it.
inline kernel::parallel_for tbb_parallel(int threads = tbb::this_task_arena::max_concurrency()) {
    const auto run = [](void*, int tasks, void (*task)(void* context, int index), void* context) {
        tbb::parallel_for(0, tasks, [&](int index) { task(context, index); });
    };
    return {nullptr, run, threads < 1 ? 1 : threads};
}

}  // namespace lpt::inline LPT_ABI

#endif
