// SPDX-License-Identifier: Apache-2.0
// The plan of a network as a C++ header: what lpt_embed --executor writes.
#pragma once

#include <lpt/embedded/plan.hpp>
#include <lpt/runtime.hpp>

#include <cstdio>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lpt::embed {

/// Data of a plan, each piece once: bytes (packed weights, tables, constant tensors) and the numbers of epilogues.
class plan_data {
    std::vector<unsigned char> bytes_;
    std::vector<float> floats_;
    std::map<std::string, std::size_t> places_;
    std::map<std::vector<std::uint32_t>, std::size_t> rows_;

public:
    /// Where the bytes are, at a multiple of 64.
    std::size_t place_of(const void* data, std::size_t size) {
        const std::string value(static_cast<const char*>(data), size);
        const auto [entry, is_new] = places_.try_emplace(value, (bytes_.size() + 63) / 64 * 64);
        if (is_new) {
            bytes_.resize(entry->second);
            bytes_.insert(bytes_.end(), value.begin(), value.end());
        }
        return entry->second;
    }
    /// Where the numbers are; equal ones have equal bits.
    std::size_t place_of(const std::vector<float>& values) {
        std::vector<std::uint32_t> bits;
        for (const float each : values) {
            bits.push_back(__builtin_bit_cast(std::uint32_t, each));
        }
        const auto [entry, is_new] = rows_.try_emplace(bits, floats_.size());
        if (is_new) {
            floats_.insert(floats_.end(), values.begin(), values.end());
        }
        return entry->second;
    }
    const std::vector<unsigned char>& bytes() const { return bytes_; }
    const std::vector<float>& floats() const { return floats_; }
};

namespace spelling {

template <class Integer>
    requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>)
std::string to_source(Integer value) {
    return std::to_string(value);
}
inline std::string to_source(double value, const char* ending) {
    if (math::is_nan(value)) {
        return std::string("__builtin_nan") + ending + "(\"\")";
    }
    if (math::is_infinite(value)) {
        return std::string(value < 0 ? "-" : "") + "__builtin_inf" + ending + "()";
    }
    char digits[64];
    std::snprintf(digits, sizeof digits, "%a%s", value, ending);
    return digits;
}
inline std::string to_source(float value) { return to_source(static_cast<double>(value), "f"); }
inline std::string to_source(double value) { return to_source(value, ""); }

inline std::string to_source(bool value) { return value ? "true" : "false"; }
template <class Enumeration>
    requires std::is_enum_v<Enumeration>
std::string to_source(Enumeration value) {
    return "lpt::embedded::enumerator{" + std::to_string(static_cast<int>(value)) + "}";
}

template <class List>
std::string list_of(const List& values) {
    std::string result = "{";
    for (const auto& each : values) {
        result += (result.size() > 1 ? ", " : "") + to_source(each);
    }
    return result + "}";
}

template <class Integer, std::size_t Count>
std::string to_source(const Integer (&values)[Count]) {
    return list_of(values);
}
/// The fields of a structure that says them, but for operands.
template <class Structure>
    requires std::is_class_v<Structure>
std::string to_source(const Structure& from) {
    std::string result;
    Structure::fields(from, [&result]<class Field>(const char* name, const Field& field) {
        if constexpr (!kernel::is_operand<Field>) {
            result += std::string(result.empty() ? "." : ", .") + name + " = " + to_source(field);
        }
    });
    return "{" + result + "}";
}

/// A text as a literal.
inline std::string literal(text_view value) {
    std::string result = "\"";
    for (const char each : value) {
        const bool plain = each >= ' ' && each <= '~' && each != '"' && each != '\\' && each != '?';
        char octal[8];
        std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(each)));
        result += plain ? std::string(1, each) : octal;
    }
    return result + "\"";
}
/// A text as a comment of one line.
inline std::string comment(const std::string& value) {
    std::string result = "// ";
    for (const char each : value) {
        result += each >= ' ' && each <= '~' && each != '\\' ? each : '_';
    }
    return result;
}

