// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/model_builder.hpp>
#include <lpt/import/onnx/model.hpp>
#include <lpt/op/attribute_value.hpp>

#include <filesystem>
#include <memory>

/// TensorProto: values in the model, or in a file beside it.
namespace lpt::inline LPT_ABI::onnx {

/// The bits of the integer types that are packed: those of two bits have four in the graph. 0 for all others.
inline int packed_bits(std::int64_t type) { return type == 21 || type == 22 ? 4 : type == 25 || type == 26 ? 2 : 0; }

/// The element type with a number of TensorProto.DataType; `dynamic` for those that tensors of the library cannot have.
inline element element_of(std::int64_t type) {
    constexpr element types[] = {dynamic, f32,    u8,      i8,  u16, i16,     i32,     i64,  dynamic,
                                 boolean, f16,    f64,     u32, u64, dynamic, dynamic, bf16, f8e4m3,
                                 dynamic, f8e5m2, dynamic, u4,  i4,  dynamic, dynamic, u4,   i4};
    return type >= 0 && type < static_cast<std::int64_t>(std::size(types)) ? types[type] : dynamic;
}

inline std::string name_of_type(std::int64_t type) {
    constexpr const char* names[] = {
        "UNDEFINED", "FLOAT",      "UINT8",      "INT8",         "UINT16",         "INT16",      "INT32",
        "INT64",     "STRING",     "BOOL",       "FLOAT16",      "DOUBLE",         "UINT32",     "UINT64",
        "COMPLEX64", "COMPLEX128", "BFLOAT16",   "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
        "UINT4",     "INT4",       "FLOAT4E2M1", "FLOAT8E8M0",   "UINT2",          "INT2"};
    return type >= 0 && type < static_cast<std::int64_t>(std::size(names)) ? names[type]
                                                                           : "number " + std::to_string(type);
}

/// True for the types of the standard that have a number of their own: all but UNDEFINED.
inline bool is_type_of_standard(std::int64_t type) {
    constexpr std::int64_t last = 26;
    return type > 0 && type <= last;
}

/// The element type; raises an error that names the type where the library has none like it.
inline element known_element_of(std::int64_t type, const model_builder& to) {
    const element result = element_of(type);
    if (result == dynamic) {
        to.wrong({"the element type ", name_of_type(type).c_str(), " is not supported"});
    }
    return result;
}

/// The files beside the model that hold large tensors. They must lie in the model's folder, or below it.
class external_files {
    std::filesystem::path folder_;
    bool anywhere_;
    std::map<std::string, std::unique_ptr<mapped_file>> files_;

public:
    /// `anywhere`: files outside the folder are read, too.
    external_files(const std::string& model, bool anywhere)
        : folder_(std::filesystem::path(model).parent_path()), anywhere_(anywhere) {}

