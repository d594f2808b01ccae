// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

#include <numeric>

using namespace kernel_test;

namespace {

struct top_k_case {
    std::int64_t outer = 1, length = 1, inner = 1, count = 1;
    bool least = false, by_place = false, wide = false;
};

struct found {
    std::vector<float> values;
    std::vector<std::int64_t> indices;
    bool operator==(const found& other) const {
        return indices == other.indices &&
               std::memcmp(values.data(), other.values.data(), values.size() * sizeof(float)) == 0;
    }
};

/// By sorting all places; `x` has no NaN.
found sorted(const top_k_case& c, const float* x) {
    found result{std::vector<float>(static_cast<std::size_t>(c.outer * c.count * c.inner)), {}};
    result.indices.resize(result.values.size());
    for (std::int64_t line = 0; line < c.outer * c.inner; ++line) {
        const std::int64_t base = line / c.inner * c.length * c.inner + line % c.inner;
        std::vector<std::int64_t> places(static_cast<std::size_t>(c.length));
        std::iota(places.begin(), places.end(), 0);
        std::sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
            const float left = x[base + a * c.inner];
            const float right = x[base + b * c.inner];
            return left == right ? a < b : c.least ? left < right : left > right;
        });
        places.resize(static_cast<std::size_t>(c.count));
        if (c.by_place) std::sort(places.begin(), places.end());
        for (std::int64_t i = 0; i < c.count; ++i) {
            const auto to = static_cast<std::size_t>((line / c.inner * c.count + i) * c.inner + line % c.inner);
            result.indices[to] = places[static_cast<std::size_t>(i)];
            result.values[to] = x[base + result.indices[to] * c.inner];
        }
    }
    return result;
}

found run(const k::kernel_table& table, const top_k_case& c, const guarded<float>& x, int thread_count) {
    const auto results = static_cast<std::size_t>(c.outer * c.count * c.inner);
    guarded<float> values(results);
    guarded<std::int64_t> wide(c.wide ? results : 0);
    guarded<std::int32_t> narrow(c.wide ? 0 : results);
    k::top_k_problem p;
    p.outer = c.outer;
    p.length = c.length;
    p.inner = c.inner;
    p.count = c.count;
    p.least = c.least;
    p.by_place = c.by_place;
    p.wide_indices = c.wide;
    p.input = x.data();
    p.values = values.data();
    p.indices = c.wide ? static_cast<void*>(wide.data()) : static_cast<void*>(narrow.data());
    table.run(p, threads(thread_count));
    CHECK(values.front_is_intact());
    CHECK((c.wide ? wide.front_is_intact() : narrow.front_is_intact()));
    found result;
    result.values.assign(values.data(), values.data() + results);
    if (c.wide)
        result.indices.assign(wide.data(), wide.data() + results);
    else
        result.indices.assign(narrow.data(), narrow.data() + results);
    return result;
}

void compare_all(const top_k_case& c, const guarded<float>& x) {
    const found expected = sorted(c, x.data());
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        for (const int thread_count : {1, 3}) {
            CAPTURE(std::string(k::name_of(set)));
            CAPTURE(c.outer);
            CAPTURE(c.length);
            CAPTURE(c.inner);
            CAPTURE(c.count);
            CAPTURE(c.least);
            CHECK(run(k::table_for(set), c, x, thread_count) == expected);
        }
    }
}

/// Numbers of which many are equal.
guarded<float> coarse_floats(generator& random, std::int64_t count, float steps) {
    guarded<float> result = random_floats(random, count, -steps, steps);
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = std::nearbyint(result[i]);
    return result;
}

}  // namespace

TEST_CASE("top_k gives the greatest or least numbers of each line, the first of equal ones, on every instruction set") {
    generator random(11);
    for (const std::int64_t length : {1, 2, 15, 16, 17, 64, 200, 1001}) {
        for (const std::int64_t inner : {1, 3, 16, 21}) {
            for (const std::int64_t count : {1, 2, 5, 64}) {
                if (count > length) continue;
                top_k_case c{2, length, inner, count};
                c.least = (length + inner) % 2 == 0;
                c.by_place = (count + inner) % 3 == 0;
                c.wide = count % 2 == 0;
                compare_all(c, coarse_floats(random, 2 * length * inner, length < 64 ? 3.0f : 40.0f));
            }
        }
    }
}

TEST_CASE("top_k of a whole line sorts it, and infinities are numbers") {
    generator random(12);
    guarded<float> x = random_floats(random, 300, -5, 5);
    x[7] = std::numeric_limits<float>::infinity();
    x[250] = -std::numeric_limits<float>::infinity();
    for (const bool least : {false, true}) {
        for (const bool by_place : {false, true}) {
            top_k_case c{1, 300, 1, 300};
            c.least = least;
            c.by_place = by_place;
            compare_all(c, x);
        }
    }
}

TEST_CASE("of several numbers NaN come last; where one is looked for, a NaN at the first place stays") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    guarded<float> x(130);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 50);
    x[0] = nan;
    x[40] = nan;
    for (int i = 0; i < k::isa_count; ++i) {
        const k::isa set = static_cast<k::isa>(i);
        if (!k::is_available(set)) continue;
        CAPTURE(std::string(k::name_of(set)));
        const found three = run(k::table_for(set), {1, 130, 1, 3}, x, 1);
        CHECK(three.indices == std::vector<std::int64_t>{49, 99, 48});
        const found all = run(k::table_for(set), {1, 130, 1, 130}, x, 1);
        CHECK(all.indices[128] == 0);
        CHECK(all.indices[129] == 40);
        CHECK(run(k::table_for(set), {1, 130, 1, 1}, x, 1).indices[0] == 0);
        CHECK(run(k::table_for(set), {1, 5, 26, 1}, x, 1).indices[0] == 0);
        x[0] = 0;
        CHECK(run(k::table_for(set), {1, 130, 1, 1}, x, 1).indices[0] == 49);
        x[0] = nan;
    }
}
