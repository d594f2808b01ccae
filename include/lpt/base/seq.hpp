// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/memory.hpp>
#include <lpt/base/move.hpp>
#include <lpt/base/platform.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/base/view.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace lpt::inline LPT_ABI {

namespace detail {

class seq_size {
protected:
    std::uint32_t size_ = 0;
    std::uint32_t room_;
    constexpr explicit seq_size(std::uint32_t room) noexcept : room_(room) {}
    static constexpr std::size_t most = 0xFFFFFFFF;
    /// At least twice the room. Raises a `memory_error` for more values than a sequence can count.
    constexpr std::size_t larger_room(std::size_t wanted, std::size_t size_of_value) const {
        if (wanted > most) [[unlikely]] {
            raise_no_memory(wanted > SIZE_MAX / size_of_value ? SIZE_MAX : wanted * size_of_value);
        }
        const std::size_t doubled = std::size_t{room_} * 2;
        return wanted > doubled ? wanted : doubled < most ? doubled : most;
    }
    static void clear_memory(void* memory, std::size_t size) noexcept {
        if (size != 0) {
            __builtin_memset(memory, 0, size);
        }
    }
    static void give_back(void* memory, std::size_t size) noexcept {
        if (memory != nullptr) {
            give_memory(memory, size);
        }
    }
    /// Moves bytes into new memory with room for `wanted` values of `size_of_value` bytes, and gives it; frees the `old` one.
    [[gnu::returns_nonnull, gnu::noinline]] void* grown(const void* values, void* old, std::size_t wanted,
                                                        std::size_t size_of_value) {
        const std::size_t room = larger_room(wanted, size_of_value);
        void* result = take_memory(room * size_of_value);
        if (size_ != 0) {
            __builtin_memcpy(result, values, size_ * size_of_value);
        }
        give_back(old, room_ * size_of_value);
        room_ = static_cast<std::uint32_t>(room);
        return result;
    }

public:
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    /// The number of values that there is room for without growing.
    constexpr std::size_t capacity() const noexcept { return room_; }
};

template <class T, std::size_t Count>
struct inline_values {
    T values[Count]{};
};
template <class T>
struct inline_values<T, 0> {};

/// Copies values to a place that does not overlap with them.
template <class T>
constexpr void copy_values(T* to, const T* from, std::size_t count) {
    if constexpr (__is_trivially_copyable(T)) {
        if (!lpt::is_constant_evaluated()) {
            if (count != 0) {
                __builtin_memcpy(to, from, count * sizeof(T));
            }
            return;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = from[i];
    }
}

}  // namespace detail

/// A growing sequence that keeps its first `Inline` values inside itself.
///
/// It exists because the standard one costs two to three times as many steps of constant evaluation and does not
/// work there for every element type on every supported compiler. `T` needs a default constructor. Growing moves
/// the values: references to them end with the next insertion. It holds 2^32 - 1 values at most; raises a `memory_error` for more, and
/// for memory that cannot be had.
template <class T, std::size_t Inline = 0>
class seq : public detail::seq_size {
    template <class, std::size_t>
    friend class seq;

    LPT_NO_UNIQUE_ADDRESS detail::inline_values<T, Inline> inside_{};
    T* outside_ = nullptr;

    // A single place inside is copied without asking whether it is used.
    static constexpr bool copies_only_place = Inline == 1 && !__is_trivially_copyable(T);

    // Copying all places inside, used or not, takes fewer steps than asking how many are used.
    static constexpr bool copies_whole = Inline != 0 && Inline * sizeof(T) <= 64 && __is_trivially_copyable(T);

    // Places that are not used hold `T{}`, but for trivially copyable types: there they hold anything, and their memory is
    // that of small objects.
    static constexpr bool is_trivial = __is_trivially_copyable(T);

    // The only one who frees: each `delete[]` is a loop to compile.
    constexpr void drop() noexcept {
        if constexpr (is_trivial) {
            if (!lpt::is_constant_evaluated()) {
                return give_back(outside_, room_ * sizeof(T));
            }
        }
        delete[] outside_;
    }
    constexpr void take(seq& other) noexcept {
        outside_ = other.outside_;
        room_ = other.room_;
        size_ = other.size_;
        if constexpr (copies_whole) {
            inside_ = other.inside_;
        } else if constexpr (Inline != 0) {
            for (std::uint32_t i = 0; outside_ == nullptr && i < size_; ++i) {
                inside_.values[i] = static_cast<T&&>(other.inside_.values[i]);
                other.inside_.values[i] = T{};
            }
        }
        other.outside_ = nullptr;
        other.size_ = 0;
        other.room_ = Inline;
    }

    constexpr void grow(std::size_t wanted) {
        if constexpr (is_trivial) {
            if (!lpt::is_constant_evaluated()) {
                outside_ = static_cast<T*>(grown(data(), outside_, wanted, sizeof(T)));
                return;
            }
        }
        const std::size_t room = larger_room(wanted, sizeof(T));
        T* old = data();
        T* bigger = new T[room]();
        for (std::uint32_t i = 0; i < size_; ++i) {
            bigger[i] = static_cast<T&&>(old[i]);
        }
        drop();
        outside_ = bigger;
        room_ = static_cast<std::uint32_t>(room);
    }

    /// The size becomes `count`, which is smaller.
    constexpr void forget_behind(std::size_t count) {
        if constexpr (!is_trivial) {
            T* values = data();
            for (std::size_t i = count; i < size_; ++i) {
                values[i] = T{};
            }
        }
        size_ = static_cast<std::uint32_t>(count);
    }

    [[gnu::noinline]] constexpr void append(const T* values, std::size_t count) {
        if (size_ + count > room_) {
            grow(size_ + count);
        }
        detail::copy_values(data() + size_, values, count);
        size_ += static_cast<std::uint32_t>(count);
    }

