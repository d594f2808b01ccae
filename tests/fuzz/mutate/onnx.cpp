// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/dice.hpp"
#include "tests/fuzz/mutate/mutate.hpp"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <utility>

namespace lpt::fuzz {

namespace {

/// The messages of a model that have messages in them, and where these lie.
enum class kind {
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
struct child {
    kind of;
    unsigned field;
    kind is;
};
constexpr child children[] = {
    {kind::model, 7, kind::graph},       {kind::model, 8, kind::opset},     {kind::model, 25, kind::function},
    {kind::graph, 1, kind::node},        {kind::graph, 5, kind::tensor},    {kind::graph, 11, kind::value},
    {kind::graph, 12, kind::value},      {kind::node, 5, kind::attribute},  {kind::attribute, 5, kind::tensor},
    {kind::attribute, 6, kind::graph},   {kind::value, 2, kind::type},      {kind::type, 1, kind::tensor_type},
    {kind::tensor_type, 2, kind::shape}, {kind::shape, 1, kind::dimension}, {kind::function, 7, kind::node},
    {kind::function, 9, kind::opset},
};

/// A field of a message, with the fields in it.
struct field {
    unsigned tag = 0;
    protozero::pbf_wire_type type = protozero::pbf_wire_type::varint;
    kind is = kind::bytes;
    std::uint64_t number = 0;
    std::string bytes;
    std::vector<field> inside;
};

kind kind_of(kind outer, unsigned tag) {
    for (const child& each : children) {
        if (each.of == outer && each.field == tag) {
            return each.is;
        }
    }
    return kind::bytes;
}

std::vector<field> read(std::string_view content, kind is, int depth) {
    std::vector<field> result;
    protozero::pbf_reader from(content.data(), content.size());
    while (from.next()) {
        field one;
        one.tag = from.tag();
        one.type = from.wire_type();
        switch (one.type) {
            case protozero::pbf_wire_type::varint: one.number = from.get_uint64(); break;
            case protozero::pbf_wire_type::fixed32: one.number = from.get_fixed32(); break;
            case protozero::pbf_wire_type::fixed64: one.number = from.get_fixed64(); break;
            default: {
                one.bytes = from.get_string();
                one.is = kind_of(is, one.tag);
                if (one.is != kind::bytes && depth < 12) {
                    one.inside = read(one.bytes, one.is, depth + 1);
                }
            }
        }
        result.push_back(std::move(one));
    }
    return result;
}

std::string written(const std::vector<field>& fields) {
    std::string result;
    protozero::pbf_writer to(result);
    for (const field& each : fields) {
        switch (each.type) {
            case protozero::pbf_wire_type::varint: to.add_uint64(each.tag, each.number); break;
            case protozero::pbf_wire_type::fixed32:
                to.add_fixed32(each.tag, static_cast<std::uint32_t>(each.number));
                break;
            case protozero::pbf_wire_type::fixed64: to.add_fixed64(each.tag, each.number); break;
            default: to.add_bytes(each.tag, each.is == kind::bytes ? each.bytes : written(each.inside));
        }
    }
    return result;
}

struct place {
    std::vector<field>* list;
    std::size_t index;
};
void collect(std::vector<field>& fields, std::vector<place>& to) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        to.push_back({&fields, i});
        collect(fields[i].inside, to);
    }
}

void change(field& one, dice& random) {
    if (one.type != protozero::pbf_wire_type::length_delimited) {
        switch (random.below(5)) {
            case 0: ++one.number; break;
            case 1: --one.number; break;
            default: one.number = static_cast<std::uint64_t>(interesting_integer(random));
        }
    } else if (one.bytes.empty()) {
        one.type = protozero::pbf_wire_type::varint;
    } else {
        one.is = kind::bytes;
        one.bytes[random.below(one.bytes.size())] = static_cast<char>(random.below(256));
    }
}

}  // namespace

std::string mutate_onnx(std::string_view content, unsigned seed) {
    std::vector<field> model;
    try {
        model = read(content, kind::model, 0);
    } catch (const protozero::exception&) {
        return {};
    }
    if (model.empty()) {
        return {};
    }
    dice random(seed);
    for (std::size_t left = 1 + random.below(3); left != 0; --left) {
        std::vector<place> places;
        collect(model, places);
        if (places.empty()) {
            break;
        }
        const place at = random.one_of(places);
        const auto where = at.list->begin() + static_cast<std::ptrdiff_t>(at.index);
        switch (random.below(8)) {
            case 0: at.list->erase(where); break;
            case 1: at.list->insert(where, field(*where)); break;
            case 2: std::swap(*where, (*at.list)[random.below(at.list->size())]); break;
            default: change(*where, random);
        }
    }
    return written(model);
}

std::string cross_onnx(std::string_view content, std::string_view other, unsigned seed) {
    std::vector<field> model;
    std::vector<field> from;
    try {
        model = read(content, kind::model, 0);
        from = read(other, kind::model, 0);
    } catch (const protozero::exception&) {
        return {};
    }
    dice random(seed);
    std::vector<place> places;
    std::vector<place> sources;
    collect(model, places);
    collect(from, sources);
    if (places.empty() || sources.empty()) {
        return {};
    }
    // What stands in the same kind of place, if a few tries find it.
    for (int tries = 0; tries < 64; ++tries) {
        const place to = random.one_of(places);
        const place source = random.one_of(sources);
        field& mine = (*to.list)[to.index];
        const field& theirs = (*source.list)[source.index];
        if (mine.is == theirs.is && mine.tag == theirs.tag && mine.type == theirs.type) {
            mine = field(theirs);
            break;
        }
    }
    return written(model);
}

}  // namespace lpt::fuzz
