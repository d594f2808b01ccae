// SPDX-License-Identifier: Apache-2.0
// The report of a run: what each operation became, and how long it took.
#pragma once

#include <lpt/pipeline/report.hpp>
#include <lpt/runtime.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lpt::run {

/// One operation as it was executed. An operation that runs in the step of another one is computed in that step's epilogue (or
/// lookup table), and its time is that of the step.
struct row {
    std::string name;
    std::string type;
    op::kind kind = op::kind::none;
    std::string status = "NOT_RUN";
    std::string execution_type = "undef";
    role what = role::none;
    std::string precision = "undef";  // that it computes in
    std::string step;  // name of the operation that gives its step the name; empty: it is in no step
    std::vector<std::string> inputs;  // of an executed row what its step reads, of others what the operation takes
    std::vector<std::string> outputs;
    double real_us = 0;
    double cpu_us = 0;
    double own_us = 0;  // real_us without the steps of its bodies, which have rows of their own
    std::string reason;
    std::string reason_in_general;  // without the ports, types and names that it is about
    std::vector<std::string> fused;
    bool behind_integers = false;  // in the epilogue of a kernel that computes on integers
    bool on_codes =
        false;  // computes on integers that stand for real numbers, of whatever width, as its file specifies
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
    const char* arithmetic = "transformed";  // or `specified`, that of the file
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
    for (const plan::tensor_id tensor : step.reads) {
        to.inputs.push_back(string_of(name(net[tensor].type)));
    }
    const bool all = std::holds_alternative<plan::reference_step>(step.work) ||
                     std::holds_alternative<plan::control_flow_step>(step.work);
    const std::size_t written = step.writes.empty() ? 0 : all ? step.writes.size() : 1;
    for (std::size_t i = 0; i < written; ++i) {
        to.outputs.push_back(string_of(name(net[step.writes[i]].type)));
    }
}

inline void set_execution(row& to, const run_step_record& record, double runs) {
    const plan::step& step = record.net->steps[record.number];
    to.status = "EXECUTED";
    to.execution_type = step.kernel;
    set_types(to, *record.net, step);
    to.real_us += record.time.real / runs;
    to.own_us += record.time.real / runs;
    to.cpu_us += record.time.processor / runs;
}

/// Where an operation is: the bodies, from the network inwards.
inline std::vector<body_place> bodies_of(const report_row& each) {
    std::vector<body_place> result;
    for (const auto& outer : each.body) {
        result.push_back({outer.node, static_cast<int>(outer.which)});
    }
    return result;
}

/// The operations of the original network by where they are now, and the rows that they have.
class row_places {
    struct named_row {
        std::size_t row;
        node_id node;
    };
    std::map<std::pair<std::vector<body_place>, node_id>, std::size_t> rows_;
    std::map<std::pair<std::vector<body_place>, std::string>, named_row> names_;

public:
    void add(const report_row& each, std::size_t row) {
        if (each.node != node_id::none) {
            rows_.insert_or_assign({bodies_of(each), each.node}, row);
        }
        names_.insert({{bodies_of(each), string_of(each.name)}, {row, each.node}});
    }
    /// The row of a node of the network, or of a body; -1 if it stands for none of the original operations. What the optimizations
    /// made of operations stands for the one whose name it has, where that one is gone.
    int find(const std::vector<body_place>& bodies, const graph& model, node_id node) const {
        if (const auto found = rows_.find({bodies, node}); found != rows_.end()) {
            return static_cast<int>(found->second);
        }
        const auto named = names_.find({bodies, original_name(model[node])});
        const bool replaced = named != names_.end() && !model.contains(named->second.node);
        return replaced ? static_cast<int>(named->second.row) : -1;
    }
};

inline row added_row(const run_step_record& record) {
    const plan::step& step = record.net->steps[record.number];
    row made;
    made.added = true;
    made.what = role::movement;
    made.name = string_of(record.path) + "reorder_" + std::to_string(record.number);
    made.type = "Reorder";
    if (!step.nodes.empty()) {
        const node& first = (*record.model)[step.nodes[0]];
        made.name = string_of(record.path) + string_of(first.name());
        made.type = string_of(first.operation());
        made.kind = first.kind();
        made.what = plan::is_dequantization(*record.model, step.nodes[0]) ? role::dequantization
                                                                          : role_of(*record.model, first);
    }
    made.precision = string_of(name(step.precision));
    return made;
}

inline bool is_byte(const std::string& type) { return type == "u8" || type == "i8"; }

/// Why the executor computes in real numbers what the transformations brought to 8 bits.
inline void explain_execution(row& to) {
    const auto byte = std::find_if(to.inputs.begin(), to.inputs.end(), is_byte);
    const auto real = std::find(to.inputs.begin(), to.inputs.end(), to.precision);
    if (to.status != "EXECUTED") {
        to.reason = to.reason_in_general = "it is computed behind the kernel of its step, in real numbers";
    } else if (byte != to.inputs.end() && real != to.inputs.end()) {
        to.reason_in_general = "it takes 8-bit data together with data that is not quantized";
        to.reason = "it takes " + *byte + " together with data that is not quantized, input " +
                    std::to_string(real - to.inputs.begin()) + ", which is " + *real;
    } else if (to.execution_type.rfind("reference", 0) == 0) {
        to.reason = to.reason_in_general = "no kernel takes it in 8 bits: the reference computes it";
    } else {
        to.reason_in_general = "its kernel takes 8-bit data and computes in real numbers";
        to.reason = byte != to.inputs.end() ? "its kernel takes " + *byte + " and computes in " + to.precision
                                            : to.reason_in_general;
    }
}

