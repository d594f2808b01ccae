// SPDX-License-Identifier: Apache-2.0
#include "tests/specified/models.hpp"

#include <lpt/specified/network.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace specified_test;

namespace {

tflite::tensor_info codes() { return tensor_of({300}, 1, 0); }

/// x + x, the sum and itself, ...; the last sum is that of the first and the one before.
tflite::model sums() {
    tflite::model model = model_of(builtin::add, {codes(), codes(), codes()});
    tflite::subgraph& net = model.subgraphs[0];
    const tflite::operator_info sum = net.operators[0];
    net.tensors.resize(6, codes());
    net.operators.clear();
    const std::int64_t ports[][3] = {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}, {3, 0, 4}, {1, 4, 5}};
    for (const auto& each : ports) {
        net.operators.push_back(sum);
        net.operators.back().inputs = {each[0], each[1]};
        net.operators.back().outputs = {each[2]};
    }
    net.inputs = {0};
    net.outputs = {5};
    return model;
}

std::vector<std::int64_t> first_of(const specified::value& tensor) {
    std::vector<std::int64_t> result = tensor.integers();
    result.resize(4);
    return result;
}

std::vector<std::int64_t> run_on(specified::network& net) {
    std::int8_t x[300] = {1, 2, -3, 4};
    net.set_input(0, view<std::byte>(reinterpret_cast<const std::byte*>(x), sizeof x));
    net.run();
    return first_of(net.output(0));
}

}  // namespace

TEST_CASE("tensors that do not live at the same time share memory") {
    const auto found = specified::places_of({{100, 0, 1}, {100, 1, 2}, {100, 2, 3}, {0, 0, 3}});
    CHECK(found.offsets[0] == found.offsets[2]);
    CHECK(found.offsets[0] != found.offsets[1]);
    CHECK(found.bytes == 2 * 192);  // with room that kernels may read
}

TEST_CASE("more memory than can be counted has no places") {
    const auto found = specified::places_of({{SIZE_MAX / 5, 0, 1}, {SIZE_MAX / 5, 2, 3}});
    CHECK(found.offsets.empty());
    CHECK(found.bytes_apart == 0);
}

TEST_CASE("tensors so small that room behind each costs more than sharing saves have memory of their own") {
    tflite::model model = sums();
    for (tflite::tensor_info& each : model.subgraphs[0].tensors)
        each.dimensions = {1};
    specified::network net(model);
    const std::int8_t x = 1;
    net.set_input(0, view<std::byte>(reinterpret_cast<const std::byte*>(&x), 1));
    net.run();
    CHECK(net.output(0).integer(0) == 7);
    CHECK(net.tensor(2).integer(0) == 3);
    CHECK(net.tensor(4).integer(0) == 5);
}

TEST_CASE("operations one by one give what a run gives") {
    const tflite::model model = sums();
    specified::network net(model);
    const std::vector<std::int64_t> expected = run_on(net);
    for (std::size_t i = 0; i < model.subgraphs[0].operators.size(); ++i)
        net.run_step(i);
    CHECK(first_of(net.output(0)) == expected);
}

TEST_CASE("a network gives the same with shared memory and without; a tensor that is read later keeps its bytes") {
    const tflite::model model = sums();
    const std::vector<std::int64_t> expected{7, 14, -21, 28};
    specified::network shared(model);
    CHECK(run_on(shared) == expected);
    CHECK(run_on(shared) == expected);
    CHECK(shared.tensor(2).data() == shared.tensor(4).data());
    CHECK(first_of(shared.tensor(1)) == std::vector<std::int64_t>{2, 4, -6, 8});
    specified::network kept(model, nullptr, {}, SIZE_MAX, specified::intermediates::keep);
    CHECK(run_on(kept) == expected);
    CHECK(first_of(kept.tensor(2)) == std::vector<std::int64_t>{3, 6, -9, 12});
    CHECK(kept.tensor(2).data() != kept.tensor(4).data());
}

TEST_CASE("shared memory counts once: a limit holds that all tensors together would break") {
    const tflite::model model = sums();
    const std::size_t three_places = 3 * 384;
    specified::network within(model, nullptr, {}, three_places + 600);  // and input and output
    CHECK(run_on(within) == std::vector<std::int64_t>{7, 14, -21, 28});
}

TEST_CASE("a tensor that becomes larger than its place has memory of its own") {
    specified::memory_budget budget(1000);
    specified::value_memory memory(&budget);
    const auto all = std::make_shared<plan::zeroed_memory>(64);
    memory.borrow({all->data(), 64, std::shared_ptr<std::byte>(all, all->data())});
    memory.resize(64);
    CHECK(memory.data() == all->data());
    CHECK(budget.has_room(1000));
    memory.resize(65);
    CHECK(memory.data() != all->data());
    CHECK_FALSE(budget.has_room(936));
    CHECK(budget.has_room(935));
}
