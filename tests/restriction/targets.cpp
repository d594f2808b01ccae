// SPDX-License-Identifier: Apache-2.0
#include <lpt/restriction/targets/cpu_arm.hpp>
#include <lpt/restriction/targets/cpu_x86.hpp>
#include <lpt/restriction/targets/cpu_x86_amx.hpp>
#include <lpt/restriction/targets/gpu.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

seq<element, 18> accepted(const restriction_table& table, op::kind operation, int port) {
    const port_types* found = table.precisions_on(operation, port);
    return found == nullptr ? seq<element, 18>() : found->types;
}

using types = seq<element, 18>;

}  // namespace

TEST_CASE("x86: convolutions take u8, with matrix units i8 too") {
    CHECK(accepted(cpu_x86, op::kind::convolution, 0) == types{u8});
    CHECK(accepted(cpu_x86, op::kind::group_convolution, 0) == types{u8});
    CHECK(accepted(cpu_x86, op::kind::convolution_backprop_data, 0) == types{u8, i8});
    CHECK(accepted(cpu_x86_amx, op::kind::convolution, 0) == types{u8, i8});
    CHECK(accepted(cpu_x86_amx, op::kind::group_convolution, 0) == types{u8, i8});
    CHECK(accepted(cpu_x86, op::kind::mat_mul, 1) == types{i8});
}

TEST_CASE("gpu: recurrent sequences are not quantized, matrix products not restricted") {
    CHECK(gpu.table().excludes(op::kind::lstm_sequence));
    CHECK(gpu.table().excludes(op::kind::gru_sequence));
    CHECK_FALSE(gpu.table().restricts(op::kind::mat_mul));
}

TEST_CASE("ARM: both inputs of a matrix product have one signed type") {
    const restriction_table table = cpu_arm;
    REQUIRE(table.precisions_on(op::kind::mat_mul, 0) != nullptr);
    CHECK(table.precisions_on(op::kind::mat_mul, 0)->ports == seq<std::int32_t, 8>{0, 1});
    CHECK(accepted(cpu_arm, op::kind::mat_mul, 0) == types{i8});
    CHECK(accepted(cpu_arm, op::kind::mat_mul, 1) == types{i8});
}

TEST_CASE("All targets want convolution inputs quantized per tensor") {
    const restriction_table tables[] = {cpu_x86, cpu_x86_amx, cpu_arm, gpu};
    for (const restriction_table& table : tables) {
        CHECK(table.granularities[0].operation == op::kind::convolution);
        CHECK(table.granularities[0].ports == seq<std::int32_t, 8>{0});
    }
}
