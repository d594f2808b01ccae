// SPDX-License-Identifier: Apache-2.0
// The ready targets by the names that command lines give them.
#pragma once

#include <lpt/target/cpu_arm.hpp>
#include <lpt/target/cpu_x86.hpp>
#include <lpt/target/cpu_x86_amx.hpp>
#include <lpt/target/gpu.hpp>
#include <lpt/target/tflite.hpp>

#include <string>

/// A target without any restriction for "none".
inline lpt::target ready_target(const std::string& name) {
    if (name == "cpu_x86") {
        return lpt::cpu_x86;
    }
    if (name == "cpu_x86_amx") {
        return lpt::cpu_x86_amx;
    }
    if (name == "cpu_arm") {
        return lpt::cpu_arm;
    }
    if (name == "gpu") {
        return lpt::gpu;
    }
    if (name == "tflite") {
        return lpt::tflite_specification;
    }
    return {};
}
