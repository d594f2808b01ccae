// SPDX-License-Identifier: Apache-2.0
// Plans that the build wrote, for each instruction set of this machine (lpt_test_plans in tests/CMakeLists.txt).
#include <embedded_plans.hpp>

#include "../support/embedded_networks.hpp"
#include "examples/embed/executor.hpp"

#include <lpt/import/openvino_ir.hpp>
#include <lpt/lpt.hpp>
#include <lpt/target/cpu_x86.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <tuple>

using namespace lpt;
using namespace lpt::testing;

namespace {

// ---- What does not fit does not compile ----

template <class Network, class... Values>
concept runs_with = requires(static_executor<Network>& net, Values&... values) { net.run(values...); };

static_assert(runs_with<digits_scalar, float[64], float[10]>);
static_assert(runs_with<digits_scalar, const std::array<float, 64>, std::array<float, 10>>);
static_assert(runs_with<digits_scalar, std::span<const float, 64>, std::span<float, 10>>);
static_assert(!runs_with<digits_scalar, float[64]>);
static_assert(!runs_with<digits_scalar, float[64], float[10], float[10]>);
static_assert(!runs_with<digits_scalar, float[63], float[10]>);
static_assert(!runs_with<digits_scalar, float[64], float[11]>);
static_assert(!runs_with<digits_scalar, double[64], float[10]>);
static_assert(!runs_with<digits_scalar, float[64], const float[10]>);
static_assert(!runs_with<digits_scalar, std::vector<float>, float[10]>);
static_assert(!runs_with<digits_scalar, float*, float[10]>);

// ---- Comparison with the dynamic executor ----

using outputs = std::vector<std::vector<std::byte>>;

template <class Network, class... In, class... Out, std::size_t... I, std::size_t... O>
void run_with(static_executor<Network>& net, const std::vector<tensor>& from, outputs& to, embedded::ports<In...>,
              embedded::ports<Out...>, std::index_sequence<I...>, std::index_sequence<O...>) {
    net.run(std::span<const typename In::element, In::count>(
                reinterpret_cast<const typename In::element*>(from[I].data()), In::count)...,
            std::span<typename Out::element, Out::count>(reinterpret_cast<typename Out::element*>(to[O].data()),
                                                         Out::count)...);
}

/// The same bits as the dynamic executor, run by run.
template <class Network>
void check_run(static_executor<Network>& net, executable& dynamic, const std::vector<tensor>& inputs) {
    const std::vector<tensor> expected = dynamic.run(inputs);
    REQUIRE(expected.size() == Network::outputs::count);
    outputs results;
    for (const tensor& each : expected) {
        results.emplace_back(each.size_in_bytes(), std::byte{0xA5});
    }
    run_with(net, inputs, results, typename Network::inputs(), typename Network::outputs(),
             std::make_index_sequence<Network::inputs::count>(), std::make_index_sequence<Network::outputs::count>());
    for (std::size_t i = 0; i < results.size(); ++i) {
        CAPTURE(i);
        CHECK(std::memcmp(results[i].data(), expected[i].data(), results[i].size()) == 0);
    }
}

/// Inputs of other values each time.
std::vector<tensor> inputs_of(const executable& net, int round) {
    std::vector<tensor> result;
    for (const plan::port& each : net.inputs()) {
        result.push_back(numbers(each.type, each.dimensions, -3 - round, 0.3713 + 0.1 * round, 12));
    }
    return result;
}

template <class Network>
executable dynamic_of(const graph& model) {
    compile_options options;
    options.instruction_set = Network::isa::value;
    return compile(model, options);
}

template <class Network>
void check_rounds(const graph& model) {
    CAPTURE(kernel::name_of(Network::isa::value));
    executable dynamic = dynamic_of<Network>(model);
    static static_executor<Network> net;
    CHECK(Network::arena_bytes >= dynamic.plan().arena_bytes);
    for (int round = 0; round < 3; ++round) {
        CAPTURE(round);
        check_run(net, dynamic, inputs_of(dynamic, round));
    }
    net.reset();
    dynamic.reset();
    check_run(net, dynamic, inputs_of(dynamic, 3));
}

template <class... Networks>
void check_all(std::tuple<Networks...>*, const graph& model) {
    (check_rounds<Networks>(model), ...);
}

// ---- The digits ----

std::string digits_file(const char* name) { return std::string(LPT_EXAMPLE_DATA_DIR "/digits/") + name; }

graph transformed_digits() {
    graph model = import_openvino_ir(digits_file("model.xml"));
    prepare(model);
    const target where = cpu_x86;
    run_pipeline(model, where.restrictions, where.options);
    return model;
}

std::vector<tensor> digits_images() {
    std::ifstream file(digits_file("in0.npy"), std::ios::binary);
    file.ignore(128);
    std::vector<tensor> result;
    float image[64];
    while (file.read(reinterpret_cast<char*>(image), sizeof image)) {
        tensor_builder value(f32, shape{1, 1, 8, 8});
        std::memcpy(value.data(), image, sizeof image);
        result.push_back(value.finish());
    }
    return result;
}

template <class Network>
void check_digits(const graph& model, const std::vector<tensor>& images) {
    CAPTURE(kernel::name_of(Network::isa::value));
    executable dynamic = dynamic_of<Network>(model);
    static static_executor<Network> net;
    for (const tensor& each : images) {
        check_run(net, dynamic, {each});
    }
}

template <class... Networks>
void check_all_digits(std::tuple<Networks...>*, const graph& model, const std::vector<tensor>& images) {
    (check_digits<Networks>(model, images), ...);
}

}  // namespace

