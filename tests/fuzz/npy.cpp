// SPDX-License-Identifier: Apache-2.0
#include "examples/npy.hpp"

#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/way.hpp"

namespace lpt::fuzz {

namespace {

/// A network of one input [?,3], whose type is the array's.
graph relu_of(element type) {
    graph model;
    const node_id x = model.parameter(type, shape{dynamic_dimension, 3}, "x");
    model.result(model.add(op::relu{}, {x}, "positive"), "out");
    return model;
}

/// What was read is written and read again: the same array.
void check_round_trip(const tensor& array) {
    const memory_file copy("");
    ::npy::write(copy.path(), array);
    if (!(::npy::read(copy.path()) == array)) {
        throw finding("an array that was written is another one when it is read");
    }
}

}  // namespace

void npy(std::string_view content) {
    const memory_file file(content);
    allow_errors([&] {
        const tensor array = ::npy::read(file.path());
        check_round_trip(array);
        run_network(relu_of(array.type()), {}, {file.path()});
    });
}

}  // namespace lpt::fuzz
