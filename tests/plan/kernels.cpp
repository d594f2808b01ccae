// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;
using names = std::vector<std::string>;

namespace {

node_id resized(graph& model, output_ref data, const std::vector<std::int64_t>& sizes,
                const std::vector<std::int64_t>& axes) {
    op::interpolate linear;
    linear.mode = op::interpolate_mode::linear_onnx;
    return model.add(linear,
                     {data, model.constant(make_indices({sizes.data(), sizes.size()})),
                      model.constant(make_indices({axes.data(), axes.size()}))},
                     {}, 11);
}

}  // namespace

TEST_CASE("Each axis that Interpolate resamples is a step") {
    graph model;
    model.result(resized(model, model.parameter(f32, shape{1, 3, 8, 8}, "x"), {5, 8, 20}, {1, 2, 3}));
    CHECK(kernels_of(plan_of(model)) == names{"resampling_scalar_FP32", "resampling_scalar_FP32"});
}

TEST_CASE("Long axes are resampled by the reference, without a list of their places") {
    graph model;
    model.result(resized(model, model.parameter(f32, shape{1, std::int64_t{1} << 40}, "x"), {4}, {1}));
    CHECK(kernels_of(plan_of(model)) == names{"reference_FP32"});
}

TEST_CASE("A choice from a tensor without elements is left to the reference") {
    graph model;
    const output_ref condition = model.parameter(boolean, shape{1}, "c");
    model.result(model.add(op::select{op::auto_broadcast::pdpd}, {condition, model.parameter(f32, shape{1, 10}, "a"),
                                                                  model.parameter(f32, shape{0, 10}, "b")}));
    CHECK(kernels_of(plan_of(model)) == names{"reference_FP32"});
}

TEST_CASE("Whole numbers are divided by a kernel where no divisor can be zero") {
    for (const bool is_known : {true, false}) {
        graph model;
        const output_ref divisor = is_known ? output_ref(model.constant(make_tensor(i32, shape{2}, {3, -1})))
                                            : output_ref(model.parameter(i32, shape{2}, "y"));
        model.result(model.add(op::divide{}, {model.parameter(i32, shape{2}, "x"), divisor}));
        CHECK(kernels_of(plan_of(model)) == names{is_known ? "pointwise_scalar_FP32" : "reference_FP32"});
    }
}
