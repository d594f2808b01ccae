// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/error.hpp>

#include <cstdint>
#include <cstring>
#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <vector>

/// Reading of ONNX models.
namespace lpt::inline LPT_ABI::onnx {

constexpr text_view shown(std::string_view words) { return {words.data(), words.size()}; }

/// The fields of one message, one after the other. Every getter looks at the field's wire type first, which protozero only asserts.
class message {
    protozero::pbf_reader fields_;
    const char* file_ = nullptr;  // where the file begins: bytes are counted from there

    [[noreturn]] void wrong_type(text_view expected) const {
        fail({"field ", fields_.tag(), " at byte ", byte(), " must be ", expected, ", but has wire type ",
              static_cast<unsigned>(fields_.wire_type())});
    }
    void expect(protozero::pbf_wire_type type, text_view words) const {
        if (fields_.wire_type() != type) {
            wrong_type(words);
        }
    }
    /// What `read` gives; an error with the byte for what is no protocol buffer.
    template <class Read>
    auto reading(const Read& read) const {
        const std::size_t at = byte();
        try {
            return read();
        } catch (const protozero::end_of_buffer_exception&) {
            fail({"is cut off, or not an ONNX model: a field at byte ", at, " is longer than what it is part of"});
        } catch (const protozero::varint_too_long_exception&) {
            fail({"is not an ONNX model: a number of more than 10 bytes at byte ", at});
        } catch (const protozero::unknown_pbf_wire_type_exception&) {
            fail({"is not an ONNX model: a field of another wire type than 0, 1, 2 and 5 at byte ", at});
        } catch (const protozero::invalid_tag_exception&) {
            fail({"is not an ONNX model: a field with a number that fields cannot have at byte ", at});
        } catch (const protozero::exception&) {
            fail({"is not an ONNX model: no field of protocol buffers at byte ", at});
        }
    }
    template <class Number, class Get>
    void append(std::vector<Number>& to, protozero::pbf_wire_type one, text_view words, Get&& get) {
        if (fields_.wire_type() != protozero::pbf_wire_type::length_delimited) {
            expect(one, words);
            to.push_back(get(*this));
            return;
        }
        const std::string_view content = view();
        if constexpr (std::is_same_v<Number, std::int64_t>) {
            const char* at = content.data();
            const char* const end = at + content.size();
            while (at != end) {
                to.push_back(reading([&] { return static_cast<std::int64_t>(protozero::decode_varint(&at, end)); }));
            }
        } else {
            if (content.size() % sizeof(Number) != 0) {
                fail({"packed numbers at byte ", byte(), " have ", content.size(), " bytes, no multiple of ",
                      sizeof(Number)});
            }
            for (std::size_t at = 0; at < content.size(); at += sizeof(Number)) {
                Number value;
                std::memcpy(&value, content.data() + at, sizeof(Number));
                to.push_back(value);
            }
        }
    }

public:
    message() = default;
    message(std::string_view content, const char* file) : fields_(content.data(), content.size()), file_(file) {}

    bool next() {
        return reading([&] { return fields_.next(); });
    }
    unsigned field() const { return fields_.tag(); }
    /// Where in the file the reading is.
    std::size_t byte() const { return static_cast<std::size_t>(fields_.data().data() - file_); }
    const char* file() const { return file_; }
    void skip() {
        reading([&] { fields_.skip(); });
    }

    std::int64_t integer() {
        expect(protozero::pbf_wire_type::varint, "an integer");
        return reading([&] { return fields_.get_int64(); });
    }
    float real() {
        expect(protozero::pbf_wire_type::fixed32, "a 32-bit number");
        return reading([&] { return fields_.get_float(); });
    }
    /// Bytes, text, or the content of a message.
    std::string_view view() {
        expect(protozero::pbf_wire_type::length_delimited, "bytes");
        const protozero::data_view content = reading([&] { return fields_.get_view(); });
        return {content.data(), content.size()};
    }
    message inner() { return {view(), file_}; }
    /// Repeated numbers, packed or one a field. Memory grows with the bytes that are there, not with what the file promises.
    void append_to(std::vector<std::int64_t>& to) {
        append(to, protozero::pbf_wire_type::varint, "integers", [](message& from) { return from.integer(); });
    }
    void append_to(std::vector<float>& to) {
        append(to, protozero::pbf_wire_type::fixed32, "32-bit numbers", [](message& from) { return from.real(); });
    }
    void append_to(std::vector<double>& to) {
        append(to, protozero::pbf_wire_type::fixed64, "64-bit numbers",
               [](message& from) { return from.reading([&] { return from.fields_.get_double(); }); });
    }
};

}  // namespace lpt::inline LPT_ABI::onnx
