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

namespace detail {

/// A range of pieces that several tasks take from. Each begins with its own share, which is next to what it did in the layer before, and then helps
/// those whose share is not done.
template <class Isa>
struct shared_pieces {
    static constexpr std::int64_t most_tasks = 64;

    struct alignas(64) cursor {
        std::int64_t next;
        std::int64_t end;
    };
    cursor of_task[most_tasks];
    int tasks;

    void start(std::int64_t pieces, int count) noexcept {
        tasks = count;
        for (int task = 0; task < tasks; ++task)
            of_task[task] = {pieces * task / tasks, pieces * (task + 1) / tasks};
    }
    /// Calls f(piece) for every piece that nobody else takes.
    template <class Function>
    void take(int task, const Function& f) noexcept {
        for (int i = 0; i < tasks; ++i) {
            cursor& from = of_task[(task + i) % tasks];
            while (__atomic_load_n(&from.next, __ATOMIC_RELAXED) < from.end) {
                const std::int64_t piece = __atomic_fetch_add(&from.next, 1, __ATOMIC_RELAXED);
                if (piece >= from.end) break;
                f(piece);
            }
        }
    }
};

}  // namespace detail

/// As `split`, but where there is much to do, each task's part is cut into up to four pieces, which go to whoever is free: a thread that
/// comes late, or whose processor is slower, leaves some of its pieces to the others. f(begin, end, task) is called for each piece, never twice at once
/// with the same task. `worth`: how much of the range a piece has at least, some ten microseconds: pieces cost more than parts
/// that stay in one cache.
template <class Isa, class Function>
inline void share_out(const parallel_for& parallel, std::int64_t count, std::int64_t grain, std::int64_t worth,
                      const Function& f) noexcept {
    constexpr std::int64_t most_pieces = 4;  // of a task
    const std::int64_t threads = parallel.run == nullptr ? 1 : parallel.threads;
    const std::int64_t worth_of_task = count / (threads * (worth < grain ? grain : worth));
    if (threads < 2 || threads > detail::shared_pieces<Isa>::most_tasks || worth_of_task < 2) {
        split<Isa>(parallel, count, grain, f);
        return;
    }
    const std::int64_t pieces = threads * (worth_of_task < most_pieces ? worth_of_task : most_pieces);
    const std::int64_t grains = (count + grain - 1) / grain;
    detail::shared_pieces<Isa> all;
    all.start(pieces, parallel.threads);
    split<Isa>(parallel, threads, 1, [&](std::int64_t, std::int64_t, int task) {
        all.take(task, [&](std::int64_t piece) {
            const std::int64_t begin = grains * piece / pieces * grain;
            const std::int64_t past = grains * (piece + 1) / pieces * grain;
            f(begin, past < count ? past : count, task);
        });
    });
}
/// The same for a grain that is worth a task, a microsecond.
template <class Isa, class Function>
inline void share_out(const parallel_for& parallel, std::int64_t count, std::int64_t grain,
                      const Function& f) noexcept {
    share_out<Isa>(parallel, count, grain, 32 * grain, f);
}

}  // namespace lpt::inline LPT_ABI::kernel
