// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/shared.hpp>
#include <lpt/base/traits.hpp>

namespace lpt::inline LPT_ABI {

/// A window on characters that somebody else owns.
class text_view {
    const char* first_ = "";
    std::size_t count_ = 0;

    static constexpr std::size_t length(const char* characters) {
        // The length of a literal is known to the compiler, which counts hundreds of names faster than it runs this loop.
        if (__builtin_constant_p(__builtin_strlen(characters))) {
            return __builtin_strlen(characters);
        }
        std::size_t count = 0;
        while (characters[count] != '\0') {
            ++count;
        }
        return count;
    }

public:
    constexpr text_view() noexcept = default;
    constexpr text_view(const char* characters) : first_(characters), count_(length(characters)) {}
    constexpr text_view(const char* characters, std::size_t count) noexcept : first_(characters), count_(count) {}

    constexpr const char* data() const noexcept { return first_; }
    constexpr const char* begin() const noexcept { return first_; }
    constexpr const char* end() const noexcept { return first_ + count_; }
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr bool empty() const noexcept { return count_ == 0; }
    constexpr char operator[](std::size_t index) const { return first_[index]; }
    constexpr text_view substr(std::size_t from, std::size_t count = static_cast<std::size_t>(-1)) const {
        const std::size_t left = from < count_ ? count_ - from : 0;
        return {first_ + (from < count_ ? from : count_), count < left ? count : left};
    }
    constexpr bool starts_with(text_view head) const { return substr(0, head.size()) == head; }
    constexpr bool ends_with(text_view tail) const {
        return count_ >= tail.size() && substr(count_ - tail.size()) == tail;
    }

    friend constexpr bool operator==(text_view left, text_view right) {
        if (left.count_ != right.count_) {
            return false;
        }
        for (std::size_t i = 0; i < left.count_; ++i) {
            if (left.first_[i] != right.first_[i]) {
                return false;
            }
        }
        return true;
    }
    friend constexpr bool operator<(text_view left, text_view right) {
        for (std::size_t i = 0; i < left.count_ && i < right.count_; ++i) {
            if (left.first_[i] != right.first_[i]) {
                return left.first_[i] < right.first_[i];
            }
        }
        return left.count_ < right.count_;
    }
};

/// Characters that copies share until one of them is changed; works in constant expressions on every supported compiler,
/// which `std::string` does not.
class text {
    struct block {
        std::int32_t owners;
        std::uint32_t size;
        std::uint32_t room;  // for characters, without the '\0' behind them
        char* characters;  // at run time they lie behind the block, in the same memory
    };
    block* block_ = nullptr;

