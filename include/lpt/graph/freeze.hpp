// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/access.hpp>
#include <lpt/op/user.hpp>

/// Graphs as arrays of words: the only way in which a graph can leave the constant expression that made it.
///
/// The words hold everything that a graph holds, numbers of nodes and orders of uses among it, so that a thawed graph behaves
/// in every later step as the frozen one would have. They are meant for the program that made them, not for files.
namespace lpt {

using word = std::uint64_t;

namespace detail {

/// Writes values one after the other.
class word_writer {
    seq<word>& words_;

public:
    constexpr explicit word_writer(seq<word>& words) : words_(words) {}

    constexpr void number(std::int64_t value) { words_.push_back(static_cast<word>(value)); }
    constexpr void packed(const std::byte* bytes, std::size_t size) {
        number(static_cast<std::int64_t>(size));
        for (std::size_t from = 0; from < size; from += 8) {
            word next = 0;
            for (std::size_t i = 0; i < 8 && from + i < size; ++i) {
                next |= static_cast<word>(bytes[from + i]) << (8 * i);
            }
            words_.push_back(next);
        }
    }

    constexpr void value(bool from) { number(from ? 1 : 0); }
    constexpr void value(std::int64_t from) { number(from); }
    constexpr void value(double from) { words_.push_back(__builtin_bit_cast(word, from)); }
    constexpr void value(element from) { number(static_cast<std::int64_t>(from)); }
    constexpr void value(text_view from) {
        number(static_cast<std::int64_t>(from.size()));
        for (std::size_t at = 0; at < from.size(); at += 8) {
            word next = 0;
            for (std::size_t i = 0; i < 8 && at + i < from.size(); ++i) {
                next |= static_cast<word>(static_cast<unsigned char>(from[at + i])) << (8 * i);
            }
            words_.push_back(next);
        }
    }
    constexpr void value(const text& from) { value(from.view()); }
    constexpr void value(node_id from) { number(static_cast<std::int64_t>(from)); }
    constexpr void value(output_ref from) { pair(from.node, from.port); }
    constexpr void value(input_ref from) { pair(from.node, from.port); }
    constexpr void value(const shape& from) {
        number(from.rank_is_dynamic() ? -1 : static_cast<std::int64_t>(from.rank()));
        for (const dimension size : from) {
            number(size);
        }
    }
    constexpr void value(const tensor& from) {
        value(from.type());
        value(from.dimensions());
        number(from ? 1 : 0);
        if (from) {
            packed(from.data(), from.size_in_bytes());
        }
    }
    template <class Value, std::size_t Inline>
    constexpr void value(const seq<Value, Inline>& from) {
        number(static_cast<std::int64_t>(from.size()));
        for (const Value& each : from) {
            value(each);
        }
    }
    template <class Value>
        requires std::is_enum_v<Value>
    constexpr void value(Value from) {
        number(static_cast<std::int64_t>(from));
    }
    /// Attributes of operations are shown with their names, which the reader knows.
    template <class Value>
    constexpr void operator()(text_view, const Value& from, op::in_versions = {}) {
        value(from);
    }

private:
    constexpr void pair(node_id id, std::int32_t port) {
        words_.push_back(static_cast<word>(static_cast<std::uint32_t>(id)) << 32 |
                         static_cast<word>(static_cast<std::uint32_t>(port)));
    }
};

/// Reads what `word_writer` wrote; raises an error at the end of the words.
class word_reader {
    view<word> words_;
    std::size_t at_ = 0;

    constexpr word next() {
        if (at_ == words_.size()) {
            fail("the words of a frozen graph end too early, after ", at_);
        }
        return words_[at_++];
    }

public:
    constexpr explicit word_reader(view<word> words) : words_(words) {}
    constexpr bool at_end() const { return at_ == words_.size(); }

