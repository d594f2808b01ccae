// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/tensor/bytes.hpp>
#include <lpt/tensor/packed_elements.hpp>
#include <lpt/tensor/shape.hpp>

namespace lpt::inline LPT_ABI {

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
