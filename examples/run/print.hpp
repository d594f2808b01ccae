// SPDX-License-Identifier: Apache-2.0
// The report for people: all rows, or what fits a terminal.
#pragma once

#include "summary.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <sstream>

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
    return is_elsewhere ? "in " + printable(each.step) : each.execution_type;
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

/// Pieces with a space between them, in lines of at most `room` characters; a line breaks inside of no piece, but for one that is longer than a
/// line, which is shortened.
inline std::vector<std::string> wrapped(const std::vector<std::string>& pieces, std::size_t room) {
    std::vector<std::string> lines;
    for (const std::string& each : pieces) {
        const std::string piece = shortened(each, room);
        if (lines.empty() || characters(lines.back()) + 1 + characters(piece) > room) {
            lines.push_back(piece);
        } else {
            lines.back() += " " + piece;
        }
    }
    return lines;
}
inline std::vector<std::string> words_in(const std::string& sentence) {
    std::istringstream stream(sentence);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// Prints a sentence in lines of at most `width` characters, the first one behind `first` spaces, others behind `later`; as one line where
/// `width` is 0.
inline void print_wrapped(const std::string& sentence, std::size_t width, std::size_t first = 0,
                          std::size_t later = 4) {
    const std::size_t room = std::max<std::size_t>(width, later + 20) - later;
    const std::vector<std::string> lines =
        width == 0 ? std::vector<std::string>{sentence} : wrapped(words_in(sentence), room);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::printf("%s%s\n", std::string(i == 0 ? first : later, ' ').c_str(), lines[i].c_str());
    }
}

/// Reasons under a heading, each with how many operations it is of and their types.
inline void print_reasons(const char* heading, const std::vector<reason_group>& groups, std::size_t width) {
    if (!groups.empty()) {
        std::printf("\n%s:\n", heading);
    }
    const std::size_t room = std::max<std::size_t>(width, 20) - 8;
    for (const reason_group& each : groups) {
        std::vector<std::string> types;
        for (const auto& [type, count] : each.types) {
            types.push_back(std::to_string(count) + " " + type + (types.size() + 1 < each.types.size() ? "," : ""));
        }
        const std::vector<std::string> lines = wrapped(words_in(each.reason), room);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const std::string front = i == 0 ? std::to_string(each.count) + " \u00d7 " : "";
            std::printf("%s%s%s\n", std::string(8 - std::min<std::size_t>(8, characters(front)), ' ').c_str(),
                        front.c_str(), lines[i].c_str());
        }
        for (const std::string& line : wrapped(types, room - 2)) {
            std::printf("          %s\n", line.c_str());
        }
    }
}

/// How many other operations a step computes, and whether it is of the original network.
inline std::string remark_of(const row& each) {
    return (each.added ? " (added)" : "") + (each.fused.empty() ? "" : " +" + std::to_string(each.fused.size()));
}

/// Type and name of the operation that a step is named after, and the remark, in at most `room` characters: the type is whole where it fits, and
/// the name, where little of it would be left, is not there.
inline std::string label_of(const row& each, std::size_t room) {
    constexpr std::size_t least_name = 5;
    const std::string remark = remark_of(each);
    const std::size_t left = room - std::min(room - 1, characters(remark));
    const std::string type = shortened(printable(each.type), left);
    const std::size_t behind = left - characters(type);
    const std::string name = printable(each.name);
    const bool has_room = behind > std::min(least_name, characters(name));
    return type + (has_room && !name.empty() ? " " + shortened(name, behind - 1) : "") + remark;
}

/// The kernel of a step without the instruction set, which all of them have.
inline std::string short_kernel(const row& each, const std::string& instruction_set) {
    std::string result = each.execution_type;
    const std::size_t at = instruction_set.empty() ? std::string::npos : result.find("_" + instruction_set);
    return at == std::string::npos ? result : result.erase(at, instruction_set.size() + 1);
}

/// What a step computes in; of a quantization what it makes, too.
inline std::string types_of(const row& each) {
    return each.precision + (each.what == role::quantization && !each.outputs.empty() ? ">" + each.outputs[0] : "");
}

/// Widths of the columns of a table of steps: as wide as what is in them, kernels at the cost of nothing else.
struct step_columns {
    std::size_t types = 6;
    std::size_t kernels = 6;
    std::size_t operations = 16;

    step_columns(const std::vector<row>& rows, const std::string& instruction_set, std::size_t width) {
        for (const row& each : rows) {
            if (each.status == "EXECUTED") {
                types = std::max(types, characters(types_of(each)));
                kernels = std::max(kernels, characters(short_kernel(each, instruction_set)));
                operations = std::max(operations, characters(each.type) + characters(remark_of(each)));
            }
        }
        const std::size_t others = 6 + 1 + 9 + 1 + types + 1 + 1;
        const std::size_t room = std::max(width, others + 22) - others;
        kernels = std::min({kernels, std::size_t{28}, std::max(room, operations + 6) - operations});
        operations = room - std::min(room - 1, kernels);
    }
};

/// The steps that ran, each with its share of the time, and the reasons, in lines of at most `width` characters (80 or more).
inline void print_steps(const std::vector<row>& rows, std::size_t width, const std::string& instruction_set = {}) {
    const double all_us = summary_of(rows).all_us;
    const step_columns columns(rows, instruction_set, width);
    const auto padding = [](const std::string& words, std::size_t column) {
        return std::string(column - std::min(column, characters(words)), ' ');
    };
    std::printf("%6s %9s in%s kernel%s operation\n", "share", "us", padding("in", columns.types).c_str(),
                padding("kernel", columns.kernels).c_str());
    for (const row& each : rows) {
        if (each.status != "EXECUTED") {
            continue;
        }
        const std::string types = types_of(each);
        const std::string kernel = shortened(short_kernel(each, instruction_set), columns.kernels);
        std::printf("%5.1f%% %9.1f %s%s %s%s %s\n", all_us > 0 ? 100 * each.own_us / all_us : 0, each.own_us,
                    types.c_str(), padding(types, columns.types).c_str(), kernel.c_str(),
                    padding(kernel, columns.kernels).c_str(), label_of(each, columns.operations).c_str());
    }
    print_reasons("not on integers", reasons_of(rows, false), width);
    print_reasons("behind kernels on integers, in their epilogues", reasons_of(rows, true), width);
    std::printf("\n");
}

}  // namespace lpt::run
