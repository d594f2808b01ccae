// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

namespace lpt {

/// A window on `size()` consecutive values that somebody else owns.
template <class T>
class view {
    const T* first_ = nullptr;
    std::size_t count_ = 0;

public:
    using value_type = T;

    constexpr view() noexcept = default;
    constexpr view(const T* first, std::size_t count) noexcept : first_(first), count_(count) {}
    template <std::size_t N>
    constexpr view(const T (&values)[N]) noexcept : first_(values), count_(N) {}
    /// For arguments only: the values live until the end of the full expression.
    constexpr view(std::initializer_list<T> values) noexcept : count_(values.size()) { first_ = values.begin(); }

    constexpr const T* data() const noexcept { return first_; }
    constexpr const T* begin() const noexcept { return first_; }
    constexpr const T* end() const noexcept { return first_ + count_; }
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr bool empty() const noexcept { return count_ == 0; }
    constexpr const T& operator[](std::size_t index) const { return first_[index]; }
    constexpr const T& front() const { return first_[0]; }
    constexpr const T& back() const { return first_[count_ - 1]; }
};

/// A growing sequence that keeps its first `Inline` values inside itself.
///
/// It exists because the standard one costs two to three times as many steps of constant evaluation and does not
/// work there for every element type on every supported compiler. `T` needs a default constructor. Growing moves
/// the values: references to them end with the next insertion.
template <class T, std::size_t Inline = 0>
class seq {
    struct no_storage {};
    struct storage {
        T values[Inline == 0 ? 1 : Inline]{};
    };
    using inline_storage = std::conditional_t<Inline == 0, no_storage, storage>;

    [[no_unique_address]] inline_storage inside_{};
    T* outside_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t room_ = Inline;

    constexpr void take(seq& other) noexcept {
        if (other.outside_ != nullptr) {
            outside_ = other.outside_;
            size_ = other.size_;
            room_ = other.room_;
            other.outside_ = nullptr;
        } else {
            outside_ = nullptr;
            room_ = Inline;
            size_ = other.size_;
            if constexpr (Inline != 0) {
                for (std::uint32_t i = 0; i < size_; ++i) {
                    inside_.values[i] = std::move(other.inside_.values[i]);
                }
            }
        }
        other.size_ = 0;
        other.room_ = Inline;
    }

    constexpr void grow(std::size_t wanted) {
        const std::size_t doubled = std::size_t{room_} * 2;
        const std::size_t room = wanted > doubled ? wanted : doubled;
        T* bigger = new T[room]();
        T* old = data();
        for (std::uint32_t i = 0; i < size_; ++i) {
            bigger[i] = std::move(old[i]);
        }
        delete[] outside_;
        outside_ = bigger;
        room_ = static_cast<std::uint32_t>(room);
    }

public:
    using value_type = T;

    constexpr seq() noexcept = default;
    constexpr seq(std::initializer_list<T> values) { append(view<T>(values.begin(), values.size())); }
    constexpr explicit seq(view<T> values) { append(values); }
    constexpr seq(std::size_t count, const T& value) { resize(count, value); }
    constexpr seq(const seq& other) { append(view<T>(other.data(), other.size())); }
    constexpr seq(seq&& other) noexcept { take(other); }
    constexpr seq& operator=(const seq& other) {
        if (this != &other) {
            seq copy(other);
            delete[] outside_;
            outside_ = nullptr;
            take(copy);
        }
        return *this;
    }
    constexpr seq& operator=(seq&& other) noexcept {
        if (this != &other) {
            delete[] outside_;
            outside_ = nullptr;
            take(other);
        }
        return *this;
    }
    constexpr ~seq() { delete[] outside_; }

    constexpr T* data() noexcept {
        if constexpr (Inline != 0) {
            return outside_ != nullptr ? outside_ : inside_.values;
        } else {
            return outside_;
        }
    }
    constexpr const T* data() const noexcept {
        if constexpr (Inline != 0) {
            return outside_ != nullptr ? outside_ : inside_.values;
        } else {
            return outside_;
        }
    }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    /// The number of values that there is room for without growing.
    constexpr std::size_t capacity() const noexcept { return room_; }
    constexpr T* begin() noexcept { return data(); }
    constexpr T* end() noexcept { return data() + size_; }
    constexpr const T* begin() const noexcept { return data(); }
    constexpr const T* end() const noexcept { return data() + size_; }
    constexpr T& operator[](std::size_t index) { return data()[index]; }
    constexpr const T& operator[](std::size_t index) const { return data()[index]; }
    constexpr T& front() { return data()[0]; }
    constexpr const T& front() const { return data()[0]; }
    constexpr T& back() { return data()[size_ - 1]; }
    constexpr const T& back() const { return data()[size_ - 1]; }
    constexpr operator view<T>() const noexcept { return view<T>(data(), size_); }

    constexpr void reserve(std::size_t room) {
        if (room > room_) {
            grow(room);
        }
    }
    constexpr T& push_back(T value) {
        if (size_ == room_) {
            grow(std::size_t{size_} + (Inline == 0 && size_ == 0 ? 2 : 1));
        }
        T& place = data()[size_++];
        place = std::move(value);
        return place;
    }
    constexpr void append(view<T> values) {
        reserve(size_ + values.size());
        for (const T& value : values) {
            push_back(value);
        }
    }
    constexpr void resize(std::size_t count, const T& value = T{}) {
        if (count < size_) {
            for (std::size_t i = count; i < size_; ++i) {
                data()[i] = T{};
            }
            size_ = static_cast<std::uint32_t>(count);
            return;
        }
        reserve(count);
        while (size_ < count) {
            data()[size_++] = value;
        }
    }
    constexpr void pop_back() { data()[--size_] = T{}; }
    constexpr void clear() { resize(0); }
    constexpr void insert(std::size_t index, T value) {
        push_back(T{});
        T* values = data();
        for (std::size_t i = size_ - 1; i > index; --i) {
            values[i] = std::move(values[i - 1]);
        }
        values[index] = std::move(value);
    }
    constexpr void erase(std::size_t index) {
        T* values = data();
        for (std::size_t i = index; i + 1 < size_; ++i) {
            values[i] = std::move(values[i + 1]);
        }
        pop_back();
    }
    /// Removes the value at `index` in constant time; the last value takes its place.
    constexpr void erase_unordered(std::size_t index) {
        T* values = data();
        if (index + 1 != size_) {
            values[index] = std::move(values[size_ - 1]);
        }
        pop_back();
    }
    constexpr bool contains(const T& value) const {
        for (const T& each : *this) {
            if (each == value) {
                return true;
            }
        }
        return false;
    }

    friend constexpr bool operator==(const seq& left, const seq& right) {
        if (left.size_ != right.size_) {
            return false;
        }
        for (std::size_t i = 0; i < left.size_; ++i) {
            if (!(left[i] == right[i])) {
                return false;
            }
        }
        return true;
    }
};

}  // namespace lpt
