// SPDX-License-Identifier: Apache-2.0
#include "tests/import/onnx_results.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

/// If, Loop and Scan, against the same loops written out.
namespace {

using namespace lpt;
using namespace lpt::testing::onnx_file;

constexpr std::int64_t boolean_type = 9;

std::string body(const std::string& name, const parts& content) {
    return message([&](pbf_writer& to) {
        to.add_string(1, name);
        to.add_message(6, content.content());
        to.add_int32(20, 5);
    });
}
std::string untyped(const std::string& name) {
    return message([&](pbf_writer& to) { to.add_string(1, name); });
}
std::string i64_tensor(const std::string& name, const numbers& dimensions, const numbers& all) {
    return raw_tensor(name, dimensions, i64_type, {reinterpret_cast<const char*>(all.data()), all.size() * 8});
}

}  // namespace

TEST_CASE("If gives what the branch gives that the run takes, which reads values from outside") {
    const parts then_branch{{make_node("Add", {"x", "x"}, {"sum"})}, {}, {}, {untyped("sum")}};
    const parts else_branch{{make_node("Neg", {"x"}, {"negated"})}, {}, {}, {untyped("negated")}};
    const parts net{
        {make_node("If", {"c"}, {"y"}, {body("then_branch", then_branch), body("else_branch", else_branch)})},
        {},
        {value("c", {}, boolean_type), value("x", {3})},
        {value("y", {3})}};
    const values x{1, -2, 3};
    for (const double choice : {0.0, 1.0}) {
        const tensor c = make_tensor(boolean, shape{}, view<double>(&choice, 1));
        CHECK(results_of(make_model(net), {c, floats_of({3}, x)})[0] ==
              (choice != 0 ? values{2, -4, 6} : values{-1, 2, -3}));
    }
}

TEST_CASE("Nodes come after those whose values their bodies read") {
    const parts inside{{make_node("Neg", {"late"}, {"n"})}, {}, {}, {untyped("n")}};
    const parts nested{{make_node("If", {"c"}, {"n1"}, {body("then_branch", inside), body("else_branch", inside)})},
                       {},
                       {},
                       {untyped("n1")}};
    const parts outside{{}, {}, {}, {untyped("late")}};
    const parts net{{make_node("If", {"c"}, {"y"}, {body("then_branch", nested), body("else_branch", outside)}),
                     make_node("Add", {"x", "x"}, {"late"})},
                    {},
                    {value("c", {}, boolean_type), value("x", {2})},
                    {value("y", {2})}};
    for (const double choice : {0.0, 1.0}) {
        const tensor c = make_tensor(boolean, shape{}, view<double>(&choice, 1));
        CHECK(results_of(make_model(net), {c, floats_of({2}, {1, -2})})[0] ==
              (choice != 0 ? values{-2, 4} : values{2, -4}));
    }
}

TEST_CASE("A body that reads what its own node gives is refused") {
    const parts inside{{make_node("Neg", {"y"}, {"n"})}, {}, {}, {untyped("n")}};
    const parts net{{make_node("If", {"c"}, {"y"}, {body("then_branch", inside), body("else_branch", inside)})},
                    {},
                    {value("c", {}, boolean_type)},
                    {value("y", {2})}};
    std::string said;
    try {
        static_cast<void>(import_content(make_model(net)));
    } catch (const error& raised) {
        said = raised.what();
    }
    CHECK(said.substr(std::min(said.find("node"), said.size())) ==
          "node 'y' (If) at byte 13: what it gives leads round in a circle to what it reads");
}

