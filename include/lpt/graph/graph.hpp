// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/graph/folding_budget.hpp>
#include <lpt/op/all.hpp>

namespace lpt::inline LPT_ABI {

/// The number of a node in its graph. Numbers of removed nodes are not given again.
enum class node_id : std::int32_t { none = -1 };

constexpr std::size_t index_of(node_id id) { return static_cast<std::size_t>(id); }
constexpr node_id id_at(std::size_t index) { return static_cast<node_id>(index); }

/// One output of a node: what an input is connected to.
struct output_ref {
    node_id node = node_id::none;
    std::int32_t port = 0;

    constexpr output_ref() = default;
    constexpr output_ref(node_id producer, std::int32_t output = 0) : node(producer), port(output) {}
    constexpr explicit operator bool() const { return node != node_id::none; }
    friend constexpr bool operator==(const output_ref&, const output_ref&) = default;
};

/// One input of a node.
struct input_ref {
    node_id node = node_id::none;
    std::int32_t port = 0;
    friend constexpr bool operator==(const input_ref&, const input_ref&) = default;
};

/// Marks that rules leave on nodes for later rules; a node has any set of them.
enum class mark : unsigned {
    none = 0,
    disabled_constant_folding = 1u << 0,  // stays although all its inputs are constant
    dequantization_node = 1u << 1,        // part of a dequantization that the file had
    keep_const_precision = 1u << 2,       // a Constant that conversions of precision leave alone
    disable_cleanup = 1u << 3,            // cleanup transformations pass it over
    bias = 1u << 4,                       // an Add that adds the bias of a convolution or matrix product
};
constexpr mark operator|(mark left, mark right) {
    return static_cast<mark>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
constexpr mark operator&(mark left, mark right) {
    return static_cast<mark>(static_cast<unsigned>(left) & static_cast<unsigned>(right));
}
constexpr mark operator~(mark marks) { return static_cast<mark>(~static_cast<unsigned>(marks)); }

/// What a type-relaxed node computes in and gives, where that is not what its inputs imply; `dynamic` means: as implied.
struct relaxation {
    seq<element, 2> input_types;
    seq<element, 2> output_types;
    friend constexpr bool operator==(const relaxation&, const relaxation&) = default;
};

/// A word of information that came with a node and travels with it.
struct annotation {
    text key;
    text value;
    friend constexpr bool operator==(const annotation&, const annotation&) = default;
};

class graph;

/// The graphs inside a node (the bodies of TensorIterator, Loop and If).
class body_list {
    seq<graph*> bodies_;
    constexpr void destroy();

public:
    constexpr body_list() = default;
    constexpr body_list(const body_list& other);
    constexpr body_list(body_list&& other) noexcept : bodies_(lpt::move(other.bodies_)) { other.bodies_ = {}; }
    constexpr body_list& operator=(body_list other) noexcept {
        lpt::detail::swap_values(bodies_, other.bodies_);
        return *this;
    }
    constexpr ~body_list() {
        if (!bodies_.empty()) {
            destroy();
        }
    }
    constexpr std::size_t size() const { return bodies_.size(); }
    constexpr graph& operator[](std::size_t index) { return *bodies_[index]; }
    constexpr const graph& operator[](std::size_t index) const { return *bodies_[index]; }
    constexpr void push_back(graph body);
};

namespace detail {
struct graph_access;  // reads and writes everything, for saving and checking graphs

/// What few nodes have.
struct rare_parts {
    seq<node_id> control_dependencies;
    seq<annotation> annotations;
    body_list bodies;
};
inline constexpr rare_parts no_rare_parts{};
inline constexpr seq<text> no_names{};

/// The rare parts of one node, in memory of their own: nodes are small then, and quickly copied.
class rare_box {
    rare_parts* parts_ = nullptr;

    [[gnu::noinline]] constexpr void copy(const rare_parts& other) { parts_ = new rare_parts(other); }
    [[gnu::noinline]] constexpr void drop() { delete parts_; }

public:
    constexpr rare_box() = default;
    [[gnu::always_inline]] constexpr rare_box(const rare_box& other) {
        if (other.parts_ != nullptr) {
            copy(*other.parts_);
        }
    }
    constexpr rare_box& operator=(const rare_box& other) {
        if (parts_ != nullptr || other.parts_ != nullptr) {
            rare_box copied(other);
            swap_values(parts_, copied.parts_);
        }
        return *this;
    }
    [[gnu::always_inline]] constexpr ~rare_box() {
        if (parts_ != nullptr) {
            drop();
        }
    }
    constexpr bool empty() const { return parts_ == nullptr; }
    constexpr const rare_parts& get() const {
        if (parts_ != nullptr) {
            return *parts_;
        }
        return no_rare_parts;
    }
    constexpr rare_parts& make() {
        if (parts_ == nullptr) {
            parts_ = new rare_parts();
        }
        return *parts_;
    }
};

}  // namespace detail

/// One operation of a graph. Only its graph changes it.
class node {
    friend class graph;
    friend struct detail::graph_access;

    struct input_slot {
        output_ref source;
        input_ref next;  // the uses of one output are a list through the inputs that use it, in the order of connection
        input_ref previous;
    };
    struct output_slot {
        element type = dynamic;
        std::int32_t use_count = 0;
        input_ref first;
        input_ref last;
        lpt::shape dimensions;
        shared<seq<text>> names;  // absent: none; copies of a graph share them

        constexpr const seq<text>& all_names() const {
            if (names) {
                return *names;
            }
            return detail::no_names;
        }
    };

    op::attributes attributes_;
    std::int32_t version_ = 0;
    std::int32_t control_users_ = 0;
    bool alive_ = false;
    bool relaxed_ = false;
    bool reads_data_ = false;
    mark marks_ = mark::none;
    text name_;
    seq<input_slot, 2> inputs_;
    seq<output_slot, 1> outputs_;
    shared<relaxation> relaxation_;
    detail::rare_box rare_;

    /// Frees what a removed node holds.
    constexpr void let_go() {
        alive_ = false;
        relaxed_ = false;
        reads_data_ = false;
        version_ = 0;
        control_users_ = 0;
        marks_ = mark::none;
        attributes_ = {};
        name_ = {};
        inputs_.clear();
        if (outputs_.size() == 1) {  // nearly all nodes have one: it stays for the next node
            outputs_[0].type = dynamic;
            outputs_[0].use_count = 0;
            outputs_[0].first = {};
            outputs_[0].last = {};
            if (outputs_[0].names) {
                outputs_[0].names = {};
            }
        } else {
            outputs_.clear();
        }
        if (relaxation_) {
            relaxation_ = {};
        }
        if (!rare_.empty()) {
            rare_ = {};
        }
    }

public:
    constexpr op::kind kind() const { return attributes_.number(); }
    constexpr const op::attributes& attributes() const { return attributes_; }
    template <class Op>
    constexpr bool is() const {
        return attributes_.is<Op>();
    }
    /// The attributes as the operation's own type, after `is<Op>()`.
    template <class Op>
    constexpr const Op& as() const {
        return attributes_.as<Op>();
    }
    constexpr text_view operation() const { return op::name(attributes_); }
    /// The operation set in which the operation was defined (the number of the published namespace).
    constexpr int version() const { return version_; }
    constexpr const text& name() const { return name_; }
    constexpr bool alive() const { return alive_; }
    constexpr std::size_t inputs() const { return inputs_.size(); }
    constexpr output_ref input(std::size_t port) const { return inputs_[port].source; }
    constexpr std::size_t outputs() const { return outputs_.size(); }
    constexpr element type(std::size_t port = 0) const { return outputs_[port].type; }
    constexpr const lpt::shape& shape(std::size_t port = 0) const { return outputs_[port].dimensions; }
    /// Names of the tensor that an output gives, as the file has them.
    constexpr const seq<text>& tensor_names(std::size_t port = 0) const { return outputs_[port].all_names(); }
    constexpr bool has(mark one) const { return (marks_ & one) != mark::none; }
    constexpr mark marks() const { return marks_; }
    /// True if what the node gives is not computed from Constants alone: it, or a node above it, is a Parameter, ReadValue,
    /// convolution or MatMul.
    constexpr bool reads_data() const { return reads_data_; }
    /// True for a type-relaxed node: one that may have an output type of its own.
    constexpr bool relaxed() const { return relaxed_; }
    /// The types of its own that a relaxed node has; null if none were set.
    constexpr const lpt::relaxation* own_types() const { return relaxation_ ? &*relaxation_ : nullptr; }
    constexpr const seq<node_id>& control_dependencies() const { return rare_.get().control_dependencies; }
    constexpr const seq<annotation>& annotations() const { return rare_.get().annotations; }
    constexpr const body_list& bodies() const { return rare_.get().bodies; }
};

/// A network: nodes, and how they are connected. A value: copies are independent, constants are shared between them.
///
/// References to nodes stay valid while nodes are added; they end when the node is removed or the graph goes away. The number of
/// a removed node means nothing any more: ask `contains` first where it may be one.
class graph {
    friend struct detail::graph_access;

    /// Places in a chunk: few in the first ones, since bodies are graphs, too, and mostly small.
    static constexpr std::size_t size_of_chunk(std::size_t number) {
        return number < 4 ? std::size_t{4} << number : 64;
    }
    static_assert(64 * sizeof(node) <= lpt::detail::large_block);

    seq<node*> nodes_;  // by number; null for those that were removed
    seq<node*> chunks_;  // where they are
    seq<node*> free_;  // places of removed nodes, for the next ones: what was used last is near the processor
    std::size_t room_ = 0;  // places that are left in the last chunk
    std::size_t alive_ = 0;
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

    constexpr node& at(node_id id) { return *nodes_[index_of(id)]; }
    // At run time a chunk is memory in which nodes are made one after the other; in constant expressions they are all there.
    static void destroy_at_run_time(const seq<node*>& chunks, std::size_t room) {
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            const std::size_t places = size_of_chunk(i);
            const std::size_t count = i + 1 == chunks.size() ? places - room : places;
            for (std::size_t k = 0; k < count; ++k) {
                chunks[i][k].~node();
            }
            lpt::detail::give_memory(chunks[i], places * sizeof(node));
        }
    }
    constexpr void destroy() {
        if (!lpt::is_constant_evaluated()) {
            return destroy_at_run_time(chunks_, room_);
        }
        for (node* chunk : chunks_) {
            delete[] chunk;
        }
    }
    static node* memory_of_nodes(std::size_t count) {
        return static_cast<node*>(lpt::detail::take_memory(count * sizeof(node)));
    }
    static void make_node(node* place) { ::new (static_cast<void*>(place)) node(); }
    static void copy_node(const node& from, node* place) { ::new (static_cast<void*>(place)) node(from); }
    static constexpr node* new_chunk(std::size_t places) {
        if (!lpt::is_constant_evaluated()) {
            return memory_of_nodes(places);
        }
        return new node[places]();
    }
    /// A place that no node had yet; at run time there is none in it.
    constexpr node* new_place() {
        if (room_ == 0) {
            room_ = size_of_chunk(chunks_.size());
            chunks_.push_back(new_chunk(room_));
        }
        return chunks_.back() + (size_of_chunk(chunks_.size() - 1) - room_--);
    }
    /// An empty node.
    constexpr node* empty_node() {
        if (!free_.empty()) {
            node* const place = free_.back();
            free_.pop_back();
            return place;
        }
        node* const place = new_place();
        if (!lpt::is_constant_evaluated()) {
            make_node(place);
        }
        return place;
    }
    constexpr node* copy_of(const node& from) {
        node* const place = new_place();
        if (lpt::is_constant_evaluated()) {
            *place = from;
        } else {
            copy_node(from, place);
        }
        return place;
    }
    /// Makes an empty node of a node, whose number is not given again.
    constexpr void forget(node_id id) {
        node* const old = nodes_[index_of(id)];
        old->let_go();
        nodes_[index_of(id)] = nullptr;
        free_.push_back(old);
        --alive_;
        ++edits_;
    }
    constexpr void check(output_ref source) const {
        if (!contains(source.node) || source.port < 0 ||
            static_cast<std::size_t>(source.port) >= (*this)[source.node].outputs()) {
            fail({"there is no output ", source.port, " of node ", static_cast<std::int32_t>(source.node)});
        }
    }
    constexpr node_id new_node() {
        node* const made = empty_node();
        made->alive_ = true;
        nodes_.push_back(made);
        ++alive_;
        ++edits_;
        return id_at(nodes_.size() - 1);
    }
    static constexpr bool is_data(op::kind kind) {
        switch (kind) {
            case op::kind::parameter:
            case op::kind::convolution:
            case op::kind::group_convolution:
            case op::kind::convolution_backprop_data:
            case op::kind::mat_mul:
            case op::kind::read_value: return true;
            default: return false;
        }
    }
    constexpr bool would_read_data(const node& each) const {
        bool result = is_data(each.kind());
        for (std::size_t port = 0; port < each.inputs() && !result; ++port) {
            result = each.inputs_[port].source && (*this)[each.inputs_[port].source.node].reads_data_;
        }
        return result;
    }
    /// Settles `reads_data` of a node whose operation or inputs changed, and of those below it that this changes.
    constexpr void update_reads_data(node_id id) {
        if (at(id).reads_data_ == would_read_data(at(id))) {
            return;
        }
        seq<node_id, 4> changed{id};
        while (!changed.empty()) {
            const node_id each = changed.back();
            changed.pop_back();
            node& mine = at(each);
            const bool now = would_read_data(mine);
            if (mine.reads_data_ == now) {
                continue;
            }
            mine.reads_data_ = now;
            for (const node::output_slot& output : mine.outputs_) {
                for (input_ref user = output.first; user.node != node_id::none; user = next_use(user)) {
                    changed.push_back(user.node);
                }
            }
        }
    }
    /// `slot` is that of `user`.
    constexpr void connect(node::input_slot& slot, input_ref user, output_ref source) {
        node::output_slot& output = at(source.node).outputs_[static_cast<std::size_t>(source.port)];
        slot.source = source;
        slot.previous = output.last;
        slot.next = {};
        if (output.last.node == node_id::none) {
            output.first = user;
        } else {
            at(output.last.node).inputs_[static_cast<std::size_t>(output.last.port)].next = user;
        }
        output.last = user;
        ++output.use_count;
        ++edits_;
    }
    constexpr void disconnect(node::input_slot& slot) {
        if (!slot.source) {
            return;
        }
        node::output_slot& output = at(slot.source.node).outputs_[static_cast<std::size_t>(slot.source.port)];
        if (slot.previous.node == node_id::none) {
            output.first = slot.next;
        } else {
            at(slot.previous.node).inputs_[static_cast<std::size_t>(slot.previous.port)].next = slot.next;
        }
        if (slot.next.node == node_id::none) {
            output.last = slot.previous;
        } else {
            at(slot.next.node).inputs_[static_cast<std::size_t>(slot.next.port)].previous = slot.previous;
        }
        if (--output.use_count == 0) {
            perhaps_dead_.push_back(slot.source.node);
        }
        slot = {};
        ++edits_;
    }
    /// Connects the inputs of a node that has none.
    constexpr void connect_all(node_id id, node& mine, view<output_ref> inputs) {
        mine.inputs_.resize(inputs.size());
        node::input_slot* const slots = mine.inputs_.data();
        for (std::size_t port = 0; port < inputs.size(); ++port) {
            connect(slots[port], {id, static_cast<std::int32_t>(port)}, inputs[port]);
        }
    }
    constexpr void disconnect_all(node& mine) {
        node::input_slot* const slots = mine.inputs_.data();
        for (std::size_t port = mine.inputs_.size(); port-- > 0;) {
            disconnect(slots[port]);
        }
    }
    static constexpr void erase_value(seq<node_id>& from, node_id id) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (from[i] == id) {
                from.erase(i);
                return;
            }
        }
    }
    constexpr void list_special(node_id id) {
        if (at(id).is<op::parameter>()) {
            parameters_.push_back(id);
        } else if (at(id).is<op::result>()) {
            results_.push_back(id);
        } else if (op::has(op::row_of(at(id).attributes()).traits, op::trait::sink)) {
            sinks_.push_back(id);
        }
    }