/// The type that C++ has for an element type; null if it has none.
inline const char* type_of(element type) {
    switch (type) {
        case boolean: return "bool";
        case u8: return "std::uint8_t";
        case i8: return "std::int8_t";
        case u16: return "std::uint16_t";
        case i16: return "std::int16_t";
        case u32: return "std::uint32_t";
        case i32: return "std::int32_t";
        case u64: return "std::uint64_t";
        case i64: return "std::int64_t";
        case f32: return "float";
        case f64: return "double";
        default: return nullptr;
    }
}

inline const char* name_of(kernel::post_kind kind) {
    constexpr const char* names[] = {"clamp", "prelu", "divide", "scale_shift", "add_residual", "multiply_residual",
                                     "unary"};
    return names[static_cast<int>(kind)];
}
inline const char* name_of(kernel::binary_function function) {
    constexpr const char* names[] = {"add",     "subtract", "multiply",          "divide",
                                     "maximum", "minimum",  "squared_difference"};
    return names[static_cast<int>(function)];
}
inline const char* name_of(kernel::pool_kind kind) {
    constexpr const char* names[] = {"max", "average_exclude_pad", "average_include_pad"};
    return names[static_cast<int>(kind)];
}
inline const char* name_of(kernel::unary_function function) {
    constexpr const char* names[] = {
        "sigmoid",  "tanh",  "hswish",   "hsigmoid",   "hard_sigmoid", "gelu_erf", "gelu_tanh",  "swish",  "mish",
        "elu",      "selu",  "softplus", "softsign",   "exp",          "log",      "erf",        "sqrt",   "abs",
        "negative", "floor", "ceiling",  "round_even", "round_away",   "sign",     "reciprocal", "square", "cube"};
    static_assert(sizeof names / sizeof *names == static_cast<int>(kernel::unary_function::cube) + 1);
    return names[static_cast<int>(function)];
}

inline const char* kind_of(element type) {
    return type == u8 ? "kind::u8" : type == i8 ? "kind::i8" : type == i32 ? "kind::i32" : "kind::f32";
}

}  // namespace spelling

/// Writes the steps of one plan.
class plan_writer {
    const plan::network& net_;
    const kernel::kernel_table& kernels_;
    plan_data data_;
    std::string steps_;  // their definitions
    std::string names_;
    std::size_t count_ = 0;
    std::size_t arena_bytes_ = 0;
    std::vector<std::size_t> state_offsets_;
    std::size_t state_bytes_ = 0;

    const plan::stored_tensor& at(plan::tensor_id tensor) const { return net_[tensor]; }
    static std::size_t aligned(std::size_t size) { return (size + 63) / 64 * 64; }

    // ---- memory

    void place_states() {
        std::vector<std::size_t> sizes(net_.states.size(), 0);
        for (const plan::stored_tensor& each : net_.tensors) {
            const plan::storage& block = net_[each.storage];
            if (block.where == plan::area::state) {
                sizes[block.offset] = math::maximum(sizes[block.offset], each.bytes());
            }
        }
        for (const std::size_t size : sizes) {
            state_offsets_.push_back(state_bytes_);
            state_bytes_ += aligned(size + 64);
        }
    }
    static std::string place_in(const char* area, std::size_t offset, std::size_t part, std::int64_t row_stride) {
        const std::string first = std::string("{area::") + area + ", " + std::to_string(offset);
        return row_stride != 0 ? first + ", " + std::to_string(part) + ", " + std::to_string(row_stride) + "}"
               : part != 0     ? first + ", " + std::to_string(part) + "}"
                               : first + "}";
    }
    std::string place_of(plan::tensor_id tensor) {
        const plan::storage& block = net_.storage_of(tensor);
        const std::size_t part = at(tensor).offset;
        const std::int64_t row_stride = at(tensor).rows.distance;
        switch (block.where) {
            case plan::area::constant: {
                const std::size_t offset = data_.place_of(block.value.data(), block.value.size_in_bytes());
                return "{area::constants, " + std::to_string(offset + part) + "}";
            }
            case plan::area::input: return place_in("input", block.offset, part, row_stride);
            case plan::area::output: return place_in("output", block.offset, part, row_stride);
            case plan::area::state: return "{area::state, " + std::to_string(state_offsets_[block.offset] + part) + "}";
            case plan::area::arena: break;
        }
        return place_in("arena", block.offset + part, 0, row_stride);
    }
    std::string operand_of(plan::tensor_id tensor) {
        return "{" + place_of(tensor) + ", " + spelling::kind_of(at(tensor).type) + "}";
    }
    std::string scratch_of(plan::tensor_id tensor) { return tensor == plan::tensor_id::none ? "{}" : place_of(tensor); }
    std::string bytes_of(const void* data, std::size_t size) {
        return "constants + " + std::to_string(data_.place_of(data, size));
    }
    template <class List>
    std::string array(const char* type, const char* name, const List& values) {
        const std::string full = std::string(name) + "_" + std::to_string(count_);
        steps_ +=
            std::string("    static constexpr ") + type + " " + full + "[] = " + spelling::list_of(values) + ";\n";
        return full;
    }

