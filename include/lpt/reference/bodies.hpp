// SPDX-License-Identifier: Apache-2.0
// Graphs inside of operations, and the port maps that connect them with what is outside.
#pragma once

#include <lpt/graph/traverse.hpp>

#include <vector>

namespace lpt::inline LPT_ABI::reference {

/// True for operations that run graphs inside them: TensorIterator, Loop, If.
constexpr bool runs_bodies(op::kind kind) {
    return kind == op::kind::tensor_iterator || kind == op::kind::loop || kind == op::kind::if_else;
}

namespace detail {

[[noreturn, gnu::cold]] inline void wrong_body(const node& each, const text_view why) {
    fail({each.operation(), " '", each.name(), "': ", why});
}

inline void check_inputs_of_body(const node& each, std::size_t which, const seq<op::body_input>& map,
                                 std::int64_t current_iteration) {
    const graph& body = each.bodies()[which];
    const auto parameters = static_cast<std::int64_t>(body.parameters().size());
    const auto results = static_cast<std::int64_t>(body.results().size());
    const text_view name = op::body_name(each.kind(), which);
    std::vector<bool> fed(body.parameters().size(), false);
    for (const op::body_input& entry : map) {
        if (entry.port < 0 || entry.port >= static_cast<std::int64_t>(each.inputs())) {
            wrong_body(each,
                       join({"its port map names input ", entry.port, ", but it has ", each.inputs(), " inputs"}));
        }
        if (entry.parameter < 0 || entry.parameter >= parameters) {
            wrong_body(each, join({"its port map names parameter ", entry.parameter, " of ", name, ", which has ",
                                   parameters, " parameters"}));
        }
        if (entry.holds == op::body_input::form::merged && (entry.result < 0 || entry.result >= results)) {
            wrong_body(each, join({"parameter ", entry.parameter, " of ", name, " is fed back by result ", entry.result,
                                   ", but it has ", results, " results"}));
        }
        if (each.is<op::if_else>() && entry.holds != op::body_input::form::invariant) {
            wrong_body(each, join({"parameter ", entry.parameter, " of ", name, " must get a whole input"}));
        }
        if (fed[static_cast<std::size_t>(entry.parameter)]) {
            wrong_body(each, join({"parameter ", entry.parameter, " of ", name, " is fed twice"}));
        }
        fed[static_cast<std::size_t>(entry.parameter)] = true;
    }
    if (current_iteration < -1 || current_iteration >= parameters) {
        wrong_body(each, join({"the number of the iteration goes to parameter ", current_iteration, " of ", name,
                               ", which has ", parameters, " parameters"}));
    }
    for (std::int64_t i = 0; i < parameters; ++i) {
        if (!fed[static_cast<std::size_t>(i)] && i != current_iteration) {
            wrong_body(each, join({"nothing feeds parameter ", i, " of ", name}));
        }
    }
}

inline void check_outputs_of_body(const node& each, std::size_t which, const seq<op::body_output>& map) {
    const graph& body = each.bodies()[which];
    std::vector<bool> given(each.outputs(), false);
    for (const op::body_output& entry : map) {
        if (entry.port < 0 || entry.port >= static_cast<std::int64_t>(each.outputs())) {
            wrong_body(each,
                       join({"its port map names output ", entry.port, ", but it has ", each.outputs(), " outputs"}));
        }
        if (entry.result < 0 || entry.result >= static_cast<std::int64_t>(body.results().size())) {
            wrong_body(each,
                       join({"its port map names result ", entry.result, " of ", op::body_name(each.kind(), which),
                             ", which has ", body.results().size(), " results"}));
        }
        if (each.is<op::if_else>() && entry.holds != op::body_output::form::value) {
            wrong_body(each,
                       join({"output ", entry.port, " must be a whole result of ", op::body_name(each.kind(), which)}));
        }
        if (given[static_cast<std::size_t>(entry.port)]) {
            wrong_body(each, join({"output ", entry.port, " is given twice"}));
        }
        given[static_cast<std::size_t>(entry.port)] = true;
    }
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (!given[port]) {
            wrong_body(each, join({"nothing gives output ", port}));
        }
    }
}

/// The port maps of a node, whatever its operation.
struct port_maps {
    const seq<op::body_input>* inputs = nullptr;
    const seq<op::body_output>* outputs = nullptr;
    std::int64_t current_iteration = -1;
    std::int64_t execution_condition = -1;
};

inline port_maps port_maps_of(const node& each, std::size_t which) {
    if (each.is<op::tensor_iterator>()) {
        const auto& self = each.as<op::tensor_iterator>();
        return {&self.input_map, &self.output_map};
    }
    if (each.is<op::loop>()) {
        const auto& self = each.as<op::loop>();
        return {&self.input_map, &self.output_map, self.current_iteration, self.execution_condition};
    }
    const auto& self = each.as<op::if_else>();
    if (which == 0) {
        return {&self.then_inputs, &self.then_outputs};
    }
    return {&self.else_inputs, &self.else_outputs};
}

}  // namespace detail

/// Checks that a node has its bodies, and that its port maps fit them: each parameter is fed once, each output given once,
/// and all numbers are those of ports, parameters and results that there are. Raises an error that names the node.
inline void check_bodies(const node& each) {
    const std::size_t wanted = each.is<op::if_else>() ? 2 : 1;
    if (each.bodies().size() != wanted) {
        detail::wrong_body(
            each, join({"it needs ", wanted, wanted == 1 ? " body" : " bodies", ", and has ", each.bodies().size()}));
    }
    for (std::size_t which = 0; which < wanted; ++which) {
        const detail::port_maps maps = detail::port_maps_of(each, which);
        detail::check_inputs_of_body(each, which, *maps.inputs, maps.current_iteration);
        detail::check_outputs_of_body(each, which, *maps.outputs);
        const auto results = static_cast<std::int64_t>(each.bodies()[which].results().size());
        if (maps.execution_condition < -1 || maps.execution_condition >= results) {
            detail::wrong_body(each, join({"its condition is result ", maps.execution_condition, " of ",
                                           op::body_name(each.kind(), which), ", which has ", results, " results"}));
        }
    }
}

}  // namespace lpt::inline LPT_ABI::reference
