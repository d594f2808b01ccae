// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/mutate/mutate.hpp"
#include "tests/fuzz/mutate/onnx_mutator.hpp"
#include "tests/fuzz/mutate/tflite_places.hpp"
#include "tests/fuzz/network_text.hpp"
#include "tests/fuzz/target.hpp"

#include <lpt/import/onnx.hpp>
#include <lpt/import/tflite.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <utility>
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
        int changed = 0;
        for (unsigned seed = 0; seed < 200; ++seed) {
            const std::string mutated = each.mutate(first, seed);
            CHECK(mutated == each.mutate(first, seed));
            changed += mutated != first ? 1 : 0;
            made.insert(mutated);
            made.insert(each.cross(first, last, seed));
        }
        CHECK(made.size() > 50);
        CHECK(changed > 150);
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

/// How many of the mutations of a corpus are still read, of a hundred.
template <class Import>
int share_imported(const target& each, Import&& import) {
    const std::vector<std::filesystem::path> files = corpus_of(each);
    std::size_t imported = 0;
    const std::size_t tried = 10 * files.size();
    for (unsigned seed = 0; seed < tried; ++seed) {
        const lpt::fuzz::memory_file mutated(each.mutate(content_of(files[seed % files.size()]), seed));
        try {
            import(mutated.path());
            ++imported;
        } catch (const lpt::error&) {
            continue;
        }
    }
    return static_cast<int>(100 * imported / tried);
}

TEST_CASE("Many mutated files of ONNX and TFLite are still read") {
    const int onnx = share_imported(targets[4], [](const std::string& path) { return lpt::import_onnx(path); });
    const int tflite = share_imported(targets[5], [](const std::string& path) { return lpt::import_tflite(path); });
    INFO("of a hundred: ONNX " << onnx << ", TFLite " << tflite);
    CHECK(onnx >= 33);
    CHECK(tflite >= 20);
}

TEST_CASE("A body that goes with the attribute of another operator takes its nodes along") {
    using lpt::fuzz::bytes_field;
    using lpt::fuzz::message;
    using lpt::fuzz::nested_field;
    constexpr unsigned model_graph = 7;
    constexpr unsigned graph_node = 1;
    constexpr unsigned node_input = 1;
    constexpr unsigned node_type = 4;
    constexpr unsigned node_attribute = 5;
    constexpr unsigned attribute_name = 1;
    constexpr unsigned attribute_graph = 6;
    const auto node = [](const char* type, lpt::fuzz::message_fields more) {
        more.push_back(bytes_field(node_input, "x"));
        more.push_back(bytes_field(node_type, type));
        return nested_field(graph_node, message::node, std::move(more));
    };
    const lpt::fuzz::message_field body =
        nested_field(attribute_graph, message::graph, {node("Abs", {}), node("Neg", {}), node("Ceil", {})});
    const lpt::fuzz::message_field attribute =
        nested_field(node_attribute, message::attribute, {bytes_field(attribute_name, "body"), body});
    lpt::fuzz::message_fields model{
        nested_field(model_graph, message::graph, {node("Relu", {attribute}), node("Sign", {})})};

    lpt::fuzz::dice random(1);
    lpt::fuzz::onnx_mutator(model, random).fit_nodes();
    const lpt::fuzz::message_fields fitted{
        nested_field(model_graph, message::graph, {node("Relu", {}), node("Sign", {})})};
    CHECK(lpt::fuzz::written(model) == lpt::fuzz::written(fitted));
}

using counts = std::array<unsigned, lpt::fuzz::role_count>;

/// The roles of numbers in which two files of the same size differ, as 1.
counts roles_changed(const lpt::fuzz::tflite_places& places, const std::string& file, const std::string& mutated) {
    counts result{};
    for (const lpt::fuzz::number_place& each : places.all) {
        const std::size_t size = each.width * each.count;
        if (mutated.size() == file.size() && file.compare(each.first, size, mutated, each.first, size) != 0) {
            result[static_cast<std::size_t>(each.is)] = 1;
        }
    }
    return result;
}

TEST_CASE("Mutations of a TFLite file change numbers of every role that it has, however few they are") {
    counts known{};
    for (const char* const name : {"while_loop", "hswish", "sequence_lstm_projection"}) {
        CAPTURE(name);
        const std::string file = content_of(std::string(LPT_FUZZ_DATA_DIR "/corpus/tflite/") + name + ".tflite");
        const lpt::fuzz::tflite_places places = lpt::fuzz::places_of(file);
        constexpr unsigned seeds = 2000;
        counts changed{};
        for (unsigned seed = 0; seed < seeds; ++seed) {
            const counts here = roles_changed(places, file, lpt::fuzz::mutate_tflite(file, seed));
            std::transform(here.begin(), here.end(), changed.begin(), changed.begin(), std::plus<>());
        }
        for (const lpt::fuzz::number_place& each : places.all) {
            const auto role = static_cast<std::size_t>(each.is);
            CAPTURE(role);
            CHECK((changed[role] >= seeds / 40 || each.choices == 1));  // an index of one thing has no other value
            known[role] = 1;
        }
    }
    CHECK(std::count(known.begin(), known.end(), 1U) == static_cast<std::ptrdiff_t>(lpt::fuzz::role_count));
}

TEST_CASE("Places of a TFLite file lie in it, however broken it is") {
    for (const std::filesystem::path& path : corpus_of(targets[5])) {
        CAPTURE(path.filename().string());
        std::string file = content_of(path);
        std::size_t outside = 0;
        for (unsigned seed = 0; seed < 200; ++seed) {
            file = seed % 10 == 0 ? content_of(path) : lpt::fuzz::mutate_tflite(file, seed);
            for (const lpt::fuzz::number_place& each : lpt::fuzz::places_of(file).all) {
                const bool lies_inside = each.count != 0 && each.first <= file.size() &&
                                         each.count <= (file.size() - each.first) / each.width;
                outside += lies_inside ? 0U : 1U;
            }
        }
        CHECK(outside == 0);
    }
}

TEST_CASE("Content that is not of the form is left to the fuzzer") {
    CHECK(lpt::fuzz::mutate_network("<net", 1).empty());
    CHECK(lpt::fuzz::mutate_json("{", 1).empty());
    CHECK(lpt::fuzz::mutate_npy("\x93NUMPY", 1).empty());
    CHECK(lpt::fuzz::mutate_onnx("\x08", 1).empty());
    CHECK(lpt::fuzz::mutate_tflite("TFL3", 1).empty());
}

}  // namespace
