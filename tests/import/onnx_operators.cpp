// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

/// What operators of ONNX give that are made of several operations.
namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;

constexpr std::int64_t i32_type = 6;
constexpr std::int64_t i4_type = 22;
constexpr std::int64_t u2_type = 25;

std::string with_domain(const parts& of, const std::string& domain) {
    return message([&](pbf_writer& to) {
        to.add_int64(1, 8);
        to.add_message(8, operator_set(21));
        to.add_message(8, operator_set(1, domain));
        to.add_message(7, of.content());
    });
}

}  // namespace

TEST_CASE("Integers of four and two bits take the lowest bits of what is cast to them") {
    for (const auto& [type, wanted] :
         {std::pair{i4_type, values{7, -8, 5, 0}}, std::pair{u2_type, values{3, 0, 1, 0}}}) {
        const parts net{{make_node("Cast", {"x"}, {"small"}, {integer("to", type)}),
                         make_node("Cast", {"small"}, {"y"}, {integer("to", float_type)})},
                        {},
                        {value("x", {4})},
                        {value("y", {4})}};
        CHECK(results_of(make_model(net), {floats_of({4}, {-9, 8, 5.9, 0})})[0] == wanted);
    }
}

TEST_CASE("Constants of two bits lie four in a byte") {
    const std::string codes = raw_tensor("q", {5}, u2_type, std::string("\xE4\x02", 2));
    const parts net{{make_node("DequantizeLinear", {"q", "s"}, {"y"})},
                    {codes, floats("s", {}, {0.5f})},
                    {value("x", {1})},
                    {value("y", {5})}};
    CHECK(results_of(make_model(net), {floats_of({1}, {0})})[0] == values{0, 0.5, 1, 1.5, 1});
    parts broken = net;
    broken.initializers[0] = raw_tensor("q", {9}, u2_type, std::string("\xE4\x02", 2));
    CHECK_THROWS_AS(import_content(make_model(broken)), error);
}

TEST_CASE(
    "Resize of version 10 takes the element before a place where it enlarges, and the one behind it where it shrinks") {
    const auto resized = [](float scale, std::int64_t wanted) {
        const parts net{{make_node("Resize", {"x", "scales"}, {"y"})},
                        {floats("scales", {2}, {1, scale})},
                        {value("x", {1, 4})},
                        {value("y", {1, wanted})}};
        return results_of(make_model(net, 10), {floats_of({1, 4}, {1, 2, 3, 4})})[0];
    };
    CHECK(resized(0.6f, 2) == values{1, 3});
    CHECK(resized(1.5f, 6) == values{1, 1, 2, 3, 3, 4});
}

TEST_CASE("Sizes of Resize that are known only in a run give what known ones give") {
    for (const std::string mode : {"linear", "cubic", "nearest"}) {
        const words attributes{word_attribute("mode", mode), word_attribute("keep_aspect_ratio_policy", "not_larger"),
                               integer("antialias", 1)};
        parts net{{make_node("Resize", {"x", "", "", "sizes"}, {"y"}, attributes)},
                  {},
                  {value("x", {1, 1, 4, 6}), value("sizes", {4}, i64_type)},
                  {value("y", {-1, -1, -1, -1})}};
        values image;
        for (int i = 0; i < 24; ++i) {
            image.push_back((i * 7) % 11);
        }
        const numbers sizes{1, 1, 3, 3};
        const values computed =
            results_of(make_model(net), {floats_of({1, 1, 4, 6}, image), integers_of_list(sizes)})[0];
        net.inputs.pop_back();
        net.initializers = {
            raw_tensor("sizes", {4}, i64_type, {reinterpret_cast<const char*>(sizes.data()), sizes.size() * 8})};
        const values known = results_of(make_model(net), {floats_of({1, 1, 4, 6}, image)})[0];
        REQUIRE(computed.size() == known.size());
        for (std::size_t i = 0; i < known.size(); ++i) {
            CHECK(computed[i] == doctest::Approx(known[i]).epsilon(1e-6));
        }
    }
}

