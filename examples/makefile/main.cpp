// SPDX-License-Identifier: Apache-2.0
// A program that has lpt from copied headers: it transforms the network of a file, and runs what came out on zeros.
#include <lpt/import.hpp>
#include <lpt/lpt.hpp>
#include <lpt/runtime.hpp>

#include <cstdio>
#include <vector>

int main(int count, char** words) try {
    if (count != 2) {
        std::fprintf(stderr, "program MODEL: expected one file\n");
        return 1;
    }
    lpt::graph model = lpt::import(words[1]);
    lpt::prepare(model);
    const lpt::report report = lpt::transform(model, lpt::cpu_x86);
    lpt::executable network = lpt::compile(model);
    std::vector<lpt::tensor> inputs;
    for (const lpt::plan::port& each : network.inputs()) {
        inputs.push_back(lpt::make_tensor(each.type, each.dimensions, {0.0}));
    }
    const std::vector<lpt::tensor> outputs = network.run(inputs);
    std::printf("%zu operations on integers, %zu outputs\n", report.int8_operations(), outputs.size());
    return 0;
} catch (const lpt::error& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 1;
}
