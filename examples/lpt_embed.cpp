// SPDX-License-Identifier: Apache-2.0
// lpt_embed MODEL -o HEADER: a network, or its plan, as a C++ header, for programs that know it when they are compiled.
// The command line is described in docs/design.md.
#include "embed/executor.hpp"
#include "embed/header.hpp"
#include "embed/type_name.hpp"
#include "file_errors.hpp"
#include "folding_options.hpp"
#include "network_file.hpp"
#include "ready_target.hpp"
#include "standard_output.hpp"

#include <lpt/lpt.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>

namespace {

using namespace lpt;

struct arguments {
    std::string model;
    std::string output;
    std::string name;
    std::string precision = "int8";
    std::string target = "cpu_x86";
    bool follow_upstream = false;
    bool allow_external_data = false;
    folding_options folding;
    bool executor = false;
    std::string isa;
};

void read_arguments(CLI::App& app, arguments& to) {
    app.add_option("MODEL", to.model, "the network: an .onnx or .tflite file, or an .xml file with its .bin beside it")
        ->required();
    app.add_option("-o,--output", to.output, "the header")->required();
    app.add_option("--name", to.name, "the type's name; default: that of the header's file");
    app.add_option("--precision", to.precision, "int8: transformed; f32: as it is")
        ->check(CLI::IsMember({"int8", "f32"}));
    app.add_option("--target", to.target, "what to transform for")
        ->check(CLI::IsMember({"cpu_x86", "cpu_x86_amx", "cpu_arm", "gpu", "tflite", "none"}));
    app.add_flag("--follow-upstream", to.follow_upstream,
                 "give the network that OpenVINO gives, also where it is wrong");
    app.add_flag("--allow-external-data", to.allow_external_data,
                 "read tensors of an ONNX model from files outside its folder, too");
    to.folding.add_to(app);
    CLI::Option* const executor =
        app.add_flag("--executor", to.executor, "write the plan, for lpt::static_executor, instead of the network");
    app.add_option("--isa", to.isa, "the instruction set of the plan; default: the best that this processor has")
        ->needs(executor);
}

[[noreturn]] void refuse_name(const arguments& given, const std::string& name, const std::string& expected) {
    fail({"'", name.c_str(), "' is no name of a type: expected ", expected.c_str(),
          given.name.empty() ? "; give one with --name" : ""});
}

/// The name that is given, or that of the header's file without folders and ending; raises an error where that is no name for a type.
std::string type_name(const arguments& given) {
    std::string name = given.name;
    if (name.empty()) {
        name = std::filesystem::path(given.output).filename().string();
        name = name.substr(0, name.find('.'));
    }
    const std::string expected = embed::expected_of_name(name);
    if (!expected.empty()) {
        refuse_name(given, name, expected);
    }
    return name;
}

kernel::isa instruction_set(const arguments& given) {
    return given.isa.empty() ? kernel::best_isa() : kernel::isa_named(given.isa.c_str());
}

std::string header_of(const arguments& given, graph& model, const std::string& name, kernel::isa set) {
    model.set_folding_budget(given.folding.budget());
    if (given.precision == "int8") {
        prepare(model);
        target where = ready_target(given.target);
        where.options.follow_upstream_errors = given.follow_upstream;
        run_pipeline(model, where.restrictions, where.options);
    }
    const std::string source = std::filesystem::path(given.model).filename().string();
    return given.executor ? embed::executor_header_of(model, name, source, set) : embed::header_of(model, name, source);
}

void embed_network(const arguments& given) {
    const std::string name = type_name(given);
    graph model = read_network_file(given.model, given.allow_external_data);
    const kernel::isa set = instruction_set(given);
    const std::string text = naming_file(given.model, [&] { return header_of(given, model, name, set); });
    if (embed::has_member(text, name)) {
        refuse_name(given, name, "an identifier that no member of the header has");
    }
    std::ofstream file(given.output, std::ios::binary);
    file << text;
    if (!file.flush()) {
        fail({given.output.c_str(), ": cannot be written"});
    }
}

}  // namespace

int main(int count, char** words) {
    CLI::App app("Writes a quantized network as a C++ header.");
    arguments given;
    read_arguments(app, given);
    try {
        app.parse(count, words);
        lpt::detail::naming_memory([&] { embed_network(given); }, [&] { return text(given.model.c_str()); });
        if (given.precision != "int8" && app.count("--target") + app.count("--follow-upstream") != 0) {
            std::fprintf(stderr, "lpt_embed: note: --precision f32 leaves out the transformations that --target and "
                                 "--follow-upstream are about\n");
        }
    } catch (const CLI::ParseError& wrong) {
        if (wrong.get_exit_code() == 0) {
            return status_of_output("lpt_embed", app.exit(wrong));
        }
        std::fprintf(stderr, "lpt_embed: %s\n", wrong.what());
        return 1;
    } catch (const std::exception& wrong) {
        std::fprintf(stderr, "lpt_embed: %s\n", wrong.what());
        return 1;
    }
    return 0;
}
