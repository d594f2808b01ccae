// SPDX-License-Identifier: Apache-2.0
// The report of a run: what each operation became, and how long it took.
#pragma once

#include <lpt/pipeline/report.hpp>
#include <lpt/runtime.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lpt::run {

/// One operation as it was executed.
struct row {
    std::string name;
    std::string type;
    std::string status = "NOT_RUN";
    std::string execution_type = "undef";
    std::string precision = "undef";
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    double real_us = 0;
    double cpu_us = 0;
    std::string reason;
    std::vector<std::string> fused;
    bool added = false;  // not of the original network: a change of layout, or a part of a dequantization
};

/// Figures of a whole run.
struct figures {
    double import_ms = 0;
    double transform_ms = 0;
    double plan_ms = 0;
    double run_ms = 0;
    double least_run_ms = 0;
    std::size_t peak_memory_bytes = 0;
};

inline std::string string_of(text_view words) { return {words.data(), words.size()}; }

inline std::string original_name(const node& each) {
    std::string result = string_of(each.name());
    const std::string tail = "_original";
    if (result.size() > tail.size() && result.compare(result.size() - tail.size(), tail.size(), tail) == 0) {
        result.resize(result.size() - tail.size());
    }
    return result;
}

/// The element types that a step reads and writes.
inline void set_types(row& to, const plan::network& net, const plan::step& step) {
    to.inputs.clear();
    to.outputs.clear();
    for (const int tensor : step.reads) {
        to.inputs.push_back(string_of(name(net.tensors[static_cast<std::size_t>(tensor)].type)));
    }
    const bool all = std::holds_alternative<plan::reference_step>(step.work) ||
                     std::holds_alternative<plan::control_flow_step>(step.work);
    const std::size_t written = step.writes.empty() ? 0 : all ? step.writes.size() : 1;
    for (std::size_t i = 0; i < written; ++i) {
        to.outputs.push_back(string_of(name(net.tensors[static_cast<std::size_t>(step.writes[i])].type)));
    }
}

inline void set_execution(row& to, const run_step_record& record, double runs) {
    const plan::step& step = record.net->steps[record.number];
    to.status = "EXECUTED";
    to.execution_type = step.kernel;
    to.precision = string_of(name(step.precision));
    set_types(to, *record.net, step);
    to.real_us += record.time.real / runs;
    to.cpu_us += record.time.processor / runs;
}

/// The operations of the original network by where they are now, and the rows that they have.
class row_places {
    std::map<std::pair<std::vector<body_place>, node_id>, std::size_t> rows_;

public:
    void add(const report_row& each, std::size_t row) {
        std::vector<body_place> bodies;
        for (const auto& outer : each.body) {
            bodies.push_back({outer.node, static_cast<int>(outer.which)});
        }
        if (each.node != node_id::none) {
            rows_.insert_or_assign({bodies, each.node}, row);
        }
    }
    /// The row of a node of the network, or of a body; -1 if it was none of the original operations.
    int find(const std::vector<body_place>& bodies, node_id node) const {
        const auto found = rows_.find({bodies, node});
        return found == rows_.end() ? -1 : static_cast<int>(found->second);
    }
};

inline row added_row(const run_step_record& record) {
    const plan::step& step = record.net->steps[record.number];
    row made;
    made.added = true;
    made.name = string_of(record.path) + (step.nodes.empty() ? "reorder_" + std::to_string(record.number)
                                                             : string_of((*record.model)[step.nodes[0]].name()));
    made.type = step.nodes.empty() ? "Reorder" : string_of((*record.model)[step.nodes[0]].operation());
    return made;
}

inline bool is_byte(const std::string& type) { return type == "u8" || type == "i8"; }

/// Why an operation that takes quantized data computes in real numbers: other data is not quantized. Empty for other rows.
inline std::string reason_of_mixed_inputs(const row& each) {
    const auto byte = std::find_if(each.inputs.begin(), each.inputs.end(), is_byte);
    const auto real = std::find(each.inputs.begin(), each.inputs.end(), each.precision);
    if (each.added || byte == each.inputs.end() || real == each.inputs.end()) {
        return {};
    }
    return "it takes " + *byte + " together with data that is not quantized, input " +
           std::to_string(real - each.inputs.begin()) + ", which is " + *real;
}

