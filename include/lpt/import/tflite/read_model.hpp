// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/mapped_file.hpp>
#include <lpt/import/tflite/check_model.hpp>
#include <lpt/import/tflite/read_options.hpp>

#include <string>

namespace lpt::inline LPT_ABI::tflite {

namespace detail {

/// A model's file: the tables in front, and windows on its buffers.
class model_reader {
    const mapped_file* mapped_;  // null: constants are copies
    flat_file& file_;
    model result_;
    std::vector<flat_table> codes_;
    std::vector<flat_table> buffers_;

    place whole_file() const { return {file_.name()}; }
    /// A part of the file that is no subgraph.
    place part(const flat_table& at) const {
        place where = whole_file();
        where.byte = at.byte();
        return where;
    }

    /// The bytes of a buffer: where they begin in the file, and how many they are. None: the buffer is empty.
    std::pair<std::size_t, std::size_t> range_of(std::int64_t index, const place& where) const {
        if (index < 0 || index >= static_cast<std::int64_t>(buffers_.size())) {
            wrong(where, "buffer ", index, ", but the file has ", buffers_.size());
        }
        const flat_table& buffer = buffers_[static_cast<std::size_t>(index)];
        const auto offset = buffer.number<std::uint64_t>(field::buffer::offset);
        const auto size = buffer.number<std::uint64_t>(field::buffer::size);
        if (offset <= 1 || size == 0) {  // 1 is written for a buffer without bytes
            return buffer.bytes_of(field::buffer::data);
        }
        if (offset > file_.size() || size > file_.size() - offset) {
            wrong(where, "buffer ", index, " has ", size, " bytes from byte ", offset, " on, but the file has ",
                  file_.size());
        }
        return {static_cast<std::size_t>(offset), static_cast<std::size_t>(size)};
    }
    tensor constant(element type, shape dimensions, std::pair<std::size_t, std::size_t> range) const {
        if (mapped_ != nullptr) {
            return {type, std::move(dimensions), mapped_->window(range.first, range.second)};
        }
        file_.count(range.second);
        const auto* const first = reinterpret_cast<const std::byte*>(file_.first()) + range.first;
        seq<std::byte> copy(view<std::byte>(first, range.second));
        return {type, std::move(dimensions), bytes(std::move(copy))};
    }
    tensor raw(std::pair<std::size_t, std::size_t> range) const {
        return constant(u8, shape{static_cast<dimension>(range.second)}, range);
    }

    void read_value(tensor_info& result, const place& where) const {
        const auto range = range_of(result.buffer, where);
        if (range.second == 0) {
            return;
        }
        const element type = element_of(result.type);
        if (result.is_sparse || type == dynamic) {
            result.value = raw(range);
            return;
        }
        const std::size_t needed = byte_size(type, result.dimensions.elements());
        if (range.second != needed) {
            wrong(where, "its buffer has ", range.second, " bytes, but type ", name(result.type), " and shape ",
                  result.dimensions, " need ", needed);
        }
        result.value = constant(type, result.dimensions, range);
    }

    static shape read_shape(const flat_table& from, unsigned short number, dimension least, const place& where) {
        const std::vector<dimension> sizes = from.numbers<std::int32_t, dimension>(number);
        shape result{view<dimension>(sizes.data(), sizes.size())};
        for (const dimension each : sizes) {
            if (each < least) {
                wrong(where, "a tensor cannot have the shape ", result);
            }
        }
        if (!result.is_possible()) {
            wrong(where, "a tensor cannot have the shape ", result);
        }
        return result;
    }

    tensor_info read_tensor(const flat_table& from, place where) const {
        tensor_info result;
        result.byte = where.byte = from.byte();
        result.name = from.words(field::tensor::name);
        where.tensor_name = result.name;
        const auto type = from.number<std::int8_t>(field::tensor::type);
        if (type < 0 || type >= tensor_type_count) {
            wrong(where, "unknown type ", type, ", expected 0 to ", tensor_type_count - 1);
        }
        result.type = static_cast<tensor_type>(type);
        result.dimensions = read_shape(from, field::tensor::shape, 0, where);
        result.signature = result.dimensions;
        if (const shape open = read_shape(from, field::tensor::shape_signature, dynamic_dimension, where);
            open.rank() != 0) {
            if (open.rank() != result.dimensions.rank()) {
                wrong(where, "its shape signature ", open, " has another rank than its shape ", result.dimensions);
            }
            result.signature = open;
        }
        result.is_variable = from.number<std::uint8_t>(field::tensor::is_variable) != 0;
        result.is_sparse = static_cast<bool>(from.table(field::tensor::sparsity, "SparsityParameters"));
        if (const flat_table numbers = from.table(field::tensor::quantization, "QuantizationParameters")) {
            result.quantized = {numbers.numbers<float>(field::quantization::scale),
                                numbers.numbers<std::int64_t>(field::quantization::zero_point),
                                numbers.number<std::int32_t>(field::quantization::quantized_dimension),
                                numbers.number<std::uint8_t>(field::quantization::details_type) != 0};
        }
        result.buffer = from.number<std::uint32_t>(field::tensor::buffer);
        read_value(result, where);
        return result;
    }

