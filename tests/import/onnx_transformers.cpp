// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace lpt;
using namespace lpt::testing::onnx_file;

namespace {

constexpr std::int64_t i32_number = 6;
const std::string microsoft = "com.microsoft";

/// Attention of queries that are 0, which gives the mean of the values that count.
std::vector<values> attention(const words& inputs, const words& initializers, std::int64_t queries = 1,
                              const words& attributes = {}) {
    words all{integer("num_heads", 1)};
    all.insert(all.end(), attributes.begin(), attributes.end());
    const parts net{{make_node("MultiHeadAttention", inputs, {"y", "keys", "present"}, all, microsoft)},
                    initializers,
                    {value("q", {1, queries, 1}), value("k", {1, 3, 1}), value("v", {1, 3, 1})},
                    {value("y", {1, queries, 1}), value("present", {1, 1, 3, 1})}};
    const values zeros(static_cast<std::size_t>(queries), 0);
    return results_of(make_model(net), {floats_of({1, queries, 1}, zeros), floats_of({1, 3, 1}, {1, 2, 3}),
                                        floats_of({1, 3, 1}, {3, 6, 9})});
}

}  // namespace

TEST_CASE("MultiHeadAttention looks at the keys that masks leave, with a bias and what came before") {
    CHECK(attention({"q", "k", "v"}, {})[0][0] == doctest::Approx(6));
    const std::string counts = raw_tensor("m", {1}, i32_number, std::string("\2\0\0\0", 4));
    CHECK(attention({"q", "k", "v", "", "m"}, {counts})[0][0] == doctest::Approx(4.5));
    const std::string which = raw_tensor("m", {1, 3}, i32_number, std::string("\0\0\0\0\1\0\0\0\1\0\0\0", 12));
    CHECK(attention({"q", "k", "v", "", "m"}, {which})[0][0] == doctest::Approx(7.5));
    CHECK(attention({"q", "k", "v", "b"}, {floats("b", {3}, {0, 0, 10})})[0][0] == doctest::Approx(16));
    const std::string added = floats("a", {1, 1, 1, 3}, {0, 0, 100});
    CHECK(attention({"q", "k", "v", "", "", "a"}, {added})[0][0] == doctest::Approx(9));
    const values before = attention({"q", "k", "v"}, {}, 3, {integer("unidirectional", 1)})[0];
    CHECK(before[0] == doctest::Approx(3));
    CHECK(before[1] == doctest::Approx(4.5));
    CHECK(before[2] == doctest::Approx(6));
    const std::vector<values> past = attention({"q", "k", "v", "", "", "", "pk", "pv"},
                                               {floats("pk", {1, 1, 1, 1}, {5}), floats("pv", {1, 1, 1, 1}, {12})});
    CHECK(past[0][0] == doctest::Approx(7.5));
    CHECK(past[1] == values{12, 3, 6, 9});
}

TEST_CASE("Keys and values of an attention may lie side by side") {
    const parts net{{make_node("MultiHeadAttention", {"q", "kv"}, {"y"}, {integer("num_heads", 1)}, microsoft)},
                    {},
                    {value("q", {1, 1, 1}), value("kv", {1, 2, 1, 2, 1})},
                    {value("y", {1, 1, 1})}};
    const tensor both = floats_of({1, 2, 1, 2, 1}, {100, 4, 100, 8});
    CHECK(results_of(make_model(net), {floats_of({1, 1, 1}, {0}), both})[0][0] == doctest::Approx(6));
}

