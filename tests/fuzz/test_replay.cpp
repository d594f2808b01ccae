// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/mutate.hpp"
#include "tests/fuzz/network_text.hpp"
#include "tests/fuzz/target.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

namespace {

using mutator = std::string (*)(std::string_view, unsigned);
using crosser = std::string (*)(std::string_view, std::string_view, unsigned);

struct target {
    const char* name;
    const char* corpus;
    void (*run)(std::string_view);
    mutator mutate;
    crosser cross;
};
constexpr target targets[] = {
    {"openvino_ir", "openvino_ir", &lpt::fuzz::openvino_ir, &lpt::fuzz::mutate_network, &lpt::fuzz::cross_networks},
    {"cases_json", "cases_json", &lpt::fuzz::cases_json, &lpt::fuzz::mutate_json, &lpt::fuzz::cross_json},
    {"npy", "npy", &lpt::fuzz::npy, &lpt::fuzz::mutate_npy, &lpt::fuzz::cross_npy},
    {"embed", "openvino_ir", &lpt::fuzz::embed, &lpt::fuzz::mutate_network, &lpt::fuzz::cross_networks},
    {"onnx", "onnx", &lpt::fuzz::onnx, &lpt::fuzz::mutate_onnx, &lpt::fuzz::cross_onnx},
    {"tflite", "tflite", &lpt::fuzz::tflite, &lpt::fuzz::mutate_tflite, &lpt::fuzz::cross_tflite}};

std::vector<std::filesystem::path> files_in(const std::string& place) {
    std::vector<std::filesystem::path> result;
    const std::filesystem::path folder = std::filesystem::path(LPT_FUZZ_DATA_DIR) / place;
    if (std::filesystem::exists(folder)) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            result.push_back(entry.path());
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<std::filesystem::path> corpus_of(const target& each) {
    return files_in(std::string("corpus/") + each.corpus);
}
std::vector<std::filesystem::path> regressions_of(const target& each) {
    return files_in(std::string("regressions/") + each.name);
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// What a target raises for a file; empty if all is well.
std::string complaint(const target& each, const std::filesystem::path& file) {
    try {
        each.run(content_of(file));
    } catch (const std::exception& raised) {
        return file.filename().string() + ": " + raised.what();
    }
    return {};
}

TEST_CASE("No file that fuzzers found, or began with, breaks a promise") {
    for (const target& each : targets) {
        CAPTURE(each.name);
        CHECK(!corpus_of(each).empty());
        for (const auto& files : {corpus_of(each), regressions_of(each)}) {
            for (const std::filesystem::path& file : files) {
                CHECK(complaint(each, file) == std::string());
            }
        }
    }
}

TEST_CASE("The corpus is read: fuzzers begin with networks that are run, not with files that are refused") {
    for (const std::filesystem::path& file : corpus_of(targets[0])) {
        CAPTURE(file.filename().string());
        CHECK(lpt::fuzz::import_network(lpt::fuzz::read_network_text(content_of(file))).has_value());
    }
}

TEST_CASE("Mutators change files, in as many ways as there are seeds") {
    for (const target& each : targets) {
        CAPTURE(each.name);
        const std::vector<std::filesystem::path> files = corpus_of(each);
        REQUIRE(files.size() >= 2);
        const std::string first = content_of(files.front());
        const std::string last = content_of(files.back());
        std::set<std::string> made;
        for (unsigned seed = 0; seed < 200; ++seed) {
            CHECK(each.mutate(first, seed) == each.mutate(first, seed));
            made.insert(each.mutate(first, seed));
            made.insert(each.cross(first, last, seed));
        }
        CHECK(made.size() > 50);
    }
}

TEST_CASE("Most mutated networks are still read, and transformed or refused") {
    const std::vector<std::filesystem::path> files = corpus_of(targets[0]);
    int imported = 0;
    int tried = 0;
    for (unsigned seed = 0; seed < 3 * files.size(); ++seed, ++tried) {
        const std::string mutated = lpt::fuzz::mutate_network(content_of(files[seed % files.size()]), seed);
        imported += lpt::fuzz::import_network(lpt::fuzz::read_network_text(mutated)).has_value() ? 1 : 0;
    }
    CHECK(imported > tried / 5);
}

TEST_CASE("Content that is not of the form is left to the fuzzer") {
    CHECK(lpt::fuzz::mutate_network("<net", 1).empty());
    CHECK(lpt::fuzz::mutate_json("{", 1).empty());
    CHECK(lpt::fuzz::mutate_npy("\x93NUMPY", 1).empty());
    CHECK(lpt::fuzz::mutate_onnx("\x08", 1).empty());
    CHECK(lpt::fuzz::mutate_tflite("TFL3", 1).empty());
}

}  // namespace
