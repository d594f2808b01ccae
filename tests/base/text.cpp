// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/text.hpp>

#include <doctest/doctest.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace lpt;

constexpr bool same_text(const text& left, text_view right) { return left.view() == right; }

static_assert(same_text(join({"a", 1, '-', true, " ", text("end")}), "a1-true end"));
static_assert(same_text(join({-5}), "-5") && same_text(join({0u}), "0") &&
              same_text(join({INT64_MIN}), "-9223372036854775808"));
static_assert(same_text(join({UINT64_MAX}), "18446744073709551615"));
static_assert(same_text(join({0.5}), "0.5") && same_text(join({-2.0}), "-2") && same_text(join({0.0}), "0") &&
              same_text(join({1e20}), "1e20"));
static_assert(same_text(join({1.25e-7}), "1.25e-7") && same_text(join({123456.0}), "123456") &&
              same_text(join({0.001}), "0.001"));
static_assert(text_view("abc") < text_view("abd") && text_view("ab") < text_view("abc"));
static_assert(text_view("abcdef").substr(2, 3) == "cde" && text_view("abc").substr(7).empty());
static_assert(text_view("abc").starts_with("ab") && text_view("abc").ends_with("bc") &&
              !text_view("a").ends_with("ba"));

}  // namespace

TEST_CASE("texts always end with a zero character") {
    text words;
    CHECK(std::string(words.c_str()).empty());
    words.append("one").append(" two");
    CHECK(std::string(words.c_str()) == "one two");
    CHECK(words.size() == 7);
    const text copy = words;
    words.append("!");
    CHECK(std::string(copy.c_str()) == "one two");
}

TEST_CASE("a text can be appended to itself") {
    text words("abc");
    words.append(words.view());
    CHECK(same_text(words, "abcabc"));
}

TEST_CASE("real numbers are written with nine significant digits and read back nearly equal") {
    std::uint64_t state = 88172645463325252u;
    for (int i = 0; i < 20000; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double value = 0;
        static_assert(sizeof value == sizeof state);
        __builtin_memcpy(&value, &state, sizeof value);
        if (value != value || value > 1e300 || value < -1e300 || (value < 1e-300 && value > -1e-300)) {
            continue;
        }
        const text written = join({value});
        const double read = std::strtod(written.c_str(), nullptr);
        INFO(written.c_str());
        REQUIRE(read == doctest::Approx(value).epsilon(2e-8));
    }
    CHECK(same_text(join({999999999.9}), "1000000000"));
    CHECK(same_text(join({-__builtin_huge_val()}), "-inf"));
    CHECK(same_text(join({__builtin_nan("")}), "nan"));
}

TEST_CASE("a copy keeps its characters when the other text is changed") {
    text one("conv");
    const text copy = one;
    CHECK(copy.c_str() == one.c_str());  // shared until then
    one.append("olution");
    CHECK(copy == "conv");
    CHECK(one == "convolution");
    text longer = one;
    longer.append(one.view());
    CHECK(longer == "convolutionconvolution");
    CHECK(one == "convolution");
}

TEST_CASE("a text can be appended to itself") {
    text word("ab");
    for (int i = 0; i < 3; ++i) {
        word.append(word.view());
    }
    CHECK(word == "abababababababab");
}
