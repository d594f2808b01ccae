// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

#include <string>
#include <vector>

/// Networks of one form and any size: what grows faster than its network shows on one of them.
namespace bench {

/// Builds one network; operations have numbered names.
class network_builder {
    lpt::graph model_;
    std::size_t count_ = 0;

public:
    lpt::graph& model() { return model_; }
    std::size_t operations() const { return count_; }
    std::string name(const char* what) { return std::string(what) + "_" + std::to_string(count_++); }
    lpt::output_ref input(lpt::shape dimensions) { return model_.parameter(lpt::f32, std::move(dimensions), "input"); }
    lpt::output_ref add(lpt::op::attributes what, std::initializer_list<lpt::output_ref> inputs) {
        const std::string called = name(lpt::op::name(what.number()).data());
        return model_.add(std::move(what), inputs, called.c_str());
    }
    lpt::output_ref number(double value) { return model_.constant(lpt::make_scalar(lpt::f32, value)); }
    lpt::output_ref indices(lpt::integers values) { return model_.constant(lpt::make_indices(values)); }
    lpt::output_ref quantize(lpt::output_ref data, double low, double high, std::int64_t levels) {
        const lpt::output_ref from = number(low);
        const lpt::output_ref to = number(high);
        return add(lpt::op::fake_quantize{levels}, {data, from, to, from, to});
    }
};

using network_maker = void (*)(network_builder& to, std::size_t operations);

/// One after the other, all in one step.
inline void make_relus(network_builder& to, std::size_t operations) {
    lpt::output_ref data = to.input({1, 8});
    while (to.operations() < operations)
        data = to.add(lpt::op::relu{}, {data});
    to.model().result(data, "output");
}

/// FakeQuantize and convolution with quantized weights, one after the other.
inline void make_convolutions(network_builder& to, std::size_t operations) {
    lpt::output_ref data = to.input({1, 4, 4, 4});
    while (to.operations() < operations) {
        data = to.quantize(data, 0, 2.55, 256);
        const lpt::output_ref weights = to.model().constant(lpt::make_tensor(lpt::f32, {4, 4, 1, 1}, {0.5}));
        data = to.add(lpt::op::convolution{}, {data, to.quantize(weights, -1.27, 1.27, 255)});
    }
    to.model().result(data, "output");
}

/// One input that all others read, and one concatenation that reads them.
inline void make_wide(network_builder& to, std::size_t operations) {
    const lpt::output_ref data = to.input({1, 4});
    std::vector<lpt::output_ref> parts;
    while (to.operations() + 1 < operations)
        parts.push_back(to.add(lpt::op::sigmoid{}, {data}));
    lpt::op::concat what;
    what.axis = 1;
    to.model().result(to.model().add(what, lpt::view<lpt::output_ref>(parts.data(), parts.size()), "all"), "output");
}

/// One input that all others read, added in pairs: a tree.
inline void make_tree(network_builder& to, std::size_t operations) {
    const lpt::output_ref data = to.input({1, 4});
    std::vector<lpt::output_ref> parts;
    while (to.operations() < operations / 2)
        parts.push_back(to.add(lpt::op::sigmoid{}, {data}));
    while (parts.size() > 1) {
        std::vector<lpt::output_ref> sums;
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
            sums.push_back(to.add(lpt::op::add{}, {parts[i], parts[i + 1]}));
        if (parts.size() % 2 != 0) sums.push_back(parts.back());
        parts = std::move(sums);
    }
    to.model().result(parts[0], "output");
}

/// All of the first half live until the second half reads them, the last one first.
inline void make_residuals(network_builder& to, std::size_t operations) {
    lpt::output_ref data = to.input({1, 16});
    std::vector<lpt::output_ref> down;
    while (to.operations() < operations / 2) {
        data = to.add(lpt::op::softmax{}, {data});
        down.push_back(data);
    }
    for (std::size_t i = down.size() - 1; i-- > 0;)
        data = to.add(lpt::op::maximum{}, {data, down[i]});
    to.model().result(data, "output");
}

/// Transpose, Reshape, multiplication with a number, activation, one after the other.
inline void make_movements(network_builder& to, std::size_t operations) {
    lpt::output_ref data = to.input({2, 3, 4});
    while (to.operations() < operations) {
        data = to.add(lpt::op::transpose{}, {data, to.indices({0, 2, 1})});
        data = to.add(lpt::op::reshape{}, {data, to.indices({2, 3, 4})});
        data = to.add(lpt::op::multiply{}, {data, to.number(1.5)});
        data = to.add(lpt::op::tanh{}, {data});
    }
    to.model().result(data, "output");
}

/// Each operation reads a Constant of its own that is computed from others.
inline void make_constants(network_builder& to, std::size_t operations) {
    lpt::output_ref data = to.input({1, 4});
    while (to.operations() < operations) {
        const lpt::output_ref sum = to.add(lpt::op::add{}, {to.number(0.5), to.number(0.25)});
        data = to.add(lpt::op::power{}, {data, to.add(lpt::op::multiply{}, {sum, to.number(2)})});
    }
    to.model().result(data, "output");
}

struct network_form {
    const char* name;
    network_maker make;
};
inline constexpr network_form network_forms[] = {
    {"relus", &make_relus},         {"convolutions", &make_convolutions}, {"wide", &make_wide},
    {"tree", &make_tree},           {"residuals", &make_residuals},       {"movements", &make_movements},
    {"constants", &make_constants},
};

}  // namespace bench
