// SPDX-License-Identifier: Apache-2.0
// What a run comes to: how much of its arithmetic is on integers, why the rest is not, and all of it as JSON.
#pragma once

#include "rows.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace lpt::run {

/// How many operations do arithmetic, and how many of them on 8-bit integers.
struct integer_count {
    std::size_t all = 0;
    std::size_t on_integers = 0;
};

/// What the rows of a run come to.
///
/// Counted is arithmetic of the network's own operations that ran, in a step of their own or in another one's, on real numbers or on 8-bit
/// integers, or, as files specify it, on wider ones that stand for real numbers (not that on sizes and indices). A step's time is arithmetic on integers if that of the operation that it is named after is.
struct summary {
    integer_count classes[4];  // by arithmetic_class
    std::size_t quantizations = 0;
    double integer_us = 0;
    double all_us = 0;

    double integer_share() const { return all_us > 0 ? integer_us / all_us : 0; }
};

inline summary summary_of(const std::vector<row>& rows) {
    summary result;
    for (const row& each : rows) {
        const bool on_integers = each.what == role::arithmetic && (each.on_codes || is_byte(each.precision));
        const element type = parse_element(each.precision.c_str());
        result.all_us += each.own_us;
        result.integer_us += on_integers ? each.own_us : 0;
        if (each.added || each.step.empty()) {
            continue;
        }
        result.quantizations += each.what == role::quantization ? 1u : 0u;
        if (each.what == role::arithmetic && (on_integers || is_real(type))) {
            integer_count& counted = result.classes[static_cast<int>(class_of(each.kind))];
            ++counted.all;
            counted.on_integers += on_integers ? 1u : 0u;
        }
    }
    return result;
}

inline constexpr const char* class_names[] = {"convolutions", "matrix products", "recurrent cells", "others"};

/// One line: `on integers: 54 of 54 convolutions, 12 of 20 others; 91 % of the time`. Classes without operations are left out.
inline std::string sentence_of(const summary& all) {
    std::string result = "on integers:";
    bool any = false;
    for (int i = 0; i < 4; ++i) {
        const integer_count& each = all.classes[i];
        if (each.all != 0) {
            result += (any ? ", " : " ") + std::to_string(each.on_integers) + " of " + std::to_string(each.all) + " " +
                      class_names[i];
            any = true;
        }
    }
    result += any ? "" : " there is no arithmetic";
    if (all.all_us > 0) {
        result += "; " + std::to_string(std::lround(100 * all.integer_share())) + " % of the time";
    }
    return result;
}

/// Operations that ran in real numbers for the same reason.
struct reason_group {
    std::string reason;
    std::size_t count = 0;
    std::map<std::string, std::size_t> types;  // how many of each
};

/// The reasons of the operations that ran behind kernels on integers, or of all others; the most frequent first.
inline std::vector<reason_group> reasons_of(const std::vector<row>& rows, bool behind_integers) {
    std::map<std::string, reason_group> groups;
    for (const row& each : rows) {
        if (!each.step.empty() && !each.reason.empty() && each.behind_integers == behind_integers) {
            reason_group& to = groups[each.reason_in_general];
            to.reason = each.reason_in_general;
            ++to.count;
            ++to.types[each.type];
        }
    }
    std::vector<reason_group> result;
    for (auto& [reason, group] : groups) {
        result.push_back(std::move(group));
    }
    std::sort(result.begin(), result.end(), [](const reason_group& a, const reason_group& b) {
        return a.count != b.count ? a.count > b.count : a.reason < b.reason;
    });
    return result;
}

inline nlohmann::json json_of(const row& each) {
    nlohmann::json one = {{"name", each.name},           {"type", each.type},
                          {"status", each.status},       {"execution_type", each.execution_type},
                          {"precision", each.precision}, {"inputs", each.inputs},
                          {"outputs", each.outputs},     {"real_us", each.real_us},
                          {"cpu_us", each.cpu_us},       {"fused", each.fused}};
    if (each.what != role::none) {
        one["role"] = string_of(name(each.what));
    }
    if (!each.step.empty()) {
        one["step"] = each.step;
    }
    if (!each.reason.empty()) {
        one["reason"] = each.reason;
    }
    if (each.added) {
        one["added"] = true;
    }
    return one;
}

inline nlohmann::json json_of(const summary& all) {
    nlohmann::json result = {{"quantizations", all.quantizations}, {"integer_time_share", all.integer_share()}};
    const char* const keys[] = {"convolutions", "matrix_products", "recurrent_cells", "others"};
    for (int i = 0; i < 4; ++i) {
        result[keys[i]] = {{"all", all.classes[i].all}, {"on_integers", all.classes[i].on_integers}};
    }
    return result;
}

inline nlohmann::json json_of(const std::vector<row>& rows, const figures& all) {
    nlohmann::json operations = nlohmann::json::array();
    for (const row& each : rows) {
        operations.push_back(json_of(each));
    }
    return {{"operations", std::move(operations)},
            {"summary", json_of(summary_of(rows))},
            {"arithmetic", all.arithmetic},
            {"import_ms", all.import_ms},
            {"transform_ms", all.transform_ms},
            {"plan_ms", all.plan_ms},
            {"run_ms", all.run_ms},
            {"peak_memory_bytes", all.peak_memory_bytes}};
}

}  // namespace lpt::run
