// SPDX-License-Identifier: Apache-2.0
// Memory by liveness: blocks that are not alive at the same time may share bytes.
#pragma once

#include <lpt/base/memory_errors.hpp>
#include <lpt/plan/free_memory.hpp>
#include <lpt/plan/parts.hpp>
#include <lpt/plan/steps.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

inline void touch(storage& block, step_id step) {
    if (block.first_step == step_id::none || step < block.first_step) {
        block.first_step = step;
    }
    block.last_step = std::max(block.last_step, step);
}

inline void find_lifetimes(network& net) {
    for (std::size_t i = 0; i < net.steps.size(); ++i) {
        const step& each = net.steps[i];
        for (const std::vector<tensor_id>* tensors : {&each.reads, &each.writes}) {
            for (const tensor_id id : *tensors) {
                touch(net.storage_of(id), id_at<step_id>(i));
            }
        }
    }
    for (const port& output : net.outputs) {
        touch(net.storage_of(output.tensor), id_at<step_id>(net.steps.size()));
    }
}

/// The rows that each block, by storage, takes out of wider ones; none for all but what a Split gives.
inline std::vector<spaced_rows> rows_of_parts(const network& net) {
    std::vector<spaced_rows> result(net.storages.size());
    for (const step& each : net.steps) {
        const auto* const work = std::get_if<concat_step>(&each.work);
        if (work != nullptr && work->takes_part) {
            result[index_of(net[work->output].storage)] = net[work->inputs[0]].rows;
        }
    }
    return result;
}

/// Lets a step write where it reads, if nothing reads that memory afterwards. What a Split gives may be read where it is, if nothing writes there.
inline void share_in_place(network& net) {
    const std::vector<spaced_rows> parts = rows_of_parts(net);
    std::vector<storage_id> joined(net.storages.size(), storage_id::none);  // by block: the one that took its place
    const auto block_of = [&](tensor_id tensor) {
        const storage_id block = net[tensor].storage;
        const storage_id other = joined[index_of(block)];
        return other == storage_id::none ? block : other;
    };
    const auto reads_part = [&](const step& each) {  // that the step would overwrite before it is read
        const stored_tensor& first = net[each.reads[0]];
        return std::any_of(each.reads.begin(), each.reads.end(), [&](tensor_id other) {
            return block_of(other) == block_of(each.reads[0]) &&
                   (net[other].offset != first.offset || net[other].bytes() != first.bytes());
        });
    };
    const auto reads_rows_of_another = [&](const step& each) {
        const stored_tensor& first = net[each.reads[0]];
        const spaced_rows& rows = parts[index_of(first.storage)];
        return rows.exist() &&
               can_space(each, each.reads[0], rows, static_cast<std::int64_t>(byte_size(first.type, 1)));
    };
    for (std::size_t at = 0; at < net.steps.size(); ++at) {
        const step& each = net.steps[at];
        if (!each.may_overwrite || reads_part(each) || reads_rows_of_another(each)) {
            continue;
        }
        const step_id i = id_at<step_id>(at);
        const storage_id from = block_of(each.reads[0]);
        const storage_id to = block_of(each.writes[0]);
        storage& read = net[from];
        storage& written = net[to];
        if (from == to || read.where != area::arena || written.where != area::arena || read.last_step != i ||
            written.first_step != i || read.bytes != written.bytes) {
            continue;
        }
        read.last_step = written.last_step;
        written.bytes = 0;
        joined[index_of(to)] = from;  // which no step writes first later: it never moves itself
    }
    for (std::size_t tensor = 0; tensor < net.tensors.size(); ++tensor) {
        net.tensors[tensor].storage = block_of(id_at<tensor_id>(tensor));
    }
}

inline std::size_t room_of(const storage& block) { return aligned(block.bytes + block_slack); }

