// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <cstddef>
#include <initializer_list>

namespace lpt::inline LPT_ABI {

namespace detail {

// Views and sequences exist for a hundred types, and a compiler makes each of their functions anew for each type. What
// does not depend on the type therefore lives in bases that are no templates, and the rest calls few other functions.

class view_size {
protected:
    std::size_t count_ = 0;
    constexpr view_size() noexcept = default;
    constexpr explicit view_size(std::size_t count) noexcept : count_(count) {}

public:
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr bool empty() const noexcept { return count_ == 0; }
};

}  // namespace detail

/// A window on `size()` consecutive values that somebody else owns.
template <class T>
class view : public detail::view_size {
    const T* first_ = nullptr;

public:
    using value_type = T;

    constexpr view() noexcept = default;
    constexpr view(const T* first, std::size_t count) noexcept : view_size(count), first_(first) {}
    template <std::size_t N>
    constexpr view(const T (&values)[N]) noexcept : view_size(N), first_(values) {}
    /// For arguments only: the values live until the end of the full expression.
    constexpr view(std::initializer_list<T> values) noexcept : view_size(values.size()) { first_ = values.begin(); }

    constexpr const T* data() const noexcept { return first_; }
    constexpr const T* begin() const noexcept { return first_; }
    constexpr const T* end() const noexcept { return first_ + count_; }
    constexpr const T& operator[](std::size_t index) const { return first_[index]; }
    constexpr const T& front() const { return first_[0]; }
    constexpr const T& back() const { return first_[count_ - 1]; }

    constexpr bool contains(const T& value) const {
        for (const T& each : *this) {
            if (each == value) {
                return true;
            }
        }
        return false;
    }
    constexpr bool equals(const view& other) const {
        if (size() != other.size()) {
            return false;
        }
        for (std::size_t i = 0; i < size(); ++i) {
            if (!(first_[i] == other.first_[i])) {
                return false;
            }
        }
        return true;
    }
    friend constexpr bool operator==(const view& left, const view& right) { return left.equals(right); }
};

}  // namespace lpt::inline LPT_ABI
