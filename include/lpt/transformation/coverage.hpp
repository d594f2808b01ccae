// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/pattern.hpp>

/// Which patterns accept everything that another one accepts: the ground of the checks of rules and pipelines.
namespace lpt::inline LPT_ABI {

namespace detail {

/// Compares two patterns. Says yes only where it is certain.
class coverage {
    view<pattern_part> wide_;
    view<pattern_part> narrow_;
    seq<int, 8> partner_;  // which capture of the narrow pattern stands at a capture of the wide one

    using role = pattern_part::role;

    /// The place behind a part and everything below it.
    static constexpr std::size_t behind(view<pattern_part> parts, std::size_t at) {
        std::size_t open = 1;
        while (open != 0) {
            open += parts[at].inputs > 0 ? static_cast<std::size_t>(parts[at].inputs) : 0u;
            --open;
            ++at;
        }
        return at;
    }
    /// True if one of the alternatives at `wide` covers the part at `narrow`.
    constexpr bool any_covers(std::size_t wide, std::size_t narrow) {
        std::size_t each = wide + 1;
        for (int i = 0; i < wide_[wide].inputs; ++i, each = behind(wide_, each)) {
            const seq<int, 8> before = partner_;
            if (covers(each, narrow)) {
                return true;
            }
            partner_ = before;
        }
        return false;
    }
    constexpr bool covers_all_of(std::size_t wide, std::size_t narrow) {
        std::size_t each = narrow + 1;
        for (int i = 0; i < narrow_[narrow].inputs; ++i, each = behind(narrow_, each)) {
            if (!covers(wide, each)) {
                return false;
            }
        }
        return true;
    }
    /// A number that stands twice in the wide pattern means one and the same tensor, so it must do so in the narrow one.
    constexpr bool same_tensor(std::size_t wide, std::size_t narrow) {
        if (wide_[wide].capture < 0) {
            return true;
        }
        const auto number = static_cast<std::size_t>(wide_[wide].capture);
        partner_.resize(partner_.size() > number ? partner_.size() : number + 1, none);
        if (partner_[number] == none) {
            partner_[number] = narrow_[narrow].capture < 0 ? unnamed : narrow_[narrow].capture;
            return true;
        }
        return partner_[number] >= 0 && partner_[number] == narrow_[narrow].capture;
    }
    constexpr bool covers_inputs(std::size_t wide, std::size_t narrow, bool swapped) {
        const int count = wide_[wide].inputs;
        std::size_t first = wide + 1;
        std::size_t second = narrow + 1;
        if (swapped) {
            const std::size_t other = behind(narrow_, second);
            return covers(first, other) && covers(behind(wide_, first), second);
        }
        for (int port = 0; port < count; ++port) {
            const bool there = port < narrow_[narrow].inputs;
            if (there ? (narrow_[second].optional && !wide_[first].optional) || !covers(first, second)
                      : !wide_[first].optional) {
                return false;
            }
            first = behind(wide_, first);
            second = there ? behind(narrow_, second) : second;
        }
        return narrow_[narrow].inputs <= count;
    }
    constexpr bool covers_operation(std::size_t wide, std::size_t narrow) {
        const pattern_part& a = wide_[wide];
        const pattern_part& b = narrow_[narrow];
        if (b.what != role::operation || a.operation != b.operation || (a.sole_reader && !b.sole_reader)) {
            return false;
        }
        if (a.inputs < 0 || b.inputs < 0) {
            return a.inputs < 0;
        }
        const seq<int, 8> before = partner_;
        if (covers_inputs(wide, narrow, false)) {
            return true;
        }
        partner_ = before;
        return a.either_order && b.inputs == 2 && covers_inputs(wide, narrow, true);
    }

    static constexpr int none = -2;
    static constexpr int unnamed = -1;

public:
    constexpr coverage(view<pattern_part> wide, view<pattern_part> narrow) : wide_(wide), narrow_(narrow) {}

    constexpr bool covers(std::size_t wide, std::size_t narrow) {
        if (narrow_[narrow].what == role::one_of) {
            return covers_all_of(wide, narrow);
        }
        if ((narrow_[narrow].types & ~wide_[wide].types) != 0) {
            return false;
        }
        switch (wide_[wide].what) {
            case role::anything: return same_tensor(wide, narrow);
            case role::one_of: return any_covers(wide, narrow);
            case role::constant:
                return (narrow_[narrow].what == role::constant ||
                        (narrow_[narrow].what == role::operation && narrow_[narrow].operation == op::kind::constant)) &&
                       same_tensor(wide, narrow);
            case role::operation: return covers_operation(wide, narrow);
        }
        return false;
    }
};

}  // namespace detail

/// True if every graph that `narrow` describes matches `wide`. Patterns that differ in ways that cannot be decided count as not covered.
constexpr bool covers(view<pattern_part> wide, view<pattern_part> narrow) {
    return detail::coverage(wide, narrow).covers(0, 0);
}

}  // namespace lpt::inline LPT_ABI
