// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/half.hpp>
#include <lpt/tensor/element.hpp>

#include <doctest/doctest.h>

using namespace lpt;

TEST_CASE("half precision conversions agree with the general decoder for every code") {
    for (std::uint32_t code = 0; code < 0x10000; ++code) {
        const auto half = static_cast<std::uint16_t>(code);
        const double expected = lpt::detail::decode(lpt::detail::half_format, code);
        const float got = lpt::detail::float_from_half(half);
        if (math::is_nan(expected)) {
            CHECK(math::is_nan(got));
            continue;
        }
        REQUIRE(static_cast<double>(got) == expected);
        REQUIRE(lpt::detail::half_from_float(got) == half);
        const float between = got * 1.0003f;
        REQUIRE(lpt::detail::half_from_float(between) ==
                lpt::detail::encode(lpt::detail::half_format, static_cast<double>(between)));
        REQUIRE(lpt::detail::brain_from_float(between) ==
                lpt::detail::encode(lpt::detail::brain_format, static_cast<double>(between)));
    }
}
