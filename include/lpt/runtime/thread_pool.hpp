// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/error.hpp>
#include <lpt/kernel/rows.hpp>
#include <lpt/runtime/processor_affinity.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

namespace lpt::inline LPT_ABI {

/// A few threads that wait for work: a kernel::parallel_for that owns its threads.
///
/// `threads` (>= 1) counts the caller's thread, which works, too. Who finishes the last task does not wait for threads that have not begun: a
/// call lasts as long as its tasks, also when the other threads sleep. Threads that have nothing to do look for work for a short
/// time and then sleep: waking one takes about as long as a small layer. Systems like to wake a thread on the
/// processor of the one that calls for it, where it waits for milliseconds; one that was last there is kept away from it.
/// A call from within a task, or while another thread's call is running, runs its tasks one after the other on its own thread.
/// Errors: the first exception that a task throws comes out of `run`, after all tasks that have begun; the others are left out.
class thread_pool {
    // The state is one number: the round, whether threads may still enter it, and how many are inside.
    static constexpr std::uint32_t one_inside = 1;
    static constexpr std::uint32_t inside_bits = 0xffff;
    static constexpr std::uint32_t open_bit = 1u << 16;
    static constexpr std::uint32_t caller_sleeps_bit = 1u << 17;
    static constexpr std::uint32_t stopping_bit = 1u << 18;
    static constexpr std::uint32_t one_round = 1u << 19;

    static constexpr std::chrono::microseconds longest_look{500};
    static constexpr int looks_between_times = 16;
    static constexpr int looks_before_giving_way = 512;  // of the caller, about 20 microseconds

    struct worker {
        std::thread thread;
        std::atomic<int> processor{-1};  // where it was last seen; -1: not since it was sent away
        int forbidden = -1;  // the processor that it was sent away from
    };

    alignas(64) std::atomic<std::uint32_t> state_{0};
    alignas(64) std::atomic<int> next_{0};
    std::atomic<bool> failed_{false};
    alignas(64) std::atomic<bool> busy_{false};
    // Of the current round; written while nobody is inside.
    void (*task_)(void* context, int index) = nullptr;
    void* context_ = nullptr;
    int tasks_ = 0;
    std::exception_ptr error_;
    std::vector<worker> workers_;
    const runtime::processor_set processors_ = runtime::processor_set::of_this_thread();

    static void pause() {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
    /// Looks at the state until `is_over(state)`, for a limited time; gives what it saw last. `between(looks)` is called now and then.
    template <class Condition, class Between>
    std::uint32_t look_until(const Condition& is_over, const Between& between) const {
        std::uint32_t state = state_.load(std::memory_order_acquire);
        if (is_over(state)) {
            return state;
        }
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 1; !is_over(state); ++i) {
            if (i % looks_between_times == 0) {
                if (std::chrono::steady_clock::now() - begin > longest_look) {
                    break;
                }
                between(i);
            }
            pause();
            state = state_.load(std::memory_order_acquire);
        }
        return state;
    }

    void take_tasks() {
        try {
            for (int index = next_.fetch_add(1, std::memory_order_relaxed); index < tasks_;
                 index = next_.fetch_add(1, std::memory_order_relaxed)) {
                task_(context_, index);
            }
        } catch (...) {
            next_.store(tasks_, std::memory_order_relaxed);
            if (!failed_.exchange(true, std::memory_order_relaxed)) {
                error_ = std::current_exception();
            }
        }
    }

    // -- the other threads

    static bool is_new(std::uint32_t state, std::uint32_t seen) {
        const bool is_other_round = state / one_round != seen / one_round;
        return (state & stopping_bit) != 0 || ((state & open_bit) != 0 && is_other_round);
    }
    void work(std::atomic<int>& processor) {
        const auto report = [&](int) {
            const int now = runtime::current_processor();
            if (processor.load(std::memory_order_relaxed) != now) {
                processor.store(now, std::memory_order_relaxed);
            }
        };
        std::uint32_t seen = 0;
        while (true) {
            report(0);
            std::uint32_t state = look_until([&](std::uint32_t now) { return is_new(now, seen); }, report);
            while (!is_new(state, seen)) {
                state_.wait(state, std::memory_order_acquire);
                state = state_.load(std::memory_order_acquire);
            }
            if ((state & stopping_bit) != 0) {
                return;
            }
            if (state_.compare_exchange_strong(state, state + one_inside, std::memory_order_acquire,
                                               std::memory_order_relaxed)) {
                seen = state;
                take_tasks();
                leave();
            }
        }
    }
    void leave() {
        const std::uint32_t state = state_.fetch_sub(one_inside, std::memory_order_release) - one_inside;
        if ((state & inside_bits) == 0 && (state & caller_sleeps_bit) != 0) {
            state_.notify_all();
        }
    }
    void stop() {
        state_.fetch_or(stopping_bit, std::memory_order_release);
        state_.notify_all();
        for (worker& each : workers_) {
            if (each.thread.joinable()) {
                each.thread.join();
            }
        }
    }

