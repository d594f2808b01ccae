// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/null.hpp>
#include <lpt/base/platform.hpp>
#include <lpt/base/seq.hpp>
#include <lpt/base/shared.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/tensor/math.hpp>

namespace lpt::inline LPT_ABI {

/// What is known of values that have yet to be computed, so that simple questions about them do not make anybody compute them.
struct late_facts {
    double bound = math::infinity;  // all are numbers, none larger in magnitude; infinity: that is not known
    double first = math::not_a_number;  // the first two values; NaN: not known
    double second = math::not_a_number;
};

/// Bytes that are computed when somebody reads them for the first time, from any thread.
class late_bytes {
    void* recipe_;
    const std::byte* (*make_)(void* recipe);
    void (*forget_)(void* recipe);
    const std::byte* made_ = nullptr;
    int depth_;
    bool busy_ = false;
    late_facts facts_;

    struct turn {
        bool& busy;
        explicit turn(bool& one_at_a_time) : busy(one_at_a_time) {
            while (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
                detail::give_way();
            }
        }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        ~turn() { __atomic_store_n(&busy, false, __ATOMIC_RELEASE); }
    };
    const std::byte* data_in_turn() {
        const turn mine(busy_);
        if (made_ == nullptr) {
            __atomic_store_n(&made_, make_(recipe_), __ATOMIC_RELEASE);
        }
        return made_;
    }

public:
    /// `make` is called once and gives the bytes, which the recipe keeps until `forget`. `depth`: how many recipes it uses one
    /// through the other, itself counted.
    late_bytes(void* recipe, const std::byte* (*make)(void*), void (*forget)(void*), int depth = 1,
               const late_facts& facts = {})
        : recipe_(recipe), make_(make), forget_(forget), depth_(depth), facts_(facts) {}
    static void* operator new(std::size_t size) { return detail::take_memory(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { detail::give_memory(memory, size); }
    late_bytes(const late_bytes&) = delete;
    late_bytes& operator=(const late_bytes&) = delete;
    ~late_bytes() { forget_(recipe_); }

    const std::byte* data() {
        const std::byte* known = __atomic_load_n(&made_, __ATOMIC_ACQUIRE);
        return known != nullptr ? known : data_in_turn();
    }
    int depth() const noexcept { return depth_; }
    bool was_read() const noexcept { return __atomic_load_n(&made_, __ATOMIC_ACQUIRE) != nullptr; }
    const late_facts& facts() const noexcept { return facts_; }
};

/// Immutable bytes: owned, to be computed, or a window into memory that somebody else keeps, for instance a mapped file.
class bytes {
    seq<std::byte, 16> own_;  // scalars need no memory of their own
    const std::byte* first_ = nullptr;
    std::size_t size_ = 0;
    void (*release_)(void*) = nullptr;
    void* keeper_ = nullptr;
    void (*put_aside_)(void* keeper, const std::byte* first, std::size_t size) = nullptr;
    late_bytes* late_ = nullptr;

    constexpr const std::byte* own_or_window() const noexcept { return size_ != 0 ? first_ : own_.data(); }
    constexpr void let_go() {
        if (release_ != nullptr) {
            release_(keeper_);
        }
        release_ = nullptr;
        if (late_ != nullptr) {
            delete late_;
        }
    }

public:
    constexpr bytes() = default;
    constexpr explicit bytes(seq<std::byte> own) { own_.take_over(own); }
    constexpr explicit bytes(seq<std::byte, 16> own) : own_(lpt::move(own)) {}
    constexpr explicit bytes(float one);
    /// A window on `size` bytes at `first`; `release(keeper)` is called when the last owner is gone. `forget(keeper, first, size)`,
    /// if there is one, lets the system take the memory of these bytes back until they are read again.
    constexpr bytes(const std::byte* first, std::size_t size, void (*release)(void*), void* keeper,
                    void (*forget)(void*, const std::byte*, std::size_t) = nullptr)
        : first_(first), size_(size), release_(release), keeper_(keeper), put_aside_(forget) {}
    /// `size` bytes that are computed when they are read; takes `late`, made with `new`, over.
    bytes(late_bytes* late, std::size_t size) : size_(size), late_(late) {}
    constexpr bytes(bytes&& other) noexcept
        : own_(lpt::move(other.own_)),
          first_(other.first_),
          size_(other.size_),
          release_(other.release_),
          keeper_(other.keeper_),
          put_aside_(other.put_aside_),
          late_(other.late_) {
        other.release_ = nullptr;
        other.late_ = nullptr;
    }
    bytes(const bytes&) = delete;
    bytes& operator=(const bytes&) = delete;
    bytes& operator=(bytes&&) = delete;
    constexpr ~bytes() { let_go(); }

    // No address is compared: with sanitizers g++ does not do that in constant expressions.
    constexpr const std::byte* data() const { return late_ != nullptr ? late_->data() : own_or_window(); }
    /// How many recipes stand one behind the other until these bytes are there; 0 for bytes that never had to be computed.
    constexpr int late_depth() const noexcept { return is_null(late_) ? 0 : late_->depth(); }
    /// True for bytes that have yet to be computed.
    constexpr bool waits() const noexcept { return !is_null(late_) && !late_->was_read(); }
    /// What is known of bytes that have yet to be computed.
    const late_facts& facts_while_waiting() const noexcept { return late_->facts(); }
    /// Null where nobody has read them yet.
    constexpr const std::byte* data_if_known() const noexcept { return late_ != nullptr ? nullptr : own_or_window(); }
    constexpr std::size_t size() const noexcept { return size_ != 0 || late_ != nullptr ? size_ : own_.size(); }
    /// True for a window into memory of somebody else.
    constexpr bool is_window() const noexcept { return size_ != 0 && late_ == nullptr; }
    /// Nobody reads these bytes for a while.
    void put_aside() const {
        if (put_aside_ != nullptr) {
            put_aside_(keeper_, first_, size_);
        }
    }
};

namespace detail {

template <std::size_t Count>
struct byte_array {
    std::byte values[Count];
};

template <class Value>
constexpr Value load(const std::byte* from) {
    if (lpt::is_constant_evaluated()) {
        byte_array<sizeof(Value)> raw{};
        for (std::size_t i = 0; i < sizeof(Value); ++i) {
            raw.values[i] = from[i];
        }
        return __builtin_bit_cast(Value, raw);
    }
    Value value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

template <class Value>
constexpr void store(std::byte* to, Value value) {
    if (lpt::is_constant_evaluated()) {
        const auto raw = __builtin_bit_cast(byte_array<sizeof(Value)>, value);
        for (std::size_t i = 0; i < sizeof(Value); ++i) {
            to[i] = raw.values[i];
        }
    } else {
        __builtin_memcpy(to, &value, sizeof value);
    }
}

}  // namespace detail

constexpr void copy_bytes(std::byte* to, const std::byte* from, std::size_t count) {
    if (lpt::is_constant_evaluated()) {
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = from[i];
        }
    } else if (count != 0) {  // an empty tensor has no bytes to point at
        __builtin_memcpy(to, from, count);
    }
}

constexpr bytes::bytes(float one) {
    own_.resize(sizeof one);
    detail::store(own_.data(), one);
}

}  // namespace lpt::inline LPT_ABI
