// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/null.hpp>
#include <lpt/base/platform.hpp>
#include <lpt/base/shared.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/tensor/element.hpp>
#include <lpt/tensor/shape.hpp>

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
    constexpr explicit bytes(seq<std::byte> own) : own_(lpt::move(own)) {}
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

constexpr bytes::bytes(float one) {
    own_.resize(sizeof one);
    detail::store(own_.data(), one);
}

namespace detail {

/// Towards zero, saturating; NaN gives 0.
constexpr std::int64_t whole_number(double value) {
    const double whole = convert_value(i64, value);
    return whole >= 9223372036854775807.0 ? INT64_MAX : static_cast<std::int64_t>(whole);
}

constexpr std::int64_t load_nibble(const std::byte* data, std::size_t index, bool has_sign) {
    const auto both = static_cast<unsigned>(data[index / 2]);
    const auto code = static_cast<std::int64_t>((index % 2 == 0 ? both : both >> 4) & 15u);
    return has_sign && code > 7 ? code - 16 : code;
}
constexpr void store_nibble(std::byte* data, std::size_t index, std::int64_t value) {
    const auto code = static_cast<unsigned>(value) & 15u;
    const auto old = static_cast<unsigned>(data[index / 2]);
    data[index / 2] = static_cast<std::byte>(index % 2 == 0 ? (old & 0xF0u) | code : (old & 0x0Fu) | (code << 4));
}

}  // namespace detail

/// Value number `index` of packed elements as a double (64-bit integers beyond 2^53 lose their last bits).
constexpr double load_real(element type, const std::byte* data, std::size_t index) {
    switch (type) {
        case boolean:
        case u8: return static_cast<double>(static_cast<std::uint8_t>(data[index]));
        case i8: return static_cast<double>(static_cast<std::int8_t>(static_cast<std::uint8_t>(data[index])));
        case u4: return static_cast<double>(detail::load_nibble(data, index, false));
        case i4: return static_cast<double>(detail::load_nibble(data, index, true));
        case u16: return detail::load<std::uint16_t>(data + 2 * index);
        case i16: return detail::load<std::int16_t>(data + 2 * index);
        case u32: return detail::load<std::uint32_t>(data + 4 * index);
        case i32: return detail::load<std::int32_t>(data + 4 * index);
        case u64: return static_cast<double>(detail::load<std::uint64_t>(data + 8 * index));
        case i64: return static_cast<double>(detail::load<std::int64_t>(data + 8 * index));
        case f32: return static_cast<double>(detail::load<float>(data + 4 * index));
        case f64: return detail::load<double>(data + 8 * index);
        case f16: return detail::decode(detail::half_format, detail::load<std::uint16_t>(data + 2 * index));
        case bf16: return detail::decode(detail::brain_format, detail::load<std::uint16_t>(data + 2 * index));
        case f8e4m3: return detail::decode(detail::f8e4m3_format, static_cast<std::uint32_t>(data[index]));
        case f8e5m2: return detail::decode(detail::f8e5m2_format, static_cast<std::uint32_t>(data[index]));
        case dynamic: break;
    }
    fail({"cannot read a value of a tensor whose element type is not known"});
}

/// Value number `index` of packed elements as an integer; real values are rounded towards zero and saturate, NaN gives 0.
constexpr std::int64_t load_integer(element type, const std::byte* data, std::size_t index) {
    if (type == i64 || type == u64) {
        return detail::load<std::int64_t>(data + 8 * index);
    }
    return detail::whole_number(load_real(type, data, index));
}

/// Writes a value, converted by the rules of `convert_value`, as number `index` of packed elements.
constexpr void store_real(element type, std::byte* data, std::size_t index, double value) {
    if (type == f32) {
        return detail::store(data + 4 * index, static_cast<float>(value));
    }
    if (type == f64) {
        return detail::store(data + 8 * index, value);
    }
    if (const detail::small_float format = detail::format_of(type); format.exponent_bits != 0) {
        const std::uint32_t code = detail::encode(format, value);
        return bit_width(type) == 16 ? detail::store(data + 2 * index, static_cast<std::uint16_t>(code))
                                     : detail::store(data + index, static_cast<std::uint8_t>(code));
    }
    const double whole = convert_value(type, value);
    if (type == u64) {
        return detail::store(data + 8 * index,
                             whole >= 18446744073709551615.0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(whole));
    }
    const std::int64_t integer = detail::whole_number(whole);
    switch (bit_width(type)) {
        case 4: return detail::store_nibble(data, index, integer);
        case 8: return detail::store(data + index, static_cast<std::uint8_t>(integer));
        case 16: return detail::store(data + 2 * index, static_cast<std::uint16_t>(integer));
        case 32: return detail::store(data + 4 * index, static_cast<std::uint32_t>(integer));
        case 64: return detail::store(data + 8 * index, integer);
        default: break;
    }
    fail({"cannot write a value of a tensor whose element type is not known"});
}

