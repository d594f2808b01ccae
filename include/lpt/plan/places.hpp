// SPDX-License-Identifier: Apache-2.0
// Where elements lie that an operation moves: the order in which a step takes them, and what that order is.
#pragma once

#include <lpt/plan/steps.hpp>

#include <numeric>
#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::plan::detail {

/// The place in memory of each element of a tensor, in row-major order of its axes.
inline std::vector<std::int32_t> places_of(const shape& dimensions, layout order) {
    std::vector<std::int32_t> result(dimensions.elements());
    if (order == layout::plain) {
        std::iota(result.begin(), result.end(), 0);
        return result;
    }
    const std::vector<std::int64_t> strides = strides_of(dimensions, order);
    std::vector<std::int64_t> index(dimensions.rank(), 0);
    std::int64_t place = 0;
    for (std::int32_t& each : result) {
        each = static_cast<std::int32_t>(place);
        for (std::size_t axis = index.size(); axis-- > 0;) {
            place += strides[axis];
            if (++index[axis] < dimensions[axis]) {
                break;
            }
            place -= dimensions[axis] * strides[axis];
            index[axis] = 0;
        }
    }
    return result;
}

/// 1, 2, 3 … in a tensor: 0 is what is filled in.
template <class Number>
tensor numbers_from_one(element type, const shape& dimensions) {
    tensor_builder result(type, dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        lpt::detail::store(result.data() + i * sizeof(Number), static_cast<Number>(i + 1));
    }
    return result.finish();
}
/// The numbers that a movement left of `numbers_from_one<Number>`.
template <class Number>
std::vector<std::int32_t> numbers_in(const tensor& moved) {
    std::vector<std::int32_t> result(moved.elements());
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = static_cast<std::int32_t>(lpt::detail::load<Number>(moved.data() + i * sizeof(Number)));
    }
    return result;
}

/// The largest block such that whole blocks of the output are whole blocks of the input.
inline std::int64_t block_of(const std::vector<std::int32_t>& from) {
    const auto count = static_cast<std::int64_t>(from.size());
    std::int64_t block = 0;
    std::int64_t run = 0;
    const auto common = [](std::int64_t a, std::int64_t b) {
        while (b != 0) {
            a %= b;
            std::swap(a, b);
        }
        return a;
    };
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t here = from[static_cast<std::size_t>(i)];
        const std::int64_t before = i == 0 ? -2 : from[static_cast<std::size_t>(i - 1)];
        const bool follows = i != 0 && (here < 0 ? before < 0 : before >= 0 && here == before + 1);
        if (!follows) {
            block = common(block, run);
            block = here < 0 ? block : common(block, here);
            run = 0;
        }
        ++run;
        if (block == 1) {
            return 1;
        }
    }
    block = common(block, run);
    return block == 0 ? 1 : block;
}

/// A movement of blocks as runs, if there are at most an eighth as many of them as blocks; else none. `block`: elements of a block.
inline std::vector<block_run> runs_of(const std::vector<std::int32_t>& blocks, std::int64_t block) {
    std::vector<block_run> result;
    const auto count = static_cast<std::int32_t>(blocks.size());
    const auto at = [&](std::int32_t i) { return blocks[static_cast<std::size_t>(i)]; };
    for (std::int32_t i = 0; i < count;) {
        if (result.size() == blocks.size() / 8) {
            return {};
        }
        const bool fills = at(i) < 0;
        block_run run{i, at(i), fills ? 0 : static_cast<std::int32_t>(block), 1};
        if (!fills && i + 1 < count && at(i + 1) >= 0) {
            run.distance = at(i + 1) - run.from;
        }
        while (++i < count && (at(i) < 0) == fills && at(i) == at(i - 1) + run.distance) {
            ++run.count;
        }
        result.push_back(run);
    }
    return result;
}

/// Sets where the blocks of a gather come from: as runs where these are few.
inline void set_sources(gather_step& work, std::vector<std::int32_t> sources) {
    work.runs = runs_of(sources, work.block);
    work.sources = work.runs.empty() ? std::move(sources) : std::vector<std::int32_t>();
}

/// The rows that a movement takes out of wider ones; none if that is not all it does, or if they are of one element.
inline spaced_rows rows_taken_out(const std::vector<std::int32_t>& from) {
    std::size_t length = 1;
    while (length < from.size() && from[length] == from[length - 1] + 1) {
        ++length;
    }
    if (length < 2 || length == from.size() || from.size() % length != 0 || from[0] < 0 || from[length] <= from[0]) {
        return {};
    }
    const std::int64_t distance = std::int64_t{from[length]} - from[0];
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] !=
            from[0] + static_cast<std::int64_t>(i / length) * distance + static_cast<std::int64_t>(i % length)) {
            return {};
        }
    }
    return {static_cast<std::int64_t>(from.size() / length), static_cast<std::int64_t>(length), distance};
}

/// True if the sources of all elements lie one behind the other: they are a part of the input as it is.
inline bool follow_one_another(const std::vector<std::int32_t>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[0] < 0 || from[i] != from[0] + static_cast<std::int32_t>(i)) {
            return false;
        }
    }
    return !from.empty();
}

/// Dense matrices of blocks of 1 or 4 bytes whose transposition this order is, with so many rows and columns that the kernel moves
/// 16 bytes at a time; 0 rows if there are none.
inline kernel::transpose_problem transposition_of(const std::vector<std::int32_t>& from, std::int64_t block,
                                                  std::int64_t element_bytes) {
    kernel::transpose_problem result;
    const std::int64_t bytes = block * element_bytes;
    const std::int64_t count = static_cast<std::int64_t>(from.size()) / block;
    const auto source = [&](std::int64_t i) {
        const std::int64_t first = from[static_cast<std::size_t>(i * block)];
        return first < 0 ? -1 : first / block;
    };
    if ((bytes != 1 && bytes != 4) || count < 4 || source(0) != 0 || source(1) < 2) {
        return result;
    }
    const std::int64_t columns = source(1);
    std::int64_t rows = 1;
    while (rows < count && source(rows) == rows * columns) {
        ++rows;
    }
    const std::int64_t whole = 16 / bytes;
    const auto fits = [&](std::int64_t lines, std::int64_t length) {
        return length >= whole && (lines >= whole || (lines >= 2 && lines <= 4));
    };
    if (!(fits(rows, columns) || fits(columns, rows)) || count % (rows * columns) != 0) {
        return result;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t inside = i % (rows * columns);
        if (source(i) != i - inside + inside % rows * columns + inside / rows) {
            return result;
        }
    }
    result.batch = count / (rows * columns);
    result.rows = rows;
    result.columns = columns;
    result.element_bytes = static_cast<int>(bytes);
    return result;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
