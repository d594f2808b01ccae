// SPDX-License-Identifier: Apache-2.0
// Runs a network whose plan is known to the compiler: no heap, no exceptions, no choice at run time. Needs no SIMD: the steps are compiled
// in one translation unit, for one instruction set (lpt/embedded/run.hpp).
#pragma once

#include <lpt/embedded/plan.hpp>

#include <span>

namespace lpt::inline LPT_ABI::embedded {

/// Memory of a run. `set[i]`: state i was written since the last reset.
struct memory {
    std::byte* arena = nullptr;
    std::byte* states = nullptr;
    bool* set = nullptr;
    const void* const* inputs = nullptr;
    void* const* outputs = nullptr;
};

/// Runs all steps of a network and copies the outputs that no step writes. Defined in lpt/embedded/run.hpp, compiled once for a network.
template <class Isa, class Network>
void run_network(const memory& where) noexcept;

/// The memory of a network, and `run` with one parameter for each input and output.
template <class Network, class Inputs, class Outputs>
class executor_of;

template <class Network, class... Inputs, class... Outputs>
class executor_of<Network, ports<Inputs...>, ports<Outputs...>> {
    static constexpr std::size_t at_least_one(std::size_t size) { return size == 0 ? 1 : size; }

    // Kernels may read a little past the end of what they are given.
    alignas(64) std::byte arena_[at_least_one(Network::arena_bytes)];
    alignas(64) std::byte states_[at_least_one(Network::state_bytes)] = {};
    bool set_[at_least_one(Network::state_count)] = {};

public:
    /// Memory for intermediate tensors is left as it is, so that an executor that lies in static memory costs the program no bytes.
    executor_of() noexcept {}
    executor_of(const executor_of&) = delete;
    executor_of& operator=(const executor_of&) = delete;

    /// Runs the network once.
    ///
    /// Each input and output is an array, std::array or std::span of exactly its elements and type; anything else does not compile. Elements
    /// are in the order of the tensor's axes. Outputs may overlap neither inputs nor one another. The processor must have the instruction set
    /// `Network::isa`. Not from two threads at once: each takes an executor of its own.
    void run(std::span<const typename Inputs::element, Inputs::count>... inputs,
             std::span<typename Outputs::element, Outputs::count>... outputs) noexcept {
        const void* const from[] = {static_cast<const void*>(inputs.data())..., nullptr};
        void* const to[] = {static_cast<void*>(outputs.data())..., nullptr};
        run_network<typename Network::isa, Network>({arena_, states_, set_, from, to});
    }

    /// All states begin anew, as zeros or with what the network gives them.
    void reset() noexcept {
        for (std::byte& each : states_) {
            each = std::byte{0};
        }
        for (bool& each : set_) {
            each = false;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::embedded

namespace lpt::inline LPT_ABI {

/// Runs a network of `lpt_embed --executor`; all its memory lies in the object: `Network::arena_bytes` for intermediate tensors and
/// `Network::state_bytes` for what lives from run to run. See `run` and `reset` of its base.
///
///     static lpt::static_executor<digits> network;
///     network.run(image, logits);   // float image[64], logits[10]
template <class Network>
class static_executor : public embedded::executor_of<Network, typename Network::inputs, typename Network::outputs> {
    static_assert(Network::plan_format == embedded::plan_format, "made by another version of lpt_embed: make it again");
};

}  // namespace lpt::inline LPT_ABI
