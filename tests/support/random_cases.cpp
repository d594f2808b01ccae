// SPDX-License-Identifier: Apache-2.0
// lpt_random_cases PATTERN.jsonl FIRST COUNT
//   Prints random networks as conformance cases without answers, one a line, for another implementation to answer: COUNT seeds from FIRST on.
//   Pipeline, parameters and restrictions are those of the first case in PATTERN. Networks with others inside are left out.
#include "examples/conformance/graph_json.hpp"
#include "tests/support/random_network.hpp"

#include <lpt/op/all.hpp>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

using namespace lpt;

bool has_bodies(const graph& model) {
    for (const node_id id : topological_order(model)) {
        if (model[id].bodies().size() != 0) {
            return true;
        }
    }
    return false;
}

void print_cases(const char* path, std::uint64_t first, std::uint64_t count) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) {
        throw std::runtime_error(std::string(path) + ": expected a file of cases");
    }
    conformance::json each = conformance::json::parse(line);
    each.erase("after");
    each.erase("oracle");
    each["suite"] = "random";
    each["compare"] = {"constant_values", "precisions"};
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const graph model = support::make_random_network(seed, support::steps_of(seed)).model;
        if (!has_bodies(model)) {
            const seq<node_id> order = conformance::order_of_case(model);
            each["case"] = "random/" + std::to_string(seed);
            each["before"] = conformance::write_graph(model, order);
            std::cout << each.dump() << '\n';
        }
    }
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) {
        std::cerr << "usage: lpt_random_cases PATTERN.jsonl FIRST COUNT\n";
        return 2;
    }
    try {
        print_cases(words[1], std::strtoull(words[2], nullptr, 10), std::strtoull(words[3], nullptr, 10));
    } catch (const std::exception& raised) {
        std::cerr << "lpt_random_cases: " << raised.what() << '\n';
        return 1;
    }
}
