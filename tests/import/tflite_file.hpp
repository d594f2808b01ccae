// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/read_model.hpp>

#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// TFLite files that tests write themselves.
namespace lpt::testing {

/// What an error says, without the byte of its place, which changes with whatever stands in front of it in the file.
inline std::string without_byte(std::string message) {
    const std::string words = " at byte ";
    const std::size_t at = message.find(words);
    const std::size_t end = at == std::string::npos ? at : message.find_first_not_of("0123456789", at + words.size());
    if (end != std::string::npos) {
        message.erase(at, end - at);
    }
    return message;
}

struct tflite_tensor {
    tflite::tensor_type type = tflite::tensor_type::float32;
    std::vector<std::int32_t> shape;
    std::vector<float> scales = {};
    std::vector<std::int64_t> zero_points = {};
    std::int32_t axis = 0;
    std::string data = {};  // of a constant
    bool is_variable = false;
    std::int64_t buffer = -1;  // another one than its own
    std::vector<std::int32_t> signature = {};
    bool is_sparse = false;
    bool is_outside = false;  // its data lie behind the FlatBuffer
    std::uint8_t details = 0;  // the type of the details of its quantization; none
};

struct tflite_option {
    unsigned short field;
    tflite::stored as;
    double value = 0;
    std::string words = {};
    std::vector<std::int32_t> list = {};
};

struct tflite_operator {
    tflite::builtin code;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> outputs;
    std::vector<tflite_option> options = {};
    int tag = -1;  // of another options table than the operator's
    std::string custom_code = {};
};

struct tflite_subgraph {
    std::vector<tflite_tensor> tensors;
    std::vector<tflite_operator> operators;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> outputs;
};

/// A function of a file: names and tensors of a subgraph's inputs and outputs.
struct tflite_signature {
    std::string key;
    std::uint32_t subgraph = 0;
    std::vector<std::pair<std::string, std::uint32_t>> inputs;
    std::vector<std::pair<std::string, std::uint32_t>> outputs;
};

/// The bytes of numbers one after the other.
template <class Value>
std::string packed(const std::vector<Value>& values) {
    std::string result(values.size() * sizeof(Value), '\0');
    std::memcpy(result.data(), values.data(), result.size());
    return result;
}

/// Writes a file. `version` is that of the format.
class tflite_writer {
    using offset = flatbuffers::Offset<void>;

    flatbuffers::FlatBufferBuilder out_;
    std::vector<offset> buffers_;
    std::vector<std::string> outside_;  // data behind the FlatBuffer, in the order of their buffers

    static flatbuffers::voffset_t slot(int field) { return static_cast<flatbuffers::voffset_t>(4 + 2 * field); }
    offset table(const std::function<void()>& add_fields) {
        const flatbuffers::uoffset_t start = out_.StartTable();
        add_fields();
        return out_.EndTable(start);
    }
    offset tables(const std::vector<offset>& all) { return out_.CreateVector(all).Union(); }
    void add(int field, offset part) {
        if (part.o != 0) {
            out_.AddOffset(slot(field), part);
        }
    }

    void write_option(const tflite_option& each, offset part) {
        using tflite::stored;
        switch (each.as) {
            case stored::whole:
            case stored::natural:
                out_.AddElement<std::int32_t>(slot(each.field), static_cast<std::int32_t>(each.value));
                break;
            case stored::long_whole:
                out_.AddElement<std::int64_t>(slot(each.field), static_cast<std::int64_t>(each.value));
                break;
            case stored::real: out_.AddElement<float>(slot(each.field), static_cast<float>(each.value)); break;
            case stored::list:
            case stored::words: add(each.field, part); break;
            default: out_.AddElement<std::int8_t>(slot(each.field), static_cast<std::int8_t>(each.value)); break;
        }
    }
    offset write_options(const std::vector<tflite_option>& all) {
        std::vector<offset> parts;
        for (const tflite_option& each : all) {
            parts.push_back(each.as == tflite::stored::words  ? out_.CreateString(each.words).Union()
                            : each.as == tflite::stored::list ? out_.CreateVector(each.list).Union()
                                                              : offset());
        }
        return table([&] {
            for (std::size_t i = 0; i < all.size(); ++i) {
                write_option(all[i], parts[i]);
            }
        });
    }
    offset write_operator(const tflite_operator& each, std::size_t code) {
        const offset inputs = out_.CreateVector(each.inputs).Union();
        const offset outputs = out_.CreateVector(each.outputs).Union();
        const offset options = write_options(each.options);
        const int tag = each.tag >= 0 ? each.tag : tflite::options_of(each.code).tag;
        return table([&] {
            out_.AddElement<std::uint32_t>(slot(tflite::field::op::opcode_index), static_cast<std::uint32_t>(code));
            add(tflite::field::op::inputs, inputs);
            add(tflite::field::op::outputs, outputs);
            out_.AddElement<std::uint8_t>(slot(tflite::field::op::builtin_options_type),
                                          static_cast<std::uint8_t>(tag));
            add(tflite::field::op::builtin_options, options);
        });
    }
    /// Where data behind the FlatBuffer will be, recognizable until their place is known.
    static std::uint64_t unknown_offset(std::size_t number) { return 0xabcdef0123456700 + number; }