    // ---- epilogues

    /// The strides of the loops around pixels and channels.
    std::string outer_of(const std::vector<std::int64_t>& strides, const std::string& of) const {
        if (strides.size() > embedded::most_axes + 2) {
            fail(
                {of.c_str(), ": a static plan has at most ", embedded::most_axes, " loops around pixels and channels"});
        }
        return spelling::list_of(std::vector<std::int64_t>(
            strides.begin(), strides.end() - static_cast<std::ptrdiff_t>(strides.size() < 2 ? strides.size() : 2)));
    }
    std::string numbers_of(const plan::number_row& row, const std::string& of) {
        if (row.is_one()) {
            return "{.all = " + spelling::to_source(row.values[0]) + "}";
        }
        return "{.values = floats + " + std::to_string(data_.place_of(row.values)) +
               ", .per_channel = " + (row.strides.back() != 0 ? "true" : "false") +
               ", .outer = " + outer_of(row.strides, of) + "}";
    }
    std::string strided(const plan::strided_tensor& from, const std::string& of) {
        const std::size_t axes = from.strides.size();
        return "{.data = " + operand_of(from.tensor) + ", .outer = " + outer_of(from.strides, of) +
               ", .row = " + std::to_string(from.strides[axes - 2]) +
               ", .channel = " + std::to_string(from.strides[axes - 1]) + "}";
    }
    std::string finish_of(const plan::planned_finish& from, const std::string& of) {
        std::string posts = "nullptr";
        if (!from.posts.empty()) {
            posts = "posts_" + std::to_string(count_);
            std::string list;
            for (const plan::planned_post& each : from.posts) {
                list += std::string("        {.kind = lpt::kernel::post_kind::") + spelling::name_of(each.kind) +
                        ", .function = lpt::kernel::unary_function::" + spelling::name_of(each.function) +
                        ", .a = " + numbers_of(each.a, of) + ", .b = " + numbers_of(each.b, of);
                if (each.residual.tensor != plan::tensor_id::none) {
                    list += ", .has_residual = true, .residual = " + strided(each.residual, of);
                }
                list += "},\n";
            }
            steps_ += "    static constexpr lpt::embedded::post_step " + posts + "[] = {\n" + list + "    };\n";
        }
        return "{.scale = " + numbers_of(from.scale, of) + ", .bias = " + numbers_of(from.bias, of) +
               ",\n                   .posts = " + posts + ", .post_count = " + std::to_string(from.posts.size()) +
               ", .type = " + spelling::kind_of(from.type) + ", .low = " + spelling::to_source(from.low) +
               ", .high = " + spelling::to_source(from.high) + "}";
    }

    // ---- steps

    using fields = std::vector<std::pair<const char*, std::string>>;

