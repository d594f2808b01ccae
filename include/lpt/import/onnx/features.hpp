// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composed/unique.hpp>
#include <lpt/import/onnx/operation.hpp>

/// Features of sequences and tables, and different values with how often they occur.
namespace lpt::inline LPT_ABI::onnx {

/// Runs of numbers of one length that are looked for.
struct searched_runs {
    std::int64_t length = 1;
    std::int64_t count = 0;
    std::int64_t first = 0;  // in the pool of numbers
};

/// The runs of each length that `ngram_counts` divides the pool into.
inline std::vector<searched_runs> runs_of_pool(operation& n, const lpt::integers& pool) {
    const lpt::integers begins = n.list("ngram_counts");
    std::vector<searched_runs> result;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const auto length = static_cast<std::int64_t>(i) + 1;
        const std::int64_t end = i + 1 < begins.size() ? begins[i + 1] : static_cast<std::int64_t>(pool.size());
        if (begins[i] < 0 || end < begins[i] || end > static_cast<std::int64_t>(pool.size())) {
            n.wrong({"ngram_counts name places outside of the ", pool.size(), " numbers of the pool"});
        }
        result.push_back({length, (end - begins[i]) / length, begins[i]});
    }
    return result;
}

/// How often each of some runs occurs in each row of `x`, [rows, columns], if its numbers stand `distance` apart: [rows, runs].
inline output_ref occurrences(operation& n, output_ref x, const lpt::integers& pool, const searched_runs& runs,
                              std::int64_t distance) {
    const std::int64_t windows = n.static_shape(x)[1] - (runs.length - 1) * distance;
    constexpr std::int64_t most_places = 1 << 24;
    if (windows > most_places / runs.length) {
        n.wrong({"looks for runs of ", runs.length, " numbers at ", windows, " places, which are too many"});
    }
    lpt::integers places;
    for (std::int64_t window = 0; window < windows; ++window) {
        for (std::int64_t i = 0; i < runs.length; ++i) {
            places.push_back(window + i * distance);
        }
    }
    lpt::integers numbers;
    for (std::int64_t i = 0; i < runs.count * runs.length; ++i) {
        numbers.push_back(pool[static_cast<std::size_t>(runs.first + i)]);
    }
    const output_ref wanted = n.reshape(n.indices(numbers), {runs.count, 1, runs.length});
    const output_ref seen = n.reshape(n.gather(x, n.indices(places), 1), {0, 1, windows, runs.length}, true);
    const output_ref equal = n.convert(n.make(op::equal{}, {seen, wanted}), f32);
    return n.reduce<op::reduce_sum>(n.reduce<op::reduce_min>(equal, {3}, false), {2}, false);
}

