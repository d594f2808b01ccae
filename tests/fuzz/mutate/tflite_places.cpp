// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/tflite_places.hpp"

#include <lpt/import/tflite/model.hpp>
#include <lpt/import/tflite/schema.hpp>

namespace lpt::fuzz {

namespace {

namespace field = lpt::tflite::field;

/// Reads of a FlatBuffer that may be anything: what does not lie in it is absent, and has the position 0.
class flat_bytes {
    std::string_view file_;

public:
    explicit flat_bytes(std::string_view file) : file_(file) {}

    std::string_view all() const { return file_; }
    bool holds(std::size_t at, std::size_t size) const { return at <= file_.size() && size <= file_.size() - at; }

    /// Where the offsets of a table's fields lie, and how many they are.
    number_list slots_of(std::size_t table) const {
        const std::int64_t first = static_cast<std::int64_t>(table) - number_at<std::int32_t>(file_, table);
        if (table == 0 || first < 0 || !holds(static_cast<std::size_t>(first), 4)) {
            return {};
        }
        const auto at = static_cast<std::size_t>(first);
        const std::size_t size = number_at<std::uint16_t>(file_, at);
        return size < 6 || !holds(at, size) ? number_list() : number_list{at + 4, (size - 4) / 2};
    }
    std::size_t field_of(std::size_t table, unsigned short number, std::size_t width) const {
        const number_list slots = slots_of(table);
        const std::size_t offset =
            number < slots.count ? number_at<std::uint16_t>(file_, slots.first + std::size_t{2} * number) : 0;
        return offset != 0 && holds(table + offset, width) ? table + offset : 0;
    }
    /// What an offset leads to.
    std::size_t target(std::size_t from) const {
        const std::size_t offset = from == 0 ? 0 : number_at<std::uint32_t>(file_, from);
        return offset != 0 && holds(from + offset, 4) ? from + offset : 0;
    }
    std::size_t target_of(std::size_t table, unsigned short number) const { return target(field_of(table, number, 4)); }
    number_list list_of(std::size_t table, unsigned short number, std::size_t width) const {
        const std::size_t at = target_of(table, number);
        const std::size_t count = at == 0 ? 0 : number_at<std::uint32_t>(file_, at);
        return count != 0 && holds(at + 4, count * width) ? number_list{at + 4, count} : number_list();
    }
};

class walk {
    flat_bytes file_;
    tflite_places result_;
    std::size_t subgraphs_ = 0;
    std::size_t tables_left_ = 4096;  // parts may be shared, so that small files have many

    void add(role is, std::size_t at, std::size_t width, std::size_t choices = 0) {
        if (at != 0) {
            result_.all.push_back({is, at, 1, width, choices});
        }
    }
    std::size_t add_field(role is, std::size_t table, unsigned short number, std::size_t width,
                          std::size_t choices = 0) {
        const std::size_t at = file_.field_of(table, number, width);
        add(is, at, width, choices);
        return at;
    }
    number_list add_list(role is, std::size_t table, unsigned short number, std::size_t width,
                         std::size_t choices = 0) {
        const number_list list = file_.list_of(table, number, width);
        if (list.count != 0) {
            result_.all.push_back({is, list.first, list.count, width, choices});
            add(role::length, list.first - 4, 4);
        }
        return list;
    }
    /// The tables of a list, as far as there are any.
    std::vector<std::size_t> tables_of(std::size_t table, unsigned short number) {
        const number_list list = file_.list_of(table, number, 4);
        std::vector<std::size_t> result;
        if (list.count != 0) {
            add(role::length, list.first - 4, 4);
        }
        for (std::size_t i = 0; i < list.count && tables_left_ != 0; ++i, --tables_left_) {
            const std::size_t at = file_.target(list.first + 4 * i);
            add_slots(at);
            result.push_back(at);
        }
        return result;
    }
    void add_slots(std::size_t table) {
        if (const number_list slots = file_.slots_of(table); slots.count != 0) {
            result_.all.push_back({role::slot, slots.first, slots.count, 2, 0});
        }
    }
    std::size_t index_at(std::size_t at) const { return at == 0 ? 0 : number_at<std::uint32_t>(file_.all(), at); }

    void read_code(std::size_t table) {
        const std::size_t old_code =
            add_field(role::builtin_code, table, field::operator_code::deprecated_builtin_code, 1);
        const std::size_t new_code = add_field(role::builtin_code, table, field::operator_code::builtin_code, 4);
        const std::int64_t older = old_code == 0 ? 0 : integer_at(file_.all(), old_code, 1);
        const std::int64_t newer = new_code == 0 ? 0 : integer_at(file_.all(), new_code, 4);
        add_field(role::version, table, field::operator_code::version, 4);
        result_.codes.push_back({old_code, new_code, older > newer ? older : newer});
    }

