// SPDX-License-Identifier: Apache-2.0
// The report for people: all rows, or what fits a terminal.
#pragma once

#include "summary.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace lpt::run {

inline std::string joined(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& each : words) {
        result += (result.empty() ? "" : ",") + each;
    }
    return result;
}

/// Words of a file without what a terminal would take for commands.
inline std::string printable(std::string words) {
    std::replace_if(
        words.begin(), words.end(), [](char each) { return static_cast<unsigned char>(each) < 0x20 || each == 0x7F; },
        '?');
    return words;
}

/// How many characters stdout's terminal has in a line; 0 if it is none.
inline int terminal_width() {
    winsize size{};
    if (isatty(STDOUT_FILENO) == 0) {
        return 0;
    }
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

/// True for the first byte of a character of UTF-8.
inline bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

inline std::size_t characters(const std::string& words) {
    return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), begins_character));
}

/// Words of at most `room` characters (>= 1): the beginning and the end, with an ellipsis between them.
inline std::string shortened(const std::string& words, std::size_t room) {
    const std::size_t count = characters(words);
    if (count <= room) {
        return words;
    }
    const std::size_t head = room / 2;
    const std::size_t tail_begins = count - (room - 1 - head);
    std::string result;
    std::size_t at = 0;  // characters so far
    for (const char each : words) {
        at += begins_character(each) ? 1u : 0u;
        result += at == head + 1 && begins_character(each) ? "\u2026" : "";
        if (at <= head || at > tail_begins) {
            result += each;
        }
    }
    return result;
}

/// The kernel of an executed operation; of another one the step that computes it, or `undef` where it is gone.
inline std::string place_of(const row& each) {
    const bool is_elsewhere = each.status != "EXECUTED" && !each.step.empty();
    return is_elsewhere ? "in " + shortened(printable(each.step), 29) : each.execution_type;
}

/// Every operation: executed ones with times, the others with what they became part of.
inline void print_table(const std::vector<row>& rows) {
    std::printf("%-44s %-26s %-9s %-14s %-5s %-20s %-32s %10s %10s  %s\n", "operation", "type", "status", "role", "in",
                "takes > gives", "kernel, or step", "real us", "cpu us", "why not 8 bits");
    for (const row& each : rows) {
        const std::string what = string_of(name(each.what));
        const std::string types = joined(each.inputs) + " > " + joined(each.outputs);
        std::printf("%-44s %-26s %-9s %-14s %-5s %-20s %-32s %10.1f %10.1f  %s\n", printable(each.name).c_str(),
                    each.type.c_str(), each.status.c_str(), what.c_str(), each.precision.c_str(), types.c_str(),
                    place_of(each).c_str(), each.real_us, each.cpu_us, printable(each.reason).c_str());
    }
}

/// Reasons under a heading, each with how many operations it is of and their types.
inline void print_reasons(const char* heading, const std::vector<reason_group>& groups, std::size_t width) {
    if (!groups.empty()) {
        std::printf("\n%s:\n", heading);
    }
    const std::size_t room = std::max<std::size_t>(width, 20) - 8;
    for (const reason_group& each : groups) {
        std::string types;
        for (const auto& [type, count] : each.types) {
            types += (types.empty() ? "" : ", ") + std::to_string(count) + " " + type;
        }
        std::printf("%5zu \u00d7 %s\n        %s\n", each.count, shortened(each.reason, room).c_str(),
                    shortened(types, room).c_str());
    }
}

/// Type and name of the operation that a step is named after, and how many others it computes, in at most `room` characters.
inline std::string label_of(const row& each, std::size_t room) {
    const std::string more = each.fused.empty() ? "" : " +" + std::to_string(each.fused.size());
    const std::string name = each.type + (each.name.empty() ? "" : " " + each.name) + (each.added ? " (added)" : "");
    return shortened(printable(name), room - more.size()) + more;
}

/// The steps that ran, each with its share of the time, and the reasons, in lines of at most `width` characters (80 or more).
inline void print_steps(const std::vector<row>& rows, std::size_t width) {
    const double all_us = summary_of(rows).all_us;
    std::size_t kernels = 6;
    for (const row& each : rows) {
        kernels = std::max(kernels, std::min<std::size_t>(each.execution_type.size(), 28));
    }
    const std::size_t fixed = 6 + 1 + 9 + 1 + 6 + 1 + kernels + 1;
    const std::size_t room = std::max<std::size_t>(width, fixed + 16) - fixed;
    std::printf("%6s %9s %-6s %-*s %s\n", "share", "us", "in", static_cast<int>(kernels), "kernel", "operation");
    for (const row& each : rows) {
        if (each.status != "EXECUTED") {
            continue;
        }
        const std::string types =
            each.precision + (each.what == role::quantization && !each.outputs.empty() ? ">" + each.outputs[0] : "");
        const std::string kernel = shortened(each.execution_type, kernels);
        std::printf("%5.1f%% %9.1f %-6s %s%*s %s\n", all_us > 0 ? 100 * each.own_us / all_us : 0, each.own_us,
                    types.c_str(), kernel.c_str(), static_cast<int>(kernels - characters(kernel)), "",
                    label_of(each, room).c_str());
    }
    print_reasons("not on integers", reasons_of(rows, false), width);
    print_reasons("behind kernels on integers, in their epilogues", reasons_of(rows, true), width);
    std::printf("\n");
}

}  // namespace lpt::run
