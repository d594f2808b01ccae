// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

struct setting {
    graph model;
    output_ref data = model.parameter(f32, {2, 60}, "x");

    output_ref multiply(output_ref a, output_ref b) { return model.add(op::multiply{}, {a, b}); }
    output_ref ramp(double most = 6) {
        const output_ref moved = model.add(op::add{}, {data, scalar_of(model, 3)});
        return model.add(op::clamp{{}, 0, most}, {moved});
    }
    void becomes(output_ref result, op::kind expected) {
        model.result(result, "activated");
        CHECK(optimized_operations_of(model) == kinds{expected});
        CHECK(change_of_results(model) < 2e-6);
    }
    void stays(output_ref result) {
        model.result(result, "activated");
        CHECK(optimized_operations_of(model) == operations_of(model));
    }
};

}  // namespace

TEST_CASE("x * sigmoid(x) becomes Swish, with a factor inside, too") {
    setting plain;
    plain.becomes(plain.multiply(plain.model.add(op::sigmoid{}, {plain.data}), plain.data), op::kind::swish);
    setting scaled;
    const output_ref inside = scaled.multiply(scaled.data, scalar_of(scaled.model, 1.702));
    scaled.becomes(scaled.multiply(scaled.data, scaled.model.add(op::sigmoid{}, {inside})), op::kind::swish);
}

TEST_CASE("A product with the sigmoid of another tensor stays") {
    setting s;
    s.stays(s.multiply(s.data, s.model.add(op::sigmoid{}, {s.model.parameter(f32, {2, 60}, "y")})));
}

TEST_CASE("HSwish is found with its division anywhere") {
    setting last;
    last.becomes(last.model.add(op::divide{}, {last.multiply(last.data, last.ramp()), scalar_of(last.model, 6)}),
                 op::kind::hswish);
    setting product;
    product.becomes(product.multiply(scalar_of(product.model, 1.0 / 6), product.multiply(product.ramp(), product.data)),
                    op::kind::hswish);
    setting first;
    first.becomes(first.multiply(first.model.add(op::divide{}, {first.ramp(), scalar_of(first.model, 6)}), first.data),
                  op::kind::hswish);
    setting gate;
    gate.becomes(gate.multiply(gate.data, gate.multiply(gate.ramp(), scalar_of(gate.model, 1.0 / 6))),
                 op::kind::hswish);
    setting sigmoid;
    const output_ref hard = sigmoid.model.add(
        op::hard_sigmoid{}, {sigmoid.data, scalar_of(sigmoid.model, 1.0 / 6), scalar_of(sigmoid.model, 0.5)});
    sigmoid.becomes(sigmoid.multiply(sigmoid.data, hard), op::kind::hswish);
}

TEST_CASE("A ramp to another number is no part of HSwish") {
    setting s;
    s.stays(s.multiply(s.data, s.multiply(s.ramp(5), scalar_of(s.model, 1.0 / 6))));
    setting slope;
    const output_ref hard =
        slope.model.add(op::hard_sigmoid{}, {slope.data, scalar_of(slope.model, 0.2), scalar_of(slope.model, 0.5)});
    slope.stays(slope.multiply(slope.data, hard));
}

TEST_CASE("x * tanh(log(1 + exp(x))) becomes Mish") {
    setting plus;
    const output_ref soft = plus.model.add(op::soft_plus{}, {plus.data});
    plus.becomes(plus.multiply(plus.data, plus.model.add(op::tanh{}, {soft})), op::kind::mish);
    setting whole;
    const output_ref sum =
        whole.model.add(op::add{}, {scalar_of(whole.model, 1), whole.model.add(op::exp{}, {whole.data})});
    const output_ref logarithm = whole.model.add(op::log{}, {sum});
    whole.becomes(whole.multiply(whole.model.add(op::tanh{}, {logarithm}), whole.data), op::kind::mish);
}