    void write_step(const char* type, const fields& values) {
        const std::string name = "step_" + std::to_string(count_);
        steps_ += std::string("    static constexpr lpt::embedded::") + type + " " + name + " = {\n";
        for (const auto& [field, value] : values) {
            steps_ += std::string("        .") + field + " = " + value + ",\n";
        }
        steps_ += "    };\n";
        names_ += (names_.empty() ? "" : ", ") + name;
        ++count_;
    }
    static std::string geometry_of(const kernel::convolution_shape& shape) {
        const auto three = [](const std::int64_t(&values)[3]) { return spelling::list_of(values); };
        return "{.batch = " + std::to_string(shape.batch) + ", .in = " + three(shape.in) +
               ", .out = " + three(shape.out) + ", .kernel = " + three(shape.kernel) +
               ", .stride = " + three(shape.stride) + ", .dilation = " + three(shape.dilation) +
               ",\n                  .pad_begin = " + three(shape.pad_begin) +
               ", .in_channels = " + std::to_string(shape.in_channels) +
               ", .out_channels = " + std::to_string(shape.out_channels) +
               ", .groups = " + std::to_string(shape.groups) +
               ", .transposed = " + (shape.transposed ? "true" : "false") + "}";
    }

    void write(const plan::convolution_step& work, const std::string& of) {
        if (work.weights == nullptr) {
            fail({of.c_str(), " has weights that are computed: a static plan has no step for it"});
        }
        const std::string finish = finish_of(work.finish, of);
        write_step("convolution", {{"shape", geometry_of(work.shape)},
                                   {"input", operand_of(work.input)},
                                   {"zero_point", std::to_string(work.zero_point)},
                                   {"weights", bytes_of(work.weights->data(), work.weights->size())},
                                   {"scratch", scratch_of(work.scratch)},
                                   {"output", operand_of(work.output)},
                                   {"finish", finish}});
    }
    void write(const plan::product_step& work, const std::string& of) {
        const std::string finish = finish_of(work.finish, of);
        const std::string a_offsets = array("std::int64_t", "a_offsets", work.a_offsets);
        const std::string b_offsets = array("std::int64_t", "b_offsets", work.b_offsets);
        fields values = {{"m", std::to_string(work.m)},
                         {"n", std::to_string(work.n)},
                         {"k", std::to_string(work.k)},
                         {"a", operand_of(work.a)},
                         {"a_row_stride", std::to_string(work.a_row_stride)},
                         {"a_zero_point", std::to_string(work.a_zero_point)}};
        if (work.b == plan::tensor_id::none) {
            values.push_back({"weights", bytes_of(work.weights->data(), work.weights->size())});
            values.push_back({"packed_matrix_bytes", std::to_string(work.packed_matrix_bytes)});
        } else {
            values.push_back({"b", operand_of(work.b)});
            values.push_back({"b_k_stride", std::to_string(work.b_k_stride)});
            values.push_back({"b_n_stride", std::to_string(work.b_n_stride)});
            values.push_back({"b_zero_point", std::to_string(work.b_zero_point)});
            values.push_back({"scratch", scratch_of(work.scratch)});
        }
        values.push_back({"batches", std::to_string(work.a_offsets.size())});
        values.push_back({"a_offsets", a_offsets});
        values.push_back({"b_offsets", b_offsets});
        values.push_back({"output", operand_of(work.output)});
        values.push_back({"finish", finish});
        write_step("product", values);
    }
    void write(const plan::pool_step& work, const std::string& of) {
        const std::string finish = finish_of(work.finish, of);
        const kernel::pool_problem& p = work.problem;
        const std::string problem =
            std::string("{.kind = lpt::kernel::pool_kind::") + spelling::name_of(p.kind) +
            ", .batch = " + std::to_string(p.batch) + ", .channels = " + std::to_string(p.channels) +
            ", .in = " + spelling::list_of(p.in) + ", .out = " + spelling::list_of(p.out) +
            ", .kernel = " + spelling::list_of(p.kernel) + ", .stride = " + spelling::list_of(p.stride) +
            ",\n                    .dilation = " + spelling::list_of(p.dilation) +
            ", .pad_begin = " + spelling::list_of(p.pad_begin) + ", .pad_end = " + spelling::list_of(p.pad_end) +
            ", .input_type = " + spelling::kind_of(at(work.input).type) +
            ", .input_zero_point = " + std::to_string(p.input_zero_point) + ", .finish = {}}";
        write_step("pooling", {{"problem", problem},
                               {"input", place_of(work.input)},
                               {"output", operand_of(work.output)},
                               {"finish", finish}});
    }
    void write(const plan::elementwise_step& work, const std::string& of) {
        const std::string finish = finish_of(work.finish, of);
        const std::size_t outer = work.sizes.size() - 2;
        fields values = {{"outer_count", std::to_string(outer)},
                         {"outer", outer_of(work.sizes, of)},
                         {"rows", std::to_string(work.sizes[outer])},
                         {"channels", std::to_string(work.sizes[outer + 1])}};
        if (work.has_two) {
            values.insert(values.begin(), {"function", std::string("lpt::kernel::binary_function::") +
                                                           spelling::name_of(work.function)});
            values.push_back({"a", strided(work.operands[0], of)});
            values.push_back({"a_scale", numbers_of(work.scales[0], of)});
            values.push_back({"a_shift", numbers_of(work.shifts[0], of)});
            values.push_back({"b", strided(work.operands[1], of)});
            values.push_back({"b_scale", numbers_of(work.scales[1], of)});
            values.push_back({"b_shift", numbers_of(work.shifts[1], of)});
        } else {
            values.push_back({"input", strided(work.operands[0], of)});
        }
        values.push_back({"output", strided(work.output, of)});
        values.push_back({"finish", finish});
        write_step(work.has_two ? "combine" : "map", values);
    }
    void write(const plan::lookup_step& work, const std::string&) {
        write_step("lookup", {{"input", place_of(work.input)},
                              {"output", place_of(work.output)},
                              {"rows", std::to_string(work.rows)},
                              {"count", std::to_string(work.count)},
                              {"table", bytes_of(work.table.data(), work.table.size())}});
    }
    void write(const plan::gather_step& work, const std::string&) {
        const std::vector<std::int32_t> order = plan::sources_of(work);
        const std::string sources = array("std::int32_t", "sources", order);
        const plan::spaced_rows& rows = at(work.output).rows;
        const std::int64_t in_row = rows.exist() ? rows.length / work.block : static_cast<std::int64_t>(order.size());
        const std::int64_t gap = (rows.distance - rows.length) * work.element_bytes;
        write_step("gather", {{"input", place_of(work.input)},
                              {"output", place_of(work.output)},
                              {"element_bytes", std::to_string(work.element_bytes)},
                              {"block_bytes", std::to_string(work.block * work.element_bytes)},
                              {"sources", sources},
                              {"count", std::to_string(order.size())},
                              {"blocks_in_row", std::to_string(in_row)},
                              {"gap", std::to_string(gap)},
                              {"fill", bytes_of(work.fill.data(), work.fill.size())}});
    }
    void write(const plan::choice_step&, const std::string& of) {
        fail({of.c_str(), " may find an index outside when it runs: a static plan has no step for it"});
    }
    void write(const plan::margin_step& work, const std::string&) {
        write_step("margin", {{"input", place_of(work.input)},
                              {"output", place_of(work.output)},
                              {"batch", std::to_string(work.batch)},
                              {"in", spelling::list_of(work.in)},
                              {"begin", spelling::list_of(work.begin)},
                              {"out", spelling::list_of(work.out)},
                              {"pixel", bytes_of(work.fill.data(), work.fill.size())},
                              {"pixel_bytes", std::to_string(work.fill.size())}});
    }
    void write(const plan::concat_step& work, const std::string&) {
        const std::string parts = "parts_" + std::to_string(count_);
        std::string list;
        for (std::size_t i = 0; i < work.inputs.size(); ++i) {
            list += (i == 0 ? "{" : ", {") + place_of(work.inputs[i]) + ", " + std::to_string(work.lengths[i]) + ", " +
                    std::to_string(at(work.inputs[i]).row_bytes(work.lengths[i])) + "}";
        }
        steps_ += "    static constexpr lpt::embedded::concat_part " + parts + "[] = {" + list + "};\n";
        write_step("concat", {{"parts", parts},
                              {"part_count", std::to_string(work.inputs.size())},
                              {"rows", std::to_string(work.rows)},
                              {"row_bytes", std::to_string(plan::detail::row_bytes_of(net_, work))},
                              {"output", place_of(work.output)}});
    }
    void write(const plan::transpose_step& work, const std::string&) {
        const kernel::transpose_problem& p = work.problem;
        write_step("transpose", {{"problem", "{.batch = " + std::to_string(p.batch) + ", .rows = " +
                                                 std::to_string(p.rows) + ", .columns = " + std::to_string(p.columns) +
                                                 ", .element_bytes = " + std::to_string(p.element_bytes) +
                                                 ", .input_rows = " + spelling::to_source(p.input_rows) +
                                                 ", .output_rows = " + spelling::to_source(p.output_rows) + "}"},
                                 {"input", place_of(work.input)},
                                 {"output", place_of(work.output)}});
    }
    template <class Problem>
    void write(const plan::kernel_step<Problem>& work, const std::string&) {
        std::string operands;
        for (const plan::tensor_id tensor : work.operands) {
            operands +=
                (operands.empty() ? "" : ", ") + (tensor == plan::tensor_id::none ? "{area::none}" : place_of(tensor));
        }
        const std::string type = std::string("kernel_step<lpt::kernel::") + Problem::name + "_problem>";
        write_step(type.c_str(), {{"problem", spelling::to_source(work.problem)}, {"operands", "{" + operands + "}"}});
    }
    void write(const plan::copy_step& work, const std::string&) {
        write_step("copy", {{"input", place_of(work.input)},
                            {"output", place_of(work.output)},
                            {"bytes", std::to_string(at(work.output).bytes())},
                            {"state", std::to_string(static_cast<int>(work.state))},
                            {"first_time", work.first_time ? "true" : "false"}});
    }
    void write(const plan::control_flow_step&, const std::string& of) {
        fail({of.c_str(), " runs bodies: a static plan has no step for it"});
    }
    void write(const plan::deferred_step&, const std::string& of) {
        fail({of.c_str(), " gives a shape that depends on values: a static plan is made for known shapes"});
    }

