// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace lpt {

/// A few threads that wait for work: a kernel::parallel_for that owns its threads.
///
/// One caller at a time. The caller's thread works, too; `threads` counts it (>= 1).
class thread_pool {
    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    void (*task_)(void* context, int index) = nullptr;
    void* context_ = nullptr;
    int tasks_ = 0;
    std::atomic<int> next_{0};
    int working_ = 0;            // workers that have not finished the current round
    std::uint64_t round_ = 0;
    bool stopping_ = false;

    void take_tasks() {
        for (int index = next_.fetch_add(1); index < tasks_; index = next_.fetch_add(1)) {
            task_(context_, index);
        }
    }
    void work() {
        std::uint64_t seen = 0;
        std::unique_lock lock(mutex_);
        while (true) {
            wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
            if (stopping_) {
                return;
            }
            seen = round_;
            lock.unlock();
            take_tasks();
            lock.lock();
            if (--working_ == 0) {
                done_.notify_one();
            }
        }
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
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
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
        {
            const std::lock_guard lock(mutex_);
            task_ = task;
            context_ = context;
            tasks_ = tasks;
            next_ = 0;
            working_ = static_cast<int>(workers_.size());
            ++round_;
        }
        wake_.notify_all();
        take_tasks();
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return working_ == 0; });
    }

    /// What kernels take; valid as long as this pool.
    kernel::parallel_for parallel() { return {this, &run_tasks, threads()}; }
};

}  // namespace lpt
