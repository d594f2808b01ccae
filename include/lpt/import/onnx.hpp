// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/import/onnx/operators.hpp>
#include <lpt/import/onnx/read.hpp>

namespace lpt::inline LPT_ABI {

/// Reads a network in the format of ONNX.
///
/// `path`: the model, with the standard operators of versions 7 to 28; `external_data_anywhere`: tensors may lie in files outside the model's folder,
/// too. Weights are not copied: they stay windows on the mapped files. Operators become operations of the library; what it has no operation for is composed
/// of several. QuantizeLinear becomes FakeQuantize, and what a DequantizeLinear of the same scale and zero point reads is real numbers again.
/// Raises an error that names the file, node and byte, and what was expected there, for everything that is not a network or has operators, versions or element
/// types that are not supported.
template <compiled = once>
[[gnu::noinline]] graph import_onnx(const std::string& path, bool external_data_anywhere = false) {
    const mapped_file file(path.c_str());
    const char* const first = reinterpret_cast<const char*>(file.data());
    const text_view name(path.c_str());
    try {
        const onnx::model_description model = onnx::read_model(onnx::message({first, file.size()}, first));
        if (!model.has_graph) {
            fail({"is not a model: it has no graph"});
        }
        onnx::external_files others(path, external_data_anywhere);
        onnx::session shared(file, others, model, &onnx::find_operator);
        return onnx::graph_reader(shared, nullptr, 0, path).read_model(model.graph);
    } catch (const error& raised) {
        if (raised.message().view().starts_with(name)) {
            throw;
        }
        fail({name, ": ", raised.message()});
    }
}

#ifdef LPT_COMPILED_IMPORT
LPT_COMPILED_IMPORT template graph import_onnx<>(const std::string&, bool);
#endif

}  // namespace lpt::inline LPT_ABI
