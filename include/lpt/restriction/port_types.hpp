// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/operations.hpp>

namespace lpt::inline LPT_ABI {

/// Stands for every version of an operation.
inline constexpr int any_version = -1;

/// Element types for a group of input ports.
struct port_types {
    seq<std::int32_t, 8> ports;  // all of them get one and the same type
    seq<element, 8> types;  // accepted types, best first; none: these ports must not be quantized
    friend constexpr bool operator==(const port_types&, const port_types&) = default;
};

namespace detail {

enum class restriction_mistake {
    none,
    no_operation,  // found in computed tables only, as is the next
    unknown_operation,
    no_transformation,
    no_version,
    names_no_port,
    no_port,
    port_twice,
    type,
    type_twice,
    no_granularity,
    no_restriction,  // found in lists only
    repeated  // found in lists and tables
};
struct restriction_finding {
    restriction_mistake what = restriction_mistake::none;
    int port = -1;
    element type = dynamic;
};

/// The first mistake in the ports, versions and types that somebody wrote for an operation.
constexpr restriction_finding find_restriction_mistake(const op::row& operation, int version, view<port_types> groups) {
    if (!is_quantizable(operation)) {
        return {restriction_mistake::no_transformation};
    }
    if (version != any_version && !operation.opsets.contains(version)) {
        return {restriction_mistake::no_version, version};
    }
    seq<std::int32_t, 8> seen;
    for (const port_types& group : groups) {
        if (group.ports.empty()) {
            return {restriction_mistake::names_no_port};
        }
        for (const std::int32_t port : group.ports) {
            if (port < 0 || port >= operation.inputs.most) {
                return {restriction_mistake::no_port, port};
            }
            if (seen.contains(port)) {
                return {restriction_mistake::port_twice, port};
            }
            seen.push_back(port);
            for (std::size_t i = 0; i < group.types.size(); ++i) {
                const element type = group.types[i];
                if (!can_take(operation, port, type)) {
                    return {restriction_mistake::type, port, type};
                }
                for (std::size_t j = 0; j < i; ++j) {
                    if (group.types[j] == type) {
                        return {restriction_mistake::type_twice, port, type};
                    }
                }
            }
        }
    }
    return {};
}

/// The first mistake in the ports for which somebody asked for a granularity; none are all ports.
constexpr restriction_finding find_granularity_mistake(const op::row& operation, int version,
                                                       view<std::int32_t> ports) {
    seq<port_types> groups;
    for (const std::int32_t port : ports) {
        groups.push_back({{port}, {}});
    }
    const restriction_finding found = find_restriction_mistake(operation, version, groups);
    if (found.what != restriction_mistake::none) {
        return found;
    }
    for (const std::int32_t port : ports) {
        if (!carries_data(operation, port)) {
            return {restriction_mistake::no_granularity, port};
        }
    }
    return {};
}

/// Raises the sentence of a mistake.
[[gnu::cold]] constexpr void raise(const restriction_finding& found, text_view name, int ports) {
    switch (found.what) {
        case restriction_mistake::none:
        case restriction_mistake::no_restriction: return;  // of types alone: rows are restrictions
        case restriction_mistake::no_operation: fail({"restriction: a row names no operation"});
        case restriction_mistake::unknown_operation:
            fail({"restriction of ", name, ": the operation type of the user is not among those that are known"});
        case restriction_mistake::no_transformation:
            fail({"restriction of ", name, ": no transformation brings this operation to low precision"});
        case restriction_mistake::no_version:
            fail({"restriction of ", name, ": there is no version ", found.port, " of it"});
        case restriction_mistake::names_no_port:
            fail({"restriction of ", name, ": a list of element types names no input port"});
        case restriction_mistake::no_port:
            fail({"restriction of ", name, ": it has no input port ", found.port, ", expected a number from 0 to ",
                  ports - 1});
        case restriction_mistake::port_twice:
            fail({"restriction of ", name, ": input port ", found.port, " is named twice"});
        case restriction_mistake::type:
            fail({"restriction of ", name, ": input port ", found.port, " cannot take the element type ",
                  lpt::name(found.type)});
        case restriction_mistake::type_twice:
            fail({"restriction of ", name, ": input port ", found.port, " names the element type ",
                  lpt::name(found.type), " twice"});
        case restriction_mistake::no_granularity:
            fail({"restriction of ", name, ": input port ", found.port, " carries no data, so it has no granularity"});
        case restriction_mistake::repeated: fail({"restriction of ", name, ": two rows of it contradict each other"});
    }
}

}  // namespace detail

/// Raises an error for a part of a restriction that cannot be meant: an operation that no transformation handles, a version
/// or input port that it does not have, a port or type that is named twice, types without a port, an element type that the port
/// cannot take.
constexpr void check_port_types(const op::row& operation, int version, const port_types& accepted) {
    const bool excludes = accepted.ports.empty() && accepted.types.empty();
    detail::raise(detail::find_restriction_mistake(operation, version, view<port_types>(&accepted, excludes ? 0 : 1)),
                  operation.name, operation.inputs.most);
}

}  // namespace lpt::inline LPT_ABI
