// SPDX-License-Identifier: Apache-2.0
// Runs a TensorFlow Lite model operation by operation in the arithmetic that its operations carry: equal to the reference kernels to the bit.
#pragma once

#include <lpt/base/memory_errors.hpp>
#include <lpt/specified/kernels.hpp>
#include <lpt/specified/shared_memory.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lpt::inline LPT_ABI::specified {

/// Variables that live from run to run, by name.
using variables = std::map<std::string, value>;

/// What becomes of tensors that are neither inputs nor outputs of the network: those that are not alive at the same time share memory, or
/// each keeps its value until the next run.
enum class intermediates : std::uint8_t { share, keep };

namespace detail {

/// The name of the variable whose handle a tensor is.
inline std::string variable_of(const operation& op, const tflite::subgraph& net, std::int64_t handle) {
    for (const tflite::operator_info& each : net.operators) {
        if (each.code == tflite::builtin::var_handle && each.outputs.size() == 1 && each.outputs[0] == handle)
            return std::string(each.words("container").c_str()) + "/" + each.words("shared_name").c_str();
    }
    op.wrong("input 0 is no handle of a variable");
}

inline void assign(const value& from, value& to) {
    to.retype(from.type);
    copy_all(from, to, from.dimensions);
}

/// READ_VARIABLE and ASSIGN_VARIABLE; handles are resolved when the step is made.
inline step make_variable_access(const operation& op, const tflite::subgraph& net, variables& all,
                                 memory_budget& budget) {
    value* const variable = &all[variable_of(op, net, op.info().inputs.empty() ? -1 : op.info().inputs[0])];
    variable->memory = value_memory(&budget);
    if (op.code() == tflite::builtin::assign_variable) {
        return [=](const operands& run) { assign(run.in(1), *variable); };
    }
    const element type = op.type_of_output(0);
    return [=](const operands& run) {
        if (variable->type != type) fail({"the variable has no value of the type that is read"});
        assign(*variable, run.out());
    };
}

}  // namespace detail

/// The operations of one subgraph with the values of its tensors.
template <class Arithmetic>
class runnable_subgraph {
    const tflite::model* model_;
    const tflite::subgraph* net_;
    memory_budget* budget_;
    std::vector<value> values_;
    std::vector<step> steps_;
    kernel::parallel_for parallel_;
    struct of_run {
        step does;
        std::size_t index;
    };
    std::vector<of_run> of_runs_;  // in a run: without those that others do, or that do nothing

    /// Real zero: in 8 bits the zero point.
    static void clear(const tflite::tensor_info& info, value& variable) {
        const bool has_code = variable.type == i8 && info.quantized.zero_points.size() == 1;
        detail::fill(variable, has_code ? info.quantized.zero_points[0] : 0);
    }

    static void reshape(const tflite::tensor_info& info, value& variable) {
        lpt::detail::naming_memory([&] { variable.reshape(info.dimensions); },
                                   [&] { return join({"tensor '", info.name, "'"}); });
    }

    void make_value(const tflite::tensor_info& info) {
        value result;
        result.memory = value_memory(budget_);
        result.type = tflite::element_of(info.type);
        result.dimensions = info.dimensions;
        if (info.is_constant()) {
            if (!info.is_sparse && info.value.type() == result.type) result.constant = info.value.data();
        } else if (result.type != dynamic && info.is_variable) {
            reshape(info, result);
            clear(info, result);
        }
        values_.push_back(move(result));
    }

