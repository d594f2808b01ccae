// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

/// ONNX models that tests write themselves.
namespace lpt::testing::onnx_file {

using protozero::pbf_writer;
using words = std::vector<std::string>;
using numbers = std::vector<std::int64_t>;

inline constexpr std::int64_t float_type = 1;
inline constexpr std::int64_t u8_type = 2;
inline constexpr std::int64_t i8_type = 3;
inline constexpr std::int64_t i64_type = 7;

/// Fills a message with `fill(writer)`.
template <class Fill>
std::string message(const Fill& fill) {
    std::string content;
    pbf_writer writer(content);
    fill(writer);
    return content;
}

inline std::string value(const std::string& name, const numbers& dimensions, std::int64_t type = float_type) {
    const std::string shape = message([&](pbf_writer& to) {
        for (const std::int64_t size : dimensions) {
            to.add_message(1, message([&](pbf_writer& one) { one.add_int64(1, size); }));
        }
    });
    const std::string tensor = message([&](pbf_writer& to) {
        to.add_int32(1, static_cast<std::int32_t>(type));
        to.add_message(2, shape);
    });
    return message([&](pbf_writer& to) {
        to.add_string(1, name);
        to.add_message(2, message([&](pbf_writer& kind) { kind.add_message(1, tensor); }));
    });
}

/// A tensor whose bytes are given.
inline std::string raw_tensor(const std::string& name, const numbers& dimensions, std::int64_t type,
                              const std::string& bytes) {
    return message([&](pbf_writer& to) {
        to.add_packed_int64(1, dimensions.begin(), dimensions.end());
        to.add_int32(2, static_cast<std::int32_t>(type));
        to.add_string(8, name);
        to.add_bytes(9, bytes);
    });
}
inline std::string floats(const std::string& name, const numbers& dimensions, const std::vector<float>& values) {
    return raw_tensor(name, dimensions, float_type,
                      {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}
inline std::string small(const std::string& name, const numbers& dimensions, const std::vector<int>& values,
                         std::int64_t type = u8_type) {
    std::string content;
    for (const int each : values) {
        content += static_cast<char>(each);
    }
    return raw_tensor(name, dimensions, type, content);
}

inline std::string integer(const std::string& name, std::int64_t number) {
    return message([&](pbf_writer& to) {
        to.add_string(1, name);
        to.add_int64(3, number);
        to.add_int32(20, 2);
    });
}
inline std::string list(const std::string& name, const numbers& values) {
    return message([&](pbf_writer& to) {
        to.add_string(1, name);
        to.add_packed_int64(8, values.begin(), values.end());
        to.add_int32(20, 7);
    });
}
inline std::string make_node(const std::string& type, const words& inputs, const words& outputs,
                             const words& attributes = {}, const std::string& domain = {}) {
    return message([&](pbf_writer& to) {
        for (const std::string& each : inputs) {
            to.add_string(1, each);
        }
        for (const std::string& each : outputs) {
            to.add_string(2, each);
        }
        to.add_string(3, outputs.empty() ? type : outputs[0]);
        to.add_string(4, type);
        for (const std::string& each : attributes) {
            to.add_message(5, each);
        }
        to.add_string(7, domain);
    });
}

struct parts {
    words nodes;
    words initializers;
    words inputs;
    words outputs;

    std::string content() const {
        return message([&](pbf_writer& to) {
            const std::pair<protozero::pbf_tag_type, const words*> lists[] = {
                {1, &nodes}, {5, &initializers}, {11, &inputs}, {12, &outputs}};
            for (const auto& [field, all] : lists) {
                for (const std::string& each : *all) {
                    to.add_message(field, each);
                }
            }
        });
    }
};

inline std::string operator_set(std::int64_t version, const std::string& domain = {}) {
    return message([&](pbf_writer& to) {
        to.add_string(1, domain);
        to.add_int64(2, version);
    });
}
inline std::string make_model(const parts& of, std::int64_t version = 21, const words& functions = {}) {
    return message([&](pbf_writer& to) {
        to.add_int64(1, 8);
        to.add_message(8, operator_set(version));
        to.add_message(7, of.content());
        for (const std::string& each : functions) {
            to.add_message(25, each);
        }
    });
}

}  // namespace lpt::testing::onnx_file