TEST_CASE("EmbedLayerNormalization adds words and places and counts the mask") {
    const parts net{{make_node("EmbedLayerNormalization", {"w", "", "words", "places", "", "g", "b", "m"},
                               {"y", "count", "sum"}, {}, microsoft)},
                    {floats("words", {2, 2}, {1, 3, 5, 9}), floats("places", {2, 2}, {0, 0, 10, 20}),
                     floats("g", {2}, {2, 1}), floats("b", {2}, {0.5f, 0})},
                    {value("w", {1, 2}, i32_number), value("m", {1, 2}, i32_number)},
                    {value("y", {1, 2, 2}), value("count", {1}, i32_number), value("sum", {1, 2, 2})}};
    const std::vector<values> all = results_of(make_model(net), {make_tensor(i32, {1, 2}, view<double>({1, 0})),
                                                                 make_tensor(i32, {1, 2}, view<double>({1, 0}))});
    const values wanted{-1.5, 1, -1.5, 1};
    REQUIRE(all[0].size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK(all[0][i] == doctest::Approx(wanted[i]).epsilon(1e-4));
    }
    CHECK(all[1] == values{1});
    CHECK(all[2] == values{5, 9, 11, 23});
}

TEST_CASE("RotaryEmbedding turns pairs by the angles of places, which may be one for all") {
    const words tables{floats("cos", {3, 1}, {1, 0, -1}), floats("sin", {3, 1}, {0, 1, 0})};
    for (const std::string& places :
         {raw_tensor("p", {1}, i64_type, std::string("\1\0\0\0\0\0\0\0", 8)),
          raw_tensor("p", {1, 2}, i64_type, std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16))}) {
        parts net{{make_node("RotaryEmbedding", {"x", "p", "cos", "sin"}, {"y"}, {}, microsoft)},
                  tables,
                  {value("x", {1, 2, 2})},
                  {value("y", {1, 2, 2})}};
        net.initializers.push_back(places);
        CHECK(results_of(make_model(net), {floats_of({1, 2, 2}, {3, 4, 5, 6})})[0] == values{-4, 3, -5, -6});
    }
}

TEST_CASE("QEmbedLayerNormalization has the tables of EmbedLayerNormalization in bytes") {
    words tables{small("words", {2, 2}, {2, 4, 6, 10}), small("places", {2, 2}, {1, 1, 11, 21}),
                 small("g", {2}, {5, 3}), small("b", {2}, {2, 1}), small("z", {}, {1})};
    const words scales{floats("s", {}, {1}), floats("gs", {}, {0.5F})};
    tables.insert(tables.end(), scales.begin(), scales.end());
    const parts net{
        {make_node("QEmbedLayerNormalization",
                   {"w", "", "words", "places", "", "g", "b", "", "s", "s", "", "gs", "gs", "z", "z", "", "z", "z"},
                   {"y", ""}, {}, microsoft)},
        tables,
        {value("w", {1, 2}, i32_number)},
        {value("y", {1, 2, 2})}};
    const values made = results_of(make_model(net), {make_tensor(i32, {1, 2}, view<double>({1, 0}))})[0];
    const values wanted{-1.5, 1, -1.5, 1};
    REQUIRE(made.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK(made[i] == doctest::Approx(wanted[i]).epsilon(1e-4));
    }
}

TEST_CASE("QLinearReduceMean gives the means of axes, all where none are named, with the output's scale") {
    const auto means = [](const words& attributes, const numbers& sizes) {
        const parts net{{make_node("QLinearReduceMean", {"x", "xs", "z", "ys", "z"}, {"y"}, attributes, microsoft)},
                        {floats("xs", {}, {2}), floats("ys", {}, {1}), small("z", {}, {4})},
                        {value("x", {2, 2}, u8_type)},
                        {value("y", sizes, u8_type)}};
        return results_of(make_model(net), {make_tensor(u8, {2, 2}, view<double>({4, 6, 8, 12}))})[0];
    };
    CHECK(means({list("axes", {1})}, {2, 1}) == values{6, 16});
    CHECK(means({list("axes", {0}), integer("keepdims", 0)}, {2}) == values{8, 14});
    CHECK(means({}, {1, 1}) == values{11});
}

