// SPDX-License-Identifier: Apache-2.0
// A choice of layouts that changes few bytes.
#pragma once

#include <lpt/plan/steps.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

/// The layouts that a step can read and give; tensors by number.
struct layout_use {
    bool chooses = false;  // it computes in either layout
    layout order = layout::plain;  // in which it reads its tensors
    bool swaps = false;  // it gives the other layout without moving a byte: a Transpose of channels
    std::vector<int> reads;
    std::vector<int> gives;

    /// The layout of what it gives.
    layout given() const { return swaps ? other_layout(order) : order; }
};

/// Chooses the `order` of all uses that choose, so that few bytes are laid out anew.
///
/// The cost is the number of bytes of all tensors that some step wants in the layout in which they were not made. Steps that choose and share tensors
/// start in layouts that cost nothing between them. Each walk visits them in order, backwards and forwards in turn: it flips the leading ones, as many
/// as save most, which finds the smallest tensor between two steps, then any single one that saves bytes. Walks end when they save nothing, or after
/// `most_walks`. In networks of many branches fewer bytes may be possible; the least cut that would find them takes more than linear time.
///
/// A step could read the one layout and give the other. Its loops stride then, which takes longer than a change of the smaller of both tensors.
class layout_chooser {
public:
    /// `bytes`: by tensor; 0 where both layouts put the elements into the same order.
    layout_chooser(std::vector<layout_use>& uses, const std::vector<std::int64_t>& bytes)
        : uses_(uses), tensors_(bytes.size()), is_seen_(uses.size(), false) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            tensors_[i].bytes = bytes[i];
        }
        for (std::size_t i = 0; i < uses.size(); ++i) {
            enter(static_cast<int>(i));
        }
    }

    void choose() {
        for (std::size_t i = 0; i < uses_.size(); ++i) {
            if (!uses_[i].chooses || is_seen_[i]) {
                continue;
            }
            std::vector<int> around = neighbours_of(static_cast<int>(i));
            std::sort(around.begin(), around.end());
            int idle = 0;
            for (int walk = 0; idle < 2 && walk < most_walks; ++walk) {
                std::reverse(around.begin(), around.end());
                const bool some = flip_first(around);
                const bool single = flip_each(around);
                idle = some || single ? 0 : idle + 1;
            }
        }
    }

    std::int64_t cost() const {
        std::int64_t sum = 0;
        for (const tensor_use& each : tensors_) {
            sum += cost_of(each);
        }
        return sum;
    }

    static constexpr int most_walks = 8;

private:
    struct tensor_use {
        std::int64_t bytes = 0;
        layout made = layout::plain;
        int readers[2] = {};  // by the layout that they want
        int maker = -1;
        std::vector<int> choosing;  // its maker and readers, where they choose
        std::int64_t last_visit = -1;
    };

    static std::size_t index_of_layout(layout order) { return order == layout::plain ? 0 : 1; }
    tensor_use& tensor(int number) { return tensors_[static_cast<std::size_t>(number)]; }
    layout_use& use(int number) { return uses_[static_cast<std::size_t>(number)]; }
    static std::int64_t cost_of(const tensor_use& each) {
        return each.readers[index_of_layout(other_layout(each.made))] != 0 ? each.bytes : 0;
    }

    template <class Function>
    void for_each_tensor(const layout_use& each, Function function) {
        for (const std::vector<int>* numbers : {&each.reads, &each.gives}) {
            for (const int number : *numbers) {
                function(tensor(number));
            }
        }
    }

    /// Adds what a use wants, times 1, or takes it away, times -1.
    void count(const layout_use& each, int times) {
        for (const int number : each.reads) {
            tensor(number).readers[index_of_layout(each.order)] += times;
        }
        for (const int number : each.gives) {
            tensor(number).made = each.given();
        }
    }
    void enter(int number) {
        const layout_use& each = use(number);
        count(each, 1);
        for (const int given : each.gives) {
            tensor(given).maker = number;
        }
        if (each.chooses) {
            for_each_tensor(each, [&](tensor_use& tensor) { tensor.choosing.push_back(number); });
        }
    }
    std::int64_t cost_around(const layout_use& of) {
        std::int64_t sum = 0;
        ++visit_;
        for_each_tensor(of, [&](tensor_use& each) {
            sum += each.last_visit != visit_ ? cost_of(each) : 0;
            each.last_visit = visit_;
        });
        return sum;
    }
    /// Flips a use; what that adds to the cost.
    std::int64_t flip(int number) {
        layout_use& each = use(number);
        const std::int64_t before = cost_around(each);
        count(each, -1);
        each.order = other_layout(each.order);
        count(each, 1);
        return cost_around(each) - before;
    }
    /// Flips each of some uses that saves bytes; false if none does.
    bool flip_each(const std::vector<int>& numbers) {
        bool saves = false;
        for (const int number : numbers) {
            if (flip(number) < 0) {
                saves = true;
            } else {
                flip(number);
            }
        }
        return saves;
    }
    /// Flips the first few of some uses, as many as save most; false if that is none.
    bool flip_first(const std::vector<int>& numbers) {
        std::int64_t cost = 0;
        std::int64_t least = 0;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            cost += flip(numbers[i]);
            if (cost < least) {
                least = cost;
                kept = i + 1;
            }
        }
        for (std::size_t i = numbers.size(); i-- > kept;) {
            flip(numbers[i]);
        }
        return kept != 0;
    }

    /// The uses that choose and are connected to one, in the layouts that cost nothing between them.
    std::vector<int> neighbours_of(int first) {
        std::vector<int> found;
        reach(first, use(first).order, found);
        for (std::size_t next = 0; next < found.size(); ++next) {
            const layout_use& each = use(found[next]);
            for (const int number : each.gives) {
                reach_around(number, each.given(), found);
            }
            for (const int number : each.reads) {
                reach_around(number, each.order, found);
            }
        }
        return found;
    }
    void reach_around(int number, layout order, std::vector<int>& found) {
        std::vector<int> around;
        std::swap(around, tensor(number).choosing);  // nobody asks again
        for (const int each : around) {
            const bool swaps = each == tensor(number).maker && use(each).swaps;
            reach(each, swaps ? other_layout(order) : order, found);
        }
    }
    void reach(int number, layout order, std::vector<int>& found) {
        if (is_seen_[static_cast<std::size_t>(number)]) {
            return;
        }
        is_seen_[static_cast<std::size_t>(number)] = true;
        found.push_back(number);
        if (use(number).order != order) {
            flip(number);
        }
    }

    std::vector<layout_use>& uses_;
    std::vector<tensor_use> tensors_;
    std::vector<bool> is_seen_;  // by use
    std::int64_t visit_ = -1;
};

}  // namespace lpt::inline LPT_ABI::plan