TEST_CASE("A part of a shape is cut out when the run knows how many axes there are") {
    const parts one{{make_node("Identity", {"x"}, {"same"})}, {}, {}, {untyped("same")}};
    const parts more{{make_node("Unsqueeze", {"x", "first"}, {"longer"})}, {}, {}, {untyped("longer")}};
    for (const double choice : {0.0, 1.0}) {
        const parts net{{make_node("If", {"c"}, {"z"}, {body("then_branch", one), body("else_branch", more)}),
                         make_node("Shape", {"z"}, {"y"}, {integer("start", -2)})},
                        {i64_tensor("first", {1}, {0})},
                        {value("c", {}, boolean_type), value("x", {3})},
                        {value("y", {-1}, i64_type)}};
        const tensor c = make_tensor(boolean, shape{}, view<double>(&choice, 1));
        CHECK(results_of(make_model(net), {c, floats_of({3}, {1, 2, 3})})[0] ==
              (choice != 0 ? values{3} : values{1, 3}));
    }
}

namespace {

/// s = 2 * s + i while s stays below 50: gives the last s and all of them.
parts counting_loop(std::int64_t most) {
    const parts inside{{make_node("Cast", {"i"}, {"number"}, {integer("to", float_type)}),
                        make_node("Mul", {"s", "two"}, {"twice"}), make_node("Add", {"twice", "number"}, {"next"}),
                        make_node("Less", {"next", "limit"}, {"more"}), make_node("Identity", {"next"}, {"seen"})},
                       {floats("two", {}, {2}), floats("limit", {}, {50})},
                       {value("i", {}, i64_type), value("before", {}, boolean_type), value("s", {})},
                       {value("more", {}, boolean_type), value("next", {}), value("seen", {})}};
    return {{make_node("Loop", {"most", "", "x"}, {"last", "all"}, {body("body", inside)})},
            {i64_tensor("most", {}, {most})},
            {value("x", {})},
            {value("last", {}), value("all", {-1})}};
}

}  // namespace

TEST_CASE("Loop ends by its trip count or its condition, and gives states and what each iteration gives") {
    for (const std::int64_t most : {-7, 0, 3, 100}) {
        double s = 1;
        values all;
        bool more = true;
        for (std::int64_t i = 0; i < most && more; ++i) {
            s = 2 * s + static_cast<double>(i);
            all.push_back(s);
            more = s < 50;
        }
        const std::vector<values> result = results_of(make_model(counting_loop(most)), {floats_of({}, {1})});
        CHECK(result[0] == values{s});
        CHECK(result[1] == all);
    }
}

namespace {

/// s = s + x, y = s * x for slices x.
parts scanned_sum() {
    return {{make_node("Add", {"s", "part"}, {"next"}), make_node("Mul", {"next", "part"}, {"out"})},
            {},
            {value("s", {2}), value("part", {2})},
            {value("next", {2}), value("out", {2})}};
}
const values rows{1, 2, 3, 4, 5, 6};  // [3, 2]

/// The last states, then what all steps give: the first `length` rows from `first` on, in the order of the steps or the other way round.
std::vector<values> sums_of_rows(const values& x, bool reads_backwards, bool gives_backwards) {
    const std::size_t steps = x.size() / 2;
    values s{10, 20};
    std::vector<values> given;
    for (std::size_t step = 0; step < steps; ++step) {
        const std::size_t row = reads_backwards ? steps - 1 - step : step;
        given.emplace_back();
        for (std::size_t i = 0; i < 2; ++i) {
            s[i] += x[row * 2 + i];
            given.back().push_back(s[i] * x[row * 2 + i]);
        }
    }
    if (gives_backwards) {
        std::reverse(given.begin(), given.end());
    }
    values all;
    for (const values& each : given) {
        all.insert(all.end(), each.begin(), each.end());
    }
    return {s, all};
}

}  // namespace

