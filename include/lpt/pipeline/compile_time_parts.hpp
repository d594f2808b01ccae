// SPDX-License-Identifier: Apache-2.0
// What a pipeline that runs in several constant expressions is made of: attributes as words, and a run that can stop and go on.
#pragma once

#include <lpt/graph/freeze.hpp>
#include <lpt/pipeline/transform.hpp>

namespace lpt::inline LPT_ABI::detail {

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
        const std::size_t left = run.run(static_cast<std::size_t>(visits));
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

}  // namespace lpt::inline LPT_ABI::detail
