// SPDX-License-Identifier: Apache-2.0
#include <lpt/import.hpp>   // file formats: pugixml, protozero, flatbuffers
#include <lpt/lpt.hpp>      // graph, transformations, pipelines, report
#include <lpt/runtime.hpp>  // kernels and executor: xsimd

#include <iostream>

int main(int count, char** words) try {
    lpt::graph model = lpt::import(count > 1 ? words[1] : "model.onnx");  // or .tflite, or .xml with its .bin
    lpt::prepare(model);                                                  // forms that the transformations match
    std::cout << lpt::transform(model, lpt::cpu_x86);                     // of each operation: its type, and why
    lpt::executable network = lpt::compile(model);                        // packed weights, fused steps
    std::vector<lpt::tensor> inputs;                                      // zeros, in the place of your numbers
    for (const auto& each : network.inputs())
        inputs.push_back(lpt::make_tensor(each.type, each.dimensions, {0.0}));
    for (const lpt::tensor& output : network.run(inputs)) {
        std::cout << "output:";
        for (std::size_t i = 0; i < output.elements() && i < 10; ++i)
            std::cout << ' ' << output.real(i);
        std::cout << '\n';
    }
} catch (const lpt::error& wrong) {  // a line that says what, where, and what was expected
    std::cerr << wrong.what() << '\n';
    return 1;
}
