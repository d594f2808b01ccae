// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/pattern.hpp>
#include <lpt/transformation/rewrite.hpp>

namespace lpt::inline LPT_ABI {

/// One transformation at one root operation, as data.
struct dispatch_row {
    op::kind root = op::kind::none;
    text_view name;                                     // published name of the transformation
    bool (*matches)(const graph&, node_id) = nullptr;   // cheap test of the pattern
    bool (*transform)(rewrite&, node_id) = nullptr;     // true: the node changed
    view<pattern_view> patterns{};                      // the pattern as data; none: it says no more than `matches`
};

/// The number of buckets of a dispatch table: one for each operation type of the library, one for all types of users.
inline constexpr std::size_t dispatch_buckets = static_cast<std::size_t>(op::kind_count) + 1;

constexpr std::size_t dispatch_bucket(op::kind root) {
    return root < op::kind::count && root >= op::kind{} ? static_cast<std::size_t>(root) : dispatch_buckets - 1;
}

/// The candidates of every operation: `rows[first[b] … first[b + 1])` are those of bucket `b`, in order of priority.
struct dispatch_view {
    view<dispatch_row> rows;
    view<std::int16_t> first;
};

namespace detail {

/// Sorts rows by the bucket of their root and keeps the order of rows with the same root.
///
/// `sorted` has room for all rows, `first` for `dispatch_buckets + 1` numbers.
constexpr void sort_rows(view<dispatch_row> rows, dispatch_row* sorted, std::int16_t* first) {
    for (std::size_t bucket = 0; bucket <= dispatch_buckets; ++bucket) {
        first[bucket] = 0;
    }
    for (const dispatch_row& row : rows) {
        ++first[dispatch_bucket(row.root) + 1];
    }
    for (std::size_t bucket = 0; bucket < dispatch_buckets; ++bucket) {
        first[bucket + 1] = static_cast<std::int16_t>(first[bucket + 1] + first[bucket]);
    }
    std::int16_t next[dispatch_buckets] = {};
    for (std::size_t bucket = 0; bucket < dispatch_buckets; ++bucket) {
        next[bucket] = first[bucket];
    }
    for (const dispatch_row& row : rows) {
        sorted[next[dispatch_bucket(row.root)]++] = row;
    }
}

/// The roots of a transformation's pattern, each once.
template <class Transformation>
constexpr seq<op::kind> roots_of() {
    seq<op::kind> result;
    for (const op::kind root : Transformation::pattern::roots) {
        if (!result.contains(root)) {
            result.push_back(root);
        }
    }
    return result;
}

/// How many they are. The list has a name because clang 16 does not destroy it where it is a part of a template argument.
template <class Transformation>
constexpr int count_roots() {
    const seq<op::kind> roots = roots_of<Transformation>();
    return static_cast<int>(roots.size());
}

template <class Transformation>
[[gnu::cold]] constexpr bool pattern_matches(const graph& model, node_id id) {
    return Transformation::pattern::matches(model, id);
}
template <class Transformation>
[[gnu::cold]] constexpr bool apply(rewrite& changes, node_id id) {
    return Transformation::transform(changes, id);
}

template <int Count>
struct row_array {
    dispatch_row values[Count == 0 ? 1 : Count];
    constexpr operator view<dispatch_row>() const { return {values, Count}; }
};

template <class Transformation>
constexpr auto make_rows() {
    row_array<count_roots<Transformation>()> result{};
    std::size_t place = 0;
    view<pattern_view> patterns;
    if constexpr (requires { Transformation::pattern::views; }) {
        patterns = Transformation::pattern::views;
    }
    for (const op::kind root : roots_of<Transformation>()) {
        result.values[place++] = {root, Transformation::name, &pattern_matches<Transformation>, &apply<Transformation>,
                                  patterns};
    }
    return result;
}

template <int Count>
struct sorted_rows {
    dispatch_row rows[Count == 0 ? 1 : Count];
    std::int16_t first[dispatch_buckets + 1];
};

}  // namespace detail

/// The rows of one transformation, one for each root of its pattern.
template <class Transformation>
inline constexpr auto rows_of = detail::make_rows<Transformation>();

namespace detail {

template <class... Transformations>
constexpr auto make_dispatch_table() {
    sorted_rows<(0 + ... + count_roots<Transformations>())> result{};
    seq<dispatch_row, 2> all;
    (all.append(rows_of<Transformations>), ...);
    sort_rows(all, result.rows, result.first);
    return result;
}
template <class... Transformations>
inline constexpr auto dispatch_storage = make_dispatch_table<Transformations...>();

}  // namespace detail

/// The dispatch table of one rewrite with several transformations, those named first tried first; made when compiled.
template <class... Transformations>
inline constexpr dispatch_view dispatch_table{{detail::dispatch_storage<Transformations...>.rows,
                                               (std::size_t{0} + ... + detail::roots_of<Transformations>().size())},
                                              detail::dispatch_storage<Transformations...>.first};

/// A dispatch table of rows that are only known at run time.
class dynamic_dispatch_table {
    seq<dispatch_row, 2> rows_;
    std::int16_t first_[dispatch_buckets + 1] = {};

public:
    /// Raises an error for more rows than the table can number (32767).
    constexpr explicit dynamic_dispatch_table(view<dispatch_row> rows) {
        if (rows.size() > INT16_MAX) {
            fail({"a rewrite cannot have ", rows.size(), " transformations"});
        }
        rows_.resize(rows.size());
        detail::sort_rows(rows, rows_.data(), first_);
    }
    constexpr operator dispatch_view() const { return {rows_, first_}; }
};

}  // namespace lpt::inline LPT_ABI
