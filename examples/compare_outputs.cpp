// SPDX-License-Identifier: Apache-2.0
// compare_outputs MINE.npy REFERENCE.npy [--max-rmse-over-std X] [--max-top1-misses N]
//
// Compares an output of a network with a stored one: the root mean square difference over the standard deviation of the
// reference, and in how many rows (last axis) the largest value stands at the same place.
// Exit 0 when within the given limits, 1 when not, 2 when a file or an argument is wrong (one line on stderr).
#include "standard_output.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

static_assert(std::endian::native == std::endian::little, "the files are little-endian, and so is their reader");

namespace {

struct array {
    std::vector<std::size_t> shape;
    std::vector<float> values;
};

[[noreturn]] void reject(const std::string& file, const std::string& why) {
    throw std::runtime_error(file + ": " + why);
}

/// The text after `'key':` in the header of a .npy file, which is a Python dictionary.
std::string_view header_entry(std::string_view header, std::string_view key, const std::string& file) {
    const auto at = header.find("'" + std::string(key) + "':");
    if (at == std::string_view::npos) reject(file, "the header has no entry '" + std::string(key) + "'");
    auto rest = header.substr(at + key.size() + 3);
    while (rest.starts_with(' '))
        rest.remove_prefix(1);
    return rest;
}

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& file) {
    std::vector<std::size_t> shape;
    if (!text.starts_with('(')) reject(file, "the header's shape is no list in parentheses");
    for (text.remove_prefix(1); !text.starts_with(')');) {
        if (text.starts_with(' ') || text.starts_with(',')) {
            text.remove_prefix(1);
            continue;
        }
        std::size_t dimension = 0;
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), dimension);
        if (status != std::errc{}) reject(file, "the header's shape has a dimension that is no number");
        shape.push_back(dimension);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return shape;
}

/// The values of a file as floats.
template <class Value>
std::vector<float> values_of(std::string_view bytes, std::size_t count) {
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        Value value;
        std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
        result[i] = static_cast<float>(value);
    }
    return result;
}

/// Reads a .npy file (format versions 1 to 3) of little-endian 32-bit floats or of 8-bit integers in C order.
array read_npy(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) reject(file, "cannot be opened");
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    constexpr std::string_view magic = "\x93NUMPY";
    if (bytes.size() < 12 || !bytes.starts_with(magic)) reject(file, "is no .npy file");

    const int version = bytes[6];
    std::size_t header_size = 0;
    const std::size_t header_begin = version == 1 ? 10 : 12;
    for (std::size_t i = header_begin; i-- > 8;)
        header_size = header_size << 8 | static_cast<unsigned char>(bytes[i]);
    if (header_size > bytes.size() - header_begin) reject(file, "ends within its header");
    const std::string_view header(bytes.data() + header_begin, header_size);
    const std::string_view type = header_entry(header, "descr", file).substr(0, 5);
    if (type != "'<f4'" && type != "'|i1'" && type != "'|u1'")
        reject(file, "holds neither little-endian 32-bit floats ('<f4') nor 8-bit integers ('|i1', '|u1')");
    if (!header_entry(header, "fortran_order", file).starts_with("False"))
        reject(file, "is in Fortran order, expected C order");

    array result{parse_shape(header_entry(header, "shape", file), file), {}};
    const std::string_view values = std::string_view(bytes).substr(header_begin + header_size);
    const std::size_t available = values.size() / (type == "'<f4'" ? sizeof(float) : 1);
    std::size_t count = 1;
    for (const std::size_t dimension : result.shape) {
        if (dimension != 0 && count > available / dimension) reject(file, "has fewer values than its shape says");
        count *= dimension;
    }
    result.values = type == "'<f4'"   ? values_of<float>(values, count)
                    : type == "'|i1'" ? values_of<std::int8_t>(values, count)
                                      : values_of<std::uint8_t>(values, count);
    return result;
}

