// SPDX-License-Identifier: Apache-2.0
#include "network_file.hpp"

#include <lpt/import/import.hpp>

lpt::graph read_network_file(const std::string& path, bool external_data_anywhere, const std::string& signature) {
    return lpt::import(path, {.external_data_anywhere = external_data_anywhere, .signature = signature});
}

bool is_tflite_file(const std::string& path) {
    const lpt::mapped_file file(path.c_str());
    return lpt::format_of({reinterpret_cast<const char*>(file.data()), file.size()}) == lpt::file_format::tflite;
}
