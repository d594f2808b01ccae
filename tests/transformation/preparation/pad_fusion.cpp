// SPDX-License-Identifier: Apache-2.0
#include "../prerequisites/rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/prepare.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using testing::rewritten;

namespace {

struct pad_margins {
    seq<std::int64_t> begin{0, 0, 1, 0};
    seq<std::int64_t> end{0, 0, 2, 1};
    op::pad_mode mode = op::pad_mode::constant;
    double value = 0;
    bool has_value = true;
    op::auto_pad of_convolution = op::auto_pad::explicit_pads;
};

/// in [1,2,5,6] -> Pad -> Convolution or GroupConvolution with margins of its own -> Result.
struct padded_convolution : rewritten {
    node_id convolution = node_id::none;

    explicit padded_convolution(const pad_margins& of, bool grouped = false) {
        seq<output_ref> inputs{input({1, 2, 5, 6}), indices(of.begin), indices(of.end)};
        if (of.has_value) {
            inputs.push_back(constant({of.value}));
        }
        const node_id pad = model.add(op::pad{.pad_mode = of.mode}, inputs);
        if (grouped) {
            op::group_convolution what;
            what.strides = what.dilations = {1, 1};
            what.pads_begin = {1, 1};
            what.pads_end = {1, 0};
            what.auto_pad = of.of_convolution;
            convolution = model.add(what, {pad, constant({0.5, -1, 2, 3, 0.25, 1, -2, 4}, {2, 1, 1, 2, 2})}, "layer");
        } else {
            op::convolution what;
            what.strides = what.dilations = {1, 1};
            what.pads_begin = {1, 1};
            what.pads_end = {1, 0};
            what.auto_pad = of.of_convolution;
            convolution = model.add(what, {pad, constant({0.5, -1, 2, 3, 0.25, 1, -2, 4}, {1, 2, 2, 2})}, "layer");
        }
        model.result(convolution);
    }
    template <class Transformation = pad_fusion_convolution>
    bool stays() {
        return !run<Transformation>(convolution);
    }
};

}  // namespace

TEST_CASE("zeros around the spatial axes are margins of the convolution") {
    padded_convolution net{pad_margins{}};
    REQUIRE(net.run<pad_fusion_convolution>(net.convolution));
    verify(net.model);
    const node& made = net.model[net.output()];
    CHECK(net.model[net.above(net.output())].is<op::parameter>());
    CHECK(made.as<op::convolution>().pads_begin == integers{2, 1});
    CHECK(made.as<op::convolution>().pads_end == integers{3, 1});
    CHECK(made.name() == "layer");
    CHECK(net.difference() == 0);
}

TEST_CASE("a GroupConvolution takes them, too, and a Pad without a value has zeros") {
    pad_margins of;
    of.has_value = false;
    padded_convolution net(of, true);
    REQUIRE(net.run<pad_fusion_group_convolution>(net.convolution));
    verify(net.model);
    CHECK(net.model[net.output()].as<op::group_convolution>().pads_end == integers{3, 1});
    CHECK(net.difference() == 0);
}

TEST_CASE("of a convolution without padding the margins are those of the Pad") {
    pad_margins of;
    of.of_convolution = op::auto_pad::valid;
    padded_convolution net(of);
    REQUIRE(net.run<pad_fusion_convolution>(net.convolution));
    verify(net.model);
    CHECK(net.model[net.output()].as<op::convolution>().pads_begin == integers{1, 0});
    CHECK(net.difference() == 0);
}

TEST_CASE("other values, other modes, other axes, margins that cut, and margins that depend on sizes stay") {
    pad_margins of;
    of.value = 1;
    CHECK(padded_convolution(of).stays());
    of = {};
    of.mode = op::pad_mode::reflect;
    CHECK(padded_convolution(of).stays());
    of = {};
    of.of_convolution = op::auto_pad::same_upper;
    CHECK(padded_convolution(of).stays());
    rewritten net;
    const node_id pad = net.model.add(
        op::pad{}, {net.input({1, 1, 5, 6}), net.indices({0, 0, 0, 0}), net.indices({0, 1, 0, 0}), net.constant({0})});
    op::convolution what;
    what.strides = what.dilations = {1, 1};
    what.pads_begin = what.pads_end = {0, 0};
    const node_id layer = net.model.add(what, {pad, net.constant({1, 2}, {1, 2, 1, 1})});
    net.model.result(layer);
    CHECK_FALSE(net.run<pad_fusion_convolution>(layer));
    CHECK(net.why() == reason::pattern_does_not_match);
}

TEST_CASE("preparing a network fuses the Pads of its convolutions") {
    padded_convolution net{pad_margins{}};
    prepare(net.model);
    CHECK(net.model[net.above(net.output())].is<op::parameter>());
}