TEST_CASE("NhwcFusedConv has its channels last, adds before the activation") {
    const parts net{
        {make_node("NhwcFusedConv", {"x", "w", "b", "z"}, {"y"}, {word_attribute("activation", "Relu")}, microsoft)},
        {floats("w", {2, 2, 1, 1}, {0, 2, 1, 0}), floats("b", {2}, {1, -4})},
        {value("x", {1, 1, 2, 2}), value("z", {1, 1, 2, 2})},
        {value("y", {1, 1, 2, 2})}};
    CHECK(results_of(make_model(net), {floats_of({1, 1, 2, 2}, {1, 2, 3, 4}),
                                       floats_of({1, 1, 2, 2}, {0, 1, -20, 9})})[0] == values{5, 0, 0, 8});
}

TEST_CASE("QAttention of data that DynamicQuantizeLinear quantized multiplies its bytes with those of the weights") {
    const parts net{{make_node("DynamicQuantizeLinear", {"x"}, {"q", "s", "zero"}),
                     make_node("QAttention", {"q", "w", "b", "s", "ws", "", "zero", "wz"}, {"y"},
                               {integer("num_heads", 1)}, microsoft)},
                    {small("w", {2, 3}, {0, 0, 2, 0, 0, 0}, i8_type), floats("b", {3}, {0, 0, 1}),
                     floats("ws", {}, {0.5F}), small("wz", {}, {0}, i8_type)},
                    {value("x", {1, 2, 2})},
                    {value("y", {1, 2, 1})}};
    const std::string content = make_model(net);
    CHECK(results_of(content, {floats_of({1, 2, 2}, {0, 0, 255, 255})})[0] == values{128.5, 128.5});
    const lpt::graph model = import_content(content);
    bool has_bytes = false;
    for (const node_id id : topological_order(model)) {
        const tensor* const value = model.constant_value(output_ref(id));
        has_bytes = has_bytes || (value != nullptr && value->type() == i8 && value->elements() == 6);
    }
    CHECK(has_bytes);
}

TEST_CASE("QLinearWhere gives the elements of either input with the output's scale") {
    const parts net{
        {make_node("QLinearWhere", {"c", "x", "xs", "xz", "y", "ys", "yz", "zs", "zz"}, {"z"}, {}, microsoft)},
        {floats("xs", {}, {0.5f}), small("xz", {}, {0}), floats("ys", {}, {1}), small("yz", {}, {1}),
         floats("zs", {}, {0.25f}), small("zz", {}, {2})},
        {value("c", {2}, 9), value("x", {2}, u8_type), value("y", {2}, u8_type)},
        {value("z", {2}, u8_type)}};
    CHECK(results_of(make_model(net),
                     {make_tensor(boolean, {2}, view<double>({1, 0})), make_tensor(u8, {2}, view<double>({10, 20})),
                      make_tensor(u8, {2}, view<double>({7, 9}))})[0] == values{22, 34});
}

TEST_CASE("NhwcMaxPool has its channels last") {
    const parts net{{make_node("NhwcMaxPool", {"x"}, {"y"}, {list("kernel_shape", {2, 2})}, microsoft)},
                    {},
                    {value("x", {1, 2, 2, 2}, u8_type)},
                    {value("y", {1, 1, 1, 2}, u8_type)}};
    const tensor x = make_tensor(u8, {1, 2, 2, 2}, view<double>({1, 8, 3, 6, 5, 4, 7, 2}));
    CHECK(results_of(make_model(net), {x})[0] == values{7, 8});
}

