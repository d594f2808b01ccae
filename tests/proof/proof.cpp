// SPDX-License-Identifier: Apache-2.0
// Every conformance case on exact numbers: with constants of the dyadic family, the network before and the network after the
// case's pipeline give the same values in double, bit for bit. Where they do not, each rewrite that changed values is found,
// explained by an entry of docs/differences.md, and the change is held against the entry's bound.
//
// LPT_PROOF_STRIDE=n: only every n-th case. LPT_PROOF_CASE=suite/number: only this one. LPT_PROOF_LIST=1: a line a step.
#include "tests/proof/dyadic.hpp"
#include "tests/proof/explain.hpp"
#include "tests/proof/inputs.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

using namespace lpt;
using namespace lpt::proof;
using conformance::json;

/// What is counted for one setting of `follow_upstream_errors`.
struct tally {
    std::size_t equal = 0;
    std::size_t rewritten = 0;  // of the equal ones: those that the pipeline changed
    std::size_t explained = 0;
    std::size_t not_evaluated = 0;  // of those that are listed
    struct entry {
        std::size_t cases = 0;
        std::size_t steps = 0;
        double closest = 0;  // greatest change / bound of one step
    };
    std::array<entry, support::all_differences.size()> entries{};
    std::vector<std::string> unexplained;
};

/// The cases that have no values to compare, and why.
struct case_without_values {
    std::string_view name;
    std::string_view why;
};
constexpr case_without_values cases_without_values[] = {
    {"interpolate_transformation/0007",
     "its declared output shape is not that of its pads; it tells how pads are read"},
    {"kv_cache_concat/81", "the variable has no rows on another axis than that of the Concat: only empty data fits"},
    {"kv_cache_concat/82", "the variable has no rows on another axis than that of the Concat: only empty data fits"},
    {"kv_cache_concat/83", "the variable has no rows on another axis than that of the Concat: only empty data fits"},
    {"reshape_transformation/0032", "the target of the Reshape has other elements than its data"},
};
bool has_no_values(const std::string& name) {
    return std::any_of(std::begin(cases_without_values), std::end(cases_without_values),
                       [&](const case_without_values& each) { return each.name == name; });
}

