// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// Sums of products that a formula names axis by axis.
namespace lpt::inline LPT_ABI::composed {

/// The labels of an operand's axes; those of `...` are digits.
inline std::string labels_of(composer& n, std::string_view term, std::size_t rank) {
    std::string result;
    const std::size_t dots = term.find("...");
    const std::size_t named = dots == std::string_view::npos ? term.size() : term.size() - 3;
    if (named > rank || (dots == std::string_view::npos && named != rank) || rank - named > 10) {
        n.wrong({"the term '", text_view(term.data(), term.size()), "' does not fit ", rank, " axes"});
    }
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (i == dots) {
            for (std::size_t k = 0; k < rank - named; ++k) {
                result += static_cast<char>('0' + (10 - (rank - named)) + k);
            }
            i += 2;
        } else {
            result += term[i];
        }
    }
    return result;
}

/// A label that stands twice means the diagonal of its axes.
inline output_ref without_repeats(composer& n, output_ref x, std::string& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
        for (std::size_t k = i + 1; k < labels.size(); ++k) {
            if (labels[i] != labels[k]) {
                continue;
            }
            lpt::integers rows;
            lpt::integers columns;
            rows.resize(labels.size(), 1);
            columns.resize(labels.size(), 1);
            rows[i] = -1;
            columns[k] = -1;
            const output_ref row = n.reshape(n.counted(n.size_along(x, static_cast<std::int64_t>(i))), rows);
            const output_ref column = n.reshape(n.counted(n.size_along(x, static_cast<std::int64_t>(k))), columns);
            const output_ref diagonal = n.make(op::select{}, {n.make(op::equal{}, {row, column}), x, n.like(x, 0)});
            x = n.reduce<op::reduce_sum>(diagonal, {static_cast<std::int64_t>(k)}, false);
            labels.erase(k, 1);
            --k;
        }
    }
    return x;
}

/// The axes in the order of `all`, with axes of size 1 for labels that the operand does not have.
inline output_ref spread_out(composer& n, output_ref x, const std::string& labels, const std::string& all) {
    lpt::integers order;
    lpt::integers missing;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t at = labels.find(all[i]);
        if (at == std::string::npos) {
            missing.push_back(static_cast<std::int64_t>(i));
        } else {
            order.push_back(static_cast<std::int64_t>(at));
        }
    }
    x = order.empty() ? x : n.transpose(x, order);
    return missing.empty() ? x : n.make(op::unsqueeze{}, {x, n.indices(missing)});
}

/// The sum of products of the operands that a formula names axis by axis, as numpy's einsum writes it.
inline output_ref einsum(composer& n, std::string_view equation, view<output_ref> given) {
    std::string formula;
    for (const char each : equation) {
        if (each != ' ') {
            formula += each;
        }
    }
    const std::size_t arrow = formula.find("->");
    std::string left = formula.substr(0, arrow);
    std::vector<std::string> labels;
    std::vector<output_ref> operands;
    if (static_cast<std::size_t>(std::count(left.begin(), left.end(), ',')) + 1 != given.size()) {
        n.wrong({"the equation '", formula.c_str(), "' does not name ", given.size(), " operands"});
    }
    for (std::size_t port = 0, begin = 0; port < given.size(); ++port) {
        const std::size_t comma = std::min(left.find(',', begin), left.size());
        labels.push_back(labels_of(n, std::string_view(left).substr(begin, comma - begin), n.rank(given[port])));
        operands.push_back(without_repeats(n, given[port], labels.back()));
        begin = std::min(comma + 1, left.size());
    }
    std::string every;
    std::string wanted;
    std::size_t dots = 0;
    for (const std::string& each : labels) {
        for (const char label : each) {
            if (every.find(label) == std::string::npos) {
                every += label;
            }
        }
    }
    dots = static_cast<std::size_t>(
        std::count_if(every.begin(), every.end(), [](char c) { return c >= '0' && c <= '9'; }));
    if (arrow != std::string::npos) {
        const std::string right = formula.substr(arrow + 2);
        const std::size_t named = right.find("...") == std::string::npos ? right.size() : right.size() - 3;
        wanted = labels_of(n, right, named == right.size() ? named : named + dots);
    } else {
        // Without an arrow: what stands once, in the order of the alphabet.
        std::string sorted = every;
        std::sort(sorted.begin(), sorted.end());
        for (const char label : sorted) {
            if ((label >= '0' && label <= '9') || std::count(left.begin(), left.end(), label) == 1) {
                wanted += label;
            }
        }
    }
    std::string all = wanted;
    lpt::integers summed;
    for (const char label : every) {
        if (wanted.find(label) == std::string::npos) {
            summed.push_back(static_cast<std::int64_t>(all.size()));
            all += label;
        }
    }
    for (const char label : wanted) {
        if (every.find(label) == std::string::npos) {
            n.wrong({"the label '", std::string(1, label).c_str(), "' of the output is none of an input"});
        }
    }
    // Two operands that share one summed label, which is the last: a matrix product.
    if (operands.size() == 2 && summed.size() == 1 && labels[0].find(all.back()) != std::string::npos &&
        labels[1].find(all.back()) != std::string::npos && wanted.size() >= 2) {
        const std::string outer = wanted.substr(0, wanted.size() - 2);
        const char row = wanted[wanted.size() - 2];
        const char column = wanted.back();
        const auto has = [&](std::size_t which, char label) { return labels[which].find(label) != std::string::npos; };
        for (const std::size_t first : {0u, 1u}) {
            const std::size_t second = 1 - first;
            if (has(first, row) && !has(first, column) && has(second, column) && !has(second, row)) {
                const output_ref a = spread_out(n, operands[first], labels[first], outer + row + all.back());
                const output_ref b = spread_out(n, operands[second], labels[second], outer + all.back() + column);
                return n.make(op::mat_mul{}, {a, b});
            }
        }
    }
    output_ref product;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const output_ref operand = spread_out(n, operands[i], labels[i], all);
        product = product ? n.make(op::multiply{}, {product, operand}) : operand;
    }
    return summed.empty() ? product : n.reduce<op::reduce_sum>(product, summed, false);
}

}  // namespace lpt::inline LPT_ABI::composed