std::string shape_text(const array& a) {
    std::string text = "[";
    for (const std::size_t dimension : a.shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(dimension);
    return text + "]";
}

struct comparison {
    double max_abs = 0;
    double rmse_over_std = 0;
    std::size_t rows = 0;
    std::size_t top1_misses = 0;
};

std::size_t index_of_largest(const float* row, std::size_t size) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < size; ++i)
        if (row[i] > row[best]) best = i;
    return best;
}

/// Both arrays have the same, non-empty shape. A value that is not finite makes the comparison not a number, which is
/// within no limit.
comparison compare(const array& mine, const array& reference) {
    comparison result;
    const std::size_t count = reference.values.size();
    double mean = 0;
    for (const float value : reference.values)
        mean += double(value) / double(count);
    double variance = 0;
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double difference = double(mine.values[i]) - double(reference.values[i]);
        const double deviation = double(reference.values[i]) - mean;
        squares += difference * difference / double(count);
        variance += deviation * deviation / double(count);
        const bool is_greater = !(std::fabs(difference) <= result.max_abs);  // also NaN
        if (is_greater && !std::isnan(result.max_abs)) result.max_abs = std::fabs(difference);
    }
    result.rmse_over_std = squares == 0 ? 0 : std::sqrt(squares) / std::sqrt(variance);

    const std::size_t row_size = reference.shape.empty() ? 1 : reference.shape.back();
    result.rows = count / row_size;
    for (std::size_t row = 0; row < result.rows; ++row) {
        const std::size_t begin = row * row_size;
        if (index_of_largest(&mine.values[begin], row_size) != index_of_largest(&reference.values[begin], row_size))
            ++result.top1_misses;
    }
    return result;
}

struct arguments {
    std::vector<std::string> files;
    double max_rmse_over_std = std::numeric_limits<double>::infinity();
    std::size_t max_top1_misses = std::numeric_limits<std::size_t>::max();
};

template <class Number>
Number parse_number(std::string_view option, std::string_view text) {
    Number value{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size())
        throw std::runtime_error(std::string(option) + " takes a number, not '" + std::string(text) + "'");
    return value;
}

arguments parse_arguments(int count, char** texts) {
    arguments result;
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = texts[i];
        if (!argument.starts_with("--")) {
            result.files.emplace_back(argument);
            continue;
        }
        const std::string_view value = i + 1 < count ? texts[i + 1] : "";
        if (argument == "--max-rmse-over-std")
            result.max_rmse_over_std = parse_number<double>(argument, value);
        else if (argument == "--max-top1-misses")
            result.max_top1_misses = parse_number<std::size_t>(argument, value);
        else
            throw std::runtime_error("unknown option " + std::string(argument));
        ++i;
    }
    if (result.files.size() != 2) throw std::runtime_error("expected two files, MINE.npy and REFERENCE.npy");
    return result;
}

int run(const arguments& wanted) {
    const array mine = read_npy(wanted.files[0]);
    const array reference = read_npy(wanted.files[1]);
    if (mine.shape != reference.shape)
        reject(wanted.files[0], "has shape " + shape_text(mine) + ", expected " + shape_text(reference));
    if (reference.values.empty()) reject(wanted.files[1], "holds no values");

    const comparison found = compare(mine, reference);
    const bool within = found.rmse_over_std <= wanted.max_rmse_over_std && found.top1_misses <= wanted.max_top1_misses;
    std::printf("shape %s  max_abs %.4g  rmse_over_std %.4g  top-1 agreement %zu/%zu: %s\n",
                shape_text(reference).c_str(), found.max_abs, found.rmse_over_std, found.rows - found.top1_misses,
                found.rows, within ? "within limits" : "NOT within limits");
    return within ? 0 : 1;
}

}  // namespace

int main(int count, char** texts) {
    try {
        return status_of_output("compare_outputs", run(parse_arguments(count, texts)), 2);
    } catch (const std::exception& wrong) {
        std::fprintf(stderr, "compare_outputs: %s\n", wrong.what());
        return 2;
    }
}
