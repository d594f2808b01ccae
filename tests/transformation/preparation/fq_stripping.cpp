// SPDX-License-Identifier: Apache-2.0
#include "../prerequisites/rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/transformation/preparation/fq_stripping.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using testing::rewritten;

namespace {

/// in -> Convolution (i8 weights, scale 0.5) -> [Add] -> FakeQuantize of 65536 levels -> what a test adds.
struct quantized_16 : rewritten {
    node_id convolution = node_id::none;
    node_id quantize = node_id::none;

    constexpr explicit quantized_16(double low = 0, double high = 1e6, std::int64_t levels = 65536,
                                    bool with_bias = false) {
        const node_id weights = dequantize(constant({3, -2, 1, 4}, {2, 2, 1, 1}, i8), node_id::none, constant({0.5}));
        convolution =
            model.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {input({1, 2, 2, 2}), weights}, "convolution");
        output_ref last = convolution;
        if (with_bias) {
            last = model.add(op::add{}, {last, constant({1, 20}, {1, 2, 1, 1})});
        }
        quantize = model.add(op::fake_quantize{levels},
                             {last, constant({low}), constant({high}), constant({low}), constant({high})}, "fq");
    }
    /// MVN over channels and places: a factor on the data goes out again, a shift of a channel does not.
    constexpr node_id normalize(output_ref data) {
        return model.add(op::mvn{.eps = 1e-9, .normalize_variance = true}, {data, indices({1, 2, 3})}, "mvn");
    }
    constexpr void strip(bool adjust = true) {
        before = model;
        options.arguments = {{fq_stripping_transformation::name, {}, false, true, adjust}};
        rewrite r(model, attributes, options, restrictions);
        fq_stripping_transformation::run(r);
        refusals = r.refusals();
    }
    constexpr double weights_scale() const {
        return find_dequantization(model, convolution, options.default_precisions, 1).scale == node_id::none
                   ? 0
                   : constant_of(model, find_dequantization(model, convolution, options.default_precisions, 1).scale)
                         .real(0);
    }
};
constexpr double divided_scale = 0.5 / (10 * 1e6 / 65535);

constexpr bool goes_away() {
    quantized_16 net;
    net.model.result(net.normalize(net.quantize));
    net.strip(false);
    return net.above(net.output()) == net.convolution && !net.model.contains(net.quantize) &&
           net.weights_scale() == 0.5;
}
static_assert(goes_away());

constexpr bool weights_are_adjusted() {
    quantized_16 net;
    net.model.result(net.normalize(net.quantize));
    net.strip();
    return math::absolute(net.weights_scale() - divided_scale) < 1e-9;
}
static_assert(weights_are_adjusted());

}  // namespace

TEST_CASE("with adjusted weights the normalized values are the same") {
    for (const bool with_bias : {false, true}) {
        quantized_16 net(-5e5, 5e5, 65536, with_bias);
        net.model.result(net.normalize(net.quantize));
        // What is stripped rounds to steps of 15: only the rest of the network can be compared.
        net.before = net.model;
        net.strip();
        verify(net.model);
        CHECK(net.weights_scale() == doctest::Approx(divided_scale));
        quantized_16 plain(-5e5, 5e5, 65536, with_bias);
        plain.model.result(plain.normalize(plain.quantize));
        plain.strip(false);
        net.before = plain.model;
        CHECK(net.difference() < 1e-4);
    }
}

TEST_CASE("a FakeQuantize that stays on the path is divided with what it reads") {
    quantized_16 net;
    const node_id kept = net.model.add(
        op::fake_quantize{256},
        {net.quantize, net.constant({0}), net.constant({1e6}), net.constant({0}), net.constant({1e6})}, "kept");
    net.model.result(net.normalize(kept));
    net.strip();
    verify(net.model);
    CHECK(net.above(kept) == net.convolution);
    CHECK(net.value(kept, 2).real(0) == doctest::Approx(1e6 * divided_scale / 0.5));
    CHECK(net.value(kept, 4).real(0) == doctest::Approx(1e6 * divided_scale / 0.5));
}

