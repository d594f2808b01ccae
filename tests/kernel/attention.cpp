// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

struct attention_data {
    k::attention_problem problem;
    guarded<std::uint8_t> query{1};
    guarded<std::uint8_t> key{1};
    guarded<std::uint8_t> value{1};
    guarded<std::uint8_t> mask{1};
};

std::int64_t heads_of(const k::attention_problem& p) { return p.heads[0] * p.heads[1]; }

/// Heads [outer, inner]; keys and values are one for all of `inner` where they are shared.
attention_data make(generator& random, std::int64_t outer, std::int64_t inner, std::int64_t queries, std::int64_t keys,
                    std::int64_t depth, std::int64_t width, bool shares_keys, k::element_kind type) {
    attention_data result;
    k::attention_problem& p = result.problem;
    p.head_axes = 2;
    p.heads[0] = outer;
    p.heads[1] = inner;
    p.queries = queries;
    p.keys = keys;
    p.depth = depth;
    p.width = width;
    const auto matrix = [&](k::attention_matrix& at, guarded<std::uint8_t>& data, std::int64_t rows,
                            std::int64_t columns, bool shared) {
        at.type = type;
        at.zero_point = type == k::element_kind::u8 ? 121 : type == k::element_kind::i8 ? -3 : 0;
        at.row_stride = columns;
        at.strides[0] = rows * columns * (shared ? 1 : inner);
        at.strides[1] = shared ? 0 : rows * columns;
        data = random_elements(random, type, at.strides[0] * outer);
    };
    matrix(p.queries_at, result.query, queries, depth, false);
    matrix(p.keys_at, result.key, keys, depth, shares_keys);
    matrix(p.values_at, result.value, keys, width, shares_keys);
    const bool is_float = type == k::element_kind::f32;
    p.scale = (is_float ? 0.3f : 0.0003f) / std::sqrt(static_cast<float>(depth));
    p.value_scale = is_float ? 1.0f : 0.02f;
    p.output_row_stride = width;
    p.output_strides[0] = queries * width * inner;
    p.output_strides[1] = queries * width;
    p.query = result.query.data();
    p.key = result.key.data();
    p.value = result.value.data();
    return result;
}

/// A mask for each head of the outer axis, which repeats along the inner one.
void add_mask(generator& random, attention_data& data, k::attention_mask use) {
    k::attention_problem& p = data.problem;
    p.mask_use = use;
    p.mask_column_stride = 1;
    p.mask_row_stride = p.keys;
    p.mask_strides[0] = p.queries * p.keys;
    const std::int64_t count = p.heads[0] * p.queries * p.keys;
    if (use == k::attention_mask::choose) {
        data.mask = guarded<std::uint8_t>(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < data.mask.size(); ++i)
            data.mask[i] = random.below(3) == 0 ? 0 : 1;
    } else {
        data.mask = guarded<std::uint8_t>(static_cast<std::size_t>(count * 4));
        for (std::int64_t i = 0; i < count; ++i) {
            const float each = random.below(4) == 0 ? -std::numeric_limits<float>::infinity() : random.real(-2, 2);
            std::memcpy(data.mask.data() + i * 4, &each, 4);
        }
    }
    // The last row of the first head: no place counts.
    for (std::int64_t i = 0; i < p.keys; ++i) {
        const std::int64_t at = (p.queries - 1) * p.keys + i;
        const float least = -std::numeric_limits<float>::infinity();
        if (use == k::attention_mask::choose)
            data.mask[static_cast<std::size_t>(at)] = 0;
        else
            std::memcpy(data.mask.data() + at * 4, &least, 4);
    }
    p.mask = data.mask.data();
}

double element(const void* data, k::element_kind type, std::int64_t i) {
    if (type == k::element_kind::u8) return static_cast<const std::uint8_t*>(data)[i];
    if (type == k::element_kind::i8) return static_cast<const std::int8_t*>(data)[i];
    float value;
    std::memcpy(&value, static_cast<const char*>(data) + i * 4, 4);
    return static_cast<double>(value);
}

