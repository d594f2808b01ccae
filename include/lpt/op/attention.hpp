// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

/// y = softmax(scale * query * transpose(key) + mask) * value, for each pair of leading indices.
///
/// Inputs: query [N…, L, E], key [N…, S, E], value [N…, S, V], and perhaps mask, which broadcasts to [N…, L, S] (boolean:
/// true keeps a place, or numbers that are added), scale (a single number, 1 / sqrt(E) if absent) and sink (a value for
/// each row that joins the softmax without a value vector). The leading axes broadcast. Output: [N…, L, V].
/// `causal`: places with column > row are masked. Raises an error where sizes or types do not agree.
struct scaled_dot_product_attention {
    static constexpr auto number = kind::scaled_dot_product_attention;
    static constexpr text_view name = "ScaledDotProductAttention";
    static constexpr versions opsets{13};
    static constexpr ports inputs{3, 6};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    bool causal = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("causal", self.causal);
    }
    static constexpr void infer(const scaled_dot_product_attention&, inference& facts) {
        require_types(facts);
        facts.output(common_type(facts), dimensions(facts));
    }
    friend constexpr bool operator==(const scaled_dot_product_attention&,
                                     const scaled_dot_product_attention&) = default;

private:
    static constexpr element common_type(const inference& facts) {
        element type = facts.type(0);
        for (std::size_t port = 1; port < 3; ++port) {
            if (type != dynamic && facts.type(port) != dynamic && facts.type(port) != type) {
                facts.wrong({"query, key and value must have one element type, not ", lpt::name(type), " and ",
                             lpt::name(facts.type(port))});
            }
            type = type == dynamic ? facts.type(port) : type;
        }
        return type;
    }
    static constexpr void require_types(const inference& facts) {
        if (facts.inputs() > 3 && facts.type(3) != dynamic && facts.type(3) != boolean && !is_real(facts.type(3))) {
            facts.wrong({"a mask must be boolean or of a floating point type, not ", lpt::name(facts.type(3))});
        }
        if (facts.inputs() > 4 && facts.dimensions(4).is_static() && facts.dimensions(4).elements() != 1) {
            facts.wrong({"scale must be a single number, not a tensor of shape ", facts.dimensions(4)});
        }
    }
    /// All axes but the last two.
    static constexpr shape leading(const shape& dimensions) {
        shape result;
        for (std::size_t axis = 0; axis + 2 < dimensions.rank(); ++axis) {
            result.push_back(dimensions[axis]);
        }
        return result;
    }
    static constexpr bool broadcasts_to(const shape& mask, const shape& scores) {
        if (mask.rank_is_dynamic()) {
            return true;
        }
        shape merged;
        if (mask.rank() > scores.rank() || !broadcast_shapes(scores, mask, merged)) {
            return false;
        }
        for (std::size_t axis = 0; axis < scores.rank(); ++axis) {
            if (scores.is_static(axis) && scores[axis] == 1 && merged.is_static(axis) && merged[axis] != 1) {
                return false;
            }
        }
        return true;
    }
    static constexpr dimension from_back(const shape& dimensions, std::size_t place) {
        return dimensions.rank_is_static() ? dimensions[dimensions.rank() - place] : dynamic_dimension;
    }
    static constexpr shape dimensions(const inference& facts) {
        shape batch;
        for (std::size_t port = 0; port < 3; ++port) {
            const shape& each = facts.dimensions(port);
            if (each.rank_is_static() && each.rank() < 2) {
                facts.wrong({"input ", port, " must have at least two axes, not shape ", each});
            }
            shape merged;
            if (!broadcast_shapes(batch, each.rank_is_static() ? leading(each) : each, merged)) {
                facts.wrong(
                    {"the leading axes of query, key and value do not broadcast: ", to_text(facts.dimensions(0)), ", ",
                     to_text(facts.dimensions(1)), ", ", to_text(facts.dimensions(2))});
            }
            batch = merged;
        }
        dimension features = from_back(facts.dimensions(0), 1);
        if (!merge_dimension(features, from_back(facts.dimensions(1), 1))) {
            facts.wrong({"query of shape ", facts.dimensions(0), " and key of shape ", facts.dimensions(1),
                         " must have the same last size"});
        }
        dimension places = from_back(facts.dimensions(1), 2);
        if (!merge_dimension(places, from_back(facts.dimensions(2), 2))) {
            facts.wrong({"key of shape ", facts.dimensions(1), " and value of shape ", facts.dimensions(2),
                         " must have the same last size but one"});
        }
        const dimension rows = from_back(facts.dimensions(0), 2);
        if (batch.rank_is_static()) {
            shape scores = batch;
            scores.push_back(rows);
            shape sinks = scores;
            scores.push_back(places);
            sinks.push_back(1);
            if (!scores.is_possible()) {
                facts.wrong({"the scores of ", rows, " queries and ", places, " keys are too many"});
            }
            if (facts.inputs() > 5 && !broadcasts_to(facts.dimensions(5), sinks)) {
                facts.wrong(
                    {"a sink of shape ", to_text(facts.dimensions(5)), " does not broadcast to ", to_text(sinks)});
            }
            if (facts.inputs() > 3 && !broadcasts_to(facts.dimensions(3), scores)) {
                facts.wrong(
                    {"a mask of shape ", to_text(facts.dimensions(3)), " does not broadcast to ", to_text(scores)});
            }
            batch.push_back(rows);
            batch.push_back(from_back(facts.dimensions(2), 1));
        }
        return batch;
    }
};

}  // namespace lpt::inline LPT_ABI::op
