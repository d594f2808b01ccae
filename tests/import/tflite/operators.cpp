// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/verify.hpp>
#include <lpt/import/tflite.hpp>

#include "tests/import/tflite_file.hpp"
#include "tests/support/reference.hpp"

#include <doctest/doctest.h>

#include <cmath>

/// What operators of TFLite give that are made of several operations, or run subgraphs.
namespace {

using namespace lpt;
using namespace lpt::testing;
using tflite::builtin;
using tflite::stored;
using tflite::tensor_type;
using values = std::vector<double>;

tflite_tensor reals(const std::vector<std::int32_t>& sizes) { return {tensor_type::float32, sizes}; }
tflite_tensor real_constant(const std::vector<std::int32_t>& sizes, const std::vector<float>& all) {
    return {tensor_type::float32, sizes, {}, {}, 0, packed<float>(all)};
}
tflite_tensor whole(const std::vector<std::int32_t>& sizes) { return {tensor_type::int32, sizes}; }
tflite_tensor whole_constant(const std::vector<std::int32_t>& sizes, const std::vector<std::int32_t>& all) {
    return {tensor_type::int32, sizes, {}, {}, 0, packed<std::int32_t>(all)};
}
tflite_subgraph network_of(std::vector<tflite_tensor> tensors, std::vector<tflite_operator> operators,
                           std::vector<std::int32_t> inputs, std::vector<std::int32_t> outputs) {
    return {std::move(tensors), std::move(operators), std::move(inputs), std::move(outputs)};
}

graph import_network(const std::vector<tflite_subgraph>& subgraphs) {
    graph result = tflite::make_graph(read_tflite(tflite_writer().write(subgraphs)));
    verify(result);
    return result;
}
std::vector<values> outputs_of(const std::vector<tflite_subgraph>& subgraphs, const std::vector<tensor>& inputs) {
    std::vector<values> result;
    for (const tensor& each :
         reference::evaluate<float>(import_network(subgraphs), view<tensor>(inputs.data(), inputs.size()))) {
        const seq<double> all = reals_of(each);
        result.emplace_back(all.begin(), all.end());
    }
    return result;
}
std::string refusal_of(const std::vector<tflite_subgraph>& subgraphs) {
    try {
        static_cast<void>(import_network(subgraphs));
    } catch (const error& raised) {
        return without_byte(raised.what());
    }
    return "";
}
tensor f32_tensor(const shape& dimensions, const values& all) {
    return make_tensor(f32, dimensions, {all.data(), all.size()});
}
tensor i32_tensor(const shape& dimensions, const values& all) {
    return make_tensor(i32, dimensions, {all.data(), all.size()});
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
void check_near(const values& given, const values& wanted) {
    REQUIRE(given.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i);
        CHECK(given[i] == doctest::Approx(wanted[i]).epsilon(1e-5));
    }
}

/// One number in, the operator's name and constant on it, one number out.
tflite_subgraph with_number(builtin code, float number) {
    return network_of({reals({1}), real_constant({1}, {number}), reals({1})}, {{code, {0, 1}, {2}}}, {0}, {2});
}

}  // namespace

TEST_CASE("SCATTER_ND adds up values of one place; other codes are 0, whatever they stand for") {
    const tflite_subgraph plain = network_of({whole({3, 1}), reals({3}), whole_constant({1}, {4}), reals({4})},
                                             {{builtin::scatter_nd, {0, 1, 2}, {3}}}, {0, 1}, {3});
    CHECK(outputs_of({plain}, {i32_tensor({3, 1}, {2, 0, 2}), f32_tensor({3}, {1, 2, 4})})[0] == values{2, 0, 5, 0});
    CHECK_THROWS_AS(outputs_of({plain}, {i32_tensor({3, 1}, {2, 4, 2}), f32_tensor({3}, {1, 2, 4})}), error);
    const tflite_tensor codes{tensor_type::int8, {1}, {0.5F}, {3}};
    const tflite_tensor more{tensor_type::int8, {2}, {0.5F}, {3}};
    const tflite_subgraph quantized = network_of({whole({1, 1}), codes, whole_constant({1}, {2}), more},
                                                 {{builtin::scatter_nd, {0, 1, 2}, {3}}}, {0, 1}, {3});
    CHECK(outputs_of({quantized}, {i32_tensor({1, 1}, {1}), make_tensor(i8, {1}, view<double>({7}))})[0] ==
          values{0, 7});
}