    void write(const plan::reference_step&, const std::string& of) {
        fail({of.c_str(), " has no kernel for these types: a static plan has no step for it"});
    }

    // ---- the whole

    std::string ports_of(const std::vector<plan::port>& ports, const char* what) const {
        std::string result = "lpt::embedded::ports<";
        for (std::size_t i = 0; i < ports.size(); ++i) {
            const char* type = spelling::type_of(ports[i].type);
            if (type == nullptr) {
                fail({what, " ", i, " '", ports[i].name, "' has the type ", name(ports[i].type),
                      ", for which C++ has none"});
            }
            result += std::string(i == 0 ? "" : ", ") + "lpt::embedded::port<" + type + ", " +
                      std::to_string(ports[i].dimensions.elements()) + ">";
        }
        return result + ">";
    }
    static std::string names_of(const std::vector<plan::port>& ports) {
        std::string result = "{";
        for (const plan::port& each : ports) {
            result += spelling::literal(each.name) + ", ";
        }
        return result + "nullptr}";
    }
    std::string name_of(const plan::step& each) const {
        return each.nodes.empty() ? each.kernel
                                  : std::string(net_.model[each.nodes[0]].operation().data()) + " '" +
                                        net_.model[each.nodes[0]].name().c_str() + "'";
    }
    std::string results() {
        std::string result = "    static constexpr lpt::embedded::result results[] = {";
        for (const plan::port& each : net_.outputs) {
            result += "{" + place_of(each.tensor) + ", " + std::to_string(at(each.tensor).bytes()) + "}, ";
        }
        return result + "{}};\n";
    }
    std::string data() const {
        std::string result = "    alignas(64) static constexpr unsigned char constants[] = {";
        for (std::size_t i = 0; i < data_.bytes().size(); ++i) {
            result += (i % 32 == 0 ? "\n        " : "") + std::to_string(static_cast<int>(data_.bytes()[i])) + ",";
        }
        result += "\n        ";
        for (int i = 0; i < 64; ++i) {
            result += "0,";  // that kernels may read
        }
        result += "\n    };\n    static constexpr float floats[] = {";
        for (std::size_t i = 0; i < data_.floats().size(); ++i) {
            result += (i % 6 == 0 ? "\n        " : " ") + spelling::to_source(data_.floats()[i]) + ",";
        }
        return result + "\n        0.0f,\n    };\n";
    }

public:
    plan_writer(const plan::network& net, const kernel::kernel_table& kernels)
        : net_(net), kernels_(kernels), arena_bytes_(net.arena_bytes) {}

