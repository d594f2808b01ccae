// SPDX-License-Identifier: Apache-2.0
// Steps that move bytes from one tensor to another.
#pragma once

#include <lpt/kernel/bind.hpp>
#include <lpt/plan/steps.hpp>
#include <lpt/runtime/run_memory.hpp>

#include <cstring>
#include <type_traits>

namespace lpt::inline LPT_ABI::runtime {

namespace detail {

/// Calls work(begin, end) for parts of [0, count), one for each thread that is worth its round; `bytes`: of all.
template <class Work>
void in_parts(const kernel::parallel_for& parallel, std::size_t count, std::size_t bytes, const Work& work) {
    constexpr std::size_t least_bytes = 16384;  // of a part
    const std::size_t threads =
        parallel.run != nullptr && parallel.threads > 1 ? static_cast<std::size_t>(parallel.threads) : 1;
    const std::size_t worth = bytes / least_bytes < threads ? bytes / least_bytes : threads;
    const std::size_t parts = worth < count ? worth : count;
    if (parts < 2) {
        return work(std::size_t{0}, count);
    }
    struct job {
        const Work& work;
        std::size_t count;
        std::size_t parts;
        static void run(void* context, int index) {
            const job& self = *static_cast<const job*>(context);
            const auto at = static_cast<std::size_t>(index);
            self.work(self.count * at / self.parts, self.count * (at + 1) / self.parts);
        }
    };
    job all{work, count, parts};
    parallel.run(parallel.pool, static_cast<int>(parts), &job::run, &all);
}

/// Copies few bytes, two overlapping moves of one size at a time: a call for each piece would cost more.
inline void copy_piece(std::byte* to, const std::byte* from, std::size_t size) {
    const auto copy = [&](auto block) {
        constexpr std::size_t each = decltype(block)::value;
        for (std::size_t i = 0; i + each <= size; i += each) {
            std::memcpy(to + i, from + i, each);
        }
        std::memcpy(to + size - each, from + size - each, each);
    };
    if (size > 256) {
        std::memcpy(to, from, size);
    } else if (size >= 16) {
        copy(std::integral_constant<std::size_t, 16>());
    } else if (size >= 4) {
        copy(std::integral_constant<std::size_t, 4>());
    } else {
        for (std::size_t i = 0; i < size; ++i) {
            to[i] = from[i];
        }
    }
}

/// Where the blocks of an output lie: `in_row` of them side by side, `distance` bytes from row to row.
struct block_rows {
    std::byte* to;
    std::size_t size;  // bytes of a block
    std::size_t in_row;
    std::size_t distance;