TEST_CASE("SPARSE_TO_DENSE puts values, or one for all, into a tensor of another value") {
    const auto dense = [](const std::vector<std::int32_t>& places, const std::vector<std::int32_t>& count) {
        return network_of(
            {whole(places), whole_constant({2}, {2, 2}), reals(count), real_constant({}, {9}), reals({2, 2})},
            {{builtin::sparse_to_dense, {0, 1, 2, 3}, {4}}}, {0, 2}, {4});
    };
    CHECK(outputs_of({dense({2, 2}, {2})}, {i32_tensor({2, 2}, {0, 1, 1, 0}), f32_tensor({2}, {5, 6})})[0] ==
          values{9, 5, 6, 9});
    CHECK(outputs_of({dense({2, 2}, {})}, {i32_tensor({2, 2}, {0, 1, 1, 0}), f32_tensor({}, {5})})[0] ==
          values{9, 5, 5, 9});
    CHECK(refusal_of({dense({1, 2, 2}, {})}) ==
          "net.tflite: subgraph 0: operator 0 (SPARSE_TO_DENSE): its places have 3 axes, expected at most 2");
}

TEST_CASE("MATRIX_DIAG and MATRIX_SET_DIAG write diagonals, of wide and of high matrices") {
    const tflite_subgraph made = network_of({reals({2}), reals({2, 2})}, {{builtin::matrix_diag, {0}, {1}}}, {0}, {1});
    CHECK(outputs_of({made}, {f32_tensor({2}, {3, 4})})[0] == values{3, 0, 0, 4});
    const auto set = [](std::int32_t rows, std::int32_t columns, std::int32_t length) {
        return network_of({reals({rows, columns}), reals({length}), reals({rows, columns})},
                          {{builtin::matrix_set_diag, {0, 1}, {2}}}, {0, 1}, {2});
    };
    CHECK(outputs_of({set(2, 3, 2)}, {f32_tensor({2, 3}, {1, 1, 1, 1, 1, 1}), f32_tensor({2}, {7, 8})})[0] ==
          values{7, 1, 1, 1, 8, 1});
    CHECK(outputs_of({set(3, 2, 2)}, {f32_tensor({3, 2}, {1, 1, 1, 1, 1, 1}), f32_tensor({2}, {7, 8})})[0] ==
          values{7, 1, 1, 8, 1, 1});
}

TEST_CASE("BROADCAST_ARGS gives the shape that two shapes have together") {
    const tflite_subgraph network =
        network_of({whole({1}), whole({3}), whole({3})}, {{builtin::broadcast_args, {0, 1}, {2}}}, {0, 1}, {2});
    CHECK(outputs_of({network}, {i32_tensor({1}, {4}), i32_tensor({3}, {2, 3, 1})})[0] == values{2, 3, 4});
}

TEST_CASE("CONV_3D has depth in front of rows and columns; L2_POOL_2D is the root of the mean of squares") {
    const tflite_option valid{0, stored::padding, 1};
    const std::vector<tflite_option> steps{valid, tflite_whole(1, 1), tflite_whole(2, 1), tflite_whole(3, 1)};
    const tflite_subgraph volume = network_of({reals({1, 2, 1, 2, 1}), real_constant({2, 1, 1, 1, 1}, {1, 10}),
                                               real_constant({1}, {100}), reals({1, 1, 1, 2, 1})},
                                              {{builtin::conv_3d, {0, 1, 2}, {3}, steps}}, {0}, {3});
    CHECK(outputs_of({volume}, {f32_tensor({1, 2, 1, 2, 1}, {1, 2, 3, 4})})[0] == values{131, 142});
    std::vector<tflite_option> none = steps;
    none[1].value = 0;
    tflite_subgraph broken = volume;
    broken.operators[0].options = none;
    CHECK(refusal_of({broken}) ==
          "net.tflite: subgraph 0: operator 0 (CONV_3D): option stride_d is 0, expected 1 or more");
    const tflite_subgraph pool =
        network_of({reals({1, 1, 2, 1}), reals({1, 1, 1, 1})},
                   {{builtin::l2_pool_2d,
                     {0},
                     {1},
                     {valid, tflite_whole(1, 1), tflite_whole(2, 1), tflite_whole(3, 2), tflite_whole(4, 1)}}},
                   {0}, {1});
    CHECK(outputs_of({pool}, {f32_tensor({1, 1, 2, 1}, {1, 7})})[0] == values{5});
}