/// The step that writes the largest block of the arena, as an error names it.
inline text largest_of(const network& net) {
    const node* largest = nullptr;
    std::size_t most = 0;
    for (const step& each : net.steps) {
        for (const tensor_id tensor : each.writes) {
            const std::size_t bytes = net[tensor].bytes();
            if (bytes > most && !each.nodes.empty() && net.model.contains(each.nodes[0])) {
                most = bytes;
                largest = &net.model[each.nodes[0]];
            }
        }
    }
    return largest == nullptr ? text("intermediate tensors")
                              : join({"intermediate tensors, of which that of ", largest->operation(), " '",
                                      largest->name(), "' is the largest"});
}

/// Raises an error where the bytes of all blocks cannot even be counted.
inline void check_total(const network& net, const std::vector<storage_id>& blocks) {
    std::size_t total = 0;
    for (const storage_id id : blocks) {
        const std::size_t bytes = net[id].bytes;
        if (bytes > SIZE_MAX / 4 - total) {
            lpt::detail::naming_memory([] { lpt::detail::raise_no_memory(SIZE_MAX); }, [&] { return largest_of(net); });
        }
        total += room_of(net[id]);
    }
}

/// The blocks that need a place, in the order of their numbers.
inline std::vector<storage_id> blocks_of_arena(const network& net) {
    std::vector<storage_id> result;
    for (std::size_t i = 0; i < net.storages.size(); ++i) {
        const storage& block = net.storages[i];
        if (block.where == area::arena && block.bytes != 0 && block.first_step != step_id::none) {
            result.push_back(id_at<storage_id>(i));
        }
    }
    return result;
}

/// How many pairs of blocks live at the same time.
inline std::size_t count_meetings(const network& net, const std::vector<storage_id>& blocks) {
    std::vector<std::ptrdiff_t> begins(net.steps.size() + 1, 0);
    std::vector<std::ptrdiff_t> ends(net.steps.size() + 1, 0);
    for (const storage_id id : blocks) {
        ++begins[index_of(net[id].first_step)];
        ++ends[index_of(net[id].last_step)];
    }
    std::size_t result = 0;
    std::ptrdiff_t alive = 0;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        result += static_cast<std::size_t>(begins[i] * alive + begins[i] * (begins[i] - 1) / 2);
        alive += begins[i] - ends[i];
    }
    return result;
}

/// Blocks that have a place, found by the steps in which they live.
///
/// A block meets another if it begins while that lives, or lives when that begins. The first are found by their first step. For the
/// second, steps are divided in halves again and again, and a block is listed at the few parts that its life consists of.
class placed_blocks {
    const network& net_;
    std::size_t leaves_ = 1;
    std::vector<std::vector<storage_id>> alive_;  // by part: 1 is all steps, the halves of k are 2 k and 2 k + 1
    std::set<std::pair<step_id, storage_id>> begins_;  // first step, block

public:
    explicit placed_blocks(const network& net) : net_(net) {
        while (leaves_ <= net.steps.size()) {
            leaves_ *= 2;
        }
        alive_.resize(2 * leaves_);
    }
    void add(storage_id id) {
        const storage& block = net_[id];
        begins_.insert({block.first_step, id});
        std::size_t first = index_of(block.first_step) + leaves_;
        std::size_t last = index_of(block.last_step) + leaves_ + 1;
        for (; first < last; first /= 2, last /= 2) {
            if (first % 2 != 0) {
                alive_[first++].push_back(id);
            }
            if (last % 2 != 0) {
                alive_[--last].push_back(id);
            }
        }
    }
    /// Calls `take(other)` for each that lives in a step in which the block does.
    template <class Take>
    void each_that_meets(const storage& block, const Take& take) const {
        for (std::size_t part = index_of(block.first_step) + leaves_; part != 0; part /= 2) {
            for (const storage_id id : alive_[part]) {
                take(net_[id]);
            }
        }
        const auto end = begins_.lower_bound({next_of(block.last_step), storage_id::none});
        for (auto each = begins_.lower_bound({next_of(block.first_step), storage_id::none}); each != end; ++each) {
            take(net_[each->second]);
        }
    }
};

