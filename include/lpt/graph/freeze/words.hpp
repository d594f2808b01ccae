// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/null.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/graph/access.hpp>
#include <lpt/op/user.hpp>

/// Values of all kinds as words, and read again.
namespace lpt::inline LPT_ABI {

using word = std::uint64_t;

/// Counts the forms of frozen graphs: generated headers ask for theirs.
inline constexpr int frozen_format = 2;

namespace detail {

/// Words one after the other, in a sequence that grows or in an array that does not.
///
/// Clang counts statements and calls, and a stage of a network has a million of them: what is written and read for each node
/// is packed into few words by single expressions.
class word_sink {
    word* values_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
    seq<word>* owner_ = nullptr;

    constexpr void grow();

public:
    constexpr explicit word_sink(seq<word>& words) : size_(words.size()), owner_(&words) { grow(); }
    constexpr word_sink(word* values, std::size_t room) : values_(values), room_(room) {}
    constexpr std::size_t size() const { return size_; }
    constexpr void put(word value) {
        if (size_ == room_) {
            grow();
        }
        values_[size_++] = value;
    }
    /// The sequence gets the size of what was written.
    constexpr void finish() { owner_->resize(size_); }
};

/// A named function instead of a message: it is not constexpr, so a constant expression that gets here stops with its name.
inline void frozen_graph_needs_more_room(std::size_t) {}

constexpr void word_sink::grow() {
    if (owner_ == nullptr) {
        frozen_graph_needs_more_room(room_);
        fail({"a frozen graph needs more room than ", room_, " words"});
    }
    room_ = size_ < 32 ? 64 : 2 * size_;
    owner_->resize(room_);
    values_ = owner_->data();
}

constexpr word pack_pair(node_id id, std::int32_t port) {
    return static_cast<word>(static_cast<std::uint32_t>(id)) << 32 |
           static_cast<word>(static_cast<std::uint32_t>(port));
}
template <class Byte>
constexpr word pack_bytes(const Byte* b) {
    return static_cast<word>(static_cast<unsigned char>(b[0])) |
           static_cast<word>(static_cast<unsigned char>(b[1])) << 8 |
           static_cast<word>(static_cast<unsigned char>(b[2])) << 16 |
           static_cast<word>(static_cast<unsigned char>(b[3])) << 24 |
           static_cast<word>(static_cast<unsigned char>(b[4])) << 32 |
           static_cast<word>(static_cast<unsigned char>(b[5])) << 40 |
           static_cast<word>(static_cast<unsigned char>(b[6])) << 48 |
           static_cast<word>(static_cast<unsigned char>(b[7])) << 56;
}

/// One expression: four assignments would be four steps.
template <class Byte>
constexpr void unpack_four(Byte* to, word from) {
    to[0] = static_cast<Byte>(from & 0xff), to[1] = static_cast<Byte>(from >> 8 & 0xff),
    to[2] = static_cast<Byte>(from >> 16 & 0xff), to[3] = static_cast<Byte>(from >> 24 & 0xff);
}

/// Writes values one after the other. `data`: the memory that windows of tensors look into, if they are to stay windows.
class word_writer {
    word_sink& words_;
    const std::byte* data_;
    std::size_t data_size_;

public:
    constexpr explicit word_writer(word_sink& words, view<std::byte> data = {})
        : words_(words), data_(data.data()), data_size_(data.size()) {}

    constexpr void put(word value) { words_.put(value); }
    constexpr void number(std::int64_t value) { words_.put(static_cast<word>(value)); }
    template <class Byte>
    constexpr void packed(const Byte* from, std::size_t size) {
        std::size_t at = 0;
        for (; at + 8 <= size; at += 8) {
            words_.put(pack_bytes(from + at));
        }
        if (at == size) {
            return;
        }
        word last = 0;
        for (std::size_t i = 0; at + i < size; ++i) {
            last |= static_cast<word>(static_cast<unsigned char>(from[at + i])) << (8 * i);
        }
        words_.put(last);
    }

    constexpr void value(bool from) { number(from ? 1 : 0); }
    constexpr void value(std::int64_t from) { number(from); }
    constexpr void value(double from) { words_.put(__builtin_bit_cast(word, from)); }
    constexpr void value(float from) { value(static_cast<double>(from)); }
    constexpr void value(element from) { number(static_cast<std::int64_t>(from)); }
    constexpr void value(text_view from) {
        words_.put(from.size());
        packed(from.data(), from.size());
    }
    constexpr void value(const text& from) { value(from.view()); }
    constexpr void value(node_id from) { number(static_cast<std::int64_t>(from)); }
    constexpr void value(output_ref from) { words_.put(pack_pair(from.node, from.port)); }
    constexpr void value(input_ref from) { words_.put(pack_pair(from.node, from.port)); }
    constexpr void value(const shape& from) {
        words_.put(from.rank_is_dynamic() ? ~word{0} : from.rank());
        for (const dimension size : from) {
            words_.put(static_cast<word>(size));
        }
    }
    constexpr void value(const tensor& from) {
        const bool window = from.is_window() && lies_in_data(from.data(), from.size_in_bytes());
        words_.put(static_cast<word>(static_cast<unsigned char>(from.type())) | (from ? word{256} : word{0}) |
                   (window ? word{512} : word{0}));
        value(from.dimensions());
        if (window) {
            words_.put(static_cast<word>(from.data() - data_));
            words_.put(from.size_in_bytes());
        } else if (from) {
            words_.put(from.size_in_bytes());
            packed(from.data(), from.size_in_bytes());
        }
    }
    template <class Value, std::size_t Inline>
    constexpr void value(const seq<Value, Inline>& from) {
        words_.put(from.size());
        for (const Value& each : from) {
            value(each);
        }
    }
    template <class Value>
        requires is_enumeration<Value>
    constexpr void value(Value from) {
        number(static_cast<std::int64_t>(from));
    }
    /// Attributes of operations are shown with their names, which the reader knows.
    template <class Value>
    constexpr void operator()(text_view, const Value& from, op::in_versions = {}) {
        value(from);
    }

private:
    constexpr bool lies_in_data(const std::byte* first, std::size_t size) const {
        if (data_size_ == 0) {
            return false;
        }
        if (lpt::is_constant_evaluated()) {
            return true;  // there, nothing else that a tensor could look into lives from one expression to the next
        }
        const auto from = reinterpret_cast<std::uintptr_t>(first);
        const auto data = reinterpret_cast<std::uintptr_t>(data_);
        return from >= data && from + size <= data + data_size_;
    }
};

/// Reads what `word_writer` wrote; raises an error at the end of the words.
class word_reader {
    view<word> words_;
    view<std::byte> data_;
    std::size_t at_ = 0;

public:
    constexpr explicit word_reader(view<word> words, view<std::byte> data = {}) : words_(words), data_(data) {}
    constexpr bool at_end() const { return at_ == words_.size(); }