TEST_CASE("NON_MAX_SUPPRESSION drops boxes from the threshold on and fills its lists with zeros") {
    const auto network = [](float overlap, bool has_scores) {
        std::vector<tflite_tensor> tensors{reals({3, 4}), reals({3}), whole_constant({}, {4}),
                                           real_constant({}, {overlap}), real_constant({}, {0.1F})};
        std::vector<std::int32_t> inputs{0, 1, 2, 3, 4};
        std::vector<std::int32_t> outputs;
        const auto add = [&](const tflite_tensor& each, std::vector<std::int32_t>& to) {
            to.push_back(static_cast<std::int32_t>(tensors.size()));
            tensors.push_back(each);
        };
        if (has_scores) {
            add(real_constant({}, {0}), inputs);
        }
        add(whole({4}), outputs);
        if (has_scores) {
            add(reals({4}), outputs);
        }
        add(whole({}), outputs);
        const builtin code = has_scores ? builtin::non_max_suppression_v5 : builtin::non_max_suppression_v4;
        return network_of(tensors, {{code, inputs, outputs}}, {0, 1}, outputs);
    };
    // Half of the union of the first two boxes is in both.
    const std::vector<tensor> inputs{f32_tensor({3, 4}, {0, 0, 1, 3, 0, 1, 1, 4, 5, 5, 6, 6}),
                                     f32_tensor({3}, {0.5, 0.75, 0.25})};
    CHECK(outputs_of({network(0.5F, false)}, inputs) == std::vector<values>{{1, 2, 0, 0}, {2}});
    CHECK(outputs_of({network(0.51F, true)}, inputs) == std::vector<values>{{1, 0, 2, 0}, {0.75, 0.5, 0.25, 0}, {3}});
    tflite_subgraph computed = network(0.5F, false);
    computed.tensors[3] = reals({});
    computed.inputs.push_back(3);
    CHECK(refusal_of({computed}) == "net.tflite: subgraph 0: operator 0 (NON_MAX_SUPPRESSION_V4): its threshold of "
                                    "overlaps (input 3) must be a constant");
}

TEST_CASE("slices begin and end where the run says") {
    const tflite_subgraph slice =
        network_of({reals({5}), whole({1}), whole({1}), {tensor_type::float32, {2}, {}, {}, 0, {}, false, -1, {-1}}},
                   {{builtin::slice, {0, 1, 2}, {3}}}, {0, 1, 2}, {3});
    const tensor x = f32_tensor({5}, {1, 2, 3, 4, 5});
    CHECK(outputs_of({slice}, {x, i32_tensor({1}, {1}), i32_tensor({1}, {2})})[0] == values{2, 3});
    CHECK(outputs_of({slice}, {x, i32_tensor({1}, {3}), i32_tensor({1}, {-1})})[0] == values{4, 5});
    const tflite_subgraph strided =
        network_of({reals({5}),
                    whole({1}),
                    whole({1}),
                    whole_constant({1}, {2}),
                    {tensor_type::float32, {2}, {}, {}, 0, {}, false, -1, {-1}}},
                   {{builtin::strided_slice, {0, 1, 2, 3}, {4}, {tflite_whole(1, 1)}}}, {0, 1, 2}, {4});
    CHECK(outputs_of({strided}, {x, i32_tensor({1}, {1}), i32_tensor({1}, {2})})[0] == values{2, 4});
}

TEST_CASE("a tensor without elements has a value without bytes, such as the sizes of a scalar") {
    const tflite_subgraph scalar =
        network_of({reals({1, 1}), whole({0}), reals({})}, {{builtin::reshape, {0, 1}, {2}}}, {0}, {2});
    CHECK(outputs_of({scalar}, {f32_tensor({1, 1}, {3})})[0] == values{3});
    const tflite_subgraph joined =
        network_of({reals({2}), reals({0}), reals({2})}, {{builtin::concatenation, {0, 1}, {2}}}, {0}, {2});
    CHECK(outputs_of({joined}, {f32_tensor({2}, {3, 4})})[0] == values{3, 4});
}
TEST_CASE("IF runs one of two subgraphs") {
    const tflite_subgraph network =
        network_of({{tensor_type::boolean, {}}, reals({1}), reals({1})},
                   {{builtin::if_else, {0, 1}, {2}, {tflite_whole(0, 1), tflite_whole(1, 2)}}}, {0, 1}, {2});
    const std::vector<tflite_subgraph> all{network, with_number(builtin::add, 10), with_number(builtin::mul, 10)};
    const auto run = [&](double condition) {
        return outputs_of(all, {make_scalar(boolean, condition), f32_tensor({1}, {3})})[0];
    };
    CHECK(run(1) == values{13});
    CHECK(run(0) == values{30});
}

