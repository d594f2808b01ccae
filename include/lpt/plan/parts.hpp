// SPDX-License-Identifier: Apache-2.0
// Parts of tensors where the whole lies: what a Concat joins is written where it would put it, what a Split takes out is read where it is.
#pragma once

#include <lpt/plan/spaced_rows.hpp>

#include <algorithm>
#include <variant>
#include <vector>

namespace lpt::inline LPT_ABI::plan::detail {

/// Finds which blocks become parts of others. Lifetimes are known; steps that may write where they read do.
///
/// A block becomes a part where a Concat reads the whole of it once, the Concat's output is that block and others next to each other, and
/// nothing that reads either finds bytes of the other's. Where they lie one behind the other, that is all; where each row of the output has a
/// part of each, all steps that touch the block must take rows with gaps between them. Concats are visited from the last to the first, so
/// that a part of a part is placed in the outermost block at once: time grows with the number of tensors that steps read and write.
///
/// What a Split or Slice takes out of each row becomes a part of its input in the same way, where nothing writes either afterwards.
class part_planner {
    struct history {
        std::vector<step_id> writers;
        std::vector<step_id> readers;
        storage_id whole = storage_id::none;  // the block that this one became a part of
        std::size_t offset = 0;
        bool is_rewritten = false;  // or a block around it, when the Concat that joined them is over
        bool has_views = false;  // of parts of its rows
        bool is_refused = false;  // by a Concat that would have put gaps between its rows
    };

    network& net_;
    std::vector<history> blocks_;  // by storage

    history& of(storage_id id) { return blocks_[index_of(id)]; }
    storage_id outermost_of(storage_id block) {
        while (of(block).whole != storage_id::none) {
            block = of(block).whole;
        }
        return block;
    }
    storage_id whole_of(tensor_id tensor) { return outermost_of(net_[tensor].storage); }
    void find_history() {
        for (std::size_t i = 0; i < net_.steps.size(); ++i) {
            for (const tensor_id tensor : net_.steps[i].reads) {
                of(net_[tensor].storage).readers.push_back(id_at<step_id>(i));
            }
            for (const tensor_id tensor : net_.steps[i].writes) {
                of(net_[tensor].storage).writers.push_back(id_at<step_id>(i));
            }
        }
    }
    bool is_whole(tensor_id tensor, std::size_t bytes) const {
        const storage& block = net_[net_[tensor].storage];
        return block.where == area::arena && net_[tensor].offset == 0 && block.bytes == bytes;
    }
    /// Kernels may read, and drop, some bytes behind their input: no other thread of the same step may write them meanwhile.
    bool has_readers_that_write(storage_id part, storage_id whole, step_id concat) {
        const auto is_inside = [&](tensor_id tensor) { return whole_of(tensor) == whole; };
        for (const step_id writer : of(part).writers) {
            if (std::ranges::any_of(net_[writer].reads, is_inside)) {
                return true;
            }
        }
        return std::ranges::any_of(of(part).readers, [&](step_id reader) {
            return reader != concat && std::ranges::any_of(net_[reader].writes, is_inside);
        });
    }

    // ---- rows with gaps between them

    /// Calls visit(step, tensor) for all that steps read and write of a block.
    template <class Visit>
    void each_use_of(storage_id block, const Visit& visit) {
        for (const std::vector<step_id>* steps : {&of(block).writers, &of(block).readers}) {
            for (const step_id id : *steps) {
                step& each = net_[id];
                for (const std::vector<tensor_id>* tensors : {&each.reads, &each.writes}) {
                    for (const tensor_id tensor : *tensors) {
                        if (net_[tensor].storage == block) {
                            visit(each, tensor);
                        }
                    }
                }
            }
        }
    }
    /// Rows of so many bytes in elements of a tensor; none if they are not whole.
    spaced_rows in_elements(tensor_id tensor, std::size_t count, std::size_t length, std::size_t distance) const {
        const std::size_t size = byte_size(net_[tensor].type, 1);
        if (bit_width(net_[tensor].type) < 8 || length % size != 0 || distance % size != 0) {
            return {};
        }
        return {static_cast<std::int64_t>(count), static_cast<std::int64_t>(length / size),
                static_cast<std::int64_t>(distance / size)};
    }
    bool all_take_rows(storage_id block, std::size_t count, std::size_t length, std::size_t distance) {
        bool result = !of(block).has_views;
        each_use_of(block, [&](const step& each, tensor_id tensor) {
            result = result && takes_rows(each, tensor, in_elements(tensor, count, length, distance));
        });
        return result;
    }
    void space(storage_id block, std::size_t count, std::size_t length, std::size_t distance) {
        each_use_of(block, [&](step& each, tensor_id tensor) {
            const spaced_rows rows = in_elements(tensor, count, length, distance);
            space_rows(each, tensor, rows);
            net_[tensor].rows = rows;
        });
    }

