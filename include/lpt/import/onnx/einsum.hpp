// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composed/einsum.hpp>
#include <lpt/import/onnx/operation.hpp>

namespace lpt::inline LPT_ABI::onnx {

inline void read_einsum(operation& n) {
    seq<output_ref> operands;
    for (std::size_t port = 0; port < n.inputs(); ++port) {
        operands.push_back(n.in(port));
    }
    n.out(composed::einsum(n, n.words("equation", ""), operands));
}

inline constexpr operator_entry einsum_operators[] = {{"", "Einsum", read_einsum}};

}  // namespace lpt::inline LPT_ABI::onnx
