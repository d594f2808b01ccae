// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/graph/references.hpp>
#include <lpt/op/all.hpp>

namespace lpt::inline LPT_ABI {

/// Marks that rules leave on nodes for later rules; a node has any set of them.
enum class mark : unsigned {
    none = 0,
    disabled_constant_folding = 1u << 0,  // stays although all its inputs are constant
    dequantization_node = 1u << 1,        // part of a dequantization that the file had
    keep_const_precision = 1u << 2,       // a Constant that conversions of precision leave alone
    disable_cleanup = 1u << 3,            // cleanup transformations pass it over
    bias = 1u << 4,                       // an Add that adds the bias of a convolution or matrix product
    may_round_data = 1u << 5,             // a product whose file allows to round its data to 8 bits
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
class node_store;
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
    friend class detail::node_store;
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
        return kind() == Op::number;
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

}  // namespace lpt::inline LPT_ABI

#include <lpt/graph/node_store.hpp>  // up to graph.hpp: the bodies of a node are graphs
