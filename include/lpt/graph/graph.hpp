// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/folding_budget.hpp>
#include <lpt/graph/node_store.hpp>

namespace lpt::inline LPT_ABI {

/// A network: nodes, and how they are connected. A value: copies are independent, constants are shared between them.
///
/// References to nodes stay valid while nodes are added; they end when the node is removed or the graph goes away. The number of
/// a removed node means nothing any more: ask `contains` first where it may be one.
class graph {
    friend struct detail::graph_access;

    detail::node_store nodes_;
    std::uint64_t edits_ = 0;
    bool needs_verification_ = false;
    bool may_have_open_shapes_ = false;
    bool is_plain_ = true;
    folding_budget folding_;
    text name_;
    seq<node_id> parameters_;
    seq<node_id> results_;
    seq<node_id> sinks_;
    seq<node_id> perhaps_dead_;

public:
    constexpr graph() = default;
    constexpr graph(const graph& other) = default;
    constexpr graph(graph&& other) noexcept { swap(other); }
    constexpr graph& operator=(graph other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~graph() = default;
    constexpr void swap(graph& other) noexcept {
        nodes_.swap(other.nodes_);
        lpt::detail::swap_values(edits_, other.edits_);
        lpt::detail::swap_values(needs_verification_, other.needs_verification_);
        lpt::detail::swap_values(may_have_open_shapes_, other.may_have_open_shapes_);
        lpt::detail::swap_values(is_plain_, other.is_plain_);
        lpt::detail::swap_values(folding_, other.folding_);
        lpt::detail::swap_values(name_, other.name_);
        lpt::detail::swap_values(parameters_, other.parameters_);
        lpt::detail::swap_values(results_, other.results_);
        lpt::detail::swap_values(sinks_, other.sinks_);
        lpt::detail::swap_values(perhaps_dead_, other.perhaps_dead_);
    }

    // ---- looking

    constexpr const node& operator[](node_id id) const { return nodes_[id]; }
    /// True if there is a node with this number that was not removed.
    constexpr bool contains(node_id id) const { return nodes_.contains(id); }
    /// A number that is another one after every change of nodes or connections: what was computed from them then still holds
    /// while it is the same.
    constexpr std::uint64_t edits() const { return edits_; }
    /// False for a graph to which nodes were only added: what `verify` checks then holds without a look. Connecting an input anew,
    /// changing types or operations, dependencies and bodies can break it.
    constexpr bool needs_verification() const { return needs_verification_; }
    /// False if the shapes of all nodes are known, and were known of all nodes that the graph ever had.
    constexpr bool may_have_open_shapes() const { return may_have_open_shapes_; }
    /// True if no node ever had a graph inside it, or depended on another one without reading it.
    constexpr bool is_plain() const { return is_plain_; }
    /// What folding of constants may still make.
    constexpr const folding_budget& folding() const { return folding_; }
    constexpr void set_folding_budget(const folding_budget& left) { folding_ = left; }
    /// See `folding_budget::spend`.
    constexpr bool spend_for_folding(double bytes, double steps) { return folding_.spend(bytes, steps); }
    /// One more than the largest node number that was ever given.
    constexpr std::size_t id_bound() const { return nodes_.id_bound(); }
    /// The number of nodes.
    constexpr std::size_t size() const { return nodes_.size(); }
    constexpr const text& name() const { return name_; }
    /// The inputs of the network, in order.
    constexpr const seq<node_id>& parameters() const { return parameters_; }
    /// The outputs of the network, in order.
    constexpr const seq<node_id>& results() const { return results_; }
    /// The nodes that are kept although nothing reads them (Assign), in order.
    constexpr const seq<node_id>& sinks() const { return sinks_; }

    constexpr element type(output_ref output) const {
        return nodes_[output.node].type(static_cast<std::size_t>(output.port));
    }
    constexpr const lpt::shape& shape(output_ref output) const {
        return nodes_[output.node].shape(static_cast<std::size_t>(output.port));
    }
    /// The operation that an input is connected to, `nth` input of a node.
    constexpr node_id producer(node_id id, std::size_t port) const { return nodes_[id].input(port).node; }
    constexpr std::size_t use_count(output_ref output) const {
        return static_cast<std::size_t>(nodes_[output.node].outputs_[static_cast<std::size_t>(output.port)].use_count);
    }
    /// How many inputs read any output of a node.
    constexpr std::size_t use_count(node_id id) const;
    /// The inputs that read an output, in the order in which they were connected. A copy: edits do not disturb it.
    constexpr seq<input_ref, 4> uses(output_ref output) const;
    /// The first input that reads an output; its node is `none` if nothing does.
    constexpr input_ref first_use(output_ref output) const {
        return nodes_[output.node].outputs_[static_cast<std::size_t>(output.port)].first;
    }
    /// The input that reads the same output and was connected next; its node is `none` if there is none.
    constexpr input_ref next_use(input_ref user) const {
        return nodes_[user.node].inputs_[static_cast<std::size_t>(user.port)].next;
    }
    /// The value of the Constant that produces an output; null for other producers.
    constexpr const tensor* constant_value(output_ref output) const {
        const node& producer = nodes_[output.node];
        return producer.is<op::constant>() ? &producer.as<op::constant>().value : nullptr;
    }
    /// True for parameters, results and sinks, which stay although nothing reads them.
    constexpr bool is_root(node_id id) const;

    // ---- building
    // Bodies that shall not be inlined stand here: g++ takes the attribute at no definition outside of the class.

    constexpr void set_name(text name) { name_ = lpt::move(name); }

    /// Adds a node and infers its output types and shapes.
    ///
    /// `inputs` are existing outputs, as many as the operation takes; `version` is one of the operation's versions,
    /// -1 means the newest. Raises an error for wrong inputs, and what inference raises.
    [[gnu::noinline]] constexpr node_id add(op::attributes what, view<output_ref> inputs, text_view name = {},
                                            int version = -1) {
        const node_id id = add_checked(lpt::move(what), inputs, name, version);
        infer_new(id);
        return id;
    }
    /// Adds a type-relaxed node with types of its own: inference sees the types that it computes in, not those of its inputs.
    [[gnu::noinline]] constexpr node_id add_relaxed(op::attributes what, view<output_ref> inputs, relaxation types,
                                                    text_view name = {}, int version = -1) {
        const node_id id = add_checked(lpt::move(what), inputs, name, version);
        node& made = nodes_[id];
        made.relaxed_ = true;
        made.relaxation_ = shared<relaxation>(lpt::move(types));
        infer_new(id);
        return id;
    }
    /// Adds a node like `like` (operation, attributes, version, relaxation, bodies; no name, no marks) on other inputs.
    [[gnu::noinline]] constexpr node_id clone(node_id like, view<output_ref> inputs, text_view name = {}) {
        const node& model = nodes_[like];
        const node_id id = add_raw(model.attributes_, inputs, name, model.version_);
        node& made = nodes_[id];
        made.relaxed_ = model.relaxed_;
        made.relaxation_ = model.relaxation_;
        if (model.bodies().size() != 0) {
            made.rare_.make().bodies = model.bodies();
        }
        made.outputs_.resize(model.outputs_.size());
        infer_new(id);
        return id;
    }
    [[gnu::noinline]] constexpr node_id constant(tensor value, text_view name = {}) {
        const node_id id =
            new_node();  // rules make more Constants than all else: straight, without asking for inference
        node& made = nodes_[id];
        made.version_ = op::constant::opsets.newest();
        if (!name.empty()) {
            made.name_ = text(name);
        }
        made.outputs_.resize(1);
        made.outputs_[0].type = value.type();
        made.outputs_[0].dimensions = value.dimensions();
        made.attributes_ = op::constant{lpt::move(value)};
        perhaps_dead_.push_back(id);
        return id;
    }
    constexpr node_id parameter(element type, lpt::shape dimensions, text_view name = {}) {
        return add(op::parameter{type, lpt::move(dimensions)}, view<output_ref>(), name);
    }
    constexpr node_id result(output_ref source, text_view name = {}) {
        return add(op::result{}, view<output_ref>(&source, 1), name);
    }

    // ---- changing nodes (edit.hpp)

    constexpr void rename(node_id id, text name) { nodes_[id].name_ = lpt::move(name); }
    constexpr void set_mark(node_id id, mark one) { nodes_[id].marks_ = nodes_[id].marks_ | one; }
    constexpr void clear_mark(node_id id, mark one) { nodes_[id].marks_ = nodes_[id].marks_ & ~one; }
    constexpr void annotate(node_id id, text key, text value);
    constexpr void name_tensor(output_ref output, text name);
    constexpr void set_tensor_names(output_ref output, seq<text> names);
    constexpr void add_control_dependency(node_id id, node_id on);
    constexpr void clear_control_dependencies(node_id id);
    /// The operation of a node with other attributes (or another operation with as many inputs); infers its outputs anew.
    constexpr void set_attributes(node_id id, op::attributes what);
    /// The operation and version of a node become others, for as many inputs. Outputs are not inferred anew: see `infer`.
    constexpr void become(node_id id, op::attributes what, int version);
    constexpr void add_body(node_id id, graph body);
    constexpr graph& body(node_id id, std::size_t which);

    /// Infers the output types and shapes of one node from its inputs. Raises an error for inputs that the operation cannot take.
    constexpr void infer(node_id id);
    /// The same for nodes that read an output on another input than the first, where axes and the like stand.
    constexpr void infer_parameter_readers(output_ref of);

    /// Makes a node type-relaxed without changing anything else.
    constexpr void relax(node_id id) { nodes_[id].relaxed_ = true; }
    /// Gives a relaxed node output and input types of its own (`dynamic` or a missing entry: what is implied); infers its outputs anew.
    constexpr void relax(node_id id, relaxation types);
    /// The same for a node with one output and inputs of the shapes that it had: the shape of its output stays.
    constexpr void relax_keeping_shape(node_id id, element output, relaxation types);
    /// Gives output `port` of a relaxed node a type of its own and keeps its other types.
    constexpr void relax_output(node_id id, element type, std::size_t port = 0);
    /// Gives input `port` of a relaxed node a type to compute in and keeps its other types.
    constexpr void relax_input(node_id id, element type, std::size_t port);

    /// The place of a parameter or result in its list is given to another one.
    constexpr void replace_in_lists(node_id from, node_id to);
    /// Removes a node that nothing reads. Its producers are removed by the next `collect` if nothing else reads them.
    constexpr void remove(node_id id);
    /// Removes the nodes that lost their last reader, or never had one, since the last call, and then their producers
    /// that nothing else reads. Parameters, results and sinks stay.
    constexpr void collect();

    // ---- connecting (connect.hpp); all keep the lists of uses right

    /// Makes a node what a new one like it on other inputs would be: its inputs are the last readers of what they read, no
    /// output has names of tensors, it depends on nothing, and cleanup transformations do not pass it over. Number, name, other
    /// marks, annotations, bodies and readers stay.
    /// Outputs are not inferred anew: see `infer`.
    [[gnu::noinline]] constexpr void renew(node_id id, view<output_ref> inputs) {
        for (const output_ref source : inputs) {
            check(source);
        }
        needs_verification_ = true;
        if (!is_plain_) {
            clear_control_dependencies(id);
        }
        node& mine = nodes_[id];
        mine.marks_ = mine.marks_ & ~mark::disable_cleanup;
        disconnect_all(mine);
        connect_all(id, mine, inputs);
        for (node::output_slot& output : mine.outputs_) {
            if (output.names) {
                output.names = {};
            }
        }
        update_reads_data(id);
    }
    /// Connects an input to another output. Types and shapes are not inferred anew: see `infer`.
    constexpr void set_input(node_id id, std::size_t port, output_ref source);
    /// An input reads a Constant of this value afterwards: the one that it reads if nothing else does, else a new one. Types and
    /// shapes are not inferred anew: see `infer`.
    [[gnu::noinline]] constexpr void set_constant(node_id id, std::size_t port, tensor value) {
        node& old = nodes_[nodes_[id].inputs_[port].source.node];
        if (!old.is<op::constant>() || old.outputs_[0].use_count != 1 || old.control_users_ != 0 ||
            !old.rare_.empty()) {
            return set_input(id, port, constant(lpt::move(value)));
        }
        needs_verification_ = true;
        old.version_ = op::constant::opsets.newest();
        old.name_ = {};
        old.marks_ = mark::none;
        node::output_slot& output = old.outputs_[0];
        output.type = value.type();
        output.dimensions = value.dimensions();
        output.names = {};
        old.attributes_ = op::constant{lpt::move(value)};
    }
    constexpr void add_input(node_id id, output_ref source);
    /// Takes the inputs from number `count` on away.
    constexpr void truncate_inputs(node_id id, std::size_t count);
    /// Everything that reads `from` reads `to` afterwards, in the same order.
    constexpr void replace_uses(output_ref from, output_ref to);
    /// Like `replace_uses`, but the inputs of node `except` stay as they are: to put that node behind `from`.
    constexpr void replace_uses_except(output_ref from, output_ref to, node_id except);
    /// Everything that reads an output of `from` reads the same output of `to` afterwards; sinks that depend on `from`
    /// depend on `to`.
    constexpr void replace(node_id from, node_id to);

private:
    constexpr node_id new_node() {
        ++edits_;
        return nodes_.add();
    }
    constexpr void forget(node_id id) {
        nodes_.forget(id);
        ++edits_;
    }
    constexpr void check(output_ref source) const;
    /// `slot` is that of `user`.
    constexpr void connect(node::input_slot& slot, input_ref user, output_ref source);
    constexpr void disconnect(node::input_slot& slot);
    /// Connects the inputs of a node that has none.
    constexpr void connect_all(node_id id, node& mine, view<output_ref> inputs);
    constexpr void disconnect_all(node& mine);
    constexpr bool would_read_data(const node& each) const;
    /// Settles `reads_data` of a node whose operation or inputs changed, and of those below it that this changes.
    constexpr void update_reads_data(node_id id);
    /// `add_raw` for as many inputs as the operation takes; `version` -1 is the newest.
    constexpr node_id add_checked(op::attributes what, view<output_ref> inputs, text_view name, int version);
    constexpr node_id add_raw(op::attributes what, view<output_ref> inputs, text_view name, int version);
    constexpr void list_special(node_id id);
    constexpr bool infer_at_once(node& each);
    /// `infer` for a node that nothing reads yet.
    constexpr void infer_new(node_id id);
    /// Removes a node that nothing reads and that is in no list.
    constexpr void take_away(node_id id);
};

constexpr void body_list::destroy() {
    for (graph* body : bodies_) {
        delete body;
    }
}
constexpr body_list::body_list(const body_list& other) {
    for (const graph* body : other.bodies_) {
        bodies_.push_back(new graph(*body));
    }
}
constexpr void body_list::push_back(graph body) { bodies_.push_back(new graph(lpt::move(body))); }

}  // namespace lpt::inline LPT_ABI

#include <lpt/graph/connect.hpp>
#include <lpt/graph/edit.hpp>
#include <lpt/graph/infer.hpp>
