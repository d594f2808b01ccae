// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/fake_convert_decomposition.hpp>

#include "../fake_quantize/network.hpp"

#include <doctest/doctest.h>

using namespace lpt;

namespace {

constexpr testing::small_network decomposed(element data_type, double scale, bool has_shift, double shift) {
    testing::small_network net;
    const node_id data = net.model.parameter(data_type, shape{1, 3, 2, 2}, "in");
    seq<output_ref, 3> inputs{data, net.constant({scale})};
    if (has_shift) {
        inputs.push_back(net.constant({shift}));
    }
    net.model.result(net.model.add(op::fake_convert{f8e5m2}, inputs, "fc"));
    net.run<fake_convert_decomposition_transformation>(net.output());
    return net;
}

constexpr bool inverts_scale() {
    const testing::small_network net = decomposed(f32, 0.5, false, 0);
    const node_id back = net.above(net.output());
    const node_id low = net.above(back);
    const node_id clamp = net.above(low);
    return net.changed && net.value(net.output(), 1).real(0) == 2 && net.model[low].type() == f8e5m2 &&
           net.model[clamp].as<op::clamp>().max == 57344 && net.model[net.output()].name() == "fc";
}
static_assert(inverts_scale());

}  // namespace

TEST_CASE("FakeConvert becomes scaling, clamping, conversion there and back, and the inverse scaling") {
    CHECK(inverts_scale());
}

TEST_CASE("a shift is taken back with its sign changed") {
    const testing::small_network net = decomposed(f32, 0.5, true, 1.5);
    const node_id subtract = net.above(net.output());
    CHECK(net.model[subtract].is<op::subtract>());
    CHECK(net.value(subtract, 1).real(0) == -1.5);
}

TEST_CASE("a shift of zero leaves no Subtract") {
    const testing::small_network net = decomposed(f32, 0.5, true, 0);
    CHECK(net.model[net.above(net.output())].is<op::convert>());
}

TEST_CASE("data of another type than the scale is converted, and the result back") {
    const testing::small_network net = decomposed(f16, 0.5, false, 0);
    CHECK(net.model[net.output()].is<op::convert>());
    CHECK(net.model[net.output()].type() == f16);
    CHECK(net.model[net.above(net.output())].type() == f32);
}

TEST_CASE("scale and shift that are not constant are inverted at run time") {
    testing::small_network net;
    const node_id data = net.model.parameter(f32, shape{1, 3, 2, 2}, "in");
    const node_id scale = net.model.parameter(f32, shape{}, "scale");
    const node_id shift = net.model.parameter(f32, shape{}, "shift");
    net.model.result(net.model.add(op::fake_convert{f8e4m3}, {data, scale, shift}, "fc"));
    CHECK(net.run<fake_convert_decomposition_transformation>(net.output()));
    CHECK(net.model[net.above(net.output(), 1)].is<op::power>());
    CHECK(net.model[net.above(net.above(net.output()), 1)].is<op::negative>());
}