/// The operation in double; `size`: the sum of absolute values that a result is made of.
void exact(const k::attention_problem& p, std::vector<double>& result, std::vector<double>& size) {
    result.assign(static_cast<std::size_t>(heads_of(p) * p.queries * p.width), 0);
    size = result;
    for (std::int64_t h = 0; h < heads_of(p); ++h) {
        const std::int64_t at[2] = {h / p.heads[1], h % p.heads[1]};
        const auto matrix = [&](const void* data, const k::attention_matrix& m, std::int64_t r, std::int64_t c) {
            const std::int64_t first = at[0] * m.strides[0] + at[1] * m.strides[1];
            return element(data, m.type, first + r * m.row_stride + c) - m.zero_point;
        };
        for (std::int64_t r = 0; r < p.queries; ++r) {
            std::vector<double> scores(static_cast<std::size_t>(p.keys));
            double most = -std::numeric_limits<double>::infinity();
            for (std::int64_t c = 0; c < p.keys; ++c) {
                double& s = scores[static_cast<std::size_t>(c)];
                for (std::int64_t d = 0; d < p.depth; ++d)
                    s += matrix(p.query, p.queries_at, r, d) * matrix(p.key, p.keys_at, c, d);
                s *= static_cast<double>(p.scale);
                const std::int64_t place = at[0] * p.mask_strides[0] + r * p.mask_row_stride + c;
                if (p.mask_use == k::attention_mask::add) s += element(p.mask, k::element_kind::f32, place);
                const bool chosen =
                    p.mask_use != k::attention_mask::choose || element(p.mask, k::element_kind::u8, place) != 0;
                if (!chosen || (p.causal && c > r)) s = -std::numeric_limits<double>::infinity();
                most = std::max(most, s);
            }
            double sum = 0;
            for (double& s : scores)
                sum += s = std::isinf(most) ? 0 : std::exp(s - most);
            for (std::int64_t w = 0; w < p.width && sum != 0; ++w) {
                const auto to = static_cast<std::size_t>((h * p.queries + r) * p.width + w);
                for (std::int64_t c = 0; c < p.keys; ++c) {
                    const double part = scores[static_cast<std::size_t>(c)] / sum * matrix(p.value, p.values_at, c, w) *
                                        static_cast<double>(p.value_scale);
                    result[to] += part;
                    size[to] += std::abs(part);
                }
            }
        }
    }
}

guarded<float> run(k::isa set, k::attention_problem problem, int thread_count) {
    guarded<float> output(static_cast<std::size_t>(heads_of(problem) * problem.queries * problem.width));
    guarded<float> scratch(static_cast<std::size_t>(k::attention_scratch_bytes(problem) / 4 * thread_count));
    std::memset(scratch.data(), 0xff, scratch.size() * 4);
    problem.output = output.data();
    problem.scratch.data = scratch.data();
    k::table_for(set).run(problem, threads(thread_count));
    return output;
}

template <class Visit>
void for_each_case(Visit visit) {
    generator random(21);
    const std::int64_t sizes[][8] = {{1, 1, 1, 1, 1, 1},      {2, 3, 5, 7, 3, 2},       {1, 2, 32, 32, 32, 32},
                                     {2, 2, 17, 33, 8, 16},   {1, 3, 1, 129, 64, 64},   {1, 2, 40, 70, 20, 65},
                                     {3, 1, 16, 64, 5, 48},   {1, 1, 20, 200, 64, 100}, {1, 4, 4, 15, 16, 15},
                                     {1, 2, 33, 65, 255, 16}, {1, 1, 70, 20, 256, 17},  {1, 1, 5, 9, 257, 3}};
    for (const auto& s : sizes) {
        for (const k::element_kind type : {k::element_kind::f32, k::element_kind::u8, k::element_kind::i8}) {
            for (int variant = 0; variant < 4; ++variant) {
                attention_data data = make(random, s[0], s[1], s[2], s[3], s[4], s[5], variant == 1, type);
                data.problem.causal = variant == 1;
                if (variant == 2) add_mask(random, data, k::attention_mask::add);
                if (variant == 3) add_mask(random, data, k::attention_mask::choose);
                CAPTURE(data.problem.queries);
                CAPTURE(data.problem.keys);
                CAPTURE(static_cast<int>(type));
                CAPTURE(variant);
                visit(data);
            }
        }
    }
}

}  // namespace

TEST_CASE("Attention has the bits of the scalar kernel on every instruction set and thread count") {
    for_each_case([](const attention_data& data) {
        const guarded<float> expected = run(k::isa::scalar, data.problem, 1);
        for (const k::isa set : instruction_sets()) {
            for (const int count : {1, 2, 3, 4}) {
                CAPTURE(std::string(k::name_of(set)));
                const guarded<float> got = run(set, data.problem, count);
                CHECK(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) == 0);
            }
        }
    });
}

TEST_CASE("Attention is near the operation in double; rows without a place that counts are zeros") {
    for_each_case([](const attention_data& data) {
        std::vector<double> wanted;
        std::vector<double> size;
        exact(data.problem, wanted, size);
        const guarded<float> got = run(k::isa::scalar, data.problem, 1);
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double difference = std::abs(static_cast<double>(got[i]) - wanted[i]);
            worst = worse_of(worst, difference == 0 ? 0 : difference / size[i]);
        }
        CHECK(worst < 4e-6);
    });
}
