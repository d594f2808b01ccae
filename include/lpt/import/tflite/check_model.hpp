// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/model.hpp>

#include <algorithm>

/// What no verifier of FlatBuffers knows: which indices there are, and that everything is computed before it is read.
namespace lpt::inline LPT_ABI::tflite::detail {

inline void check_index(std::int64_t index, std::size_t count, const place& where, text_view role, std::size_t position,
                        text_view what) {
    if (index < 0 || index >= static_cast<std::int64_t>(count)) {
        wrong(where, role, " ", position, " is ", what, " ", index, ", expected 0 to ",
              static_cast<std::int64_t>(count) - 1);
    }
}

/// Whether a tensor has a value before any operator has run, or needs none.
inline bool is_known_at_start(const tensor_info& info) { return info.stands_in_file() || info.is_variable; }

/// Checks the operators of a subgraph in the order in which they run.
class subgraph_checker {
    const subgraph& graph_;
    place where_;
    std::vector<char> known_;

    void name_tensor(place& where, std::int64_t index) const {
        where.tensor = index;
        where.tensor_name = graph_.tensors[static_cast<std::size_t>(index)].name;
        where.byte = graph_.tensors[static_cast<std::size_t>(index)].byte;
    }
    void check_indices(const std::vector<std::int64_t>& all, const place& where, text_view role,
                       bool may_be_absent) const {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!may_be_absent || all[i] != operator_info::none) {
                check_index(all[i], graph_.tensors.size(), where, role, i, "tensor");
            }
        }
    }
    void check_reads(const operator_info& op, const place& where) const {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const std::int64_t index = op.inputs[i];
            if (index != operator_info::none && known_[static_cast<std::size_t>(index)] == 0) {
                wrong(where, "input ", i, " is tensor ", index, " '",
                      graph_.tensors[static_cast<std::size_t>(index)].name, "', which no operator before it computes");
            }
        }
    }
    void check_writes(const operator_info& op, const place& where) {
        for (std::size_t i = 0; i < op.outputs.size(); ++i) {
            const std::int64_t index = op.outputs[i];
            if (index == operator_info::none) {
                continue;
            }
            char& known = known_[static_cast<std::size_t>(index)];
            const tensor_info& info = graph_.tensors[static_cast<std::size_t>(index)];
            const bool is_variable = info.is_variable && !info.is_constant();
            if (known != 0 && !is_variable && info.dimensions.elements() != 0) {
                wrong(where, "output ", i, " is tensor ", index, " '", info.name, "', which has a value already");
            }
            if (is_variable && std::find(op.inputs.begin(), op.inputs.end(), index) != op.inputs.end()) {
                wrong(where, "output ", i, " is tensor ", index, " '", info.name, "', which is an input, too");
            }
            known = 1;
        }
    }

public:
    subgraph_checker(const subgraph& graph, const place& where) : graph_(graph), where_(where) {
        where_.byte = graph.byte;
    }

    void check() {
        check_indices(graph_.inputs, where_, "input", false);
        check_indices(graph_.outputs, where_, "output", false);
        for (const tensor_info& each : graph_.tensors) {
            known_.push_back(is_known_at_start(each) ? 1 : 0);
        }
        for (const std::int64_t each : graph_.inputs) {
            known_[static_cast<std::size_t>(each)] = 1;
        }
        for (const operator_info& each : graph_.operators) {
            ++where_.op;
            where_.op_name = each.name();
            where_.byte = each.byte;
            check_indices(each.inputs, where_, "input", true);
            check_indices(each.outputs, where_, "output", true);
            check_indices(each.intermediates, where_, "intermediate", true);
            check_reads(each, where_);
            check_writes(each, where_);
        }
        where_.op = -1;
        for (const std::int64_t each : graph_.outputs) {
            if (known_[static_cast<std::size_t>(each)] == 0) {
                name_tensor(where_, each);
                wrong(where_, "is an output, but no operator computes it");
            }
        }
    }
};

/// The subgraphs that an operator runs.
inline std::vector<std::int64_t> callees(const operator_info& op) {
    std::vector<std::int64_t> result;
    for (const option& each : op.options) {
        if (each.name == "subgraph" || each.name.ends_with("_subgraph_index")) {
            result.push_back(each.whole);
        }
    }
    return result;
}

/// Raises an error where a subgraph runs itself, through whichever others.
class call_checker {
    const model& model_;
    enum class state : char { unseen, open, done };
    std::vector<state> states_;

    static constexpr int deepest_call = 64;

    void visit(std::size_t index, int depth) {
        states_[index] = state::open;
        place where{model_.file, static_cast<std::int64_t>(index)};
        for (const operator_info& op : model_.subgraphs[index].operators) {
            ++where.op;
            where.op_name = op.name();
            where.byte = op.byte;
            const std::vector<std::int64_t> called = callees(op);
            for (std::size_t i = 0; i < called.size(); ++i) {
                const std::int64_t each = called[i];
                check_index(each, model_.subgraphs.size(), where, "callee", i, "subgraph");
                const auto next = static_cast<std::size_t>(each);
                if (states_[next] == state::open) {
                    wrong(where, "runs subgraph ", each, ", which runs this one");
                }
                if (depth == deepest_call) {
                    wrong(where, "subgraphs run each other more than ", deepest_call, " deep");
                }
                if (states_[next] == state::unseen) {
                    visit(next, depth + 1);
                }
            }
        }
        states_[index] = state::done;
    }

public:
    explicit call_checker(const model& file) : model_(file), states_(file.subgraphs.size(), state::unseen) {}
    void check() {
        for (std::size_t i = 0; i < states_.size(); ++i) {
            if (states_[i] == state::unseen) {
                visit(i, 0);
            }
        }
    }
};

inline void check_signature(const model& file, const signature& each) {
    const place where{file.file};
    if (each.subgraph < 0 || each.subgraph >= static_cast<std::int64_t>(file.subgraphs.size())) {
        wrong(where, in_words(each), " is for subgraph ", each.subgraph, ", but the file has ", file.subgraphs.size());
    }
    const std::size_t tensors = file.subgraphs[static_cast<std::size_t>(each.subgraph)].tensors.size();
    for (const std::vector<signature::port>* ports : {&each.inputs, &each.outputs}) {
        for (const signature::port& port : *ports) {
            if (port.tensor < 0 || port.tensor >= static_cast<std::int64_t>(tensors)) {
                wrong(where, in_words(each), " names tensor ", port.tensor, " '", port.name, "', but the subgraph has ",
                      tensors);
            }
        }
    }
}

inline void check_model(const model& file) {
    if (file.subgraphs.empty()) {
        place where{file.file};
        where.byte = file.byte;
        wrong(where, "has no subgraph");
    }
    for (std::size_t i = 0; i < file.subgraphs.size(); ++i) {
        subgraph_checker(file.subgraphs[i], {file.file, static_cast<std::int64_t>(i)}).check();
    }
    call_checker(file).check();
    for (const signature& each : file.signatures) {
        check_signature(file, each);
    }
}

}  // namespace lpt::inline LPT_ABI::tflite::detail