    static block* new_block_in_one_piece(std::uint32_t room) {
        void* memory = detail::take_memory(sizeof(block) + room + 1);
        return ::new (memory) block{1, 0, room, static_cast<char*>(memory) + sizeof(block)};
    }
    static constexpr block* new_block(std::size_t room) {
        const auto count = static_cast<std::uint32_t>(room);
        if (!lpt::is_constant_evaluated()) {
            return new_block_in_one_piece(count);
        }
        return new block{1, 0, count, new char[room + 1]()};
    }
    constexpr void drop() noexcept {
        if (block_ == nullptr || !detail::was_last_owner(block_->owners)) {
            return;
        }
        if (lpt::is_constant_evaluated()) {
            delete[] block_->characters;
            delete block_;
        } else {
            detail::give_memory(block_, sizeof(block) + block_->room + 1);
        }
    }
    constexpr bool has_room_for(std::size_t more) const {
        return block_ != nullptr && block_->size + more <= block_->room && detail::is_only_owner(block_->owners);
    }
    constexpr void put(const char* characters, std::size_t count) {
        detail::copy_values(block_->characters + block_->size, characters, count);
        block_->size += static_cast<std::uint32_t>(count);
        block_->characters[block_->size] = '\0';
    }

public:
    constexpr text() = default;
    constexpr text(text_view characters) { append(characters); }
    /// Both, one behind the other.
    constexpr text(text_view head, text_view tail) {
        if (head.size() + tail.size() != 0) {
            block_ = new_block(head.size() + tail.size());
            put(head.data(), head.size());
            put(tail.data(), tail.size());
        }
    }
    constexpr text(const char* characters) { append(text_view(characters)); }
    constexpr text(const text& other) noexcept : block_(other.block_) {
        if (block_ != nullptr) {
            detail::add_owner(block_->owners);
        }
    }
    constexpr text(text&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
    constexpr text& operator=(text other) noexcept {
        detail::swap_values(block_, other.block_);
        return *this;
    }
    constexpr ~text() {
        if (block_ != nullptr) {
            drop();
        }
    }

    constexpr std::size_t size() const noexcept { return block_ == nullptr ? 0 : block_->size; }
    constexpr bool empty() const noexcept { return block_ == nullptr; }
    constexpr const char* c_str() const noexcept { return block_ == nullptr ? "" : block_->characters; }
    constexpr text_view view() const noexcept { return {c_str(), size()}; }
    constexpr operator text_view() const noexcept { return view(); }

    constexpr text& append(text_view more) {
        if (more.empty()) {
            return *this;
        }
        if (has_room_for(more.size())) {
            put(more.data(), more.size());
            return *this;
        }
        // Into new characters: `more` may be a part of this text. One that is only made, not appended to, has no room to spare.
        text longer;
        longer.block_ = new_block(2 * size() + more.size());
        longer.put(c_str(), size());
        longer.put(more.data(), more.size());
        detail::swap_values(block_, longer.block_);
        return *this;
    }
    template <class Boolean>
        requires is_same<Boolean, bool>
    constexpr text& append(Boolean value) {
        return append(value ? text_view("true") : text_view("false"));
    }
    template <class Integer>
        requires(is_integer_type<Integer> && !is_same<Integer, bool> && !is_same<Integer, char>)
    constexpr text& append(Integer value) {
        char digits[24]{};
        std::size_t at = sizeof digits;
        const bool negative = value < 0;
        auto rest = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
        do {
            digits[--at] = static_cast<char>('0' + rest % 10);
            rest /= 10;
        } while (rest != 0);
        if (negative) {
            digits[--at] = '-';
        }
        return append(text_view(digits + at, sizeof digits - at));
    }
    constexpr text& append(const char* more) { return append(text_view(more)); }
    constexpr text& append(char value) { return append(text_view(&value, 1)); }
    /// Appends the shortest decimal form with at most nine significant digits; `inf`, `-inf` and `nan` by name.
    constexpr text& append(double value) {
        if (value != value) {
            return append(text_view("nan"));
        }
        if (value < 0) {
            append('-');
            value = -value;
        }
        if (value > 1.7976931348623157e308) {
            return append(text_view("inf"));
        }
        if (value == 0) {
            return append('0');
        }
        int exponent = 0;
        while (value >= 10) {
            value /= 10;
            ++exponent;
        }
        while (value < 1) {
            value *= 10;
            --exponent;
        }
        auto digits = static_cast<std::uint64_t>(value * 1e8 + 0.5);
        if (digits >= 1000000000) {
            digits /= 10;
            ++exponent;
        }
        int count = 9;
        while (count > 1 && digits % 10 == 0) {
            digits /= 10;
            --count;
        }
        char figures[10]{};
        for (int i = count - 1; i >= 0; --i) {
            figures[i] = static_cast<char>('0' + digits % 10);
            digits /= 10;
        }
        return append_figures(text_view(figures, static_cast<std::size_t>(count)), exponent);
    }

    constexpr bool equals(text_view other) const { return view() == other; }
    constexpr bool equals(const text& other) const { return view() == other.view(); }
    constexpr bool is_before(const text& other) const { return view() < other.view(); }
    friend constexpr bool operator==(const text& left, const text& right) { return left.equals(right); }
    friend constexpr bool operator==(const text& left, text_view right) { return left.equals(right); }
    friend constexpr bool operator==(const text& left, const char* right) { return left.equals(text_view(right)); }
    friend constexpr bool operator<(const text& left, const text& right) { return left.is_before(right); }

private:
    constexpr text& append_figures(text_view figures, int exponent) {
        const auto count = static_cast<int>(figures.size());
        if (exponent < -5 || exponent > 14) {
            append(figures.substr(0, 1));
            if (count > 1) {
                append('.').append(figures.substr(1));
            }
            return append('e').append(exponent);
        }
        if (exponent < 0) {
            append(text_view("0."));
            for (int i = -1; i > exponent; --i) {
                append('0');
            }
            return append(figures);
        }
        for (int i = 0; i <= exponent; ++i) {
            append(i < count ? figures[static_cast<std::size_t>(i)] : '0');
        }
        if (count > exponent + 1) {
            append('.').append(figures.substr(static_cast<std::size_t>(exponent) + 1));
        }
        return *this;
    }
};

/// A part of a message: words, a character, a number, or an object that a function `append_to` writes. It looks at what it was made
/// from and is for arguments only. Making one takes three stores and no call: programs have hundreds of messages, and write few.
class text_piece {
    enum class form : unsigned char { literal, words, text, letter, truth, whole, natural, real, object };
    union {
        const char* words_;
        const text* text_;
        const void* object_;
    };
    union {
        std::int64_t value_;  // of a number, or how many characters the words have
        double real_;
        void (*append_object_)(text&, const void*);
    };
    form holds_;

