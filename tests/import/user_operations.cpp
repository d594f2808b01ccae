// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/verify.hpp>
#include <lpt/import/openvino_ir.hpp>

#include "network_file.hpp"
#include "tests/support/own_operations.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using testing::dims;
using testing::edge;
using testing::layer;
using testing::port;

namespace {

/// in [1,3] -> ChannelRoll -> Result.
std::string network(const std::string& data, const std::string& version) {
    const std::string shape = dims({1, 3});
    return testing::net(layer(0, "Parameter", "in", R"(<data shape="1,3" element_type="f32"/>)", "", port(0, shape)) +
                            layer(1, "ChannelRoll", "roll", data, port(0, shape), port(1, shape), version) +
                            layer(2, "Result", "out", "", port(0, shape), ""),
                        edge(0, 0, 1, 0) + edge(1, 1, 2, 0));
}
graph imported(const std::string& data, const std::string& version, const op::user_operations& known) {
    const testing::temporary_folder folder;
    return import_openvino_ir(folder.write("model.xml", network(data, version)), {}, known);
}
bool complains(const std::string& data, const std::string& version, const op::user_operations& known,
               const std::string& what) {
    try {
        imported(data, version, known);
    } catch (const error& raised) {
        INFO(raised.what());
        return std::string(raised.what()).find(what) != std::string::npos;
    }
    return false;
}
constexpr op::user_operations known = op::user_operations_of<own::channel_roll>;

}  // namespace

TEST_CASE("a user's operation type is read by its name, with its attributes") {
    const graph model = imported(R"(<data shift="2"/>)", "extension", known);
    verify(model);
    const node& rolled = model[model.producer(model.results()[0], 0)];
    REQUIRE(rolled.is<own::channel_roll>());
    CHECK(rolled.as<own::channel_roll>().shift == 2);
    CHECK(rolled.version() == 2);
    CHECK(rolled.name() == "roll");
}

TEST_CASE("an operation set gives its version") {
    const graph model = imported("", "opset1", known);
    const node& rolled = model[model.producer(model.results()[0], 0)];
    CHECK(rolled.version() == 1);
    CHECK(rolled.as<own::channel_roll>().shift == 1);
}

TEST_CASE("what is wrong with it is said as for other layers") {
    CHECK(complains(R"(<data shift="far"/>)", "extension", known,
                    "attribute 'shift' has a value that it cannot have: far"));
    CHECK(complains("", "opset17", known, "unknown operation set 'opset17'"));
    CHECK(complains("", "extension", {}, "unknown operation"));
    CHECK(complains("", "extension", op::user_operations_of<own::opaque>, "unknown operation"));
}