    const mapped_file& open(const std::string& name, const model_builder& to) {
        if (const auto found = files_.find(name); found != files_.end()) {
            return *found->second;
        }
        std::error_code broken;
        const std::filesystem::path folder =
            std::filesystem::weakly_canonical(folder_.empty() ? std::filesystem::path(".") : folder_, broken);
        const std::filesystem::path file = std::filesystem::weakly_canonical(folder / name, broken);
        const std::filesystem::path relative = file.lexically_relative(folder);
        if (!anywhere_ && (broken || relative.empty() || *relative.begin() == "..")) {
            to.wrong({"external data in '", name.c_str(),
                      "' lies outside the folder of the model; external_data_anywhere "
                      "(--allow-external-data of lpt_run and lpt_embed) allows it"});
        }
        try {
            auto opened = std::make_unique<mapped_file>(file.string().c_str());
            return *files_.emplace(name, std::move(opened)).first->second;
        } catch (const error& raised) {
            to.wrong({"external data in '", name.c_str(), "': ", raised.message()});
        }
    }
};

/// Reads a part of the file; an error of the wire format gets the place that the builder is at.
template <class Action>
auto reading(const model_builder& to, Action&& action) {
    try {
        return action();
    } catch (const error& raised) {
        to.wrong({raised.message()});
    }
}

/// What a TensorProto says, before it is known which of its fields count.
struct tensor_fields {
    std::string_view name;
    std::int64_t type = 0;
    std::vector<std::int64_t> dimensions;
    std::vector<float> floats;
    std::vector<std::int64_t> integers;  // int32_data, int64_data and uint64_data
    std::vector<double> doubles;
    std::string_view raw;
    bool has_raw = false;
    bool has_strings = false;
    bool has_segment = false;
    std::int64_t location = 0;
    std::map<std::string_view, std::string_view> external;
};

inline void read_entry(message from, std::map<std::string_view, std::string_view>& to) {
    std::string_view key;
    std::string_view value;
    while (from.next()) {
        switch (from.field()) {
            case 1: key = from.view(); break;
            case 2: value = from.view(); break;
            default: from.skip();
        }
    }
    to[key] = value;
}

inline tensor_fields read_tensor_fields(message from) {
    tensor_fields result;
    while (from.next()) {
        switch (from.field()) {
            case 1: from.append_to(result.dimensions); break;
            case 2: result.type = from.integer(); break;
            case 3:
                result.has_segment = true;
                from.skip();
                break;
            case 4: from.append_to(result.floats); break;
            case 5:
            case 7:
            case 11: from.append_to(result.integers); break;
            case 6:
                result.has_strings = true;
                from.skip();
                break;
            case 8: result.name = from.view(); break;
            case 9:
                result.raw = from.view();
                result.has_raw = true;
                break;
            case 10: from.append_to(result.doubles); break;
            case 13: read_entry(from.inner(), result.external); break;
            case 14: result.location = from.integer(); break;
            default: from.skip();
        }
    }
    return result;
}

/// The number of the element type that a TensorProto names.
inline std::int64_t type_of_tensor(const stored_message& stored, const model_builder& to) {
    return reading(to, [&] {
        std::int64_t result = 0;
        for (message from = stored.open(); from.next();) {
            if (from.field() == 2) {
                result = from.integer();
            } else {
                from.skip();
            }
        }
        return result;
    });
}

inline std::size_t external_number(const tensor_fields& fields, std::string_view key, std::size_t otherwise,
                                   const model_builder& to) {
    const auto found = fields.external.find(key);
    if (found == fields.external.end()) {
        return otherwise;
    }
    const std::string word(found->second);
    std::int64_t value = 0;
    if (!op::detail::parse_integer(word.c_str(), value) || value < 0) {
        to.wrong({"external data has the ", shown(key), " '", word.c_str(), "', expected a number from 0 on"});
    }
    return static_cast<std::size_t>(value);
}

/// Values of two bits, four in a byte, as values of four.
inline tensor two_bit_tensor(std::string_view bytes, element type, const shape& dimensions) {
    tensor_builder result(type, dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const int code = (static_cast<unsigned char>(bytes[i / 4]) >> (2 * (i % 4))) & 3;
        result.integer(i, is_signed(type) && code > 1 ? code - 4 : code);
    }
    return result.finish();
}

/// Values that are written one by one; f16 and bf16 as the bits of integers, those of 4 and 2 bits as many in a number as fit 8.
inline tensor listed_tensor(const tensor_fields& fields, element type, const shape& dimensions,
                            const model_builder& to) {
    const int bits = packed_bits(fields.type);
    const std::size_t packed = bits != 0 ? static_cast<std::size_t>(8 / bits) : 1;
    const std::size_t wanted = (dimensions.elements() + packed - 1) / packed;
    const std::size_t given = type == f32   ? fields.floats.size()
                              : type == f64 ? fields.doubles.size()
                                            : fields.integers.size();
    if (given != wanted) {
        to.wrong({"a tensor of shape ", dimensions, " needs ", wanted, " numbers, not ", given});
    }
    if (bits == 2) {
        std::string bytes;
        for (const std::int64_t each : fields.integers) {
            bytes.push_back(static_cast<char>(each));
        }
        return two_bit_tensor(bytes, type, dimensions);
    }
    tensor_builder result(type, dimensions);
    std::byte* const bytes = result.data();
    const auto width = static_cast<std::size_t>(packed == 2 ? 1 : bit_width(type) / 8);
    for (std::size_t i = 0; i < given; ++i) {
        if (type == f32) {
            lpt::detail::store(bytes + 4 * i, fields.floats[i]);
        } else if (type == f64) {
            lpt::detail::store(bytes + 8 * i, fields.doubles[i]);
        } else {
            const auto code = static_cast<std::uint64_t>(fields.integers[i]);
            for (std::size_t k = 0; k < width; ++k) {
                bytes[i * width + k] = static_cast<std::byte>(code >> (8 * k));
            }
        }
    }
    return result.finish();
}

/// The tensor of a message: a window into the model's file, or into the external one, where its bytes lie there as they are needed.
inline tensor read_tensor(const stored_message& stored, const mapped_file& file, external_files& others,
                          const model_builder& to) {
    const tensor_fields fields = reading(to, [&] { return read_tensor_fields(stored.open()); });
    const element type = known_element_of(fields.type, to);
    shape dimensions;
    for (const std::int64_t size : fields.dimensions) {
        if (size < 0 || dimensions.rank() == most_axes) {
            to.wrong({"a tensor has a size of ", size, " or more than ", most_axes, " axes"});
        }
        dimensions.push_back(size);
    }
    if (!dimensions.is_possible()) {
        to.wrong({"a tensor cannot have the shape ", dimensions});
    }
    if (fields.has_segment || fields.has_strings) {
        to.wrong({"a tensor has segments or strings, which are not supported"});
    }
    const bool has_two_bits = packed_bits(fields.type) == 2;
    const std::size_t size = byte_size(type, dimensions.elements());
    if (has_two_bits && (fields.location == 1 || (fields.has_raw && fields.raw.size() * 4 < dimensions.elements()))) {
        to.wrong({"a tensor of shape ", dimensions, " needs ", (dimensions.elements() + 3) / 4, " bytes in the model"});
    }
    if (has_two_bits && fields.has_raw) {
        return two_bit_tensor(fields.raw, type, dimensions);
    }
    if (fields.location == 1) {
        const auto name = fields.external.find("location");
        if (name == fields.external.end()) {
            to.wrong({"external data has no location"});
        }
        const mapped_file& other = others.open(std::string(name->second), to);
        const std::size_t offset = external_number(fields, "offset", 0, to);
        const std::size_t length = external_number(fields, "length", size, to);
        if (!other.has(offset, length)) {
            to.wrong({"external data in '", shown(name->second), "': ", length, " bytes from byte ", offset,
                      " on lie outside of the file, which has ", other.size(), " bytes"});
        }
        return to.stored(other, type, dimensions, offset, length);
    }
    if (fields.has_raw) {
        const char* const first = reinterpret_cast<const char*>(file.data());
        return to.stored(file, type, dimensions, static_cast<std::size_t>(fields.raw.data() - first),
                         fields.raw.size());
    }
    return listed_tensor(fields, type, dimensions, to);
}

}  // namespace lpt::inline LPT_ABI::onnx
