// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/control_flow.hpp>

/// Scan, whose body sees slices of its inputs one after the other.
namespace lpt::inline LPT_ABI::onnx {

/// What Scan is, whatever version says it.
struct scan_description {
    graph_description body;
    std::size_t scanned = 0;  // inputs of which each run of the body sees a slice; those before them are states
    lpt::integers input_axes;
    lpt::integers input_directions;
    lpt::integers output_axes;
    lpt::integers output_directions;

    static std::int64_t choice(const lpt::integers& all, std::size_t i) { return i < all.size() ? all[i] : 0; }
};

/// Raises an error for directions that are neither 0, forward, nor 1, backward, and for more or less of them than what has them.
inline void check_directions(operation& n, std::string_view name, const lpt::integers& given, std::size_t wanted) {
    if (!given.empty() && given.size() != wanted) {
        n.wrong({"attribute '", shown(name), "' has ", given.size(), " directions, expected ", wanted});
    }
    for (const std::int64_t each : given) {
        if (each != 0 && each != 1) {
            n.wrong({"attribute '", shown(name), "' has the direction ", each, ", expected 0 or 1"});
        }
    }
}
inline void check_axes(operation& n, std::string_view name, const lpt::integers& given, std::size_t wanted) {
    if (!given.empty() && given.size() != wanted) {
        n.wrong({"attribute '", shown(name), "' has ", given.size(), " axes, expected ", wanted});
    }
}

/// A body for each slice of some inputs; gives the last states, then what the runs gave side by side.
inline seq<output_ref> scan_of(operation& n, const scan_description& how, view<output_ref> given) {
    const graph_description& from = how.body;
    const std::size_t states = given.size() - how.scanned;
    op::tensor_iterator what;
    body_reader body(n);
    model_builder& inner = body.reader.builder();
    seq<output_ref> inputs;
    for (std::size_t i = 0; i < given.size(); ++i) {
        inputs.push_back(given[i]);
        op::body_input input;
        input.port = static_cast<std::int64_t>(i);
        input.parameter = input.port;
        if (i < states) {
            input.holds = op::body_input::form::merged;
            input.result = input.port;
            body.add_parameter(from.inputs[i], n.type(given[i]), n.shape(given[i]));
        } else {
            input.holds = op::body_input::form::sliced;
            input.slice.axis = n.axis_of(how.choice(how.input_axes, i - states), n.rank(given[i]));
            if (how.choice(how.input_directions, i - states) != 0) {
                input.slice = {input.slice.axis, -1, -1, 1, 0};
            }
            lpt::shape part = n.shape(given[i]);
            part[static_cast<std::size_t>(input.slice.axis)] = 1;
            const output_ref made = body.add_parameter(from.inputs[i], n.type(given[i]), part);
            const output_ref axis = inner.indices(view<std::int64_t>(&input.slice.axis, 1));
            body.names.values[from.inputs[i].name] =
                body.reader.of(inner.add_node(op::squeeze{}, view<output_ref>({made, axis}), 0));
        }
        what.input_map.push_back(input);
    }
    body.read(from);
    for (std::size_t i = 0; i < from.outputs.size(); ++i) {
        output_ref made = body.reader.result_of(from.outputs[i], body.names);
        op::body_output output;
        output.port = static_cast<std::int64_t>(i);
        output.result = output.port;
        std::int64_t axis = 0;
        if (i >= states) {
            axis = how.choice(how.output_axes, i - states);
            made = inner.add(op::unsqueeze{}, view<output_ref>({made, inner.indices(view<std::int64_t>(&axis, 1))}));
            output.holds = op::body_output::form::concatenated;
            output.slice.axis = n.axis_of(axis, inner.shape_of(made).rank());
            if (how.choice(how.output_directions, i - states) != 0) {
                output.slice = {output.slice.axis, -1, -1, 1, 0};
            }
        }
        body.add_result(made);
        op::declared_output gives = declared(inner, made);
        if (i < states) {
            check_same_type(n, "state", i, n.type(given[i]), gives.type, "at first", "behind the body");
        }
        if (i >= states && gives.dimensions.rank_is_static()) {
            gives.dimensions[static_cast<std::size_t>(output.slice.axis)] = dynamic_dimension;
        }
        what.output_map.push_back(output);
        what.declared_outputs.push_back(gives);
    }
    add_captures(body.reader, inputs, what.input_map);
    const node_id made = n.builder().add_node(what, inputs);
    n.builder().model().add_body(made, inner.take());
    seq<output_ref> result;
    for (std::size_t port = 0; port < what.declared_outputs.size(); ++port) {
        result.push_back(output_ref(made, static_cast<std::int32_t>(port)));
    }
    return result;
}

/// Steps along the first axis, with zeros in place of those that are missing.
inline output_ref with_zeros_behind(operation& n, output_ref steps, std::int64_t missing) {
    if (missing == 0) {
        return steps;
    }
    lpt::integers none;
    lpt::integers behind;
    none.resize(n.rank(steps), 0);
    behind.resize(n.rank(steps), 0);
    behind[0] = missing;
    return n.make(op::pad{}, {steps, n.indices(none), n.indices(behind), n.like(steps, 0)});
}

/// Scan of version 8: all inputs have a batch in front, each sample of which is scanned alone, as far as `sequence_lens` says.
inline void read_scan_of_samples(operation& n, scan_description how) {
    seq<output_ref> given;
    for (std::size_t port = 1; port < n.inputs(); ++port) {
        given.push_back(n.in(port));
    }
    const std::size_t states = given.size() - how.scanned;
    how.input_directions = n.list("directions");
    check_directions(n, "directions", how.input_directions, how.scanned);
    const std::int64_t batch = n.static_size_of(given.back(), 0);
    const std::int64_t steps = n.static_size_of(given.back(), 1);
    const lpt::integers lengths = n.has(0) ? n.known_integers(0) : lpt::integers();
    if (batch < 1 || (n.has(0) && static_cast<std::int64_t>(lengths.size()) != batch)) {
        n.wrong({"has ", lengths.size(), " lengths for ", batch, " sequences"});
    }
    seq<seq<output_ref>> samples;
    samples.resize(how.body.outputs.size());
    for (std::int64_t sample = 0; sample < batch; ++sample) {
        const std::int64_t length = lengths.empty() ? steps : lengths[static_cast<std::size_t>(sample)];
        if (length < 1 || length > steps) {
            n.wrong({"a sequence has ", length, " of ", steps, " steps"});
        }
        seq<output_ref> own;
        for (std::size_t i = 0; i < given.size(); ++i) {
            const output_ref one = n.squeeze(n.slice(given[i], 0, sample, sample + 1), {0});
            own.push_back(i < states ? one : n.slice(one, 0, 0, length));
        }
        const seq<output_ref> made = scan_of(n, how, own);
        for (std::size_t port = 0; port < made.size(); ++port) {
            const output_ref whole = port < states ? made[port] : with_zeros_behind(n, made[port], steps - length);
            samples[port].push_back(n.unsqueeze(whole, {0}));
        }
    }
    for (std::size_t port = 0; port < samples.size(); ++port) {
        n.out(port, n.concat(samples[port], 0));
    }
}

inline void read_scan(operation& n) {
    const std::size_t first = n.version() < 9 ? 1 : 0;  // behind the lengths
    scan_description how;
    how.body = body_of(n, "body");
    how.scanned = static_cast<std::size_t>(math::maximum<std::int64_t>(0, n.integer("num_scan_inputs", 0)));
    const std::size_t count = n.inputs() < first ? 0 : n.inputs() - first;
    if (how.body.inputs.size() != count || how.scanned < 1 || how.scanned > count ||
        how.body.outputs.size() + how.scanned < count) {
        n.wrong({"has ", count, " inputs, ", how.scanned, " of them to scan, but a body with ", how.body.inputs.size(),
                 " inputs and ", how.body.outputs.size(), " outputs"});
    }
    check_outputs(n, how.body.outputs.size());
    if (first == 1) {
        return read_scan_of_samples(n, std::move(how));
    }
    how.input_axes = n.list("scan_input_axes");
    how.input_directions = n.list("scan_input_directions");
    how.output_axes = n.list("scan_output_axes");
    how.output_directions = n.list("scan_output_directions");
    const std::size_t gathered = how.body.outputs.size() + how.scanned - count;
    check_axes(n, "scan_input_axes", how.input_axes, how.scanned);
    check_axes(n, "scan_output_axes", how.output_axes, gathered);
    check_directions(n, "scan_input_directions", how.input_directions, how.scanned);
    check_directions(n, "scan_output_directions", how.output_directions, gathered);
    seq<output_ref> given;
    for (std::size_t port = 0; port < count; ++port) {
        given.push_back(n.in(port));
    }
    const seq<output_ref> made = scan_of(n, how, given);
    for (std::size_t port = 0; port < made.size(); ++port) {
        n.out(port, made[port]);
    }
}

inline constexpr operator_entry scan_operators[] = {
    {"", "Scan", read_scan},
};

}  // namespace lpt::inline LPT_ABI::onnx
