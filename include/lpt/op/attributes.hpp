// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/op/kind.hpp>
#include <lpt/tensor/tensor.hpp>

namespace lpt::inline LPT_ABI::op {

struct row;
struct user_row;
template <class Op>
struct user_row_of;  // in op/user.hpp: a program with operation types of its own includes it

namespace detail {

template <class Op>
inline constexpr Op empty_value{};

struct attribute_block {
    std::int32_t owners = 1;
    void (*destroy)(attribute_block*) = nullptr;
    bool (*equal)(const attribute_block*, const attribute_block*) = nullptr;
};
// What the library knows of its own types stands in a table; types of users bring it along.
template <bool OfUser>
struct attribute_base : attribute_block {};
template <>
struct attribute_base<true> : attribute_block {
    const user_row* facts = nullptr;
};

}  // namespace detail

/// The operation of a node: its type and the values of its attributes, immutable and shared between copies.
class attributes {
    using block = detail::attribute_block;
    template <class Op>
    struct holder : detail::attribute_base<(Op::number >= kind::count)> {
        Op value;
    };
    template <class Op>
    static constexpr void destroy(block* old) {
        holder<Op>* mine = static_cast<holder<Op>*>(old);
        if (lpt::is_constant_evaluated()) {
            delete mine;
        } else {
            mine->~holder();
            lpt::detail::give_memory(mine, sizeof(holder<Op>));
        }
    }
    template <class Op>
    static holder<Op>* in_pool(Op& value) {
        return ::new (lpt::detail::take_memory(sizeof(holder<Op>))) holder<Op>{{}, lpt::move(value)};
    }
    // Apart from the constructor: compilers copy the body of a constructor, for objects of their own and for bases.
    template <class Op>
    static constexpr block* block_of(Op& value) {
        holder<Op>* made = lpt::is_constant_evaluated() ? new holder<Op>{{}, lpt::move(value)} : in_pool(value);
        made->destroy = &destroy<Op>;
        made->equal = &equal<Op>;
        if constexpr (Op::number >= kind::count) {
            made->facts = &user_row_of<Op>::value;
        }
        return made;
    }
    template <class Op>
    static constexpr bool equal(const block* left, const block* right) {
        return static_cast<const holder<Op>*>(left)->value == static_cast<const holder<Op>*>(right)->value;
    }

    block* block_ = nullptr;
    kind number_ = kind::none;

    constexpr void drop() noexcept {
        if (block_ != nullptr && lpt::detail::was_last_owner(block_->owners)) {
            block_->destroy(block_);
        }
        block_ = nullptr;
    }

public:
    constexpr attributes() noexcept = default;
    template <class Op>
        requires requires { Op::number; }
    constexpr attributes(Op value) : number_(Op::number) {
        if constexpr (Op::number >= kind::count ||
                      !__is_empty(Op)) {  // `std::is_empty_v` is two templates for each type
            block_ = block_of(value);
        }
    }
    constexpr attributes(const attributes& other) noexcept : block_(other.block_), number_(other.number_) {
        if (block_ != nullptr) {
            lpt::detail::add_owner(block_->owners);
        }
    }
    constexpr attributes(attributes&& other) noexcept : block_(other.block_), number_(other.number_) {
        other.block_ = nullptr;
    }
    constexpr attributes& operator=(attributes other) noexcept {
        lpt::detail::swap_values(block_, other.block_);
        number_ = other.number_;
        return *this;
    }
    constexpr ~attributes() {
        if (block_ != nullptr) {
            drop();
        }
    }

    constexpr kind number() const noexcept { return number_; }
    /// What a user's operation type declares; null for types of the library.
    constexpr const user_row* facts_of_user() const noexcept {
        return is_of_user(number_) ? static_cast<const detail::attribute_base<true>*>(block_)->facts : nullptr;
    }
    template <class Op>
    constexpr bool is() const noexcept {
        return number_ == Op::number;
    }
    /// The attributes as the operation's own type; the caller has made sure that `is<Op>()`.
    template <class Op>
    constexpr const Op& as() const {
        if constexpr (__is_empty(Op)) {
            return detail::empty_value<Op>;
        } else {
            return static_cast<const holder<Op>*>(block_)->value;
        }
    }
    constexpr bool equals(const attributes& other) const {
        return number_ == other.number_ && (block_ == other.block_ || block_->equal(block_, other.block_));
    }
    friend constexpr bool operator==(const attributes& left, const attributes& right) { return left.equals(right); }
};

}  // namespace lpt::inline LPT_ABI::op