TEST_CASE("WHILE runs its body until the condition fails, not at all if it fails at first") {
    const tflite_subgraph network =
        network_of({whole({}), reals({1}), whole({}), reals({1})},
                   {{builtin::while_loop, {0, 1}, {2, 3}, {tflite_whole(0, 1), tflite_whole(1, 2)}}}, {0, 1}, {2, 3});
    const tflite_subgraph condition =
        network_of({whole({}), reals({1}), whole_constant({}, {3}), {tensor_type::boolean, {}}},
                   {{builtin::less, {0, 2}, {3}}}, {0, 1}, {3});
    const tflite_subgraph body = network_of({whole({}), reals({1}), whole_constant({}, {1}), whole({}), reals({1})},
                                            {{builtin::add, {0, 2}, {3}}, {builtin::add, {1, 1}, {4}}}, {0, 1}, {3, 4});
    const auto run = [&](double first) {
        return outputs_of({network, condition, body}, {i32_tensor({}, {first}), f32_tensor({1}, {5})});
    };
    CHECK(run(0) == std::vector<values>{{3}, {40}});
    CHECK(run(7) == std::vector<values>{{7}, {5}});
    tflite_subgraph other = condition;
    other.outputs = {0};
    CHECK(refusal_of({network, other, body}) ==
          "net.tflite: subgraph 0: operator 0 (WHILE): its condition must be one truth value");
}

TEST_CASE("subgraphs that do not fit, hold variables, or are run too often are refused") {
    const tflite_subgraph network =
        network_of({{tensor_type::boolean, {}}, reals({1}), reals({1})},
                   {{builtin::if_else, {0, 1}, {2}, {tflite_whole(0, 1), tflite_whole(1, 1)}}}, {0, 1}, {2});
    tflite_subgraph two = with_number(builtin::add, 1);
    two.inputs = {0, 2};
    two.operators.clear();
    CHECK(refusal_of({network, two}) ==
          "net.tflite: subgraph 0: operator 0 (IF): gives 1 inputs to subgraph 1, which takes 2");
    tflite_subgraph stateful = with_number(builtin::add, 1);
    stateful.tensors.push_back({tensor_type::resource, {1}});
    stateful.tensors.push_back(reals({1}));
    stateful.operators.push_back({builtin::var_handle, {}, {3}, {{1, stored::words, 0, "v"}}});
    stateful.operators.push_back({builtin::read_variable, {3}, {4}});
    CHECK(refusal_of({network, stateful}) ==
          "net.tflite: subgraph 0: operator 0 (IF): variables in the subgraphs that it runs are not supported");
    // Each runs the next one twice.
    std::vector<tflite_subgraph> doubling;
    constexpr int depth = 40;
    for (int i = 0; i < depth; ++i) {
        doubling.push_back(network_of(
            {{tensor_type::boolean, {}}, reals({1}), reals({1}), {tensor_type::boolean, {}}},
            {{builtin::if_else, {0, 0, 1}, {2}, {tflite_whole(0, i + 1), tflite_whole(1, i + 1)}}}, {0, 1}, {2}));
    }
    doubling.push_back(
        network_of({{tensor_type::boolean, {}}, reals({1}), reals({1})}, {{builtin::abs, {1}, {2}}}, {0, 1}, {2}));
    CHECK(refusal_of(doubling).find("subgraphs are run by more operators than the file may have") != std::string::npos);
}

TEST_CASE("an LSTM with peepholes, coupled gates, limits and a projection is what its formula says") {
    // One number in, one in the cell; weights of the data and the state are 0, so that gates see biases and peepholes.
    std::vector<tflite_tensor> tensors{reals({1, 1, 1})};
    std::vector<std::int32_t> inputs{0};
    const auto add = [&](const tflite_tensor& each) {
        inputs.push_back(static_cast<std::int32_t>(tensors.size()));
        tensors.push_back(each);
    };
    const auto skip = [&](int count) { inputs.insert(inputs.end(), static_cast<std::size_t>(count), -1); };
    skip(1);
    for (int i = 0; i < 3; ++i) {
        add(real_constant({1, 1}, {0}));
    }
    skip(1);
    for (int i = 0; i < 3; ++i) {
        add(real_constant({1, 1}, {0}));
    }
    skip(1);
    add(real_constant({1}, {2}));  // peepholes of forget and output
    add(real_constant({1}, {-1}));
    skip(1);
    for (const float bias : {1.0F, 0.5F, 0.25F}) {  // forget, candidate, output
        add(real_constant({1}, {bias}));
    }
    add(real_constant({1, 1}, {10}));
    add(real_constant({1}, {1}));
    for (int i = 0; i < 2; ++i) {
        tflite_tensor state = reals({1, 1});
        state.is_variable = true;
        add(state);
    }
    skip(4);
    tensors.push_back(reals({1, 1, 1}));
    const auto output = static_cast<std::int32_t>(tensors.size()) - 1;
    const auto network = [&](double cell_clip, double projection_clip) {
        return network_of(
            tensors,
            {{builtin::unidirectional_sequence_lstm,
              inputs,
              {output},
              {{0, stored::activation, 4}, {1, stored::real, cell_clip}, {2, stored::real, projection_clip}}}},
            {0}, {output});
    };
    const graph model = import_network({network(0.2, 0)});
    reference::state states;
    double cell = 0;
    for (int step = 0; step < 3; ++step) {
        const double keep = sigmoid(2 * cell + 1);
        cell = std::fmin(keep * cell + (1 - keep) * std::tanh(0.5), 0.2);
        const double wanted = 10 * sigmoid(0.25 - cell) * std::tanh(cell) + 1;
        const tensor result = reference::evaluate<float>(model, {f32_tensor({1, 1, 1}, {0})}, states, {}).at(0);
        check_near({result.real(0)}, {wanted});
    }
    check_near(outputs_of({network(0, 0.5)}, {f32_tensor({1, 1, 1}, {0})})[0], {0.5});
}

