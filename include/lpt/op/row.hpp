// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/hana.hpp>
#include <lpt/op/attributes.hpp>
#include <lpt/op/inference.hpp>

namespace lpt::inline LPT_ABI::op {

/// A list of operation types; a Hana sequence.
template <class... Types>
struct list {
    using hana_tag = list_tag<list>;
    static constexpr int size = sizeof...(Types);
};

/// The operation sets in which an operation was defined anew, oldest first; the numbers are those of the published namespaces (v0, v1 …).
struct versions {
    int values[8] = {};
    int count = 0;

    template <class... Numbers>
    constexpr explicit versions(Numbers... numbers) : values{numbers...}, count(sizeof...(numbers)) {}

    constexpr bool contains(int version) const {
        for (int i = 0; i < count; ++i) {
            if (values[i] == version) {
                return true;
            }
        }
        return false;
    }
    constexpr int newest() const { return values[count - 1]; }
    /// The version that operation set number `opset` means; -1 if the operation is younger.
    constexpr int in_opset(int opset) const {
        int result = -1;
        for (int i = 0; i < count; ++i) {
            if (values[i] <= opset) {
                result = values[i];
            }
        }
        return result;
    }
};

/// How many ports an operation has; `any` at the upper end.
struct ports {
    int least = 0;
    int most = 0;
    static constexpr int any = 1 << 30;
};

/// Properties that rules ask about without knowing the operation.
enum class trait : unsigned {
    none = 0,
    elementwise_unary = 1u << 0,  // each output element depends on the input element at its place
    elementwise_binary = 1u << 1,  // the same with two inputs and broadcasting
    movement = 1u << 2,  // output elements are copies of input elements (or of a padding value)
    precision_preserved = 1u << 3,  // low precision in, the same low precision out, same scale and zero point
    commutative = 1u << 4,
    reads_values = 1u << 5,  // shape inference needs the values of some inputs (axes, shapes …)
    relaxable = 1u << 6,  // may become type-relaxed: an output type of its own
    sink = 1u << 7,  // kept although nothing reads it
    has_bodies = 1u << 8,
    quantizable = 1u << 9,  // a transformation can bring it to low precision
    byte_factors = 1u << 10,  // on integers it takes 8-bit factors, of no other width
    data_on_all_ports = 1u << 11,
};
constexpr trait operator|(trait left, trait right) {
    return static_cast<trait>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
constexpr bool has(trait set, trait one) { return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0; }

/// The input ports, 0 to 15, that carry data or weights, which can be quantized; of an operation that says nothing: port 0. The others
/// carry axes, shapes, bounds and the like.
template <class... Ports>
constexpr trait data_on(Ports... ports) {
    return static_cast<trait>((0u | ... | (1u << (16 + ports))));
}
constexpr bool has_data_on(trait set, int port) {
    const unsigned ports = static_cast<unsigned>(set) >> 16;
    return has(set, trait::data_on_all_ports) || (ports == 0 ? port == 0 : port < 16 && (ports >> port & 1u) != 0);
}

/// What there is to know about one operation type, as data.
struct row {
    kind number = kind::none;
    text_view name;
    versions opsets{0};
    ports inputs;
    ports outputs;
    trait traits = trait::none;
    void (*infer)(const attributes&, inference&) = nullptr;
};

template <int Count>
struct table {
    row values[Count];
};

/// Limits an attribute to the versions from `first` to `last` of its operation.
struct in_versions {
    int first = 0;
    int last = 1 << 30;
    constexpr bool contains(int version) const { return first <= version && version <= last; }
};

namespace detail {

template <class Op>
[[gnu::noinline]] constexpr void infer(const attributes& values, inference& facts) {
    if constexpr (__is_empty(Op)) {  // without `as`, which would be one more function for each operation type
        Op::infer(Op{}, facts);
    } else {
        Op::infer(values.as<Op>(), facts);
    }
}
}  // namespace detail

/// The row of one operation type. An operation type has `number`, `name`, `opsets`, `inputs`, `outputs`, `traits`,
/// `infer(const Op&, inference&)`, and, if it has attributes, `fields(self, visit)` that shows each with its published name.
template <class Op>
constexpr row make_row() {
    return {Op::number, Op::name, Op::opsets, Op::inputs, Op::outputs, Op::traits, &detail::infer<Op>};
}

/// The rows of a `list` of operation types.
template <class List>
inline constexpr table<1> table_of{};
// Neither by `make_row` nor by `hana::unpack`: hundreds of functions less to compile wherever the library is included.
template <class... Ops>
inline constexpr table<sizeof...(Ops)> table_of<list<Ops...>> = {
    {row{Ops::number, Ops::name, Ops::opsets, Ops::inputs, Ops::outputs, Ops::traits, &detail::infer<Ops>}...}};

}  // namespace lpt::inline LPT_ABI::op
