// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/hana.hpp>
#include <lpt/base/text.hpp>

/// What a transformation declares of itself, so that a pipeline can be checked when it is compiled:
///   `using reads = attribute::set<…>;`     without them it would have no effect, so something before it must write them;
///   `using may_read = attribute::set<…>;`  it heeds them if there are any, so what writes them must come before it;
///   `using writes = attribute::set<…>;`    it makes or changes them.
/// Members are types with a `name` that no other has: attributes, and the tags below for properties of the graph itself.
namespace lpt::inline LPT_ABI::attribute {

/// A list of such types; a Hana sequence.
template <class... Attributes>
struct set {
    using hana_tag = list_tag<set>;
};

/// The mark of an Add that adds a bias (`mark::bias`).
struct bias {
    static constexpr text_view name = "Bias";
};
/// Operations are type-relaxed: an output type of their own can be given to them.
struct relaxed_types {
    static constexpr text_view name = "RelaxedTypes";
};

}  // namespace lpt::inline LPT_ABI::attribute
