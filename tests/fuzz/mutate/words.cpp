// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/dice.hpp"

#include <lpt/op/all.hpp>

namespace lpt::fuzz {

const std::vector<std::string>& operation_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result;
        for (int i = 0; i < op::kind_count; ++i) {
            const text_view name = op::row_of(static_cast<op::kind>(i)).name;
            result.emplace_back(name.data(), name.size());
        }
        return result;
    }();
    return names;
}

const std::vector<std::string>& other_words() {
    static const std::vector<std::string> words = {"f64",
                                                   "f32",
                                                   "f16",
                                                   "bf16",
                                                   "f8e4m3",
                                                   "f8e5m2",
                                                   "i64",
                                                   "i32",
                                                   "i16",
                                                   "i8",
                                                   "i4",
                                                   "u64",
                                                   "u32",
                                                   "u16",
                                                   "u8",
                                                   "u4",
                                                   "boolean",
                                                   "dynamic",
                                                   "true",
                                                   "false",
                                                   "explicit",
                                                   "same_upper",
                                                   "same_lower",
                                                   "valid",
                                                   "none",
                                                   "numpy",
                                                   "bidirectional",
                                                   "pdpd",
                                                   "floor",
                                                   "ceil",
                                                   "ceil_torch",
                                                   "constant",
                                                   "edge",
                                                   "reflect",
                                                   "symmetric",
                                                   "forward",
                                                   "reverse",
                                                   "nearest",
                                                   "linear",
                                                   "linear_onnx",
                                                   "cubic",
                                                   "scales",
                                                   "sizes",
                                                   "half_pixel",
                                                   "asymmetric",
                                                   "align_corners",
                                                   "depth_first",
                                                   "blocks_first",
                                                   "add",
                                                   "max",
                                                   "erf",
                                                   "tanh",
                                                   "max",
                                                   "min",
                                                   "value",
                                                   "index",
                                                   "",
                                                   "?",
                                                   "1..4",
                                                   "...",
                                                   "cpu_x86",
                                                   "gpu",
                                                   "cpu_arm",
                                                   "scalar",
                                                   "avx2"};
    return words;
}

}  // namespace lpt::fuzz