    operator_info read_operator(const flat_table& from, place where) const {
        where.byte = from.byte();
        const auto index = from.number<std::uint32_t>(field::op::opcode_index);
        if (index >= codes_.size()) {
            where.op_name = "?";
            wrong(where, "operator code ", index, ", but the file has ", codes_.size());
        }
        const flat_table& code = codes_[index];
        const std::int32_t number =
            std::max<std::int32_t>(code.number<std::int8_t>(field::operator_code::deprecated_builtin_code),
                                   code.number<std::int32_t>(field::operator_code::builtin_code));
        if (number < 0 || number >= builtin_count) {
            where.op_name = "?";
            wrong(where, "unknown operator ", number, ", expected 0 to ", builtin_count - 1);
        }
        operator_info result;
        result.byte = where.byte;
        result.code = static_cast<builtin>(number);
        result.custom_code = code.words(field::operator_code::custom_code);
        result.version = code.number<std::int32_t>(field::operator_code::version, 1);
        where.op_name = result.name();
        result.inputs = from.numbers<std::int32_t, std::int64_t>(field::op::inputs);
        result.outputs = from.numbers<std::int32_t, std::int64_t>(field::op::outputs);
        result.intermediates = from.numbers<std::int32_t, std::int64_t>(field::op::intermediates);
        result.options = read_options(from, result.code, where);
        return result;
    }

    subgraph read_subgraph(const flat_table& from, place where) const {
        subgraph result;
        result.byte = from.byte();
        result.name = from.words(field::subgraph::name);
        for (const flat_table& each : from.tables(field::subgraph::tensors, "Tensor")) {
            where.tensor = static_cast<std::int64_t>(result.tensors.size());
            result.tensors.push_back(read_tensor(each, where));
        }
        where.tensor = -1;
        result.inputs = from.numbers<std::int32_t, std::int64_t>(field::subgraph::inputs);
        result.outputs = from.numbers<std::int32_t, std::int64_t>(field::subgraph::outputs);
        for (const flat_table& each : from.tables(field::subgraph::operators, "Operator")) {
            where.op = static_cast<std::int64_t>(result.operators.size());
            result.operators.push_back(read_operator(each, where));
        }
        return result;
    }

    static std::vector<signature::port> read_ports(const flat_table& from, unsigned short number) {
        std::vector<signature::port> result;
        for (const flat_table& each : from.tables(number, "TensorMap")) {
            result.push_back(
                {each.words(field::tensor_map::name), each.number<std::uint32_t>(field::tensor_map::tensor_index)});
        }
        return result;
    }

public:
    model_reader(flat_file& file, const mapped_file* mapped) : mapped_(mapped), file_(file) {}

    model read() {
        if (file_.size() < 8 || !flatbuffers::BufferHasIdentifier(file_.first(), "TFL3")) {
            wrong(whole_file(), "unknown format; expected TFLite, whose files have TFL3 at byte 4");
        }
        const flat_table root = flat_table::root(file_, "Model");
        if (const auto version = root.number<std::uint32_t>(field::model::version); version != 3) {
            wrong(part(root), "version ", version, " of the format, expected 3");
        }
        result_.file = text(file_.name());
        result_.byte = root.byte();
        result_.description = root.words(field::model::description);
        codes_ = root.tables(field::model::operator_codes, "OperatorCode");
        buffers_ = root.tables(field::model::buffers, "Buffer");
        for (const flat_table& each : root.tables(field::model::subgraphs, "SubGraph")) {
            result_.subgraphs.push_back(
                read_subgraph(each, {file_.name(), static_cast<std::int64_t>(result_.subgraphs.size())}));
        }
        for (const flat_table& each : root.tables(field::model::signature_defs, "SignatureDef")) {
            result_.signatures.push_back({each.words(field::signature::signature_key),
                                          each.number<std::uint32_t>(field::signature::subgraph_index),
                                          read_ports(each, field::signature::inputs),
                                          read_ports(each, field::signature::outputs), each.byte()});
        }
        for (const flat_table& each : root.tables(field::model::metadata, "Metadata")) {
            const auto range = range_of(each.number<std::uint32_t>(field::metadata::buffer), part(each));
            result_.notes.push_back({each.words(field::metadata::name), raw(range)});
        }
        check_model(result_);
        return std::move(result_);
    }
};

}  // namespace detail

/// Reads a TFLite file. Constants are windows on it.
///
/// Everything about its structure is checked: each part lies in the file; indices of tensors, buffers, operators and subgraphs; types and
/// enumerations; shapes, and buffers of the size that shape and type ask for; that operators read what is there before them; that
/// subgraphs do not call each other in circles. Not checked are the rules of quantization, and what each operator asks of its tensors.
/// Raises an error that names the file and the byte, or the subgraph and the operator or tensor.
inline model read_model(const mapped_file& content, text_view name) {
    flat_file file(name, content.data(), content.size());
    return detail::model_reader(file, &content).read();
}
inline model read_model(const std::string& path) {
    return read_model(mapped_file(path.c_str()), text_view(path.c_str()));
}
/// The same from memory, aligned to 8 bytes, which may be gone afterwards: constants are copies.
inline model read_model(view<std::byte> content, text_view name) {
    flat_file file(name, content.data(), content.size());
    return detail::model_reader(file, nullptr).read();
}

}  // namespace lpt::inline LPT_ABI::tflite
