// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// An image of bytes with so many channels, which a step has written.
output_ref bytes_of(graph& model, dimension channels) {
    return quantize(model, model.parameter(f32, shape{1, channels, 5, 6}), u8, 0.1, 0);
}
output_ref convolved_to_bytes(graph& model, output_ref data, dimension from, dimension to) {
    const output_ref value = convolved(model, data, numbers(i8, shape{to, from, 1, 1}, -100, 7, 100), 0);
    return quantize(model, multiplied(model, value, make_scalar(f32, 0.001)), u8, 0.05, 0);
}
output_ref real_of(graph& model, output_ref stored) {
    return multiplied(model, shifted(model, stored, make_scalar(u8, 20)), make_scalar(f32, 0.05));
}
/// A function of bytes, by their table: rows of channels that do not fill vectors have no gaps there.
output_ref looked_up(graph& model, output_ref stored) {
    return quantize(model, model.add(op::tanh{}, {real_of(model, stored)}), u8, 0.05, 0);
}
output_ref axis_of(graph& model, std::int64_t axis) {
    return output_ref(model.constant(make_integer_tensor(i64, shape{}, {axis})));
}
node_id halves_of(graph& model, output_ref data) {
    return model.add(op::split{2}, {data, model.constant(make_integer_tensor(i64, shape{}, {1}))});
}

const plan::step& step_of(const plan::network& net, output_ref value) {
    return *std::ranges::find_if(net.steps, [&](const plan::step& each) {
        return std::ranges::find(each.nodes, value.node) != each.nodes.end();
    });
}
/// What a step of some value writes first, or reads first.
const plan::stored_tensor& written(const plan::network& net, output_ref value) {
    return net[step_of(net, value).writes[0]];
}
const plan::stored_tensor& read(const plan::network& net, output_ref value) {
    return net[step_of(net, value).reads[0]];
}

}  // namespace

TEST_CASE("Steps write where a Concat would put their tensors, also through a Concat of Concats") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3}, "x");
    output_ref parts[3];
    for (output_ref& each : parts) {
        each = model.add(op::softmax{1}, {input});
    }
    const output_ref inner = model.add(op::concat{0}, {parts[0], parts[1]});
    model.result(model.add(op::concat{0}, {parts[2], inner}));
    const plan::network net = plan_of(model);
    const plan::stored_tensor& whole = net[net.outputs[0].tensor];
    const auto offset_of = [&](output_ref value) {
        for (const plan::step& each : net.steps) {
            if (each.nodes[0] == value.node && net[each.writes[0]].storage == whole.storage) {
                return net[each.writes[0]].offset;
            }
        }
        return SIZE_MAX;
    };
    CHECK(offset_of(parts[2]) == 0);
    CHECK(offset_of(parts[0]) == 24);
    CHECK(offset_of(parts[1]) == 48);
    CHECK(offset_of(inner) == 24);
}

TEST_CASE("What a Concat reads twice, an input of the network and columns that the reference gives are copied") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3}, "x");
    const output_ref value = model.add(op::softmax{1}, {input});
    SUBCASE("twice: the first is in place") {
        model.result(model.add(op::concat{0}, {value, value}));
        const plan::network net = plan_of(model);
        CHECK(net[net.outputs[0].tensor].bytes() == 48);
        CHECK((net[net.steps[0].writes[0]].storage == net[net.outputs[0].tensor].storage));
        CHECK(net[net.steps[0].writes[0]].offset == 0);
    }
    SUBCASE("an input") {
        model.result(model.add(op::concat{0}, {input, value}));
        const plan::network net = plan_of(model);
        CHECK((net[net.inputs[0].tensor].storage != net[net.outputs[0].tensor].storage));
        CHECK(net[net.steps[0].writes[0]].offset == 24);
    }
    SUBCASE("columns") {
        model.result(model.add(op::concat{1}, {model.add(op::cum_sum{}, {input, axis_of(model, 1)}), value}));
        const plan::network net = plan_of(model);
        CHECK((net[net.steps[0].writes[0]].storage != net[net.outputs[0].tensor].storage));
        CHECK((net[net.steps[1].writes[0]].storage == net[net.outputs[0].tensor].storage));
    }
}

