// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/control_flow.hpp>

using namespace lpt;
using namespace lpt::test;

namespace {

/// Runs along axis 1 of input 0 and feeds input 1 back.
constexpr op::tensor_iterator iterator() {
    op::tensor_iterator result;
    result.input_map.push_back({.port = 0,
                                .parameter = 1,
                                .holds = op::body_input::form::sliced,
                                .slice = {.axis = 1, .start = -1, .stride = -1, .part_size = 1, .end = 0}});
    result.input_map.push_back({.port = 1, .parameter = 0, .holds = op::body_input::form::merged, .result = 0});
    result.output_map.push_back({.port = 1, .result = 0});
    result.output_map.push_back({.port = 0,
                                 .result = 1,
                                 .holds = op::body_output::form::concatenated,
                                 .slice = {.axis = 1, .start = -1, .stride = -1, .part_size = 1, .end = 0}});
    result.declared_outputs.push_back({f32, {2, -1, 3}});
    result.declared_outputs.push_back({f16, shape::of_dynamic_rank()});
    return result;
}
constexpr op::loop counted() {
    op::loop result;
    result.input_map.push_back({.port = 2, .parameter = 1});
    result.output_map.push_back({.port = 0, .result = 1});
    result.current_iteration = 0;
    result.execution_condition = 0;
    result.declared_outputs.push_back({f32, {4}});
    return result;
}
constexpr op::if_else choice() {
    op::if_else result;
    result.then_inputs.push_back({.port = 1, .parameter = 0});
    result.then_outputs.push_back({.port = 0, .result = 0});
    result.else_inputs.push_back({.port = 2, .parameter = 0});
    result.else_outputs.push_back({.port = 0, .result = 0});
    result.declared_outputs.push_back({i32, {-1}});
    return result;
}

}  // namespace

static_assert(inferred(iterator(), of(f32, {2, 7, 5}), of(f32, {2, 3})) == "f32[2,?,3] f16?");
static_assert(survives_reading(iterator(), 0));
static_assert(survives_reading(counted(), 5));
static_assert(survives_reading(choice(), 8));
static_assert(op::has(op::loop::traits, op::trait::has_bodies) && op::has(op::if_else::traits, op::trait::has_bodies));

TEST_CASE("port maps survive being written as lists of integers, entry by entry") {
    const op::field_row row = op::make_field_row<op::tensor_iterator>();
    const op::attributes again = row.make(row.read(op::attributes(iterator()), 0), 0, "node");
    CHECK(again.as<op::tensor_iterator>().input_map[0].slice.start == -1);
    CHECK(again.as<op::tensor_iterator>().input_map[1].holds == op::body_input::form::merged);
    CHECK(again.as<op::tensor_iterator>().output_map[1].holds == op::body_output::form::concatenated);
    CHECK((again.as<op::tensor_iterator>().declared_outputs[0].dimensions == shape{2, -1, 3}));
    CHECK(again.as<op::tensor_iterator>().declared_outputs[1].dimensions.rank_is_dynamic());
}

TEST_CASE("lists that are no port maps are refused") {
    LPT_CHECK_WRONG(read<op::tensor_iterator>(0, {word("input_map", "1,2,3")}), "nine integers for each input, not 3");
    LPT_CHECK_WRONG(read<op::tensor_iterator>(0, {word("input_map", "0,0,3,-1,0,0,1,1,-1")}), "not 3");
    LPT_CHECK_WRONG(read<op::tensor_iterator>(0, {word("output_map", "1,2")}), "nine integers for each output, not 2");
    LPT_CHECK_WRONG(read<op::tensor_iterator>(0, {word("output_map", "0,0,2,-1,0,0,1,1,-1")}), "not 2");
    LPT_CHECK_WRONG(read<op::loop>(5, {word("declared_outputs", "16,3,1,2")}), "place 0 is not such an output");
    LPT_CHECK_WRONG(read<op::loop>(5, {word("declared_outputs", "16,0,99,0")}), "place 2 is not such an output");
}

TEST_CASE("TensorIterator refuses slices and ports that there are not") {
    op::tensor_iterator wrong = iterator();
    LPT_CHECK_WRONG(inferred(wrong, of(f32, {2}), of(f32, {2, 3})),
                    "input 0 of shape [2] cannot be sliced along axis 1");
    LPT_CHECK_WRONG(inferred(wrong, of(f32, {2, 7, 5})), "body parameter 0 is fed by input 1, but there are 1 inputs");
    wrong.input_map[0].slice.stride = 0;
    LPT_CHECK_WRONG(inferred(wrong, of(f32, {2, 7, 5}), of(f32, {2, 3})), "cannot be sliced with stride 0");
    wrong = iterator();
    wrong.input_map[1].result = -1;
    LPT_CHECK_WRONG(inferred(wrong, of(f32, {2, 7, 5}), of(f32, {2, 3})), "is fed back, but by no result");
    wrong = iterator();
    wrong.declared_outputs.pop_back();
    LPT_CHECK_WRONG(inferred(wrong, of(f32, {2, 7, 5}), of(f32, {2, 3})),
                    "goes to output 1, but 1 outputs are declared");
}

TEST_CASE("Loop needs an integer trip count and a boolean condition, one value each") {
    CHECK(inferred(counted(), of(i64, {}), of(boolean, {1}), of(f32, {4})) == "f32[4]");
    LPT_CHECK_WRONG(inferred(counted(), of(f32, {}), of(boolean, {}), of(f32, {4})),
                    "trip count must be an integer, not f32");
    LPT_CHECK_WRONG(inferred(counted(), of(i64, {2}), of(boolean, {}), of(f32, {4})),
                    "trip count must be a single value");
    LPT_CHECK_WRONG(inferred(counted(), of(i64, {}), of(i64, {}), of(f32, {4})), "condition (input 1) must be boolean");
    LPT_CHECK_WRONG(inferred(counted(), of(i64, {}), of(boolean, {})), "fed by input 2, but there are 2 inputs");
}

TEST_CASE("If needs a boolean condition and gives the declared outputs") {
    CHECK(inferred(choice(), of(boolean, {}), of(i32, {3}), of(i32, {4})) == "i32[?]");
    LPT_CHECK_WRONG(inferred(choice(), of(boolean, {2}), of(i32, {3}), of(i32, {4})),
                    "condition (input 0) must be a single value");
    LPT_CHECK_WRONG(inferred(choice(), of(boolean, {}), of(i32, {3})), "fed by input 2, but there are 2 inputs");
}
