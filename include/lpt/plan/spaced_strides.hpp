// SPDX-License-Identifier: Apache-2.0
// Strides of loops over a tensor whose rows are moved apart.
#pragma once

#include <lpt/plan/moving_steps.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lpt::inline LPT_ABI::plan::detail {

/// One loop of a step over a tensor.
struct loop_axis {
    std::int64_t size = 1;
    std::int64_t stride = 0;
};

/// What strides over a dense tensor become when its rows have gaps between them. A loop either stays in a row or goes from row to row.
class spaced_strides {
    spaced_rows rows_;

    bool goes_from_row_to_row(const loop_axis& axis) const { return axis.size > 1 && axis.stride >= rows_.length; }

public:
    explicit spaced_strides(const spaced_rows& rows) : rows_(rows) {}

    std::int64_t operator()(std::int64_t stride) const {
        return stride / rows_.length * rows_.distance + stride % rows_.length;
    }

    /// True if these loops, with `unit` elements side by side at each place, walk such a tensor from element `first` on.
    bool fit(const std::vector<loop_axis>& axes, std::int64_t unit, std::int64_t first = 0) const {
        std::int64_t last = first % rows_.length + unit - 1;  // of the row
        for (const loop_axis& axis : axes) {
            if (goes_from_row_to_row(axis)) {
                if (axis.stride % rows_.length != 0) {
                    return false;
                }
            } else {
                last += (axis.size - 1) * axis.stride;
            }
        }
        return last < rows_.length;
    }
    bool fit_at(const std::vector<std::int64_t>& firsts, const std::vector<loop_axis>& axes, std::int64_t unit) const {
        bool result = true;
        for (const std::int64_t first : firsts) {
            result = result && fit(axes, unit, first);
        }
        return result;
    }

    /// The axes of a dense tensor, each in one of two lists; an axis that goes through a row and on to the next becomes two. False if a
    /// list has no room, an axis ends inside of a row, or rows are of one element: then no axis would have the stride 1.
    bool divide(kernel::axis_list& some, kernel::axis_list& others) const {
        return rows_.length > 1 && divide(some) && divide(others);
    }

private:
    bool divide(kernel::axis_list& axes) const {
        kernel::axis_list result;
        const auto add = [&](std::int64_t size, std::int64_t stride) {
            if (result.count < kernel::axis_list::most) {
                result.sizes[result.count] = size;
                result.strides[result.count] = stride;
            }
            ++result.count;
        };
        for (std::int64_t i = 0; i < axes.count; ++i) {
            const loop_axis axis{axes.sizes[i], axes.strides[i]};
            const std::int64_t reach = axis.size * axis.stride;
            if (axis.size == 1 || reach <= rows_.length) {
                add(axis.size, axis.stride);
            } else if (axis.stride >= rows_.length && axis.stride % rows_.length == 0) {
                add(axis.size, (*this)(axis.stride));
            } else if (rows_.length % axis.stride == 0 && reach % rows_.length == 0) {
                add(reach / rows_.length, rows_.distance);
                add(rows_.length / axis.stride, axis.stride);
            } else {
                return false;
            }
        }
        axes = result;
        return result.count <= kernel::axis_list::most;
    }
};

}  // namespace lpt::inline LPT_ABI::plan::detail
