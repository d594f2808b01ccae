// SPDX-License-Identifier: Apache-2.0
// A rule of one's own: x * sigmoid(x) becomes Swish, with a condition, as part of the pipeline. docs/rules.md explains it.
// Prints the operations before and after; fails if the rule did not do what it should.
#include <lpt/lpt.hpp>

#include <lpt/rule/rule.hpp>

#include <cstdio>

namespace op = lpt::op;

namespace {

/// The engine has a kernel for Swish in f32 only.
struct is_f32 {
    static constexpr lpt::text_view name = "IsF32";
    static constexpr bool holds(const lpt::match& found) { return found.type(0) == lpt::f32; }
};

struct swish_fusion
    : lpt::rule<"SwishFusion", lpt::expression<op::multiply, lpt::any<0>, lpt::expression<op::sigmoid, lpt::any<0>>>,
                lpt::expression<op::swish, lpt::any<0>>, lpt::when<is_f32>> {};

using with_swish = lpt::default_pipeline::before<lpt::add_transformation, swish_fusion>;

constexpr lpt::graph network(lpt::element type) {
    lpt::graph model;
    const lpt::node_id data = model.parameter(type, {1, 8}, "data");
    const lpt::node_id gate = model.add(op::sigmoid{}, {data}, "gate");
    model.result(model.add(op::multiply{}, {gate, data}, "gated"));
    return model;
}
/// The operation that the network's output comes from, after the pipeline.
constexpr op::kind last_operation(lpt::element type) {
    lpt::graph model = network(type);
    lpt::run_pipeline<with_swish>(model);
    return model[model.producer(model.results()[0], 0)].kind();
}

// The compiler proves that the rule is applied where it should be, and only there.
static_assert(last_operation(lpt::f32) == op::kind::swish);
static_assert(last_operation(lpt::f16) == op::kind::multiply);

}  // namespace

int main() {
    lpt::graph model = network(lpt::f16);
    bool refused = false;
    for (const lpt::refusal& each : lpt::run_pipeline<with_swish>(model)) {
        std::printf("%s: %s\n", lpt::text(each.transformation).c_str(), lpt::text_of(each.why).c_str());
        refused = refused || (each.transformation == swish_fusion::name && each.why.condition == is_f32::name);
    }
    const bool applied = last_operation(lpt::f32) == op::kind::swish;
    std::printf("x * sigmoid(x) in f32 became %s\n", applied ? "Swish" : "nothing else");
    return applied && refused ? 0 : 1;
}