std::string setting(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

/// One case with a network on which its arithmetic is exact, and inputs for it.
struct prepared_case {
    std::string name;
    json described;
    graph model;
    std::vector<tensor> inputs;
    int runs = 1;  // two where the network has variables
    std::vector<tensor> values;

    void run(bool follow_upstream_errors, graph& rewritten, step_recorder* recorder) const {
        attribute::tables attributes;
        transformation_options options;
        conformance::detail::read_options(described, options);
        options.follow_upstream_errors = follow_upstream_errors;
        if (recorder != nullptr) {
            recorder->watch(options);
        }
        const restriction_table restrictions = conformance::detail::read_restrictions(described);
        rewrite changes(rewritten, attributes, options, restrictions);
        conformance::run_pipeline_of_case(described, changes);
    }
};

/// Prepares a case; gives the reason if it cannot be evaluated.
std::string prepare_case(prepared_case& each) {
    each.name = each.described.at("case").get<std::string>();
    each.model = conformance::graph_reader::read(each.described.at("before"));
    make_dyadic(each.model);
    const std::optional<std::vector<shape>> shapes = concrete_shapes(each.model);
    if (!shapes) {
        return "no input shapes fit the network";
    }
    std::minstd_rand random(
        static_cast<unsigned>(each.name.size() * 977 + std::stoul(each.name.substr(each.name.rfind('/') + 1))));
    for (std::size_t i = 0; i < shapes->size(); ++i) {
        const node_id parameter = each.model.parameters()[i];
        const std::optional<tensor> target = target_values(each.model, parameter, *shapes);
        each.inputs.push_back(target ? *target : random_values(each.model[parameter].type(), (*shapes)[i], random));
    }
    try {
        each.values = values_of(each.model, each.inputs, 1);
    } catch (const error& wrong) {
        return std::string("the network has no value: ") + wrong.message().c_str();
    }
    if (!each.model.sinks().empty()) {
        try {
            each.values = values_of(each.model, each.inputs, 2);
            each.runs = 2;
        } catch (const error&) {}  // a cache has grown beyond what another input says of it
    }
    return {};
}

void count_step(const explained_step& found, const step& changed, const prepared_case& each, bool follow,
                tally& counts) {
    for (const support::difference_entry& entry : support::all_differences) {
        if (found.why.has(entry.what)) {
            auto& mine = counts.entries[static_cast<std::size_t>(entry.what)];
            ++mine.steps;
            mine.closest = std::max(mine.closest, found.why.bound > 0 ? found.change / found.why.bound : 0.0);
        }
    }
    std::string entries;
    for (const support::difference_entry& entry : support::all_differences) {
        entries += found.why.has(entry.what) ? " " + std::string(entry.name) : std::string();
    }
    const std::string line = each.name + (follow ? "" : " (corrected)") + ": " + changed.transformation + ", " +
                             changed.found + "; changed by " + std::to_string(found.change) + ", bound " +
                             std::to_string(found.why.bound) + ";" + (entries.empty() ? " no entry" : entries);
    if (!found.holds()) {
        counts.unexplained.push_back(line);
    } else if (!setting("LPT_PROOF_LIST").empty()) {
        std::printf("%s\n", line.c_str());
    }
}

void explain_case(const prepared_case& each, bool follow, tally& counts) {
    graph rewritten = each.model;
    step_recorder recorder(each.model, each.inputs, each.runs);
    each.run(follow, rewritten, &recorder);
    transformation_options options;
    conformance::detail::read_options(each.described, options);
    options.follow_upstream_errors = follow;
    difference_set met;
    for (const step& changed : recorder.finish(rewritten)) {
        const explained_step found = explain(changed, each.inputs, each.runs, options);
        met |= found.why.entries;
        count_step(found, changed, each, follow, counts);
    }
    for (std::size_t i = 0; i < met.size(); ++i) {
        counts.entries[i].cases += met.test(i) ? 1 : 0;
        if (!follow && i >= static_cast<std::size_t>(support::first_upstream_error) && met.test(i)) {
            counts.unexplained.push_back(each.name + ": meets " + std::string(support::all_differences[i].name) +
                                         " although upstream's errors are not followed");
        }
    }
    ++counts.explained;
}

void prove(const prepared_case& each, bool follow, tally& counts) {
    graph rewritten = each.model;
    each.run(follow, rewritten, nullptr);
    std::vector<tensor> after;
    try {
        after = values_of(rewritten, each.inputs, each.runs);
    } catch (const error& wrong) {
        counts.unexplained.push_back(each.name + ": no value after the transformations: " + wrong.message().c_str());
        return;
    }
    if (first_difference(each.values, after).empty()) {
        ++counts.equal;
        counts.rewritten += rewritten.id_bound() != each.model.id_bound() ? 1 : 0;
    } else {
        explain_case(each, follow, counts);
    }
}

void print(const tally& counts, const char* title) {
    std::printf("%s: %zu equal (%zu of them rewritten), %zu explained", title, counts.equal, counts.rewritten,
                counts.explained);
    std::printf(", %zu not evaluated, %zu not explained\n", counts.not_evaluated, counts.unexplained.size());
    for (const support::difference_entry& entry : support::all_differences) {
        const auto& mine = counts.entries[static_cast<std::size_t>(entry.what)];
        if (mine.steps != 0) {
            std::printf("  %-26s %4zu cases, %4zu rewrites, at most %.3f of the bound\n", entry.name.data(), mine.cases,
                        mine.steps, mine.closest);
        }
    }
}

std::vector<std::filesystem::path> suites() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(LPT_TEST_UNPACKED_DIR "/conformance")) {
        if (entry.path().extension() == ".jsonl") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

TEST_CASE("networks of dyadic numbers compute the same before and after, or differ as docs/differences.md says") {
    const std::string only = setting("LPT_PROOF_CASE");
    const std::string stride = setting("LPT_PROOF_STRIDE");
    const std::size_t every = stride.empty() ? 1 : std::stoul(stride);
    tally followed;
    tally corrected;
    std::size_t number = 0;
    for (const std::filesystem::path& file : suites()) {
        if (!only.empty() && only.rfind(file.stem().string() + "/", 0) != 0) {
            continue;
        }
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            if (number++ % every != 0) {
                continue;
            }
            prepared_case each;
            each.described = json::parse(line);
            if (!only.empty() && each.described.at("case") != only) {
                continue;
            }
            const std::string reason = prepare_case(each);
            if (has_no_values(each.name) != !reason.empty()) {
                followed.unexplained.push_back(each.name + (reason.empty() ? " has values, but is listed as having none"
                                                                           : " is not evaluated: " + reason));
            }
            if (!reason.empty()) {
                ++followed.not_evaluated;
                ++corrected.not_evaluated;
                continue;
            }
            prove(each, true, followed);
            prove(each, false, corrected);
        }
    }
    print(followed, "upstream's answers");
    print(corrected, "correct answers");
    for (const tally* counts : {&followed, &corrected}) {
        for (const std::string& each : counts->unexplained) {
            FAIL_CHECK(each);
        }
    }
    CHECK(followed.equal + followed.explained > 0);
}
