// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/freeze/words.hpp>

/// Attributes of operations as words.
namespace lpt::inline LPT_ABI {

namespace detail {

/// How the attributes of one operation type are written and read.
struct freeze_row {
    void (*save)(const op::attributes&, word_writer&) = nullptr;
    op::attributes (*load)(word_reader&) = nullptr;
};

template <class Op>
concept has_frozen_fields = requires(Op& values, word_reader& words) { Op::fields(values, words); };

template <class Op>
constexpr void save_attributes(const op::attributes& values, word_writer& words) {
    if constexpr (has_frozen_fields<Op>) {
        Op::fields(values.as<Op>(), words);
    }
}
template <class Op>
constexpr op::attributes load_attributes(word_reader& words) {
    Op result{};
    if constexpr (has_frozen_fields<Op>) {
        Op::fields(result, words);
    }
    return op::attributes(lpt::move(result));
}

struct freeze_table {
    freeze_row rows[op::kind_count];
};
struct make_freeze_table {
    template <class... Ops>
    constexpr freeze_table operator()(hana::basic_type<Ops>...) const {
        return {{freeze_row{&save_attributes<Ops>, &load_attributes<Ops>}...}};
    }
};
inline constexpr freeze_table freeze_rows = hana::unpack(op::all{}, make_freeze_table{});

/// Attributes of a user's operation type, by name: the table above has no line for it.
class named_attributes {
    template <class Value, class Words>
    static constexpr void show(Value& each, Words& words) {
        words.value(each.holds);
        words.value(each.integer);
        words.value(each.real);
        words.value(each.word);
        words.value(each.integers);
        words.value(each.reals);
        words.value(each.words);
        words.value(each.dimensions);
        words.value(each.constant);
    }

public:
    static constexpr void save(const op::attributes& values, int version, word_writer& words) {
        const seq<op::named_value> named = op::fields_of(values).read(values, version);
        words.number(version);
        words.number(static_cast<std::int64_t>(named.size()));
        for (const op::named_value& each : named) {
            words.value(each.name);
            show(each.value, words);
        }
    }
    static constexpr op::attributes load(std::int64_t kind, const op::user_operations& known, word_reader& words) {
        const op::user_row* own = known.find(static_cast<op::kind>(kind));
        if (is_null(own)) {
            fail({"a frozen graph has an operation of a user's type that was not named when it was thawed"});
        }
        const auto version = static_cast<int>(words.number());
        seq<op::named_value> named;
        named.resize(words.count());
        for (op::named_value& each : named) {
            words.value(each.name);
            show(each.value, words);
        }
        return own->fields->make(named, version, own->name);
    }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
