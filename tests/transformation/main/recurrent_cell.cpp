// SPDX-License-Identifier: Apache-2.0
#include "../prerequisites/rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/transformation/main/recurrent_cell.hpp>

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using testing::rewritten;

namespace {

/// x [1,2,4] and h [1,1,3] in u8 behind dequantizations, weights behind FakeQuantize -> LSTMSequence or GRUSequence -> Result.
struct recurrent : rewritten {
    node_id cell = node_id::none;
    std::size_t weights_port = 0;
    node_id lengths = node_id::none;

    constexpr explicit recurrent(bool lstm = true, double zero_point = 0, element type = u8,
                                 double weights_low = -1.27) {
        const std::int64_t gates = lstm ? 12 : 9;
        weights_port = lstm ? 4 : 3;
        seq<output_ref> inputs{quantized({1, 2, 4}, zero_point, type), quantized({1, 1, 3}, zero_point, type)};
        if (lstm) {
            inputs.push_back(constant({0.5}, {1, 1, 3}));
        }
        inputs.push_back(indices({2}));
        inputs.push_back(weights({1, gates, 4}, weights_low));
        inputs.push_back(weights({1, gates, 3}, weights_low));
        inputs.push_back(constant({0.25}, {1, gates}));
        op::lstm_sequence long_memory;
        long_memory.hidden_size = 3;
        op::gru_sequence gated;
        gated.hidden_size = 3;
        cell = lstm ? model.add(std::move(long_memory), inputs, "cell") : model.add(std::move(gated), inputs, "cell");
        model.result(cell);
    }
    constexpr node_id quantized(shape dimensions, double zero_point, element type) {
        return dequantize(input(std::move(dimensions), type), zero_point != 0 ? constant({zero_point}) : node_id::none,
                          constant({0.01}));
    }
    constexpr node_id fake_quantize(output_ref data, double low, double high, std::int64_t levels = 256) {
        const node_id made = model.add(op::fake_quantize{levels},
                                       {data, constant({low}), constant({high}), constant({low}), constant({high})});
        model.relax(made);
        return made;
    }
    constexpr node_id weights(shape dimensions, double low) {
        tensor_builder values(f32, std::move(dimensions));
        for (std::size_t i = 0; i < values.elements(); ++i) {
            values.real(i, static_cast<double>((i * 7) % 25) * 0.1 - 1.2);
        }
        return fake_quantize(model.constant(values.finish()), low, 1.27, 255);
    }
    /// Puts Reshape behind a FakeQuantize of real data above input 0, marked as the markup does.
    constexpr node_id reshape_above(view<double> high = {2.55}, element allowed = u8, shape high_shape = {}) {
        const node_id data = input({2, 4});
        const node_id quantize =
            model.add(op::fake_quantize{256},
                      {data, constant({0}), constant({2.55}), constant({0}), constant(high, std::move(high_shape))});
        model.relax(quantize);
        const node_id reshape = model.add(op::reshape{false}, {quantize, indices({1, 2, 4})});
        attributes.of<attribute::precision_preserved>().set_node(reshape, {true});
        attributes.of<attribute::precisions>().set_output(quantize, 0, {{allowed}});
        model.set_input(cell, 0, reshape);
        return reshape;
    }
    constexpr bool change() { return run<recurrent_cell_transformation>(cell); }
    constexpr dequantization at(std::size_t port) const {
        return find_dequantization(model, cell, options.default_precisions, port);
    }
    constexpr bool is_kept(std::size_t port) const {
        const dequantization found = at(port);
        const node_id first = found.has_subtract() ? found.subtract : found.convert;
        return found.has_multiply() && model[found.multiply].has(mark::disable_cleanup) &&
               model[found.convert].has(mark::disable_cleanup) && model[first].has(mark::disable_cleanup) &&
               model[first].has(mark::disabled_constant_folding);
    }
};

constexpr bool weights_become_integers() {
    recurrent net;
    const bool changed = net.change();
    return changed && net.is_kept(0) && net.is_kept(1) && net.is_kept(4) && net.is_kept(5) &&
           net.model.type(net.at(4).data) == i8 && is_constant(net.model, net.at(5).data);
}
static_assert(weights_become_integers());

}  // namespace

TEST_CASE("data, state and weights of a sequence keep their dequantizations, and it gives the same values") {
    for (const bool lstm : {true, false}) {
        for (const double zero_point : {0.0, 7.0}) {
            recurrent net(lstm, zero_point);
            CHECK(net.change());
            verify(net.model);
            for (const std::size_t port : {std::size_t{0}, std::size_t{1}, net.weights_port, net.weights_port + 1}) {
                CHECK(net.is_kept(port));
            }
            CHECK(net.model.type(net.at(net.weights_port).data) == i8);
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("a FakeQuantize above a Reshape is decomposed and its dequantization moves behind the Reshape") {
    recurrent net;
    const node_id reshape = net.reshape_above();
    CHECK(net.change());
    verify(net.model);
    CHECK(net.is_kept(0));
    CHECK(net.at(0).data.node == reshape);
    CHECK(net.model.type(net.at(0).data) == u8);
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("a dequantization stays above an operation that its zero point cannot pass") {
    recurrent net;
    const node_id quantize = net.fake_quantize(net.input({1, 2, 4}), -1.28, 1.27);
    const node_id relu = net.model.add(op::relu{}, {quantize});
    net.attributes.of<attribute::precision_preserved>().set_node(relu, {true});
    net.attributes.of<attribute::precisions>().set_output(quantize, 0, {{u8}});
    net.model.set_input(net.cell, 0, relu);
    net.change();
    verify(net.model);
    CHECK(net.model[net.above(net.cell)].is<op::relu>());
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("a FakeQuantize with several scales above a Reshape is left to others") {
    recurrent net;
    const node_id reshape = net.reshape_above({2.55, 1.28}, u8, {2, 1});
    CHECK(net.change());
    CHECK(net.above(net.cell) == reshape);
    CHECK(net.model[net.above(reshape)].type() == f32);
    CHECK(net.is_kept(4));
}

TEST_CASE("weights that are not quantized stay as they are") {
    recurrent net;
    const node_id plain = net.constant({0.5}, {1, 12, 4});
    net.model.set_input(net.cell, 4, plain);
    CHECK(net.change());
    CHECK(net.above(net.cell, 4) == plain);
    CHECK(net.is_kept(5));
}

TEST_CASE("a sequence stays in floating point") {
    SUBCASE("data of i8") {
        recurrent net(true, 0, i8);
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::types_do_not_match);
        CHECK(net.difference() == 0);
    }
    SUBCASE("the FakeQuantize above a Reshape must give i8") {
        recurrent net;
        const node_id reshape = net.reshape_above({2.55}, i8);
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::types_do_not_match);
        CHECK(net.above(net.cell) == reshape);
    }
    SUBCASE("weights need a zero point") {
        recurrent net(true, 0, u8, -0.5);
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::has_zero_point);
        CHECK(net.model[net.above(net.cell, 4)].is<op::fake_quantize>());
    }
    SUBCASE("weights have levels that fit no type") {
        recurrent net;
        net.model.set_input(net.cell, 4, net.fake_quantize(net.constant({0.5}, {1, 12, 4}), -1.28, 1.27, 16));
        CHECK_FALSE(net.change());
        CHECK(net.why() == reason::precision_not_chosen);
    }
}
