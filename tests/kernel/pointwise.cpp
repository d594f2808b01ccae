// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/numbers.hpp"
#include "tests/support/reference.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace kernel_test;

namespace {

using kernel_function = k::pointwise_function;

/// Which types an operation takes.
enum class taken { numbers, whole_numbers, truths };
struct function_of_operation {
    kernel_function value;
    lpt::op::attributes operation;
    taken what = taken::numbers;
    bool divides = false;
};
std::vector<function_of_operation> functions_of_operations() {
    namespace op = lpt::op;
    op::divide towards_zero;
    towards_zero.m_pythondiv = false;
    return {
        {kernel_function::add, op::add{}},
        {kernel_function::subtract, op::subtract{}},
        {kernel_function::multiply, op::multiply{}},
        {kernel_function::divide, towards_zero, taken::numbers, true},
        {kernel_function::divide_downwards, op::divide{}, taken::whole_numbers, true},
        {kernel_function::remainder, op::mod{}, taken::whole_numbers, true},
        {kernel_function::remainder_downwards, op::floor_mod{}, taken::whole_numbers, true},
        {kernel_function::power, op::power{}, taken::whole_numbers},
        {kernel_function::maximum, op::maximum{}},
        {kernel_function::minimum, op::minimum{}},
        {kernel_function::squared_difference, op::squared_difference{}},
        {kernel_function::equal, op::equal{}},
        {kernel_function::not_equal, op::not_equal{}},
        {kernel_function::greater, op::greater{}},
        {kernel_function::greater_equal, op::greater_equal{}},
        {kernel_function::less, op::less{}},
        {kernel_function::less_equal, op::less_equal{}},
        {kernel_function::logical_and, op::logical_and{}, taken::truths},
        {kernel_function::logical_or, op::logical_or{}, taken::truths},
        {kernel_function::logical_xor, op::logical_xor{}, taken::truths},
        {kernel_function::logical_not, op::logical_not{}, taken::truths},
        {kernel_function::abs, op::abs{}},
        {kernel_function::negative, op::negative{}},
        {kernel_function::sign, op::sign{}},
        {kernel_function::select, op::select{}},
    };
}
bool takes(const function_of_operation& each, lpt::element type) {
    switch (each.what) {
        case taken::truths: return type == lpt::boolean;
        case taken::whole_numbers: return !lpt::is_real(type) && type != lpt::boolean;
        case taken::numbers: return type != lpt::boolean;
    }
    return false;
}

/// Any bits, and numbers that meet often.
lpt::tensor numbers_of(lpt::element type, const lpt::shape& dimensions, generator& random, bool without_zero) {
    lpt::tensor_builder result(type, dimensions);
    const std::size_t width = lpt::byte_size(type, 1);
    const double few[] = {0, 1, -1, 2, 3, -7, 100};
    const double special[] = {std::numeric_limits<double>::infinity(), -0.0, std::nan(""), 0.5};
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::int64_t kind = random.below(lpt::is_real(type) ? 4 : 3);
        const std::uint64_t bits = std::uint64_t{random.next()} << 32 | random.next();
        const std::uint64_t least = std::uint64_t{1} << (8 * width - 1);  // of signed numbers
        if (type == lpt::boolean)
            result.integer(i, static_cast<std::int64_t>(bits & 1));
        else if (kind == 0)
            result.real(i, few[random.below(7)]);
        else if (kind == 3)
            result.real(i, special[random.below(4)]);
        else
            std::memcpy(result.data() + i * width, bits % 8 == 0 && !lpt::is_real(type) ? &least : &bits, width);
        std::uint64_t stored = 0;
        std::memcpy(&stored, result.data() + i * width, width);
        if (without_zero && stored == 0) result.integer(i, 3);
    }
    return result.finish();
}