TEST_CASE("Scan reads slices forwards or backwards, and puts what it gives side by side either way") {
    for (const std::int64_t reads_backwards : {0, 1}) {
        for (const std::int64_t gives_backwards : {0, 1}) {
            const parts net{{make_node("Scan", {"s0", "x"}, {"s", "y"},
                                       {body("body", scanned_sum()), integer("num_scan_inputs", 1),
                                        list("scan_input_directions", {reads_backwards}),
                                        list("scan_output_directions", {gives_backwards})})},
                            {floats("s0", {2}, {10, 20})},
                            {value("x", {3, 2})},
                            {value("s", {2}), value("y", {3, 2})}};
            CHECK(results_of(make_model(net), {floats_of({3, 2}, rows)}) ==
                  sums_of_rows(rows, reads_backwards != 0, gives_backwards != 0));
        }
    }
}

TEST_CASE("Scan slices along any axis, and puts what it gives along any other") {
    const parts net{{make_node("Scan", {"s0", "x"}, {"s", "y"},
                               {body("body", scanned_sum()), integer("num_scan_inputs", 1),
                                list("scan_input_axes", {1}), list("scan_output_axes", {-1})})},
                    {floats("s0", {2}, {10, 20})},
                    {value("x", {2, 3})},
                    {value("s", {2}), value("y", {2, 3})}};
    const auto turned = [](const values& from, std::size_t height, std::size_t width) {
        values result;
        for (std::size_t column = 0; column < width; ++column) {
            for (std::size_t row = 0; row < height; ++row) {
                result.push_back(from[row * width + column]);
            }
        }
        return result;
    };
    const std::vector<values> wanted = sums_of_rows(rows, false, false);
    CHECK(results_of(make_model(net), {floats_of({2, 3}, turned(rows, 3, 2))}) ==
          std::vector<values>{wanted[0], turned(wanted[1], 3, 2)});
}

TEST_CASE("Scan of version 8 scans each sample of a batch, as far as its length says, with zeros behind") {
    const auto scanned = [](const words& lengths, std::int64_t backwards) {
        const parts net{
            {make_node("Scan", {lengths.empty() ? "" : "lengths", "s0", "x"}, {"s", "y"},
                       {body("body", scanned_sum()), integer("num_scan_inputs", 1), list("directions", {backwards})})},
            words{floats("s0", {2, 2}, {10, 20, 10, 20})},
            {value("x", {2, 3, 2})},
            {value("s", {2, 2}), value("y", {2, 3, 2})}};
        parts whole = net;
        whole.initializers.insert(whole.initializers.end(), lengths.begin(), lengths.end());
        values x = rows;
        for (const double each : rows) {
            x.push_back(each * 10);
        }
        return results_of(make_model(whole, 8), {floats_of({2, 3, 2}, x)});
    };
    const values longer{10, 20, 30, 40, 50, 60};
    const auto joined = [](values first, const values& second) {
        first.insert(first.end(), second.begin(), second.end());
        return first;
    };
    for (const bool backwards : {false, true}) {
        const std::vector<values> one = sums_of_rows(rows, backwards, false);
        const std::vector<values> other = sums_of_rows(longer, backwards, false);
        CHECK(scanned({}, backwards ? 1 : 0) ==
              std::vector<values>{joined(one[0], other[0]), joined(one[1], other[1])});
        const std::vector<values> shorter = sums_of_rows({1, 2, 3, 4}, backwards, false);
        CHECK(scanned({i64_tensor("lengths", {2}, {2, 3})}, backwards ? 1 : 0) ==
              std::vector<values>{joined(shorter[0], other[0]), joined(joined(shorter[1], {0, 0}), other[1])});
    }
    CHECK_THROWS_WITH_AS(scanned({i64_tensor("lengths", {2}, {2, 4})}, 0),
                         doctest::Contains("a sequence has 4 of 3 steps"), error);
    CHECK_THROWS_WITH_AS(scanned({i64_tensor("lengths", {1}, {2})}, 0),
                         doctest::Contains("has 1 lengths for 2 sequences"), error);
}