TEST_CASE("QLinearConv, QLinearAveragePool and QLinearGlobalAveragePool may have their channels last") {
    const words scales{floats("s", {}, {1}), small("z", {}, {0})};
    const auto results = [&](const std::string& node, words constants, const shape& sizes) {
        constants.insert(constants.end(), scales.begin(), scales.end());
        const parts net{
            {node}, constants, {value("x", {1, 2, 2, 2}, u8_type)}, {value("y", {1, sizes[1], sizes[2], 2}, u8_type)}};
        return results_of(make_model(net),
                          {make_tensor(u8, {1, 2, 2, 2}, view<double>({1, 80, 3, 60, 5, 40, 7, 20}))})[0];
    };
    const std::string last = integer("channels_last", 1);
    // The channels change places, and one is doubled.
    CHECK(results(make_node("QLinearConv", {"x", "s", "z", "w", "s", "wz", "s", "z"}, {"y"}, {last}, microsoft),
                  {small("w", {2, 2, 1, 1}, {0, 2, 1, 0}, i8_type), small("wz", {}, {0}, i8_type)},
                  {1, 2, 2, 2}) == values{160, 1, 120, 3, 80, 5, 40, 7});
    CHECK(results(make_node("QLinearAveragePool", {"x", "s", "z", "s", "z"}, {"y"},
                            {last, list("kernel_shape", {1, 2})}, microsoft),
                  {}, {1, 2, 1, 2}) == values{2, 70, 6, 30});
    CHECK(results(make_node("QLinearGlobalAveragePool", {"x", "s", "z", "s", "z"}, {"y"}, {last}, microsoft), {},
                  {1, 1, 1, 2}) == values{4, 50});
}

TEST_CASE("FusedMatMul brings a batch axis behind the rows of an operand in front of them") {
    const auto product_of = [](const char* flag, const tensor& a, const tensor& b) {
        const shape& rows = a.dimensions();
        const shape& columns = b.dimensions();
        const parts net{{make_node("FusedMatMul", {"a", "b"}, {"y"}, {integer(flag, 1)}, microsoft)},
                        {},
                        {value("a", {rows[0], rows[1], rows[2]}), value("b", {columns[0], columns[1], columns[2]})},
                        {value("y", {3, 2, 1})}};
        return results_of(make_model(net), {a, b})[0];
    };
    const tensor rows = floats_of({2, 3, 1}, {1, 2, 3, 4, 5, 6});
    CHECK(product_of("transBatchA", rows, floats_of({3, 1, 1}, {10, 100, 1000})) ==
          values{10, 40, 200, 500, 3000, 6000});
    const tensor matrices = floats_of({3, 2, 2}, {1, 0, 0, 1, 2, 0, 0, 2, 0, 1, 1, 0});
    CHECK(product_of("transBatchB", matrices, floats_of({2, 3, 1}, {1, 2, 3, 4, 5, 6})) == values{1, 4, 4, 10, 6, 3});
}

TEST_CASE(
    "DynamicQuantizeLSTM is an LSTM whose weights are dequantized, with a scale for a direction or for a column") {
    const auto state_of = [](const std::vector<std::int64_t>& sizes, const std::vector<float>& scales) {
        const std::vector<float> zeros(scales.size(), 0.0F);
        const std::string of_data("\x0c\x08\x0e\x10",
                                  4);  // less 10: 2, -2, 4, 6 for input, output, forget gate and candidate
        const std::string points(scales.size(), '\x0a');
        const parts net{{make_node("DynamicQuantizeLSTM", {"x", "w", "r", "", "", "", "", "", "ws", "wz", "rs", "rz"},
                                   {"y"}, {integer("hidden_size", 1)}, microsoft)},
                        {raw_tensor("w", {1, 1, 4}, u8_type, of_data),
                         raw_tensor("r", {1, 1, 4}, u8_type, std::string(4, '\x0a')), floats("ws", sizes, scales),
                         raw_tensor("wz", sizes, u8_type, points), floats("rs", sizes, zeros),
                         raw_tensor("rz", sizes, u8_type, points)},
                        {value("x", {1, 1, 1})},
                        {value("y", {1, 1, 1, 1})}};
        return results_of(make_model(net), {floats_of({1, 1, 1}, {0.5})})[0][0];
    };
    const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    const auto wanted = [&](double input, double output, double candidate) {
        return sigmoid(output / 2) * std::tanh(sigmoid(input / 2) * std::tanh(candidate / 2));
    };
    CHECK(state_of({1}, {0.5F}) == doctest::Approx(wanted(1, -1, 3)).epsilon(1e-5));
    CHECK(state_of({1, 4}, {0.5F, 1, 2, 0.25F}) == doctest::Approx(wanted(1, -2, 1.5)).epsilon(1e-5));
}

