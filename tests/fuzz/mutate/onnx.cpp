// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/mutate.hpp"
#include "tests/fuzz/mutate/onnx_mutator.hpp"

#include <protozero/exception.hpp>

namespace lpt::fuzz {

std::string mutate_onnx(std::string_view content, unsigned seed) {
    message_fields model;
    try {
        model = read_fields(content);
    } catch (const protozero::exception&) {
        return {};
    }
    if (model.empty()) {
        return {};
    }
    dice random(seed);
    onnx_mutator mutator(model, random);
    for (std::size_t left = 1 + random.below(3), tries = 20; left != 0 && tries != 0; --tries) {
        left -= mutator.change_something() ? 1 : 0;
    }
    if (!random.once_in(8)) {
        mutator.fit_nodes();
    }
    if (random.once_in(2)) {
        mutator.forget_types_of_outputs();
    }
    return written(model);
}

std::string cross_onnx(std::string_view content, std::string_view other, unsigned seed) {
    message_fields model;
    message_fields from;
    try {
        model = read_fields(content);
        from = read_fields(other);
    } catch (const protozero::exception&) {
        return {};
    }
    dice random(seed);
    const std::vector<field_place> places = all_fields(model);
    const std::vector<field_place> sources = all_fields(from);
    if (places.empty() || sources.empty()) {
        return {};
    }
    // What stands in the same kind of place, if a few tries find it.
    for (int tries = 0; tries < 64; ++tries) {
        const field_place to = random.one_of(places);
        const field_place source = random.one_of(sources);
        message_field& mine = to.get();
        const message_field& theirs = source.get();
        if (mine.is == theirs.is && mine.tag == theirs.tag && mine.type == theirs.type) {
            mine = message_field(theirs);
            break;
        }
    }
    return written(model);
}

}  // namespace lpt::fuzz
