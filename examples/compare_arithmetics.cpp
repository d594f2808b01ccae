// SPDX-License-Identifier: Apache-2.0
// compare_arithmetics PATH…
//
// Runs quantized TensorFlow Lite models in the arithmetics of lpt/specified/arithmetic.hpp and compares them with the answers of others, operation by
// operation. A path is a .jsonl file of conformance cases or a folder of such (compared: tflite_reference and tflite_micro with what
// TensorFlow Lite Micro answers), or a folder with model.tflite, in<k>.npy and out<k>.litert.default.npy, stacks of samples, or a folder of
// such (compared: tflite_reference and xnnpack with that default). Prints a table in Markdown for each path.
// Exit 0, or 1 with one line on stderr.

#include "conformance/tflite_case.hpp"
#include "npy.hpp"
#include "standard_output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

namespace {

namespace fs = std::filesystem;
using lpt::conformance::json;
using reference = lpt::arithmetic::tflite_reference;

/// How far values are from those of an answer.
struct distance {
    std::size_t values = 0;
    std::size_t different = 0;
    double largest = 0;

    void add(lpt::element type, const std::byte* found, const std::byte* wanted, std::size_t count) {
        values += count;
        for (std::size_t i = 0; i < count; ++i) {
            const double difference = std::fabs(lpt::load_real(type, found, i) - lpt::load_real(type, wanted, i));
            different += difference == 0 ? 0 : 1;  // NaN differs
            largest = std::max(largest, difference);
        }
    }

    std::string in_words() const {
        if (different == 0) return "equal";
        char words[64];
        std::snprintf(words, sizeof words, "%zu, by %.4g at most", different, largest);
        return words;
    }
};

struct row {
    std::size_t models = 0;
    distance of_reference;
    distance of_other;
};

/// Rows by operator, or by name where a model has several.
using table = std::map<std::string, row>;

std::string key_of(const lpt::tflite::model& model, const std::string& name) {
    const auto& operators = model.subgraphs.front().operators;
    if (operators.size() != 1) return name;
    const lpt::text_view code = operators[0].name();
    return std::string(code.data(), code.size());
}

template <class Network>
void add_answer(const Network& net, std::size_t output, const std::byte* wanted, std::size_t bytes, distance& to) {
    const lpt::specified::value& found = net.output(output);
    const auto count = static_cast<std::size_t>(found.elements());
    if (lpt::byte_size(found.type, count) != bytes)
        lpt::fail({"output ", output, " has ", count, " elements, the answer has ", bytes, " bytes"});
    to.add(found.type, found.data(), wanted, count);
}

// ---- conformance cases

template <class Arithmetic>
void add_case(const json& conformance_case, const json& answer, const lpt::tflite::model& model, distance& to) {
    const auto net = lpt::conformance::run_network<Arithmetic>(conformance_case, model, nullptr);
    std::size_t output = 0;
    for (const json& port : answer.at("outputs")) {
        const auto wanted = lpt::conformance::bytes_of_base64(port.at("data").get<std::string>());
        add_answer(net, output++, wanted.data(), wanted.size(), to);
    }
}

void add_cases(const fs::path& file, table& rows) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const json each = json::parse(line);
        const json* const answer = each.contains("model") ? lpt::conformance::answer_of_micro(each) : nullptr;
        if (answer == nullptr) continue;
        const lpt::tflite::model model = lpt::conformance::model_of_case(each);
        row& mine = rows[key_of(model, "chains")];
        ++mine.models;
        add_case<reference>(each, *answer, model, mine.of_reference);
        add_case<lpt::arithmetic::tflite_micro>(each, *answer, model, mine.of_other);
    }
}

// ---- folders of a model

/// The arrays PREFIX0SUFFIX, PREFIX1SUFFIX … of a folder: stacks of samples.
std::vector<lpt::tensor> arrays_of(const fs::path& folder, const std::string& prefix, const std::string& suffix) {
    std::vector<lpt::tensor> result;
    for (std::size_t k = 0;; ++k) {
        const fs::path file = folder / (prefix + std::to_string(k) + suffix);
        if (!fs::exists(file)) return result;
        result.push_back(npy::read(file.string()));
    }
}