    void read_tensor(std::size_t table) {
        tensor_places tensor{};
        tensor.shape = add_list(role::dimension, table, field::tensor::shape, 4);
        add_list(role::dimension, table, field::tensor::shape_signature, 4);
        const std::size_t type =
            add_field(role::element_type, table, field::tensor::type, 1, lpt::tflite::tensor_type_count);
        tensor.type = type == 0 ? 0 : integer_at(file_.all(), type, 1);
        tensor.buffer =
            index_at(add_field(role::buffer_index, table, field::tensor::buffer, 4, result_.buffers.size()));
        add_field(role::flag, table, field::tensor::is_variable, 1);
        const std::size_t quantized = file_.target_of(table, field::tensor::quantization);
        add_slots(quantized);
        add_list(role::scale, quantized, field::quantization::scale, 4);
        add_list(role::zero_point, quantized, field::quantization::zero_point, 8);
        add_field(role::axis, quantized, field::quantization::quantized_dimension, 4);
        result_.tensors.push_back(tensor);
        add_constant(tensor);
    }
    void add_constant(const tensor_places& tensor) {
        if (tensor.buffer >= result_.buffers.size() || tensor.type < 0 ||
            tensor.type >= lpt::tflite::tensor_type_count) {
            return;
        }
        const number_list bytes = result_.buffers[tensor.buffer];
        const element type = lpt::tflite::element_of(static_cast<lpt::tflite::tensor_type>(tensor.type));
        const std::size_t width = type == dynamic ? 1 : byte_size(type, 1);
        if (bytes.count >= width) {
            result_.all.push_back({type != dynamic && is_real(type) ? role::real_constant : role::integer_constant,
                                   bytes.first, bytes.count / width, width, 0});
        }
    }

    void read_operator(std::size_t table, std::size_t tensors) {
        operator_places op{};
        op.code = index_at(add_field(role::operator_index, table, field::op::opcode_index, 4, result_.codes.size()));
        add_list(role::edge, table, field::op::inputs, 4, tensors);
        add_list(role::edge, table, field::op::outputs, 4, tensors);
        add_list(role::edge, table, field::op::intermediates, 4, tensors);
        op.options_type = add_field(role::options_type, table, field::op::builtin_options_type, 1);
        result_.operators.push_back(op);
        const std::int64_t code = op.code < result_.codes.size() ? result_.codes[op.code].code : -1;
        const std::size_t options = file_.target_of(table, field::op::builtin_options);
        if (code < 0 || code >= lpt::tflite::builtin_count || options == 0) {
            return;
        }
        add_slots(options);
        for (const lpt::tflite::option_field& each :
             lpt::tflite::options_of(static_cast<lpt::tflite::builtin>(code)).fields) {
            if (!each.name.empty()) {
                add_option(options, each);
            }
        }
    }
    void add_option(std::size_t table, const lpt::tflite::option_field& option) {
        using enum lpt::tflite::stored;
        switch (option.as) {
            case whole:
            case natural: {
                const bool is_subgraph = option.name.ends_with("subgraph") || option.name.ends_with("subgraph_index");
                const bool is_axis = option.name.ends_with("axis") || option.name.ends_with("dim");
                add_field(is_subgraph ? role::subgraph_index
                          : is_axis   ? role::axis
                                      : role::option,
                          table, option.number, 4, subgraphs_);
                break;
            }
            case long_whole: add_field(role::option, table, option.number, 8); break;
            case flag: add_field(role::flag, table, option.number, 1); break;
            case real: add_field(role::real_option, table, option.number, 4); break;
            case list:
                add_list(option.name.ends_with("dims") ? role::axis : role::dimension, table, option.number, 4);
                break;
            case words: break;
            case type: add_field(role::element_type, table, option.number, 1, lpt::tflite::tensor_type_count); break;
            case activation: add_field(role::enumeration, table, option.number, 1, 6); break;
            default: add_field(role::enumeration, table, option.number, 1, 2);
        }
    }

    void read_subgraph(std::size_t table) {
        const std::vector<std::size_t> tensors = tables_of(table, field::subgraph::tensors);
        for (const std::size_t each : tensors) {
            read_tensor(each);
        }
        add_list(role::edge, table, field::subgraph::inputs, 4, tensors.size());
        add_list(role::edge, table, field::subgraph::outputs, 4, tensors.size());
        for (const std::size_t each : tables_of(table, field::subgraph::operators)) {
            read_operator(each, tensors.size());
        }
    }
    void read_signature(std::size_t table) {
        add_field(role::subgraph_index, table, field::signature::subgraph_index, 4, subgraphs_);
        for (const unsigned short ports : {field::signature::inputs, field::signature::outputs}) {
            for (const std::size_t each : tables_of(table, ports)) {
                add_field(role::edge, each, field::tensor_map::tensor_index, 4, result_.tensors.size());
            }
        }
    }

public:
    explicit walk(std::string_view file) : file_(file) {}

    tflite_places read() {
        const std::size_t root = number_at<std::uint32_t>(file_.all(), 0);
        add_slots(root);
        for (const std::size_t each : tables_of(root, field::model::operator_codes)) {
            read_code(each);
        }
        for (const std::size_t each : tables_of(root, field::model::buffers)) {
            const number_list bytes = file_.list_of(each, field::buffer::data, 1);
            result_.buffers.push_back(bytes);
            add(role::length, bytes.count == 0 ? 0 : bytes.first - 4, 4);
        }
        const std::vector<std::size_t> subgraphs = tables_of(root, field::model::subgraphs);
        subgraphs_ = subgraphs.size();
        for (const std::size_t each : subgraphs) {
            read_subgraph(each);
        }
        for (const std::size_t each : tables_of(root, field::model::signature_defs)) {
            read_signature(each);
        }
        return std::move(result_);
    }
};

}  // namespace

tflite_places places_of(std::string_view file) { return walk(file).read(); }

}  // namespace lpt::fuzz
