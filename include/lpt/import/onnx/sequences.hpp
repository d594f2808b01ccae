// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

/// Sequences whose lengths and places are known when the network is read: nothing of them is left in the graph.
namespace lpt::inline LPT_ABI::onnx {

namespace detail {

inline const std::vector<value>& sequence_at(operation& n, const value& from, std::size_t port) {
    if (!from.sequence) {
        n.wrong({"input ", port, " is a tensor, but must be a sequence"});
    }
    return *from.sequence;
}

/// A place in a sequence, counted from its end where it is negative; `last` is one past the places that exist.
inline std::size_t place_at(operation& n, std::size_t port, std::size_t last) {
    const tensor& given = n.known_input(port);
    if (given.elements() != 1) {
        n.wrong({"input ", port, " has ", given.elements(), " places, expected one"});
    }
    const std::int64_t place = given.integer(0);
    const auto size = static_cast<std::int64_t>(last);
    if (place < -size || place >= size) {
        n.wrong({"place ", place, " is outside a sequence of ", last});
    }
    return static_cast<std::size_t>(place < 0 ? place + size : place);
}

inline value part_at(operation& n, std::size_t port) {
    value part = n.value_at(port);
    if (part.sequence) {
        n.wrong({"input ", port, " is a sequence, but must be a tensor"});
    }
    return part;
}

inline void out_sequence(operation& n, std::vector<value> parts) {
    n.reader().shared().parts_left -= static_cast<std::int64_t>(parts.size());
    if (n.reader().shared().parts_left < 0) {
        n.wrong({"sequences have more parts together than the model's size allows"});
    }
    n.out_value(0, {&n.reader(), {}, nullptr, std::make_shared<std::vector<value>>(std::move(parts))});
}

}  // namespace detail

inline void read_sequence_construct(operation& n) {
    std::vector<value> parts;
    for (std::size_t port = 0; port < n.inputs(); ++port) {
        parts.push_back(detail::part_at(n, port));
    }
    detail::out_sequence(n, std::move(parts));
}
inline void read_sequence_empty(operation& n) { detail::out_sequence(n, {}); }

inline void read_sequence_at(operation& n) {
    const value from = n.value_at(0);
    const std::vector<value>& parts = detail::sequence_at(n, from, 0);
    n.out_value(0, parts[detail::place_at(n, 1, parts.size())]);
}
inline void read_sequence_length(operation& n) {
    const value from = n.value_at(0);
    n.out(n.integer_constant(static_cast<std::int64_t>(detail::sequence_at(n, from, 0).size())));
}

/// Without a place: at the end.
inline void read_sequence_insert(operation& n) {
    const value from = n.value_at(0);
    std::vector<value> parts = detail::sequence_at(n, from, 0);
    const std::size_t size = parts.size();
    // Negative places count from the end of what is there: one past the end can only be named by its number.
    const bool is_end = !n.has(2) || (n.known_input(2).elements() == 1 &&
                                      n.known_input(2).integer(0) == static_cast<std::int64_t>(size));
    const std::size_t place = is_end ? size : detail::place_at(n, 2, size);
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(place), detail::part_at(n, 1));
    detail::out_sequence(n, std::move(parts));
}
inline void read_sequence_erase(operation& n) {
    const value from = n.value_at(0);
    std::vector<value> parts = detail::sequence_at(n, from, 0);
    if (parts.empty()) {
        n.wrong({"takes from a sequence of 0"});
    }
    const std::size_t place = n.has(1) ? detail::place_at(n, 1, parts.size()) : parts.size() - 1;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place));
    detail::out_sequence(n, std::move(parts));
}

/// All tensors along an axis that they have, or along a new one.
inline void read_concat_from_sequence(operation& n) {
    const value from = n.value_at(0);
    const bool makes_axis = n.flag("new_axis");
    const std::int64_t axis = n.integer("axis", 0);
    seq<output_ref> parts;
    for (const value& each : detail::sequence_at(n, from, 0)) {
        const output_ref part = n.reader().plain_of(each);
        parts.push_back(makes_axis ? n.unsqueeze(part, {n.axis_of(axis, n.rank(part) + 1)}) : part);
    }
    if (parts.empty()) {
        n.wrong({"joins a sequence of 0"});
    }
    n.out(n.concat(parts, n.axis_of(axis, n.rank(parts[0]))));
}

/// Parts of the sizes that are given, or of one size, of which the last part may have less; parts of 1 without them, whose axis may go.
inline void read_split_to_sequence(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), n.rank(x));
    const dimension length = n.shape(x)[static_cast<std::size_t>(axis)];
    constexpr std::int64_t most_parts = 4096;
    lpt::integers sizes;
    if (n.has(1) && n.known_input(1).dimensions().rank() != 0) {
        sizes = n.known_integers(1);
    } else {
        const std::int64_t size = n.has(1) ? n.known_integers(1)[0] : 1;
        if (length == dynamic_dimension || size < 1 || length / size >= most_parts) {
            n.wrong({"cannot split an axis of size ", length, " into at most ", most_parts, " parts of size ", size});
        }
        for (std::int64_t begin = 0; begin < length; begin += size) {
            sizes.push_back(math::minimum(size, length - begin));
        }
    }
    checked sum = 0;
    for (const std::int64_t size : sizes) {
        sum = sum + size;
        if (size < 0) {
            n.wrong({"has a part of size ", size});
        }
    }
    if (length != dynamic_dimension && !sum.is_within(length, length)) {
        n.wrong({"has parts that do not add to the size of axis ", axis, ", which is ", length});
    }
    const bool loses_axis = !n.has(1) && !n.flag("keepdims", true);
    std::vector<value> parts;
    std::int64_t begin = 0;
    for (const std::int64_t size : sizes) {
        const output_ref part = n.slice(x, axis, begin, begin + size);
        parts.push_back(n.reader().of(loses_axis ? n.squeeze(part, {axis}) : part));
        begin += size;
    }
    detail::out_sequence(n, std::move(parts));
}

inline constexpr operator_entry sequence_operators[] = {
    {"", "SequenceConstruct", read_sequence_construct},
    {"", "SequenceEmpty", read_sequence_empty},
    {"", "SequenceAt", read_sequence_at},
    {"", "SequenceLength", read_sequence_length},
    {"", "SequenceInsert", read_sequence_insert},
    {"", "SequenceErase", read_sequence_erase},
    {"", "ConcatFromSequence", read_concat_from_sequence},
    {"", "SplitToSequence", read_split_to_sequence},
};

}  // namespace lpt::inline LPT_ABI::onnx
