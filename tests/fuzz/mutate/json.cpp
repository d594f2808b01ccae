// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/dice.hpp"
#include "tests/fuzz/mutate/mutate.hpp"

#include <nlohmann/json.hpp>

namespace lpt::fuzz {

namespace {

using json = nlohmann::json;

void collect(json& value, std::vector<json*>& all) {
    all.push_back(&value);
    for (json& each : value) {
        if (&each != &value) {  // a value that is no list is a list of itself
            collect(each, all);
        }
    }
}
std::vector<json*> values_of(json& document) {
    std::vector<json*> result;
    collect(document, result);
    return result;
}

void change_list(json& list, dice& random) {
    const std::size_t which = list.empty() ? 0 : random.below(list.size());
    switch (random.below(4)) {
        case 0: list.push_back(list.empty() ? json(interesting_integer(random)) : list[which]); break;
        case 1:
            if (!list.empty()) {
                list.erase(which);
            }
            break;
        case 2:
            if (!list.empty()) {
                std::swap(list[which], list[random.below(list.size())]);
            }
            break;
        default: list.insert(list.begin() + static_cast<std::ptrdiff_t>(which), json(interesting_integer(random)));
    }
}
void change_object(json& object, dice& random) {
    if (object.empty()) {
        return;
    }
    auto member = object.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(random.below(object.size())));
    switch (random.below(3)) {
        case 0: object.erase(member); break;
        case 1: *member = json(random.one_of(other_words())); break;
        default: *member = json(interesting_integer(random));
    }
}

void change(json& value, dice& random) {
    switch (value.type()) {
        case json::value_t::array: change_list(value, random); break;
        case json::value_t::object: change_object(value, random); break;
        case json::value_t::boolean: value = !value.get<bool>(); break;
        case json::value_t::string: value = random.one_of(random.once_in(2) ? operation_names() : other_words()); break;
        case json::value_t::number_float:
            value = random.once_in(2) ? json(value.get<double>() * static_cast<double>(interesting_integer(random)))
                                      : json(random.once_in(2) ? "nan" : "inf");
            break;
        case json::value_t::number_integer:
        case json::value_t::number_unsigned: {
            const std::string number = changed_number(value.dump(), random);
            const json parsed = json::parse(number, nullptr, false);
            value = parsed.is_discarded() ? json(number) : parsed;
            break;
        }
        default: value = interesting_integer(random);
    }
}

/// Numbers are most of a case, and constants' values most of the numbers; anything else has its turn as often.
json* choose(const std::vector<json*>& all, dice& random) {
    for (int tries = 0; tries < 20; ++tries) {
        json* const chosen = random.one_of(all);
        const bool is_rare = chosen->is_structured() || chosen->is_string() || chosen->is_number_integer();
        if (is_rare || random.once_in(8)) {
            return chosen;
        }
    }
    return all[0];
}

std::string text_of(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string mutate_json(std::string_view content, unsigned seed) {
    json document = json::parse(content, nullptr, false);
    if (document.is_discarded()) {
        return {};
    }
    dice random(seed);
    for (std::size_t left = 1 + random.below(3); left != 0; --left) {
        change(*choose(values_of(document), random), random);
    }
    return text_of(document);
}

std::string cross_json(std::string_view content, std::string_view other, unsigned seed) {
    json document = json::parse(content, nullptr, false);
    json second = json::parse(other, nullptr, false);
    if (!document.is_object() || !second.is_object() || document.empty() || second.empty()) {
        return {};
    }
    dice random(seed);
    if (random.once_in(2)) {  // a member, as the pipeline or the restrictions
        auto member = second.begin();
        std::advance(member, static_cast<std::ptrdiff_t>(random.below(second.size())));
        document[member.key()] = *member;
        return text_of(document);
    }
    json* const to = choose(values_of(document), random);
    for (int tries = 0; tries < 50; ++tries) {
        const json* const from = choose(values_of(second), random);
        if (from->type() == to->type() && from->is_structured()) {
            *to = json(*from);
            break;
        }
    }
    return text_of(document);
}

}  // namespace lpt::fuzz