/// Writes an integer as number `index` of packed elements; integers wrap around, real types round to nearest even.
constexpr void store_integer(element type, std::byte* data, std::size_t index, std::int64_t value) {
    switch (is_integral(type) ? bit_width(type) : 0) {
        case 4: return detail::store_nibble(data, index, value);
        case 8: return detail::store(data + index, static_cast<std::uint8_t>(value));
        case 16: return detail::store(data + 2 * index, static_cast<std::uint16_t>(value));
        case 32: return detail::store(data + 4 * index, static_cast<std::uint32_t>(value));
        case 64: return detail::store(data + 8 * index, value);
        default: return store_real(type, data, index, static_cast<double>(value));
    }
}

/// An immutable array of elements of one type in row-major order. A copy shares the bytes.
class tensor {
    element type_ = dynamic;
    shape shape_;
    shared<bytes> bytes_;
    const std::byte* data_ = nullptr;  // of the bytes, which never move; null where they are still to be computed
    std::size_t elements_ = 0;

public:
    constexpr tensor() = default;
    /// Takes over packed bytes; raises an error when their number is not the one that type and shape ask for.
    constexpr tensor(element type, shape dimensions, bytes content)
        : type_(type),
          shape_(lpt::move(dimensions)),
          bytes_(lpt::move(content)),
          data_(bytes_->data_if_known()),
          elements_(shape_.elements()) {
        if (!shape_.is_static() || bytes_->size() != byte_size(type_, elements_)) {
            fail({"a tensor of type ", name(type_), " and shape ", shape_, " cannot have ", bytes_->size(), " bytes"});
        }
    }
    /// The same bytes seen with another shape of as many elements.
    constexpr tensor(const tensor& other, shape dimensions)
        : type_(other.type_),
          shape_(lpt::move(dimensions)),
          bytes_(other.bytes_),
          data_(other.data_),
          elements_(other.elements_) {
        if (shape_.elements() != elements_) {
            fail({"a tensor of shape ", other.shape_, " cannot be seen as ", shape_});
        }
    }

    /// One float; all `dimensions` are 1.
    static constexpr tensor of_float(float value, shape dimensions) {
        tensor result;
        result.type_ = f32;
        result.shape_ = lpt::move(dimensions);
        result.bytes_ = shared<bytes>(bytes(value));
        result.data_ = result.bytes_->data_if_known();
        result.elements_ = 1;
        return result;
    }

    constexpr explicit operator bool() const noexcept { return static_cast<bool>(bytes_); }
    constexpr element type() const noexcept { return type_; }
    constexpr const shape& dimensions() const noexcept { return shape_; }
    constexpr std::size_t elements() const { return elements_; }
    constexpr const std::byte* data() const {
        return lpt::is_constant_evaluated() || data_ != nullptr ? data_ : late_data();
    }
    constexpr std::size_t size_in_bytes() const { return bytes_->size(); }
    /// True if the bytes are a window into memory of somebody else.
    constexpr bool is_window() const { return bytes_ && bytes_->is_window(); }
    /// Nobody reads the values for a while: the system may take the memory back that a window on a file lies in, and reads the file
    /// again when somebody does. Does nothing for other tensors.
    void put_aside() const {
        if (bytes_) {
            bytes_->put_aside();
        }
    }
    /// Value number `index`, converted to double.
    constexpr double real(std::size_t index) const {
        return type_ == f32 ? static_cast<double>(detail::load<float>(data() + 4 * index))
                            : load_real(type_, data(), index);
    }
    /// Value number `index`, converted to an integer (real values towards zero).
    constexpr std::int64_t integer(std::size_t index) const { return load_integer(type_, data(), index); }
    /// Equal type, shape and bytes.
    constexpr bool equals(const tensor& other) const {
        if (type_ != other.type_ || !(shape_ == other.shape_)) {
            return false;
        }
        if (bytes_.same(other.bytes_)) {
            return true;
        }
        if (!*this || !other || size_in_bytes() != other.size_in_bytes()) {
            return false;
        }
        for (std::size_t i = 0; i < size_in_bytes(); ++i) {
            if (data()[i] != other.data()[i]) {
                return false;
            }
        }
        return true;
    }
    friend constexpr bool operator==(const tensor& left, const tensor& right) { return left.equals(right); }
    /// See `bytes::late_depth`.
    constexpr int late_depth() const noexcept { return bytes_ ? bytes_->late_depth() : 0; }
    /// True if the values have yet to be computed: reading them may take long.
    constexpr bool waits() const noexcept { return bytes_ && bytes_->waits(); }
    /// What is known of values that `waits` says have yet to be computed.
    const late_facts& facts_while_waiting() const noexcept { return bytes_->facts_while_waiting(); }
    constexpr bool shares_bytes_with(const tensor& other) const noexcept { return bytes_.same(other.bytes_); }

private:
    [[gnu::cold, gnu::noinline]] constexpr const std::byte* late_data() const {
        return bytes_ ? bytes_->data() : nullptr;
    }
};