public:
    constexpr graph() = default;
    constexpr graph(const graph& other)
        : alive_(other.alive_),
          edits_(other.edits_),
          needs_verification_(other.needs_verification_),
          may_have_open_shapes_(other.may_have_open_shapes_),
          is_plain_(other.is_plain_),
          folding_(other.folding_),
          name_(other.name_),
          parameters_(other.parameters_),
          results_(other.results_),
          sinks_(other.sinks_),
          perhaps_dead_(other.perhaps_dead_) {
        nodes_.reserve(other.nodes_.size());
        for (const node* each : other.nodes_) {
            nodes_.push_back(each == nullptr ? nullptr : copy_of(*each));
        }
    }
    constexpr graph(graph&& other) noexcept { swap(other); }
    constexpr graph& operator=(graph other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~graph() { destroy(); }
    constexpr void swap(graph& other) noexcept {
        lpt::detail::swap_values(nodes_, other.nodes_);
        lpt::detail::swap_values(chunks_, other.chunks_);
        lpt::detail::swap_values(free_, other.free_);
        lpt::detail::swap_values(room_, other.room_);
        lpt::detail::swap_values(alive_, other.alive_);
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

    constexpr const node& operator[](node_id id) const { return *nodes_[index_of(id)]; }
    /// True if there is a node with this number that was not removed.
    constexpr bool contains(node_id id) const {
        return index_of(id) < nodes_.size() && nodes_[index_of(id)] != nullptr;  // `none` is beyond all numbers
    }
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
    constexpr std::size_t id_bound() const { return nodes_.size(); }
    /// The number of nodes.
    constexpr std::size_t size() const { return alive_; }
    constexpr const text& name() const { return name_; }
    /// The inputs of the network, in order.
    constexpr const seq<node_id>& parameters() const { return parameters_; }
    /// The outputs of the network, in order.
    constexpr const seq<node_id>& results() const { return results_; }
    /// The nodes that are kept although nothing reads them (Assign), in order.
    constexpr const seq<node_id>& sinks() const { return sinks_; }

    constexpr element type(output_ref output) const {
        return (*this)[output.node].type(static_cast<std::size_t>(output.port));
    }
    constexpr const lpt::shape& shape(output_ref output) const {
        return (*this)[output.node].shape(static_cast<std::size_t>(output.port));
    }
    /// The operation that an input is connected to, `nth` input of a node.
    constexpr node_id producer(node_id id, std::size_t port) const { return (*this)[id].input(port).node; }
    constexpr std::size_t use_count(output_ref output) const {
        return static_cast<std::size_t>((*this)[output.node].outputs_[static_cast<std::size_t>(output.port)].use_count);
    }
    /// How many inputs read any output of a node.
    constexpr std::size_t use_count(node_id id) const {
        std::size_t count = 0;
        for (const node::output_slot& output : (*this)[id].outputs_) {
            count += static_cast<std::size_t>(output.use_count);
        }
        return count;
    }
    /// The inputs that read an output, in the order in which they were connected. A copy: edits do not disturb it.
    constexpr seq<input_ref, 4> uses(output_ref output) const {
        seq<input_ref, 4> result;
        input_ref each = (*this)[output.node].outputs_[static_cast<std::size_t>(output.port)].first;
        while (each.node != node_id::none) {
            result.push_back(each);
            each = next_use(each);
        }
        return result;
    }
    /// The first input that reads an output; its node is `none` if nothing does.
    constexpr input_ref first_use(output_ref output) const {
        return (*this)[output.node].outputs_[static_cast<std::size_t>(output.port)].first;
    }
    /// The input that reads the same output and was connected next; its node is `none` if there is none.
    constexpr input_ref next_use(input_ref user) const {
        return (*this)[user.node].inputs_[static_cast<std::size_t>(user.port)].next;
    }
    /// The value of the Constant that produces an output; null for other producers.
    constexpr const tensor* constant_value(output_ref output) const {
        const node& producer = (*this)[output.node];
        return producer.is<op::constant>() ? &producer.as<op::constant>().value : nullptr;
    }

    // ---- building

    constexpr void set_name(text name) { name_ = lpt::move(name); }

    /// Adds a node and infers its output types and shapes.
    ///
    /// `inputs` are existing outputs, as many as the operation takes; `version` is one of the operation's versions,
    /// -1 means the newest. Raises an error for wrong inputs, and what inference raises.
    [[gnu::noinline]] constexpr node_id add(op::attributes what, view<output_ref> inputs, text_view name = {},
                                            int version = -1) {
        const op::row& facts = op::row_of(what);
        if (static_cast<int>(inputs.size()) < facts.inputs.least ||
            static_cast<int>(inputs.size()) > facts.inputs.most) {
            fail({facts.name, " '", name, "' cannot have ", inputs.size(), " inputs"});
        }
        const node_id id = add_raw(lpt::move(what), inputs, name, version < 0 ? facts.opsets.newest() : version);
        infer_new(id);
        return id;
    }
    /// Adds a type-relaxed node with types of its own: inference sees the types that it computes in, not those of its inputs.
    [[gnu::noinline]] constexpr node_id add_relaxed(op::attributes what, view<output_ref> inputs, relaxation types,
                                                    text_view name = {}, int version = -1) {
        const op::row& facts = op::row_of(what);
        if (static_cast<int>(inputs.size()) < facts.inputs.least ||
            static_cast<int>(inputs.size()) > facts.inputs.most) {
            fail({facts.name, " '", name, "' cannot have ", inputs.size(), " inputs"});
        }
        const node_id id = add_raw(lpt::move(what), inputs, name, version < 0 ? facts.opsets.newest() : version);
        node& made = at(id);
        made.relaxed_ = true;
        made.relaxation_ = shared<relaxation>(lpt::move(types));
        infer_new(id);
        return id;
    }
    /// Adds a node like `like` (operation, attributes, version, relaxation, bodies; no name, no marks) on other inputs.
    [[gnu::noinline]] constexpr node_id clone(node_id like, view<output_ref> inputs, text_view name = {}) {
        const node& model = (*this)[like];
        const node_id id = add_raw(model.attributes_, inputs, name, model.version_);
        node& made = at(id);
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
        node& made = at(id);
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

    // ---- editing; all keep the lists of uses right

    constexpr void rename(node_id id, text name) { at(id).name_ = lpt::move(name); }
    constexpr void set_mark(node_id id, mark one) { at(id).marks_ = at(id).marks_ | one; }
    constexpr void clear_mark(node_id id, mark one) { at(id).marks_ = at(id).marks_ & ~one; }
    constexpr void annotate(node_id id, text key, text value) {
        at(id).rare_.make().annotations.push_back({lpt::move(key), lpt::move(value)});
    }
    constexpr void name_tensor(output_ref output, text name) {
        seq<text> names = (*this)[output.node].tensor_names(static_cast<std::size_t>(output.port));
        names.push_back(lpt::move(name));
        set_tensor_names(output, lpt::move(names));
    }
    constexpr void set_tensor_names(output_ref output, seq<text> names) {
        shared<seq<text>>& mine = at(output.node).outputs_[static_cast<std::size_t>(output.port)].names;
        mine = {};
        if (!names.empty()) {
            mine = shared<seq<text>>(lpt::move(names));
        }
    }
    constexpr void add_control_dependency(node_id id, node_id on) {
        at(id).rare_.make().control_dependencies.push_back(on);
        ++at(on).control_users_;
        ++edits_;
        needs_verification_ = true;
        is_plain_ = false;
    }
    constexpr void clear_control_dependencies(node_id id) {
        if (at(id).control_dependencies().empty()) {
            return;
        }
        for (const node_id on : at(id).control_dependencies()) {
            if (--at(on).control_users_ == 0) {
                perhaps_dead_.push_back(on);
            }
        }
        at(id).rare_.make().control_dependencies.clear();
        ++edits_;
    }
    /// The operation of a node with other attributes (or another operation with as many inputs); infers its outputs anew.
    constexpr void set_attributes(node_id id, op::attributes what) {
        needs_verification_ = true;
        at(id).attributes_ = lpt::move(what);
        infer(id);
        update_reads_data(id);
    }
    /// The operation and version of a node become others, for as many inputs. Outputs are not inferred anew: see `infer`.
    constexpr void become(node_id id, op::attributes what, int version) {
        needs_verification_ = true;
        at(id).attributes_ = lpt::move(what);
        at(id).version_ = version;
        update_reads_data(id);
    }
    constexpr void add_body(node_id id, graph body) {
        needs_verification_ = true;
        is_plain_ = false;
        at(id).rare_.make().bodies.push_back(lpt::move(body));
    }
    constexpr graph& body(node_id id, std::size_t which) {
        needs_verification_ = true;
        return at(id).rare_.make().bodies[which];
    }

    /// Makes a node type-relaxed without changing anything else.
    constexpr void relax(node_id id) { at(id).relaxed_ = true; }
    /// Gives a relaxed node output and input types of its own (`dynamic` or a missing entry: what is implied); infers its outputs anew.
    constexpr void relax(node_id id, relaxation types) {
        at(id).relaxed_ = true;
        at(id).relaxation_ = shared<relaxation>(lpt::move(types));
        infer(id);
    }
    /// The same for a node with one output and inputs of the shapes that it had: the shape of its output stays.
    constexpr void relax_keeping_shape(node_id id, element output, relaxation types) {
        needs_verification_ = true;
        at(id).relaxed_ = true;
        at(id).relaxation_ = shared<relaxation>(lpt::move(types));
        at(id).outputs_[0].type = output;
    }
    /// Gives output `port` of a relaxed node a type of its own and keeps its other types.
    constexpr void relax_output(node_id id, element type, std::size_t port = 0) {
        relaxation types = at(id).relaxation_ ? *at(id).relaxation_ : relaxation{};
        if (types.output_types.size() <= port) {
            types.output_types.resize(port + 1, dynamic);
        }
        types.output_types[port] = type;
        relax(id, lpt::move(types));
    }
    /// Gives input `port` of a relaxed node a type to compute in and keeps its other types.
    constexpr void relax_input(node_id id, element type, std::size_t port) {
        relaxation types = at(id).relaxation_ ? *at(id).relaxation_ : relaxation{};
        if (types.input_types.size() <= port) {
            types.input_types.resize(port + 1, dynamic);
        }
        types.input_types[port] = type;
        relax(id, lpt::move(types));
    }

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
        node& mine = at(id);
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
    constexpr void set_input(node_id id, std::size_t port, output_ref source) {
        check(source);
        node::input_slot& slot = at(id).inputs_[port];
        if (slot.source == source) {
            return;
        }
        needs_verification_ = true;
        const node_id before = slot.source.node;
        const bool as_before = before != node_id::none && at(before).reads_data_ == at(source.node).reads_data_;
        disconnect(slot);
        connect(slot, {id, static_cast<std::int32_t>(port)}, source);
        if (!as_before) {
            update_reads_data(id);
        }
    }
    /// An input reads a Constant of this value afterwards: the one that it reads if nothing else does, else a new one. Types and
    /// shapes are not inferred anew: see `infer`.
    [[gnu::noinline]] constexpr void set_constant(node_id id, std::size_t port, tensor value) {
        node& old = at(at(id).inputs_[port].source.node);
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
    constexpr void add_input(node_id id, output_ref source) {
        check(source);
        needs_verification_ = true;
        node::input_slot& slot = at(id).inputs_.push_back({});
        connect(slot, {id, static_cast<std::int32_t>(at(id).inputs_.size() - 1)}, source);
        update_reads_data(id);
    }
    /// Takes the inputs from number `count` on away.
    constexpr void truncate_inputs(node_id id, std::size_t count) {
        needs_verification_ = true;
        while (at(id).inputs_.size() > count) {
            disconnect(at(id).inputs_.back());
            at(id).inputs_.pop_back();
        }
        update_reads_data(id);
    }
    /// Everything that reads `from` reads `to` afterwards, in the same order.
    constexpr void replace_uses(output_ref from, output_ref to) {
        check(to);
        for (const input_ref user : uses(from)) {
            set_input(user.node, static_cast<std::size_t>(user.port), to);
        }
    }
    /// Like `replace_uses`, but the inputs of node `except` stay as they are: to put that node behind `from`.
    constexpr void replace_uses_except(output_ref from, output_ref to, node_id except) {
        check(to);
        for (const input_ref user : uses(from)) {
            if (user.node != except) {
                set_input(user.node, static_cast<std::size_t>(user.port), to);
            }
        }
    }
    /// Everything that reads an output of `from` reads the same output of `to` afterwards; sinks that depend on `from`
    /// depend on `to`.
    constexpr void replace(node_id from, node_id to) {
        needs_verification_ = true;
        for (const node_id sink : sinks_) {
            if (at(sink).control_dependencies().empty()) {
                continue;
            }
            for (node_id& on : at(sink).rare_.make().control_dependencies) {
                if (on == from) {
                    on = to;
                    --at(from).control_users_;
                    ++at(to).control_users_;
                    ++edits_;
                }
            }
        }
        perhaps_dead_.push_back(from);
        for (std::size_t port = 0; port < at(from).outputs(); ++port) {
            replace_uses({from, static_cast<std::int32_t>(port)}, {to, static_cast<std::int32_t>(port)});
        }
    }
    /// The place of a parameter or result in its list is given to another one.
    constexpr void replace_in_lists(node_id from, node_id to) {
        needs_verification_ = true;
        for (seq<node_id>* all : {&parameters_, &results_, &sinks_}) {
            erase_value(*all, to);
            for (node_id& each : *all) {
                if (each == from) {
                    each = to;
                }
            }
        }
    }
    /// Removes a node that nothing reads. Its producers are removed by the next `collect` if nothing else reads them.
    constexpr void remove(node_id id) {
        if (use_count(id) != 0) {
            fail({"node '", at(id).name(), "' cannot be removed: ", use_count(id), " inputs read it"});
        }
        node& old = at(id);
        needs_verification_ = needs_verification_ || old.control_users_ != 0;
        if (old.is<op::parameter>()) {
            erase_value(parameters_, id);
        } else if (old.is<op::result>()) {
            erase_value(results_, id);
        } else if (op::has(op::row_of(old.attributes()).traits, op::trait::sink)) {
            erase_value(sinks_, id);
        }
        take_away(id);
    }
    /// Removes the nodes that lost their last reader, or never had one, since the last call, and then their producers
    /// that nothing else reads. Parameters, results and sinks stay.
    constexpr void collect() {
        while (!perhaps_dead_.empty()) {
            const node_id id = perhaps_dead_.back();
            perhaps_dead_.pop_back();
            if (!contains(id)) {
                continue;
            }
            const node& each = at(id);
            if (each.control_users_ == 0 && !is_read(each) && (each.is<op::constant>() || !is_root(id))) {
                take_away(id);
            }
        }
    }
    /// True for parameters, results and sinks, which stay although nothing reads them.
    constexpr bool is_root(node_id id) const {
        const node& each = (*this)[id];
        return each.is<op::parameter>() || each.is<op::result>() ||
               op::has(op::row_of(each.attributes()).traits, op::trait::sink);
    }

    /// Infers the output types and shapes of one node from its inputs. Raises an error for inputs that the operation cannot take.
    constexpr void infer(node_id id);

private:
    constexpr bool infer_at_once(node& each);
    /// Removes a node that nothing reads and that is in no list.
    constexpr void take_away(node_id id) {
        disconnect_all(at(id));
        if (!is_plain_) {
            clear_control_dependencies(id);
        }
        forget(id);
    }
    static constexpr bool is_read(const node& each) {
        for (const node::output_slot& output : each.outputs_) {
            if (output.use_count != 0) {
                return true;
            }
        }
        return false;
    }
    /// `infer` for a node that nothing reads yet.
    constexpr void infer_new(node_id id) {
        const bool needed = needs_verification_;
        infer(id);
        needs_verification_ = needed;
    }
    constexpr node_id add_raw(op::attributes what, view<output_ref> inputs, text_view name, int version) {
        for (const output_ref source : inputs) {
            check(source);
        }
        const node_id id = new_node();
        node& made = at(id);
        made.attributes_ = lpt::move(what);
        made.version_ = version;
        if (!name.empty()) {
            made.name_ = text(name);
        }
        connect_all(id, made, inputs);
        made.reads_data_ = would_read_data(made);
        list_special(id);
        perhaps_dead_.push_back(id);
        return id;
    }
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

#include <lpt/graph/infer.hpp>