    std::int64_t write_buffer(const std::string& data, bool is_outside) {
        if (data.empty()) {
            return 0;
        }
        if (is_outside) {
            buffers_.push_back(table([&] {
                out_.AddElement<std::uint64_t>(slot(tflite::field::buffer::offset), unknown_offset(outside_.size()));
                out_.AddElement<std::uint64_t>(slot(tflite::field::buffer::size), data.size());
            }));
            outside_.push_back(data);
            return static_cast<std::int64_t>(buffers_.size()) - 1;
        }
        out_.ForceVectorAlignment(data.size(), 1, 16);
        const offset content =
            out_.CreateVector(reinterpret_cast<const std::uint8_t*>(data.data()), data.size()).Union();
        buffers_.push_back(table([&] { add(tflite::field::buffer::data, content); }));
        return static_cast<std::int64_t>(buffers_.size()) - 1;
    }
    offset write_tensor(const tflite_tensor& each, const std::string& name) {
        const std::int64_t own = write_buffer(each.data, each.is_outside);
        const offset shape = out_.CreateVector(each.shape).Union();
        const offset signature = each.signature.empty() ? offset() : out_.CreateVector(each.signature).Union();
        const offset words = out_.CreateString(name).Union();
        offset quantization;
        if (!each.scales.empty() || !each.zero_points.empty() || each.details != 0) {
            const offset scales = out_.CreateVector(each.scales).Union();
            const offset zero_points = out_.CreateVector(each.zero_points).Union();
            quantization = table([&] {
                add(tflite::field::quantization::scale, scales);
                add(tflite::field::quantization::zero_point, zero_points);
                out_.AddElement<std::int32_t>(slot(tflite::field::quantization::quantized_dimension), each.axis);
                out_.AddElement<std::uint8_t>(slot(tflite::field::quantization::details_type), each.details);
            });
        }
        const offset sparsity = each.is_sparse ? table([] {}) : offset();
        return table([&] {
            add(tflite::field::tensor::shape, shape);
            out_.AddElement<std::int8_t>(slot(tflite::field::tensor::type), static_cast<std::int8_t>(each.type));
            out_.AddElement<std::uint32_t>(slot(tflite::field::tensor::buffer),
                                           static_cast<std::uint32_t>(each.buffer >= 0 ? each.buffer : own));
            add(tflite::field::tensor::name, words);
            add(tflite::field::tensor::quantization, quantization);
            out_.AddElement<std::uint8_t>(slot(tflite::field::tensor::is_variable), each.is_variable ? 1 : 0);
            add(tflite::field::tensor::shape_signature, signature);
            add(tflite::field::tensor::sparsity, sparsity);
        });
    }
    offset write_code(const tflite_operator& each) {
        const offset words = each.custom_code.empty() ? offset() : out_.CreateString(each.custom_code).Union();
        return table([&] {
            const auto code = static_cast<std::int32_t>(each.code);
            out_.AddElement<std::int8_t>(slot(tflite::field::operator_code::deprecated_builtin_code),
                                         static_cast<std::int8_t>(code < 127 ? code : 127));
            add(tflite::field::operator_code::custom_code, words);
            out_.AddElement<std::int32_t>(slot(tflite::field::operator_code::builtin_code), code);
        });
    }

