// SPDX-License-Identifier: Apache-2.0
#include "network_file.hpp"

#include <doctest/doctest.h>

#include <optional>

using namespace lpt;
using testing::temporary_folder;

TEST_CASE("a window has the bytes of its place, and outlives the file's object") {
    const temporary_folder folder;
    std::optional<bytes> window;
    {
        const mapped_file file(folder.write("data", "0123456789").c_str());
        window.emplace(file.window(3, 4));
    }
    REQUIRE(window->size() == 4);
    CHECK(static_cast<char>(window->data()[0]) == '3');
    CHECK(static_cast<char>(window->data()[3]) == '6');
}

TEST_CASE("a window beyond its file is refused, also where offset and size leave 64 bits") {
    const temporary_folder folder;
    const mapped_file file(folder.write("data", "0123456789").c_str());
    CHECK(file.window(10, 0).size() == 0);
    CHECK(file.window(0, 10).size() == 10);
    CHECK_THROWS_WITH_AS(file.window(0, 11), "bytes 0 to 0 + 11 lie outside of the file, which has 10 bytes", error);
    CHECK_THROWS_AS(file.window(10, 1), error);
    CHECK_THROWS_AS(file.window(11, 0), error);
    CHECK_THROWS_AS(file.window(SIZE_MAX, 2), error);
    CHECK_THROWS_AS(file.window(2, SIZE_MAX), error);
}