TEST_CASE("Branches, states and conditions keep their types and numbers") {
    const std::string to_integers = make_node("Cast", {"x"}, {"whole"}, {integer("to", i64_type)});
    const auto said = [](const parts& net) -> std::string {
        try {
            static_cast<void>(import_content(make_model(net)));
        } catch (const error& raised) {
            return raised.what();
        }
        return "no complaint";
    };
    const parts real{{make_node("Neg", {"x"}, {"n"})}, {}, {}, {untyped("n")}};
    const parts whole{{to_integers}, {}, {}, {untyped("whole")}};
    CHECK(said({{make_node("If", {"c"}, {"y"}, {body("then_branch", real), body("else_branch", whole)})},
                {},
                {value("c", {}, boolean_type), value("x", {3})},
                {untyped("y")}})
              .ends_with("output 0 is f32 in then_branch, but i64 in else_branch, expected one type"));
    CHECK(said({{make_node("If", {"c"}, {"y", "more"}, {body("then_branch", real), body("else_branch", real)})},
                {},
                {value("c", {}, boolean_type), value("x", {3})},
                {untyped("y")}})
              .ends_with("has 2 outputs, but its body gives 1"));
    CHECK(said({{make_node("If", {"c"}, {"y"}, {body("then_branch", real), body("else_branch", real)})},
                {},
                {value("c", {}), value("x", {3})},
                {untyped("y")}})
              .ends_with("node 'y' (If) at byte 13: the condition (input 0) must be boolean, not f32"));
    const auto loop = [&](const words& nodes, const std::string& condition, const std::string& state) {
        const parts inside{nodes,
                           {},
                           {value("i", {}, i64_type), value("go", {}, boolean_type), untyped("s")},
                           {untyped(condition), untyped(state)}};
        return said({{make_node("Loop", {"n", "", "x"}, {"y"}, {body("body", inside)})},
                     {},
                     {value("n", {}, i64_type), value("x", {3})},
                     {untyped("y")}});
    };
    const std::string keep = make_node("Identity", {"go"}, {"on"});
    CHECK(loop({keep, make_node("Neg", {"s"}, {"t"})}, "on", "t") == "no complaint");
    CHECK(loop({keep, make_node("Cast", {"s"}, {"t"}, {integer("to", i64_type)})}, "on", "t")
              .ends_with("state 0 is f32 at first, but i64 behind the body, expected one type"));
    CHECK(loop({make_node("Identity", {"i"}, {"on"}), make_node("Neg", {"s"}, {"t"})}, "on", "t")
              .ends_with("the condition, output 0, is i64, expected boolean"));
}

TEST_CASE("Scan goes forward or backward, for each of its inputs and outputs") {
    const parts inside{{make_node("Add", {"s", "i"}, {"t"}), make_node("Neg", {"i"}, {"o"})},
                       {},
                       {value("s", {}), value("i", {})},
                       {untyped("t"), untyped("o")}};
    const auto said = [&](const std::string& attribute) -> std::string {
        try {
            static_cast<void>(import_content(
                make_model({{make_node("Scan", {"z", "x"}, {"last", "y"},
                                       {body("body", inside), integer("num_scan_inputs", 1), attribute})},
                            {},
                            {value("z", {}), value("x", {3})},
                            {untyped("y")}})));
        } catch (const error& raised) {
            const std::string message = raised.what();
            return message.substr(message.rfind(": ") + 2);
        }
        return "no complaint";
    };
    for (const std::string name : {"scan_input_directions", "scan_output_directions"}) {
        CHECK(said(list(name, {1})) == "no complaint");
        CHECK(said(list(name, {7})) == "attribute '" + name + "' has the direction 7, expected 0 or 1");
        CHECK(said(list(name, {0, 0})) == "attribute '" + name + "' has 2 directions, expected 1");
    }
    for (const std::string name : {"scan_input_axes", "scan_output_axes"}) {
        CHECK(said(list(name, {0})) == "no complaint");
        CHECK(said(list(name, {0, 0})) == "attribute '" + name + "' has 2 axes, expected 1");
    }
}
