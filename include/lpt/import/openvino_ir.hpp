// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/import/openvino_ir/network.hpp>

#include <string>

namespace lpt::inline LPT_ABI {

/// Reads a network in OpenVINO's intermediate representation.
///
/// `xml_path`: the topology (`.xml`, operation sets 1 to 16); `bin_path`: the weights, by default the file beside it that
/// ends in `.bin`; `known`: operation types of the user that a layer may name (`op::user_operations_of<my_op, …>`), before those of
/// the library. Weights are not copied: they stay windows on the mapped file. Names of nodes and tensors and run-time
/// information (`rt_info`, as annotations) are kept.
/// Raises an error that names the file and the layer or byte offset, and what was expected there, for everything that is
/// not a network: files of another format, broken XML, unknown operations, edges that lead nowhere or round in circles, weights outside of the
/// file, declared types and shapes that contradict the operations.
template <compiled = once>
[[gnu::noinline]] graph import_openvino_ir(const std::string& xml_path, std::string bin_path = {},
                                           const op::user_operations& known = {}) {
    const mapped_file xml(xml_path.c_str());
    if (bin_path.empty()) {
        const std::size_t dot = xml_path.find_last_of("./");
        const bool has_ending = dot != std::string::npos && xml_path[dot] == '.';
        bin_path = (has_ending ? xml_path.substr(0, dot) : xml_path) + ".bin";
    }
    if (!detail::file_exists(bin_path.c_str())) {
        return openvino_ir::read_network({reinterpret_cast<const char*>(xml.data()), xml.size()}, nullptr, xml_path,
                                         bin_path, known);
    }
    const mapped_file weights(bin_path.c_str());
    return openvino_ir::read_network({reinterpret_cast<const char*>(xml.data()), xml.size()}, &weights, xml_path,
                                     bin_path, known);
}

#ifdef LPT_COMPILED_IMPORT
LPT_COMPILED_IMPORT template graph import_openvino_ir<>(const std::string&, std::string, const op::user_operations&);
#endif

}  // namespace lpt::inline LPT_ABI
