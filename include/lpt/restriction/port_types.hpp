// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/operations.hpp>

namespace lpt {

/// Stands for every version of an operation.
inline constexpr int any_version = -1;

/// Element types for a group of input ports.
struct port_types {
    seq<std::int32_t, 8> ports;  // all of them get one and the same type
    seq<element, 18> types;  // accepted types, best first; none: these ports must not be quantized
    friend constexpr bool operator==(const port_types&, const port_types&) = default;
};

namespace detail {

enum class restriction_mistake { none, no_transformation, no_version, no_port, port_twice, type, repeated };
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
        for (const std::int32_t port : group.ports) {
            if (port < 0 || port >= operation.inputs.most) {
                return {restriction_mistake::no_port, port};
            }
            if (seen.contains(port)) {
                return {restriction_mistake::port_twice, port};
            }
            seen.push_back(port);
            for (const element type : group.types) {
                if (!can_take(operation, port, type)) {
                    return {restriction_mistake::type, port, type};
                }
            }
        }
    }
    return {};
}

}  // namespace detail

/// Raises an error for a part of a restriction that cannot be meant: an operation that no transformation handles, a version
/// or input port that it does not have, a port that is named twice, an element type that the port cannot take.
constexpr void check_port_types(const op::row& operation, int version, const port_types& accepted) {
    using detail::restriction_mistake;
    const detail::restriction_finding found =
        detail::find_restriction_mistake(operation, version, view<port_types>(&accepted, 1));
    switch (found.what) {
        case restriction_mistake::none:
        case restriction_mistake::repeated: return;  // found in lists only
        case restriction_mistake::no_transformation:
            fail("restriction of ", operation.name, ": no transformation brings this operation to low precision");
        case restriction_mistake::no_version:
            fail("restriction of ", operation.name, ": there is no version ", version, " of it");
        case restriction_mistake::no_port:
            fail("restriction of ", operation.name, ": it has no input port ", found.port,
                 ", expected a number from 0 to ", operation.inputs.most - 1);
        case restriction_mistake::port_twice:
            fail("restriction of ", operation.name, ": input port ", found.port, " is named twice");
        case restriction_mistake::type:
            fail("restriction of ", operation.name, ": input port ", found.port, " cannot take the element type ",
                 name(found.type));
    }
}

}  // namespace lpt