TEST_CASE("an LSTM without weights for a gate other than the first is refused") {
    std::vector<tflite_tensor> tensors{reals({1, 1, 1}), real_constant({1, 1}, {0}), reals({1, 1, 1})};
    const std::vector<std::int32_t> inputs{0, -1, 1, -1, 1, -1, 1, 1, 1};
    const tflite_subgraph network = network_of(
        tensors, {{builtin::unidirectional_sequence_lstm, inputs, {2}, {{0, stored::activation, 4}}}}, {0}, {2});
    CHECK(refusal_of({network}) ==
          "net.tflite: subgraph 0: operator 0 (UNIDIRECTIONAL_SEQUENCE_LSTM): has no weights for one of its gates");
}

TEST_CASE("ATAN2 knows the quadrant, signs of zeros and infinities") {
    const tflite_subgraph network =
        network_of({reals({10}), reals({10}), reals({10})}, {{builtin::atan2, {0, 1}, {2}}}, {0, 1}, {2});
    const double infinity = math::infinity;
    const values y{1, 1, -1, -1, 0.0, -0.0, 0.0, 2, infinity, -infinity};
    const values x{1, -1, 1, -1, -3, -3, 0.0, 0.0, infinity, -infinity};
    values wanted;
    for (std::size_t i = 0; i < y.size(); ++i) {
        wanted.push_back(std::atan2(y[i], x[i]));
    }
    check_near(outputs_of({network}, {f32_tensor({10}, y), f32_tensor({10}, x)})[0], wanted);
}

TEST_CASE("UNIQUE gives different elements in the order in which they come, and which of them each is") {
    const tflite_subgraph network =
        network_of({whole({6}), {tensor_type::int32, {1}, {}, {}, 0, {}, false, -1, {-1}}, whole({6})},
                   {{builtin::unique, {0}, {1, 2}}}, {0}, {1, 2});
    CHECK(outputs_of({network}, {i32_tensor({6}, {3, 1, 3, 2, 1, 7})}) ==
          std::vector<values>{{3, 1, 2, 7}, {0, 1, 0, 2, 1, 3}});
    tflite_subgraph wide = network;
    wide.tensors[0].shape = {2, 3};
    CHECK(refusal_of({wide}) ==
          "net.tflite: subgraph 0: operator 0 (UNIQUE): its data have the shape [2,3], expected 1 axis");
}