TEST_CASE("A tensor that is read after its Concat was overwritten is no part of it") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3}, "x");
    const output_ref early = model.add(op::softmax{1}, {input});
    const output_ref other = model.add(op::softmax{0}, {input});
    const output_ref both = model.add(op::concat{0}, {early, other});
    model.result(model.add(op::exp{}, {both}));
    model.result(early);
    const plan::network net = plan_of(model);
    const plan::stored_tensor& whole = net[net.outputs[0].tensor];
    CHECK((net[net.outputs[1].tensor].storage != whole.storage));
    bool in_place = false;
    for (const plan::step& each : net.steps) {
        in_place = in_place || (each.nodes[0] == other.node && net[each.writes[0]].storage == whole.storage);
    }
    CHECK(in_place);
}

TEST_CASE("A step that writes one part does not read another") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3}, "x");
    const output_ref first = model.add(op::softmax{1}, {input});
    const output_ref second = model.add(op::softmax{0}, {first});
    model.result(model.add(op::concat{0}, {first, second}));
    const plan::network net = plan_of(model);
    REQUIRE(net.steps.size() == 3);
    CHECK((net[net.steps[0].writes[0]].storage != net[net.steps[1].writes[0]].storage));
}

TEST_CASE("A step that reads a tensor and a part of it does not overwrite it") {
    graph model;
    const output_ref input = model.parameter(f32, shape{2, 3}, "x");
    const output_ref value = model.add(op::softmax{1}, {input});
    const node_id parts = model.add(op::split{2}, {value, model.constant(make_integer_tensor(i64, shape{}, {0}))});
    model.result(model.add(op::add{}, {value, output_ref(parts, 0)}));
    const plan::network net = plan_of(model);
    REQUIRE(net.steps.size() == 2);
    CHECK((net[net.steps[0].writes[0]].storage != net[net.steps[1].writes[0]].storage));
}

TEST_CASE("Convolutions, pooling and tables write their channels of what a Concat gives") {
    graph model;
    const output_ref data = bytes_of(model, 8);
    const output_ref first = convolved_to_bytes(model, data, 8, 12);
    const output_ref second = model.add(op::max_pool{{1, 1}, {}, {1, 1}, {1, 1}, {3, 3}}, {data}, {}, 1);
    const output_ref wide = convolved_to_bytes(model, data, 8, 64);
    const output_ref real = real_of(model, wide);
    const output_ref third = quantize(model, model.add(op::sigmoid{}, {real}), u8, 0.004, 0);
    const output_ref whole = model.add(op::concat{1}, {first, second, third});
    model.result(convolved_to_bytes(model, whole, 84, 4));
    const plan::network net = plan_of(model);
    const plan::stored_tensor& all = written(net, whole);
    CHECK(!all.rows.exist());
    std::size_t offset = 0;
    for (const output_ref& part : {first, second, third}) {
        const plan::stored_tensor& mine = written(net, part);
        CHECK((mine.storage == all.storage));
        CHECK(mine.offset == offset);
        CHECK(mine.rows.count == 30);
        CHECK(mine.rows.length == mine.dimensions[1]);
        CHECK(mine.rows.distance == 84);
        offset += static_cast<std::size_t>(mine.dimensions[1]);
    }
}

TEST_CASE("Pixels that a nearest Interpolate repeats are written where a Concat would put them") {
    graph model;
    const output_ref data = bytes_of(model, 8);
    const output_ref first = convolved_to_bytes(model, data, 8, 12);
    const output_ref small = model.add(op::max_pool{{5, 3}, {}, {0, 0}, {0, 0}, {5, 3}}, {data}, {}, 1);
    const output_ref repeated = model.add(
        op::interpolate{}, {small, model.constant(make_indices({5, 6})), model.constant(make_indices({2, 3}))}, {}, 11);
    const output_ref whole = model.add(op::concat{1}, {first, repeated});
    model.result(convolved_to_bytes(model, whole, 20, 4));
    const plan::network net = plan_of(model);
    const plan::stored_tensor& mine = written(net, repeated);
    CHECK((mine.storage == written(net, whole).storage));
    CHECK(mine.offset == 12);
    CHECK(mine.rows.length == 8);
    CHECK(mine.rows.distance == 20);
}

