// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/freeze/graphs.hpp>

/// Graphs as arrays of words: the only way in which a graph can leave the constant expression that made it.
///
/// The words hold everything that a graph holds, numbers of nodes and orders of uses among it, so that a thawed graph behaves
/// in every later step as the frozen one would have. They are meant for the program that made them, not for files.
namespace lpt::inline LPT_ABI {

/// A graph as words. `data`: memory into which constants may be windows that stay so; others are copied.
constexpr seq<word> freeze(const graph& model, view<std::byte> data = {}) {
    seq<word> words;
    detail::word_sink sink(words);
    detail::word_writer writer(sink, data);
    detail::graph_writer{writer}.save(model);
    sink.finish();
    return words;
}

/// The graph that `freeze` wrote; `known`: the operation types of users in it; `data`: what it was frozen with. Raises an error
/// where the words end too early or are no graph.
constexpr graph thaw(view<word> words, const op::user_operations& known = {}, view<std::byte> data = {}) {
    detail::word_reader reader(words, data);
    graph model = detail::graph_loader{reader, known}.load();
    if (!reader.at_end()) {
        fail({"there are words behind the end of a frozen graph"});
    }
    return model;
}

namespace detail {

template <std::size_t Room>
struct roomy_words {
    word values[Room]{};
    std::size_t size = 0;
};

template <std::size_t Room>
constexpr roomy_words<Room> freeze_roomy(const graph& model, view<std::byte> data) {
    roomy_words<Room> result;
    word_sink sink(result.values, Room);
    word_writer writer(sink, data);
    graph_writer{writer}.save(model);
    result.size = sink.size();
    return result;
}

template <std::size_t Size>
struct exact_words {
    word values[Size];
};
template <std::size_t Size, std::size_t Room>
constexpr exact_words<Size> shrink(const roomy_words<Room>& from) {
    exact_words<Size> result{};
    for (std::size_t i = 0; i < Size; ++i) {
        result.values[i] = from.values[i];
    }
    return result;
}

/// The memory into which the constants of a network are windows: `Make::data()`, where there is one.
template <class Make>
constexpr view<std::byte> data_of() {
    if constexpr (requires { Make::data(); }) {
        return Make::data();
    } else {
        return {};
    }
}

}  // namespace detail

/// The graph that `Make::make()` gives, computed when compiled and kept as words.
///
/// Stages follow each other through types: `Make` of the next stage thaws this one, changes the graph and returns it. Each
/// stage is one constant expression with the compiler's whole budget, and is computed once. `Room` is the greatest number
/// of words. Constants that are windows into `Make::data()`, if there is such a function, stay windows.
template <class Make, std::size_t Room = 65536>
struct frozen {
private:
    static constexpr detail::roomy_words<Room> roomy =
        detail::freeze_roomy<Room>(Make::make(), detail::data_of<Make>());

public:
    static constexpr detail::exact_words<roomy.size> words = detail::shrink<roomy.size>(roomy);

    static constexpr graph thaw(const op::user_operations& known = {}) {
        return lpt::thaw(view<word>(words.values), known, detail::data_of<Make>());
    }
};

}  // namespace lpt::inline LPT_ABI
