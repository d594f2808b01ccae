// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

enum class square { power, product, squared_difference };
enum class root { division, inverse_power, inverse_root };

struct layer_norm {
    square squares = square::power;
    root last = root::division;
    std::int64_t second_axis = -1;
    bool keeps_axes = true;
    bool scaled = false;

    graph network() const {
        graph model;
        const output_ref data = model.parameter(f32, {3, 5, 40}, "x");
        const output_ref mean = model.add(op::reduce_mean{keeps_axes}, {data, indices(model, {-1})});
        const output_ref centered = model.add(op::subtract{}, {data, mean});
        const output_ref squared = squares == square::power ? model.add(op::power{}, {centered, scalar_of(model, 2)})
                                   : squares == square::product ? model.add(op::multiply{}, {centered, centered})
                                                                : model.add(op::squared_difference{}, {data, mean});
        const output_ref variance = model.add(op::reduce_mean{true}, {squared, indices(model, {second_axis})});
        const output_ref shifted = model.add(op::add{}, {variance, scalar_of(model, 1e-5)});
        output_ref whole;
        if (last == root::division) {
            whole = model.add(op::divide{}, {centered, model.add(op::sqrt{}, {shifted})});
        } else if (last == root::inverse_power) {
            whole = model.add(op::multiply{}, {model.add(op::power{}, {shifted, scalar_of(model, -0.5)}), centered});
        } else {
            const output_ref inverse = model.add(op::divide{}, {scalar_of(model, 1), model.add(op::sqrt{}, {shifted})});
            whole = model.add(op::multiply{}, {centered, inverse});
        }
        if (scaled) {
            whole =
                model.add(op::add{}, {model.add(op::multiply{}, {whole, scalar_of(model, 3)}), scalar_of(model, 1)});
        }
        model.result(whole, "normalized");
        return model;
    }
};

}  // namespace

TEST_CASE("Layer normalization becomes MVN, however squares and roots are written") {
    for (const square squares : {square::power, square::product, square::squared_difference}) {
        for (const root last : {root::division, root::inverse_power, root::inverse_root}) {
            const graph model = layer_norm{squares, last}.network();
            CHECK(optimized_operations_of(model) == kinds{op::kind::mvn});
            CHECK(change_of_results(model) < 1e-5);
        }
    }
}

TEST_CASE("A scale and a shift stay behind the MVN") {
    const graph model = layer_norm{.scaled = true}.network();
    CHECK(optimized_operations_of(model) == kinds{op::kind::mvn, op::kind::multiply, op::kind::add});
    CHECK(change_of_results(model) < 3e-5);
}

TEST_CASE("Means along different axes make no MVN") {
    const graph model = layer_norm{.second_axis = 1}.network();
    CHECK(optimized_operations_of(model) == operations_of(model));
}
