// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <protozero/types.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lpt::fuzz {

/// The messages of an ONNX model that are taken apart.
enum class message : unsigned char {
    bytes,
    model,
    graph,
    node,
    attribute,
    value,
    type,
    tensor_type,
    shape,
    dimension,
    tensor,
    function,
    opset
};

/// A field of a message, with the fields in it.
struct message_field {
    unsigned tag = 0;
    protozero::pbf_wire_type type = protozero::pbf_wire_type::varint;
    message is = message::bytes;
    std::uint64_t number = 0;
    std::string bytes;
    std::vector<message_field> inside;
};
using message_fields = std::vector<message_field>;

inline message_field number_field(unsigned tag, std::uint64_t number) {
    message_field result;
    result.tag = tag;
    result.number = number;
    return result;
}
inline message_field bytes_field(unsigned tag, std::string bytes) {
    message_field result;
    result.tag = tag;
    result.type = protozero::pbf_wire_type::length_delimited;
    result.bytes = std::move(bytes);
    return result;
}
inline message_field nested_field(unsigned tag, message is, message_fields inside) {
    message_field result = bytes_field(tag, {});
    result.is = is;
    result.inside = std::move(inside);
    return result;
}

inline bool is_number(const message_field& one) { return one.type != protozero::pbf_wire_type::length_delimited; }

/// Where a message has fields with a tag.
inline std::vector<std::size_t> indices_of(const message_field& outer, unsigned tag) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < outer.inside.size(); ++i) {
        if (outer.inside[i].tag == tag) {
            result.push_back(i);
        }
    }
    return result;
}

inline std::uint64_t number_in(const message_field& outer, unsigned tag) {
    const std::vector<std::size_t> found = indices_of(outer, tag);
    return found.empty() ? 0 : outer.inside[found.back()].number;
}

/// The fields of a model; raises an exception of protozero where it is none.
message_fields read_fields(std::string_view content);
std::string written(const message_fields& fields);

/// Where a field lies: in a message of a kind.
struct field_place {
    message outer;
    message_fields* list;
    std::size_t index;

    message_field& get() const { return (*list)[index]; }
};
std::vector<field_place> all_fields(message_fields& model);

}  // namespace lpt::fuzz
