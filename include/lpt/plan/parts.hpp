// SPDX-License-Identifier: Apache-2.0
// Parts of tensors where the whole lies: what a Concat joins is written where it would put it, what a Split takes out is read where it is.
#pragma once

#include <lpt/plan/spaced_rows.hpp>

#include <algorithm>
#include <set>
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
/// What a Split or Slice takes out of each row becomes a part of its input in the same way, where nothing writes either afterwards. A Concat that
/// gives a result of the network gets those parts that nothing else reads.
class part_planner {
    struct use {
        step_id step;
        tensor_id tensor;
    };
    struct history {
        std::vector<step_id> writers;
        std::vector<step_id> readers;
        std::vector<use> uses;  // of its tensors, each once a step
        storage_id whole = storage_id::none;  // the block that this one became a part of
        std::size_t offset = 0;
        bool is_rewritten = false;  // it, or a block around it, behind the Concat that gives it
        bool needs_dense_rows = false;  // a step does
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
    void enter(step_id step, const std::vector<tensor_id>& tensors, std::vector<step_id> history::* steps) {
        for (const tensor_id tensor : tensors) {
            history& block = of(net_[tensor].storage);
            std::vector<step_id>& entered = block.*steps;
            if (entered.empty() || entered.back() != step) {
                entered.push_back(step);
            }
        }
    }
    void find_history() {
        for (std::size_t i = 0; i < net_.steps.size(); ++i) {
            enter(id_at<step_id>(i), net_.steps[i].reads, &history::readers);
            enter(id_at<step_id>(i), net_.steps[i].writes, &history::writers);
            std::set<tensor_id> tensors(net_.steps[i].reads.begin(), net_.steps[i].reads.end());
            tensors.insert(net_.steps[i].writes.begin(), net_.steps[i].writes.end());
            for (const tensor_id tensor : tensors) {
                of(net_[tensor].storage).uses.push_back({id_at<step_id>(i), tensor});
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

    std::int64_t element_bytes_of(tensor_id tensor) const {
        return static_cast<std::int64_t>(byte_size(net_[tensor].type, 1));
    }
    /// Rows of so many bytes in elements of a tensor; none if they are not whole, or not all of it.
    spaced_rows in_elements(tensor_id tensor, std::size_t count, std::size_t length, std::size_t distance) const {
        const stored_tensor& all = net_[tensor];
        const auto size = static_cast<std::size_t>(element_bytes_of(tensor));
        if (bit_width(all.type) < 8 || length % size != 0 || distance % size != 0 || all.bytes() != count * length) {
            return {};
        }
        return {static_cast<std::int64_t>(count), static_cast<std::int64_t>(length / size),
                static_cast<std::int64_t>(distance / size)};
    }
    /// Whether gaps may be between the rows of a block: for all steps but the one that asks, and for the caller, who takes results without gaps.
    bool can_have_gaps(storage_id block, step_id asking, std::size_t count, std::size_t length, std::size_t distance) {
        history& mine = of(block);
        if (mine.needs_dense_rows || net_[block].last_step >= id_at<step_id>(net_.steps.size())) {
            return false;
        }
        for (const use& each : mine.uses) {
            const spaced_rows rows = in_elements(each.tensor, count, length, distance);
            const bool has_own = net_[each.tensor].rows.exist();  // a part of it is taken out
            if (has_own || !rows.exist() ||
                (each.step != asking &&
                 !can_space(net_[each.step], each.tensor, rows, element_bytes_of(each.tensor)))) {
                mine.needs_dense_rows = true;
                return false;
            }
        }
        return true;
    }
    void space_out(storage_id block, std::size_t count, std::size_t length, std::size_t distance) {
        for (const use& each : of(block).uses) {
            net_[each.tensor].rows = in_elements(each.tensor, count, length, distance);
            space(net_[each.step], each.tensor, net_[each.tensor].rows, element_bytes_of(each.tensor));
        }
    }

    // ---- Concat

    bool may_join(const concat_step& work, std::size_t input, std::size_t distance, step_id concat) {
        const storage_id block = net_[work.inputs[input]].storage;
        const storage& part = net_[block];
        const history& mine = of(block);
        if (!is_whole(work.inputs[input], work.lengths[input] * work.rows) || mine.whole != storage_id::none ||
            block == net_[work.output].storage || mine.writers.empty() || mine.writers.back() >= concat) {
            return false;
        }
        const bool stays = part.last_step <= concat || !of(net_[work.output].storage).is_rewritten;
        const bool is_result = net_[whole_of(work.output)].where == area::output;
        const bool is_read_safely =  // other steps may read beyond its end
            !is_result || mine.readers == std::vector<step_id>{concat};
        return stays && is_read_safely &&
               (work.rows == 1 || can_have_gaps(block, concat, work.rows, work.lengths[input], distance)) &&
               !has_readers_that_write(block, whole_of(work.output), concat);
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
        const area where = net_[around].where;
        if ((where != area::arena && where != area::output) || of(around).writers.front() != concat) {
            return;
        }
        of(around).is_rewritten = of(around).is_rewritten || of(around).writers.back() > concat;
        const std::size_t row = row_bytes_of(net_, work);
        std::size_t offset = 0;
        for (std::size_t i = 0; i < work.inputs.size(); offset += work.lengths[i], ++i) {
            if (may_join(work, i, row, concat)) {
                const storage_id block = net_[work.inputs[i]].storage;
                if (work.rows != 1) {
                    space_out(block, work.rows, work.lengths[i], row);
                }
                join(block, around, offset);
            }
        }
    }

    // ---- Split

    /// True for a block that has all its values before a step, and keeps them: an input of the network, or what is not written again.
    bool is_ready(storage_id block, step_id step) {
        const std::vector<step_id>& writers = of(block).writers;
        return net_[block].where == area::input ||
               (net_[block].where == area::arena && !writers.empty() && writers.back() < step);
    }
    void visit_split(const concat_step& work, step_id split) {
        const stored_tensor& from = net_[work.inputs[0]];
        const storage_id part = net_[work.output].storage;
        const history& mine = of(part);
        const std::size_t length = work.lengths[0];
        const std::size_t distance = from.row_bytes(length);
        if (!is_ready(from.storage, split) || of(from.storage).whole != storage_id::none ||
            !is_whole(work.output, length * work.rows) || mine.writers.back() != split ||
            mine.writers.front() != split || !can_have_gaps(part, split, work.rows, length, distance)) {
            return;
        }
        space_out(part, work.rows, length, distance);
        join(part, from.storage, from.offset);
        std::vector<step_id>& readers = of(from.storage).readers;  // of a part, of the whole
        readers.insert(readers.end(), mine.readers.begin(), mine.readers.end());
    }

public:
    explicit part_planner(network& net) : net_(net), blocks_(net.storages.size()) { find_history(); }

    void place() {
        for (std::size_t i = 0; i < net_.steps.size(); ++i) {
            const auto* const work = std::get_if<concat_step>(&net_.steps[i].work);
            if (work != nullptr && work->takes_part) {
                visit_split(*work, id_at<step_id>(i));
            }
        }
        for (std::size_t i = net_.steps.size(); i-- > 0;) {
            const auto* const work = std::get_if<concat_step>(&net_.steps[i].work);
            if (work != nullptr && !work->takes_part) {
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
