// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing::onnx_file;

namespace {

std::string place(const std::string& name, const numbers& dimensions, std::int64_t number) {
    return raw_tensor(name, dimensions, i64_type, {reinterpret_cast<const char*>(&number), sizeof number});
}

/// A network of x, [2, 3], whose first node splits it along its columns.
parts split(words nodes, words initializers, const words& inputs, const words& attributes = {}) {
    nodes.insert(nodes.begin(), make_node("SplitToSequence", inputs, {"s"}, [&] {
                     words all{integer("axis", 1)};
                     all.insert(all.end(), attributes.begin(), attributes.end());
                     return all;
                 }()));
    return {std::move(nodes), std::move(initializers), {value("x", {2, 3})}, {value("y", {})}};
}
const tensor& x() {
    static const tensor all = floats_of({2, 3}, {1, 2, 3, 4, 5, 6});
    return all;
}
std::string refusal_of(const parts& net) {
    try {
        import_content(make_model(net));
    } catch (const error& raised) {
        return raised.message().c_str();
    }
    return {};
}

}  // namespace

TEST_CASE("Parts of a sequence are those of the tensor that was split") {
    const words two{place("n", {}, 2), place("last", {}, -1)};
    CHECK(results_of(make_model(split({make_node("SequenceAt", {"s", "last"}, {"y"})}, two, {"x", "n"})), {x()})[0] ==
          values{3, 6});
    const words sizes{raw_tensor("n", {2}, i64_type, std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16)),
                      place("last", {}, -1)};
    CHECK(results_of(make_model(split({make_node("SequenceAt", {"s", "last"}, {"y"})}, sizes, {"x", "n"})), {x()})[0] ==
          values{2, 3, 5, 6});
    const parts ones =
        split({make_node("SequenceAt", {"s", "last"}, {"y"})}, {place("last", {}, 1)}, {"x"}, {integer("keepdims", 0)});
    const lpt::graph model = import_content(make_model(ones));
    CHECK(model.shape(model[model.results()[0]].input(0)) == shape{2});
    CHECK(results_of(make_model(ones), {x()})[0] == values{2, 5});
}

TEST_CASE("A sequence can grow and shrink before it is joined, along an axis that is there or a new one") {
    const words places{place("n", {}, 2), place("first", {}, 0)};
    const words nodes{make_node("SequenceAt", {"s", "first"}, {"a"}), make_node("SequenceInsert", {"s", "a"}, {"t"}),
                      make_node("SequenceErase", {"t", "first"}, {"u"}),
                      make_node("ConcatFromSequence", {"u"}, {"y"}, {integer("axis", 1)})};
    CHECK(results_of(make_model(split(nodes, places, {"x", "n"})), {x()})[0] == values{3, 1, 2, 6, 4, 5});
    const parts joined{{make_node("SequenceConstruct", {"x", "x"}, {"s"}), make_node("SequenceLength", {"s"}, {"n"}),
                        make_node("ConcatFromSequence", {"s"}, {"y"}, {integer("axis", -1), integer("new_axis", 1)})},
                       {},
                       {value("x", {2})},
                       {value("y", {2, 2}), value("n", {}, i64_type)}};
    const std::vector<values> all = results_of(make_model(joined), {floats_of({2}, {7, 8})});
    CHECK(all[0] == values{7, 7, 8, 8});
    CHECK(all[1] == values{2});
}

TEST_CASE("Places outside of a sequence, tensors for sequences and parts that do not add up are refused") {
    CHECK(refusal_of(split({make_node("SequenceAt", {"s", "p"}, {"y"})}, {place("p", {}, 3)}, {"x"}))
              .ends_with("place 3 is outside a sequence of 3"));
    CHECK(refusal_of(split({make_node("SequenceAt", {"x", "p"}, {"y"})}, {place("p", {}, 0)}, {"x"}))
              .ends_with("input 0 is a tensor, but must be a sequence"));
    CHECK(refusal_of(
              split({make_node("SequenceAt", {"s", "p"}, {"y"})}, {place("p", {}, 0), place("n", {1}, 2)}, {"x", "n"}))
              .ends_with("has parts that do not add to the size of axis 1, which is 3"));
    CHECK(refusal_of(
              split({make_node("SequenceEmpty", {}, {"e"}), make_node("ConcatFromSequence", {"e"}, {"y"})}, {}, {"x"}))
              .ends_with("joins a sequence of 0"));
}

TEST_CASE("Sequences of sequences are refused") {
    const words pair{make_node("SequenceConstruct", {"x", "x"}, {"s"})};
    for (const std::string& nest :
         {make_node("SequenceConstruct", {"x", "s"}, {"y"}), make_node("SequenceInsert", {"s", "s"}, {"y"})}) {
        const parts net{{pair[0], nest}, {}, {value("x", {2, 3})}, {value("y", {})}};
        CHECK(refusal_of(net).ends_with("input 1 is a sequence, but must be a tensor"));
    }
}

TEST_CASE("What operators make of a few bytes is limited by the model's size") {
    parts grows{{make_node("SequenceEmpty", {}, {"s0"})}, {}, {value("x", {2, 3})}, {value("s0", {})}};
    for (int i = 0; i < 2000; ++i) {
        grows.nodes.push_back(
            make_node("SequenceInsert", {"s" + std::to_string(i), "x"}, {"s" + std::to_string(i + 1)}));
    }
    CHECK(refusal_of(grows).ends_with("sequences have more parts together than the model's size allows"));
    parts splits{{}, {}, {value("x", {4000})}, {value("s0", {})}};
    parts fills{{}, {place("size", {1}, 4096)}, {value("x", {1})}, {value("f0", {})}};
    for (int i = 0; i < 100; ++i) {
        splits.nodes.push_back(make_node("SplitToSequence", {"x"}, {"s" + std::to_string(i)}));
    }
    for (int i = 0; i < 10000; ++i) {
        fills.nodes.push_back(make_node("ConstantOfShape", {"size"}, {"f" + std::to_string(i)}));
    }
    for (const parts& net : {splits, fills}) {
        CHECK(refusal_of(net).ends_with("operators make more of the model than its size allows"));
    }
}
