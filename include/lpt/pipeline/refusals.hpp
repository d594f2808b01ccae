// SPDX-License-Identifier: Apache-2.0
// The refusals of a run by the graphs and nodes that they are about.
#pragma once

#include <lpt/transformation/rewrite.hpp>

namespace lpt::inline LPT_ABI::detail {

/// Numbers of refusals of a run, in order.
using refusal_numbers = seq<std::int32_t, 8>;

/// The last telling refusal of every transformation at every node of one graph, and which refusals are those of the graphs inside
/// its nodes.
class refusals_of_graph {
    view<refusal> all_;
    refusal_numbers numbers_;  // of this graph and of those inside it
    seq<std::int32_t, 8> last_;  // by node: the place of its last refusal; -1: none
    seq<std::int32_t, 8> last_inside_;  // by node: that of the last refusal in a graph inside it
    seq<std::int32_t, 8> previous_;  // by place: that of the one before it at the same node, or inside it; -1: none

    static constexpr std::int32_t last_of(const seq<std::int32_t, 8>& places, node_id id) {
        return id == node_id::none || index_of(id) >= places.size() ? -1 : places[index_of(id)];
    }
    static constexpr bool is_telling(reason why) { return why != reason::none && why != reason::nothing_to_do; }
    constexpr const refusal& at(std::int32_t place) const {
        return all_[static_cast<std::size_t>(numbers_[static_cast<std::size_t>(place)])];
    }

public:
    /// `depth`: how many graphs are around this one.
    constexpr refusals_of_graph(const graph& after, view<refusal> all, refusal_numbers numbers, std::size_t depth)
        : all_(all),
          numbers_(lpt::move(numbers)),
          last_(after.id_bound(), -1),
          last_inside_(after.is_plain() ? 0 : after.id_bound(), -1),
          previous_(numbers_.size(), -1) {
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            const refusal& each = at(static_cast<std::int32_t>(i));
            const bool inside = each.body.size() > depth;
            const node_id id = inside ? each.body[depth].node : each.node;
            seq<std::int32_t, 8>& places = inside ? last_inside_ : last_;
            if (is_telling(each.why.why) && index_of(id) < places.size()) {
                previous_[i] = places[index_of(id)];
                places[index_of(id)] = static_cast<std::int32_t>(i);
            }
        }
    }
    /// The last refusal of a node, under its number before or its number now, by one transformation; null if there is none.
    constexpr const refusal* find(node_id before, node_id now, text_view transformation) const {
        std::int32_t latest = -1;
        for (const node_id id : {before, now}) {
            for (std::int32_t place = last_of(last_, id); place > latest;
                 place = previous_[static_cast<std::size_t>(place)]) {
                if (at(place).transformation == transformation) {
                    latest = place;
                }
            }
        }
        return latest < 0 ? nullptr : &at(latest);
    }
    /// The telling refusals of a graph inside a node and of those inside that, `depth` graphs below the outermost.
    constexpr refusal_numbers inside(const body_step& where, std::size_t depth) const {
        refusal_numbers result;
        for (std::int32_t place = last_of(last_inside_, where.node); place >= 0;
             place = previous_[static_cast<std::size_t>(place)]) {
            if (at(place).body[depth - 1] == where) {
                result.push_back(numbers_[static_cast<std::size_t>(place)]);
            }
        }
        for (std::size_t i = 0; i < result.size() / 2; ++i) {
            lpt::detail::swap_values(result[i], result[result.size() - 1 - i]);
        }
        return result;
    }
};

}  // namespace lpt::inline LPT_ABI::detail
