// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

/// What changes nothing when it is added, not even the sign of a zero.
inline constexpr double no_shift = -0.0;
inline bool is_no_shift(double value) { return value == 0 && math::sign_bit(value); }
/// A shift that comes before a scaling as one that comes behind it.
inline double scaled_shift(double shift, double scale) { return is_no_shift(shift) ? no_shift : shift * scale; }

/// Numbers that belong to the elements of a tensor by numpy's rule: sizes are the tensor's or 1. One number has no axes.
struct spread {
    lpt::shape dimensions;
    std::vector<double> values{0.0};

    static spread of(double value) { return {lpt::shape{}, {value}}; }

    bool is_one() const { return values.size() == 1; }
    double one() const { return values[0]; }
    bool is(double value) const { return is_one() && values[0] == value; }
    bool is_nothing_to_add() const { return is_one() && is_no_shift(values[0]); }

    /// Equal numbers become one.
    void simplify() {
        for (const double each : values) {
            if (!(each == values[0]) || math::sign_bit(each) != math::sign_bit(values[0])) {
                return;
            }
        }
        values.resize(1);
        dimensions = lpt::shape{};
    }
    /// True if the numbers differ along no axis but `axis`.
    bool varies_only_along(std::size_t axis) const {
        for (std::size_t each = 0; each < dimensions.rank(); ++each) {
            if (each != axis && dimensions[each] != 1) {
                return false;
            }
        }
        return true;
    }
    template <class Function>
    spread map(Function function) const {
        spread result = *this;
        for (double& each : result.values) {
            each = function(each);
        }
        result.simplify();
        return result;
    }
    template <class Test>
    bool all(Test test) const {
        for (const double each : values) {
            if (!test(each)) {
                return false;
            }
        }
        return true;
    }
    /// The stride of each axis in `values`; 0 where the numbers do not vary. `rank` is that of a tensor that has these axes last.
    std::vector<std::int64_t> strides(std::size_t rank) const {
        std::vector<std::int64_t> result(rank, 0);
        std::int64_t stride = 1;
        const std::size_t before = rank - dimensions.rank();
        for (std::size_t axis = dimensions.rank(); axis-- > 0;) {
            result[before + axis] = dimensions[axis] == 1 ? 0 : stride;
            stride *= dimensions[axis];
        }
        return result;
    }
};

/// The numbers of a constant that belong to a tensor of this shape; false if it would enlarge the tensor.
inline bool spread_of(const tensor& constant, const shape& data, spread& result) {
    const shape& own = constant.dimensions();
    const std::size_t rank = data.rank();
    shape aligned = shape::of_ones(rank);
    for (std::size_t i = 0; i < own.rank(); ++i) {
        const dimension size = own[own.rank() - 1 - i];
        if (size == 1) {
            continue;
        }
        if (i >= rank || size != data[rank - 1 - i]) {
            return false;
        }
        aligned[rank - 1 - i] = size;
    }
    const std::size_t count = constant.elements();
    if (count == 0) {
        return false;
    }
    result.dimensions = aligned;
    result.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        result.values[i] = constant.real(i);
    }
    result.simplify();
    return true;
}

/// function(left, right), element by element; false if that has more numbers than both, as a row and a column.
template <class Function>
bool combine(const spread& left, const spread& right, spread& result, Function function) {
    if (left.is_one() || right.is_one()) {
        const spread& larger = left.is_one() ? right : left;
        spread made = larger;
        for (std::size_t i = 0; i < made.values.size(); ++i) {
            made.values[i] = function(left.values[left.is_one() ? 0 : i], right.values[right.is_one() ? 0 : i]);
        }
        made.simplify();
        result = std::move(made);
        return true;
    }
    shape merged;
    if (!broadcast_shapes(left.dimensions, right.dimensions, merged)) {
        return false;
    }
    const std::size_t count = merged.elements();
    if (count > left.values.size() && count > right.values.size()) {
        return false;
    }
    const std::size_t rank = merged.rank();
    const std::vector<std::int64_t> a = left.strides(rank);
    const std::vector<std::int64_t> b = right.strides(rank);
    std::vector<std::int64_t> at(rank, 0);
    spread made{merged, std::vector<double>(count)};
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t from_a = 0;
        std::int64_t from_b = 0;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            from_a += at[axis] * a[axis];
            from_b += at[axis] * b[axis];
        }
        made.values[i] =
            function(left.values[static_cast<std::size_t>(from_a)], right.values[static_cast<std::size_t>(from_b)]);
        for (std::size_t axis = rank; axis-- > 0;) {
            if (++at[axis] < merged[axis]) {
                break;
            }
            at[axis] = 0;
        }
    }
    made.simplify();
    result = std::move(made);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