    /// The header: a type `name` for `lpt::static_executor`.
    std::string header(const std::string& name, const std::string& source) {
        const std::string inputs = ports_of(net_.inputs, "input");
        const std::string outputs = ports_of(net_.outputs, "output");
        place_states();
        for (const plan::step& each : net_.steps) {
            const std::string of = name_of(each);
            steps_ += "\n    " + spelling::comment(of + ": " + each.kernel) + "\n";
            std::visit([&](const auto& work) { write(work, of); }, each.work);
        }
        const std::string given = results();
        const std::string size = std::to_string(data_.bytes().size() + data_.floats().size() * sizeof(float));
        return spelling::comment("Generated by lpt_embed --executor from " + source + ": " + std::to_string(count_) +
                                 " steps, " + size + " bytes of weights and tables.") +
               "\n#pragma once\n\n#include <lpt/embedded/executor.hpp>\n\nstruct " + name +
               " {\n    static constexpr int plan_format = " + std::to_string(embedded::plan_format) +
               ";\n    using isa = lpt::kernel::on::" + kernel::name_of(kernels_.instruction_set) +
               ";\n    using inputs = " + inputs + ";\n    using outputs = " + outputs +
               ";\n    static constexpr const char* input_names[] = " + names_of(net_.inputs) +
               ";\n    static constexpr const char* output_names[] = " + names_of(net_.outputs) +
               ";\n    static constexpr std::size_t arena_bytes = " + std::to_string(arena_bytes_) +
               ";\n    static constexpr std::size_t state_bytes = " + std::to_string(state_bytes_) +
               ";\n    static constexpr std::size_t state_count = " + std::to_string(net_.states.size()) +
               ";\n\n    using area = lpt::embedded::area;\n    using kind = lpt::kernel::element_kind;\n\n" + data() +
               steps_ + "\n" + given + "    using plan = lpt::embedded::steps<" + names_ +
               ">;\n};\n\nextern template void lpt::embedded::run_network<" + name + "::isa, " + name +
               ">(const lpt::embedded::memory&) noexcept;\n";
    }
};