    // ---- Concat

    bool may_join(const concat_step& work, std::size_t input, std::size_t distance, step_id concat) {
        const storage_id block = net_[work.inputs[input]].storage;
        const storage& part = net_[block];
        history& mine = of(block);
        if (!is_whole(work.inputs[input], work.lengths[input] * work.rows) || mine.whole != storage_id::none ||
            mine.is_refused || block == net_[work.output].storage || mine.writers.empty() ||
            mine.writers.back() >= concat) {
            return false;
        }
        const bool stays = part.last_step <= concat || !of(net_[work.output].storage).is_rewritten;
        const bool joins = stays &&
                           (work.rows == 1 || all_take_rows(block, work.rows, work.lengths[input], distance)) &&
                           !has_readers_that_write(block, whole_of(work.output), concat);
        mine.is_refused = work.rows != 1 && !joins;
        return joins;
    }
    void join(storage_id part, storage_id around, std::size_t offset) {
        history& mine = of(part);
        const storage_id outermost = outermost_of(around);
        mine.whole = outermost;
        mine.offset = of(around).offset + offset;
        mine.is_rewritten = of(around).is_rewritten;
        storage& whole = net_[outermost];
        whole.first_step = std::min(whole.first_step, net_[part].first_step);
        whole.last_step = std::max(whole.last_step, net_[part].last_step);
        net_[part].bytes = 0;
    }
    void visit_concat(const concat_step& work, step_id concat) {
        const storage_id around = net_[work.output].storage;
        if (net_[around].where != area::arena || of(around).writers.front() != concat) {
            return;
        }
        of(around).is_rewritten = of(around).is_rewritten || of(around).writers.back() > concat;
        const std::size_t row = row_bytes_of(net_, work);
        std::size_t offset = 0;
        for (std::size_t i = 0; i < work.inputs.size(); offset += work.lengths[i], ++i) {
            if (may_join(work, i, row, concat)) {
                const storage_id block = net_[work.inputs[i]].storage;
                if (work.rows != 1) {
                    space(block, work.rows, work.lengths[i], row);
                }
                join(block, around, offset);
            }
        }
    }

    // ---- Split

    void visit_split(const concat_step& work, step_id split) {
        const stored_tensor& from = net_[work.inputs[0]];
        const storage_id part = net_[work.output].storage;
        const history& mine = of(part);
        const std::size_t length = work.lengths[0];
        const auto distance = static_cast<std::size_t>(from.rows.distance * work.element_bytes);
        if (net_[from.storage].where != area::arena || of(from.storage).whole != storage_id::none ||
            of(from.storage).writers.empty() || of(from.storage).writers.back() >= split ||
            !is_whole(work.output, length * work.rows) || mine.writers.back() != split ||
            mine.writers.front() != split || net_[part].last_step >= id_at<step_id>(net_.steps.size()) ||
            !all_take_rows(part, work.rows, length, distance)) {
            return;
        }
        space(part, work.rows, length, distance);
        join(part, from.storage, from.offset);
        of(from.storage).has_views = true;
        of(from.storage).readers.insert(of(from.storage).readers.end(), mine.readers.begin(), mine.readers.end());
    }

public:
    explicit part_planner(network& net) : net_(net), blocks_(net.storages.size()) { find_history(); }

    void place() {
        for (std::size_t i = 0; i < net_.steps.size(); ++i) {
            const auto* const work = std::get_if<concat_step>(&net_.steps[i].work);
            if (work != nullptr && takes_out(net_, *work)) {
                visit_split(*work, id_at<step_id>(i));
            }
        }
        for (std::size_t i = net_.steps.size(); i-- > 0;) {
            const auto* const work = std::get_if<concat_step>(&net_.steps[i].work);
            if (work != nullptr && !takes_out(net_, *work)) {
                visit_concat(*work, id_at<step_id>(i));
            }
        }
        for (stored_tensor& each : net_.tensors) {
            while (of(each.storage).whole != storage_id::none) {
                each.offset += of(each.storage).offset;
                each.storage = of(each.storage).whole;
            }
        }
    }
};

/// Lets steps write their part of what a Concat gives, and read what a Split takes out of rows; of such parts nothing is left to be copied.
inline void place_parts(network& net) { part_planner(net).place(); }

}  // namespace lpt::inline LPT_ABI::plan::detail