    // -- the caller

    void keep_processor_free() {
        const int here = runtime::current_processor();
        for (worker& each : workers_) {
            if (each.forbidden == here) {
                continue;
            }
            const int there = each.processor.load(std::memory_order_relaxed);
            if (there == here || there < 0) {
                each.processor.store(-1, std::memory_order_relaxed);
                each.forbidden = here;
                processors_.assign_without(here, each.thread);
            }
        }
    }
    void open_round() {
        const std::uint32_t round = state_.load(std::memory_order_relaxed) / one_round + 1;
        state_.store(round * one_round + open_bit, std::memory_order_release);
        state_.notify_all();
    }
    /// No thread enters any more; waits for those inside.
    void close_round() {
        state_.fetch_and(~open_bit, std::memory_order_relaxed);
        const auto is_empty = [](std::uint32_t state) { return (state & inside_bits) == 0; };
        // A thread that is inside for much longer may wait for this very processor. Threads that look for work do not give way: with
        // other programs around, they would come back milliseconds later.
        const auto give_way = [](int looks) {
            if (looks > looks_before_giving_way) {
                std::this_thread::yield();
            }
        };
        if (is_empty(look_until(is_empty, give_way))) {
            return;
        }
        std::uint32_t state = state_.fetch_or(caller_sleeps_bit, std::memory_order_relaxed) | caller_sleeps_bit;
        while (!is_empty(state)) {
            state_.wait(state, std::memory_order_acquire);
            state = state_.load(std::memory_order_acquire);
        }
    }
    static int checked(int threads) {
        if (threads < 1 || threads > static_cast<int>(inside_bits)) {
            fail({"thread pool: expected 1 to ", static_cast<int>(inside_bits), " threads, not ", threads});
        }
        return threads;
    }
    static void run_alone(int tasks, void (*task)(void* context, int index), void* context) {
        for (int i = 0; i < tasks; ++i) {
            task(context, i);
        }
    }
    static void run_tasks(void* pool, int tasks, void (*task)(void* context, int index), void* context) {
        static_cast<thread_pool*>(pool)->run(tasks, task, context);
    }

public:
    explicit thread_pool(int threads) : workers_(static_cast<std::size_t>(checked(threads) - 1)) {
        try {
            for (worker& each : workers_) {
                each.thread = std::thread([this, &each] { work(each.processor); });
            }
        } catch (...) {
            stop();
            throw;
        }
    }
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;
    ~thread_pool() { stop(); }

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    /// Calls task(context, i) once for each i in [0, tasks) and returns when all are done.
    void run(int tasks, void (*task)(void* context, int index), void* context) {
        if (workers_.empty() || tasks < 2 || busy_.exchange(true, std::memory_order_acquire)) {
            run_alone(tasks, task, context);
            return;
        }
        task_ = task;
        context_ = context;
        tasks_ = tasks;
        next_.store(0, std::memory_order_relaxed);
        keep_processor_free();
        open_round();
        take_tasks();
        close_round();
        std::exception_ptr error;
        if (failed_.load(std::memory_order_relaxed)) {
            error = std::move(error_);
            error_ = nullptr;
            failed_.store(false, std::memory_order_relaxed);
        }
        busy_.store(false, std::memory_order_release);
        if (error != nullptr) {
            std::rethrow_exception(error);
        }
    }

    /// What kernels take; valid as long as this pool.
    kernel::parallel_for parallel() { return {this, &run_tasks, threads()}; }
};

}  // namespace lpt::inline LPT_ABI