    constexpr word next() {
        if (at_ == words_.size()) {
            fail({"the words of a frozen graph end too early, after ", at_});
        }
        return words_[at_++];
    }
    constexpr std::int64_t number() { return static_cast<std::int64_t>(next()); }
    /// Raises an error for more values than the words that are left can hold: `per_word` of them share one.
    constexpr std::size_t checked_count(word result, std::size_t per_word = 1) const {
        if (result > (words_.size() - at_) * per_word) {
            fail({"word ", at_ - 1, " of a frozen graph should be a number of values, not ",
                  static_cast<std::int64_t>(result)});
        }
        return result;
    }
    constexpr std::size_t count(std::size_t per_word = 1) { return checked_count(next(), per_word); }
    template <class Byte>
    constexpr void packed(Byte* to, std::size_t size) {
        std::size_t at = 0;
        for (; at + 8 <= size; at += 8) {
            const word eight = next();
            unpack_four(to + at, eight);
            unpack_four(to + at + 4, eight >> 32);
        }
        if (at == size) {
            return;
        }
        word last = next();
        if (size - at >= 4) {
            unpack_four(to + at, last);
            last >>= 32;
            at += 4;
        }
        for (; at < size; ++at) {
            to[at] = static_cast<Byte>(last & 0xff);
            last >>= 8;
        }
    }

    constexpr void value(bool& to) { to = next() != 0; }
    constexpr void value(std::int64_t& to) { to = number(); }
    constexpr void value(std::size_t& to) { to = next(); }
    constexpr void value(std::int32_t& to) { to = static_cast<std::int32_t>(number()); }
    constexpr void value(double& to) { to = __builtin_bit_cast(double, next()); }
    constexpr void value(float& to) { to = static_cast<float>(__builtin_bit_cast(double, next())); }
    constexpr void value(text& to) {
        if (!to.empty()) {
            to = text();
        }
        const std::size_t size = count(8);
        for (std::size_t at = 0; at < size; at += 8) {
            char part[8]{};
            const std::size_t length = size - at < 8 ? size - at : 8;
            packed(part, length);
            to.append(text_view(part, length));
        }
    }
    constexpr void value(node_id& to) { to = static_cast<node_id>(number()); }
    constexpr void value(output_ref& to) {
        const word both = next();
        to.node = static_cast<node_id>(static_cast<std::int32_t>(both >> 32));
        to.port = static_cast<std::int32_t>(both & 0xffffffff);
    }
    constexpr void value(input_ref& to) {
        const word both = next();
        to.node = static_cast<node_id>(static_cast<std::int32_t>(both >> 32));
        to.port = static_cast<std::int32_t>(both & 0xffffffff);
    }
    constexpr void value(shape& to) {
        const word rank = next();
        if (rank == ~word{0}) {
            to = shape::of_dynamic_rank();
            return;
        }
        if (rank > words_.size() - at_) {
            checked_count(rank);
        }
        integers sizes;
        sizes.resize(rank);
        for (std::int64_t& size : sizes) {
            size = static_cast<std::int64_t>(words_[at_++]);
        }
        to = shape(lpt::move(sizes));
    }
    constexpr void value(tensor& to) {
        const word head = next();
        shape dimensions;
        value(dimensions);
        // Not a conditional expression: g++ 12 destroys the branches of one twice in constant expressions.
        to = tensor();
        const auto type = static_cast<element>(head & 255);
        if ((head & 512) != 0) {
            const word from = next();
            const word size = next();
            if (from > data_.size() || size > data_.size() - from) {
                fail(
                    {"a tensor of a frozen graph looks into data that it was not given: ", size, " bytes from ", from});
            }
            to = tensor(type, lpt::move(dimensions), bytes(data_.data() + from, size, nullptr, nullptr));
        } else if ((head & 256) != 0) {
            seq<std::byte, 16> content;
            content.resize(count(8));
            packed(content.data(), content.size());
            to = tensor(type, lpt::move(dimensions), bytes(lpt::move(content)));
        }
    }
    template <class Value, std::size_t Inline>
    constexpr void value(seq<Value, Inline>& to) {
        to.clear();
        to.resize(count());
        for (Value& each : to) {
            value(each);
        }
    }
    template <class Value>
        requires is_enumeration<Value>
    constexpr void value(Value& to) {
        to = static_cast<Value>(number());
    }
    template <class Value>
    constexpr void operator()(text_view, Value& to, op::in_versions = {}) {
        value(to);
    }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
