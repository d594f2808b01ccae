// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

namespace bench {

/// Writes a chain of TensorIterators with a body of three layers each, as an OpenVINO IR without weights.
inline void write_bodies(const std::string& file, std::size_t operations) {
    const std::string port = "precision=\"FP32\"><dim>2</dim><dim>4</dim></port>";
    const std::string part = "precision=\"FP32\"><dim>1</dim><dim>4</dim></port>";
    const std::string body =
        "<port_map><input external_port_id=\"0\" internal_layer_id=\"0\" axis=\"0\"/>"
        "<output external_port_id=\"1\" internal_layer_id=\"2\" axis=\"0\"/></port_map><body><layers>"
        "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data element_type=\"f32\" shape=\"1,4\"/>"
        "<output><port id=\"0\" " +
        part +
        "</output></layer>"
        "<layer id=\"1\" name=\"y\" type=\"ReLU\" version=\"opset1\"><input><port id=\"0\" " +
        part + "</input><output><port id=\"1\" " + part +
        "</output></layer>"
        "<layer id=\"2\" name=\"z\" type=\"Result\" version=\"opset1\"><input><port id=\"0\" " +
        part +
        "</input></layer></layers><edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/>"
        "<edge from-layer=\"1\" from-port=\"1\" to-layer=\"2\" to-port=\"0\"/></edges></body>";
    std::ofstream xml(file);
    xml << "<?xml version=\"1.0\"?>\n<net name=\"generated\" version=\"11\">\n<layers>\n"
           "<layer id=\"0\" name=\"input\" type=\"Parameter\" version=\"opset1\"><data element_type=\"f32\" "
           "shape=\"2,4\"/><output><port id=\"1\" "
        << port << "</output></layer>\n";
    const std::size_t count = operations / 2;  // an operation in the network and one in the body
    for (std::size_t i = 1; i <= count; ++i)
        xml << "<layer id=\"" << i << "\" name=\"loop_" << i << "\" type=\"TensorIterator\" version=\"opset1\"><input>"
            << "<port id=\"0\" " << port << "</input><output><port id=\"1\" " << port << "</output>" << body
            << "</layer>\n";
    xml << "<layer id=\"" << count + 1 << "\" name=\"output\" type=\"Result\" version=\"opset1\"><input><port id=\"0\" "
        << port << "</input></layer>\n</layers>\n<edges>\n";
    for (std::size_t i = 0; i <= count; ++i)
        xml << "<edge from-layer=\"" << i << "\" from-port=\"1\" to-layer=\"" << i + 1 << "\" to-port=\"0\"/>\n";
    xml << "</edges>\n</net>\n";
}

}  // namespace bench