TEST_CASE("The digits network gives the bits of the dynamic executor, on every instruction set") {
    const std::vector<tensor> images = digits_images();
    REQUIRE(images.size() == 500);
    check_all_digits(static_cast<digits_plans*>(nullptr), transformed_digits(), images);
}

TEST_CASE("Convolutions, pooling, tables, residuals and concatenations give the bits of the dynamic executor") {
    check_all(static_cast<embedded_image_plans*>(nullptr), embedded_image());
}

TEST_CASE("Convolutions of few channels a group give the bits of the dynamic executor") {
    check_all(static_cast<embedded_groups_plans*>(nullptr), embedded_groups());
}

TEST_CASE("Parts of rows that are read and written where the whole lies give the bits of the dynamic executor") {
    check_all(static_cast<embedded_parts_plans*>(nullptr), embedded_parts());
}

TEST_CASE("Functions that read and write rows of wider tensors give the bits of the dynamic executor") {
    check_all(static_cast<embedded_rows_plans*>(nullptr), embedded_rows());
}

TEST_CASE("Matrix products, reductions and normalizations give the bits of the dynamic executor") {
    check_all(static_cast<embedded_matrix_plans*>(nullptr), embedded_matrix());
}

TEST_CASE("Moved elements, broadcasts and states give the bits of the dynamic executor") {
    check_all(static_cast<embedded_movement_plans*>(nullptr), embedded_movement());
}

TEST_CASE("Between them the networks have every step") {
    std::vector<bool> seen(std::variant_size_v<plan::step_work>, false);
    for (const graph& model : {embedded_image(), embedded_matrix(), embedded_movement()}) {
        const executable net = dynamic_of<digits_scalar>(model);
        for (const plan::step& each : net.plan().steps) {
            seen[each.work.index()] = true;
        }
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
        CAPTURE(i);
        const bool has_no_static_form = i == plan::step_work(plan::choice_step()).index() ||
                                        i == plan::step_work(plan::reference_step()).index() ||
                                        i == plan::step_work(plan::control_flow_step()).index() ||
                                        i == plan::step_work(plan::deferred_step()).index();
        CHECK(seen[i] != has_no_static_form);
    }
}

TEST_CASE("What a static plan has no step for is refused by name") {
    const auto header = [](const graph& model) {
        return embed::executor_header_of(model, "net", "test", kernel::isa::scalar);
    };
    graph open;
    open.result(open.add(op::relu{}, {open.parameter(f32, shape{-1, 3}, "data")}));
    CHECK_THROWS_WITH_AS(header(open), "Parameter 'data' gives f32[?,3]: a static plan is made for known shapes",
                         error);

    graph computed;
    const output_ref given = computed.parameter(f32, shape{2, 3, 1, 1}, "w");
    const node_id filtered = computed.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}},
                                          {computed.parameter(f32, shape{1, 3, 4, 4}, "x"), given});
    computed.rename(filtered, "filtered");
    computed.result(filtered);
    CHECK_THROWS_WITH_AS(header(computed),
                         "Convolution 'filtered' has weights that are computed: a static plan has no step for it",
                         error);

    graph cumulative;
    const node_id sum = cumulative.add(op::cum_sum{}, {cumulative.parameter(f32, shape{3}, "x"),
                                                       cumulative.constant(make_integer_tensor(i64, shape{}, {0}))});
    cumulative.rename(sum, "sums");
    cumulative.result(sum);
    CHECK_THROWS_WITH_AS(header(cumulative),
                         "CumSum 'sums' has no kernel for these types: a static plan has no step for it", error);

    graph half;
    half.result(half.add(op::convert{f32}, {half.parameter(f16, shape{3}, "x")}));
    CHECK_THROWS_WITH_AS(header(half), "input 0 'x' has the type f16, for which C++ has none", error);
}