    /// Raises an error for what no kernel can read or write: sparse constants, and tensors whose type has no elements here, but for the
    /// handles of variables.
    void expect_usable(const operation& op, const tflite::tensor_info& info, const char* role,
                       std::size_t index) const {
        const bool is_handle =
            info.type == tflite::tensor_type::resource && !info.is_constant() && !info.is_variable &&
            (op.code() == tflite::builtin::var_handle || op.code() == tflite::builtin::read_variable ||
             op.code() == tflite::builtin::assign_variable);
        if (is_handle || (tflite::element_of(info.type) != dynamic && !info.is_sparse)) return;
        op.wrong(role, " ", index, " '", info.name, "' is a ", info.is_sparse ? "sparse " : "",
                 info.is_constant() ? "constant"
                 : info.is_variable ? "variable"
                                    : "tensor",
                 " of ", tflite::name(info.type), ", which has no arithmetic here");
    }
    void expect_usable(const operation& op) const {
        for (std::size_t i = 0; i < op.inputs(); ++i) {
            if (op.has_input(i)) expect_usable(op, op.input(i), "input", i);
        }
        for (std::size_t i = 0; i < op.outputs(); ++i) {
            if (op.has_output(i)) expect_usable(op, op.output(i), "output", i);
        }
    }

    step make(std::int64_t index, variables& all, const kernel::kernel_table* kernels,
              plan::zeroed_blocks& blocks) const {
        const operation op(*model_, *net_, index, kernels, parallel_, &blocks);
        expect_usable(op);
        switch (op.code()) {
            case tflite::builtin::var_handle:
            case tflite::builtin::call_once: return [](const operands&) {};  // done when the network is made
            case tflite::builtin::read_variable:
            case tflite::builtin::assign_variable: return detail::make_variable_access(op, *net_, all, *budget_);
            default: return make_step<Arithmetic>(op);
        }
    }

    /// What a run does, by operator: its step, empty where another one does it, and the place in which it is done.
    struct order_of_run {
        std::vector<step> steps;
        std::vector<std::size_t> places;
    };

    /// Operations that read each other alone are one step of a run, in the place of the last.
    order_of_run joined_steps(const kernel::kernel_table* kernels) const {
        order_of_run result{steps_, {}};
        for (std::size_t i = 0; i < steps_.size(); ++i)
            result.places.push_back(i);
        if (Arithmetic::in_single_precision) return result;  // the kernel of joined steps rounds as the reference does
        constexpr std::size_t none = ~std::size_t{0};
        std::vector<std::size_t> maker(values_.size(), none), readers(values_.size(), 0);
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            for (const std::int64_t each : net_->operators[i].outputs)
                if (each >= 0) maker[static_cast<std::size_t>(each)] = i;
            for (const std::int64_t each : net_->operators[i].inputs)
                if (each >= 0) ++readers[static_cast<std::size_t>(each)];
        }
        for (const std::int64_t each : net_->outputs)
            ++readers[static_cast<std::size_t>(each)];
        // Who makes the first input of an operation for it alone.
        const auto maker_of_input = [&](std::size_t i) {
            const auto& inputs = net_->operators[i].inputs;
            if (inputs.empty() || inputs[0] < 0 || readers[static_cast<std::size_t>(inputs[0])] != 1) return none;
            return maker[static_cast<std::size_t>(inputs[0])];
        };
        const auto at = [&](std::size_t k) {
            return operation(*model_, *net_, static_cast<std::int64_t>(k), kernels, parallel_);
        };
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const std::size_t before = maker_of_input(i);
            const std::size_t first = before == none ? none : maker_of_input(before);
            if (first == none) continue;
            step joined = make_real_prelu_chain(at(first), at(before), at(i));
            if (!joined) continue;
            for (const std::size_t each : {first, before}) {
                result.steps[each] = {};
                result.places[each] = i;
            }
            result.steps[i] = lpt::move(joined);
        }
        return result;
    }
    void set_steps_of_runs(std::vector<step> all) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const tflite::builtin code = net_->operators[i].code;
            const bool does_nothing = code == tflite::builtin::var_handle || code == tflite::builtin::call_once;
            if (all[i] && !does_nothing) of_runs_.push_back({lpt::move(all[i]), i});
        }
    }

    /// The lifetime of each tensor that only operators write and read: for operators one by one, and for a run, where joined ones read later.
    std::vector<lifetime> lifetimes(const std::vector<std::size_t>& places) const {
        std::vector<lifetime> result(values_.size());
        const auto for_each_tensor = [](const std::vector<std::int64_t>& tensors, const auto& f) {
            for (const std::int64_t each : tensors)
                if (each >= 0) f(static_cast<std::size_t>(each));
        };
        for (std::size_t i = places.size(); i-- > 0;) {
            for_each_tensor(net_->operators[i].outputs, [&](std::size_t each) {
                const shape& of = net_->tensors[each].dimensions;
                const bool is_known = values_[each].type != dynamic && of.is_possible() && !of.is_dynamic();
                if (!is_known || values_[each].constant != nullptr || net_->tensors[each].is_variable) return;
                result[each].bytes = byte_size(values_[each].type, of.elements());
                result[each].first = i;
                result[each].reach(places[i]);
            });
            for_each_tensor(net_->operators[i].inputs, [&](std::size_t each) { result[each].reach(places[i]); });
        }
        for (const auto* ports : {&net_->inputs, &net_->outputs})
            for_each_tensor(*ports, [&](std::size_t each) { result[each].bytes = 0; });
        return result;
    }
    /// Memory that tensors share; null where it cannot be had.
    static std::shared_ptr<plan::zeroed_memory> shared_block(std::size_t size, plan::zeroed_blocks& blocks) {
#if LPT_THROWS
        try {
            return std::make_shared<plan::zeroed_memory>(blocks.take(size));
        } catch (const memory_error&) {
            return nullptr;
        }
#else
        return std::make_shared<plan::zeroed_memory>(blocks.take(size));
#endif
    }
    /// Tensors have memory of their own where sharing saves none, or where what they would share cannot be had: the step that goes too far says so.
    void share_memory(const std::vector<std::size_t>& places, plan::zeroed_blocks& blocks) {
        const std::vector<lifetime> all = lifetimes(places);
        const shared_places at = places_of(all);
        if (at.bytes >= at.bytes_apart || !budget_->has_room(at.bytes)) return;
        const auto whole = shared_block(at.bytes, blocks);
        if (!whole) return;
        budget_->exchange(0, at.bytes);
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (all[i].bytes == 0) continue;
            std::byte* const first = whole->data() + at.offsets[i];
            values_[i].memory.borrow({first, all[i].bytes, std::shared_ptr<std::byte>(whole, first)});
        }
    }

    void run_one(const step& each, std::size_t index) {
        const tflite::operator_info& info = net_->operators[index];
#if LPT_THROWS
        try {
            each(operands(info, values_));
        } catch (const error& raised) {
            operation(*model_, *net_, static_cast<std::int64_t>(index)).wrong(raised.message());
        } catch (const memory_error& raised) {
            operation(*model_, *net_, static_cast<std::int64_t>(index)).wrong(raised.what());
        }
#else
        each(operands(info, values_));
#endif
    }

