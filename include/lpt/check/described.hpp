// SPDX-License-Identifier: Apache-2.0
// An operation with its quantization as any file format can describe it: what the checker of the specification reads.
#pragma once

#include <lpt/base/error.hpp>
#include <lpt/base/seq.hpp>
#include <lpt/spec/restriction.hpp>

namespace lpt::inline LPT_ABI::check {

/// A tensor of an operation. Views are into whatever describes the network, which outlives this.
struct described_tensor {
    int index = -1;  // the tensor's number in its file; -1: an absent optional input
    text_view name;
    element type = dynamic;
    view<std::int64_t> dimensions;
    view<float> scales;  // none: not quantized
    view<std::int64_t> zero_points;  // as many as there are scales, or none: all 0
    double broken_zero_point = 0;  // one that is no whole number, which graphs can have; 0: there is none
    std::int64_t axis = 0;  // the quantized dimension, where there are several scales
    const void* constant = nullptr;  // its elements, where they are known
    std::size_t constant_bytes = 0;

    constexpr bool is_present() const { return index >= 0; }
    constexpr bool is_quantized() const { return !scales.empty(); }
};

/// An operation. Absent inputs have their place.
struct described_operation {
    int index = 0;  // its number in the subgraph
    text_view name;  // as the TensorFlow Lite schema spells it
    text_view missing_option;  // one without which it computes nothing; empty: it has them all
    seq<described_tensor, 0> inputs;
    seq<described_tensor, 0> outputs;
};

/// A place where the specification is broken.
struct violation {
    int subgraph = 0;
    int operation = 0;  // its number in the subgraph
    text operation_name;
    text role;  // input0, input1, ..., weights, bias, output0; options
    int tensor = -1;  // -1: of options
    text tensor_name;
    spec::restriction rule = spec::restriction::dtype;
    text expected;
    text found;

    /// "CONV_2D 3, bias 'b': bias-scale, expected ..., found ...", after "subgraph 1: " where that is not the network itself. One line,
    /// whatever characters the file's names have.
    text in_words() const {
        const text outer = subgraph == 0 ? text() : join({"subgraph ", subgraph, ": "});
        const text inner = tensor < 0 ? text() : join({" '", tensor_name, "'"});
        return error(join({outer, operation_name, " ", operation, ", ", role, inner, ": ", spec::name(rule),
                           ", expected ", expected, ", found ", found}))
            .message();
    }
};

}  // namespace lpt::inline LPT_ABI::check