TEST_CASE("one division serves the stripped operations of a chain") {
    quantized_16 net;
    const node_id next = net.model.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}},
                                       {net.quantize, net.constant({1, 2, 3, 4}, {2, 2, 1, 1})}, "next");
    const node_id second = net.model.add(op::fake_quantize{65536}, {next, net.constant({0}), net.constant({1e6}),
                                                                    net.constant({0}), net.constant({1e6})});
    net.model.result(net.normalize(second));
    net.strip();
    verify(net.model);
    CHECK(net.weights_scale() == doctest::Approx(divided_scale));
    CHECK(net.value(next, 1).real(3) == 4);
    CHECK(net.above(net.output()) == next);
}

TEST_CASE("nothing is divided") {
    SUBCASE("steps are not larger than 1") {
        quantized_16 net(0, 65535);
        net.model.result(net.normalize(net.quantize));
        net.strip();
        CHECK(net.weights_scale() == 0.5);
        CHECK_FALSE(net.model.contains(net.quantize));
    }
    SUBCASE("a path ends without a normalization") {
        quantized_16 net;
        net.model.result(net.normalize(net.quantize));
        net.model.result(net.model.add(op::relu{}, {net.convolution}));
        net.strip();
        CHECK(net.weights_scale() == 0.5);
        CHECK_FALSE(net.model.contains(net.quantize));
    }
    SUBCASE("both operands of a product would be divided") {
        quantized_16 net;
        net.model.result(net.normalize(net.model.add(op::multiply{}, {net.quantize, net.quantize})));
        net.strip();
        CHECK(net.weights_scale() == 0.5);
        CHECK_FALSE(net.model.contains(net.quantize));
    }
}

TEST_CASE("what feeds an output of the network hands its name on") {
    quantized_16 net(0, 6.5);
    net.model.result(net.quantize);
    net.strip();
    CHECK(net.output() == net.convolution);
    CHECK(net.model[net.convolution].name() == "fq");
}

TEST_CASE("a FakeQuantize between an input and an output stays for the output alone") {
    rewritten net;
    const node_id low = net.constant({-1});
    const node_id high = net.constant({1});
    const node_id quantize = net.model.add(op::fake_quantize{65536}, {net.input({1, 2}), low, high, low, high}, "fq");
    net.model.result(quantize);
    net.model.result(net.model.add(op::relu{}, {quantize}));
    rewrite r(net.model, net.attributes, net.options, net.restrictions);
    fq_stripping_transformation::run(r);
    verify(net.model);
    CHECK(net.output(0) == quantize);
    CHECK(net.model[net.above(net.output(1))].is<op::parameter>());
    REQUIRE(r.refusals().size() == 1);
    CHECK(r.refusals()[0].node == quantize);
    CHECK(r.refusals()[0].why.why == reason::name_has_no_place);
}

TEST_CASE("a FakeQuantize stays") {
    SUBCASE("other levels") {
        quantized_16 net(0, 2.55, 256);
        net.model.result(net.quantize);
        net.strip();
        CHECK(net.why() == reason::unsupported_levels);
        CHECK(net.output() == net.quantize);
    }
    SUBCASE("its output range is another") {
        quantized_16 net;
        net.model.set_input(net.quantize, 4, net.constant({65535}));
        net.model.result(net.quantize);
        net.strip();
        CHECK(net.why() == reason::nothing_to_do);
        CHECK(net.output() == net.quantize);
    }
    SUBCASE("its ranges are not constant") {
        quantized_16 net;
        net.model.set_input(net.quantize, 4, net.input({}));
        net.model.result(net.quantize);
        net.strip();
        CHECK(net.why() == reason::ranges_not_constant);
    }
    SUBCASE("the user's callback asks for it") {
        quantized_16 net;
        net.options.callbacks.push_back(
            {fq_stripping_transformation::name, [](const graph&, node_id, const void*) { return true; }});
        net.model.result(net.quantize);
        net.strip();
        CHECK(net.why() == reason::skipped_by_callback);
        CHECK(net.output() == net.quantize);
    }
}

TEST_CASE("ranges for each channel that broadcast to the same are the same") {
    quantized_16 net(0, 6.5);
    net.model.set_input(net.quantize, 2, net.constant({6.5, 6.5}, {1, 2, 1, 1}));
    net.model.result(net.normalize(net.quantize));
    net.strip();
    CHECK_FALSE(net.model.contains(net.quantize));
}
