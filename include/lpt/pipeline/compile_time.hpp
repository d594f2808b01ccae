// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/compile_time_parts.hpp>
#include <lpt/pipeline/count_operations.hpp>

/// Networks that are transformed while a program is compiled: `static_assert(lpt::transform<my_pipeline>(net, my_target)
/// .int8_operations() == 12)` for an object `net` of type `lpt::network<Make>`.
///
/// Compilers bound the work of one constant expression, so a pipeline runs in as many as the network needs: each one thaws the
/// graph and its attributes, works for a part of the bound, and freezes them. Networks of 400 nodes, constants counted,
/// are within the default bounds of g++ 12 and clang 19; small ones can be transformed by `transform(graph&)` as well, which
/// also gives the reasons. Weights of many elements should not be folded there: quantize them before, or keep them as windows.
namespace lpt::inline LPT_ABI {

/// A network that is known when a program is compiled: `Make::make()` gives its graph.
template <class Make>
struct network {};

namespace detail {

template <class Restrictions, class... Settings>
constexpr target target_from(target_of<Restrictions, Settings...> where) {
    return where;
}
template <class Restrictions>
    requires(!requires(Restrictions all) { all.options(); })
constexpr target target_from(Restrictions all) {
    return {all.table(), {}};
}

/// What `verify` checks, in parts; the value: how many numbers of nodes there are.
template <class Make, std::size_t Room>
inline constexpr std::size_t verified_structure = [] {
    const graph model = frozen<Make, Room>::thaw();
    verify_structure(model);
    return model.id_bound();
}();
template <class Make, std::size_t Room, std::size_t Begin>
inline constexpr bool verified_nodes = [] {
    verify_nodes(frozen<Make, Room>::thaw(), Begin, Begin + 200);
    return true;
}();
template <class Make, std::size_t Room, std::size_t Begin = 0>
constexpr bool is_verified() {
    if constexpr (Begin < verified_structure<Make, Room>) {
        return verified_nodes<Make, Room, Begin> && is_verified<Make, Room, Begin + 200>();
    } else {
        return true;
    }
}

/// A network with what is done to it.
template <class Make, class Pipeline, class Target, std::int64_t Steps, std::size_t Room>
struct compiled_run {
    using all_units = units_of<Pipeline>;
    static consteval bool verified() { return is_verified<Make, Room>(); }

    /// The first words of a part: how many parts of the pipeline are over; the others follow where it is not finished.
    static constexpr roomy_words<Room> next_part(partial_run& state, attribute::tables& attributes) {
        const auto nodes = static_cast<std::int64_t>(state.changes.model.size());
        state.budget = Steps - part_costs::of_frozen_node * nodes;
        if (state.budget < part_costs::at_least) {
            state.budget = part_costs::at_least;  // the compiler may allow more than the caller says
        }
        all_units::run(state);
        roomy_words<Room> result;
        word_sink sink(result.values, Room);
        word_writer words(sink, data_of<Make>());
        words.put(state.unit);
        graph_writer{words}.save(state.changes.model);
        if (state.unit < all_units::count) {
            words.value(state.within);
            words.put(state.changes_left);
            words.value(state.waiting);
            attribute_writer{words}.save(attributes);
        }
        result.size = sink.size();
        return result;
    }

    static constexpr roomy_words<Room> begin() {
        const target where = target_from(Target{});
        check_options<Pipeline>(where.options);
        check_restrictions(where.restrictions);
        graph model = frozen<Make, Room>::thaw();
        attribute::tables attributes;
        rewrite changes(model, attributes, where.options, where.restrictions);
        partial_run state{changes};
        return next_part(state, attributes);
    }
    static constexpr roomy_words<Room> resume(view<word> before) {
        const target where = target_from(Target{});
        word_reader words(before, data_of<Make>());
        const std::size_t unit = words.next();
        graph model = graph_loader{words, {}}.load();
        bool within = false;
        words.value(within);
        const std::size_t changes_left = words.next();
        seq<node_id> waiting;
        words.value(waiting);
        attribute::tables attributes;
        attribute_loader{words}.load(attributes);
        rewrite changes(model, attributes, where.options, where.restrictions);
        partial_run state{changes, unit, within, lpt::move(waiting), changes_left};
        return next_part(state, attributes);
    }
};

/// Each part is a constant expression of its own.
template <class Run, int Number>
struct compiled_part {
private:
    static constexpr auto begun() {
        if constexpr (Number == 0) {
            static_assert(Run::verified());
            return Run::begin();
        } else {
            return Run::resume(view<word>(compiled_part<Run, Number - 1>::words.values));
        }
    }
    static constexpr auto roomy = begun();

public:
    static constexpr exact_words<roomy.size> words = shrink<roomy.size>(roomy);
    static constexpr bool finished = words.values[0] == Run::all_units::count;
};
template <class Run, int Number = 0>
constexpr view<word> last_words() {
    if constexpr (compiled_part<Run, Number>::finished) {
        return {compiled_part<Run, Number>::words.values + 1,
                sizeof(compiled_part<Run, Number>::words) / sizeof(word) - 1};
    } else {
        return last_words<Run, Number + 1>();
    }
}
template <class Run, int Number = 0>
constexpr int count_parts() {
    if constexpr (compiled_part<Run, Number>::finished) {
        return Number + 1;
    } else {
        return count_parts<Run, Number + 1>();
    }
}

// ---- how many operations do what on integers

/// Each of its members is a constant expression of its own.
template <class Transformed, class Make, std::size_t Room>
struct counted_operations {
    static constexpr auto original = operations_of<Room / 16>(frozen<Make, Room>::thaw());
    static constexpr operation_counts value =
        count_operations(view<original_operation>(original.values, original.size), Transformed::make());
};

}  // namespace detail

/// A network that was transformed while the program was compiled; a maker of a network itself, for `frozen` and `network`.
///
/// `Steps`: how much work a constant expression may do, in steps of clang (whose default bound is 1,048,576); `Room`: the greatest
/// number of words of the frozen graph with its attributes.
template <class Make, class Pipeline, class Target, std::int64_t Steps = 1000000, std::size_t Room = 65536>
struct transformed_network {
private:
    using run = detail::compiled_run<Make, Pipeline, Target, Steps, Room>;

public:
    /// The transformed graph.
    static constexpr graph make() {
        detail::word_reader words(detail::last_words<run>(), data());
        return detail::graph_loader{words, {}}.load();
    }
    /// The memory into which constants of the network are windows, if some are.
    static constexpr view<std::byte> data() { return detail::data_of<Make>(); }
    /// How many operations of the network, those inside others not counted, do arithmetic on 8-bit integers.
    static constexpr std::size_t int8_operations() {
        return detail::counted_operations<transformed_network, Make, Room>::value.int8;
    }
    /// How many operations of the network, those inside others not counted, make low precision data.
    static constexpr std::size_t quantizations() {
        return detail::counted_operations<transformed_network, Make, Room>::value.quantizations;
    }
    /// In how many constant expressions the pipeline ran.
    static constexpr int parts() { return detail::count_parts<run>(); }
};

/// Runs a pipeline on a network while the program is compiled. `where`: a target or restrictions that are a type
/// (`cpu_x86`, `restrictions<…>`, `computed_restrictions<…>`).
///
/// What `transform` of a graph raises errors for does not compile. Operation types of users are not supported.
template <class Pipeline = default_pipeline, class Make, class Target = restrictions<>>
constexpr transformed_network<Make, Pipeline, Target> transform(network<Make>, Target = {}) {
    return {};
}

}  // namespace lpt::inline LPT_ABI
