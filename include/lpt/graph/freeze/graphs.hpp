// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/freeze/attributes.hpp>

/// Graphs as words: what is written is read in the same order.
namespace lpt::inline LPT_ABI {

namespace detail {

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

}  // namespace lpt::inline LPT_ABI