    /// Apart from the operator, so that what is nearly always enough there needs no call.
    [[gnu::noinline]] constexpr void assign(const seq& other) {
        if constexpr (__is_trivially_copyable(T)) {
            if (other.size_ <= room_) {  // into the places that are there
                detail::copy_values(data(), other.data(), other.size_);
                size_ = other.size_;
                return;
            }
        }
        seq copy(other);
        drop();
        take(copy);
    }

public:
    using value_type = T;

    constexpr seq() noexcept : seq_size(Inline) {}
    constexpr seq(std::initializer_list<T> values) : seq_size(Inline) {
        if constexpr (copies_whole && Inline <= 4) {  // without a call
            if (values.size() <= Inline) {
                for (std::size_t i = 0; i < Inline; ++i) {
                    if (i < values.size()) {
                        inside_.values[i] = values.begin()[i];
                    }
                }
                size_ = static_cast<std::uint32_t>(values.size());
                return;
            }
        }
        append(values.begin(), values.size());
    }
    constexpr explicit seq(view<T> values) : seq_size(Inline) { append(values.data(), values.size()); }
    constexpr seq(std::size_t count, const T& value) : seq_size(Inline) { resize(count, value); }
    constexpr seq(const seq& other) : seq_size(Inline) {
        if constexpr (copies_whole) {
            if (other.outside_ == nullptr) {
                inside_ = other.inside_;
                size_ = other.size_;
                return;
            }
        } else if constexpr (copies_only_place) {
            if (other.outside_ == nullptr) {
                inside_.values[0] = other.inside_.values[0];
                size_ = other.size_;
                return;
            }
        }
        if (other.size_ != 0) {
            append(other.data(), other.size_);
        }
    }
    constexpr seq(seq&& other) noexcept : seq_size(Inline) { take(other); }
    constexpr seq& operator=(const seq& other) {
        if constexpr (copies_whole) {
            if (outside_ == nullptr && other.outside_ == nullptr) {
                inside_ = other.inside_;
                size_ = other.size_;
                return *this;
            }
        }
        if (this != &other && (size_ != 0 || other.size_ != 0)) {
            assign(other);
        }
        return *this;
    }
    constexpr seq& operator=(seq&& other) noexcept {
        if (this != &other) {
            drop();
            take(other);
        }
        return *this;
    }
    constexpr ~seq() {
        if (outside_ != nullptr) {
            drop();
        }
    }

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

    /// Takes the values of a sequence without places inside: they move in if there are few, else their memory is taken over.
    constexpr void take_over(seq<T, 0>& other) {
        if (other.size_ <= Inline) {
            clear();
            return append(other.data(), other.size_);
        }
        drop();
        outside_ = other.outside_;
        room_ = other.room_;
        size_ = other.size_;
        other.outside_ = nullptr;
        other.size_ = 0;
        other.room_ = 0;
    }
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
        place = static_cast<T&&>(value);
        return place;
    }
    constexpr void append(view<T> values) { append(values.data(), values.size()); }
    constexpr void resize(std::size_t count, const T& value) {
        if (count < size_) {
            return forget_behind(count);
        }
        if (count > room_) {
            grow(count);
        }
        T* values = data();
        for (std::size_t i = size_; i < count; ++i) {
            values[i] = value;
        }
        size_ = static_cast<std::uint32_t>(count);
    }
    /// New values are `T{}`.
    constexpr void resize(std::size_t count) {
        if (count < size_) {
            return forget_behind(count);
        }
        if (count > room_) {
            grow(count);
        }
        if constexpr (is_trivial) {
            T* values = data();
            if constexpr (__is_trivial(T)) {  // T{} is zeros
                if (!lpt::is_constant_evaluated()) {
                    clear_memory(values + size_, (count - size_) * sizeof(T));
                    size_ = static_cast<std::uint32_t>(count);
                    return;
                }
            }
            for (std::size_t i = size_; i < count; ++i) {
                values[i] = T{};
            }
        }
        size_ = static_cast<std::uint32_t>(count);
    }
    /// Like `resize`, for callers that write each value: at run time new values of trivial types are anything.
    constexpr void resize_for_overwrite(std::size_t count) {
        if constexpr (is_trivial) {
            if (!lpt::is_constant_evaluated()) {
                reserve(count);
                size_ = static_cast<std::uint32_t>(count);
                return;
            }
        }
        resize(count);
    }
    constexpr void pop_back() { forget_behind(size_ - 1); }
    constexpr void clear() { forget_behind(0); }
    constexpr void insert(std::size_t index, T value) {
        push_back(T{});
        T* values = data();
        for (std::size_t i = size_ - 1; i > index; --i) {
            values[i] = static_cast<T&&>(values[i - 1]);
        }
        values[index] = static_cast<T&&>(value);
    }
    constexpr void erase(std::size_t index) {
        T* values = data();
        for (std::size_t i = index; i + 1 < size_; ++i) {
            values[i] = static_cast<T&&>(values[i + 1]);
        }
        pop_back();
    }
    /// Removes the value at `index` in constant time; the last value takes its place.
    constexpr void erase_unordered(std::size_t index) {
        T* values = data();
        if (index + 1 != size_) {
            values[index] = static_cast<T&&>(values[size_ - 1]);
        }
        pop_back();
    }
    constexpr bool contains(const T& value) const { return view<T>(*this).contains(value); }

    constexpr bool equals(const seq& other) const { return view<T>(*this).equals(view<T>(other)); }
    friend constexpr bool operator==(const seq& left, const seq& right) { return left.equals(right); }
};

}  // namespace lpt::inline LPT_ABI
