// SPDX-License-Identifier: Apache-2.0
// Memory, and what lives in it from run to run.
#pragma once

#include <lpt/plan/memory.hpp>

#include <cstring>
#include <deque>
#include <map>
#include <string>

namespace lpt::inline LPT_ABI::runtime {

using memory_block = plan::zeroed_memory;

/// A variable of a network (ReadValue, Assign).
struct state_value {
    text name;
    element type = dynamic;
    shape dimensions;
    bool is_set = false;  // Assign wrote it since the last reset
    memory_block bytes;
};

/// The variables of a network and of the bodies inside it.
class state_table {
    std::deque<state_value> values_;  // they do not move
    std::map<std::string, state_value*> by_name_;

public:
    /// The variable of this name, which is made if there is none.
    state_value& named(text_view name, element type) {
        state_value*& known = by_name_[std::string(name.data(), name.size())];
        if (known == nullptr) {
            values_.push_back({text(name), type, {}, false, {}});
            known = &values_.back();
        }
        return *known;
    }
    const state_value* find(text_view name) const {
        const auto known = by_name_.find(std::string(name.data(), name.size()));
        return known == by_name_.end() ? nullptr : known->second;
    }
    /// All variables begin anew.
    void reset() {
        for (state_value& each : values_) {
            each.is_set = false;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::runtime
