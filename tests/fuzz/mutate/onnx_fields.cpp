// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/onnx_fields.hpp"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <utility>

namespace lpt::fuzz {

namespace {

struct child {
    message of;
    unsigned field;
    message is;
};
constexpr child children[] = {
    {message::model, 7, message::graph},         {message::model, 8, message::opset},
    {message::model, 25, message::function},     {message::graph, 1, message::node},
    {message::graph, 5, message::tensor},        {message::graph, 11, message::value},
    {message::graph, 12, message::value},        {message::node, 5, message::attribute},
    {message::attribute, 5, message::tensor},    {message::attribute, 6, message::graph},
    {message::value, 2, message::type},          {message::type, 1, message::tensor_type},
    {message::tensor_type, 2, message::shape},   {message::shape, 1, message::dimension},
    {message::function, 7, message::node},       {message::function, 9, message::opset},
    {message::function, 11, message::attribute}, {message::attribute, 10, message::tensor},
    {message::attribute, 11, message::graph},
};

message message_in(message outer, unsigned tag) {
    for (const child& each : children) {
        if (each.of == outer && each.field == tag) {
            return each.is;
        }
    }
    return message::bytes;
}

constexpr int deepest = 12;

message_fields read(std::string_view content, message is, int depth) {
    message_fields result;
    protozero::pbf_reader from(content.data(), content.size());
    while (from.next()) {
        message_field one;
        one.tag = from.tag();
        one.type = from.wire_type();
        switch (one.type) {
            case protozero::pbf_wire_type::varint: one.number = from.get_uint64(); break;
            case protozero::pbf_wire_type::fixed32: one.number = from.get_fixed32(); break;
            case protozero::pbf_wire_type::fixed64: one.number = from.get_fixed64(); break;
            default: {
                one.bytes = from.get_string();
                one.is = depth < deepest ? message_in(is, one.tag) : message::bytes;
                if (one.is != message::bytes) {
                    one.inside = read(one.bytes, one.is, depth + 1);
                }
            }
        }
        result.push_back(std::move(one));
    }
    return result;
}

void collect(message_fields& fields, message outer, std::vector<field_place>& to) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        to.push_back({outer, &fields, i});
        collect(fields[i].inside, fields[i].is, to);
    }
}

}  // namespace

message_fields read_fields(std::string_view content) { return read(content, message::model, 0); }

std::string written(const message_fields& fields) {
    std::string result;
    protozero::pbf_writer to(result);
    for (const message_field& each : fields) {
        switch (each.type) {
            case protozero::pbf_wire_type::varint: to.add_uint64(each.tag, each.number); break;
            case protozero::pbf_wire_type::fixed32:
                to.add_fixed32(each.tag, static_cast<std::uint32_t>(each.number));
                break;
            case protozero::pbf_wire_type::fixed64: to.add_fixed64(each.tag, each.number); break;
            default: to.add_bytes(each.tag, each.is == message::bytes ? each.bytes : written(each.inside));
        }
    }
    return result;
}

std::vector<field_place> all_fields(message_fields& model) {
    std::vector<field_place> result;
    collect(model, message::model, result);
    return result;
}

}  // namespace lpt::fuzz
