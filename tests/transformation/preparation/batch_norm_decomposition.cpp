// SPDX-License-Identifier: Apache-2.0
#include "../prerequisites/rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/pipeline/prepare.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using testing::rewritten;

namespace {

/// in [1,3,2,2] -> BatchNormInference -> Result.
struct batch_normalized : rewritten {
    node_id normalization = node_id::none;

    explicit batch_normalized(int version, double least_variance = 0.25) {
        const node_id data = input({1, 3, 2, 2});
        const node_id gamma = constant({1, -2, 0.5}, {3}), beta = constant({0.5, 1, -1}, {3});
        const node_id mean = constant({0.25, -1, 2}, {3}), variance = constant({least_variance, 1, 4}, {3});
        const seq<output_ref> inputs = version == 0 ? seq<output_ref>{gamma, beta, data, mean, variance}
                                                    : seq<output_ref>{data, gamma, beta, mean, variance};
        op::batch_norm_inference what;
        what.epsilon = 0;
        normalization = model.add(what, inputs, "norm", version);
        model.result(normalization);
    }
};

}  // namespace

TEST_CASE("known numbers of a normalization are a Multiply and an Add") {
    batch_normalized net(5);
    REQUIRE(net.run<batch_norm_decomposition>(net.normalization));
    verify(net.model);
    const node_id add = net.output();
    REQUIRE(net.model[add].is<op::add>());
    REQUIRE(net.model[net.above(add)].is<op::multiply>());
    CHECK(net.value(net.above(add), 1).dimensions() == shape{1, 3, 1, 1});
    CHECK(net.value(net.above(add), 1).real(1) == -2);
    CHECK(net.value(add, 1).real(0) == 0);
    CHECK(net.model[add].name() == "norm");
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("version 0 has its inputs in another order") {
    batch_normalized net(0);
    REQUIRE(net.run<batch_norm_decomposition>(net.normalization));
    verify(net.model);
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("a channel without variance and epsilon has no scale") {
    batch_normalized net(5, 0);
    CHECK_FALSE(net.run<batch_norm_decomposition>(net.normalization));
}

TEST_CASE("preparing a network decomposes its normalizations of either version") {
    for (const int version : {0, 5}) {
        batch_normalized net(version);
        prepare(net.model);
        CHECK(net.model[net.output()].is<op::add>());
    }
}
