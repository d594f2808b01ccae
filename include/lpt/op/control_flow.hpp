// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

/// A part of a tensor that an iteration of a body takes or gives: `part_size` elements along `axis`, from `start` on in
/// steps of `stride` until `end`; negative places count from the back, -1 is the last.
struct body_slice {
    std::int64_t axis = 0;
    std::int64_t start = 0;
    std::int64_t stride = 1;
    std::int64_t part_size = 1;
    std::int64_t end = -1;

    /// True for a stride that is not 0 and parts that are not empty, neither larger than a tensor can be.
    constexpr bool is_possible() const {
        return stride != 0 && stride >= -most_elements && stride <= most_elements && part_size > 0 &&
               part_size <= most_elements;
    }
    friend constexpr bool operator==(const body_slice&, const body_slice&) = default;
};

/// What a parameter of a body gets from an input of the node.
struct body_input {
    enum class form : unsigned char {
        invariant,  // the whole input in every iteration
        merged,  // the input at first, later `result` of the iteration before
        sliced,  // one slice in each iteration
    };

    std::int64_t port = 0;  // input of the node
    std::int64_t parameter = 0;  // parameter of the body, in the order of its parameters
    form holds = form::invariant;
    std::int64_t result = -1;  // of a merged input: result of the body, in the order of its results
    body_slice slice{};  // of a sliced input

    friend constexpr bool operator==(const body_input&, const body_input&) = default;
};

/// What an output of the node gets from a result of a body.
struct body_output {
    enum class form : unsigned char {
        value,  // what one iteration gives
        concatenated,  // what all iterations give, one after the other along an axis
    };

    std::int64_t port = 0;  // output of the node
    std::int64_t result = 0;  // result of the body, in the order of its results
    form holds = form::value;
    std::int64_t iteration = -1;  // of a value: the iteration that gives it; -1 is the last
    body_slice slice{};  // of a concatenated output

    friend constexpr bool operator==(const body_output&, const body_output&) = default;
};

/// Element type and shape of an output, as far as they are known without a look at the body.
struct declared_output {
    element type = dynamic;
    shape dimensions = shape::of_dynamic_rank();

    friend constexpr bool operator==(const declared_output&, const declared_output&) = default;
};

