// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/node.hpp>

namespace lpt::inline LPT_ABI::detail {

/// The nodes of a graph by number. They never move: they lie in chunks, and a node takes the place of the one that was removed last.
/// Copies have nodes of their own under the same numbers.
class node_store {
    /// Places in a chunk: few in the first ones, since bodies are graphs, too, and mostly small.
    static constexpr std::size_t size_of_chunk(std::size_t number) {
        return number < 4 ? std::size_t{4} << number : 64;
    }
    static_assert(64 * sizeof(node) <= large_block);

    seq<node*> nodes_;  // by number; null for those that were removed
    seq<node*> chunks_;  // where they are
    seq<node*> free_;  // places of removed nodes, for the next ones: what was used last is near the processor
    std::size_t room_ = 0;  // places that are left in the last chunk
    std::size_t size_ = 0;

    // At run time a chunk is memory in which nodes are made one after the other; in constant expressions they are all there.
    static void destroy_at_run_time(const seq<node*>& chunks, std::size_t room) {
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            const std::size_t places = size_of_chunk(i);
            const std::size_t count = i + 1 == chunks.size() ? places - room : places;
            for (std::size_t k = 0; k < count; ++k) {
                chunks[i][k].~node();
            }
            give_memory(chunks[i], places * sizeof(node));
        }
    }
    static node* memory_of_nodes(std::size_t count) { return static_cast<node*>(take_memory(count * sizeof(node))); }
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

public:
    constexpr node_store() = default;
    constexpr node_store(const node_store& other) : size_(other.size_) {
        nodes_.reserve(other.nodes_.size());
        for (const node* each : other.nodes_) {
            nodes_.push_back(each == nullptr ? nullptr : copy_of(*each));
        }
    }
    node_store& operator=(const node_store&) = delete;
    constexpr ~node_store() {
        if (lpt::is_constant_evaluated()) {
            for (node* chunk : chunks_) {
                delete[] chunk;
            }
        } else {
            destroy_at_run_time(chunks_, room_);
        }
    }
    constexpr void swap(node_store& other) noexcept {
        swap_values(nodes_, other.nodes_);
        swap_values(chunks_, other.chunks_);
        swap_values(free_, other.free_);
        swap_values(room_, other.room_);
        swap_values(size_, other.size_);
    }

    constexpr node& operator[](node_id id) { return *nodes_[index_of(id)]; }
    constexpr const node& operator[](node_id id) const { return *nodes_[index_of(id)]; }
    constexpr bool contains(node_id id) const {
        return index_of(id) < nodes_.size() && nodes_[index_of(id)] != nullptr;  // `none` is beyond all numbers
    }
    /// One more than the largest number that was ever given.
    constexpr std::size_t id_bound() const { return nodes_.size(); }
    /// The number of nodes that were not removed.
    constexpr std::size_t size() const { return size_; }

    /// Adds an empty node under the next number.
    constexpr node_id add() {
        node* const made = empty_node();
        made->alive_ = true;
        nodes_.push_back(made);
        ++size_;
        return id_at(nodes_.size() - 1);
    }
    /// Makes an empty node of a node, whose number is not given again.
    constexpr void forget(node_id id) {
        node* const old = nodes_[index_of(id)];
        old->let_go();
        nodes_[index_of(id)] = nullptr;
        free_.push_back(old);
        --size_;
    }
};

}  // namespace lpt::inline LPT_ABI::detail

#include <lpt/graph/graph.hpp>