    constexpr std::int64_t number() { return static_cast<std::int64_t>(next()); }
    /// A number of values, each of which takes at least a word (or `per_word` of them share one).
    constexpr std::size_t count(std::size_t per_word = 1) {
        const std::int64_t result = number();
        if (result < 0 || static_cast<word>(result) > (words_.size() - at_) * per_word) {
            fail("word ", at_ - 1, " of a frozen graph should be a number of values, not ", result);
        }
        return static_cast<std::size_t>(result);
    }
    constexpr seq<std::byte> packed() {
        seq<std::byte> result;
        result.resize(count(8));
        for (std::size_t from = 0; from < result.size(); from += 8) {
            const word four = next();
            for (std::size_t i = 0; i < 8 && from + i < result.size(); ++i) {
                result[from + i] = static_cast<std::byte>(four >> (8 * i) & 0xff);
            }
        }
        return result;
    }

    constexpr void value(bool& to) { to = number() != 0; }
    constexpr void value(std::int64_t& to) { to = number(); }
    constexpr void value(std::int32_t& to) { to = static_cast<std::int32_t>(number()); }
    constexpr void value(double& to) { to = __builtin_bit_cast(double, next()); }
    constexpr void value(text& to) {
        to = text();
        const std::size_t size = count(8);
        for (std::size_t at = 0; at < size; at += 8) {
            const word letters = next();
            char part[8]{};
            for (std::size_t i = 0; i < 8; ++i) {
                part[i] = static_cast<char>(letters >> (8 * i) & 0xff);
            }
            to.append(text_view(part, size - at < 8 ? size - at : 8));
        }
    }
    constexpr void value(node_id& to) { to = static_cast<node_id>(number()); }
    constexpr void value(output_ref& to) { pair(to.node, to.port); }
    constexpr void value(input_ref& to) { pair(to.node, to.port); }
    constexpr void value(shape& to) {
        const std::int64_t rank = number();
        to = shape();
        if (rank < 0) {
            to = shape::of_dynamic_rank();
        }
        for (std::int64_t axis = 0; axis < rank; ++axis) {
            to.push_back(number());
        }
    }
    constexpr void value(tensor& to) {
        element type = dynamic;
        shape dimensions;
        value(type);
        value(dimensions);
        // Not a conditional expression: g++ 12 destroys the branches of one twice in constant expressions.
        to = tensor();
        if (number() != 0) {
            to = tensor(type, lpt::move(dimensions), bytes(packed()));
        }
    }
    template <class Value, std::size_t Inline>
    constexpr void value(seq<Value, Inline>& to) {
        to.clear();
        const std::size_t size = count();
        to.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            value(to.push_back(Value{}));
        }
    }
    template <class Value>
        requires std::is_enum_v<Value>
    constexpr void value(Value& to) {
        to = static_cast<Value>(number());
    }
    template <class Value>
    constexpr void operator()(text_view, Value& to, op::in_versions = {}) {
        value(to);
    }

private:
    constexpr void pair(node_id& id, std::int32_t& port) {
        const word both = next();
        id = static_cast<node_id>(static_cast<std::int32_t>(both >> 32));
        port = static_cast<std::int32_t>(both & 0xffffffff);
    }
};

/// How the attributes of one operation type are written and read.
struct freeze_row {
    void (*save)(const op::attributes&, word_writer&) = nullptr;
    op::attributes (*load)(word_reader&) = nullptr;
};

template <class Op>
concept has_frozen_fields = requires(Op& values, word_reader& words) { Op::fields(values, words); };

template <class Op>
constexpr void save_attributes(const op::attributes& values, word_writer& words) {
    if constexpr (has_frozen_fields<Op>) {
        Op::fields(values.as<Op>(), words);
    }
}
template <class Op>
constexpr op::attributes load_attributes(word_reader& words) {
    Op result{};
    if constexpr (has_frozen_fields<Op>) {
        Op::fields(result, words);
    }
    return op::attributes(lpt::move(result));
}

struct freeze_table {
    freeze_row rows[op::kind_count];
};
template <class... Ops>
constexpr freeze_table make_freeze_table(op::list<Ops...>) {
    return {{freeze_row{&save_attributes<Ops>, &load_attributes<Ops>}...}};
}
inline constexpr freeze_table freeze_rows = make_freeze_table(op::all{});

/// Attributes of a user's operation type, by name: the table above has no line for it.
class named_attributes {
    template <class Value, class Words>
    static constexpr void show(Value& each, Words& words) {
        words.value(each.holds);
        words.value(each.integer);
        words.value(each.real);
        words.value(each.word);
        words.value(each.integers);
        words.value(each.reals);
        words.value(each.words);
        words.value(each.dimensions);
        words.value(each.constant);
    }

public:
    static constexpr void save(const op::attributes& values, int version, word_writer& words) {
        const seq<op::named_value> named = op::fields_of(values).read(values, version);
        words.number(version);
        words.number(static_cast<std::int64_t>(named.size()));
        for (const op::named_value& each : named) {
            words.value(each.name);
            show(each.value, words);
        }
    }
    static constexpr op::attributes load(std::int64_t kind, const op::user_operations& known, word_reader& words) {
        const auto number = static_cast<op::kind>(kind);
        if (!known.contains(number)) {
            fail("a frozen graph has an operation of a user's type that was not named when it was thawed");
        }
        const auto version = static_cast<int>(words.number());
        seq<op::named_value> named;
        named.resize(words.count());
        for (op::named_value& each : named) {
            words.value(each.name);
            show(each.value, words);
        }
        const op::user_row& own = *known.find(number);
        return own.fields->make(named, version, own.name);
    }
};

/// Writes the parts of graphs and nodes that are not plain values.
struct graph_writer {
    word_writer& words;

