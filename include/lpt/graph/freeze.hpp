// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/null.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/graph/access.hpp>
#include <lpt/op/user.hpp>

/// Graphs as arrays of words: the only way in which a graph can leave the constant expression that made it.
///
/// The words hold everything that a graph holds, numbers of nodes and orders of uses among it, so that a thawed graph behaves
/// in every later step as the frozen one would have. They are meant for the program that made them, not for files.
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
struct make_freeze_table {
    template <class... Ops>
    constexpr freeze_table operator()(hana::basic_type<Ops>...) const {
        return {{freeze_row{&save_attributes<Ops>, &load_attributes<Ops>}...}};
    }
};
inline constexpr freeze_table freeze_rows = hana::unpack(op::all{}, make_freeze_table{});

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
        const op::user_row* own = known.find(static_cast<op::kind>(kind));
        if (is_null(own)) {
            fail({"a frozen graph has an operation of a user's type that was not named when it was thawed"});
        }
        const auto version = static_cast<int>(words.number());
        seq<op::named_value> named;
        named.resize(words.count());
        for (op::named_value& each : named) {
            words.value(each.name);
            show(each.value, words);
        }
        return own->fields->make(named, version, own->name);
    }
};

/// What is in the first two words of a node:
///   kind (32 bits), version (24), relaxed, reads data, has rare parts;   marks (16), outputs (16), inputs (32).
/// The number of a removed node has one word of ones.
struct node_head {
    static constexpr word removed = ~word{0};
    static constexpr word relaxed = word{1} << 56;
    static constexpr word reads_data = word{1} << 57;
    static constexpr word rare_parts = word{1} << 58;
};

/// Writes graphs.
struct graph_writer {
    word_writer& words;

    template <class Value>
    constexpr void operator()(const Value& from) {
        words.value(from);
    }