    offset write_ports(const std::vector<std::pair<std::string, std::uint32_t>>& all) {
        std::vector<offset> result;
        for (const auto& [name, tensor] : all) {
            const offset words = out_.CreateString(name).Union();
            const std::uint32_t index = tensor;
            result.push_back(table([&] {
                add(tflite::field::tensor_map::name, words);
                out_.AddElement<std::uint32_t>(slot(tflite::field::tensor_map::tensor_index), index);
            }));
        }
        return tables(result);
    }
    offset write_signature(const tflite_signature& each) {
        const offset inputs = write_ports(each.inputs);
        const offset outputs = write_ports(each.outputs);
        const offset key = out_.CreateString(each.key).Union();
        return table([&] {
            add(tflite::field::signature::inputs, inputs);
            add(tflite::field::signature::outputs, outputs);
            add(tflite::field::signature::signature_key, key);
            out_.AddElement<std::uint32_t>(slot(tflite::field::signature::subgraph_index), each.subgraph);
        });
    }
    /// Puts data behind the FlatBuffer, and their places into it.
    std::string with_data_outside(std::string file) const {
        for (std::size_t i = 0; i < outside_.size(); ++i) {
            file.resize((file.size() + 15) / 16 * 16, '\0');
            const std::uint64_t place = file.size();
            const std::uint64_t unknown = unknown_offset(i);
            const std::size_t at = file.find(std::string(reinterpret_cast<const char*>(&unknown), sizeof unknown));
            std::memcpy(file.data() + at, &place, sizeof place);
            file += outside_[i];
        }
        return file;
    }

public:
    std::string write(const std::vector<tflite_subgraph>& subgraphs, std::uint32_t version = 3,
                      const std::vector<tflite_signature>& signatures = {}) {
        buffers_.push_back(table([] {}));  // the first buffer is empty: that of tensors without a value
        std::vector<offset> codes;
        std::vector<offset> written;
        for (const tflite_subgraph& each : subgraphs) {
            std::vector<offset> tensors;
            for (const tflite_tensor& part : each.tensors) {
                tensors.push_back(write_tensor(part, "t" + std::to_string(tensors.size())));
            }
            std::vector<offset> operators;
            for (const tflite_operator& part : each.operators) {
                operators.push_back(write_operator(part, codes.size()));
                codes.push_back(write_code(part));
            }
            const offset all_tensors = tables(tensors);
            const offset all_operators = tables(operators);
            const offset inputs = out_.CreateVector(each.inputs).Union();
            const offset outputs = out_.CreateVector(each.outputs).Union();
            written.push_back(table([&] {
                add(tflite::field::subgraph::tensors, all_tensors);
                add(tflite::field::subgraph::inputs, inputs);
                add(tflite::field::subgraph::outputs, outputs);
                add(tflite::field::subgraph::operators, all_operators);
            }));
        }
        const offset all_codes = tables(codes);
        const offset all_subgraphs = tables(written);
        const offset all_buffers = tables(buffers_);
        std::vector<offset> functions;
        for (const tflite_signature& each : signatures) {
            functions.push_back(write_signature(each));
        }
        const offset all_functions = signatures.empty() ? offset() : tables(functions);
        const offset root = table([&] {
            out_.AddElement<std::uint32_t>(slot(tflite::field::model::version), version);
            add(tflite::field::model::operator_codes, all_codes);
            add(tflite::field::model::subgraphs, all_subgraphs);
            add(tflite::field::model::buffers, all_buffers);
            add(tflite::field::model::signature_defs, all_functions);
        });
        out_.Finish(flatbuffers::Offset<flatbuffers::Table>(root.o), "TFL3");
        return with_data_outside({reinterpret_cast<const char*>(out_.GetBufferPointer()), out_.GetSize()});
    }
};

inline std::string tflite_file(const tflite_subgraph& network) { return tflite_writer().write({network}); }

/// The fields that all of a kind of operators are tested with, by their numbers in the options table.
inline tflite_option tflite_flag(unsigned short field, bool value) {
    return {field, tflite::stored::flag, value ? 1.0 : 0.0};
}
inline tflite_option tflite_whole(unsigned short field, int value) {
    return {field, tflite::stored::whole, static_cast<double>(value)};
}

inline tflite::model read_tflite(const std::string& content) {
    return tflite::read_model(view<std::byte>(reinterpret_cast<const std::byte*>(content.data()), content.size()),
                              "net.tflite");
}

}  // namespace lpt::testing
