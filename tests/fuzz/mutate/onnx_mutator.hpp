// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/fuzz/mutate/dice.hpp"
#include "tests/fuzz/mutate/onnx_fields.hpp"

namespace lpt::fuzz {

/// Changes a model as one that knows what its fields mean.
class onnx_mutator {
    /// A field of a kind of messages, by its number.
    struct known_field {
        message outer;
        unsigned tag;
    };
    enum : unsigned { opset_domain = 1, version = 2 };
    enum : unsigned { graph_node = 1, graph_output = 12 };
    enum : unsigned { node_input = 1, node_output = 2, node_type = 4, node_attribute = 5, node_domain = 7 };
    enum : unsigned {
        attribute_name = 1,
        attribute_real = 2,
        attribute_integer = 3,
        attribute_words = 4,
        attribute_reals = 7,
        attribute_integers = 8,
        attribute_word_list = 9,
        attribute_type = 20
    };
    enum : unsigned { tensor_dimension = 1, tensor_type = 2, tensor_reals = 4, tensor_name = 8, tensor_bytes = 9 };
    enum : unsigned { value_name = 1, value_type = 2, element_type = 1, dimension_size = 1 };
    static constexpr known_field names[] = {{message::node, node_input},
                                            {message::node, node_output},
                                            {message::value, value_name},
                                            {message::tensor, tensor_name}};
    static constexpr known_field dimensions[] = {{message::tensor, tensor_dimension},
                                                 {message::dimension, dimension_size}};
    static constexpr known_field types[] = {{message::tensor, tensor_type}, {message::tensor_type, element_type}};

    message_fields& model_;
    dice& random_;
    std::vector<field_place> places_;

    template <class Known>
    std::vector<field_place> all(const Known& known) const {
        std::vector<field_place> result;
        for (const field_place& place : places_) {
            for (const known_field& each : known) {
                if (each.outer == place.outer && each.tag == place.get().tag) {
                    result.push_back(place);
                }
            }
        }
        return result;
    }
    std::vector<field_place> all(message outer, unsigned tag) const {
        const known_field known[] = {{outer, tag}};
        return all(known);
    }
    template <class... Known>
    message_field* any(const Known&... known) {
        const std::vector<field_place> found = all(known...);
        return found.empty() ? nullptr : &random_.one_of(found).get();
    }
    message_field* any_message(message is);
    template <class... Known>
    std::uint64_t number_of_any(const Known&... known) {
        const message_field* const found = any(known...);
        return found == nullptr ? 1 : found->number;
    }
    std::string any_name();
    std::uint64_t new_type();
    void set_operator(message_field& node);
    template <class Known>
    bool set_numbers(const Known& known, const message_field& one, std::uint64_t value);

    bool change_edge();
    bool change_list_of_names();
    bool change_operator();
    bool change_dimension();
    bool change_type();
    bool change_integer();
    bool change_real();
    bool change_attribute_name();
    bool change_words();
    bool add_attribute();
    bool insert_node();
    bool change_version();
    bool change_constant();
    bool change_anything();
    void fit_tensors();
    std::int64_t version_of(std::string_view domain);
    void fit_inputs(message_field& node, std::string_view domain, std::string_view type);
    void fit_attributes(message_field& node, std::string_view listed, std::int64_t in);

public:
    onnx_mutator(message_fields& model, dice& random) : model_(model), random_(random) {}

    /// False where the model has nothing of what was to be changed.
    bool change_something();

    /// Readers refuse nodes with inputs or attributes that their operators do not have, before they read anything else.
    void fit_nodes();
    /// Outputs may leave out types and shapes, which else must be those that the changed nodes give.
    void forget_types_of_outputs();
};

}  // namespace lpt::fuzz
