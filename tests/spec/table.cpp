// SPDX-License-Identifier: Apache-2.0
#include <lpt/spec/table.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace lpt;
using nlohmann::json;

namespace {

json published_rows() {
    std::ifstream file(LPT_TEST_DATA_DIR "/spec/tflite_rows.json");
    return json::parse(file).at("rows");
}

const char* role_of(spec::operand role) {
    switch (role) {
        case spec::operand::input_0: return "input0";
        case spec::operand::input_1: return "input1";
        case spec::operand::input_2: return "input2";
        case spec::operand::every_input: return "input*";
        case spec::operand::weight: return "weights";
        case spec::operand::bias: return "bias";
        case spec::operand::output_0: return "output0";
    }
    return "";
}

json as_published(const spec::requirement& asks) {
    json result = {{"type", asks.type == i8 ? "int8" : "int32"},
                   {"granularity", std::string(name(asks.granularity).data(), name(asks.granularity).size())}};
    if (asks.type == i8) result["range"] = {asks.lowest, asks.highest};
    if (asks.axis >= 0) result["dim"] = asks.axis;
    if (asks.is_symmetric()) result["zero_point"] = 0;
    if (asks.scale == spec::scale_rule::product) result["scale"] = "input0*weights";
    if (asks.scale == spec::scale_rule::fixed) result["fixed"] = {asks.fixed_scale(), asks.fixed_zero_point};
    return result;
}

}  // namespace

TEST_CASE("the table has the rows of the document and no other") {
    const json rows = published_rows();
    REQUIRE(rows.size() == static_cast<std::size_t>(spec::table.size()));
    for (const auto& [name, row] : rows.items()) {
        CAPTURE(name);
        const spec::row* found = spec::find(name.c_str());
        REQUIRE(found != nullptr);
        CHECK(found->same_quantization == row.value("same_quantization", false));
    }
}

TEST_CASE("each tensor of each row is asked for what the document asks") {
    const json rows = published_rows();
    for (const spec::row& each : spec::table) {
        const json& row = rows.at(std::string(each.name.data(), each.name.size()));
        std::size_t named = 0;
        for (const spec::requirement& asks : each) {
            const json& side = row.at(asks.role == spec::operand::output_0 ? "outputs" : "inputs");
            if (asks.implied && !side.contains(role_of(asks.role))) continue;
            CAPTURE(role_of(asks.role));
            REQUIRE(side.contains(role_of(asks.role)));
            CHECK(side.at(role_of(asks.role)) == as_published(asks));
            ++named;
        }
        CHECK(named == row.at("inputs").size() + row.at("outputs").size());
    }
}

TEST_CASE("rows know their place in the document") {
    CHECK(spec::find("ADD")->number == 1);
    CHECK(spec::find("CONV_2D")->number == 4);
    CHECK(spec::find("QUANTIZE")->number == 38);
    CHECK(spec::find("QUANTIZE")->note == "(Requantization)");
}

TEST_CASE("names without a row are not found") {
    for (const char* name : {"", "ADDS", "AD", "HARD_SWISH", "conv_2d", "ZZZ"})
        CHECK(spec::find(name) == nullptr);
}

TEST_CASE("asking for a part that a row does not name is an error that says so") {
    try {
        static_cast<void>(spec::rule<spec::op::shape>(spec::operand::output_0));
        FAIL("no error");
    } catch (const error& raised) {
        CHECK(raised.message() == "SHAPE: the specification says nothing of Output 0");
    }
}
