// SPDX-License-Identifier: Apache-2.0
#include "tests/support/differences.hpp"

#include <lpt/transformation/quirk.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace lpt::support;
using names = std::vector<std::string>;

namespace {

/// The sections of docs/differences.md, by the part that they are in.
std::map<std::string, names> sections() {
    std::map<std::string, names> result;
    std::string part;
    std::ifstream page(LPT_TEST_DATA_DIR "/../../docs/differences.md");
    for (std::string line; std::getline(page, line);) {
        if (line.rfind("## ", 0) == 0) {
            part = line.substr(3);
        } else if (line.rfind("### ", 0) == 0) {
            result[part].push_back(line.substr(4));
        }
    }
    return result;
}
/// The names of the differences in [first, last).
names differences(std::size_t first, std::size_t last) {
    names result;
    for (std::size_t i = first; i < last; ++i) {
        result.emplace_back(all_differences[i].name);
    }
    return result;
}
names quirks() {
    names result;
    for (std::size_t i = 0; i < static_cast<std::size_t>(lpt::quirk::count); ++i) {
        const lpt::text_view name = name_of(static_cast<lpt::quirk>(i));
        result.emplace_back(name.data(), name.size());
    }
    return result;
}
constexpr auto first_quirk = static_cast<std::size_t>(first_upstream_error);
constexpr auto last_quirk = static_cast<std::size_t>(difference::count);

}  // namespace

TEST_CASE("each difference has its own name") {
    for (const difference_entry& each : all_differences) {
        CHECK(name_of(each.what) == each.name);
    }
}

TEST_CASE("docs/differences.md has a section for each difference in the order of the list, and no other") {
    auto parts = sections();
    CHECK(parts["By design"] == differences(0, first_quirk));
    CHECK(parts["Quirks of OpenVINO"] == differences(first_quirk, last_quirk));
    CHECK(parts.size() == 2);
}

TEST_CASE("the quirks that the library knows are those of the list") {
    CHECK(quirks() == differences(first_quirk, last_quirk));
}
