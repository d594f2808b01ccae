// SPDX-License-Identifier: Apache-2.0
// Tensors that a Concat only puts one behind the other are written where it would put them.
#pragma once

#include <lpt/plan/steps.hpp>

#include <algorithm>
#include <variant>
#include <vector>

namespace lpt::inline LPT_ABI::plan::detail {

/// Finds which blocks become parts of others. Lifetimes are known; steps that may write where they read do.
///
/// A block becomes a part where a Concat reads the whole of it once, the Concat's output is that block and others one behind the other, and
/// nothing that reads either finds bytes of the other's. Concats are visited from the last to the first, so that a part of a part is
/// placed in the outermost block at once: time grows with the number of tensors that steps read and write.
class part_planner {
    struct history {
        std::vector<step_id> writers;
        std::vector<step_id> readers;
        storage_id whole = storage_id::none;  // the block that this one became a part of
        std::size_t offset = 0;
        bool is_rewritten = false;  // or a block around it, when the Concat that joined them is over
    };

    network& net_;
    std::vector<history> blocks_;  // by storage

    history& of(storage_id id) { return blocks_[index_of(id)]; }
    storage_id whole_of(tensor_id tensor) {
        const storage_id own = net_[tensor].storage;
        return of(own).whole == storage_id::none ? own : of(own).whole;
    }
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
    bool may_join(tensor_id input, std::size_t length, const concat_step& work, step_id concat) {
        const storage_id block = net_[input].storage;
        const storage& part = net_[block];
        const bool is_whole = part.where == area::arena && net_[input].offset == 0 && part.bytes == length;
        if (!is_whole || of(block).whole != storage_id::none || block == net_[work.output].storage ||
            of(block).writers.empty() || of(block).writers.back() >= concat) {
            return false;
        }
        const bool stays = part.last_step <= concat || !of(net_[work.output].storage).is_rewritten;
        return stays && !has_readers_that_write(block, whole_of(work.output), concat);
    }
    void join(storage_id part, storage_id around, std::size_t offset) {
        history& mine = of(part);
        const storage_id outermost = of(around).whole == storage_id::none ? around : of(around).whole;
        mine.whole = outermost;
        mine.offset = of(around).offset + offset;
        mine.is_rewritten = of(around).is_rewritten;
        storage& whole = net_[outermost];
        whole.first_step = std::min(whole.first_step, net_[part].first_step);
        whole.last_step = std::max(whole.last_step, net_[part].last_step);
        net_[part].bytes = 0;
    }
    void visit(const concat_step& work, step_id concat) {
        const storage_id around = net_[work.output].storage;
        if (work.rows != 1 || net_[around].where != area::arena || of(around).writers.front() != concat) {
            return;
        }
        of(around).is_rewritten = of(around).is_rewritten || of(around).writers.back() > concat;
        std::size_t offset = 0;
        for (std::size_t i = 0; i < work.inputs.size(); offset += work.lengths[i], ++i) {
            if (may_join(work.inputs[i], work.lengths[i], work, concat)) {
                join(net_[work.inputs[i]].storage, around, offset);
            }
        }
    }

public:
    explicit part_planner(network& net) : net_(net), blocks_(net.storages.size()) { find_history(); }

    void place() {
        for (std::size_t i = net_.steps.size(); i-- > 0;) {
            if (const auto* work = std::get_if<concat_step>(&net_.steps[i].work)) {
                visit(*work, id_at<step_id>(i));
            }
        }
        for (stored_tensor& each : net_.tensors) {
            if (const history& known = of(each.storage); known.whole != storage_id::none) {
                each.offset += known.offset;
                each.storage = known.whole;
            }
        }
    }
};

/// Lets steps write their part of what a Concat gives, where it is in one piece; of such a part nothing is left to be copied.
inline void place_parts(network& net) { part_planner(net).place(); }

}  // namespace lpt::inline LPT_ABI::plan::detail
