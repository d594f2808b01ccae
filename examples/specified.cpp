// SPDX-License-Identifier: Apache-2.0
// specified_example MODEL.tflite [INPUT]: runs a quantized network in the integer arithmetic that its file specifies, on the bytes of a file or
// on zeros, and prints the codes of its first output.
#include <lpt/import/tflite/read_model.hpp>
#include <lpt/kernel/dispatch.hpp>
#include <lpt/specified/network.hpp>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main(int count, char** words) try {
    const std::string file = count > 1 ? words[1] : "model.tflite";
    const lpt::tflite::model model = lpt::tflite::read_model(file);
    lpt::specified::network network(model, &lpt::kernel::table_for(lpt::kernel::best_isa()));

    std::vector<std::byte> input(network.input(0).memory.size());
    if (count > 2) {
        std::ifstream bytes(words[2], std::ios::binary);
        const std::vector<char> read{std::istreambuf_iterator<char>(bytes), {}};
        input.resize(read.size());
        std::transform(read.begin(), read.end(), input.begin(), [](char each) { return static_cast<std::byte>(each); });
    }
    network.set_input(0, {input.data(), input.size()});
    network.run();

    const lpt::specified::value& output = network.output(0);
    for (std::int64_t i = 0; i < output.elements(); ++i)
        std::cout << output.integer(i) << (i + 1 < output.elements() ? ' ' : '\n');
} catch (const lpt::error& wrong) {
    std::cerr << wrong.what() << '\n';
    return 1;
}
