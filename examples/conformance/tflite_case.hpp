// SPDX-License-Identifier: Apache-2.0
// A conformance case of the TensorFlow Lite 8-bit specification: a model, and what it must compute or which rules it breaks.
#pragma once

#include "json.hpp"

#include <lpt/check/model.hpp>
#include <lpt/import/tflite/read_model.hpp>
#include <lpt/kernel/dispatch.hpp>
#include <lpt/specified/network.hpp>

#include <string>

namespace lpt::conformance {

/// The bytes that base64 stands for, in the library's own memory, which is aligned.
inline seq<std::byte> bytes_of_base64(const std::string& letters) {
    seq<std::byte> result;
    unsigned bits = 0;
    int count = 0;
    for (const char letter : letters) {
        int code = -1;
        if (letter >= 'A' && letter <= 'Z') code = letter - 'A';
        if (letter >= 'a' && letter <= 'z') code = letter - 'a' + 26;
        if (letter >= '0' && letter <= '9') code = letter - '0' + 52;
        if (letter == '+') code = 62;
        if (letter == '/') code = 63;
        if (code < 0) continue;
        bits = bits << 6 | static_cast<unsigned>(code);
        count += 6;
        if (count >= 8) {
            count -= 8;
            result.push_back(static_cast<std::byte>(bits >> count & 0xFFu));
        }
    }
    return result;
}

inline tflite::model model_of_case(const json& conformance_case) {
    const seq<std::byte> content = bytes_of_base64(conformance_case.at("model").get<std::string>());
    const std::string name = conformance_case.at("case").get<std::string>();
    return tflite::read_model(view<std::byte>(content), text_view(name.data(), name.size()));
}

/// Rules that a case's model breaks, as the case lists them: operation, role, rule, a line each.
inline std::string broken_rules(const seq<check::violation, 0>& found) {
    std::string result;
    for (const check::violation& each : found)
        result +=
            join({each.operation, " ", each.operation_name, " ", each.role, " ", spec::name(each.rule), "\n"}).c_str();
    return result;
}

inline std::string expected_rules(const json& conformance_case) {
    std::string result;
    for (const json& each : conformance_case.at("expected")) {
        result += std::to_string(each.at("op_index").get<int>()) + " " + each.at("op").get<std::string>() + " " +
                  each.at("role").get<std::string>() + " " + each.at("rule").get<std::string>() + "\n";
    }
    return result;
}

inline std::string in_one_line(std::string lines) {
    for (char& each : lines)
        each = each == '\n' ? ';' : each;
    return lines;
}

/// The first difference between a tensor's bytes and those that a port of the case has; empty: none.
inline std::string difference_of(const json& port, element type, const shape& dimensions, const std::byte* found) {
    const seq<std::byte> wanted = bytes_of_base64(port.at("data").get<std::string>());
    const std::string name = port.at("name").get<std::string>();
    integers sizes;
    for (const json& each : port.at("shape"))
        sizes.push_back(each.get<std::int64_t>());
    if (!(shape(sizes) == dimensions)) return name + join({": shape ", shape(sizes), ", found ", dimensions}).c_str();
    if (wanted.size() != byte_size(type, dimensions.elements())) return name + ": other type";
    for (std::size_t i = 0; i < dimensions.elements(); ++i) {
        const std::size_t size = byte_size(type, 1);
        if (std::memcmp(wanted.data() + i * size, found + i * size, size) == 0) continue;
        return name +
               join({"[", i, "]: ", load_real(type, wanted.data(), i), ", found ", load_real(type, found, i)}).c_str();
    }
    return "";
}

/// Makes the network of a case and runs it.
template <class Arithmetic>
specified::basic_network<Arithmetic> run_network(const json& conformance_case, const tflite::model& model,
                                                 const kernel::kernel_table* kernels,
                                                 specified::intermediates kept = specified::intermediates::share) {
    specified::basic_network<Arithmetic> net(model, kernels, {}, SIZE_MAX, kept);
    std::size_t position = 0;
    for (const json& port : conformance_case.at("inputs")) {
        const seq<std::byte> data = bytes_of_base64(port.at("data").get<std::string>());
        net.set_input(position++, view<std::byte>(data));
    }
    net.run();
    return net;
}

/// Runs a case of a model that computes, in an arithmetic. Gives the first difference to an answer of the case; empty: none.
/// An answer has `outputs`, and may have `intermediates`.
template <class Arithmetic>
std::string run_tflite_model(const json& conformance_case, const json& answer, const tflite::model& model,
                             const kernel::kernel_table* kernels) {
    const auto kept =
        answer.contains("intermediates") ? specified::intermediates::keep : specified::intermediates::share;
    const auto net = run_network<Arithmetic>(conformance_case, model, kernels, kept);
    const auto compare = [&](const json& ports) -> std::string {
        for (const json& port : ports) {
            const specified::value& found = net.tensor(port.at("tensor").get<std::size_t>());
            const std::string difference = difference_of(port, found.type, found.dimensions, found.data());
            if (!difference.empty()) return difference;
        }
        return "";
    };
    if (answer.contains("intermediates")) {
        const std::string difference = compare(answer.at("intermediates"));
        if (!difference.empty()) return difference;
    }
    return compare(answer.at("outputs"));
}

/// What TensorFlow Lite Micro answers to a case: one of its `alternatives`, or the outputs that all agree on. Null: it is not known, where Micro lacks
/// the operator or deviates from what the specification says.
inline const json* answer_of_micro(const json& conformance_case) {
    if (conformance_case.contains("alternatives")) {
        for (const json& each : conformance_case.at("alternatives")) {
            if (each.at("reference").get<std::string>().rfind("tflite-micro", 0) == 0) return &each;
        }
    }
    const auto distance = conformance_case.find("micro_max_lsb");
    const bool is_equal = distance != conformance_case.end() && distance->is_number() && *distance == 0;
    return is_equal ? &conformance_case : nullptr;
}

/// The kernels of each instruction set that this processor has, and none.
inline std::vector<const kernel::kernel_table*> kernels_to_run() {
    std::vector<const kernel::kernel_table*> result{nullptr};
    for (int i = 0; i < kernel::isa_count; ++i) {
        const auto set = static_cast<kernel::isa>(i);
        if (kernel::is_available(set)) result.push_back(&kernel::table_for(set));
    }
    return result;
}

/// Runs a case, one that computes on the kernels of each instruction set and on none, in the reference's arithmetic and in that of
/// TensorFlow Lite Micro. Gives the first difference to the right answer; empty: it passed.
inline std::string run_tflite_case(const json& conformance_case) {
    const tflite::model model = model_of_case(conformance_case);
    if (conformance_case.at("suite") == "checker") {
        const std::string wanted = expected_rules(conformance_case);
        const std::string found = broken_rules(check::violations_of(model));
        return wanted == found ? "" : in_one_line("expected [" + wanted + "], found [" + found + "]");
    }
    const json* const micro = answer_of_micro(conformance_case);
    static const std::vector<const kernel::kernel_table*> all_kernels = kernels_to_run();
    for (const kernel::kernel_table* const kernels : all_kernels) {
        std::string difference =
            run_tflite_model<arithmetic::tflite_reference>(conformance_case, conformance_case, model, kernels);
        if (!difference.empty()) return difference;
        if (micro == nullptr) continue;
        difference = run_tflite_model<arithmetic::tflite_micro>(conformance_case, *micro, model, kernels);
        if (!difference.empty()) return "tflite_micro: " + difference;
    }
    return "";
}

}  // namespace lpt::conformance