TEST_CASE("Unique gives what differs, where it is first, which of them each was, and counts") {
    const auto unique = [](std::int64_t sorted) {
        const parts net{{make_node("Unique", {"x"}, {"y", "first", "inverse", "counts"}, {integer("sorted", sorted)})},
                        {},
                        {value("x", {6})},
                        {value("y", {-1}), value("first", {-1}, i64_type), value("inverse", {-1}, i64_type),
                         value("counts", {-1}, i64_type)}};
        return results_of(make_model(net), {floats_of({6}, {2, 1, 1, 3, 4, 3})});
    };
    CHECK(unique(1) == std::vector<values>{{1, 2, 3, 4}, {1, 0, 3, 4}, {1, 0, 0, 2, 3, 2}, {2, 1, 2, 1}});
    CHECK(unique(0) == std::vector<values>{{2, 1, 3, 4}, {0, 1, 3, 4}, {0, 1, 1, 2, 3, 2}, {1, 2, 2, 1}});
}

TEST_CASE("Unique compares slices from their first number on") {
    const parts net{
        {make_node("Unique", {"x"}, {"y"}, {integer("axis", 0)})}, {}, {value("x", {3, 2})}, {value("y", {-1, 2})}};
    CHECK(results_of(make_model(net), {floats_of({3, 2}, {1, 5, 0, 9, 1, 5})})[0] == values{0, 9, 1, 5});
}

