// SPDX-License-Identifier: Apache-2.0
// Transforms networks of several widths: the profile of this program says what lpt::compiled should make fast.
#include "lpt_compiled_networks.hpp"

#include <lpt/lpt.hpp>

int main() {
    std::uint64_t seed = 100;
    for (const std::int64_t channels : {8, 24, 64, 96, 160, 320}) {
        lpt::graph model = lpt_networks::network_generator(++seed, channels).make(300);
        lpt::prepare(model);
        if (lpt::transform(model, lpt::cpu_x86).int8_operations() == 0) return 1;
    }
}
