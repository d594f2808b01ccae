// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <thread>

#if defined(__linux__) && __has_include(<features.h>)
#include <features.h>
#endif
#if defined(__GLIBC__)
#define LPT_HAS_AFFINITY 1
#include <pthread.h>
#include <sched.h>
#else
#define LPT_HAS_AFFINITY 0
#endif

namespace lpt::inline LPT_ABI::runtime {

/// The processor that this thread runs on, or -1 where the system does not tell.
inline int current_processor() {
#if LPT_HAS_AFFINITY
    return sched_getcpu();
#else
    return -1;
#endif
}

/// The processors that some thread may use.
class processor_set {
#if LPT_HAS_AFFINITY
    cpu_set_t set_{};
#endif

public:
    /// Those of this thread; none where the system does not tell.
    static processor_set of_this_thread() {
        processor_set result;
#if LPT_HAS_AFFINITY
        if (sched_getaffinity(0, sizeof result.set_, &result.set_) != 0) {
            CPU_ZERO(&result.set_);
        }
#endif
        return result;
    }

    /// Lets a thread use this set without one processor; changes nothing if that leaves none, or where threads have no such sets.
    void assign_without([[maybe_unused]] int processor, [[maybe_unused]] std::thread& thread) const {
#if LPT_HAS_AFFINITY
        cpu_set_t rest = set_;
        CPU_CLR(static_cast<std::size_t>(processor), &rest);
        if (CPU_COUNT(&rest) != 0) {
            // A refusal leaves the thread where it was, which costs time alone.
            static_cast<void>(pthread_setaffinity_np(thread.native_handle(), sizeof rest, &rest));
        }
#endif
    }
};

}  // namespace lpt::inline LPT_ABI::runtime

#undef LPT_HAS_AFFINITY
