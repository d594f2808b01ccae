// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

TEST_CASE("each available instruction set has a complete table of its own") {
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        const k::kernel_table& t = k::table_for(set);
        CHECK(t.instruction_set == set);
        CHECK((t.packed_gemm_bytes != nullptr));
        CHECK((t.pack_gemm != nullptr));
        CHECK((t.gemm != nullptr));
        CHECK((t.packed_convolution_bytes != nullptr));
        CHECK((t.pack_convolution != nullptr));
        CHECK((t.convolution_scratch_bytes != nullptr));
        CHECK((t.convolution != nullptr));
        CHECK((t.method_of_convolution != nullptr));
        CHECK((t.pool != nullptr));
        CHECK((t.binary != nullptr));
        CHECK((t.convert != nullptr));
        CHECK((t.lookup != nullptr));
        CHECK((t.transpose != nullptr));
    }
}

TEST_CASE("the best instruction set is available, and scalar always is") {
    CHECK(k::is_available(k::best_isa()));
    CHECK(k::is_available(k::isa::scalar));
    CHECK(k::table_for(k::best_isa()).instruction_set == k::best_isa());
}

TEST_CASE("an instruction set that cannot run is an error that names it") {
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (k::is_available(set)) continue;
        std::string message;
        try {
            k::table_for(set);
        } catch (const lpt::error& e) {
            message = e.what();
        }
        CHECK(message.find(k::name_of(set)) != std::string::npos);
        CHECK(message.find(k::name_of(k::best_isa())) != std::string::npos);
    }
}

TEST_CASE("names and instruction sets map both ways, and an unknown name is an error") {
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        CHECK(k::isa_named(k::name_of(set)) == set);
    }
    CHECK_THROWS_WITH_AS(k::isa_named("sse9"), doctest::Contains("unknown instruction set sse9"), lpt::error);
}

static_assert(k::bytes_of(k::element_kind::i8) == 1 && k::bytes_of(k::element_kind::f32) == 4);