    /// Calls visit(number, count, place) for the blocks from `begin` to before `end` that lie side by side.
    template <class Visit>
    void for_each_part(std::size_t begin, std::size_t end, const Visit& visit) const {
        std::size_t row = begin / in_row;
        for (std::size_t column = begin % in_row; begin < end; column = 0, ++row) {
            const std::size_t count = in_row - column < end - begin ? in_row - column : end - begin;
            visit(begin, count, to + row * distance + column * size);
            begin += count;
        }
    }
};

template <class Block>
void gather_elements(const plan::gather_step& work, const std::byte* from, std::byte* to, std::size_t begin,
                     std::size_t count) {
    Block fill{};
    std::memcpy(&fill, work.fill.data(), sizeof fill);
    const std::int32_t* const sources =
        work.sources.data() + begin;  // bytes that are written might be the vector's own
    for (std::size_t i = 0; i < count; ++i) {
        Block value = fill;
        if (sources[i] >= 0) {
            std::memcpy(&value, from + static_cast<std::size_t>(sources[i]) * sizeof value, sizeof value);
        }
        std::memcpy(to + i * sizeof value, &value, sizeof value);
    }
}

/// Calls work(type) with an unsigned integer as large as an element.
template <class Work>
void with_element(std::int64_t bytes, const Work& work) {
    switch (bytes) {
        case 1: return work(std::uint8_t{});
        case 2: return work(std::uint16_t{});
        case 4: return work(std::uint32_t{});
        default: return work(std::uint64_t{});
    }
}

/// One element again and again.
inline void fill_bytes(const std::vector<std::byte>& element, std::byte* to, std::size_t size) {
    if (element.size() == 1) {
        std::memset(to, static_cast<int>(element[0]), size);
        return;
    }
    for (std::size_t i = 0; i < size; i += element.size()) {
        std::memcpy(to + i, element.data(), element.size());
    }
}

/// Elements at equal distances next to each other.
template <class Element>
void collect(const std::byte* from, std::ptrdiff_t distance, std::byte* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(to + i * sizeof(Element), from + static_cast<std::ptrdiff_t>(i) * distance, sizeof(Element));
    }
}

/// The runs from number `begin` to before `end`.
inline void gather_runs(const plan::gather_step& work, const std::byte* from, const block_rows& rows, std::size_t begin,
                        std::size_t end) {
    const std::size_t size = rows.size;
    for (std::size_t at = begin; at < end; ++at) {
        const plan::block_run run = work.runs[at];
        const std::ptrdiff_t distance = run.distance * work.element_bytes;
        const std::byte* source = from + run.from * work.element_bytes;
        const auto copy = [&](std::size_t, std::size_t count, std::byte* to) {
            if (run.from < 0) {
                fill_bytes(work.fill, to, count * size);
            } else if (run.distance == work.block) {
                copy_piece(to, source, count * size);
            } else if (work.block == 1) {
                with_element(work.element_bytes,
                             [=](auto element) { collect<decltype(element)>(source, distance, to, count); });
            } else {
                for (std::size_t i = 0; i < count; ++i) {
                    copy_piece(to + i * size, source + static_cast<std::ptrdiff_t>(i) * distance, size);
                }
            }
            source += static_cast<std::ptrdiff_t>(count) * distance;
        };
        const auto first = static_cast<std::size_t>(run.to);
        rows.for_each_part(first, first + static_cast<std::size_t>(run.count), copy);
    }
}

/// The blocks from number `begin` to before `end`.
inline void gather_blocks(const plan::gather_step& work, const std::byte* from, const block_rows& rows,
                          std::size_t begin, std::size_t end) {
    const auto copy_blocks = [&](std::size_t number, std::size_t count, std::byte* to) {
        for (std::size_t i = 0; i < count; ++i, to += rows.size) {
            const std::int32_t source = work.sources[number + i];
            if (source >= 0) {
                copy_piece(to, from + source * work.element_bytes, rows.size);
            } else {
                fill_bytes(work.fill, to, rows.size);
            }
        }
    };
    const auto copy_elements = [&](std::size_t number, std::size_t count, std::byte* to) {
        with_element(work.element_bytes,
                     [&](auto element) { gather_elements<decltype(element)>(work, from, to, number, count); });
    };
    if (work.block == 1) {
        rows.for_each_part(begin, end, copy_elements);
    } else {
        rows.for_each_part(begin, end, copy_blocks);
    }
}

}  // namespace detail

/// Blocks of the input in another order.
inline void gather(const plan::gather_step& work, const run_memory& operands, const kernel::parallel_for& parallel) {
    const bool in_runs = !work.runs.empty();
    const std::size_t blocks =
        in_runs ? static_cast<std::size_t>(work.runs.back().to + work.runs.back().count) : work.sources.size();
    const auto size = static_cast<std::size_t>(work.block * work.element_bytes);
    // An element takes as long as a few bytes of a block.
    const std::size_t effort = (work.block == 1 && !in_runs ? 4 : 1) * blocks * size;
    const plan::spaced_rows& rows = operands.rows_of(work.output);
    const std::size_t in_row = rows.exist() ? static_cast<std::size_t>(rows.length / work.block) : blocks;
    const detail::block_rows to{operands.write(work.output), size, in_row,
                                operands.row_bytes(work.output, blocks * size)};
    const std::byte* const from = operands.read(work.input);
    detail::in_parts(parallel, in_runs ? work.runs.size() : blocks, effort, [&](std::size_t begin, std::size_t end) {
        if (in_runs) {
            detail::gather_runs(work, from, to, begin, end);
        } else {
            detail::gather_blocks(work, from, to, begin, end);
        }
    });
}

