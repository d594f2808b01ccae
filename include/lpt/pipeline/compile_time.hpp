// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/freeze.hpp>
#include <lpt/pipeline/count_operations.hpp>
#include <lpt/pipeline/transform.hpp>

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

// ---- attributes as words

struct attribute_writer {
    word_writer& words;

    constexpr void write(attribute::detail::no_own_data) {}
    constexpr void write(attribute::intervals_alignment::own_data own) { words.put(own.levels); }
    constexpr void write(const attribute::precision_preserved& from) { words.value(from.value); }
    constexpr void write(const attribute::quantization_alignment& from) { words.value(from.value); }
    constexpr void write(const attribute::quantization_granularity& from) { words.value(from.value); }
    constexpr void write(const attribute::precisions& from) {
        words.put(pack_pair(from.last_reader, from.last_port));
        words.value(from.types);
    }
    constexpr void write(const attribute::intervals_alignment& from) {
        words.value(from.combined.low);
        words.value(from.combined.high);
        words.value(from.shortest.low);
        words.value(from.shortest.high);
        words.put(from.least_levels);
        words.value(from.preferred_types);
    }

    template <class Own, class Value>
    constexpr void member(std::int32_t parent, const Own& own, const seq<Value>& values) {
        words.number(parent);
        write(own);
        if (parent < 0) {
            write(values[static_cast<std::size_t>(~parent)]);
        }
    }
    template <class Pool>
    constexpr void pool(Pool& all) {
        words.put(all.size());
        Pool::show(all, *this);
    }
    constexpr void index(const attribute::detail::place_index& all) {
        all.show([&](attribute::place where, std::int32_t number) {
            words.put(pack_pair(where.node, where.port));
            words.put(static_cast<word>(where.where) << 32 | static_cast<word>(static_cast<std::uint32_t>(number)));
        });
        words.put(~word{0});  // no node has this number
    }
    constexpr void save(attribute::tables& all) {
        attribute::tables::show(all, *this);
        words.put(all.body_count());
        all.show_bodies([&](node_id id, std::size_t which, attribute::tables& inner) {
            words.put(pack_pair(id, static_cast<std::int32_t>(which)));
            save(inner);
        });
    }
};

struct attribute_loader {
    word_reader& words;

    constexpr void read(attribute::detail::no_own_data) {}
    constexpr void read(attribute::intervals_alignment::own_data& own) { words.value(own.levels); }
    constexpr void read(attribute::precision_preserved& to) { words.value(to.value); }
    constexpr void read(attribute::quantization_alignment& to) { words.value(to.value); }
    constexpr void read(attribute::quantization_granularity& to) { words.value(to.value); }
    constexpr void read(attribute::precisions& to) {
        input_ref reader;
        words.value(reader);
        to.last_reader = reader.node;
        to.last_port = reader.port;
        words.value(to.types);
    }
    constexpr void read(attribute::intervals_alignment& to) {
        words.value(to.combined.low);
        words.value(to.combined.high);
        words.value(to.shortest.low);
        words.value(to.shortest.high);
        words.value(to.least_levels);
        words.value(to.preferred_types);
    }

    template <class Own, class Value>
    constexpr void member(std::int32_t& parent, Own& own, seq<Value>& values) {
        words.value(parent);
        read(own);
        if (parent < 0) {
            read(values[static_cast<std::size_t>(~parent)]);
        }
    }
    template <class Pool>
    constexpr void pool(Pool& all) {
        all.resize(words.count());
        Pool::show(all, *this);
    }
    constexpr void index(attribute::detail::place_index& all) {
        for (word first = words.next(); first != ~word{0}; first = words.next()) {
            const word second = words.next();
            all.set({static_cast<node_id>(static_cast<std::int32_t>(first >> 32)),
                     static_cast<attribute::place::side>(second >> 32), static_cast<std::int32_t>(first & 0xffffffff)},
                    static_cast<std::int32_t>(second & 0xffffffff));
        }
    }
    constexpr void load(attribute::tables& all) {
        attribute::tables::show(all, *this);
        const std::size_t bodies = words.count();
        for (std::size_t i = 0; i < bodies; ++i) {
            input_ref which;
            words.value(which);
            load(all.body(which.node, static_cast<std::size_t>(which.port)));
        }
    }
};