/// Why a network has no plan that holds for all its runs.
[[noreturn]] inline void refuse_open_shapes(const graph& model) {
    const char* const rule = ": a static plan is made for known shapes";
    for (const node_id id : topological_order(model)) {
        const node& each = model[id];
        for (std::size_t port = 0; port < each.outputs(); ++port) {
            if (each.shape(port).is_dynamic() || each.type(port) == dynamic) {
                fail({each.operation(), " '", each.name(), "' gives ", name(each.type(port)), each.shape(port), rule});
            }
        }
    }
    for (const node_id id : topological_order(model)) {
        if (model[id].is<op::read_value>() && model[id].version() < 6) {
            fail({"ReadValue '", model[id].name(), "' of version ", model[id].version(),
                  " does not say the shape of its variable", rule});
        }
    }
    fail({"the shapes of this network depend on its inputs", rule});
}

/// The plan of a network for one instruction set, as a header with a type `name`.
///
/// The plan is the one that the dynamic executor has for the same network, on one thread. Raises an error where a shape is not known, and
/// one that names the operation that the plan has no step for; the machine must have the instruction set, whose kernels pack the weights.
inline std::string executor_header_of(const graph& model, const std::string& name, const std::string& source,
                                      kernel::isa set) {
    compile_options options;
    options.instruction_set = set;
    const executable net = compile(model, options);
    if (!net.is_fixed()) {
        refuse_open_shapes(model);
    }
    return plan_writer(net.plan(), kernel::table_for(set)).header(name, source);
}

}  // namespace lpt::embed