    template <class Value>
    constexpr void operator()(const Value& from) {
        words.value(from);
    }
    constexpr void operator()(std::int32_t from) { words.number(from); }
    constexpr void operator()(const seq<graph_access::input_slot, 2>& inputs) {
        words.number(static_cast<std::int64_t>(inputs.size()));
        for (const graph_access::input_slot& each : inputs) {
            words.value(each.source);
            words.value(each.next);  // the links backwards follow from these
        }
    }
    constexpr void operator()(const seq<graph_access::output_slot, 1>& outputs) {
        words.number(static_cast<std::int64_t>(outputs.size()));
        for (const graph_access::output_slot& each : outputs) {
            words.value(each.type);
            words.value(each.first);
            words.value(each.dimensions);
            words.value(each.names);
        }
    }
    constexpr void operator()(const seq<annotation>& annotations) {
        words.number(static_cast<std::int64_t>(annotations.size()));
        for (const annotation& each : annotations) {
            words.value(each.key);
            words.value(each.value);
        }
    }
    constexpr void operator()(const shared<relaxation>& types) {
        words.number(types ? 1 : 0);
        if (types) {
            words.value(types->input_types);
            words.value(types->output_types);
        }
    }
    constexpr void operator()(const body_list& bodies) {
        words.number(static_cast<std::int64_t>(bodies.size()));
        for (std::size_t which = 0; which < bodies.size(); ++which) {
            save(bodies[which]);
        }
    }

    constexpr void save(const graph& model) {
        graph_access::show_lists(model, *this);
        words.number(static_cast<std::int64_t>(model.id_bound()));
        for (std::size_t i = 0; i < model.id_bound(); ++i) {
            if (!model.contains(id_at(i))) {
                words.number(-1);
                continue;
            }
            const node& each = model[id_at(i)];
            words.value(each.kind());
            if (op::is_of_user(each.kind())) {
                named_attributes::save(each.attributes(), each.version(), words);
            } else {
                freeze_rows.rows[static_cast<int>(each.kind())].save(each.attributes(), words);
            }
            graph_access::show_parts(each, *this);
        }
    }
};

/// Reads what `graph_writer` wrote.
struct graph_loader {
    word_reader& words;
    const op::user_operations& known;

