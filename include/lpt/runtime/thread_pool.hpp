// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace lpt {

/// A few threads that wait for work: a kernel::parallel_for that owns its threads.
///
/// One caller at a time. The caller's thread works, too; `threads` counts it (>= 1). Threads that wait look for new work for a
/// short time, giving way to others, and then sleep: waking a thread takes about as long as a small layer.
class thread_pool {
    std::vector<std::thread> workers_;
    void (*task_)(void* context, int index) = nullptr;
    void* context_ = nullptr;
    int tasks_ = 0;
    bool stopping_ = false;
    std::atomic<int> next_{0};
    std::atomic<int> working_{0};  // workers that have not finished the current round
    std::atomic<std::uint32_t> round_{0};  // a new number starts the workers

    static constexpr int looks = 4096;
    static constexpr int looks_before_yield = 64;

    static void pause() {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
    /// Waits until the number is another one than `old`.
    template <class Number>
    static void wait_for_change(const std::atomic<Number>& number, Number old) {
        for (int i = 1; i <= looks; ++i) {
            if (number.load(std::memory_order_acquire) != old) {
                return;
            }
            pause();
            if (i % looks_before_yield == 0) {
                std::this_thread::yield();
            }
        }
        number.wait(old, std::memory_order_acquire);
    }

    void take_tasks() {
        for (int index = next_.fetch_add(1, std::memory_order_relaxed); index < tasks_;
             index = next_.fetch_add(1, std::memory_order_relaxed)) {
            task_(context_, index);
        }
    }
    void work() {
        std::uint32_t seen = 0;
        while (true) {
            wait_for_change(round_, seen);
            ++seen;
            if (stopping_) {
                return;
            }
            take_tasks();
            if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                working_.notify_one();
            }
        }
    }
    void start_round() {
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
    }
    static void run_tasks(void* pool, int tasks, void (*task)(void* context, int index), void* context) {
        static_cast<thread_pool*>(pool)->run(tasks, task, context);
    }

public:
    explicit thread_pool(int threads) {
        for (int i = 1; i < threads; ++i) {
            workers_.emplace_back([this] { work(); });
        }
    }
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;
    ~thread_pool() {
        stopping_ = true;
        start_round();
        for (std::thread& each : workers_) {
            each.join();
        }
    }

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    /// Calls task(context, i) once for each i in [0, tasks) and returns when all are done.
    void run(int tasks, void (*task)(void* context, int index), void* context) {
        if (workers_.empty() || tasks < 2) {
            for (int i = 0; i < tasks; ++i) {
                task(context, i);
            }
            return;
        }
        task_ = task;
        context_ = context;
        tasks_ = tasks;
        next_.store(0, std::memory_order_relaxed);
        working_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
        start_round();
        take_tasks();
        for (int left = working_.load(std::memory_order_acquire); left != 0;
             left = working_.load(std::memory_order_acquire)) {
            wait_for_change(working_, left);
        }
    }

    /// What kernels take; valid as long as this pool.
    kernel::parallel_for parallel() { return {this, &run_tasks, threads()}; }
};

}  // namespace lpt
