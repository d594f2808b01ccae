// SPDX-License-Identifier: Apache-2.0
// The report as one HTML file without anything outside of it.
#pragma once

#include "print.hpp"

#include <sstream>

namespace lpt::run {

inline std::string escaped(const std::string& words) {
    std::string result;
    for (const char each : words) {
        switch (each) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            default: result += each;
        }
    }
    return result;
}

inline std::string css_class(const row& each) {
    if (each.status != "EXECUTED") {
        return "gone";
    }
    return each.what == role::quantization ? "quantization" : is_byte(each.precision) ? "bytes" : "real";
}

/// One row of the table; its bar shows the share of the slowest operation's time.
inline void write_row(std::ostringstream& to, const row& each, double slowest) {
    const int width = slowest > 0 ? static_cast<int>(100 * each.own_us / slowest) : 0;
    to << "<tr class=\"" << css_class(each) << "\"><td>" << escaped(each.name) << "</td><td>" << escaped(each.type)
       << "</td><td>" << each.status << "</td><td>" << escaped(each.step) << "</td><td>" << escaped(each.execution_type)
       << "</td><td>" << string_of(name(each.what)) << "</td><td>" << each.precision << "</td><td>"
       << joined(each.inputs) << "</td><td>" << joined(each.outputs) << "</td><td class=\"number\">" << each.real_us
       << "</td><td class=\"number\">" << each.cpu_us << "</td><td><div class=\"bar\" style=\"width:" << width
       << "px\"></div></td><td>" << escaped(joined(each.fused)) << "</td><td>" << escaped(each.reason)
       << "</td></tr>\n";
}

/// Reasons under a heading.
inline std::string reasons_list(const std::string& heading, const std::vector<reason_group>& groups) {
    std::string result = "<p>" + heading + "</p><ul>\n";
    for (const reason_group& each : groups) {
        result += "<li>" + std::to_string(each.count) + " &times; " + escaped(each.reason) + "</li>\n";
    }
    return result + "</ul>\n";
}

inline std::string html_of(const std::string& title, const std::vector<row>& rows, const figures& all) {
    double slowest = 0;
    for (const row& each : rows) {
        slowest = each.own_us > slowest ? each.own_us : slowest;
    }
    std::ostringstream to;
    to.precision(4);
    to << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" << escaped(title)
       << "</title><style>\n"
       << "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}td,th{padding:2px 8px;text-align:left;"
          "border-bottom:1px solid #ddd}th{position:sticky;top:0;background:#fff}.number{text-align:right}\n"
          ".bytes td:nth-child(7){background:#c9ecc9}.real td:nth-child(7){background:#f6dcb0}"
          ".quantization td:nth-child(7){background:#dde6f6}.gone{color:#888}\n"
          ".bar{height:10px;background:#5b8bd0}\n</style></head><body>\n<h1>"
       << escaped(title) << "</h1>\n<p>import " << all.import_ms << " ms, transformations " << all.transform_ms
       << " ms, plan " << all.plan_ms << " ms, run " << all.run_ms << " ms, peak memory " << all.peak_memory_bytes
       << " bytes, arithmetic: " << all.arithmetic << "</p>\n<p>" << escaped(sentence_of(summary_of(rows))) << "</p>\n"
       << reasons_list("Not on integers:", reasons_of(rows, false))
       << reasons_list("Behind kernels on integers, in their epilogues:", reasons_of(rows, true))
       << "<table><tr><th>operation</th><th>type</th><th>status</th><th>step</th><th>execution "
          "type</th><th>role</th><th>precision</th><th>inputs</th>"
          "<th>outputs</th><th>real &micro;s</th><th>CPU &micro;s</th><th></th><th>fused</th><th>why not 8 "
          "bits</th></tr>\n";
    for (const row& each : rows) {
        write_row(to, each, slowest);
    }
    to << "</table></body></html>\n";
    return to.str();
}

}  // namespace lpt::run
