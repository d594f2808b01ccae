// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/conversion.hpp>
#include <lpt/graph/graph.hpp>

/// Evaluation of operations on tensors whose values are known: shared by constant folding and the scalar reference.
///
/// Operations compute in one of three number types: `double` for f64, `float` for the other real types, `std::int64_t` for integers
/// and booleans. A result is rounded to the element type of its tensor (to nearest even); integers wrap around.
namespace lpt::inline LPT_ABI::evaluation {

namespace detail {

inline void release_memory(void* memory) { delete[] static_cast<std::byte*>(memory); }

}  // namespace detail

/// The bytes of a tensor that is being made. At run time they are not cleared first: the maker writes every one.
class raw_output {
    element type_;
    shape shape_;
    std::size_t elements_;
    std::size_t size_;
    seq<std::byte, 16> safe_;  // in constant expressions, and where there are few: a sequence counts to 2^32 only
    std::byte* data_ = nullptr;

public:
    [[gnu::noinline]] constexpr raw_output(element type, shape dimensions)
        : type_(type), shape_(lpt::move(dimensions)), elements_(shape_.elements()), size_(byte_size(type, elements_)) {
        if (lpt::is_constant_evaluated() || size_ <= lpt::detail::large_block) {
            safe_.resize_for_overwrite(size_);
        } else {
            data_ = new std::byte[size_];
        }
        for (std::size_t i = 0; bit_width(type) < 8 && i < size_; ++i) {
            data()[i] = std::byte{0};  // halves of bytes are written one at a time
        }
    }
    raw_output(const raw_output&) = delete;
    raw_output& operator=(const raw_output&) = delete;
    constexpr ~raw_output() { delete[] data_; }

    constexpr element type() const { return type_; }
    constexpr const shape& dimensions() const { return shape_; }
    constexpr std::size_t elements() const { return elements_; }
    constexpr std::byte* data() { return data_ == nullptr ? safe_.data() : data_; }
    [[gnu::noinline]] constexpr tensor finish() {
        if (data_ == nullptr) {
            return tensor(type_, lpt::move(shape_), bytes(lpt::move(safe_)));
        }
        return finish_owned();
    }

private:
    tensor finish_owned() {
        std::byte* memory = data_;
        data_ = nullptr;
        return tensor(type_, lpt::move(shape_), bytes(memory, size_, &detail::release_memory, memory));
    }
};

/// From so many elements on, what arithmetic gives is not computed before somebody reads it: weights, but no scales.
inline constexpr std::size_t late_from = 4096;

/// So many computations may wait for each other: they are nested when the last one is read.
inline constexpr int most_late = 8;

/// How many computations wait for each other when one more waits for these operands, itself counted.
constexpr int late_depth_above(view<tensor> operands) {
    int depth = 1;
    for (const tensor& each : operands) {
        depth = each.late_depth() < depth ? depth : each.late_depth() + 1;
    }
    return depth;
}

/// A tensor whose values `compute`, which gives a tensor of this type and shape, computes when they are read for the first time;
/// at once where too many others would have to be computed for it (`depth`: see `late_depth_above`). `facts`: what is known of
/// them.
template <class Compute>
tensor late_tensor(element type, shape dimensions, int depth, Compute compute, const late_facts& facts = {}) {
    if (depth > most_late) {
        return compute();
    }
    struct recipe {
        union {
            Compute compute;  // until it was called: the operands that it holds may be large
        };
        bool was_called = false;
        tensor made;

        explicit recipe(Compute& what) : compute(lpt::move(what)) {}
        recipe(const recipe&) = delete;
        recipe& operator=(const recipe&) = delete;
        ~recipe() {
            if (!was_called) {
                compute.~Compute();
            }
        }
        static void* operator new(std::size_t size) { return lpt::detail::take_memory(size); }
        static void operator delete(void* memory, std::size_t size) noexcept { lpt::detail::give_memory(memory, size); }
        static const std::byte* make(void* mine) {
            recipe& all = *static_cast<recipe*>(mine);
            all.made = all.compute();
            all.compute.~Compute();
            all.was_called = true;
            return all.made.data();
        }
        static void forget(void* mine) { delete static_cast<recipe*>(mine); }
    };
    const std::size_t size = byte_size(type, dimensions.elements());
    return tensor(type, lpt::move(dimensions),
                  bytes(new late_bytes(new recipe(compute), &recipe::make, &recipe::forget, depth, facts), size));
}
/// The same with the operands that `compute` reads.
template <class Compute>
tensor late_tensor(element type, shape dimensions, view<tensor> operands, Compute compute,
                   const late_facts& facts = {}) {
    return late_tensor(type, lpt::move(dimensions), late_depth_above(operands), lpt::move(compute), facts);
}

/// The elements of a tensor as numbers; the tensor's own memory where it holds just these, which must then outlive this.
template <class Number>
class operand {
    seq<Number> copy_;
    const Number* values_ = nullptr;

