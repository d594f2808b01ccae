// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/error.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace lpt;

TEST_CASE("an error is one line, whatever the names in it") {
    CHECK(error("a\nb\tc\x01"
                "d")
              .what() == std::string("a b c d"));
}

TEST_CASE("characters beyond ASCII stay in an error") {
    CHECK(error("caf\xc3\xa9").what() == std::string("caf\xc3\xa9"));
}