namespace detail {

// Port maps travel as lists of integers: nine for each entry of a map; for each declared output its element type, its
// rank (-1 if dynamic) and its sizes.

constexpr integers encode(const body_slice& slice) {
    return {slice.axis, slice.start, slice.stride, slice.part_size, slice.end};
}
constexpr body_slice decode_slice(const integers& flat, std::size_t at) {
    return {flat[at], flat[at + 1], flat[at + 2], flat[at + 3], flat[at + 4]};
}
constexpr integers encode(const seq<body_input>& map) {
    integers flat;
    for (const body_input& each : map) {
        flat.append({each.port, each.parameter, static_cast<std::int64_t>(each.holds), each.result});
        flat.append(encode(each.slice));
    }
    return flat;
}
constexpr void decode(const integers& flat, seq<body_input>& map) {
    map.clear();
    if (flat.size() % 9 != 0) {
        fail({"a map of body inputs needs nine integers for each input, not ", flat.size(), " in all"});
    }
    for (std::size_t at = 0; at < flat.size(); at += 9) {
        if (flat[at + 2] < 0 || flat[at + 2] > 2) {
            fail({"a body input must be invariant (0), merged (1) or sliced (2), not ", flat[at + 2]});
        }
        map.push_back({flat[at], flat[at + 1], static_cast<body_input::form>(flat[at + 2]), flat[at + 3],
                       decode_slice(flat, at + 4)});
    }
}
constexpr integers encode(const seq<body_output>& map) {
    integers flat;
    for (const body_output& each : map) {
        flat.append({each.port, each.result, static_cast<std::int64_t>(each.holds), each.iteration});
        flat.append(encode(each.slice));
    }
    return flat;
}
constexpr void decode(const integers& flat, seq<body_output>& map) {
    map.clear();
    if (flat.size() % 9 != 0) {
        fail({"a map of body outputs needs nine integers for each output, not ", flat.size(), " in all"});
    }
    for (std::size_t at = 0; at < flat.size(); at += 9) {
        if (flat[at + 2] < 0 || flat[at + 2] > 1) {
            fail({"a body output must be a value (0) or concatenated (1), not ", flat[at + 2]});
        }
        map.push_back({flat[at], flat[at + 1], static_cast<body_output::form>(flat[at + 2]), flat[at + 3],
                       decode_slice(flat, at + 4)});
    }
}
constexpr integers encode(const seq<declared_output>& outputs) {
    integers flat;
    for (const declared_output& each : outputs) {
        const bool known = each.dimensions.rank_is_static();
        flat.push_back(static_cast<std::int64_t>(each.type));
        flat.push_back(known ? static_cast<std::int64_t>(each.dimensions.rank()) : -1);
        flat.append(each.dimensions.dimensions());
    }
    return flat;
}
constexpr void decode(const integers& flat, seq<declared_output>& outputs) {
    outputs.clear();
    for (std::size_t at = 0; at < flat.size();) {
        const std::size_t left = flat.size() - at;
        if (left < 2 || flat[at] < 0 || flat[at] >= element_count || flat[at + 1] < -1 ||
            flat[at + 1] > static_cast<std::int64_t>(left - 2)) {
            fail({"declared outputs must each be an element type, a rank (-1 if dynamic) and as many sizes; place ", at,
                  " is not such an output"});
        }
        declared_output& each = outputs.push_back({static_cast<element>(flat[at]), shape::of_dynamic_rank()});
        if (flat[at + 1] >= 0) {
            const auto rank = static_cast<std::size_t>(flat[at + 1]);
            each.dimensions = shape(view<dimension>(flat.data() + at + 2, rank));
            at += rank;
        }
        at += 2;
    }
}

/// Shows a map to a visitor of attributes in its flat form.
template <class Map, class Visit>
constexpr void visit_flat(text_view name, Map& map, Visit&& visit) {
    integers flat = encode(map);
    visit(name, flat);
    if constexpr (!is_const_type<Map>) {
        decode(flat, map);
    }
}

/// Raises an error where a map of body inputs names an input that the node does not have, or slices outside its rank.
constexpr void require_body_inputs(const inference& facts, const seq<body_input>& map) {
    for (const body_input& each : map) {
        if (each.port < 0 || each.port >= static_cast<std::int64_t>(facts.inputs())) {
            facts.wrong({"body parameter ", each.parameter, " is fed by input ", each.port, ", but there are ",
                         facts.inputs(), " inputs"});
        }
        if (each.holds == body_input::form::merged && each.result < 0) {
            facts.wrong({"body parameter ", each.parameter, " is fed back, but by no result of the body"});
        }
        if (each.holds != body_input::form::sliced) {
            continue;
        }
        const shape& data = facts.dimensions(static_cast<std::size_t>(each.port));
        if (data.rank_is_static() && normalized_axis(each.slice.axis, data.rank()) < 0) {
            facts.wrong(
                {"input ", each.port, " of shape ", to_text(data), " cannot be sliced along axis ", each.slice.axis});
        }
        if (!each.slice.is_possible()) {
            facts.wrong({"input ", each.port, " cannot be sliced with stride ", each.slice.stride,
                         " into parts of size ", each.slice.part_size});
        }
    }
}

/// Gives the declared outputs; raises an error where a map of body outputs names one that is not declared.
constexpr void require_body_outputs(const inference& facts, const seq<body_output>& map,
                                    const seq<declared_output>& outputs) {
    for (const body_output& each : map) {
        if (each.port < 0 || each.port >= static_cast<std::int64_t>(outputs.size())) {
            facts.wrong({"body result ", each.result, " goes to output ", each.port, ", but ", outputs.size(),
                         " outputs are declared"});
        }
        if (each.holds == body_output::form::concatenated && !each.slice.is_possible()) {
            facts.wrong({"output ", each.port, " cannot be made of parts of size ", each.slice.part_size,
                         " with stride ", each.slice.stride});
        }
    }
}
constexpr void give_declared(inference& facts, const seq<declared_output>& outputs) {
    for (const declared_output& each : outputs) {
        facts.output(each.type, each.dimensions);
    }
}

/// Raises an error unless the input can be a single boolean.
constexpr void require_condition(const inference& facts, std::size_t port) {
    const shape& dimensions = facts.dimensions(port);
    if (facts.type(port) != boolean && facts.type(port) != dynamic) {
        facts.wrong({"the condition (input ", port, ") must be boolean, not ", lpt::name(facts.type(port))});
    }
    if (dimensions.is_static() && dimensions.elements() != 1) {
        facts.wrong(
            {"the condition (input ", port, ") must be a single value, not a tensor of shape ", to_text(dimensions)});
    }
}

}  // namespace detail

