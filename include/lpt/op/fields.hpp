// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/all.hpp>
#include <lpt/op/attribute_value.hpp>

/// Attributes by their published names: what reading files, printing and saving need. Apart from the table of
/// operation types, because transformations do without it and it takes as long to compile as all of them.
namespace lpt::inline LPT_ABI::op {

/// How the attributes of one operation type are read and made by name.
struct field_row {
    /// The attributes of an operation in the form of a version, with their published names.
    seq<named_value> (*read)(const attributes&, int version) = nullptr;
    /// An operation with these attributes; what is not named keeps its default. Raises an error that begins with `where`
    /// for a value that the attribute cannot have.
    attributes (*make)(view<named_value>, int version, text_view where) = nullptr;
};

namespace detail {

struct writer {
    seq<named_value>& result;
    int version;
    template <class Value>
    constexpr void operator()(text_view name, const Value& value, in_versions where = {}) const {
        if (where.contains(version)) {
            result.push_back({name, to_value(value)});
        }
    }
};

struct reader {
    view<named_value> values;
    int version;
    text_view where;
    template <class Value>
    constexpr void operator()(text_view name, Value& value, in_versions versions = {}) const {
        if (!versions.contains(version)) {
            return;
        }
        for (const named_value& each : values) {
            if (each.name == name && !from_value(each.value, value)) {
                fail({where, ": attribute '", name, "' has a value that it cannot have",
                      each.value.word.empty() ? text_view() : text_view(": "), each.value.word});
            }
        }
    }
};

template <class Op>
concept has_fields = requires(Op& op, const reader& visit) { Op::fields(op, visit); };

template <class Op>
[[gnu::noinline, gnu::cold]] constexpr seq<named_value> read(const attributes& values, int version) {
    seq<named_value> result;
    if constexpr (has_fields<Op>) {
        Op::fields(values.as<Op>(), writer{result, version});
    }
    return result;
}
template <class Op>
[[gnu::noinline, gnu::cold]] constexpr attributes make(view<named_value> values, int version, text_view where) {
    Op result{};
    if constexpr (has_fields<Op>) {
        Op::fields(result, reader{values, version, where});
    }
    return attributes(lpt::move(result));
}

}  // namespace detail

template <class Op>
constexpr field_row make_field_row() {
    return {&detail::read<Op>, &detail::make<Op>};
}

namespace detail {

struct field_table {
    field_row values[kind_count];
};
struct make_field_table {
    template <class... Ops>
    constexpr field_table operator()(hana::basic_type<Ops>...) const {
        return {{make_field_row<Ops>()...}};
    }
};

}  // namespace detail

inline constexpr detail::field_table field_rows = hana::unpack(all{}, detail::make_field_table{});

constexpr const field_row& fields_of(kind number) { return field_rows.values[static_cast<int>(number)]; }
/// The same for operation types of users, too.
constexpr const field_row& fields_of(const attributes& what) {
    return is_of_user(what.number()) ? *what.facts_of_user()->fields : fields_of(what.number());
}

}  // namespace lpt::inline LPT_ABI::op