/// A tensor that is still being written: the one way to make the values of a `tensor`.
class tensor_builder {
    element type_;
    shape shape_;
    std::size_t elements_;
    seq<std::byte, 16> bytes_;

public:
    constexpr tensor_builder(element type, shape dimensions)
        : type_(type), shape_(lpt::move(dimensions)), elements_(shape_.elements()) {
        if (type == dynamic || !shape_.is_static() || (!lpt::is_constant_evaluated() && !shape_.is_possible())) {
            fail({"values need a known element type and a static shape, not ", name(type), shape_});
        }
        bytes_.resize(byte_size(type_, elements_));
    }
    constexpr element type() const noexcept { return type_; }
    constexpr const shape& dimensions() const noexcept { return shape_; }
    constexpr std::size_t elements() const { return elements_; }
    constexpr std::byte* data() noexcept { return bytes_.data(); }
    /// Writes value number `index` by the rules of `convert_value`.
    constexpr void real(std::size_t index, double value) {
        if (type_ == f32) {
            detail::store(bytes_.data() + 4 * index, static_cast<float>(value));
        } else {
            store_real(type_, bytes_.data(), index, value);
        }
    }
    /// Writes the same value everywhere.
    constexpr void fill(double value) {
        if (elements_ == 0) {
            return;
        }
        real(0, value);
        std::byte* to = bytes_.data();
        if (bit_width(type_) == 8 && !lpt::is_constant_evaluated()) {
            __builtin_memset(to, static_cast<int>(to[0]), elements_);
        } else if (bit_width(type_) == 8) {
            for (std::size_t i = 1; i < elements_; ++i) {
                to[i] = to[0];
            }
        } else if (bit_width(type_) == 32) {
            const auto code = detail::load<std::uint32_t>(to);
            for (std::size_t i = 1; i < elements_; ++i) {
                detail::store(to + 4 * i, code);
            }
        } else {
            for (std::size_t i = 1; i < elements_; ++i) {
                real(i, value);
            }
        }
    }
    /// Writes value number `index`; integers wrap around.
    constexpr void integer(std::size_t index, std::int64_t value) { store_integer(type_, bytes_.data(), index, value); }
    constexpr tensor finish() { return tensor(type_, lpt::move(shape_), bytes(lpt::move(bytes_))); }
};

/// A tensor with these values; a single value fills the whole shape.
constexpr tensor make_tensor(element type, shape dimensions, view<double> values) {
    if (type == f32 && values.size() == 1 && dimensions.is_static() && dimensions.elements() == 1) {
        return tensor::of_float(static_cast<float>(values[0]), lpt::move(dimensions));
    }
    tensor_builder result(type, lpt::move(dimensions));
    const std::size_t count = result.elements();
    if (values.size() != 1 && values.size() != count) {
        fail({"a tensor of shape ", result.dimensions(), " cannot be made of ", values.size(), " values"});
    }
    if (values.size() == 1) {
        result.fill(values[0]);
    } else if (type == f32) {
        std::byte* to = result.data();
        for (std::size_t i = 0; i < count; ++i) {
            detail::store(to + 4 * i, static_cast<float>(values[i]));
        }
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            result.real(i, values[i]);
        }
    }
    return result.finish();
}
/// A tensor with these values, or one without axes where all of them are equal.
constexpr tensor make_tensor_or_scalar(element type, shape dimensions, view<double> values) {
    std::size_t equal = 0;
    while (equal < values.size() && values[equal] == values[0]) {
        ++equal;
    }
    if (equal == values.size() && equal != 0) {
        return make_tensor(type, shape{}, view<double>(values.data(), 1));
    }
    return make_tensor(type, lpt::move(dimensions), values);
}
/// A tensor with these integers; a single value fills the whole shape.
constexpr tensor make_integer_tensor(element type, shape dimensions, view<std::int64_t> values) {
    tensor_builder result(type, lpt::move(dimensions));
    const std::size_t count = result.elements();
    if (values.size() != 1 && values.size() != count) {
        fail({"a tensor of shape ", result.dimensions(), " cannot be made of ", values.size(), " values"});
    }
    for (std::size_t i = 0; i < count; ++i) {
        result.integer(i, values[values.size() == 1 ? 0 : i]);
    }
    return result.finish();
}
/// A tensor without axes.
constexpr tensor make_scalar(element type, double value) {
    if (type == f32) {
        return tensor::of_float(static_cast<float>(value), shape{});
    }
    return make_tensor(type, shape{}, view<double>({value}));
}
/// A tensor with one axis of i64 values, as shapes, axes and orders are written.
constexpr tensor make_indices(view<std::int64_t> values) {
    return make_integer_tensor(i64, shape{static_cast<dimension>(values.size())}, values);
}

/// All values as doubles.
constexpr seq<double> reals_of(const tensor& values) {
    seq<double> result;
    result.resize_for_overwrite(values.elements());
    double* to = result.data();
    for (std::size_t i = 0; i < values.elements(); ++i) {
        to[i] = values.real(i);
    }
    return result;
}
/// All values as integers.
constexpr integers integers_of(const tensor& values) {
    integers result;
    result.reserve(values.elements());
    for (std::size_t i = 0; i < values.elements(); ++i) {
        result.push_back(values.integer(i));
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI
