// SPDX-License-Identifier: Apache-2.0
#include "tests/import/network_file.hpp"
#include "tests/support/reference.hpp"

#include <doctest/doctest.h>

#include <sstream>

/// Layers of OpenVINO IR that become several operations.
namespace {

using namespace lpt;
using namespace lpt::testing;
using values = std::vector<double>;

std::string sizes_of(const shape& dimensions) {
    std::string result;
    for (const dimension size : dimensions) {
        result += (result.empty() ? "" : ",") + std::to_string(size);
    }
    return result;
}

/// A network of one layer, whose inputs are those of the network; `constants` of them are part of the file, the last ones.
graph network_of(const std::string& type, const std::string& opset, const std::string& data,
                 const std::vector<tensor>& inputs, int outputs = 1, std::size_t constants = 0) {
    std::string layers;
    std::string edges;
    std::string ports;
    std::string weights;
    const int tested = static_cast<int>(inputs.size());
    for (int i = 0; i < tested; ++i) {
        const tensor& each = inputs[static_cast<std::size_t>(i)];
        const std::string what = " element_type=\"" + std::string(name(each.type()).data(), name(each.type()).size()) +
                                 "\" shape=\"" + sizes_of(each.dimensions()) + "\"";
        const bool is_constant = static_cast<std::size_t>(i) + constants >= inputs.size();
        const std::string place =
            " offset=\"" + std::to_string(weights.size()) + "\" size=\"" + std::to_string(each.size_in_bytes()) + "\"";
        layers += layer(i, is_constant ? "Const" : "Parameter", "in" + std::to_string(i),
                        "<data" + what + (is_constant ? place : std::string()) + "/>", "", port(0, "", ""));
        if (is_constant) {
            weights.append(reinterpret_cast<const char*>(each.data()), each.size_in_bytes());
        }
        edges += edge(i, 0, tested, i);
        ports += port(i, "", "");
    }
    std::string given;
    std::string results;
    for (int i = 0; i < outputs; ++i) {
        given += port(tested + i, "", "");
        results += layer(tested + 1 + i, "Result", "out" + std::to_string(i), "", port(0, "", ""), "");
        edges += edge(tested, tested + i, tested + 1 + i, 0);
    }
    layers += layer(tested, type, "tested", "<data " + data + "/>", ports, given, opset) + results;
    const temporary_folder folder;
    folder.write("model.bin", weights);
    return import_openvino_ir(folder.write("model.xml", testing::net(layers, edges)));
}

std::vector<values> results_of(const std::string& type, const std::string& opset, const std::string& data,
                               const std::vector<tensor>& inputs, int outputs = 1, std::size_t constants = 0) {
    const graph model = network_of(type, opset, data, inputs, outputs, constants);
    std::vector<values> all;
    for (const tensor& each :
         reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size() - constants))) {
        all.emplace_back();
        for (std::size_t i = 0; i < each.elements(); ++i) {
            all.back().push_back(each.real(i));
        }
    }
    return all;
}
void check_near(const values& given, const values& wanted) {
    REQUIRE(given.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i);
        CHECK(given[i] == doctest::Approx(wanted[i]).epsilon(1e-5));
    }
}
tensor reals(const shape& dimensions, const values& all) {
    return make_tensor(f32, dimensions, view<double>(all.data(), all.size()));
}
tensor whole(const shape& dimensions, const std::vector<std::int64_t>& all, element type = i64) {
    return make_integer_tensor(type, dimensions, view<std::int64_t>(all.data(), all.size()));
}

}  // namespace

TEST_CASE("Einsum of OpenVINO IR is a matrix product where the formula says one") {
    const tensor a = reals({2, 2}, {1, 2, 3, 4});
    const tensor b = reals({2, 2}, {5, 6, 7, 8});
    CHECK(results_of("Einsum", "opset7", R"(equation="ab,bc->ac")", {a, b})[0] == values{19, 22, 43, 50});
    CHECK(results_of("Einsum", "opset7", R"(equation="ii->i")", {a})[0] == values{1, 4});
    const graph model = network_of("Einsum", "opset7", R"(equation="ab,bc->ac")", {a, b});
    CHECK(model[model.producer(model.results()[0], 0)].is<op::mat_mul>());
    CHECK(model[model.producer(model.results()[0], 0)].name() == "tested");
}

TEST_CASE("Einsum refuses formulas that do not fit its operands") {
    const tensor a = reals({2, 2}, {1, 2, 3, 4});
    CHECK_THROWS_WITH_AS(network_of("Einsum", "opset7", R"(equation="ab,bc->ac")", {a}),
                         doctest::Contains("does not name 1 operands"), error);
    CHECK_THROWS_WITH_AS(network_of("Einsum", "opset7", R"(equation="abc->a")", {a}),
                         doctest::Contains("the term 'abc' does not fit 2 axes"), error);
    CHECK_THROWS_WITH_AS(network_of("Einsum", "opset6", R"(equation="ab->a")", {a}),
                         doctest::Contains("operation Einsum is not in opset6"), error);
}

TEST_CASE("RNNCell and RNNSequence compute one function of data, state and bias") {
    const tensor weights = reals({1, 1}, {2});
    const tensor of_state = reals({1, 1}, {0.5});
    const tensor bias = reals({1}, {1});
    const std::string relu = R"(hidden_size="1" activations="relu")";
    CHECK(results_of("RNNCell", "opset1", relu, {reals({1, 1}, {3}), reals({1, 1}, {4}), weights, of_state, bias})[0] ==
          values{9});
    CHECK(results_of("RNNCell", "opset1", relu + R"( clip="2.5")",
                     {reals({1, 1}, {3}), reals({1, 1}, {4}), weights, of_state, bias})[0] == values{2.5});
    const std::vector<tensor> inputs{reals({1, 3, 1}, {1, 2, 3}), reals({1, 1, 1}, {4}),   whole({1}, {2}),
                                     reals({1, 1, 1}, {2}),       reals({1, 1, 1}, {0.5}), reals({1, 1}, {1})};
    const std::vector<values> made = results_of("RNNSequence", "opset5", relu + R"( direction="forward")", inputs, 2);
    check_near(made[0], {5, 7.5, 0});
    check_near(made[1], {7.5});
    check_near(results_of("RNNSequence", "opset5", relu + R"( direction="reverse" clip="6")", inputs, 2)[0], {6, 6, 0});
    CHECK_THROWS_WITH_AS(network_of("RNNCell", "opset1", R"(hidden_size="0")",
                                    {reals({1, 1}, {3}), reals({1, 1}, {4}), weights, of_state, bias}),
                         doctest::Contains("hidden_size must be 1 to 16777216, not 0"), error);
}

TEST_CASE("Eye has ones on the diagonal that an input names") {
    const auto eye = [](std::int64_t diagonal) {
        return results_of("Eye", "opset9", R"(output_type="i32")",
                          {whole({1}, {2}, i32), whole({}, {3}, i32), whole({1}, {diagonal}, i32)})[0];
    };
    CHECK(eye(0) == values{1, 0, 0, 0, 1, 0});
    CHECK(eye(1) == values{0, 1, 0, 0, 0, 1});
    CHECK(eye(-1) == values{0, 0, 0, 1, 0, 0});
    CHECK(results_of("Eye", "opset9", R"(output_type="f32")",
                     {whole({}, {1}), whole({}, {2}), whole({}, {0}), whole({1}, {2})})[0] == values{1, 0, 1, 0});
}

TEST_CASE("Bucketize and SearchSorted count limits below a number, or up to it") {
    const tensor x = reals({5}, {0, 1, 2, 3, 9});
    const tensor limits = whole({2}, {1, 3}, i32);
    CHECK(results_of("Bucketize", "opset3", R"(output_type="i32")", {x, limits})[0] == values{0, 0, 1, 1, 2});
    CHECK(results_of("Bucketize", "opset3", R"(output_type="i64" with_right_bound="false")", {x, limits})[0] ==
          values{0, 1, 1, 2, 2});
    const tensor sorted = reals({2, 3}, {1, 2, 3, 2, 2, 4});
    const tensor wanted = reals({2, 2}, {2, 9, 2, 3});
    CHECK(results_of("SearchSorted", "opset15", R"(right_mode="false")", {sorted, wanted})[0] == values{1, 3, 0, 2});
    CHECK(results_of("SearchSorted", "opset15", R"(right_mode="true")", {sorted, wanted})[0] == values{2, 3, 2, 2});
    CHECK_THROWS_WITH_AS(network_of("Bucketize", "opset3", R"(output_type="f32")", {x, limits}),
                         doctest::Contains("attribute 'output_type' must be i32 or i64, not f32"), error);
}

TEST_CASE("Unique gives elements or slices, where they are first, which each was and how many") {
    const std::vector<values> made =
        results_of("Unique", "opset10", R"(sorted="false")", {reals({4}, {7, 2, 7, 5})}, 4);
    CHECK(made == std::vector<values>{{7, 2, 5}, {0, 1, 3}, {0, 1, 0, 2}, {2, 1, 1}});
    const std::vector<values> slices =
        results_of("Unique", "opset10", R"(sorted="true")", {reals({3, 2}, {3, 1, 2, 5, 3, 1}), whole({}, {0})}, 4, 1);
    CHECK(slices == std::vector<values>{{2, 5, 3, 1}, {1, 0}, {1, 0, 1}, {1, 2}});
}

TEST_CASE("bags of embeddings are sums or means of rows of a table") {
    const tensor table = reals({3, 2}, {1, 2, 10, 20, 100, 200});
    const tensor indices = whole({4}, {0, 2, 1, 1});
    const tensor begins = whole({3}, {0, 1, 1});
    CHECK(results_of("EmbeddingBagOffsetsSum", "opset3", "", {table, indices, begins})[0] ==
          values{1, 2, 0, 0, 120, 240});
    CHECK(results_of("EmbeddingBagOffsetsSum", "opset3", "",
                     {table, indices, begins, whole({}, {2}), reals({4}, {2, 1, 1, 0})})[0] ==
          values{2, 4, 100, 200, 110, 220});
    CHECK(results_of("EmbeddingBagOffsets", "opset15", R"(reduction="mean")",
                     {table, indices, begins, whole({}, {-1})})[0] == values{1, 2, 0, 0, 40, 80});
    CHECK(results_of("EmbeddingBagPackedSum", "opset3", "",
                     {table, whole({2, 2}, {0, 1, 2, 2}), reals({2, 2}, {1, 3, 0.5, 0})})[0] ==
          values{31, 62, 50, 100});
    CHECK(results_of("EmbeddingSegmentsSum", "opset3", "",
                     {table, indices, whole({4}, {0, 0, 2, 2}), whole({}, {4})})[0] ==
          values{101, 202, 0, 0, 20, 40, 0, 0});
}

TEST_CASE("Col2Im adds blocks up where they lie over each other") {
    const tensor ones = reals({1, 4, 4}, values(16, 1));
    CHECK(results_of("Col2Im", "opset15", R"(strides="1,1")", {ones, whole({2}, {3, 3}), whole({2}, {2, 2})})[0] ==
          values{1, 2, 1, 2, 4, 2, 1, 2, 1});
}

TEST_CASE("STFT sees frames through a window that stands in their middle") {
    const tensor signal = reals({4}, {1, 2, 3, 4});
    const tensor window = reals({1}, {1});  // of frames of three samples the second one
    const auto spectra = [&](const std::string& transposed) {
        return results_of("STFT", "opset15", "transpose_frames=\"" + transposed + "\"",
                          {signal, window, whole({}, {3}), whole({}, {1})})[0];
    };
    const double half = std::sqrt(0.75);
    check_near(spectra("false"), {2, 0, -1, -2 * half, 3, 0, -1.5, -3 * half});
    check_near(spectra("true"), {2, 0, 3, 0, -1, -2 * half, -1.5, -3 * half});
}

TEST_CASE("layers that become several operations are refused with too few inputs and with outputs they do not have") {
    const tensor a = reals({2}, {1, 2});
    CHECK_THROWS_WITH_AS(network_of("Bucketize", "opset3", "", {a}), doctest::Contains("has 1 inputs, expected 2 to 2"),
                         error);
    CHECK_THROWS_WITH_AS(network_of("Einsum", "opset7", R"(equation="a->")", {a}, 2),
                         doctest::Contains("declares 2 outputs, but the operation has 1"), error);
}