    static bool is_aligned(const std::byte* data) {
        return __builtin_bit_cast(std::uintptr_t, data) % alignof(Number) == 0;
    }

public:
    [[gnu::noinline]] constexpr explicit operand(const tensor& values) {
        if (!lpt::is_constant_evaluated() && values.type() == element_of<Number> && is_aligned(values.data())) {
            values_ = static_cast<const Number*>(static_cast<const void*>(values.data()));
            return;
        }
        copy_.resize(values.elements());
        load_values(values, copy_.data());
        values_ = copy_.data();
    }
    operand(const operand&) = delete;
    operand& operator=(const operand&) = delete;

    constexpr const Number* data() const { return values_; }
    constexpr Number operator[](std::size_t index) const { return values_[index]; }
};

/// The numbers of a tensor that is being made; `finish` converts them to its element type.
template <class Number>
class outcome {
    raw_output raw_;
    seq<Number> copy_;
    Number* values_ = nullptr;

public:
    [[gnu::noinline]] constexpr outcome(element type, const shape& dimensions) : raw_(type, dimensions) {
        if (!lpt::is_constant_evaluated() && type == element_of<Number>) {
            values_ = static_cast<Number*>(static_cast<void*>(raw_.data()));
        } else {
            copy_.resize(raw_.elements());
            values_ = copy_.data();
        }
    }
    explicit constexpr outcome(const op::output_facts& facts) : outcome(facts.type, facts.dimensions) {}

    constexpr Number* data() { return values_; }
    constexpr Number& operator[](std::size_t index) { return values_[index]; }
    constexpr const shape& dimensions() const { return raw_.dimensions(); }
    constexpr std::size_t elements() const { return raw_.elements(); }
    [[gnu::noinline]] constexpr tensor finish() {
        if (values_ == copy_.data()) {
            store_values(values_, raw_.elements(), raw_.type(), raw_.data());
        }
        return raw_.finish();
    }
};

namespace detail {
template <class Number>
constexpr tensor convert_through(const tensor& values, element type) {
    operand<Number> from(values);
    raw_output to(type, values.dimensions());
    store_values(from.data(), values.elements(), type, to.data());
    return to.finish();
}
}  // namespace detail

/// The tensor with another element type.
///
/// Real to real: to nearest even. Real to integer: towards zero, saturating, NaN gives 0. Integer to integer: wraps around. To boolean:
/// 1 unless 0. Source: OpenVINO operation set, Convert-1.
[[gnu::noinline]] constexpr tensor convert_tensor(const tensor& values, element type) {
    if (values.type() == type) {
        return values;
    }
    if (type == dynamic) {
        fail({"a tensor of type ", name(values.type()), " cannot be converted to an unknown element type"});
    }
    if (type == f32) {  // straight from the stored type: the way of most weights
        outcome<float> to(type, values.dimensions());
        load_values(values, to.data());
        return to.finish();
    }
    if (values.type() == f64 || (!is_real(values.type()) && is_real(type))) {
        return detail::convert_through<double>(values, type);
    }
    if (is_real(values.type())) {
        return detail::convert_through<float>(values, type);
    }
    return detail::convert_through<std::int64_t>(values, type);
}

/// `convert_tensor` of a value that lives on: many elements are converted when they are read.
constexpr tensor convert_late(const tensor& values, element type) {
    if (lpt::is_constant_evaluated() || values.elements() < late_from || values.type() == type || type == dynamic) {
        return convert_tensor(values, type);
    }
    return late_tensor(type, values.dimensions(), view<tensor>(&values, 1),
                       [values, type] { return convert_tensor(values, type); });
}

/// One operation with everything that its evaluation may look at. Inputs have known values, outputs static shapes and the types that the inputs imply.
struct call {
    const op::attributes& what;
    int version;
    view<tensor> inputs;
    view<op::output_facts> outputs;

