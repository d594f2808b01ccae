// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::op {

/// How the padding of a sliding window is chosen: as given, for an output as large as input / stride with the odd element at
/// the end (`same_upper`) or at the beginning (`same_lower`), or none.
enum class auto_pad { explicit_pads, same_upper, same_lower, valid };
inline constexpr text_view auto_pad_words[] = {"explicit", "same_upper", "same_lower", "valid"};
constexpr view<text_view> words_of(auto_pad) { return auto_pad_words; }

/// How the number of positions of a window is rounded; `ceil_torch` is `ceil` without windows that begin in the end padding.
enum class rounding_type { floor, ceil, ceil_torch };
inline constexpr text_view rounding_type_words[] = {"floor", "ceil", "ceil_torch"};
constexpr view<text_view> words_of(rounding_type) { return rounding_type_words; }

}  // namespace lpt::op