    constexpr void save(const graph& model) {
        graph_access::show_lists(model, *this);
        words.put(model.id_bound());
        for (std::size_t i = 0; i < model.id_bound(); ++i) {
            if (model.contains(id_at(i))) {
                save_node(model[id_at(i)]);
            } else {
                words.put(node_head::removed);
            }
        }
    }

private:
    constexpr void save_node(const node& each) {
        const bool rare = graph_access::has_rare_parts(each);
        graph_access::use_parts(each, [&](std::int32_t version, bool relaxed, bool reads_data, mark marks,
                                          const text& name, const auto& inputs, const auto& outputs) {
            if (version < 0 || version >= 1 << 24 || outputs.size() >= 1u << 16) {
                fail({"node '", name, "' has version ", version, " and ", outputs.size(),
                      " outputs, too many to freeze"});
            }
            words.put(static_cast<word>(each.kind()) | static_cast<word>(version) << 32 |
                      (relaxed ? node_head::relaxed : 0) | (reads_data ? node_head::reads_data : 0) |
                      (rare ? node_head::rare_parts : 0));
            words.put(static_cast<word>(marks) << 48 | outputs.size() << 32 | inputs.size());
            words.value(name);
            for (const auto& input : inputs) {
                words.put(pack_pair(input.source.node, input.source.port));
                words.put(pack_pair(input.next.node, input.next.port));  // the links backwards follow from these
            }
            for (const auto& output : outputs) {
                words.put(static_cast<word>(static_cast<unsigned char>(output.type)) | output.all_names().size() << 8);
                words.put(pack_pair(output.first.node, output.first.port));
                words.value(output.dimensions);
                for (const text& tensor_name : output.all_names()) {
                    words.value(tensor_name);
                }
            }
        });
        if (op::is_of_user(each.kind())) {
            named_attributes::save(each.attributes(), each.version(), words);
        } else {
            freeze_rows.rows[static_cast<int>(each.kind())].save(each.attributes(), words);
        }
        if (rare) {
            save_rare_parts(each);
        }
    }
    constexpr void save_rare_parts(const node& each) {
        graph_access::use_rare_parts(each, [&](std::int32_t users, const seq<node_id>& dependencies,
                                               const seq<annotation>& annotations, const shared<relaxation>& types,
                                               const body_list& bodies) {
            words.number(users);
            words.value(dependencies);
            words.put(annotations.size());
            for (const annotation& one : annotations) {
                words.value(one.key);
                words.value(one.value);
            }
            words.value(static_cast<bool>(types));
            if (types) {
                words.value(types->input_types);
                words.value(types->output_types);
            }
            words.put(bodies.size());
            for (std::size_t which = 0; which < bodies.size(); ++which) {
                save(bodies[which]);
            }
        });
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

    constexpr graph load() {
        graph model;
        graph_access::show_lists(model, *this);
        const std::size_t count = words.count();
        for (std::size_t i = 0; i < count; ++i) {
            const word head = words.next();
            const node_id id = graph_access::add_number(model, head != node_head::removed);
            if (head != node_head::removed) {
                load_node(model, id, head);
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t outputs = model.contains(id_at(i)) ? model[id_at(i)].outputs() : 0;
            for (std::size_t port = 0; port < outputs; ++port) {
                graph_access::complete_uses(model, {id_at(i), static_cast<std::int32_t>(port)});
            }
        }
        return model;
    }

private:
    constexpr void load_node(graph& model, node_id id, word head) {
        const auto kind = static_cast<std::int64_t>(head & 0xffffffff);
        if (kind > INT32_MAX || kind == op::kind_count) {
            fail({"node ", index_of(id), " of a frozen graph has the operation number ", kind, ", which there is not"});
        }
        node& each = graph_access::writable(model, id);
        graph_access::use_parts(each, [&](std::int32_t& version, bool& relaxed, bool& reads_data, mark& marks,
                                          text& name, auto& inputs, auto& outputs) {
            const word sizes = words.next();
            version = static_cast<std::int32_t>(head >> 32 & 0xffffff);
            relaxed = (head & node_head::relaxed) != 0;
            reads_data = (head & node_head::reads_data) != 0;
            marks = static_cast<mark>(sizes >> 48);
            words.value(name);
            inputs.resize(words.checked_count(sizes & 0xffffffff));
            for (auto& input : inputs) {
                words.value(input.source);
                words.value(input.next);
            }
            outputs.resize(words.checked_count(sizes >> 32 & 0xffff));
            for (auto& output : outputs) {
                const word about = words.next();
                output.type = static_cast<element>(about & 255);
                words.value(output.first);
                words.value(output.dimensions);
                if (about >> 8 != 0) {
                    seq<text> names;
                    names.resize(words.checked_count(about >> 8));
                    for (text& tensor_name : names) {
                        words.value(tensor_name);
                    }
                    output.names = shared<seq<text>>(lpt::move(names));
                }
            }
        });
        if (kind > op::kind_count) {
            graph_access::set_operation(model, id, named_attributes::load(kind, known, words));
        } else {
            graph_access::set_operation(model, id, freeze_rows.rows[kind].load(words));
        }
        if ((head & node_head::rare_parts) != 0) {
            load_rare_parts(each);
            graph_access::note_rare_parts(model, id);
        }
    }
    constexpr void load_rare_parts(node& each) {
        graph_access::use_rare_parts(each,
                                     [&](std::int32_t& users, seq<node_id>& dependencies, seq<annotation>& annotations,
                                         shared<relaxation>& types, body_list& bodies) {
                                         words.value(users);
                                         words.value(dependencies);
                                         annotations.resize(words.count());
                                         for (annotation& one : annotations) {
                                             words.value(one.key);
                                             words.value(one.value);
                                         }
                                         bool has_types = false;
                                         words.value(has_types);
                                         if (has_types) {
                                             relaxation read;
                                             words.value(read.input_types);
                                             words.value(read.output_types);
                                             types = shared<relaxation>(lpt::move(read));
                                         }
                                         const std::size_t count = words.count();
                                         for (std::size_t which = 0; which < count; ++which) {
                                             bodies.push_back(load());
                                         }
                                     });
    }
};

}  // namespace detail

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
