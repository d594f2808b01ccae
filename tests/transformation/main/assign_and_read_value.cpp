// SPDX-License-Identifier: Apache-2.0
#include "../prerequisites/rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/transformation/main/assign_and_read_value.hpp>

#include <doctest/doctest.h>

#include "tests/support/spoil.hpp"

#include <utility>

using namespace lpt;
using testing::rewritten;

namespace {

/// in: u8 -> Convert -> [Subtract] -> Multiply -> Assign; ReadValue + Multiply -> Result.
struct stateful : rewritten {
    node_id read = node_id::none;
    node_id assign = node_id::none;
    node_id sum = node_id::none;

    constexpr explicit stateful(view<double> scale = {0.1}, shape scale_shape = {}, double zero_point = 0,
                                double first = 0, bool waits = true) {
        const shape dimensions{1, 3, 4};
        const node_id data = input(dimensions, u8);
        const node_id initial = model.constant(make_tensor(f32, dimensions, {first}));
        read = model.add(op::read_value{"memory", f32, dimensions}, {initial}, "read");
        const node_id shift = zero_point != 0 ? constant({zero_point}) : node_id::none;
        const node_id multiply = dequantize(data, shift, constant(scale, std::move(scale_shape)));
        model.relax(multiply);
        assign = model.add(op::assign{"memory", f32, dimensions}, {multiply}, "assign");
        if (waits) {
            model.add_control_dependency(assign, read);
        }
        sum = model.add(op::add{}, {read, multiply});
        model.result(sum);
    }
    constexpr bool change() { return run<assign_and_read_value_transformation>(assign); }
    constexpr node_id sink() const { return model.sinks()[0]; }

    /// The greatest difference between before and now over three runs that hand the state on.
    support::tensor_difference difference_over_time() const {
        std::vector<std::vector<tensor>> runs;
        for (int step = 0; step < 3; ++step) {
            tensor_builder values(u8, shape{1, 3, 4});
            for (std::size_t i = 0; i < values.elements(); ++i) {
                values.real(i, static_cast<double>((i * 37 + static_cast<std::size_t>(step) * 11) % 256));
            }
            runs.push_back({values.finish()});
        }
        return support::difference_of<float>(before, model, runs);
    }
};

constexpr bool keeps_low_precision() {
    stateful net;
    const bool changed = net.change();
    const node_id assign = net.sink();
    const node_id read = net.model[assign].control_dependencies()[0];
    return changed && net.model.sinks().size() == 1 && net.model[assign].as<op::assign>().variable_type == u8 &&
           net.model[assign].name() == "assign" && net.model[net.model.producer(assign, 0)].is<op::parameter>() &&
           net.model[read].as<op::read_value>().variable_type == u8 && net.model[read].type() == u8 &&
           net.value(read, 0).type() == u8;
}
static_assert(keeps_low_precision());

}  // namespace

TEST_CASE("a variable keeps quantized values and gives the same ones, with a scale for all or for each channel") {
    stateful single;
    stateful channels({0.1, 0.2, 0.3}, {1, 3, 1});
    for (stateful* net : {&single, &channels}) {
        CHECK(net->change());
        verify(net->model);
        CHECK(net->model[net->above(net->output())].is<op::multiply>());
        CHECK(net->difference_over_time() < 1e-6);
    }
}

TEST_CASE("a variable without an initial value begins with zeros") {
    stateful net;
    const node_id read = net.model.add(net.model[net.read].attributes(), view<output_ref>(), "bare");
    net.model.replace(net.read, read);
    net.model.collect();
    CHECK(net.change());
    verify(net.model);
    CHECK(net.difference_over_time() < 1e-6);
}

TEST_CASE("an older variable takes the type of its initial value") {
    stateful net;
    const node_id read =
        net.model.add(op::read_value{.variable_id = "memory"}, {net.model[net.read].input(0)}, "old", 3);
    const node_id assign =
        net.model.add(op::assign{.variable_id = "memory"}, {net.model[net.assign].input(0)}, "old_assign", 3);
    net.model.replace_uses(net.read, read);
    net.model.add_control_dependency(assign, read);
    net.model.remove(net.assign);
    net.model.collect();
    net.assign = assign;
    CHECK(net.change());
    verify(net.model);
    CHECK(net.model[net.sink()].version() == 3);
    CHECK(net.model[net.model[net.sink()].control_dependencies()[0]].type() == u8);
}

TEST_CASE("a FakeQuantize that alone reads the variable takes up the scale") {
    stateful net;
    const node_id quantize = net.model.add(
        op::fake_quantize{256},
        {net.read, net.constant({0}), net.constant({2.55}), net.constant({0}), net.constant({2.55})}, "fq");
    net.model.relax(quantize);
    net.model.set_input(net.sum, 0, quantize);
    CHECK(net.change());
    verify(net.model);
    CHECK(net.value(quantize, 2).real(0) == doctest::Approx(25.5));
    CHECK(net.model[net.above(quantize)].is<op::convert>());
    CHECK(net.difference_over_time() < 1e-5);
}

TEST_CASE("where ReadValue feeds an output of the network, the output keeps its name") {
    stateful net;
    net.model.result(net.read);
    CHECK(net.change());
    CHECK(net.model[net.output(1)].is<op::multiply>());
    CHECK(net.model[net.output(1)].name() == "read");
}

TEST_CASE("a variable stays in floating point") {
    SUBCASE("it does not begin with zeros") {
        stateful net({0.1}, {}, 0, 1);
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::state_not_zero_at_first);
    }
    SUBCASE("Assign waits for no ReadValue") {
        stateful net({0.1}, {}, 0, 0, false);
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::state_not_zero_at_first);
    }
    SUBCASE("zero means another integer") {
        stateful net({0.1}, {}, 3);
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::has_zero_point);
    }
    SUBCASE("the scale varies over an axis other than the channels") {
        stateful net({0.1, 0.2, 0.3, 0.4}, {1, 1, 4});
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("something else reads it") {
        stateful net;
        net.model.result(net.model.add(net.model[net.read].attributes(), {net.model[net.read].input(0)}, "second"));
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::shared_state);
    }
    SUBCASE("the Multiply is not by a constant") {
        stateful net;
        const node_id square =
            net.model.add(op::multiply{}, {net.model[net.assign].input(0), net.model[net.assign].input(0)});
        net.model.set_input(net.assign, 0, square);
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::no_dequantization);
    }
}

TEST_CASE("the comparison notices NaN, other shapes, other types, and another number of results") {
    stateful net;
    const auto compare = [&](const graph& before, const graph& after) {
        net.before = before;
        net.model = after;
        return net.difference_over_time();
    };
    CHECK(support::notices_all_damages(graph(net.model), compare));
}