public:
    runnable_subgraph(const tflite::model& model, const tflite::subgraph& net, variables& all, memory_budget& budget,
                      const kernel::kernel_table* kernels, const kernel::parallel_for& parallel, intermediates between)
        : model_(&model), net_(&net), budget_(&budget), parallel_(parallel) {
        for (const tflite::tensor_info& each : net.tensors)
            make_value(each);
        plan::zeroed_blocks blocks;  // packed weights lie together
        for (std::size_t i = 0; i < net.operators.size(); ++i)
            steps_.push_back(make(static_cast<std::int64_t>(i), all, kernels, blocks));
        order_of_run order = joined_steps(kernels);
        if (between == intermediates::share) share_memory(order.places, blocks);
        set_steps_of_runs(lpt::move(order.steps));
        for (const std::int64_t each : net.inputs)
            reshape(net.tensors[static_cast<std::size_t>(each)], values_[static_cast<std::size_t>(each)]);
    }

    const tflite::subgraph& subgraph() const { return *net_; }
    value& tensor(std::size_t index) { return values_[index]; }
    const value& tensor(std::size_t index) const { return values_[index]; }

    void reset() {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (net_->tensors[i].is_variable) clear(net_->tensors[i], values_[i]);
        }
    }

    void run_step(std::size_t index) { run_one(steps_[index], index); }

    void run() {
        for (const of_run& each : of_runs_)
            run_one(each.does, each.index);
    }
};