struct pattern {
    lpt::shape output, condition, a, b;
};
const pattern patterns[] = {
    {{700}, {700}, {700}, {700}},
    {{45}, {1}, {45}, {1}},
    {{3, 5, 37}, {3, 1, 37}, {3, 5, 1}, {1, 5, 37}},
    {{2, 3, 4, 5, 2}, {2, 1, 4, 1, 1}, {1, 3, 1, 5, 2}, {2, 3, 4, 5, 1}},
    {{2, 20000}, {2, 1}, {2, 20000}, {1, 20000}},
    {{3, 700, 6}, {1, 700, 1}, {3, 700, 6}, {3, 700, 6}},
};

void set_strides(const lpt::shape& from, std::int64_t (&strides)[k::pointwise_problem::most_axes]) {
    std::int64_t next = 1;
    for (std::size_t axis = from.rank(); axis-- > 0;) {
        strides[axis] = from[axis] == 1 ? 0 : next;
        next *= from[axis];
    }
}

void check(const function_of_operation& each, const type_pair& type, const pattern& shapes, generator& random) {
    const bool is_select = each.value == kernel_function::select;
    const bool has_two = each.value != kernel_function::logical_not && each.value != kernel_function::abs &&
                         each.value != kernel_function::negative && each.value != kernel_function::sign;
    lpt::seq<lpt::tensor> inputs;
    if (is_select) inputs.push_back(numbers_of(lpt::boolean, shapes.condition, random, false));
    inputs.push_back(numbers_of(type.element, has_two ? shapes.a : shapes.output, random, false));
    if (has_two)
        inputs.push_back(numbers_of(type.element, shapes.b, random, each.divides && !lpt::is_real(type.element)));
    lpt::graph model;
    lpt::seq<lpt::output_ref> parameters;
    for (const lpt::tensor& input : inputs)
        parameters.push_back(model.parameter(input.type(), input.dimensions(), "x"));
    const lpt::node_id id = model.add(each.operation, parameters);
    const lpt::tensor expected = lpt::reference::evaluate_node<float>(model, id, inputs)[0];
    REQUIRE(expected.dimensions() == shapes.output);

    k::pointwise_problem problem;
    problem.function = each.value;
    problem.input_type = type.number;
    problem.output_type = expected.type() == lpt::boolean ? k::number_type::boolean : type.number;
    problem.count = static_cast<std::int64_t>(shapes.output.rank());
    for (std::size_t axis = 0; axis < shapes.output.rank(); ++axis)
        problem.sizes[axis] = shapes.output[axis];
    set_strides(shapes.condition, problem.condition_strides);
    set_strides(has_two ? shapes.a : shapes.output, problem.a_strides);
    set_strides(shapes.b, problem.b_strides);
    if (is_select) problem.condition = inputs[0].data();
    problem.a = inputs[is_select ? 1 : 0].data();
    if (has_two) problem.b = inputs[is_select ? 2 : 1].data();
    for (const k::isa set : lpt::support::available_instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        for (const int count : {1, 3}) {
            guarded<unsigned char> output(expected.elements() * lpt::byte_size(expected.type(), 1));
            problem.output = output.data();
            k::table_for(set).run(problem, threads(count));
            CHECK(output.front_is_intact());
            CHECK(first_difference(expected, output.data()) == -1);
        }
    }
}

}  // namespace

TEST_CASE("Arithmetic, comparisons, logic and choices are those of the operations, on every instruction set") {
    generator random(11);
    for (const function_of_operation& each : functions_of_operations()) {
        for (const type_pair& type : types) {
            // What is chosen keeps its bits, whatever they mean: the planner takes whole numbers for it.
            const bool moved_real = each.value == kernel_function::select && lpt::is_real(type.element);
            const bool has_large_numbers = type.element == lpt::u64;  // which the reference does not compute with
            if (!takes(each, type.element) || moved_real || has_large_numbers) continue;
            CAPTURE(static_cast<int>(each.value));
            CAPTURE(static_cast<int>(type.number));
            for (const pattern& shapes : patterns)
                check(each, type, shapes, random);
        }
    }
}
