// SPDX-License-Identifier: Apache-2.0
// Files of one array: .npy, version 1.0, little-endian, C order.
#pragma once

#include <lpt/tensor/tensor.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace npy {

namespace detail {

struct type_code {
    const char* code;
    lpt::element type;
};
inline constexpr type_code type_codes[] = {
    {"<f4", lpt::f32}, {"<f8", lpt::f64}, {"<f2", lpt::f16}, {"<i8", lpt::i64},
    {"<u8", lpt::u64}, {"<i4", lpt::i32}, {"<u4", lpt::u32}, {"<i2", lpt::i16},
    {"<u2", lpt::u16}, {"|i1", lpt::i8},  {"|u1", lpt::u8},  {"|b1", lpt::boolean},
};

[[noreturn]] inline void reject(const std::string& file, const std::string& why) {
    lpt::fail({file.c_str(), ": ", why.c_str()});
}

/// What stands behind 'key': in the header, which is a Python dictionary.
inline std::string entry(const std::string& header, const std::string& key, const std::string& file) {
    const std::size_t at = header.find("'" + key + "'");
    const std::size_t colon = at == std::string::npos ? at : header.find(':', at);
    const std::size_t first = colon == std::string::npos ? colon : header.find_first_not_of(' ', colon + 1);
    if (first == std::string::npos) {
        reject(file, "the header has no entry '" + key + "'");
    }
    return header.substr(first);
}

inline lpt::element read_type(const std::string& header, const std::string& file) {
    const std::string descr = entry(header, "descr", file);
    const std::size_t close = descr.find('\'', 1);
    const std::string code = descr[0] == '\'' && close != std::string::npos ? descr.substr(1, close - 1) : "?";
    for (const type_code& each : type_codes) {
        if (code == each.code) {
            return each.type;
        }
    }
    reject(file, "elements of type '" + code + "' cannot be read");
}

inline lpt::shape read_shape(const std::string& header, const std::string& file) {
    const std::string words = entry(header, "shape", file);
    lpt::shape result;
    if (words[0] != '(') {
        reject(file, "the header's shape is no list in parentheses");
    }
    std::size_t at = 1;
    while (at < words.size() && words[at] != ')') {
        if (words[at] == ' ' || words[at] == ',') {
            ++at;
            continue;
        }
        std::int64_t size = 0;
        std::size_t digits = 0;
        while (at < words.size() && words[at] >= '0' && words[at] <= '9' && digits < 15) {
            size = size * 10 + (words[at++] - '0');
            ++digits;
        }
        if (digits == 0 || digits == 15) {
            reject(file, "the header's shape has a size that is no number");
        }
        result.push_back(size);
    }
    return result;
}

}  // namespace detail

/// Reads a file. Raises an error that names the file for what is not an array of this form.
inline lpt::tensor read(const std::string& file) {
    if (std::filesystem::is_directory(file)) {
        detail::reject(file, "is a folder, expected a .npy file");
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        detail::reject(file, "cannot be opened");
    }
    const std::string all((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const auto byte_at = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(all[at])); };
    if (all.size() < 10 || all.compare(0, 6, "\x93NUMPY") != 0) {
        detail::reject(file, "is not a .npy file");
    }
    if (byte_at(6) != 1) {
        detail::reject(file, "has format version " + std::to_string(byte_at(6)) + "; version 1 is read");
    }
    const std::size_t header_size = byte_at(8) + 256 * byte_at(9);
    if (all.size() < 10 + header_size) {
        detail::reject(file, "ends inside its header");
    }
    const std::string header = all.substr(10, header_size);
    if (detail::entry(header, "fortran_order", file).compare(0, 5, "False") != 0) {
        detail::reject(file, "is not in C order");
    }
    lpt::tensor_builder result(detail::read_type(header, file), lpt::shape{});
    const lpt::element type = result.type();
    const lpt::shape dimensions = detail::read_shape(header, file);
    std::size_t bytes = static_cast<std::size_t>(lpt::bit_width(type)) / 8;
    const std::size_t given = all.size() - 10 - header_size;
    for (const lpt::dimension size : dimensions) {
        if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(size), &bytes)) {
            detail::reject(file, "has a shape that is too large");
        }
    }
    if (bytes != given) {
        detail::reject(file, "has " + std::to_string(given) + " bytes of values; its shape asks for " +
                                 std::to_string(bytes));
    }
    lpt::tensor_builder values(type, dimensions);
    std::char_traits<char>::copy(reinterpret_cast<char*>(values.data()), all.data() + 10 + header_size, bytes);
    return values.finish();
}

/// Writes a file. Raises an error that names the file if it cannot.
inline void write(const std::string& file, lpt::element type, const lpt::shape& dimensions, const std::byte* values) {
    std::string code;
    for (const detail::type_code& each : detail::type_codes) {
        if (each.type == type) {
            code = each.code;
        }
    }
    if (code.empty()) {
        detail::reject(file,
                       std::string("elements of type ") + lpt::text(lpt::name(type)).c_str() + " cannot be written");
    }
    std::string header = "{'descr': '" + code + "', 'fortran_order': False, 'shape': (";
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        header += std::to_string(dimensions[axis]) + (axis + 1 == dimensions.rank() && axis != 0 ? "" : ",");
        header += axis + 1 == dimensions.rank() ? "" : " ";
    }
    header += "), }";
    while ((10 + header.size() + 1) % 64 != 0) {
        header += ' ';
    }
    header += '\n';
    std::ofstream stream(file, std::ios::binary);
    const char head[] = {'\x93',
                         'N',
                         'U',
                         'M',
                         'P',
                         'Y',
                         1,
                         0,
                         static_cast<char>(header.size() % 256),
                         static_cast<char>(header.size() / 256)};
    stream.write(head, sizeof head);
    stream.write(header.data(), static_cast<std::streamsize>(header.size()));
    stream.write(reinterpret_cast<const char*>(values),
                 static_cast<std::streamsize>(lpt::byte_size(type, dimensions.elements())));
    if (!stream.flush()) {
        detail::reject(file, "cannot be written");
    }
}
inline void write(const std::string& file, const lpt::tensor& values) {
    write(file, values.type(), values.dimensions(), values.data());
}

}  // namespace npy