TEST_CASE("Blocks of an image are added up where they lie over each other") {
    const parts net{{make_node("Col2Im", {"x", "image", "block"}, {"y"})},
                    {},
                    {value("x", {1, 4, 2}), value("image", {2}, i64_type), value("block", {2}, i64_type)},
                    {value("y", {-1, -1, -1, -1})}};
    const std::vector<tensor> inputs{floats_of({1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), integers_of_list({2, 3}),
                                     integers_of_list({2, 2})};
    CHECK(results_of(make_model(net), inputs)[0] == values{1, 5, 4, 5, 13, 8});
}

TEST_CASE("Runs of numbers are counted, with others between them, too") {
    const parts net{
        {make_node("TfIdfVectorizer", {"x"}, {"y"},
                   {integer("min_gram_length", 1), integer("max_gram_length", 2), integer("max_skip_count", 1),
                    word_attribute("mode", "TF"), list("ngram_counts", {0, 1}), list("ngram_indexes", {1, 0}),
                    list("pool_int64s", {3, 5, 7})})},
        {},
        {value("x", {6}, i64_type)},
        {value("y", {2})}};
    CHECK(results_of(make_model(net), {integers_of_list({5, 7, 5, 3, 3, 7})})[0] == values{1, 2});
}

TEST_CASE("A graph in FlexAttention changes the scores") {
    const std::string minus = message([](pbf_writer& to) {
        to.add_message(1, make_node("Neg", {"scores"}, {"changed"}));
        to.add_message(11, value("scores", {1, 1, 1, 2}));
        to.add_message(12, value("changed", {1, 1, 1, 2}));
    });
    const std::string attribute = message([&](pbf_writer& to) {
        to.add_string(1, "score_mod");
        to.add_message(6, minus);
        to.add_int32(20, 5);
    });
    const parts net{{make_node("FlexAttention", {"q", "k", "v"}, {"y"}, {attribute}, "ai.onnx.preview")},
                    {},
                    {value("q", {1, 1, 1, 1}), value("k", {1, 1, 2, 1}), value("v", {1, 1, 2, 1})},
                    {value("y", {1, 1, 1, 1})}};
    const double y =
        results_of(with_domain(net, "ai.onnx.preview"), {floats_of({1, 1, 1, 1}, {1}), floats_of({1, 1, 2, 1}, {0, 1}),
                                                         floats_of({1, 1, 2, 1}, {0, 1})})[0][0];
    CHECK(y == doctest::Approx(1 / (1 + std::exp(1.0))));
}

TEST_CASE("A half spectrum becomes the real signal again") {
    const parts net{
        {make_node("DFT", {"x"}, {"spectrum"}, {integer("onesided", 1), integer("axis", 1)}),
         make_node("DFT", {"spectrum"}, {"y"}, {integer("onesided", 1), integer("inverse", 1), integer("axis", 1)})},
        {},
        {value("x", {1, 6, 1})},
        {value("y", {1, 6, 1})}};
    const values signal{3, 1, -4, 1, 5, -9};
    const values y = results_of(make_model(net, 19), {floats_of({1, 6, 1}, signal)})[0];
    REQUIRE(y.size() == signal.size());
    for (std::size_t i = 0; i < signal.size(); ++i) {
        CHECK(y[i] == doctest::Approx(signal[i]).epsilon(1e-5));
    }
}

TEST_CASE("Products with a zero point of the run multiply bytes and give the exact integers") {
    for (const words& zeros : {words{}, words{"w0"}}) {
        words inputs{"q", "w", "z"};
        inputs.insert(inputs.end(), zeros.begin(), zeros.end());
        const parts net{{make_node("MatMulInteger", inputs, {"y"})},
                        {small("w", {2, 3}, {1, -2, 3, 100, -128, 127}, i8_type), small("w0", {3}, {1, 0, 2}, i8_type)},
                        {value("q", {2, 2}, u8_type), value("z", {}, u8_type)},
                        {value("y", {2, 3}, i32_type)}};
        const std::vector<tensor> data{make_tensor(u8, {2, 2}, view<double>({0, 255, 7, 3})), make_scalar(u8, 5)};
        const values wanted = zeros.empty() ? values{24995, -31990, 31735, -198, 252, -248}
                                            : values{24750, -31990, 31245, -198, 252, -248};
        CHECK(results_of(make_model(net), data)[0] == wanted);
        const lpt::graph model = import_content(make_model(net));
        bool multiplies_bytes = false;
        for (std::size_t i = 0; i < model.id_bound(); ++i) {
            const node_id id = id_at(i);
            if (model.contains(id) && model[id].is<op::mat_mul>()) {
                const node& data_of = model[model[id].input(0).node];
                multiplies_bytes = data_of.is<op::convert>() && model.type(data_of.input(0)) == u8;
            }
        }
        CHECK(multiplies_bytes);
    }
}

TEST_CASE("Sums of integers above 2^24 are exact, whatever is known of the weights") {
    constexpr int length = 1000;
    const std::vector<int> weights(length, 127);
    std::vector<double> most(length, 255);
    most[3] = 254;
    const double wanted = 255.0 * 127 * length - 127;  // odd, and above 2^24
    const tensor q = make_tensor(u8, {1, length}, view<double>(most.data(), most.size()));
    const parts known{{make_node("MatMulInteger", {"q", "w"}, {"y"})},
                      {small("w", {length, 1}, weights, i8_type)},
                      {value("q", {1, length}, u8_type)},
                      {value("y", {1, 1}, i32_type)}};
    CHECK(results_of(make_model(known), {q})[0] == values{wanted});
    const parts shifted{{make_node("MatMulInteger", {"q", "w", "z", "v"}, {"y"})},
                        {small("w", {length, 1}, weights, i8_type), small("v", {1}, {-100}, i8_type)},
                        {value("q", {1, length}, u8_type), value("z", {}, u8_type)},
                        {value("y", {1, 1}, i32_type)}};
    CHECK(results_of(make_model(shifted), {q, make_scalar(u8, 2)})[0] == values{253.0 * 227 * length - 227});
    const parts given{{make_node("MatMulInteger", {"q", "w"}, {"y"})},
                      {},
                      {value("q", {1, length}, u8_type), value("w", {length, 1}, i8_type)},
                      {value("y", {1, 1}, i32_type)}};
    const std::vector<double> numbers_of(length, 127);
    CHECK(results_of(make_model(given),
                     {q, make_tensor(i8, {length, 1}, view<double>(numbers_of.data(), length))})[0] == values{wanted});
    const tensor image = make_tensor(u8, {1, length, 1}, view<double>(most.data(), most.size()));
    const parts convolution{{make_node("ConvInteger", {"q", "w"}, {"y"})},
                            {small("w", {1, length, 1}, weights, i8_type)},
                            {value("q", {1, length, 1}, u8_type)},
                            {value("y", {1, 1, 1}, i32_type)}};
    CHECK(results_of(make_model(convolution), {image})[0] == values{wanted});
    const std::vector<int> twice(2 * length, 127);
    std::vector<double> both = most;
    both.insert(both.end(), most.begin(), most.end());
    const parts grouped{{make_node("ConvInteger", {"q", "w"}, {"y"}, {integer("group", 2)})},
                        {small("w", {2, length, 1}, twice, i8_type)},
                        {value("q", {1, 2 * length, 1}, u8_type)},
                        {value("y", {1, 2, 1}, i32_type)}};
    CHECK(results_of(make_model(grouped),
                     {make_tensor(u8, {1, 2 * length, 1}, view<double>(both.data(), both.size()))})[0] ==
          values{wanted, wanted});
}

TEST_CASE("Convolutions of integers have zeros around the data, whatever its zero point is") {
    const parts net{{make_node("ConvInteger", {"q", "w", "z"}, {"y"}, {list("pads", {1, 0})})},
                    {small("w", {1, 2, 2}, {1, -2, 3, 4}, i8_type)},
                    {value("q", {1, 2, 3}, u8_type), value("z", {}, u8_type)},
                    {value("y", {1, 1, 3}, i32_type)}};
    const std::vector<tensor> data{make_tensor(u8, {1, 2, 3}, view<double>({9, 5, 7, 6, 5, 0})), make_scalar(u8, 5)};
    CHECK(results_of(make_model(net), data)[0] == values{-4, 7, -24});
    parts open = net;
    open.inputs[0] = value("q", {1, 2, -1}, u8_type);
    open.outputs[0] = value("y", {1, 1, -1}, i32_type);
    CHECK(results_of(make_model(open), data)[0] == values{-4, 7, -24});
    // Bytes go into the convolution, and the zero point is taken off behind it.
    const graph model = import_content(make_model(open));
    for (const node_id id : topological_order(model)) {
        CHECK_FALSE((model[id].is<op::convolution>() && model[model.producer(id, 0)].is<op::subtract>()));
    }
}

TEST_CASE("Weights in blocks are 4-bit numbers with a scale and zero point for each block") {
    const parts net{
        {make_node("MatMulNBits", {"x", "w", "s", "z"}, {"y"},
                   {integer("K", 3), integer("N", 1), integer("bits", 4), integer("block_size", 2)}, "com.microsoft")},
        {small("w", {1, 2, 1}, {0x21, 0x0F}), floats("s", {2}, {0.5f, 2}), small("z", {1}, {0x81})},
        {value("x", {1, 3})},
        {value("y", {1, 1})}};
    CHECK(results_of(with_domain(net, "com.microsoft"), {floats_of({1, 3}, {10, 100, 1000})})[0] == values{14050});
    parts broken = net;
    broken.initializers[0] = small("w", {1, 1, 1}, {0x21});
    CHECK_THROWS_AS(import_content(with_domain(broken, "com.microsoft")), error);
}

TEST_CASE("A product with weights in blocks may round its data where its accuracy level is that of 8 bits") {
    for (const std::int64_t level : {0, 1, 4}) {
        const parts net{{make_node("MatMulNBits", {"x", "w", "s"}, {"y"},
                                   {integer("K", 2), integer("N", 1), integer("bits", 4), integer("block_size", 2),
                                    integer("accuracy_level", level)},
                                   "com.microsoft")},
                        {small("w", {1, 1, 1}, {0x21}), floats("s", {1}, {0.5f})},
                        {value("x", {1, 2})},
                        {value("y", {1, 1})}};
        const graph model = import_content(with_domain(net, "com.microsoft"));
        std::size_t marked = 0;
        for (const node_id id : topological_order(model)) {
            marked += model[id].is<op::mat_mul>() && model[id].has(mark::may_round_data) ? 1 : 0;
        }
        CHECK(marked == (level == 4 ? 1 : 0));
    }
}

TEST_CASE("Attention of quantized data looks at no more keys than the mask counts") {
    const parts net{{make_node("QAttention", {"x", "w", "b", "sx", "sw", "m", "zx"}, {"y"}, {integer("num_heads", 1)},
                               "com.microsoft")},
                    {small("w", {1, 3}, {0, 0, 2}, i8_type), floats("b", {3}, {0, 0, 1}), floats("sx", {}, {0.5f}),
                     floats("sw", {}, {1}), small("zx", {}, {10}),
                     raw_tensor("m", {1}, i32_type, std::string("\2\0\0\0", 4))},
                    {value("x", {1, 3, 1}, u8_type)},
                    {value("y", {1, 3, 1})}};
    const tensor x = make_tensor(u8, {1, 3, 1}, view<double>({12, 18, 255}));
    CHECK(results_of(with_domain(net, "com.microsoft"), {x})[0] == values{6, 6, 6});
}

TEST_CASE("Old models have those operators that are still what they were") {
    const auto old = [](const std::string& type, std::int64_t version) {
        return make_model({{make_node(type, {"x"}, {"y"})}, {}, {value("x", {2, 2})}, {value("y", {2, 2})}}, version);
    };
    CHECK(results_of(old("Transpose", 1), {floats_of({2, 2}, {1, 2, 3, 4})})[0] == values{1, 3, 2, 4});
    CHECK_THROWS_AS(import_content(old("Relu", 1)), error);
    CHECK_THROWS_AS(import_content(old("Transpose", 0)), error);
}

TEST_CASE("Before version 13 Hardmax takes all axes from one on as one") {
    const parts net{{make_node("Hardmax", {"x"}, {"y"}, {integer("axis", 1)})},
                    {},
                    {value("x", {2, 2, 2})},
                    {value("y", {2, 2, 2})}};
    const tensor x = floats_of({2, 2, 2}, {1, 2, 4, 3, 8, 5, 6, 7});
    CHECK(results_of(make_model(net, 11), {x})[0] == values{0, 0, 1, 0, 1, 0, 0, 0});
    CHECK(results_of(make_model(net, 13), {x})[0] == values{0, 0, 1, 1, 1, 0, 0, 1});
}

TEST_CASE("Upsample of version 7 has its scales in an attribute") {
    const std::string scales = message([&](pbf_writer& to) {
        const std::vector<float> all{1, 1, 1, 2};
        to.add_string(1, "scales");
        to.add_packed_float(7, all.begin(), all.end());
        to.add_int32(20, 6);
    });
    const parts net{
        {make_node("Upsample", {"x"}, {"y"}, {scales})}, {}, {value("x", {1, 1, 1, 2})}, {value("y", {1, 1, 1, 4})}};
    CHECK(results_of(make_model(net, 7), {floats_of({1, 1, 1, 2}, {3, 5})})[0] == values{3, 3, 5, 5});
}

TEST_CASE("FusedGemm has the numbers of its activation in attributes") {
    const std::string slope = message([&](pbf_writer& to) {
        to.add_string(1, "activation_alpha");
        to.add_float(2, 0.25f);
        to.add_int32(20, 1);
    });
    const parts net{{make_node("FusedGemm", {"x", "w"}, {"y"}, {word_attribute("activation", "LeakyRelu"), slope},
                               "com.microsoft")},
                    {floats("w", {1, 2}, {1, -1})},
                    {value("x", {1, 1})},
                    {value("y", {1, 2})}};
    CHECK(results_of(with_domain(net, "com.microsoft"), {floats_of({1, 1}, {8})})[0] == values{8, -2});
}

TEST_CASE("Quantization without a scale is an error") {
    const parts net{{make_node("QuantizeLinear", {"x", "s"}, {"y"})},
                    {floats("s", {0}, {})},
                    {value("x", {2})},
                    {value("y", {2}, u8_type)}};
    CHECK_THROWS_AS(import_content(make_model(net)), error);
}

TEST_CASE("Scales of blocks are as many as blocks divide the axis into") {
    const auto blocked = [](const numbers& scales, std::int64_t block) {
        std::vector<float> all;
        for (std::int64_t i = 0; i < scales[0] * scales[1]; ++i) {
            all.push_back(static_cast<float>(i + 1));
        }
        return make_model(
            {{make_node("DequantizeLinear", {"q", "s"}, {"y"}, {integer("axis", 0), integer("block_size", block)})},
             {small("q", {3, 2}, {1, 2, 3, 4, 5, 6}, i8_type), floats("s", scales, all)},
             {value("x", {1})},
             {value("y", {3, 2})}});
    };
    CHECK(results_of(blocked({2, 2}, 2), {floats_of({1}, {0})})[0] == values{1, 4, 3, 8, 15, 24});
    CHECK_THROWS_AS(import_content(blocked({3, 2}, 2)), error);
    CHECK_THROWS_AS(import_content(blocked({2, 1}, 2)), error);
    CHECK_THROWS_AS(import_content(blocked({2, 2}, -2)), error);
}

TEST_CASE("Blocks of known integers are arithmetic on an axis of their own") {
    const auto dequantized = [](const numbers& zero_points) {
        return make_model(
            {{make_node("DequantizeLinear", {"q", "s", "z"}, {"y"}, {integer("axis", 0), integer("block_size", 2)})},
             {small("q", {4, 1}, {1, 2, 3, 4}, i8_type), floats("s", {2, 1}, {1, 10}),
              small("z", zero_points, std::vector<int>(static_cast<std::size_t>(zero_points[0]), 1), i8_type)},
             {value("x", {1})},
             {value("y", {4, 1})}});
    };
    const graph model = import_content(dequantized({2, 1}));
    bool has_gather = false;
    for (const node_id id : topological_order(model)) {
        has_gather = has_gather || model[id].is<op::gather>();
    }
    CHECK_FALSE(has_gather);
    CHECK(results_of(dequantized({2, 1}), {floats_of({1}, {0})})[0] == values{0, 1, 20, 30});
    CHECK_THROWS_AS(import_content(dequantized({1, 1})), error);
}

TEST_CASE("Concat says along which axis") {
    CHECK_THROWS_AS(import_content(make_model(
                        {{make_node("Concat", {"x", "x"}, {"y"})}, {}, {value("x", {2, 2})}, {value("y", {2, 4})}})),
                    error);
}

TEST_CASE("Celu rounds exp(x / alpha) - 1 once, so that numbers of 16 bits keep their digits") {
    constexpr std::int64_t f16_type = 10;
    const std::string alpha = message([](pbf_writer& to) {
        to.add_string(1, "alpha");
        to.add_float(2, 2);
        to.add_int32(20, 1);
    });
    const parts net{
        {make_node("Celu", {"x"}, {"y"}, {alpha})}, {}, {value("x", {3}, f16_type)}, {value("y", {3}, f16_type)}};
    const values x{-0.001953125, 0, 3};
    const values made = results_of(make_model(net), {make_tensor(f16, {3}, view<double>(x.data(), x.size()))})[0];
    CHECK(made[0] == doctest::Approx(2 * std::expm1(x[0] / 2)).epsilon(1.0 / 1024));
    CHECK(made[1] == 0);
    CHECK(made[2] == 3);
}
