// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/import/tflite/operators.hpp>
#include <lpt/import/tflite/read_model.hpp>
#include <lpt/import/tflite/use_signature.hpp>

#include <string>

namespace lpt::inline LPT_ABI {

namespace tflite {

/// Raises an error where an operator computes on real numbers, but a tensor has integers without a scale.
inline void check_scales(const network& net, const operator_info& op) {
    for (const bool is_input : {true, false}) {
        const std::vector<std::int64_t>& ports = is_input ? op.inputs : op.outputs;
        for (std::size_t port = 0; port < ports.size(); ++port) {
            if (ports[port] == operator_info::none) {
                continue;
            }
            const tensor_info& info = net.info(ports[port]);
            if (!info.quantized.is_present() && needs_scale(op.code, info.type)) {
                net.wrong("its ", is_input ? "input " : "output ", port, " (tensor ", ports[port], " '", info.name,
                          "') has the type ", name(info.type), " and no scale, expected one",
                          info.quantized.has_details ? "; scales of blocks and custom quantization are not supported"
                                                     : "");
            }
        }
    }
}

/// Makes the operations of one operator.
inline void make_operator(network& net, const operator_info& op) {
    check_scales(net, op);
    for (const operator_maker& each : operator_makers) {
        if (each.code == op.code) {
            each.make(net);
            return;
        }
    }
    if (op.code == builtin::custom) {
        net.wrong("is a custom operator; only builtin operators are supported");
    }
    net.wrong("is not supported");
}

/// Makes the operations of a subgraph; those of subgraphs that CALL_ONCE names give the variables their first values.
inline void make_operators(network& net) {
    for (const operator_info& each : net.description().operators) {
        net.begin(&each);
        if (net.budget().left == 0) {
            net.wrong("subgraphs are run by more operators than the file may have");
        }
        --net.budget().left;
        if (each.code == builtin::call_once) {
            const auto which = static_cast<std::size_t>(each.integer("init_subgraph_index"));
            network start(net.file(), which, net.make(), net.variables(), net.budget(), true);
            make_operators(start);
        } else {
            make_operator(net, each);
        }
        net.make().finish();
    }
    net.begin(nullptr);
}

inline void check_tensors(const model& file, std::size_t which) {
    place where{file.file, static_cast<std::int64_t>(which)};
    for (const tensor_info& each : file.subgraphs[which].tensors) {
        ++where.tensor;
        where.tensor_name = each.name;
        where.byte = each.byte;
        check_quantization(each, where);
    }
}

inline void make_inputs(network& net) {
    const subgraph& description = net.description();
    for (std::size_t i = 0; i < description.inputs.size(); ++i) {
        const std::int64_t index = description.inputs[i];
        const tensor_info& info = net.info(index);
        const text& called = description.input_name(i);
        if (element_of(info.type) == dynamic) {
            net.wrong("input '", called, "' has the type ", name(info.type), ", which is not supported");
        }
        net.make().begin({called.c_str(), "input"});
        net.set_codes(index, net.make().add_node(op::parameter{element_of(info.type), info.signature}, {}));
        net.make().finish();
    }
}
inline void make_outputs(network& net) {
    const subgraph& description = net.description();
    for (std::size_t i = 0; i < description.outputs.size(); ++i) {
        net.make().begin({std::string(description.output_name(i).c_str()) + "/Result", "output"});
        net.make().add_node(op::result{}, {net.codes(description.outputs[i], axes::as_in_file)});
        net.make().finish();
    }
}

/// A file's network as a graph: its first subgraph, or that of the signature that is used.
inline graph make_graph(const model& file) {
    for (std::size_t which = 0; which < file.subgraphs.size(); ++which) {
        check_tensors(file, which);
    }
    model_builder make(file.file.c_str());
    std::map<std::string, variable> variables;
    operator_budget budget(file);
    network net(file, file.network, make, variables, budget, false);
    make_inputs(net);
    make_operators(net);
    make_outputs(net);
    net.keep_variables();
    write_variables(net);
    graph result = make.take();
    result.collect();
    return result;
}

}  // namespace tflite

/// Reads a network from a TFLite file.
///
/// `signature`: the key of the signature whose subgraph, inputs and outputs, by its names, are the network; without one it is the first
/// subgraph. The graph is to be transformed: integers that stand for real numbers become real numbers between
/// FakeQuantize operations (256 or 65536 levels), weights stay integers below their dequantization, and inputs and outputs have the types of the
/// file. Axes are in the order of convolutions (channels behind the batch) where operators allow it; a Transpose stands only where
/// the two orders meet. Fused activations are operations of their own, unless the output's quantization does the same. A bias has the scale that
/// its tensor says. Variables (VAR_HANDLE …) become ReadValue and Assign, with the first values that CALL_ONCE's subgraph assigns; so do
/// variable tensors, which begin with zeros.
/// Constants are windows on the file, but for weights, whose axes are reordered.
/// Raises an error that names the file and the byte, operator or tensor, for everything that is not a network (`tflite::read_model`), for
/// quantization without sense, and for operators and types that are not supported, by name.
template <compiled = once>
[[gnu::noinline]] graph import_tflite(const std::string& path, const std::string& signature = {}) {
    tflite::model file = tflite::read_model(path);
    if (!signature.empty()) {
        tflite::use_signature(file, signature.c_str());
    }
    return tflite::make_graph(file);
}

#ifdef LPT_COMPILED_IMPORT
LPT_COMPILED_IMPORT template graph import_tflite<>(const std::string&, const std::string&);
#endif

}  // namespace lpt::inline LPT_ABI
