// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/way.hpp"

#include "examples/ready_target.hpp"
#include "examples/run/inputs.hpp"
#include "tests/fuzz/target.hpp"

#include <lpt/lpt.hpp>
#include <lpt/optimization/optimize.hpp>
#include <lpt/pipeline/prepare.hpp>
#include <lpt/runtime.hpp>

namespace lpt::fuzz {

namespace {

constexpr double most_elements = 1 << 18;  // of all intermediate tensors together
constexpr double most_work = 1 << 22;  // multiplications and the like

/// Elements of an output as far as they are known; open sizes are 1, as the inputs of a run have them.
double elements_of(const shape& dimensions) {
    double result = 1;
    for (const dimension each : dimensions) {
        result *= each < 0 ? 1 : static_cast<double>(each);
    }
    return result;
}

/// How often each element of a node's output is worked on, at most.
double work_per_element(const graph& model, const node& each) {
    double result = 1;
    if (each.is<op::max_pool>() || each.is<op::avg_pool>()) {
        const auto& kernel = each.is<op::max_pool>() ? each.as<op::max_pool>().kernel : each.as<op::avg_pool>().kernel;
        for (const std::int64_t size : kernel) {
            result *= static_cast<double>(size);
        }
    }
    const bool multiplies = each.is<op::convolution>() || each.is<op::group_convolution>() ||
                            each.is<op::convolution_backprop_data>() ||
                            each.is<op::group_convolution_backprop_data>() || each.is<op::mat_mul>() ||
                            each.is<op::scaled_dot_product_attention>();
    for (std::size_t port = 1; multiplies && port < each.inputs(); ++port) {
        for (const dimension size : model.shape(each.input(port))) {
            result *= std::max(1.0, static_cast<double>(size));  // a window is walked without channels, too
        }
    }
    return result;
}

void add_cost(const graph& model, double times, double& elements, double& work) {
    for (const node_id id : topological_order(model)) {
        const node& each = model[id];
        double own = 0;
        for (std::size_t port = 0; port < each.outputs(); ++port) {
            own += elements_of(each.shape(port));
        }
        elements += own;
        work += times * own * work_per_element(model, each);
        for (std::size_t which = 0; which < each.bodies().size(); ++which) {
            add_cost(each.bodies()[which], 16 * times, elements, work);
        }
    }
}

/// Variables of version 3 declare no shape: what reads them is announced with that of their first value, and may have another one in
/// the next run.
bool has_undeclared_variable(const graph& model) {
    for (const node_id id : topological_order(model)) {
        if (model[id].is<op::read_value>() && model[id].version() < 6) {
            return true;
        }
    }
    return false;
}

void check_outputs(const executable& net, const std::vector<tensor>& outputs) {
    if (outputs.size() != net.outputs().size()) {
        throw finding("a run gave another number of outputs than was announced");
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const plan::port& announced = net.outputs()[i];
        shape merged = announced.dimensions;
        const bool has_type = announced.type == dynamic || announced.type == outputs[i].type();
        if (!outputs[i] || !has_type || !merge_shape(merged, outputs[i].dimensions())) {
            const text given = outputs[i] ? join({name(outputs[i].type()), outputs[i].dimensions()}) : text("nothing");
            throw finding(join({"output ", i, " of a run is ", given, ", but ", name(announced.type),
                                announced.dimensions, " was announced"})
                              .c_str());
        }
    }
}

}  // namespace

void check_graph(const graph& model, const char* maker) {
    try {
        verify(model);
    } catch (const error& raised) {
        throw finding(std::string(maker) + " gave a graph that is not in order: " + raised.what());
    }
}

bool is_small(const graph& model) {
    double elements = 0;
    double work = 0;
    add_cost(model, 1, elements, work);
    return elements <= most_elements && work <= most_work;
}

bool transform_network(graph& model, const std::string& target_name) {
    bool done = false;
    allow_errors([&] {
        prepare(model);
        done = true;
    });
    if (!done) {
        return false;
    }
    check_graph(model, "prepare");
    done = false;
    allow_errors([&] {
        const target where = ready_target(target_name);
        static_cast<void>(to_text(transform(model, where)));
        done = true;
    });
    check_graph(model, "transform");  // after an error it is as it was
    allow_errors([&] { optimize(model); });
    check_graph(model, "optimize");
    return done;
}

void run_network(const graph& model, const std::string& isa, const std::vector<std::string>& files) {
    allow_errors([&] {
        compile_options options;
        options.memory_limit = std::size_t{32} << 20;
        options.most_iterations = 1000;
        if (!isa.empty()) {
            options.instruction_set = kernel::isa_named(isa.c_str());
        }
        executable net = compile(model, options);
        const run::samples samples = run::read_samples(files, net.inputs());
        for (std::size_t i = 0; i < 2; ++i) {  // states change from run to run
            if (samples.count != 0) {
                const std::vector<tensor> outputs = net.run(samples.sample(i % samples.count));
                if (i == 0 || !has_undeclared_variable(model)) {
                    check_outputs(net, outputs);
                }
            }
        }
    });
}

}  // namespace lpt::fuzz
