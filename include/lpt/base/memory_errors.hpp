// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/error.hpp>

namespace lpt::inline LPT_ABI::detail {

/// Does some work; where memory cannot be had for it, raises an `lpt::error` that begins with `name()` and says how much. Where errors are
/// not thrown, the handler gets the line about memory as it is.
template <class Work, class Name>
constexpr auto naming_memory(const Work& work, [[maybe_unused]] const Name& name) -> decltype(work()) {
#if LPT_THROWS
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

}  // namespace lpt::inline LPT_ABI::detail
