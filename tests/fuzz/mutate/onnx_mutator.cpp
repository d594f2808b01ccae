// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/onnx_mutator.hpp"

#include "tests/fuzz/mutate/numbers.hpp"
#include "tests/fuzz/mutate/onnx_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lpt::fuzz {

message_field* onnx_mutator::any_message(message is) {
    std::vector<field_place> found;
    std::copy_if(places_.begin(), places_.end(), std::back_inserter(found),
                 [&](const field_place& each) { return each.get().is == is; });
    return found.empty() ? nullptr : &random_.one_of(found).get();
}

/// A name of the file, mostly one that is read already: outputs lead round in circles. At times the empty one, of an input that is left out.
std::string onnx_mutator::any_name() {
    if (random_.once_in(8)) {
        return {};
    }
    const message_field* const found = random_.once_in(4) ? any(names) : any(message::node, node_input);
    return found == nullptr ? std::string() : found->bytes;
}

bool onnx_mutator::change_edge() {
    message_field* const edge = any(message::node, node_input);
    if (edge != nullptr) {
        edge->bytes = any_name();
    }
    return edge != nullptr;
}

/// The inputs or outputs of a node: two exchanged, one left out, one more.
bool onnx_mutator::change_list_of_names() {
    message_field* const node = any_message(message::node);
    if (node == nullptr) {
        return false;
    }
    const unsigned tag = random_.once_in(4) ? node_output : node_input;
    const std::vector<std::size_t> found = indices_of(*node, tag);
    if (found.empty() || random_.once_in(3)) {
        node->inside.push_back(bytes_field(
            tag, tag == node_input || random_.once_in(4) ? any_name() : "new" + std::to_string(random_.below(1000))));
    } else if (found.size() == 1 || random_.once_in(2)) {
        node->inside.erase(node->inside.begin() + static_cast<std::ptrdiff_t>(random_.one_of(found)));
    } else {
        const std::size_t one = random_.one_of(found);
        std::swap(node->inside[one].bytes, node->inside[random_.one_of(found)].bytes);
    }
    return true;
}

/// Gives a node an operator of another node, or any.
void onnx_mutator::set_operator(message_field& node) {
    std::string type = random_.one_of(onnx_operators());
    std::string domain;
    if (const message_field* const other = any(message::node, node_type); other != nullptr && random_.once_in(6)) {
        type = other->bytes;
    } else if (const std::size_t dot = type.rfind('.'); dot != std::string::npos) {
        domain = type.substr(0, dot);
        type = type.substr(dot + 1);
    }
    std::erase_if(node.inside,
                  [](const message_field& each) { return each.tag == node_type || each.tag == node_domain; });
    node.inside.push_back(bytes_field(node_type, type));
    if (!domain.empty()) {
        node.inside.push_back(bytes_field(node_domain, domain));
    }
}

bool onnx_mutator::change_operator() {
    message_field* const node = any_message(message::node);
    if (node == nullptr) {
        return false;
    }
    // The new operator may need more inputs than the old one.
    message_fields more;
    for (std::size_t left = random_.once_in(2) ? 1 + random_.below(3) : 0; left != 0; --left) {
        more.push_back(bytes_field(node_input, any_name()));
    }
    set_operator(*node);
    node->inside.insert(node->inside.end(), more.begin(), more.end());
    return true;
}

/// Files leave most attributes out, so that operators have their defaults.
bool onnx_mutator::add_attribute() {
    message_field* const node = any_message(message::node);
    if (node == nullptr) {
        return false;
    }
    enum : unsigned { real = 1, integer = 2, words = 3, integers = 7 };
    message_fields inside{bytes_field(attribute_name, random_.one_of(onnx_attributes()))};
    const auto small = [&] { return new_small_integer(1, number_of_any(dimensions), random_); };
    unsigned type = integer;
    switch (random_.below(8)) {
        case 0:
            type = words;
            inside.push_back(bytes_field(attribute_words, random_.one_of(onnx_words())));
            break;
        case 1:
            type = real;
            inside.push_back(number_field(attribute_real, std::bit_cast<std::uint32_t>(interesting_real(random_))));
            inside.back().type = protozero::pbf_wire_type::fixed32;
            break;
        case 2:
        case 3:
            type = integers;
            for (std::size_t left = 1 + random_.below(4); left != 0; --left) {
                inside.push_back(number_field(attribute_integers, small()));
            }
            break;
        default: inside.push_back(number_field(attribute_integer, small()));
    }
    inside.push_back(number_field(attribute_type, type));
    node->inside.push_back(nested_field(node_attribute, message::attribute, std::move(inside)));
    return true;
}

/// A node between another one and what gives it an input.
bool onnx_mutator::insert_node() {
    const std::vector<field_place> nodes = all(message::graph, graph_node);
    if (nodes.empty()) {
        return false;
    }
    const field_place reader = random_.one_of(nodes);
    const std::vector<std::size_t> inputs = indices_of(reader.get(), node_input);
    if (inputs.empty()) {
        return false;
    }
    std::string& input = reader.get().inside[random_.one_of(inputs)].bytes;
    const std::string name = "new" + std::to_string(random_.below(1000));
    message_fields inside{bytes_field(node_input, input), bytes_field(node_output, name)};
    if (random_.once_in(3)) {
        inside.push_back(bytes_field(node_input, any_name()));
    }
    input = name;
    message_field node = nested_field(graph_node, message::node, std::move(inside));
    set_operator(node);
    reader.list->insert(reader.list->begin() + static_cast<std::ptrdiff_t>(reader.index), std::move(node));
    return true;
}

/// Whatever it means: left out, doubled, exchanged, a number or a byte of it changed.
bool onnx_mutator::change_anything() {
    const field_place at = random_.one_of(places_);
    const auto where = at.list->begin() + static_cast<std::ptrdiff_t>(at.index);
    message_field& one = *where;
    switch (random_.below(8)) {
        case 0: at.list->erase(where); return true;
        case 1: at.list->insert(where, message_field(*where)); return true;
        case 2: std::swap(*where, (*at.list)[random_.below(at.list->size())]); return true;
        default: break;
    }
    if (is_number(one)) {
        const auto any_number = static_cast<std::uint64_t>(interesting_integer(random_));
        const std::uint64_t numbers[] = {one.number + 1, one.number - 1, any_number, any_number, any_number};
        one.number = random_.one_of(numbers);
    } else if (one.bytes.empty()) {
        one.type = protozero::pbf_wire_type::varint;
    } else {
        one.is = message::bytes;
        one.bytes[random_.below(one.bytes.size())] = static_cast<char>(random_.below(256));
    }
    return true;
}

bool onnx_mutator::change_something() {
    places_ = all_fields(model_);
    if (places_.empty()) {
        return false;
    }
    switch (random_.below(23)) {
        case 0:
        case 1: return change_edge();
        case 2:
        case 3: return change_list_of_names();
        case 4:
        case 5: return change_operator();
        case 6:
        case 7: return change_dimension();
        case 8:
        case 9: return change_type();
        case 10:
        case 11: return change_integer();
        case 12: return change_real();
        case 13: return change_attribute_name();
        case 14: return change_words();
        case 15:
        case 16: return add_attribute();
        case 17: return insert_node();
        case 18: return change_version();
        case 19: return change_constant();
        default: return change_anything();
    }
}

}  // namespace lpt::fuzz
