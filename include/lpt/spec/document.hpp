// SPDX-License-Identifier: Apache-2.0
// The specification's table as a page that people read (docs/tflite_specification.md is this text).
#pragma once

#include <lpt/spec/restriction.hpp>
#include <lpt/spec/table.hpp>

namespace lpt::inline LPT_ABI::spec {

namespace detail {

inline text quantization_in_words(const requirement& asks) {
    if (asks.scale == scale_rule::fixed) {
        return join(
            {"scale ", asks.fixed_numerator, " / ", asks.fixed_denominator, ", zero point ", asks.fixed_zero_point});
    }
    if (asks.scale == scale_rule::product) return "scale input0_scale * input1_scale[i], zero point 0";
    return asks.is_symmetric() ? "zero point 0" : "zero point in [-128, 127]";
}

inline void append_row(text& page, const row& each) {
    for (const requirement& asks : each) {
        const bool first = &asks == each.tensors;
        page.append("| ");
        if (first) page.append(join({each.number, " | ", each.name, each.note.empty() ? "" : " ", each.note}));
        if (!first) page.append("| ");
        page.append(join(
            {" | ", name(asks.role), asks.implied ? " (implied)" : "", " | ", asks.type == i8 ? "int8" : "int32"}));
        page.append(join({" | [", asks.lowest, ", ", asks.highest, "] | ", name(asks.granularity)}));
        if (asks.axis >= 0) page.append(join({" (dim = ", asks.axis, ")"}));
        page.append(
            join({" | ", quantization_in_words(asks), " | ", first && each.same_quantization ? "same" : "", " |\n"}));
    }
}

}  // namespace detail

/// The table of operations and the list of restrictions as Markdown.
inline text document() {
    text page = "# The TensorFlow Lite 8-bit quantization specification\n\n"
                "This page is written by `lpt_check --specification` from the table in `lpt/spec/table.hpp`, which "
                "programs can ask while they are\n"
                "compiled and while they run. A test compares the two.\n\n"
                "real_value = (int8_value - zero_point) * scale\n\n"
                "## Operations\n\n"
                "In the order of the document. \"same\": input and outputs must all have the same scale and zero "
                "point. \"implied\": the document's row does not\n"
                "name the tensor, but its codes meet those of input 0 as they are.\n\n"
                "| row | operation | tensor | data type | range | granularity | quantization | all tensors |\n"
                "|---|---|---|---|---|---|---|---|\n";
    for (const row& each : table)
        detail::append_row(page, each);
    page.append("\n## Restrictions\n\n"
                "What `lpt_check` reports, and what each violation does.\n\n"
                "| id | asks for | section of the document | when it is broken | how to mend it |\n"
                "|---|---|---|---|---|\n");
    for (const restriction_facts& each : restriction_table)
        page.append(join({"| `", each.id, "` | ", each.asks, " | ", name(each.place), " | ", each.effect, " | ",
                          each.mend, " |\n"}));
    return page;
}

}  // namespace lpt::inline LPT_ABI::spec
