// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/sizes.hpp>

namespace lpt::inline LPT_ABI::op {

/// The product of rows with weights of few bits, of which each block of a column has its scale and zero point.
///
/// y[…, n] = sum over k of x[…, k] * scale[n, k / B] * (weights[n, k / B, k mod B] - zero_point[n, k / B])
/// Inputs: x `[…, K]`, of a floating point type; weights `[N, G, B]`, of u4, i4, u8 or i8, with G = ceil(K / B) blocks, what is behind
/// the last k means nothing; scale `[N, G]` and zero_point `[N, G]` (0 where it is left out), of any number type. Output: `[…, N]` of x's type.
/// Raises an error for other sizes or types. No operation set has it: OpenVINO's optimizations make an operation of this name.
struct fully_connected_compressed {
    static constexpr auto number = kind::fully_connected_compressed;
    static constexpr text_view name = "FullyConnectedCompressed";
    static constexpr versions opsets{0};
    static constexpr ports inputs{3, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    static constexpr void infer(const fully_connected_compressed&, inference& facts) {
        detail::require_real(facts, 0);
        require_few_bits(facts);
        dimension columns = dynamic_dimension;
        dimension blocks = dynamic_dimension;
        dimension block = dynamic_dimension;
        detail::require_sizes(facts, 1, "weights", {&columns, &blocks, &block});
        for (std::size_t port = 2; port < facts.inputs(); ++port) {
            detail::require_sizes(facts, port, port == 2 ? "scale" : "zero point", {&columns, &blocks});
        }
        shape result = facts.dimensions(0);
        if (result.rank_is_static()) {
            if (result.rank() == 0) {
                facts.wrong({"input 0 must not be a scalar"});
            }
            require_blocks(facts, result[result.rank() - 1], blocks, block);
            result[result.rank() - 1] = columns;
        }
        facts.output(facts.type(0), result);
    }
    friend constexpr bool operator==(const fully_connected_compressed&, const fully_connected_compressed&) = default;

private:
    static constexpr void require_few_bits(const inference& facts) {
        const element type = facts.type(1);
        if (type != dynamic && type != u4 && type != i4 && type != u8 && type != i8) {
            facts.wrong({"weights must be of type u4, i4, u8 or i8, not ", lpt::name(type)});
        }
    }
    static constexpr void require_blocks(const inference& facts, dimension inner, dimension blocks, dimension block) {
        if (inner == dynamic_dimension || blocks == dynamic_dimension || block == dynamic_dimension) {
            return;
        }
        if (block < 1 || inner < 1 || blocks != (inner - 1) / block + 1) {
            facts.wrong({blocks, " blocks of ", block, " weights do not fit rows of ", inner});
        }
    }
};

}  // namespace lpt::inline LPT_ABI::op