/// Counts of runs of numbers in each row (TF), whether there are any (IDF), or both, times a weight for each feature.
inline void read_run_counts(operation& n) {
    const lpt::integers pool = n.list("pool_int64s");
    const lpt::integers features = n.list("ngram_indexes");
    const bool is_row = n.rank(n.in(0)) == 1;
    if (pool.empty() || n.rank(n.in(0)) > 2 || n.rank(n.in(0)) == 0) {
        n.wrong({"needs rows of numbers and a pool of numbers; strings are not supported"});
    }
    const output_ref given = n.convert(n.in(0), i64);
    const output_ref x = is_row ? n.unsqueeze(given, {0}) : given;
    const std::int64_t columns = n.static_shape(x)[1];
    std::int64_t width = 0;
    constexpr std::int64_t most_features = 1 << 20;
    constexpr std::int64_t most_numbers = 1 << 24;  // of a table of runs and features
    constexpr std::int64_t furthest = 256;
    for (const std::int64_t each : features) {
        if (each < 0 || each >= most_features) {
            n.wrong({"ngram_indexes name feature ", each});
        }
        width = math::maximum(width, each + 1);
    }
    if (width < 1) {
        n.wrong({"has no ngram_indexes"});
    }
    output_ref sum = n.broadcast(n.builder().real(0), n.concat({n.size_along(x, 0), n.indices({width})}, 0));
    std::int64_t before = 0;
    for (const searched_runs& runs : runs_of_pool(n, pool)) {
        const std::int64_t first = before;
        before += runs.count;
        const bool counts =
            runs.length >= n.integer("min_gram_length", 1) && runs.length <= n.integer("max_gram_length", 1);
        if (!counts || runs.count == 0) {
            continue;
        }
        if (before > static_cast<std::int64_t>(features.size()) || runs.count > most_numbers / width) {
            n.wrong({"has ", runs.count, " runs of ", runs.length, " numbers for ", features.size(), " features of ",
                     width});
        }
        tensor_builder feature_of(f32, lpt::shape{runs.count, width});
        for (std::int64_t i = 0; i < runs.count; ++i) {
            const std::int64_t feature = features[static_cast<std::size_t>(first + i)];
            feature_of.real(static_cast<std::size_t>(i * width + feature), 1);
        }
        const output_ref features_of_runs = n.builder().constant(feature_of.finish());
        const std::int64_t skips = runs.length == 1 ? 0 : n.integer("max_skip_count", 0);
        if (skips < 0 || skips >= furthest) {
            n.wrong({"max_skip_count ", skips, " is not supported"});
        }
        for (std::int64_t distance = 1; distance <= skips + 1 && (runs.length - 1) * distance < columns; ++distance) {
            const output_ref found = occurrences(n, x, pool, runs, distance);
            sum = n.make(op::add{}, {sum, n.make(op::mat_mul{}, {found, features_of_runs})});
        }
    }
    const std::string_view mode = n.words("mode", "TF");
    if (mode == "IDF") {
        sum = n.convert(n.make(op::greater{}, {sum, n.like(sum, 0)}), f32);
    } else if (mode != "TF" && mode != "TFIDF") {
        n.wrong({"mode '", shown(mode), "' is not known"});
    }
    const std::vector<float> weights = n.reals("weights");
    if (mode != "TF" && !weights.empty()) {
        if (weights.size() != static_cast<std::size_t>(width)) {
            n.wrong({"has ", weights.size(), " weights for ", width, " features"});
        }
        seq<double> numbers;
        for (const float each : weights) {
            numbers.push_back(static_cast<double>(each));
        }
        sum = n.make(op::multiply{}, {sum, n.builder().constant(make_tensor(f32, lpt::shape{width}, numbers))});
    }
    n.out(is_row ? n.squeeze(sum, {0}) : sum);
}

/// Columns of the last axis.
inline void read_feature_extractor(operation& n) {
    const output_ref places = n.reshape(n.convert(n.in(1), i64), {-1});
    const auto last = static_cast<std::int64_t>(n.rank(n.in(0))) - 1;
    const output_ref result = n.gather(n.in(0), places, last);
    n.out(last == 0 ? n.unsqueeze(result, {0}) : result);
}

/// 1 for what is greater than a threshold, else 0.
inline void read_binarizer(operation& n) {
    const output_ref x = n.in(0);
    n.out(n.convert(n.make(op::greater{}, {x, n.like(x, n.real("threshold", 0))}), n.type(x)));
}

inline void read_unique(operation& n) {
    const std::int64_t axis = n.integer("axis", 0);
    const composed::unique_elements made =
        composed::unique(n, n.in(0), n.has_attribute("axis") ? &axis : nullptr, n.flag("sorted", true));
    n.out(0, made.values);
    n.out(1, made.first);
    n.out(2, made.which);
    n.out(3, made.counts);
}

inline constexpr operator_entry feature_operators[] = {
    {"", "TfIdfVectorizer", read_run_counts},
    {"", "Unique", read_unique},
    {"ai.onnx.ml", "ArrayFeatureExtractor", read_feature_extractor},
    {"ai.onnx.ml", "Binarizer", read_binarizer},
};

}  // namespace lpt::inline LPT_ABI::onnx