/// The sentence of a reason without what it is about; whole where it names a transformation.
inline std::string in_general(const report_row& each) {
    const reason why = each.why.why.why;
    const bool names_one = why == reason::skipped_by_callback || why == reason::disabled_by_user;
    return string_of(each.reason.empty() || names_one ? text_view(each.reason) : words_of(why).meaning);
}

inline row row_of(const report_row& each) {
    row made;
    made.name = string_of(each.name);
    made.type = string_of(each.operation);
    made.kind = each.kind;
    made.reason = string_of(each.reason);
    made.reason_in_general = in_general(each);
    for (const element type : each.inputs) {
        made.inputs.push_back(string_of(name(type)));
    }
    for (const element type : each.outputs) {
        made.outputs.push_back(string_of(name(type)));
    }
    return made;
}

/// Makes the rows.
class row_maker {
    const report& what_;
    double runs_;
    std::vector<row> rows_;
    row_places places_;
    std::vector<std::size_t>
        around_;  // the rows of the nodes whose bodies the last step is in, from the network inwards
    std::map<std::vector<body_place>, std::vector<const graph*>> planned_;

    std::size_t leader_of(const run_step_record& record) {
        for (const node_id id : record.net->steps[record.number].nodes) {
            if (const int found = places_.find(record.bodies, *record.model, id); found >= 0) {
                return static_cast<std::size_t>(found);
            }
        }
        rows_.push_back(added_row(record));
        return rows_.size() - 1;
    }
    void add(const run_step_record& record) {
        const plan::step& step = record.net->steps[record.number];
        std::vector<const graph*>& graphs = planned_[record.bodies];
        if (graphs.empty() || graphs.back() != record.model) {
            graphs.push_back(record.model);
        }
        const std::size_t leader = leader_of(record);
        set_execution(rows_[leader], record, runs_);
        const std::size_t depth = record.bodies.size();
        if (depth > 0) {
            rows_[around_[depth - 1]].own_us -= record.time.real / runs_;
        }
        around_.resize(depth);
        around_.push_back(leader);
        rows_[leader].step = rows_[leader].name;
        for (std::size_t i = 0; i < step.nodes.size(); ++i) {
            const node& each = (*record.model)[step.nodes[i]];
            const int own = places_.find(record.bodies, *record.model, step.nodes[i]);
            if (own >= 0) {
                row& to = rows_[static_cast<std::size_t>(own)];
                to.what = what_.operations[static_cast<std::size_t>(own)].what;
                to.precision = string_of(name(plan::computing_type(step, i)));
                to.step = rows_[leader].name;
                to.behind_integers = i > 0 && is_8_bit_integer(step.precision) && !is_byte(to.precision);
            }
            if (own != static_cast<int>(leader) && !each.name().empty()) {
                rows_[leader].fused.push_back(original_name(each));
            }
        }
    }
    bool is_planned(const report_row& each) const {
        const auto graphs = planned_.find(bodies_of(each));
        return each.node != node_id::none && graphs != planned_.end() &&
               std::any_of(graphs->second.begin(), graphs->second.end(),
                           [&](const graph* model) { return model->contains(each.node); });
    }
    /// What no step computes is gone, unless the plan has it: then what reads it takes what it reads, perhaps in another shape.
    void settle(const report_row& before, row& to) const {
        const bool needs_no_step = before.what == role::movement || before.what == role::dequantization;
        if (to.step.empty() && needs_no_step && is_planned(before)) {
            to.what = before.what;
            to.precision = string_of(name(before.precision));
        }
        if (is_byte(to.precision) || to.what == role::quantization) {
            to.reason.clear();
        } else if (!to.step.empty() && to.what == role::arithmetic && to.reason.empty() &&
                   is_8_bit_integer(before.precision)) {
            explain_execution(to);
        }
        if (to.reason.empty()) {
            to.reason_in_general.clear();
        }
    }

public:
    row_maker(const report& what, double runs) : what_(what), runs_(runs) {
        for (const report_row& each : what.operations) {
            places_.add(each, rows_.size());
            rows_.push_back(row_of(each));
        }
    }
    std::vector<row> make(const std::vector<run_step_record>& records) {
        for (const run_step_record& each : records) {
            add(each);
        }
        for (std::size_t i = 0; i < what_.operations.size(); ++i) {
            settle(what_.operations[i], rows_[i]);
        }
        return std::move(rows_);
    }
};

/// A row for each operation of the original network, in its order, then those that were added.
inline std::vector<row> make_rows(const report& what, const executable& net, double runs) {
    return row_maker(what, runs).make(net.records());
}

}  // namespace lpt::run