    template <class Value>
    constexpr void operator()(Value& to) {
        words.value(to);
    }
    constexpr void operator()(seq<graph_access::input_slot, 2>& inputs) {
        inputs.resize(words.count());
        for (graph_access::input_slot& each : inputs) {
            words.value(each.source);
            words.value(each.next);
        }
    }
    constexpr void operator()(seq<graph_access::output_slot, 1>& outputs) {
        outputs.resize(words.count());
        for (graph_access::output_slot& each : outputs) {
            words.value(each.type);
            words.value(each.first);
            words.value(each.dimensions);
            words.value(each.names);
        }
    }
    constexpr void operator()(seq<annotation>& annotations) {
        annotations.resize(words.count());
        for (annotation& each : annotations) {
            words.value(each.key);
            words.value(each.value);
        }
    }
    constexpr void operator()(shared<relaxation>& types) {
        if (words.number() == 0) {
            return;
        }
        relaxation read;
        words.value(read.input_types);
        words.value(read.output_types);
        types = shared<relaxation>(lpt::move(read));
    }
    constexpr void operator()(body_list& bodies) {
        const std::size_t count = words.count();
        for (std::size_t which = 0; which < count; ++which) {
            bodies.push_back(load());
        }
    }

    constexpr graph load() {
        graph model;
        graph_access::show_lists(model, *this);
        const std::size_t count = words.count();
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t kind = words.number();
            const node_id id = graph_access::add_number(model, kind >= 0);
            if (kind < 0) {
                continue;
            }
            if (kind > INT32_MAX || kind == op::kind_count) {
                fail("node ", i, " of a frozen graph has the operation number ", kind, ", which there is not");
            }
            if (kind > op::kind_count) {
                graph_access::set_operation(model, id, named_attributes::load(kind, known, words));
            } else {
                graph_access::set_operation(model, id, freeze_rows.rows[kind].load(words));
            }
            graph_access::show_parts(graph_access::writable(model, id), *this);
        }
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t port = 0; model.contains(id_at(i)) && port < model[id_at(i)].outputs(); ++port) {
                graph_access::complete_uses(model, {id_at(i), static_cast<std::int32_t>(port)});
            }
        }
        return model;
    }
};

}  // namespace detail

/// A graph as words.
constexpr seq<word> freeze(const graph& model) {
    seq<word> words;
    detail::word_writer writer(words);
    detail::graph_writer{writer}.save(model);
    return words;
}

/// The graph that `freeze` wrote; `known`: the operation types of users in it. Raises an error where the words end too early
/// or are no graph.
constexpr graph thaw(view<word> words, const op::user_operations& known = {}) {
    detail::word_reader reader(words);
    graph model = detail::graph_loader{reader, known}.load();
    if (!reader.at_end()) {
        fail("there are words behind the end of a frozen graph");
    }
    return model;
}

namespace detail {

/// A named function instead of a message: it is not constexpr, so a constant expression that gets here stops with its name.
inline void frozen_graph_needs_more_room(std::size_t) {}

template <std::size_t Room>
struct roomy_words {
    word values[Room]{};
    std::size_t size = 0;
};

template <std::size_t Room>
constexpr roomy_words<Room> freeze_roomy(const graph& model) {
    const seq<word> words = freeze(model);
    if (words.size() > Room) {
        frozen_graph_needs_more_room(words.size());
    }
    roomy_words<Room> result;
    result.size = words.size();
    for (std::size_t i = 0; i < words.size(); ++i) {
        result.values[i] = words[i];
    }
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

}  // namespace detail

/// The graph that `Make::make()` gives, computed when compiled and kept as words.
///
/// Stages follow each other through types: `Make` of the next stage thaws this one, changes the graph and returns it. Each
/// stage is one constant expression with the compiler's whole budget, and is computed once. `Room` is the greatest number
/// of words.
template <class Make, std::size_t Room = 65536>
struct frozen {
private:
    static constexpr detail::roomy_words<Room> roomy = detail::freeze_roomy<Room>(Make::make());

public:
    static constexpr detail::exact_words<roomy.size> words = detail::shrink<roomy.size>(roomy);

    static constexpr graph thaw(const op::user_operations& known = {}) {
        return lpt::thaw(view<word>(words.values), known);
    }
};

}  // namespace lpt