    constexpr op::kind kind() const { return what.number(); }
    template <class Op>
    constexpr const Op& as() const {
        return what.as<Op>();
    }
    constexpr const tensor& input(std::size_t port) const { return inputs[port]; }
    constexpr const shape& dimensions(std::size_t port) const { return inputs[port].dimensions(); }
    constexpr const op::output_facts& output(std::size_t port = 0) const { return outputs[port]; }
    constexpr bool has(std::size_t port) const { return port < inputs.size(); }
    /// The values of an input as integers; none where the node has no such input.
    [[gnu::noinline]] constexpr integers integers_at(std::size_t port) const {
        if (has(port)) {
            return integers_of(inputs[port]);
        }
        return {};
    }
    /// The single number of an input; `otherwise` where the node has no such input.
    constexpr double real_at(std::size_t port, double otherwise = 0) const {
        return has(port) && inputs[port].elements() != 0 ? inputs[port].real(0) : otherwise;
    }
    constexpr std::int64_t integer_at(std::size_t port, std::int64_t otherwise = 0) const {
        return has(port) && inputs[port].elements() != 0 ? inputs[port].integer(0) : otherwise;
    }
};

/// Gives the outputs of a node none of whose outputs has an element; false for other nodes. What computes need not ask then
/// whether sizes that stand beside an axis of size 0 are worth a loop.
constexpr bool give_empty(const call& node, seq<tensor>& outputs) {
    for (const op::output_facts& output : node.outputs) {
        if (!output.dimensions.dimensions().contains(0) || output.dimensions.is_dynamic()) {
            return false;
        }
    }
    for (const op::output_facts& output : node.outputs) {
        outputs.push_back(raw_output(output.type, output.dimensions).finish());
    }
    return true;
}

/// Calls `compute` with a value of the number type in which tensors of `type` are computed.
template <class Compute>
constexpr auto with_number(element type, Compute compute) {
    if (type == f64) {
        return compute(double{});
    }
    if (is_real(type)) {
        return compute(float{});
    }
    return compute(std::int64_t{});
}
/// The same where the operation gives real numbers whatever its inputs are.
template <class Compute>
constexpr auto with_real(element type, Compute compute) {
    if (type == f64) {
        return compute(double{});
    }
    return compute(float{});
}

/// The distance in elements between neighbours along each axis of a row-major tensor.
[[gnu::noinline]] constexpr integers strides_of(const shape& dimensions) {
    integers result;
    result.resize(dimensions.rank(), 1);
    for (std::size_t axis = dimensions.rank(); axis-- > 1;) {
        result[axis - 1] = result[axis] * dimensions[axis];
    }
    return result;
}

/// The number of elements of the axes from `first` to before `last`.
constexpr std::size_t elements_between(const shape& dimensions, std::size_t first, std::size_t last) {
    std::size_t count = 1;
    for (std::size_t axis = first; axis < last; ++axis) {
        count *= static_cast<std::size_t>(dimensions[axis]);
    }
    return count;
}

}  // namespace lpt::inline LPT_ABI::evaluation
