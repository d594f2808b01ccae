// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/import/network_file.hpp"
#include "tests/import/onnx_file.hpp"
#include "tests/support/reference.hpp"

#include <lpt/import/import.hpp>

#include <string>
#include <utility>
#include <vector>

/// What models give that tests write themselves.
namespace lpt::testing::onnx_file {

using values = std::vector<double>;

inline lpt::graph import_content(const std::string& content) {
    const lpt::testing::temporary_folder folder;
    return lpt::import(folder.write("net.onnx", content));
}
inline std::vector<values> results_of(const std::string& content, const std::vector<tensor>& inputs) {
    std::vector<values> all;
    for (const tensor& each :
         reference::evaluate<float>(import_content(content), view<tensor>(inputs.data(), inputs.size()))) {
        all.emplace_back();
        for (std::size_t i = 0; i < each.elements(); ++i) {
            all.back().push_back(each.real(i));
        }
    }
    return all;
}
inline tensor floats_of(shape dimensions, const values& numbers_of) {
    return make_tensor(f32, std::move(dimensions), view<double>(numbers_of.data(), numbers_of.size()));
}
inline tensor integers_of_list(const numbers& all) { return make_indices(view<std::int64_t>(all.data(), all.size())); }
inline std::string word_attribute(const std::string& name, const std::string& given) {
    return message([&](pbf_writer& to) {
        to.add_string(1, name);
        to.add_string(4, given);
        to.add_int32(20, 3);
    });
}

}  // namespace lpt::testing::onnx_file
