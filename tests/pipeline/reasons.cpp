// SPDX-License-Identifier: Apache-2.0
#include <lpt/pipeline/reasons.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

using namespace lpt;

namespace {

std::string string_of(text_view words) { return {words.data(), words.size()}; }

/// The cells of a line of a table, without the spaces around them.
std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> result;
    for (std::size_t at = 1; at < line.size();) {
        const std::size_t end = line.find('|', at);
        if (end == std::string::npos) {
            break;
        }
        const std::size_t first = line.find_first_not_of(' ', at);
        const std::size_t last = line.find_last_not_of(' ', end - 1);
        result.push_back(first >= end ? std::string() : line.substr(first, last + 1 - first));
        at = end + 1;
    }
    return result;
}

/// The rows of docs/reasons.md whose first cell is a name in backquotes.
std::vector<std::vector<std::string>> documented_reasons() {
    std::ifstream file(std::string(LPT_TEST_DATA_DIR) + "/../../docs/reasons.md");
    std::vector<std::vector<std::string>> result;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("| `", 0) == 0) {
            result.push_back(cells_of(line));
        }
    }
    return result;
}

}  // namespace

TEST_CASE("Each reason has a row of its own in the table, in the order of the enumeration") {
    for (std::size_t i = 0; i < static_cast<std::size_t>(reason::count); ++i) {
        CAPTURE(i);
        CHECK(static_cast<std::size_t>(reason_texts[i].which) == i);
        CHECK(!reason_texts[i].name.empty());
        CHECK((i == 0 || !reason_texts[i].meaning.empty()));
    }
}

TEST_CASE("docs/reasons.md says of each reason what the library says") {
    const std::vector<std::vector<std::string>> rows = documented_reasons();
    REQUIRE(rows.size() + 1 == static_cast<std::size_t>(reason::count));
    for (std::size_t i = 1; i < static_cast<std::size_t>(reason::count); ++i) {
        const std::vector<std::string>& row = rows[i - 1];
        REQUIRE(row.size() == 4);
        CHECK(row[0] == "`" + string_of(reason_texts[i].name) + "`");
        CHECK(row[1] == string_of(reason_texts[i].meaning));
        CHECK(!row[2].empty());
        CHECK(row[3] == (reason_texts[i].remedy.empty() ? "nothing has to" : string_of(reason_texts[i].remedy)));
    }
}