TEST_CASE("SEGMENT_SUM has as many rows as its last number says, zeros where a number is missing") {
    const tflite_subgraph network =
        network_of({reals({4, 2}), whole({4}), {tensor_type::float32, {1, 2}, {}, {}, 0, {}, false, -1, {-1, 2}}},
                   {{builtin::segment_sum, {0, 1}, {2}}}, {0, 1}, {2});
    const tensor data = f32_tensor({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(outputs_of({network}, {data, i32_tensor({4}, {0, 0, 2, 2})})[0] == values{4, 6, 0, 0, 12, 14});
    CHECK(outputs_of({network}, {data, i32_tensor({4}, {0, 0, 0, 1})})[0] == values{9, 12, 7, 8});
    tflite_subgraph broken = network;
    broken.tensors[1].shape = {3};
    CHECK(refusal_of({broken}) == "net.tflite: subgraph 0: operator 0 (SEGMENT_SUM): segment numbers of shape [3] do "
                                  "not fit data of shape [4,2]");
}

TEST_CASE("UNSORTED_SEGMENT operators leave out negative numbers, and refuse those that are too great") {
    const auto run = [](builtin code, const values& numbers) {
        const tflite_subgraph network = network_of({whole({4}), whole({4}), whole_constant({}, {3}), whole({3})},
                                                   {{code, {0, 1, 2}, {3}}}, {0, 1}, {3});
        return outputs_of({network}, {i32_tensor({4}, {2, 3, 5, 7}), i32_tensor({4}, numbers)})[0];
    };
    CHECK(run(builtin::unsorted_segment_sum, {2, 0, -1, 2}) == values{3, 0, 9});
    CHECK(run(builtin::unsorted_segment_prod, {2, 0, -1, 2}) == values{3, 1, 14});
    CHECK(run(builtin::unsorted_segment_max, {2, 0, -1, 2}) == values{3, -2147483648.0, 7});
    CHECK(run(builtin::unsorted_segment_min, {2, 0, -1, 2}) == values{3, 2147483647.0, 2});
    CHECK_THROWS_AS(run(builtin::unsorted_segment_sum, {0, 0, 0, 3}), error);
}

TEST_CASE("segments may be numbered along several axes") {
    const tflite_subgraph network =
        network_of({reals({2, 2, 1}), whole({2, 2}), whole_constant({}, {2}), reals({2, 1})},
                   {{builtin::unsorted_segment_sum, {0, 1, 2}, {3}}}, {0, 1}, {3});
    CHECK(outputs_of({network}, {f32_tensor({2, 2, 1}, {1, 2, 4, 8}), i32_tensor({2, 2}, {1, 0, 0, 1})})[0] ==
          values{6, 9});
}

TEST_CASE("CONV_3D_TRANSPOSE spreads each element, cut to the shape of its output") {
    const auto network = [](std::int32_t columns, double padding) {
        return network_of(
            {whole_constant({5}, {1, 1, 1, columns, 1}), real_constant({1, 1, 3, 1, 1}, {1, 10, 100}),
             reals({1, 1, 1, 2, 1}), real_constant({1}, {0.5F}), reals({1, 1, 1, columns, 1})},
            {{builtin::conv_3d_transpose,
              {0, 1, 2, 3},
              {4},
              {{0, stored::padding, padding}, tflite_whole(1, 1), tflite_whole(2, 2), tflite_whole(3, 1)}}},
            {2}, {4});
    };
    const tensor data = f32_tensor({1, 1, 1, 2, 1}, {1, 2});
    CHECK(outputs_of({network(5, 1)}, {data})[0] == values{1.5, 10.5, 102.5, 20.5, 200.5});
    CHECK(outputs_of({network(4, 0)}, {data})[0] == values{1.5, 10.5, 102.5, 20.5});
    tflite_subgraph flat = network(5, 1);
    flat.tensors[2].shape = {1, 1, 2, 1};
    CHECK(refusal_of({flat}) == "net.tflite: subgraph 0: operator 0 (CONV_3D_TRANSPOSE): its data have the shape "
                                "[1,1,2,1], expected 5 axes");
}

namespace {

tflite_tensor state_of(const std::vector<std::int32_t>& sizes) {
    tflite_tensor result = reals(sizes);
    result.is_variable = true;
    return result;
}

}  // namespace

TEST_CASE("an RNN keeps its state from run to run") {
    const tflite_subgraph network =
        network_of({reals({1, 1}), real_constant({1, 1}, {2}), real_constant({1, 1}, {0.5F}), real_constant({1}, {1}),
                    state_of({1, 1}), reals({1, 1})},
                   {{builtin::rnn, {0, 1, 2, 3, 4}, {5}, {{0, stored::activation, 1}}}}, {0}, {5});
    const graph model = import_network({network});
    reference::state states;
    const auto next = [&](double x) {
        return reference::evaluate<float>(model, {f32_tensor({1, 1}, {x})}, states, {}).at(0).real(0);
    };
    CHECK(next(1) == 3);  // 2 * 1 + 1
    CHECK(next(2) == 6.5);  // 2 * 2 + 1 + 3 / 2
    CHECK(next(-3) == 0);  // limited by the RELU
    CHECK(next(0.5) == 2);
}

TEST_CASE("a UNIDIRECTIONAL_SEQUENCE_RNN runs over time, which may be the first axis or the second") {
    for (const bool time_major : {false, true}) {
        CAPTURE(time_major);
        const std::vector<std::int32_t> sizes =
            time_major ? std::vector<std::int32_t>{3, 1, 1} : std::vector<std::int32_t>{1, 3, 1};
        const tflite_subgraph network = network_of(
            {reals(sizes), real_constant({1, 1}, {2}), real_constant({1, 1}, {0.5F}), real_constant({1}, {1}),
             state_of({1, 1}), reals(sizes)},
            {{builtin::unidirectional_sequence_rnn, {0, 1, 2, 3, 4}, {5}, {tflite_flag(0, time_major)}}}, {0}, {5});
        const graph model = import_network({network});
        reference::state states;
        const auto next = [&](const values& x) {
            const shape dimensions = time_major ? shape{3, 1, 1} : shape{1, 3, 1};
            const seq<double> all =
                reals_of(reference::evaluate<float>(model, {f32_tensor(dimensions, x)}, states, {}).at(0));
            return values(all.begin(), all.end());
        };
        CHECK(next({1, 2, 0}) == values{3, 6.5, 4.25});
        CHECK(next({0, 0, 0}) == values{3.125, 2.5625, 2.28125});
    }
}

TEST_CASE("a BIDIRECTIONAL_SEQUENCE_RNN runs over time in both directions") {
    const auto network = [](bool merges) {
        std::vector<tflite_tensor> tensors{reals({1, 2, 1})};
        for (const float weight : {2.0F, 3.0F}) {
            tensors.push_back(real_constant({1, 1}, {weight}));
            tensors.push_back(real_constant({1, 1}, {1}));
            tensors.push_back(real_constant({1}, {0}));
            tensors.push_back(state_of({1, 1}));
        }
        std::vector<std::int32_t> outputs{9};
        tensors.push_back(reals({1, 2, merges ? 2 : 1}));
        if (!merges) {
            tensors.push_back(reals({1, 2, 1}));
            outputs.push_back(10);
        }
        return network_of(tensors,
                          {{builtin::bidirectional_sequence_rnn,
                            {0, 1, 2, 3, 4, 5, 6, 7, 8, -1, -1, -1},
                            outputs,
                            {tflite_flag(2, merges)}}},
                          {0}, outputs);
    };
    const tensor data = f32_tensor({1, 2, 1}, {1, 10});
    CHECK(outputs_of({network(false)}, {data}) == std::vector<values>{{2, 22}, {33, 30}});
    CHECK(outputs_of({network(true)}, {data})[0] == values{2, 33, 22, 30});
    tflite_subgraph auxiliary = network(true);
    auxiliary.operators[0].inputs[9] = 0;
    CHECK(refusal_of({auxiliary}) ==
          "net.tflite: subgraph 0: operator 0 (BIDIRECTIONAL_SEQUENCE_RNN): auxiliary inputs "
          "(input 9) are not supported");
}

namespace {

/// An LSTM of one number whose gates see their biases and what comes in: weights 1, no recurrence.
void add_gates(std::vector<tflite_tensor>& tensors, std::vector<std::int32_t>& inputs) {
    const auto add = [&](const tflite_tensor& each) {
        inputs.push_back(static_cast<std::int32_t>(tensors.size()));
        tensors.push_back(each);
    };
    for (const float weight : {1.0F, 1.0F, 1.0F, 1.0F, 0.0F, 0.0F, 0.0F, 0.0F}) {
        add(real_constant({1, 1}, {weight}));
    }
    inputs.insert(inputs.end(), 3, -1);
    for (const float bias : {0.5F, 1.0F, 0.25F, -0.5F}) {  // input, forget, candidate, output
        add(real_constant({1}, {bias}));
    }
    inputs.insert(inputs.end(), 2, -1);
}
double lstm_step(double x, double& cell) {
    cell = sigmoid(x + 1) * cell + sigmoid(x + 0.5) * std::tanh(x + 0.25);
    return sigmoid(x - 0.5) * std::tanh(cell);
}

}  // namespace

TEST_CASE("an LSTM of one step keeps its states from run to run") {
    std::vector<tflite_tensor> tensors{reals({1, 1})};
    std::vector<std::int32_t> inputs{0};
    add_gates(tensors, inputs);
    for (int i = 0; i < 2; ++i) {
        inputs.push_back(static_cast<std::int32_t>(tensors.size()));
        tensors.push_back(state_of({1, 1}));
    }
    tensors.push_back(reals({1, 1}));
    const auto output = static_cast<std::int32_t>(tensors.size()) - 1;
    tflite_subgraph network =
        network_of(tensors, {{builtin::lstm, inputs, {output}, {{0, stored::activation, 4}}}}, {0}, {output});
    const graph model = import_network({network});
    reference::state states;
    double cell = 0;
    for (const double x : {0.5, -1.0, 2.0}) {
        const double wanted = lstm_step(x, cell);
        check_near({reference::evaluate<float>(model, {f32_tensor({1, 1}, {x})}, states, {}).at(0).real(0)}, {wanted});
    }
    network.operators[0].options.push_back({3, stored::kernel_type, 1});
    CHECK(refusal_of({network}) ==
          "net.tflite: subgraph 0: operator 0 (LSTM): the BASIC kernel is not supported, only FULL");
}

TEST_CASE("a BIDIRECTIONAL_SEQUENCE_LSTM runs over time in both directions") {
    std::vector<tflite_tensor> tensors{reals({1, 2, 1})};
    std::vector<std::int32_t> inputs{0};
    add_gates(tensors, inputs);
    add_gates(tensors, inputs);
    for (int i = 0; i < 4; ++i) {
        inputs.push_back(static_cast<std::int32_t>(tensors.size()));
        tensors.push_back(state_of({1, 1}));
    }
    inputs.insert(inputs.end(), 9, -1);
    const auto output = static_cast<std::int32_t>(tensors.size());
    tensors.push_back(reals({1, 2, 1}));
    tensors.push_back(reals({1, 2, 1}));
    const tflite_subgraph network = network_of(tensors,
                                               {{builtin::bidirectional_sequence_lstm,
                                                 inputs,
                                                 {output, output + 1},
                                                 {{0, stored::activation, 4}, tflite_flag(4, false)}}},
                                               {0}, {output, output + 1});
    const std::vector<values> given = outputs_of({network}, {f32_tensor({1, 2, 1}, {0.5, -1})});
    double forward = 0;
    double backward = 0;
    const double first = lstm_step(0.5, forward);
    check_near(given[0], {first, lstm_step(-1, forward)});
    const double last = lstm_step(-1, backward);
    check_near(given[1], {lstm_step(0.5, backward), last});
}

TEST_CASE("RFFT2D crops or pads to its length, and what it gives is read by its parts or its size") {
    const auto network = [](std::vector<std::int32_t> length, std::vector<std::int32_t> bins, builtin reader) {
        tflite_tensor complex = reals({1, bins[0], bins[1]});
        complex.type = tensor_type::complex64;
        return network_of({reals({1, 1, 4}), whole_constant({2}, length), complex, reals({1, bins[0], bins[1]})},
                          {{builtin::rfft2d, {0, 1}, {2}}, {reader, {2}, {3}}}, {0}, {3});
    };
    const tensor data = f32_tensor({1, 1, 4}, {1, 2, 4, 8});
    CHECK(outputs_of({network({1, 4}, {1, 3}, builtin::real)}, {data})[0] == values{15, -3, -5});
    check_near(outputs_of({network({1, 4}, {1, 3}, builtin::imag)}, {data})[0], {0, 6, 0});
    check_near(outputs_of({network({1, 4}, {1, 3}, builtin::complex_abs)}, {data})[0], {15, std::sqrt(45.0), 5});
    CHECK(outputs_of({network({1, 2}, {1, 2}, builtin::real)}, {data})[0] == values{3, -1});
    CHECK(outputs_of({network({2, 2}, {2, 2}, builtin::real)}, {data})[0] == values{3, -1, 3, -1});
    CHECK(refusal_of({network({1, 4}, {1, 3}, builtin::relu)}) ==
          "net.tflite: subgraph 0: operator 1 (RELU): tensor 2 't2' is complex64, which is not supported");
    CHECK(
        refusal_of({network({1, 4}, {1, 4}, builtin::real)}) ==
        "net.tflite: subgraph 0: operator 0 (RFFT2D): its output is declared with shape [1,1,4], but it gives complex "
        "numbers of [1,1,3,2] parts");
}

TEST_CASE("Spectra take other shapes, and a cast to real numbers leaves the real parts") {
    const auto complex = [](const std::vector<std::int32_t>& sizes) {
        tflite_tensor result = reals(sizes);
        result.type = tensor_type::complex64;
        return result;
    };
    const tflite_subgraph network =
        network_of({reals({1, 1, 4}), whole_constant({2}, {1, 4}), complex({1, 1, 3}), complex({1, 3}), complex({3, 1}),
                    whole_constant({2}, {3, 1}), reals({3, 1})},
                   {{builtin::rfft2d, {0, 1}, {2}},
                    {builtin::squeeze, {2}, {3}},
                    {builtin::reshape, {3, 5}, {4}},
                    {builtin::cast, {4}, {6}}},
                   {0}, {6});
    CHECK(outputs_of({network}, {f32_tensor({1, 1, 4}, {1, 2, 4, 8})})[0] == values{15, -3, -5});
    tflite_subgraph without_output = network;
    without_output.operators.resize(2);
    without_output.operators[1].outputs = {};
    without_output.outputs = {0};
    CHECK(refusal_of({without_output}) == "net.tflite: subgraph 0: operator 1 (SQUEEZE): has no output 0");
}
