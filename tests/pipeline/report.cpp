// SPDX-License-Identifier: Apache-2.0
#include <lpt/pipeline/report.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

/// A network of two operations, of which the first becomes low precision and loses its name to what stands behind it.
constexpr report report_of_changed_network() {
    graph model;
    const node_id input = model.parameter(f32, shape{1, 4}, "x");
    const node_id first = model.add(op::relu{}, {input}, "first");
    const node_id second = model.add(op::softmax{1}, {first}, "second");
    model.result(second);
    const seq<listed_operation> before = list_operations(model);
    const node_id quantized = model.parameter(u8, shape{1, 4});
    const node_id moved = model.add(op::relu{}, {quantized}, "first_original");
    const node_id back = model.add(op::convert{f32}, {moved}, "first");
    model.replace_uses(first, back);
    model.collect();
    seq<refusal> refusals;
    refusals.push_back({second, "SomeTransformation", {reason::varies_over_axis, 0, dynamic, 1, 0}});
    return make_report(before, model, refusals, view<op::kind>({op::kind::relu}));
}

}  // namespace

TEST_CASE("An operation is found by its name, or by its name when that moved on") {
    const report result = report_of_changed_network();
    REQUIRE(result.operations.size() == 2);
    CHECK(result.operations[0].name == "first");
    CHECK(result.operations[0].precision == u8);
    CHECK(result.operations[0].outputs == seq<element, 2>{u8});
    CHECK(result.operations[0].reason.empty());
    CHECK(result.count_of_bytes(op::kind::relu) == 1);
    static_assert(report_of_changed_network().operations[0].precision == u8);
}

TEST_CASE("A float operation has the sentence of the transformation that refused it") {
    const report result = report_of_changed_network();
    CHECK(result.operations[1].precision == f32);
    CHECK(result.operations[1].reason ==
          "scale or zero point varies over an axis that the operation mixes, input 0, axis 1");
}

TEST_CASE("Where nothing refused, the type or the data is the reason") {
    graph model;
    const node_id relu = model.add(op::relu{}, {model.parameter(f32, shape{2}, "x")}, "a");
    model.result(model.add(op::erf{}, {relu}, "b"));
    const seq<listed_operation> all = list_operations(model);
    const report result = make_report(all, model, {}, view<op::kind>({op::kind::relu}));
    CHECK(result.operations[0].reason ==
          "its data is not quantized: there is no dequantization with constants above it");
    CHECK(result.operations[1].reason == "no transformation brings operations of this type into low precision");
    const report without = make_report(all, model, {}, {});
    CHECK(without.operations[0].reason.empty());
}

TEST_CASE("Operations that are gone have no precision") {
    graph model;
    const node_id input = model.parameter(f32, shape{2}, "x");
    const node_id relu = model.add(op::relu{}, {input}, "a");
    model.result(relu);
    const seq<listed_operation> all = list_operations(model);
    model.replace_uses(relu, input);
    model.collect();
    const report result = make_report(all, model, {}, view<op::kind>({op::kind::relu}));
    CHECK(result.operations[0].node == node_id::none);
    CHECK(result.operations[0].precision == dynamic);
}

TEST_CASE("A verdict says what it is about") {
    static_assert(
        text_of({reason::not_per_tensor, 1, u8, -1, 0.5}) ==
        text_view("one scale and one zero point for the whole tensor are needed, input 1, type u8, value 0.5"));
}