    template <class Object>
    static void append_object(text& result, const void* object) {
        append_to(result, *static_cast<const Object*>(object));
    }

public:
    constexpr text_piece(text_view words) noexcept
        : words_(words.data()), value_(static_cast<std::int64_t>(words.size())), holds_(form::words) {}
    constexpr text_piece(const text& words) noexcept : text_(&words), value_(0), holds_(form::text) {}
    constexpr text_piece(const char* words) noexcept : words_(words), value_(0), holds_(form::literal) {}
    constexpr text_piece(double value) noexcept : words_(nullptr), real_(value), holds_(form::real) {}
    template <class Integer>
        requires is_integer_type<Integer>
    constexpr text_piece(Integer value) noexcept
        : words_(nullptr),
          value_(static_cast<std::int64_t>(value)),
          holds_(is_same<Integer, bool>     ? form::truth
                 : is_same<Integer, char>   ? form::letter
                 : !is_signed_type<Integer> ? form::natural
                                            : form::whole) {}
    /// Not in constant expressions, in which an object cannot be found again through a pointer that forgot its type.
    template <class Object>
        requires requires(text& result, const Object& object) { append_to(result, object); }
    constexpr text_piece(const Object& object) noexcept
        : object_(&object), append_object_(&append_object<Object>), holds_(form::object) {}

    constexpr void write_to(text& result) const {
        switch (holds_) {
            case form::literal: result.append(words_); break;
            case form::words: result.append(text_view(words_, static_cast<std::size_t>(value_))); break;
            case form::text: result.append(text_->view()); break;
            case form::letter: result.append(static_cast<char>(value_)); break;
            case form::truth: result.append(value_ != 0); break;
            case form::whole: result.append(value_); break;
            case form::natural: result.append(static_cast<std::uint64_t>(value_)); break;
            case form::real: result.append(real_); break;
            case form::object: append_object_(result, object_); break;
        }
    }
};

/// The parts of a message, in braces. Not arguments of a template: hundreds of messages would be hundreds of functions to compile.
using text_pieces = std::initializer_list<text_piece>;

/// Joins texts, characters and numbers into one text.
[[gnu::noinline]] constexpr text join(text_pieces pieces) {
    text result;
    for (const text_piece& each : pieces) {
        each.write_to(result);
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI
