// SPDX-License-Identifier: Apache-2.0
// Cutting a range of independent work into tasks.
#pragma once

#include <lpt/kernel/isa.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// The kernel of a problem of `problems` or `specified_problems`: `static void run(const Problem&, const parallel_for&) noexcept`.
/// Each is a specialization in a header of its own.
template <class Isa, class Problem>
struct kernel_of;

/// Calls f(begin, end, task) for at most `parallel.threads` consecutive parts of [0, count), whose borders are multiples of `grain`.
/// Task numbers count from 0, so a task can own the scratch memory of its number.
template <class Isa, class Function>
inline void split(const parallel_for& parallel, std::int64_t count, std::int64_t grain, const Function& f) noexcept {
    if (count <= 0) return;
    const std::int64_t grains = (count + grain - 1) / grain;
    const std::int64_t wanted = parallel.run != nullptr && parallel.threads > 1 ? parallel.threads : 1;
    const std::int64_t tasks = wanted < grains ? wanted : grains;
    if (tasks == 1) {
        f(std::int64_t{0}, count, 0);
        return;
    }
    struct job {
        const Function* f;
        std::int64_t count, grain, grains, tasks;
        static void run(void* context, int index) {
            const job& self = *static_cast<const job*>(context);
            const std::int64_t begin = self.grains * index / self.tasks * self.grain;
            const std::int64_t past = self.grains * (index + 1) / self.tasks * self.grain;
            (*self.f)(begin, past < self.count ? past : self.count, index);
        }
    };
    job work{&f, count, grain, grains, tasks};
    parallel.run(parallel.pool, static_cast<int>(tasks), &job::run, &work);
}

}  // namespace lpt::inline LPT_ABI::kernel