// ---- a pipeline in parts

/// About how many of clang's steps a node needs: measured.
struct part_costs {
    static constexpr std::int64_t of_frozen_node = 1900;  // thawing and freezing it with its attributes
    static constexpr std::int64_t of_step = 250;  // a step over the whole graph, each node
    static constexpr std::int64_t of_light_visit = 1400;  // a prerequisite or cleanup
    static constexpr std::int64_t of_visit = 14000;  // a main transformation
    static constexpr std::int64_t at_least = 40000;  // for a part to come forward
};

/// A run of a pipeline that stops when a part has done enough.
struct partial_run {
    rewrite& changes;
    std::size_t unit = 0;  // the next part of the pipeline
    bool within = false;  // it was begun
    seq<node_id> waiting{};  // if it was: nodes that it will visit, the next one last
    std::size_t changes_left = 0;
    std::int64_t budget = 0;
    bool stopped = false;

    constexpr void drive(dispatch_view table, std::int64_t cost) {
        const std::int64_t visits = budget / cost;
        if (visits <= 0) {
            stopped = true;
            return;
        }
        if (within) {
            drive_run rest(changes, table, lpt::move(waiting), changes_left);
            continue_run(rest, visits, cost);
        } else {
            drive_run whole(changes, table);
            continue_run(whole, visits, cost);
        }
    }
    constexpr void count_step() {
        budget -= part_costs::of_step * static_cast<std::int64_t>(changes.model.size());
        ++unit;
    }

private:
    constexpr void continue_run(drive_run& run, std::int64_t visits, std::int64_t cost) {
        const std::size_t left = run.run<0>(static_cast<std::size_t>(visits));
        budget -= (visits - static_cast<std::int64_t>(left)) * cost;
        within = stopped = !run.waiting().empty();
        if (stopped) {
            waiting = run.waiting();
            changes_left = run.changes_left();
        } else {
            waiting = {};
            ++unit;
        }
    }
};

template <class Stage, std::int64_t Cost>
struct rewrite_unit;
template <class... Transformations, std::int64_t Cost>
struct rewrite_unit<stage<Transformations...>, Cost> {
    static constexpr void run(partial_run& state) {
        if constexpr (sizeof...(Transformations) != 0) {
            state.drive(dispatch_table<Transformations...>, Cost);
        } else {
            ++state.unit;
        }
    }
};
template <class Step>
struct step_unit {
    static constexpr void run(partial_run& state) {
        if constexpr (requires { Step::run(state.changes); }) {
            run_step<Step>(state.changes);
            state.count_step();
        } else {
            if (state.changes.options.disabled.contains(Step::name)) {
                ++state.unit;
                return;
            }
            state.drive(dispatch_table<Step>, part_costs::of_light_visit);
        }
    }
};
struct shapes_unit {
    static constexpr void run(partial_run& state) {
        infer_open_shapes(state.changes.model);
        ++state.unit;
    }
};

template <class... Units>
struct units {
    static constexpr std::size_t count = sizeof...(Units);
    static constexpr void run(partial_run& state) {
        std::size_t number = 0;
        (run_one<Units>(state, number++), ...);
    }

private:
    template <class Unit>
    static constexpr void run_one(partial_run& state, std::size_t number) {
        if (state.unit != number || state.stopped) {
            return;
        }
        if (state.budget <= 0) {
            state.stopped = true;
            return;
        }
        Unit::run(state);
    }
};
template <class Markup, class Finishing, class Prerequisites, class Main, class Cleanup>
struct units_from;
template <class... Markup, class... Finishing, class Prerequisites, class Main, class Cleanup>
struct units_from<stage<Markup...>, stage<Finishing...>, Prerequisites, Main, Cleanup> {
    using type = units<rewrite_unit<Prerequisites, part_costs::of_light_visit>, step_unit<Markup>...,
                       rewrite_unit<Main, part_costs::of_visit>, shapes_unit,
                       rewrite_unit<Cleanup, part_costs::of_light_visit>, step_unit<Finishing>..., shapes_unit>;
};
template <class Pipeline>
using units_of =
    typename units_from<typename Pipeline::markup, typename Pipeline::finishing, typename Pipeline::prerequisites,
                        typename Pipeline::main, typename Pipeline::cleanup>::type;

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
