// SPDX-License-Identifier: Apache-2.0
#include <lpt/import.hpp>   // file formats: pugixml, protozero, flatbuffers
#include <lpt/lpt.hpp>      // graph, transformations, pipelines, report
#include <lpt/runtime.hpp>  // kernels and executor: xsimd

#include <iostream>

// What a target can do is a type. A wrong port, or a type that the operation cannot take, does not compile.
using convolution = lpt::precisions<lpt::op::convolution, lpt::on<0, lpt::u8>, lpt::on<1, lpt::i8>>;
constexpr auto my_target = lpt::restrictions<convolution, lpt::per_tensor<lpt::op::convolution, 0>>{};
// So is a pipeline: one whose parts do not fit together does not compile, either.
using my_pipeline = lpt::default_pipeline::without<lpt::multiply_to_group_convolution_transformation>;

int main(int count, char** words) try {
    lpt::graph model = lpt::import(count > 1 ? words[1] : "model.onnx");  // or .tflite, or .xml with its .bin
    lpt::prepare(model);                                                  // forms that the transformations match
    std::cout << lpt::transform<my_pipeline>(model, my_target);           // u8, i8 or f32 a row, and why
    lpt::executable network = lpt::compile(model);                        // packed weights, fused steps
    std::vector<lpt::tensor> zeros;
    for (const auto& each : network.inputs())
        zeros.push_back(lpt::tensor_builder(each.type, each.dimensions).finish());
    std::cout << network.run(zeros).size() << " output\n";
} catch (const lpt::error& wrong) {  // a line that says what, where, and what was expected
    std::cerr << wrong.what() << '\n';
    return 1;
}
