// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/openvino_ir.hpp>

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

/// Networks in OpenVINO's intermediate representation that tests write themselves.
namespace lpt::testing {

/// A folder for the files of one test; it goes away with them.
class temporary_folder {
    std::filesystem::path path_;

public:
    temporary_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "lpt_import_XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() { std::filesystem::remove_all(path_); }

    std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(file(name), std::ios::binary) << content;
        return file(name);
    }
};

inline std::string dims(const std::vector<int>& sizes) {
    std::string result;
    for (const int size : sizes) {
        result += "<dim>" + std::to_string(size) + "</dim>";
    }
    return result;
}
inline std::string port(int id, const std::string& content = {}, const std::string& precision = "FP32") {
    return "<port id=\"" + std::to_string(id) + "\" precision=\"" + precision + "\">" + content + "</port>";
}
/// A layer; `rest` stands before its ports (`<data …/>`), `inputs` and `outputs` are lists of ports.
inline std::string layer(int id, const std::string& type, const std::string& name, const std::string& rest,
                         const std::string& inputs, const std::string& outputs, const std::string& opset = "opset1") {
    return "<layer id=\"" + std::to_string(id) + "\" name=\"" + name + "\" type=\"" + type + "\" version=\"" + opset +
           "\">" + rest + (inputs.empty() ? "" : "<input>" + inputs + "</input>") +
           (outputs.empty() ? "" : "<output>" + outputs + "</output>") + "</layer>\n";
}
inline std::string edge(int from, int from_port, int to, int to_port) {
    return "<edge from-layer=\"" + std::to_string(from) + "\" from-port=\"" + std::to_string(from_port) +
           "\" to-layer=\"" + std::to_string(to) + "\" to-port=\"" + std::to_string(to_port) + "\"/>\n";
}
inline std::string net(const std::string& layers, const std::string& edges) {
    return "<?xml version=\"1.0\"?>\n<net name=\"small\" version=\"11\">\n<layers>\n" + layers +
           "</layers>\n<edges>\n" + edges + "</edges>\n</net>\n";
}
template <class Value>
std::string raw(const std::vector<Value>& values) {
    std::string result(values.size() * sizeof(Value), '\0');
    std::memcpy(result.data(), values.data(), result.size());
    return result;
}

/// in [1,3] -> Add {1, 2, 3} -> Relu -> Result; the constant lies at byte 4 of the weights.
struct small_network {
    std::string parameter = layer(0, "Parameter", "in", R"(<data shape="1,3" element_type="f32"/>)", "",
                                  R"(<port id="0" precision="FP32" names="x,y\,z"><dim>1</dim><dim>3</dim></port>)");
    std::string constant = layer(1, "Const", "bias", R"(<data element_type="f32" shape="1,3" offset="4" size="12"/>)",
                                 "", port(0, dims({1, 3})));
    std::string add = layer(
        2, "Add", "sum",
        R"(<data auto_broadcast="numpy"/><rt_info><attribute name="fused_names" version="0" value="a,b"/></rt_info>)",
        port(0, dims({1, 3})) + port(1, dims({1, 3})), port(2, dims({1, 3})));
    std::string relu = layer(3, "ReLU", "positive", "", port(0, dims({1, 3})), port(1, dims({1, 3})));
    std::string result = layer(4, "Result", "out", "", port(0, dims({1, 3})), "");
    std::string edges = edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0) + edge(3, 1, 4, 0);
    std::string weights = raw<float>({-7, 1, 2, 3});

    std::string xml() const { return net(parameter + constant + add + relu + result, edges); }
    graph import() const {
        const temporary_folder folder;
        folder.write("model.bin", weights);
        return import_openvino_ir(folder.write("model.xml", xml()));
    }
    /// What the import says; empty if it succeeds.
    std::string complaint() const {
        const temporary_folder folder;
        folder.write("model.bin", weights);
        const std::string path = folder.write("model.xml", xml());
        try {
            import_openvino_ir(path);
        } catch (const error& raised) {
            std::string message = raised.what();
            for (std::size_t at = message.find(folder.file("")); at != std::string::npos;
                 at = message.find(folder.file(""))) {
                message.erase(at, folder.file("").size());
            }
            return message;
        }
        return {};
    }
};

}  // namespace lpt::testing
