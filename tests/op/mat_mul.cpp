// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

#include <lpt/op/mat_mul.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

static_assert(infer_shape(op::mat_mul{}, 0, of({2, 3, 4}), of({4, 5})) == shape{2, 3, 5});

}  // namespace

TEST_CASE("MatMul: matrices are transposed, vectors are not, outer axes broadcast") {
    const op::mat_mul plain;
    const op::mat_mul both{.transpose_a = true, .transpose_b = true};
    CHECK(infer_shape(both, 0, of({4, 3}), of({5, 4})) == shape{3, 5});
    CHECK(infer_shape(plain, 0, of({2, 1, 3, 4}), of({7, 4, 5})) == shape{2, 7, 3, 5});
    CHECK(infer_shape(both, 0, of({4}), of({5, 4})) == shape{5});
    CHECK(infer_shape(plain, 0, of({3, 4}), of({4})) == shape{3});
    CHECK(infer_shape(plain, 0, of({4}), of({4})) == shape{});
    CHECK(infer_shape(plain, 0, of({unknown, 3, 4}), of({4, unknown})) == shape{unknown, 3, unknown});
    CHECK(infer_shape(plain, 0, unknown_rank(), of({4, 5})).rank_is_dynamic());
}

TEST_CASE("MatMul: inner sizes must agree") {
    CHECK_FALSE(infer_error(op::mat_mul{}, 0, of({3, 4}), of({5, 4})).empty());
    CHECK_FALSE(infer_error(op::mat_mul{}, 0, of({2, 3, 4}), of({3, 4, 5})).empty());
    CHECK_FALSE(infer_error(op::mat_mul{}, 0, of({}), of({4, 5})).empty());
}
