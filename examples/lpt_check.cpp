// SPDX-License-Identifier: Apache-2.0
// lpt_check MODEL [--json]
// lpt_check --specification
//
// Holds a model against the TensorFlow Lite 8-bit quantization specification and prints each violation: operation, tensor, its
// part in the operation, the rule, what was expected and what found; then, for each rule that is broken, what that does to results
// and how to mend it. ONNX and OpenVINO IR are checked as far as the rules apply to their graphs: where quantization stands around an
// operation; numbers of operations and tensors are those of nodes. Exit status: 0 the model conforms, 2 it does not, 1 it cannot be read,
// or what is printed cannot be written.
//   --json            the same as one JSON object
//   --specification   the specification as Markdown

#include "file_errors.hpp"
#include "network_file.hpp"
#include "standard_output.hpp"

#include <lpt/check/graph.hpp>
#include <lpt/check/model.hpp>
#include <lpt/import/tflite/read_model.hpp>
#include <lpt/spec/document.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>

namespace {

using lpt::check::violation;
using violations = lpt::seq<violation, 0>;

std::string words(lpt::text_view characters) { return {characters.data(), characters.size()}; }

/// What a file breaks, and of how many operations: all of a TFLite model, the quantized ones of a graph.
lpt::check::graph_findings check_file(const std::string& file) {
    if (!is_tflite_file(file)) {
        const lpt::graph model = read_network_file(file);
        return naming_file(file, [&] { return lpt::check::hold_against_specification(model); });
    }
    const lpt::tflite::model model = lpt::tflite::read_model(file);
    std::size_t operations = 0;
    for (const lpt::tflite::subgraph& each : model.subgraphs)
        operations += each.operators.size();
    return {operations, lpt::check::violations_of(model)};
}

void print_json(const violations& found, std::size_t operations) {
    nlohmann::json list = nlohmann::json::array();
    for (const violation& each : found) {
        const lpt::spec::restriction_facts& rule = facts(each.rule);
        list.push_back({{"subgraph", each.subgraph},
                        {"op_index", each.operation},
                        {"op", words(each.operation_name)},
                        {"role", words(each.role)},
                        {"tensor", each.tensor},
                        {"tensor_name", words(each.tensor_name)},
                        {"rule", words(rule.id)},
                        {"expected", words(each.expected)},
                        {"found", words(each.found)},
                        {"section", words(name(rule.place))},
                        {"effect", words(rule.effect)},
                        {"mend", words(rule.mend)}});
    }
    const nlohmann::json report = {{"conforms", found.empty()}, {"operations", operations}, {"violations", list}};
    std::cout << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

void print_rule(lpt::spec::restriction rule, std::size_t count) {
    const lpt::spec::restriction_facts& each = facts(rule);
    std::cout << '\n'
              << words(each.id) << ", " << count << (count == 1 ? " time" : " times") << ": " << words(each.asks)
              << " (\"" << words(name(each.place)) << "\")\n  effect: " << words(each.effect)
              << "\n  to mend: " << words(each.mend) << '\n';
}

void print_summary(const violations& found, std::size_t operations) {
    for (const violation& each : found)
        std::cout << each.in_words().c_str() << '\n';
    for (int rule = 0; rule < lpt::spec::restriction_count; ++rule) {
        const auto which = static_cast<lpt::spec::restriction>(rule);
        std::size_t count = 0;
        for (const violation& each : found)
            count += each.rule == which ? 1 : 0;
        if (count != 0) print_rule(which, count);
    }
    if (!found.empty()) std::cout << '\n';
    std::cout << operations << " operations, " << found.size()
              << (found.size() == 1 ? " violation\n" : " violations\n");
}

}  // namespace

int main(int count, char** words_of_line) {
    CLI::App program(
        "Checks a model against the TensorFlow Lite 8-bit quantization specification.\n"
        "Exit status: 0 the model conforms, 2 it does not, 1 it cannot be read, or the output not be written.");
    std::string file;
    bool as_json = false;
    bool specification = false;
    CLI::Option* const model =
        program.add_option("MODEL", file, "a .tflite, .onnx or .xml file, whose content says which");
    CLI::Option* const json = program.add_flag("--json", as_json, "print JSON");
    program.add_flag("--specification", specification, "print the specification as Markdown")
        ->excludes(model)
        ->excludes(json);
    try {
        program.parse(count, words_of_line);
    } catch (const CLI::ParseError& raised) {
        if (raised.get_exit_code() == 0) return status_of_output("lpt_check", program.exit(raised));
        std::cerr << "lpt_check: " << raised.what() << '\n';
        return 1;
    }
    try {
        if (specification) {
            std::cout << lpt::spec::document().c_str();
            return status_of_output("lpt_check", 0);
        }
        if (file.empty()) throw std::runtime_error("expected a model: lpt_check MODEL");
        const lpt::check::graph_findings found = check_file(file);
        if (as_json) {
            print_json(found.violations, found.checked);
        } else {
            print_summary(found.violations, found.checked);
        }
        return status_of_output("lpt_check", found.violations.empty() ? 0 : 2);
    } catch (const std::exception& raised) {
        std::cerr << "lpt_check: " << raised.what() << '\n';
        return 1;
    }
}
