// SPDX-License-Identifier: Apache-2.0
// lpt_conformance [--list] [--print CASE]… [--answers FILE] PATH…
//
// Runs every case of the given .jsonl files, or of all such files in the given folders. Of cases of transformations it compares the
// resulting graph with the right one; of those with a TensorFlow Lite model (`model`) the bytes that it computes, or the rules of the
// 8-bit specification that it breaks. Prints `SUITE passed/total` a line and last `N passed, N failed`. Exit status: 0 only if there were
// cases and none failed, 2 for a wrong command line.
//   --list           also a line for each case that failed, with the first difference (right answer first)
//   --print CASE     only this case: its graph before, our answer, the right answer
//   --answers FILE   also writes the answers, a case a line

#include "conformance/case_runner.hpp"
#include "conformance/judge.hpp"
#include "conformance/readable.hpp"
#include "conformance/tflite_case.hpp"
#include "standard_output.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

namespace {

using lpt::conformance::json;

struct command_line {
    bool list = false;
    std::set<std::string> print;
    std::string answers;
    std::vector<std::filesystem::path> paths;
};

struct score {
    std::size_t passed = 0;
    std::size_t total = 0;
};

constexpr const char* usage = "usage: lpt_conformance [--list] [--print CASE]... [--answers FILE] PATH...\n";
constexpr const char* help =
    "Runs recorded cases and compares what the library gives with the right answers: a line `SUITE passed/total` each, "
    "and a sum.\n"
    "PATH...          .jsonl files, or folders of them\n"
    "--list           also a line for each case that failed, with the first difference\n"
    "--print CASE     only this case: its graph before, the library's answer, the right answer\n"
    "--answers FILE   also writes the answers, a case a line\n"
    "Exit status: 0 none failed; 1 some did, a path has no case, or something cannot be read or written; 2 a wrong "
    "command line.\n";

bool read_command_line(int count, char** words, command_line& result) {
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--list") {
            result.list = true;
        } else if ((word == "--print" || word == "--answers") && i + 1 < count) {
            if (word == "--print") {
                result.print.insert(words[++i]);
            } else {
                result.answers = words[++i];
            }
        } else if (word.rfind("--", 0) == 0) {
            return false;
        } else {
            result.paths.emplace_back(word);
        }
    }
    return !result.paths.empty();
}

/// The file that a path names, or the .jsonl files in the folder that it names, by name.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) {
        return {path};
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (entry.path().extension() == ".jsonl") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Runs one case. Gives the first difference to the right answer or the error that was raised; empty: it passed.
std::string run(const json& conformance_case, json& answer) {
    try {
        if (conformance_case.contains("model")) return lpt::conformance::run_tflite_case(conformance_case);
        answer = lpt::conformance::run_case(conformance_case);
        return lpt::conformance::compare_graphs(conformance_case.at("after"), answer, conformance_case.at("compare"));
    } catch (const std::exception& raised) {
        return std::string("error: ") + raised.what();
    }
}

void print_case(const json& conformance_case, const json& answer, const std::string& difference) {
    std::cout << conformance_case.at("case").get<std::string>() << '\n';
    lpt::conformance::print_settings(std::cout, conformance_case);
    std::cout << "before:\n";
    lpt::conformance::print_graph(std::cout, conformance_case.at("before"));
    std::cout << "our answer:\n";
    lpt::conformance::print_graph(std::cout, answer);
    std::cout << "right answer:\n";
    lpt::conformance::print_graph(std::cout, conformance_case.at("after"));
    std::cout << "first difference: " << (difference.empty() ? "none" : difference) << "\n\n";
}

struct session {
    command_line settings;
    std::ofstream answers;
    score all;
    std::size_t cases = 0;  // also those that were not asked for

    void run_line(const std::string& line, const std::string& place, std::map<std::string, score>& suites) {
        json conformance_case;
        std::string name = place;
        std::string suite = place;
        std::string difference;
        json answer = json::array();
        try {
            conformance_case = json::parse(line);
            name = conformance_case.at("case").get<std::string>();
            suite = conformance_case.at("suite").get<std::string>();
        } catch (const json::exception& broken) {
            difference = std::string("error: not a case: ") + broken.what();
        }
        ++cases;
        if (!settings.print.empty() && settings.print.count(name) == 0) {
            return;
        }
        if (difference.empty()) {
            difference = run(conformance_case, answer);
        }
        score& mine = suites[suite];
        mine.passed += difference.empty() ? 1 : 0;
        ++mine.total;
        if (settings.list && !difference.empty()) {
            std::cout << name << ' ' << difference << std::endl;
        }
        if (settings.print.count(name) != 0 && conformance_case.contains("before")) {
            print_case(conformance_case, answer, difference);
        }
        if (answers.is_open()) {
            answers << json{{"case", name}, {"after", answer}} << '\n';
        }
    }

    void run_file(const std::filesystem::path& path) {
        std::ifstream file(path);
        if (!file) {
            throw std::runtime_error("cannot read " + path.string());
        }
        std::map<std::string, score> suites;
        std::string line;
        for (std::size_t number = 1; std::getline(file, line); ++number) {
            if (line.find_first_not_of(" \t\r") != std::string::npos) {
                run_line(line, path.stem().string() + ":" + std::to_string(number), suites);
            }
        }
        for (const auto& [suite, count] : suites) {
            std::cout << suite << ' ' << count.passed << '/' << count.total << std::endl;
            all.passed += count.passed;
            all.total += count.total;
        }
    }

    void run_path(const std::filesystem::path& path) {
        const std::size_t before = cases;
        for (const std::filesystem::path& file : files_of(path)) {
            run_file(file);
        }
        if (cases == before) {
            throw std::runtime_error("no case found in " + path.string() +
                                     "; expected a .jsonl file with cases, or a folder of such");
        }
    }

    /// Everything that was asked for; raises an error where there is none of it, or where answers cannot be written.
    void run_all() {
        if (!settings.answers.empty()) {
            answers.open(settings.answers);
            if (!answers) {
                throw std::runtime_error("cannot write " + settings.answers);
            }
        }
        for (const std::filesystem::path& path : settings.paths) {
            run_path(path);
        }
        if (all.total == 0) {
            throw std::runtime_error("no case " + *settings.print.begin() + " found among " + std::to_string(cases));
        }
        if (answers.is_open() && !answers.flush()) {
            throw std::runtime_error("cannot write " + settings.answers);
        }
    }
};

}  // namespace

int main(int count, char** words) {
    session current;
    if (count == 2 && (std::string(words[1]) == "--help" || std::string(words[1]) == "-h")) {
        std::cout << help << usage;
        return status_of_output("lpt_conformance", 0);
    }
    if (!read_command_line(count, words, current.settings)) {
        std::cerr << usage;
        return 2;
    }
    try {
        current.run_all();
    } catch (const std::exception& raised) {
        std::cerr << "lpt_conformance: " << raised.what() << '\n';
        return 1;
    }
    std::cout << current.all.passed << " passed, " << current.all.total - current.all.passed << " failed\n";
    return status_of_output("lpt_conformance", current.all.passed == current.all.total ? 0 : 1);
}
