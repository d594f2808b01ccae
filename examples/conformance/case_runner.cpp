// SPDX-License-Identifier: Apache-2.0
#include "case_runner.hpp"

#include <lpt/pipeline/registry.hpp>
#include <lpt/transformation/dequantization.hpp>

#include <map>
#include <utility>

namespace lpt::conformance {

// ---- what a case sets

namespace detail {

static op::kind read_kind(const json& word) {
    const std::string& op = word.get_ref<const std::string&>();
    const op::kind result = op::parse_kind(op.c_str());
    if (result == op::kind::none) {
        fail({"a restriction is about '", op.c_str(), "', which is no operation"});
    }
    return result;
}

static int read_version(const json& row) {
    if (!row.value("specifyVersion", false)) {
        return any_version;
    }
    const json* version = find(row, "version");
    return version != nullptr ? integer_of<int>(*version) : op::row_of(read_kind(row.at("op"))).opsets.values[0];
}

template <class Sequence>
static void read_elements(const json& list, Sequence& result) {
    for (const json& type : list) {
        result.push_back(read_element(type));
    }
}

static precision_row read_precision_row(const json& row, const json* group) {
    precision_row result{read_kind(row.at("op")), read_version(row), {}, nullptr};
    if (group != nullptr) {
        const json& ports = group->at("port");
        for (const json& port : ports.is_array() ? ports : json::array({ports})) {
            result.accepted.ports.push_back(integer_of<std::int32_t>(port));
        }
        read_elements(group->at("types"), result.accepted.types);
    }
    return result;
}

/// True if an earlier restriction is about the same operation: of several the first one counts.
static bool is_repeated(const json& rows, std::size_t place) {
    for (std::size_t i = 0; i < place; ++i) {
        if (rows[i].at("op") == rows[place].at("op") &&
            (read_version(rows[i]) == any_version || read_version(rows[place]) == any_version ||
             read_version(rows[i]) == read_version(rows[place]))) {
            return true;
        }
    }
    return false;
}

restriction_table read_restrictions(const json& conformance_case) {
    restriction_table result;
    if (const json* rows = find(conformance_case, "precision_restrictions")) {
        for (std::size_t place = 0; place < rows->size(); ++place) {
            const json& row = (*rows)[place];
            if (is_repeated(*rows, place)) {
                continue;
            }
            if (row.at("ports").empty()) {
                result.precisions.push_back(read_precision_row(row, nullptr));
            }
            for (const json& group : row.at("ports")) {
                result.precisions.push_back(read_precision_row(row, &group));
            }
        }
    }
    if (const json* rows = find(conformance_case, "per_tensor_restrictions")) {
        for (std::size_t place = 0; place < rows->size(); ++place) {
            const json& row = (*rows)[place];
            if (is_repeated(*rows, place)) {
                continue;
            }
            granularity_row next{read_kind(row.at("op")), read_version(row), {}, attribute::granularity::per_tensor};
            for (const json& port : row.at("ports")) {
                next.ports.push_back(integer_of<std::int32_t>(port));
            }
            result.granularities.push_back(std::move(next));
        }
    }
    return result;
}

static bool is_asymmetric(const graph& model, node_id id, const void* options) {
    return find_dequantization(model, id, static_cast<const transformation_options*>(options)->default_precisions)
        .has_subtract();
}
static bool is_3d(const graph& model, node_id id, const void*) {
    const shape& data = model.shape(model[id].input(0));
    return data.rank_is_static() && data.rank() == 3;
}
static bool is_any(const graph&, node_id, const void*) { return true; }

static void read_arguments(const json& described, transformation_options& options) {
    for (const auto& [name, values] : described.items()) {
        transformation_arguments next{};
        next.transformation = find_pass(name.c_str()) != nullptr ? find_pass(name.c_str())->name : text_view();
        if (const json* types = find(values, "precisions")) {
            read_elements(*types, next.precisions);
        }
        next.fold_subtract = values.value("fold_subtract", next.fold_subtract);
        next.fold_multiply = values.value("fold_multiply", next.fold_multiply);
        next.weights_adjustment = values.value("weights_adjustment", next.weights_adjustment);
        options.arguments.push_back(std::move(next));
    }
}

static void read_callbacks(const json& list, transformation_options& options) {
    static const std::map<std::string, bool (*)(const graph&, node_id, const void*)> rules = {
        {"asymmetric_quantization", &is_asymmetric}, {"activations_are_3d", &is_3d}, {"always", &is_any}};
    for (const json& each : list) {
        const std::string name = each.at("transformation").get<std::string>();
        const std::string rule = each.at("skip_if").get<std::string>();
        const auto found = rules.find(rule);
        if (found == rules.end()) {
            fail({"there is no callback rule '", rule.c_str(), "'"});
        }
        if (const pass_row* pass = find_pass(name.c_str())) {
            options.callbacks.push_back({pass->name, found->second, &options});
        } else {
            fail({"no such pass ", name.c_str()});
        }
    }
}

void read_options(const json& conformance_case, transformation_options& options) {
    const json params = conformance_case.value("params", json::object());
    options.follow_upstream_errors = true;  // the answers of the cases are upstream's
    options.update_precisions = params.value("update_precisions", true);
    options.scaling_mode = params.value("scaling_mode", false);
    options.reshape_ignore_per_tensor_check = params.value("reshape_ignore_per_tensor_check", false);
    if (const json* type = find(params, "dequantization_precision")) {
        options.dequantization_precision = read_element(*type);
    }
    if (const json* types = find(params, "default_precisions")) {
        options.default_precisions = {};
        read_elements(*types, options.default_precisions);
    }
    if (const json* arguments = find(conformance_case, "pass_args")) {
        read_arguments(*arguments, options);
    }
    if (const json* callbacks = find(conformance_case, "callbacks")) {
        read_callbacks(*callbacks, options);
    }
}

static const pass_row& pass_named(const json& name) {
    const std::string& word = name.get_ref<const std::string&>();
    const pass_row* found = find_pass(word.c_str());
    if (found == nullptr) {
        fail({"no such pass ", word.c_str()});
    }
    return *found;
}

/// The passes of one element of a pipeline: a name, or a list of names that are one rewrite.
static seq<dispatch_row> read_rewrite(const json& element) {
    seq<dispatch_row> rows;
    for (const json& name : element.is_array() ? element : json::array({element})) {
        const pass_row& pass = pass_named(name);
        if (pass.run != nullptr) {
            fail({"the step ", pass.name, " cannot be part of a rewrite"});
        }
        rows.append(pass.rows);
    }
    return rows;
}

static void write_attributes(const graph& model, attribute::tables& attributes, view<node_id> order, json& nodes) {
    const auto describe = [&](attribute::place where) {
        json result = json::object();
        for (const attribute::description& each : attributes.describe(where)) {
            result[string_of(each.name)] = string_of(each.value);
        }
        return result;
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
        const node& each = model[order[i]];
        json& described = nodes[i];
        json own = describe(attribute::place::on_node(order[i]));
        const std::pair<mark, const char*> marks[] = {{mark::disabled_constant_folding, "DISABLED_CONSTANT_FOLDING"},
                                                      {mark::dequantization_node, "DequantizationNode"},
                                                      {mark::keep_const_precision, "KeepConstPrecision"},
                                                      {mark::disable_cleanup, "DisableCleanup"},
                                                      {mark::bias, "Bias"}};
        for (const auto& [one, name] : marks) {
            if (each.has(one)) {
                own[name] = "";
            }
        }
        if (!own.empty()) {
            described["attributes"] = std::move(own);
        }
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            described["in_attributes"].push_back(describe(attribute::place::on_input(order[i], port)));
        }
        for (std::size_t port = 0; port < each.outputs(); ++port) {
            json on_output = describe(attribute::place::on_output(order[i], port));
            if (!on_output.empty()) {
                described["out"][port]["attributes"] = std::move(on_output);
            }
        }
    }
}

}  // namespace detail

void run_pipeline_of_case(const json& conformance_case, rewrite& changes) {
    for (const json& element : conformance_case.at("pipeline")) {
        if (element.is_string() && detail::pass_named(element).run != nullptr) {
            detail::pass_named(element).run(changes);
        } else {
            drive(changes, dynamic_dispatch_table(detail::read_rewrite(element)));
        }
        changes.model.collect();
        infer_all(changes.model);
    }
}

void transform_as_case(const json& conformance_case, graph& model, attribute::tables& attributes) {
    transformation_options options;
    detail::read_options(conformance_case, options);
    const restriction_table restrictions = detail::read_restrictions(conformance_case);
    rewrite changes(model, attributes, options, restrictions);
    run_pipeline_of_case(conformance_case, changes);
}

json run_case(const json& conformance_case) {
    graph model = graph_reader::read(conformance_case.at("before"));
    attribute::tables attributes;
    transform_as_case(conformance_case, model, attributes);
    const seq<node_id> order = order_of_case(model);
    json result = write_graph(model, order);
    detail::write_attributes(model, attributes, order, result);
    return result;
}

}  // namespace lpt::conformance
