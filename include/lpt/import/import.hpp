// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/openvino_ir.hpp>

namespace lpt::inline LPT_ABI {

/// The formats of files that `import` tells apart.
enum class file_format { unknown, openvino_ir };

/// The format that content has by its first bytes: an XML document.
inline file_format format_of(text_view content) {
    if (openvino_ir::looks_like_xml(content)) {
        return file_format::openvino_ir;
    }
    return file_format::unknown;
}

/// Reads a network from a file, whose content says its format: OpenVINO IR (`.xml`, its weights beside it).
///
/// `known`: operation types of the user, which IR may name. Raises what `import_openvino_ir` raises, and an error for files of other
/// formats.
inline graph import(const std::string& path, const op::user_operations& known = {}) {
    const mapped_file file(path.c_str());
    switch (format_of({reinterpret_cast<const char*>(file.data()), file.size()})) {
        case file_format::openvino_ir: return import_openvino_ir(path, {}, known);
        case file_format::unknown: break;
    }
    fail({path.c_str(), ": unknown format; expected OpenVINO IR, whose topology is an XML document"});
}

}  // namespace lpt::inline LPT_ABI