/// Rows of several tensors next to each other. What lies where it belongs is not copied.
inline void concatenate(const plan::concat_step& work, const run_memory& operands,
                        const kernel::parallel_for& parallel) {
    std::size_t length = 0;  // of a row of the output
    for (const std::size_t each : work.lengths) {
        length += each;
    }
    const std::size_t row_bytes = operands.row_bytes(work.output, length);
    const auto each_to_copy = [&](const auto& visit) {
        const std::byte* const place =
            operands.read(work.output);  // not write(): a part of a network's input has no address for that
        std::size_t offset = 0;
        for (std::size_t i = 0; i < work.inputs.size(); offset += work.lengths[i], ++i) {
            const std::byte* const from = operands.read(work.inputs[i]);
            const std::size_t distance = operands.row_bytes(work.inputs[i], work.lengths[i]);
            if (from != place + offset || (work.rows != 1 && distance != row_bytes)) {
                visit(from, distance, operands.write(work.output) + offset, work.lengths[i]);
            }
        }
    };
    std::size_t bytes = 0;
    each_to_copy([&](const std::byte*, std::size_t, std::byte*, std::size_t size) { bytes += work.rows * size; });
    if (bytes == 0) {
        return;
    }
    detail::in_parts(parallel, work.rows, bytes, [&](std::size_t begin, std::size_t end) {
        each_to_copy([&](const std::byte* from, std::size_t distance, std::byte* to, std::size_t size) {
            for (std::size_t row = begin; row < end; ++row) {
                detail::copy_piece(to + row * row_bytes, from + row * distance, size);
            }
        });
    });
}

/// Blocks of the input that indices choose.
template <class Index>
void choose(const plan::choice_step& work, const run_memory& operands) {
    const auto part = static_cast<std::size_t>(work.size) * work.block_bytes;
    const auto block_bytes = static_cast<std::int64_t>(work.block_bytes);
    const kernel::row_layout places = operands.places_of(work.output, work.block_bytes);
    const std::byte* from = operands.read(work.input);
    const std::byte* const indices = operands.read(work.indices);
    std::byte* const to = operands.write(work.output);
    for (std::int64_t i = 0; i < work.parts; ++i, from += part) {
        const std::byte* at = indices + static_cast<std::size_t>(i / work.parts_of_batch * work.count) * sizeof(Index);
        for (std::int64_t k = 0; k < work.count; ++k, at += sizeof(Index)) {
            Index index;
            std::memcpy(&index, at, sizeof index);
            const std::int64_t block = index < 0 ? index + work.size : index;
            if (block < 0 || block >= work.size) {
                fail({"Gather: index ", static_cast<std::int64_t>(index), " is outside an axis of size ", work.size});
            }
            std::memcpy(to + places.begin(i * work.count + k, block_bytes),
                        from + static_cast<std::size_t>(block) * work.block_bytes, work.block_bytes);
        }
    }
}

/// The input with a margin around its pixels.
inline void add_margin(const plan::margin_step& work, const std::byte* from, std::byte* to) {
    const std::size_t pixel = work.fill.size();
    const auto fill = [&](std::int64_t pixels) {
        for (std::int64_t i = 0; i < pixels; ++i, to += pixel) {
            std::memcpy(to, work.fill.data(), pixel);
        }
    };
    const std::size_t row = static_cast<std::size_t>(work.in[2]) * pixel;
    kernel::for_each_part_of_margin(work, fill, [&] {
        std::memcpy(to, from, row);
        from += row;
        to += row;
    });
}

}  // namespace lpt::inline LPT_ABI::runtime