TEST_CASE("The bytes of dequantized LSTM weights are put in order, so that their dequantization stands right above the "
          "operation") {
    const auto dequantized = [](const std::string& weights) {
        return make_node("DequantizeLinear", {weights + "_bytes", weights + "_scale", weights + "_zero"}, {weights},
                         {integer("axis", 1)});
    };
    const std::vector<float> scales{0.5F, 1, 2, 4};
    const parts net{
        {dequantized("w"), dequantized("r"), make_node("LSTM", {"x", "w", "r"}, {"y"}, {integer("hidden_size", 1)})},
        {raw_tensor("w_bytes", {1, 4, 1}, i8_type, "\x01\x02\x03\x04"),
         raw_tensor("r_bytes", {1, 4, 1}, i8_type, "\x05\x06\x07\x08"), floats("w_scale", {4}, scales),
         floats("r_scale", {4}, scales), raw_tensor("w_zero", {4}, i8_type, "\x01\x01\x01\x01"),
         raw_tensor("r_zero", {4}, i8_type, "\x01\x01\x01\x01")},
        {value("x", {1, 1, 1})},
        {value("y", {1, 1, 1, 1})}};
    const graph model = import_content(make_model(net, 14));
    for (const node_id id : topological_order(model)) {
        if (!model[id].is<op::lstm_sequence>()) {
            continue;
        }
        for (const std::size_t port : {4U, 5U}) {
            node_id above = model.producer(id, port);
            for (const op::kind kind : {op::kind::multiply, op::kind::subtract, op::kind::convert}) {
                REQUIRE(model[above].kind() == kind);
                above = model.producer(above, 0);
            }
            CHECK(model[above].type() == i8);
        }
    }
    // Half of 0, 1, 4 and 12: the rows of input gate, output gate, forget gate and candidate.
    const double wanted = std::tanh(0.5 * std::tanh(6.0)) / (1 + std::exp(-0.5));
    CHECK(results_of(make_model(net, 14), {floats_of({1, 1, 1}, {0.5})})[0][0] ==
          doctest::Approx(wanted).epsilon(1e-5));
}

TEST_CASE("LSTM refuses weights of one axis") {
    const parts net{{make_node("LSTM", {"x", "w", "w"}, {"y"}, {integer("hidden_size", 1)})},
                    {},
                    {value("x", {1, 1, 2}), value("w", {4})},
                    {value("y", {-1})}};
    CHECK_THROWS_WITH_AS(import_content(make_model(net, 14)), doctest::Contains("axis 1 is outside the 1 axes"), error);
}

TEST_CASE("TransposeMatMul turns its first matrix") {
    const parts net{{make_node("TransposeMatMul", {"a", "b"}, {"y"}, {integer("transA", 1)}, microsoft)},
                    {},
                    {value("a", {2, 1}), value("b", {2, 1})},
                    {value("y", {1, 1})}};
    CHECK(results_of(make_model(net), {floats_of({2, 1}, {1, 2}), floats_of({2, 1}, {3, 4})})[0] == values{11});
}

TEST_CASE("Operators that look at a certain axis refuse inputs without it") {
    const auto check_refused = [](const std::string& node, const words& inputs) {
        const parts net{{node}, {}, inputs, {value("y", {-1})}};
        CHECK_THROWS_WITH_AS(import_content(make_model(net)), doctest::Contains("needs more axes than its input has"),
                             error);
    };
    check_refused(make_node("MultiHeadAttention", {"x", "x", "x"}, {"y"}, {integer("num_heads", 1)}, microsoft),
                  {value("x", {2, 2})});
    check_refused(make_node("LSTM", {"x", "w", "w"}, {"y"}), {value("x", {1, 1, 2}), value("w", {1, 4})});
    check_refused(make_node("AffineGrid", {"x", "x"}, {"y"}), {value("x", {2})});
}
