// SPDX-License-Identifier: Apache-2.0
#include <lpt/import.hpp>   // file formats: pugixml, protozero, flatbuffers
#include <lpt/lpt.hpp>      // graph, transformations, pipelines, report
#include <lpt/runtime.hpp>  // kernels and executor: xsimd

#include <iostream>
#include <vector>

namespace op = lpt::op;

// What a target can do is a type. A wrong port, or a type that the operation cannot take, does not compile.
constexpr auto my_target = lpt::restrictions<lpt::precisions<op::convolution, lpt::on<0, lpt::u8>, lpt::on<1, lpt::i8>>,
                                             lpt::per_tensor<op::convolution, 0>>{};

// So is a pipeline: one whose parts do not fit together does not compile, either.
using my_pipeline = lpt::default_pipeline::without<lpt::multiply_to_group_convolution_transformation>;

int main(int count, char** words) try {
    const char* file = count > 1 ? words[1] : "model.onnx";      // .onnx, .tflite, or .xml with its .bin
    lpt::graph model = lpt::import(file);
    lpt::prepare(model);                                         // forms that the transformations match
    std::cout << lpt::transform<my_pipeline>(model, my_target);  // a line an operation: u8, i8 or f32, and why
    lpt::executable network = lpt::compile(model);               // packed weights, fused steps, planned memory
    std::vector<lpt::tensor> zeros;
    for (const auto& input : network.inputs()) {
        zeros.push_back(lpt::tensor_builder(input.type, input.dimensions).finish());
    }
    std::cout << network.run(zeros).size() << " output\n";
} catch (const lpt::error& wrong) {  // a line that says what, where, and what was expected
    std::cerr << wrong.what() << '\n';
    return 1;
}
