// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/compare.hpp>

#include <doctest/doctest.h>

namespace {

using namespace lpt;

struct variation {
    double scale = 0.5;
    std::int64_t levels = 256;
    bool share_relu = true;
    bool share_scale = true;
    element input = f32;
    text_view relu_name = "relu";
};

/// x -> FakeQuantize -> relu -> (relu * scale) + (relu * scale)
constexpr graph varied(const variation& what = {}) {
    graph model;
    const node_id data = model.parameter(what.input, {1, 3}, "data");
    const node_id low = model.constant(make_scalar(what.input, 0));
    const node_id high = model.constant(make_scalar(what.input, 2.55));
    const node_id quantize = model.add(op::fake_quantize{what.levels}, {data, low, high, low, high}, "quantize");
    const node_id relu = model.add(op::relu{}, {quantize}, what.relu_name);
    const node_id other = what.share_relu ? relu : model.add(op::relu{}, {quantize}, what.relu_name);
    const node_id scale = model.constant(make_scalar(what.input, what.scale));
    const node_id again = what.share_scale ? scale : model.constant(make_scalar(what.input, what.scale));
    const node_id left = model.add(op::multiply{}, {relu, scale}, "left");
    const node_id right = model.add(op::multiply{}, {other, again}, "right");
    model.result(model.add(op::add{}, {left, right}, "sum"), "out");
    return model;
}

static_assert(difference(varied(), varied()).empty());
static_assert(!difference(varied(), varied({.levels = 255})).empty());

}  // namespace

TEST_CASE("equal graphs have no difference, whatever the numbers of their nodes are") {
    graph shifted;
    shifted.remove(shifted.add(op::relu{}, {shifted.parameter(f32, {7})}));
    shifted.remove(shifted.parameters()[0]);
    CHECK(difference(varied(), varied()).empty());
    graph model = varied();
    const node_id dead = model.add(op::exp{}, {model.parameters()[0]});
    CHECK(model.contains(dead));
    CHECK(difference(varied(), model).empty());
}

TEST_CASE("an attribute that differs is named with both values") {
    CHECK(difference(varied(), varied({.levels = 255})) ==
          "FakeQuantize 'quantize' (node 3) and FakeQuantize 'quantize' (node 3): attribute levels is 256 and 255");
}

TEST_CASE("values of constants differ beyond the tolerance only") {
    CHECK(difference(varied(), varied({.scale = 0.5001})).view().starts_with("Constant"));
    CHECK(difference(varied(), varied({.scale = 0.5001}), {.relative = 1e-3}).empty());
    CHECK_FALSE(difference(varied(), varied({.scale = 0.51}), {.relative = 1e-3}).empty());
    CHECK(difference(varied(), varied({.scale = 0.51}), {.absolute = 0.02}).empty());
    CHECK(difference(varied(), varied({.scale = 0.75}), {.values = false}).empty());
}

TEST_CASE("element types that differ are found") {
    CHECK(difference(varied(), varied({.input = f16})) ==
          "Parameter 'data' (node 0) and Parameter 'data' (node 0): output 0 is f32[1,3] and f16[1,3]");
}

TEST_CASE("nodes must be shared in both graphs or in neither, constants need not") {
    CHECK(difference(varied(), varied({.share_scale = false})).empty());
    CHECK_FALSE(difference(varied(), varied({.share_relu = false})).empty());
    CHECK_FALSE(difference(varied({.share_relu = false}), varied()).empty());
}

TEST_CASE("names are compared on request") {
    CHECK(difference(varied(), varied({.relu_name = "other"})).empty());
    CHECK_FALSE(difference(varied(), varied({.relu_name = "other"}), {.names = true}).empty());
}

TEST_CASE("marks and relaxation are compared unless they do not matter") {
    graph model = varied();
    const node_id relu = model.producer(model.producer(model.producer(model.results()[0], 0), 0), 0);
    model.set_mark(relu, mark::bias);
    CHECK_FALSE(difference(varied(), model).empty());
    CHECK(difference(varied(), model, {.marks = false}).empty());
    model.clear_mark(relu, mark::bias);
    CHECK(difference(varied(), model).empty());
    model.relax(relu);
    CHECK_FALSE(difference(varied(), model).empty());
}

TEST_CASE("different numbers of ends, outputs read and operations are found") {
    graph model = varied();
    model.result(model.parameters()[0]);
    CHECK(difference(varied(), model) == "1 and 2 results");
    graph other = varied();
    other.set_input(other.results()[0], 0, other.parameters()[0]);
    CHECK_FALSE(difference(varied(), other).empty());
}

TEST_CASE("control dependencies and graphs inside nodes are compared") {
    const auto with_state = [](bool depend) {
        graph model;
        const node_id data = model.parameter(f32, {2});
        const node_id read = model.add(op::read_value{"v", f32, {2}}, {data});
        const node_id write = model.add(op::assign{"v", f32, {2}}, {read});
        if (depend) {
            model.add_control_dependency(write, read);
        }
        model.result(read);
        return model;
    };
    CHECK(difference(with_state(true), with_state(true)).empty());
    CHECK_FALSE(difference(with_state(true), with_state(false)).empty());
    const auto with_body = [](const variation& what) {
        graph model;
        op::tensor_iterator iterator;
        iterator.declared_outputs.push_back({f32, {1}});
        const node_id loop = model.add(iterator, {model.parameter(f32, {1})}, "loop");
        model.add_body(loop, varied(what));
        model.result(loop);
        return model;
    };
    CHECK(difference(with_body({}), with_body({})).empty());
    CHECK(difference(with_body({}), with_body({.levels = 16})) ==
          "TensorIterator 'loop' (node 1) and TensorIterator 'loop' (node 1): graph 0 inside: FakeQuantize 'quantize' "
          "(node "
          "3) and FakeQuantize 'quantize' (node 3): attribute levels is 256 and 16");
}

TEST_CASE("what is depended on and read by nothing is compared, too") {
    const auto with_unread_state = [](text_view variable) {
        graph model;
        const node_id data = model.parameter(f32, {2});
        const node_id read = model.add(op::read_value{variable, f32, {2}}, {data});
        const node_id write = model.add(op::assign{"v", f32, {2}}, {data});
        model.add_control_dependency(write, read);
        model.result(data);
        return model;
    };
    CHECK(difference(with_unread_state("v"), with_unread_state("v")).empty());
    CHECK_FALSE(difference(with_unread_state("v"), with_unread_state("w")).empty());
}
