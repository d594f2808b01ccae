// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/sizes.hpp>

namespace lpt::inline LPT_ABI::op {

/// The inverse of each matrix; with `adjoint` transposed.
///
/// Input: x [batch…, n, n] of a floating point type. Output: of the shape of x. A matrix without an inverse gives infinite numbers or those that are not numbers.
/// Source: OpenVINO operation set, Inverse-14.
struct inverse {
    static constexpr auto number = kind::inverse;
    static constexpr text_view name = "Inverse";
    static constexpr versions opsets{14};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    bool adjoint = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("adjoint", self.adjoint);
    }
    static constexpr void infer(const inverse&, inference& facts) {
        detail::require_real(facts, 0);
        shape dimensions = facts.dimensions(0);
        if (dimensions.rank_is_static()) {
            const std::size_t rank = dimensions.rank();
            if (rank < 2 || !merge_dimension(dimensions[rank - 2], dimensions[rank - 1]) ||
                !merge_dimension(dimensions[rank - 1], dimensions[rank - 2])) {
                facts.wrong({"needs square matrices, not the shape ", facts.dimensions(0)});
            }
        }
        facts.output(facts.type(0), lpt::move(dimensions));
    }
    friend constexpr bool operator==(const inverse&, const inverse&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