/// Runs a body once for each slice of its sliced inputs.
///
/// The body belongs to the node. `declared_outputs` say what is known of the outputs, because inference does not see the
/// body.
struct tensor_iterator {
    static constexpr auto number = kind::tensor_iterator;
    static constexpr text_view name = "TensorIterator";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, ports::any};
    static constexpr ports outputs{1, ports::any};
    static constexpr trait traits = trait::has_bodies;

    seq<body_input> input_map{};
    seq<body_output> output_map{};
    seq<declared_output> declared_outputs{};

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        detail::visit_flat("input_map", self.input_map, visit);
        detail::visit_flat("output_map", self.output_map, visit);
        detail::visit_flat("declared_outputs", self.declared_outputs, visit);
    }
    static constexpr void infer(const tensor_iterator& self, inference& facts) {
        detail::require_body_inputs(facts, self.input_map);
        detail::require_body_outputs(facts, self.output_map, self.declared_outputs);
        detail::give_declared(facts, self.declared_outputs);
    }
    friend constexpr bool operator==(const tensor_iterator&, const tensor_iterator&) = default;
};

/// Runs a body a number of times, as long as a condition holds.
///
/// Inputs: trip count (a single integer, negative: no limit), execution condition (a single boolean), then what the body
/// needs. `current_iteration` is the parameter of the body that gets the number of the iteration, `execution_condition`
/// the result that says whether to go on; -1 where the body has none. `declared_outputs` as in `tensor_iterator`.
struct loop {
    static constexpr auto number = kind::loop;
    static constexpr text_view name = "Loop";
    static constexpr versions opsets{5};
    static constexpr ports inputs{2, ports::any};
    static constexpr ports outputs{0, ports::any};
    static constexpr trait traits = trait::has_bodies;

    seq<body_input> input_map{};
    seq<body_output> output_map{};
    std::int64_t current_iteration = -1;
    std::int64_t execution_condition = -1;
    seq<declared_output> declared_outputs{};

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        detail::visit_flat("input_map", self.input_map, visit);
        detail::visit_flat("output_map", self.output_map, visit);
        visit("current_iteration", self.current_iteration);
        visit("execution_condition", self.execution_condition);
        detail::visit_flat("declared_outputs", self.declared_outputs, visit);
    }
    static constexpr void infer(const loop& self, inference& facts) {
        const element count = facts.type(0);
        if (count != dynamic && !is_integral(count)) {
            facts.wrong({"the trip count must be an integer, not ", lpt::name(count)});
        }
        if (facts.dimensions(0).is_static() && facts.dimensions(0).elements() != 1) {
            facts.wrong(
                {"the trip count must be a single value, not a tensor of shape ", to_text(facts.dimensions(0))});
        }
        detail::require_condition(facts, 1);
        detail::require_body_inputs(facts, self.input_map);
        detail::require_body_outputs(facts, self.output_map, self.declared_outputs);
        detail::give_declared(facts, self.declared_outputs);
    }
    friend constexpr bool operator==(const loop&, const loop&) = default;
};

/// Runs one of two bodies, the first if the condition is true.
///
/// Inputs: condition (a single boolean), then what the bodies need. Both bodies feed every output. `declared_outputs` as
/// in `tensor_iterator`.
struct if_else {
    static constexpr auto number = kind::if_else;
    static constexpr text_view name = "If";
    static constexpr versions opsets{8};
    static constexpr ports inputs{1, ports::any};
    static constexpr ports outputs{1, ports::any};
    static constexpr trait traits = trait::has_bodies;

    seq<body_input> then_inputs{};
    seq<body_output> then_outputs{};
    seq<body_input> else_inputs{};
    seq<body_output> else_outputs{};
    seq<declared_output> declared_outputs{};

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        detail::visit_flat("then_inputs", self.then_inputs, visit);
        detail::visit_flat("then_outputs", self.then_outputs, visit);
        detail::visit_flat("else_inputs", self.else_inputs, visit);
        detail::visit_flat("else_outputs", self.else_outputs, visit);
        detail::visit_flat("declared_outputs", self.declared_outputs, visit);
    }
    static constexpr void infer(const if_else& self, inference& facts) {
        detail::require_condition(facts, 0);
        detail::require_body_inputs(facts, self.then_inputs);
        detail::require_body_inputs(facts, self.else_inputs);
        detail::require_body_outputs(facts, self.then_outputs, self.declared_outputs);
        detail::require_body_outputs(facts, self.else_outputs, self.declared_outputs);
        detail::give_declared(facts, self.declared_outputs);
    }
    friend constexpr bool operator==(const if_else&, const if_else&) = default;
};

/// The name of a body of a node, as files write it: `body` of TensorIterator and Loop; `then_body`, `else_body` of If.
constexpr text_view body_name(kind operation, std::size_t which) {
    if (operation != kind::if_else) {
        return "body";
    }
    return which == 0 ? text_view("then_body") : text_view("else_body");
}

}  // namespace lpt::inline LPT_ABI::op
