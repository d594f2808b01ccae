// SPDX-License-Identifier: Apache-2.0
// lpt_embed_networks FOLDER ISA: writes the plans of the networks of embedded_networks.hpp, as FOLDER/<network>_<isa>.hpp.
#include "embedded_networks.hpp"

#include "examples/embed/executor.hpp"

#include <fstream>

namespace {

void write(const std::string& folder, const std::string& network, const char* isa, const lpt::graph& model) {
    const std::string name = network + "_" + isa;
    std::ofstream file(folder + "/" + name + ".hpp", std::ios::binary);
    file << lpt::embed::executor_header_of(model, name, network, lpt::kernel::isa_named(isa));
    if (!file.flush()) {
        lpt::fail({folder.c_str(), "/", name.c_str(), ".hpp: cannot be written"});
    }
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) {
        std::fprintf(stderr, "lpt_embed_networks FOLDER ISA\n");
        return 1;
    }
    try {
        write(words[1], "embedded_image", words[2], lpt::testing::embedded_image());
        write(words[1], "embedded_groups", words[2], lpt::testing::embedded_groups());
        write(words[1], "embedded_parts", words[2], lpt::testing::embedded_parts());
        write(words[1], "embedded_rows", words[2], lpt::testing::embedded_rows());
        write(words[1], "embedded_matrix", words[2], lpt::testing::embedded_matrix());
        write(words[1], "embedded_movement", words[2], lpt::testing::embedded_movement());
    } catch (const std::exception& wrong) {
        std::fprintf(stderr, "lpt_embed_networks: %s\n", wrong.what());
        return 1;
    }
    return 0;
}
