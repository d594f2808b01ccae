// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <string_view>

namespace lpt::inline LPT_ABI::onnx::detail {

/// Calls `visit` with each of the words that have spaces between.
template <class Visit>
void visit_words(std::string_view words, const Visit& visit) {
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end =
            words.find(' ', begin) == std::string_view::npos ? words.size() : words.find(' ', begin);
        visit(words.substr(begin, end - begin));
        begin = end + 1;
    }
}

}  // namespace lpt::inline LPT_ABI::onnx::detail
