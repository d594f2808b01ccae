// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/flat_table.hpp>
#include <lpt/import/tflite/model.hpp>
#include <lpt/import/tflite/schema.hpp>

namespace lpt::inline LPT_ABI::tflite::detail {

/// How many values an enumeration has; 0 for what is none.
constexpr int values_of(stored as) {
    switch (as) {
        case stored::padding:
        case stored::mirroring:
        case stored::weights_format:
        case stored::kernel_type: return 2;
        case stored::activation: return 6;
        case stored::type: return tensor_type_count;
        default: return 0;
    }
}

inline option read_option(const flat_table& from, const option_field& field, const place& where) {
    option result;
    result.name = field.name;
    switch (field.as) {
        case stored::whole: result.whole = from.number<std::int32_t>(field.number, field.when_absent); return result;
        case stored::natural: result.whole = from.number<std::uint32_t>(field.number); return result;
        case stored::long_whole: result.whole = from.number<std::int64_t>(field.number); return result;
        case stored::flag:
            result.whole = from.number<std::uint8_t>(field.number, static_cast<std::uint8_t>(field.when_absent)) != 0;
            return result;
        case stored::real:
            result.holds = option::form::real;
            result.real = static_cast<double>(from.number<float>(field.number));
            return result;
        case stored::list:
            result.holds = option::form::list;
            result.list = from.numbers<std::int32_t, std::int64_t>(field.number);
            return result;
        case stored::words:
            result.holds = option::form::words;
            result.words = from.words(field.number);
            return result;
        default: break;
    }
    result.whole = from.number<std::int8_t>(field.number, static_cast<std::int8_t>(field.when_absent));
    if (result.whole < 0 || result.whole >= values_of(field.as)) {
        wrong(where, "option ", field.name, " is ", result.whole, ", expected 0 to ", values_of(field.as) - 1);
    }
    return result;
}

/// The options of an operator. Where the file has no table for them, all have their defaults.
inline std::vector<option> read_options(const flat_table& op, builtin code, const place& where) {
    const option_table& table = options_of(code);
    std::vector<option> result;
    if (table.tag == 0) {
        return result;
    }
    const auto tag = op.number<std::uint8_t>(field::op::builtin_options_type);
    if (tag != 0 && tag != table.tag) {
        wrong(where, "has options of the kind ", tag, ", expected ", table.tag);
    }
    const flat_table values = tag == 0 ? flat_table() : op.table(field::op::builtin_options, "the operator's options");
    for (const option_field& each : table.fields) {
        if (!each.name.empty()) {
            result.push_back(read_option(values, each, where));
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::tflite::detail
