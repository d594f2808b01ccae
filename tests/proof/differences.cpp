// SPDX-License-Identifier: Apache-2.0
#include "tests/support/differences.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>

using namespace lpt::support;

TEST_CASE("docs/differences.md has a section for each difference, and no other") {
    std::multiset<std::string> sections;
    std::ifstream page(LPT_TEST_DATA_DIR "/../../docs/differences.md");
    for (std::string line; std::getline(page, line);) {
        if (line.rfind("### ", 0) == 0) {
            sections.insert(line.substr(4));
        }
    }
    std::multiset<std::string> names;
    for (const difference_entry& each : all_differences) {
        names.insert(std::string(each.name));
        CHECK(name_of(each.what) == each.name);
    }
    CHECK(sections == names);
}