TEST_CASE("A Concat of a Concat is written where the outer one puts it, pixel by pixel") {
    graph model;
    const output_ref data = bytes_of(model, 8);
    const output_ref parts[3] = {convolved_to_bytes(model, data, 8, 3), convolved_to_bytes(model, data, 8, 5),
                                 convolved_to_bytes(model, data, 8, 7)};
    const output_ref inner = model.add(op::concat{1}, {parts[0], parts[1]});
    const output_ref reader = convolved_to_bytes(model, inner, 8, 4);
    const output_ref outer = model.add(op::concat{1}, {parts[2], inner});
    model.result(reader);
    model.result(convolved_to_bytes(model, outer, 15, 4));
    const plan::network net = plan_of(model);
    CHECK((read(net, reader).storage == written(net, outer).storage));
    CHECK(read(net, reader).rows.distance == 15);
    CHECK(written(net, parts[0]).offset == 7);
    CHECK(written(net, parts[1]).offset == 10);
    CHECK(written(net, parts[1]).rows.distance == 15);
}

TEST_CASE("Channels that a Split gives are read where they are, and copied for steps that need them side by side") {
    for (const bool is_read_by_others : {false, true}) {
        CAPTURE(is_read_by_others);
        graph model;
        const output_ref data = convolved_to_bytes(model, bytes_of(model, 8), 8, 10);
        const node_id halves = halves_of(model, data);
        const output_ref reader = convolved_to_bytes(model, output_ref(halves, 1), 5, 4);
        const output_ref joined = model.add(op::concat{1}, {reader, output_ref(halves, 1)});
        model.result(convolved_to_bytes(model, joined, 9, 4));
        model.result(convolved_to_bytes(model, output_ref(halves, 0), 5, 4));
        if (is_read_by_others) {
            model.result(looked_up(model, output_ref(halves, 1)));
        }
        const plan::network net = plan_of(model);
        const plan::stored_tensor& whole = written(net, data);
        const plan::stored_tensor& half = read(net, reader);
        CHECK((half.storage == whole.storage) != is_read_by_others);
        CHECK(half.rows.distance == (is_read_by_others ? 0 : 10));
        CHECK(half.offset == (is_read_by_others ? 0u : 5u));
        CHECK((written(net, reader).storage == written(net, joined).storage));
    }
}

TEST_CASE("Channels that a Split gives are copied from what is overwritten before they are read") {
    graph model;
    const output_ref data = convolved(model, bytes_of(model, 8), numbers(i8, shape{512, 8, 1, 1}, -100, 7, 100), 0);
    const node_id halves = halves_of(model, data);
    const output_ref sum = model.add(op::exp{}, {data});
    model.result(model.add(op::reduce_sum{}, {sum, model.constant(make_indices({2, 3}))}));
    const output_ref half = convolved(model, output_ref(halves, 1), numbers(f32, shape{4, 256, 1, 1}, -1, 0.3, 1), 0);
    model.result(half);
    const plan::network net = plan_of(model);
    CHECK((read(net, sum).storage == written(net, sum).storage));
    CHECK((read(net, half).storage != written(net, data).storage));
    CHECK(!read(net, half).rows.exist());
}

TEST_CASE("What a step needs in one piece is no part of a Concat's pixels, what is reordered for the caller is") {
    graph model;
    const output_ref data = bytes_of(model, 8);
    const output_ref given = convolved_to_bytes(model, data, 8, 3);
    const output_ref summed = convolved_to_bytes(model, data, 8, 5);
    const output_ref last = convolved_to_bytes(model, data, 8, 7);
    const output_ref whole = model.add(op::concat{1}, {given, summed, last});
    model.result(convolved_to_bytes(model, whole, 15, 4));
    model.result(given);
    model.result(convolved_to_bytes(model, looked_up(model, summed), 5, 4));
    const plan::network net = plan_of(model);
    CHECK((written(net, given).storage == written(net, whole).storage));
    CHECK((written(net, summed).storage != written(net, whole).storage));
    CHECK((written(net, last).storage == written(net, whole).storage));
    CHECK(written(net, last).offset == 8);
}

TEST_CASE("Many parts of pixels, and one that is joined many times, are planned in proportion to their number") {
    graph model;
    const output_ref data = bytes_of(model, 8);
    const output_ref one = convolved_to_bytes(model, data, 8, 3);
    seq<output_ref> parts;
    for (int i = 0; i < 20000; ++i) {
        parts.push_back(i % 2 == 0 ? one : model.add(op::max_pool{{1, 1}, {}, {0, 0}, {0, 0}, {1, 1}}, {data}, {}, 1));
    }
    model.result(model.add(op::max_pool{{1, 1}, {}, {0, 0}, {0, 0}, {1, 1}},
                           {model.add(op::concat{1}, view<output_ref>(parts))}, {}, 1));
    const plan::network net = plan_of(model);  // by the square of the inputs this would take minutes
    CHECK((written(net, one).storage == written(net, parts[1]).storage));
}