/// A row for each operation of the original network, in its order, then those that were added.
inline std::vector<row> make_rows(const report& what, const executable& net, double runs) {
    std::vector<row> rows;
    row_places places;
    for (const report_row& each : what.operations) {
        row made;
        made.name = string_of(each.name);
        made.type = string_of(each.operation);
        made.reason = string_of(each.reason);
        for (const element type : each.inputs) {
            made.inputs.push_back(string_of(name(type)));
        }
        for (const element type : each.outputs) {
            made.outputs.push_back(string_of(name(type)));
        }
        places.add(each, rows.size());
        rows.push_back(std::move(made));
    }
    for (const run_step_record& record : net.records()) {
        const plan::step& step = record.net->steps[record.number];
        int leader = -1;
        for (const node_id id : step.nodes) {
            leader = leader < 0 ? places.find(record.bodies, id) : leader;
        }
        if (leader < 0) {
            rows.push_back(added_row(record));
            leader = static_cast<int>(rows.size()) - 1;
        }
        row& to = rows[static_cast<std::size_t>(leader)];
        set_execution(to, record, runs);
        for (const node_id id : step.nodes) {
            const node& each = (*record.model)[id];
            const int own = places.find(record.bodies, id);
            if (own == leader || each.name().empty()) {
                continue;
            }
            to.fused.push_back(original_name(each));
            if (own >= 0) {
                rows[static_cast<std::size_t>(own)].precision = string_of(name(step.precision));
            }
        }
    }
    for (row& each : rows) {
        if (is_byte(each.precision)) {
            each.reason.clear();
        } else if (each.status == "EXECUTED" && each.reason.empty()) {
            each.reason = reason_of_mixed_inputs(each);
        }
    }
    return rows;
}

inline nlohmann::json json_of(const std::vector<row>& rows, const figures& all) {
    nlohmann::json operations = nlohmann::json::array();
    for (const row& each : rows) {
        nlohmann::json one = {{"name", each.name},           {"type", each.type},
                              {"status", each.status},       {"execution_type", each.execution_type},
                              {"precision", each.precision}, {"inputs", each.inputs},
                              {"outputs", each.outputs},     {"real_us", each.real_us},
                              {"cpu_us", each.cpu_us},       {"fused", each.fused}};
        if (!each.reason.empty()) {
            one["reason"] = each.reason;
        }
        if (each.added) {
            one["added"] = true;
        }
        operations.push_back(std::move(one));
    }
    return {{"operations", std::move(operations)},
            {"import_ms", all.import_ms},
            {"transform_ms", all.transform_ms},
            {"plan_ms", all.plan_ms},
            {"run_ms", all.run_ms},
            {"peak_memory_bytes", all.peak_memory_bytes}};
}

inline std::string joined(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& each : words) {
        result += (result.empty() ? "" : ",") + each;
    }
    return result;
}

/// The table for people: executed operations with times, the others with what they became part of.
inline void print_table(const std::vector<row>& rows) {
    std::printf("%-44s %-26s %-9s %-5s %-32s %10s %10s  %s\n", "operation", "type", "status", "in", "kernel", "real us",
                "cpu us", "why not 8 bits");
    for (const row& each : rows) {
        std::printf("%-44s %-26s %-9s %-5s %-32s %10.1f %10.1f  %s\n", each.name.substr(0, 44).c_str(),
                    each.type.c_str(), each.status.c_str(), each.precision.c_str(), each.execution_type.c_str(),
                    each.real_us, each.cpu_us, each.reason.c_str());
    }
}

/// How many convolutions and matrix products run, and how many of them in 8 bits.
inline void print_summary(const std::vector<row>& rows) {
    std::size_t all = 0;
    std::size_t in_bytes = 0;
    for (const row& each : rows) {
        const bool product = each.type == "MatMul" || each.type.find("Convolution") != std::string::npos;
        all += product && each.status == "EXECUTED" ? 1u : 0u;
        in_bytes += product && each.status == "EXECUTED" && is_byte(each.precision) ? 1u : 0u;
    }
    std::printf("%zu of %zu convolutions and matrix products run in 8 bits\n", in_bytes, all);
}

}  // namespace lpt::run