lpt::view<std::byte> sample_of(const lpt::tensor& stack, std::size_t sample, std::size_t samples) {
    const std::size_t bytes = stack.size_in_bytes() / samples;
    return {stack.data() + sample * bytes, bytes};
}

template <class Arithmetic>
void add_samples(const lpt::tflite::model& model, const std::vector<lpt::tensor>& inputs,
                 const std::vector<lpt::tensor>& answers, distance& to) {
    lpt::specified::basic_network<Arithmetic> net(model);
    const lpt::shape& dimensions = answers.front().dimensions();
    const auto samples = dimensions.rank() == 0 ? 0 : static_cast<std::size_t>(dimensions[0]);
    if (samples == 0 || inputs.size() != net.inputs() || answers.size() > net.outputs())
        lpt::fail(
            {"a network of ", net.inputs(), " inputs with files of ", inputs.size(), ", and ", samples, " samples"});
    for (std::size_t sample = 0; sample < samples; ++sample) {
        for (std::size_t k = 0; k < inputs.size(); ++k)
            net.set_input(k, sample_of(inputs[k], sample, samples));
        net.run();
        for (std::size_t k = 0; k < answers.size(); ++k) {
            const auto wanted = sample_of(answers[k], sample, samples);
            add_answer(net, k, wanted.data(), wanted.size(), to);
        }
    }
}

void add_folder(const fs::path& folder, table& rows) {
    const std::vector<lpt::tensor> answers = arrays_of(folder, "out", ".litert.default.npy");
    if (answers.empty()) return;
    const lpt::tflite::model model = lpt::tflite::read_model((folder / "model.tflite").string());
    const std::vector<lpt::tensor> inputs = arrays_of(folder, "in", ".npy");
    row& mine = rows[key_of(model, folder.filename().string())];
    ++mine.models;
    add_samples<reference>(model, inputs, answers, mine.of_reference);
    add_samples<lpt::arithmetic::xnnpack>(model, inputs, answers, mine.of_other);
}

void print(const table& rows, const char* other, const char* answers) {
    std::printf("| compared with %s | models | values | `tflite_reference` | `%s` |\n", answers, other);
    std::printf("|---|---|---|---|---|\n");
    for (const auto& [name, each] : rows)
        std::printf("| %s | %zu | %zu | %s | %s |\n", name.c_str(), each.models, each.of_other.values,
                    each.of_reference.in_words().c_str(), each.of_other.in_words().c_str());
    std::printf("\n");
}

void compare(const fs::path& path) {
    std::vector<fs::path> entries{path};
    if (fs::is_directory(path)) {
        for (const auto& entry : fs::recursive_directory_iterator(path))
            entries.push_back(entry.path());
    }
    table of_cases, of_folders;
    for (const fs::path& each : entries) {
        if (each.extension() == ".jsonl") add_cases(each, of_cases);
        if (fs::exists(each / "model.tflite")) add_folder(each, of_folders);
    }
    if (of_cases.empty() && of_folders.empty()) lpt::fail({path.string().c_str(), ": neither cases nor models"});
    if (!of_cases.empty()) print(of_cases, "tflite_micro", "TensorFlow Lite Micro");
    if (!of_folders.empty()) print(of_folders, "xnnpack", "LiteRT's default");
}

}  // namespace

int main(int count, char** words) {
    try {
        if (count < 2) lpt::fail({"expected paths: .jsonl files, folders of models, or folders of either"});
        for (int i = 1; i < count; ++i)
            compare(words[i]);
        return status_of_output("compare_arithmetics", 0);
    } catch (const std::exception& raised) {
        std::fprintf(stderr, "compare_arithmetics: %s\n", raised.what());
        return 1;
    }
}
