// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/error.hpp>

namespace lpt::detail {

/// Does some work; where memory cannot be had for it, raises an `lpt::error` that begins with `name()` and says how much.
template <class Work, class Name>
constexpr auto naming_memory(const Work& work, [[maybe_unused]] const Name& name) -> decltype(work()) {
#if defined(__cpp_exceptions)
    if (!lpt::is_constant_evaluated()) {
        try {
            return work();
        } catch (const memory_error& raised) {
            fail({name(), ": ", raised.what()});
        } catch (const std::bad_alloc&) {  // of the standard library's containers, which do not say how much
            fail({name(), ": the memory that it needs cannot be allocated"});
        }
    }
#endif
    return work();
}

}  // namespace lpt::detail
