// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/memory_errors.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace lpt;

namespace {
text convolution() { return "Convolution 'a'"; }
}  // namespace

TEST_CASE("a memory error says how much in the largest unit of which there is one") {
    CHECK(memory_error(0).what() == std::string("0 bytes of memory cannot be allocated"));
    CHECK(memory_error(1023).what() == std::string("1023 bytes of memory cannot be allocated"));
    CHECK(memory_error(std::size_t{8} << 40).what() == std::string("8.0 TiB of memory cannot be allocated"));
    CHECK(memory_error(SIZE_MAX).what() == std::string("15.9 EiB of memory cannot be allocated"));
    CHECK(memory_error(1536, 1024).what() ==
          std::string("1.5 KiB of memory would be needed, and the limit is 1.0 KiB"));
}

TEST_CASE("a sequence refuses more values than it can count, and is what it was") {
    seq<double> values{1, 2};
    CHECK_THROWS_WITH_AS(values.resize(std::size_t{1} << 33), "64.0 GiB of memory cannot be allocated", memory_error);
    CHECK_THROWS_WITH_AS(values.reserve(SIZE_MAX), "15.9 EiB of memory cannot be allocated", memory_error);
    CHECK(values.size() == 2);
    CHECK(values[1] == 2);
}

TEST_CASE("memory that the system does not have is an error with its size") {
    if (detail::keeps_small_memory) {  // sanitizers end the program instead
        CHECK_THROWS_WITH_AS(detail::take_memory(std::size_t{1} << 60), "1.0 EiB of memory cannot be allocated",
                             memory_error);
    }
}

TEST_CASE("who works for an operation names it where memory cannot be had, and leaves other errors alone") {
    CHECK_THROWS_WITH_AS(detail::naming_memory([] { detail::raise_no_memory(1 << 20); }, convolution),
                         "Convolution 'a': 1.0 MiB of memory cannot be allocated", error);
    CHECK_THROWS_WITH_AS(detail::naming_memory([] { throw std::bad_alloc(); }, convolution),
                         "Convolution 'a': the memory that it needs cannot be allocated", error);
    CHECK_THROWS_WITH_AS(detail::naming_memory([] { fail({"other"}); }, convolution), "other", error);
    CHECK(detail::naming_memory([] { return 3; }, convolution) == 3);
    static_assert(detail::naming_memory([] { return 3; }, [] { return text(); }) == 3);
}