/// A network with its kernels: the model's first subgraph, or that of the signature that it uses. The model outlives it.
///
///     specified::network net(model);
///     net.set_input(0, bytes);
///     net.run();
///     net.output(0).data();
template <class Arithmetic>
class basic_network {
    std::unique_ptr<memory_budget> budget_;  // before the values that count in it
    std::unique_ptr<variables> variables_ = std::make_unique<variables>();
    runnable_subgraph<Arithmetic> net_;
    std::vector<runnable_subgraph<Arithmetic>> initializers_;  // what CALL_ONCE names

    void initialize() {
        for (runnable_subgraph<Arithmetic>& each : initializers_)
            each.run();
    }

public:
    /// Makes the kernels. Products and pooling run on `kernels`, with the same bits, if there are any (`kernel::table_for(kernel::best_isa())`).
    /// Raises an error that names the operation where one has no specified arithmetic, or breaks the specification
    /// in a way that leaves open what it means.
    /// `parallel` shares the work of the kernels among threads, and outlives the network. Tensors take at most
    /// `memory_limit` bytes together; an operation that needs more raises an error that names it, and both sizes.
    /// `between`: what becomes of the values of tensors between inputs and outputs.
    explicit basic_network(const tflite::model& model, const kernel::kernel_table* kernels = nullptr,
                           const kernel::parallel_for& parallel = {}, std::size_t memory_limit = SIZE_MAX,
                           intermediates between = intermediates::share)
        : budget_(std::make_unique<memory_budget>(memory_limit)),
          net_(model, model.subgraphs[model.network], *variables_, *budget_, kernels, parallel, between) {
        for (const tflite::operator_info& each : subgraph().operators) {
            if (each.code != tflite::builtin::call_once) continue;
            const std::int64_t index = each.integer("init_subgraph_index");
            if (index < 0 || index == static_cast<std::int64_t>(model.network) ||
                index >= static_cast<std::int64_t>(model.subgraphs.size()))
                fail({"CALL_ONCE: subgraph ", index});
            initializers_.emplace_back(model, model.subgraphs[static_cast<std::size_t>(index)], *variables_, *budget_,
                                       kernels, parallel, between);
        }
        initialize();
    }

    const tflite::subgraph& subgraph() const { return net_.subgraph(); }
    std::size_t inputs() const { return subgraph().inputs.size(); }
    std::size_t outputs() const { return subgraph().outputs.size(); }

    /// The value of a tensor, by its number in the file. After a run those of inputs, outputs and variables are known; of `intermediates::keep`
    /// all that an operation writes, but those between DEQUANTIZE, PRELU and QUANTIZE that are one step.
    const value& tensor(std::size_t index) const { return net_.tensor(index); }
    const value& input(std::size_t index) const { return tensor(static_cast<std::size_t>(subgraph().inputs[index])); }
    const value& output(std::size_t index) const { return tensor(static_cast<std::size_t>(subgraph().outputs[index])); }

    /// Gives an input its elements, as many bytes as its shape and type ask for.
    void set_input(std::size_t index, view<std::byte> content) {
        if (index >= inputs()) fail({"input ", index, " of a network with ", inputs()});
        value& input = net_.tensor(static_cast<std::size_t>(subgraph().inputs[index]));
        if (content.size() != input.memory.size())
            fail({"input ", index, ": ", content.size(), " bytes, expected ", input.memory.size(), " (",
                  name(input.type), input.dimensions, ")"});
        copy_bytes(input.memory.data(), content.data(), content.size());
    }

    /// Variables become what they were when the network was made: zeros, or what its initialization gives them.
    void reset() {
        net_.reset();
        for (auto& [name, each] : *variables_) {
            each = value();
            each.memory = value_memory(budget_.get());
        }
        initialize();
    }

    /// Runs one operation, right behind those before it: where tensors share memory, later ones overwrite what it reads.
    void run_step(std::size_t index) { net_.run_step(index); }

    /// Runs all operations in the order of the file.
    void run() { net_.run(); }
};

using network = basic_network<arithmetic::tflite_reference>;

}  // namespace lpt::inline LPT_ABI::specified