/// The lowest place where a block fits beside those that live at the same time, in the smallest gap.
inline std::size_t best_place(const placed_blocks& placed, const storage& block,
                              std::vector<std::pair<std::size_t, std::size_t>>& taken) {
    taken.clear();
    placed.each_that_meets(
        block, [&](const storage& other) { taken.push_back({other.offset, other.offset + room_of(other)}); });
    std::sort(taken.begin(), taken.end());
    const std::size_t size = room_of(block);
    std::size_t best = SIZE_MAX;
    std::size_t best_gap = SIZE_MAX;
    std::size_t end = 0;
    for (const auto& [from, to] : taken) {
        if (from >= end + size && from - end < best_gap) {
            best = end;
            best_gap = from - end;
        }
        end = std::max(end, to);
    }
    return best == SIZE_MAX ? end : best;
}

/// Large blocks first, each into the smallest gap between those that live at the same time.
inline void place_by_size(network& net, std::vector<storage_id> blocks) {
    const auto bytes = [&](storage_id id) { return net[id].bytes; };
    std::sort(blocks.begin(), blocks.end(),
              [&](storage_id a, storage_id b) { return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a < b; });
    placed_blocks placed(net);
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    for (const storage_id id : blocks) {
        storage& block = net[id];
        block.offset = best_place(placed, block, taken);
        net.arena_bytes = std::max(net.arena_bytes, block.offset + room_of(block));
        placed.add(id);
    }
}

/// As the steps come; `blocks` are in the order of their numbers.
inline void place_by_step(network& net, const std::vector<storage_id>& blocks) {
    std::vector<lifetime> all;
    for (const storage_id id : blocks) {
        all.push_back({net[id].bytes, index_of(net[id].first_step), index_of(net[id].last_step)});
    }
    const arena_places at = places_by_step(all);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        net[blocks[i]].offset = at.offsets[i];
    }
    net.arena_bytes = at.bytes;
}

/// So many pairs of blocks that live at the same time are looked at, and so many more for each block: some 50 ns a pair.
inline constexpr std::size_t most_meetings = std::size_t{1} << 21;
inline constexpr std::size_t more_meetings_a_block = 32;

}  // namespace detail

/// Takes results out of the arena that no step reads, and that are the whole of their block: steps write them where the caller wants them.
/// A block that is read stays: kernels may read beyond its end.
inline void place_outputs(network& net) {
    std::vector<bool> is_read(net.storages.size(), false);
    for (const step& each : net.steps) {
        for (const tensor_id tensor : each.reads) {
            is_read[index_of(net[tensor].storage)] = true;
        }
    }
    for (std::size_t i = 0; i < net.outputs.size(); ++i) {
        const stored_tensor& result = net[net.outputs[i].tensor];
        storage& block = net[result.storage];
        if (block.where == area::arena && !is_read[index_of(result.storage)] && result.bytes() == block.bytes) {
            block.where = area::output;
            block.offset = i;
        }
    }
}

/// Gives every block of the arena its place.
///
/// Large blocks first, each into the smallest gap between those that live at the same time. Where too many live at the same time for
/// that (more than 2^21 pairs and 32 a block), in the order of steps, each into the smallest gap: time then grows with the number of
/// blocks and its logarithm, and the arena may become larger by gaps in which nothing fits.
/// Raises an error that names the largest block for more than `limit` bytes.
inline void plan_memory(network& net, std::size_t limit = SIZE_MAX) {
    detail::find_lifetimes(net);
    detail::share_in_place(net);
    detail::place_parts(net);
    const std::vector<storage_id> blocks = detail::blocks_of_arena(net);
    detail::check_total(net, blocks);
    const std::size_t most = detail::most_meetings + detail::more_meetings_a_block * blocks.size();
    if (detail::count_meetings(net, blocks) <= most) {
        detail::place_by_size(net, blocks);
    } else {
        detail::place_by_step(net, blocks);
    }
    if (net.arena_bytes > limit) {
        lpt::detail::naming_memory([&] { lpt::detail::raise_beyond_limit(net.arena_bytes, limit); },
                                   [&] { return detail::largest_of(net); });
    }
}

}  // namespace lpt::inline LPT_ABI::plan
