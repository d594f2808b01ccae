// SPDX-License-Identifier: Apache-2.0
#include "network_file.hpp"

#include <lpt/import/import.hpp>

lpt::graph read_network_file(const std::string& path, bool external_data_anywhere, const std::string& signature) {
    return lpt::import(path, {.external_data_anywhere = external_data_anywhere, .signature = signature});
}

namespace {

lpt::file_format format_of_file(const std::string& path) {
    const lpt::mapped_file file(path.c_str());
    return lpt::format_of({reinterpret_cast<const char*>(file.data()), file.size()});
}

}  // namespace

bool is_tflite_file(const std::string& path) { return format_of_file(path) == lpt::file_format::tflite; }

std::string kind_of_file(const std::string& path) {
    switch (format_of_file(path)) {
        case lpt::file_format::openvino_ir: return "an OpenVINO IR document";
        case lpt::file_format::onnx: return "an ONNX model";
        case lpt::file_format::tflite: return "a TFLite model";
        case lpt::file_format::unknown: break;
    }
    return {};
}
