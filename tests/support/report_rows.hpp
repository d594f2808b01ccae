// SPDX-License-Identifier: Apache-2.0
// The row of a report that a test asks about.
#pragma once

#include <lpt/pipeline/report.hpp>

namespace lpt::test {

/// Raises lpt::error if no operation has the name.
inline const report_row& row_of(const report& all, text_view name) {
    for (const report_row& each : all.operations) {
        if (each.name == name) {
            return each;
        }
    }
    fail({"the report has no operation ", name});
}

}  // namespace lpt::test
