// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx.hpp>
#include <lpt/import/openvino_ir.hpp>
#include <lpt/import/tflite.hpp>

namespace lpt::inline LPT_ABI {

/// The formats of files that `import` tells apart.
enum class file_format { unknown, openvino_ir, onnx, tflite };

/// The format that content has by its first bytes: an XML document, a FlatBuffer with the identifier `TFL3`, or a protocol buffer that
/// begins with a field that ONNX models have.
inline file_format format_of(text_view content) {
    if (openvino_ir::looks_like_xml(content)) {
        return file_format::openvino_ir;
    }
    if (content.size() >= 8 && content.substr(4, 4) == "TFL3") {
        return file_format::tflite;
    }
    return onnx::looks_like_model(content) ? file_format::onnx : file_format::unknown;
}

/// What `import` is told besides the file.
struct import_options {
    /// Operation types of the user, which IR may name.
    op::user_operations known{};
    /// Tensors of an ONNX model may lie in files outside its folder.
    bool external_data_anywhere = false;
    /// The key of a TFLite file's signature that is the network, in place of the first subgraph.
    std::string signature{};
};

/// Reads a network from a file, whose content says its format: OpenVINO IR (`.xml`, its weights beside it), ONNX or TFLite.
///
/// Raises what `import_openvino_ir`, `import_onnx` and `import_tflite` raise, and an error for files of other formats, or where a file of a
/// format without signatures is given one.
inline graph import(const std::string& path, const import_options& given = {}) {
    const mapped_file file(path.c_str());
    const file_format format = format_of({reinterpret_cast<const char*>(file.data()), file.size()});
    if (!given.signature.empty() && format != file_format::tflite && format != file_format::unknown) {
        fail({path.c_str(), ": has no signature '", given.signature.c_str(), "': only TFLite files have signatures"});
    }
    switch (format) {
        case file_format::openvino_ir: return import_openvino_ir(path, {}, given.known);
        case file_format::onnx: return import_onnx(path, given.external_data_anywhere);
        case file_format::tflite: return import_tflite(path, given.signature);
        case file_format::unknown: break;
    }
    fail({path.c_str(), file.size() == 0 ? ": is empty" : ": unknown format",
          "; expected OpenVINO IR (an XML document), ONNX or TFLite"});
}

}  // namespace lpt::inline LPT_ABI
