// SPDX-License-Identifier: Apache-2.0
// The loops of elementwise steps: how far operands and numbers move along them, and which of them are one.
#pragma once

#include <lpt/plan/spread.hpp>
#include <lpt/plan/steps.hpp>

#include <algorithm>
#include <vector>

namespace lpt::inline LPT_ABI::plan::detail {

/// True if strides lead to the same places along all axes of more than one element.
inline bool same_places(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right,
                        const std::vector<std::int64_t>& sizes) {
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] != 1 && left[axis] != right[axis]) {
            return false;
        }
    }
    return true;
}

/// The loops of an elementwise step: axes of the output from the outermost in memory to the innermost, and how far each operand
/// moves along them. Axes that all operands walk without a gap become one.
struct loops {
    std::vector<std::int64_t> sizes;
    std::vector<std::vector<std::int64_t>*> operands;  // strides by axis, in the order of `sizes`

    void merge() {
        std::size_t kept = 0;
        for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
            if (sizes[axis] == 1) {
                continue;
            }
            if (kept != 0 && continues(kept - 1, axis)) {
                sizes[kept - 1] *= sizes[axis];
                for (std::vector<std::int64_t>* each : operands) {
                    (*each)[kept - 1] = (*each)[axis];
                }
            } else {
                sizes[kept] = sizes[axis];
                for (std::vector<std::int64_t>* each : operands) {
                    (*each)[kept] = (*each)[axis];
                }
                ++kept;
            }
        }
        resize(kept);
        while (sizes.size() < 2) {
            insert(0);
        }
    }
    void insert(std::size_t axis) {
        const auto at = static_cast<std::ptrdiff_t>(axis);
        sizes.insert(sizes.begin() + at, 1);
        for (std::vector<std::int64_t>* each : operands) {
            each->insert(each->begin() + at, 0);
        }
    }
    void move_to_end(std::size_t axis) {
        move(sizes, axis);
        for (std::vector<std::int64_t>* each : operands) {
            move(*each, axis);
        }
    }

private:
    bool continues(std::size_t outer, std::size_t inner) const {
        for (const std::vector<std::int64_t>* each : operands) {
            if ((*each)[outer] != (*each)[inner] * sizes[inner]) {
                return false;
            }
        }
        return true;
    }
    void resize(std::size_t count) {
        sizes.resize(count);
        for (std::vector<std::int64_t>* each : operands) {
            each->resize(count);
        }
    }
    static void move(std::vector<std::int64_t>& values, std::size_t axis) {
        const std::int64_t value = values[axis];
        values.erase(values.begin() + static_cast<std::ptrdiff_t>(axis));
        values.push_back(value);
    }
};

inline std::vector<std::int64_t> in_order(const std::vector<std::int64_t>& by_axis,
                                          const std::vector<std::size_t>& order) {
    std::vector<std::int64_t> result;
    for (const std::size_t axis : order) {
        result.push_back(by_axis[axis]);
    }
    return result;
}

/// Strides of a tensor that broadcasts to `dimensions`, by axis of those.
inline std::vector<std::int64_t> broadcast_strides(const shape& from, layout order, const shape& dimensions) {
    const std::vector<std::int64_t> own = strides_of(from, order);
    std::vector<std::int64_t> result(dimensions.rank(), 0);
    for (std::size_t i = 0; i < own.size() && i < result.size(); ++i) {
        const std::size_t axis = own.size() - 1 - i;
        result[result.size() - 1 - i] = from[axis] == 1 ? 0 : own[axis];
    }
    return result;
}
inline std::vector<std::int64_t> broadcast_strides(const stored_tensor& tensor, const shape& dimensions) {
    return broadcast_strides(tensor.dimensions, tensor.order, dimensions);
}

/// Numbers in the order of memory, with their strides by loop axis.
inline number_row numbers_in_order(const spread& numbers, const std::vector<std::size_t>& order) {
    number_row result;
    if (numbers.is_one()) {
        result.values = {static_cast<float>(numbers.one())};
        return result;
    }
    const std::vector<std::int64_t> from = in_order(numbers.strides(order.size()), order);
    const lpt::shape dimensions =
        numbers.dimensions.padded_left(order.size());  // the tensor of the loops may have more axes
    std::vector<std::int64_t> sizes;
    for (const std::size_t axis : order) {
        sizes.push_back(dimensions[axis]);
    }
    result.values.resize(numbers.values.size());
    result.strides.assign(order.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        result.strides[i] = sizes[i] == 1 ? 0 : stride;
        stride *= sizes[i];
    }
    std::vector<std::int64_t> at(order.size(), 0);
    for (float& value : result.values) {
        std::int64_t index = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            index += at[i] * from[i];
        }
        value = static_cast<float>(numbers.values[static_cast<std::size_t>(index)]);
        for (std::size_t i = at.size(); i-- > 0;) {
            if (++at[i] < sizes[i]) {
                break;
            }
            at[i] = 0;
        }
    }
    return result;
}

inline std::vector<number_row*> number_rows_of(elementwise_step& work) {
    std::vector<number_row*> result{&work.finish.scale, &work.finish.bias};
    for (planned_post& post : work.finish.posts) {
        result.push_back(&post.a);
        result.push_back(&post.b);
    }
    for (int i = 0; i < 2; ++i) {
        result.push_back(&work.scales[i]);
        result.push_back(&work.shifts[i]);
    }
    return result;
}

/// The tensors that an elementwise step reads.
inline std::vector<strided_tensor> operands_of(const elementwise_step& work) {
    std::vector<strided_tensor> result{work.operands[0]};
    if (work.has_two) {
        result.push_back(work.operands[1]);
    }
    for (const planned_post& post : work.finish.posts) {
        if (post.residual.tensor != tensor_id::none) {
            result.push_back(post.residual);
        }
    }
    return result;
}

/// True if an elementwise step does the same to all its elements.
inline bool treats_all_alike(const elementwise_step& work) {
    bool result = work.finish.scale.is_one() && work.finish.bias.is_one();
    for (int i = 0; i < 2; ++i) {
        result = result && work.scales[i].is_one() && work.shifts[i].is_one();
    }
    return result && std::all_of(work.finish.posts.begin(), work.finish.posts.end(),
                                 [](const planned_post& post) { return post.a.is_one() && post.b.is_one(); });
}

/// Merges the loops and puts them into the form of the kernels; false if these cannot run along them.
inline bool settle_loops(elementwise_step& work) {
    loops all;
    all.sizes = work.sizes;
    all.operands = {&work.operands[0].strides, &work.output.strides};
    if (work.has_two) {
        all.operands.push_back(&work.operands[1].strides);
    }
    bool residual = false;
    for (planned_post& post : work.finish.posts) {
        if (post.residual.tensor != tensor_id::none) {
            all.operands.push_back(&post.residual.strides);
            residual = true;
        }
    }
    std::vector<number_row*> arrays;
    for (number_row* each : number_rows_of(work)) {
        if (!each->is_one()) {
            arrays.push_back(each);
            all.operands.push_back(&each->strides);
        }
    }
    all.merge();
    const auto varies = [&](std::size_t axis) {
        for (const number_row* each : arrays) {
            if (each->strides[axis] != 0) {
                return true;
            }
        }
        return false;
    };
    std::size_t varying = 0;
    std::size_t last_varying = 0;
    for (std::size_t axis = 0; axis < all.sizes.size(); ++axis) {
        if (varies(axis)) {
            ++varying;
            last_varying = axis;
        }
    }
    const std::size_t last = all.sizes.size() - 1;
    if (!work.has_two && !residual && varying == 1 && last_varying != last) {
        all.move_to_end(last_varying);
    } else if (varies(last - 1)) {
        all.insert(last);
    }
    work.sizes = all.sizes;
    const std::size_t channels = work.sizes.size() - 1;
    bool fits = true;
    if (work.has_two) {
        fits = work.output.strides[channels] == 1 || work.sizes[channels] == 1;
        for (const strided_tensor& operand : work.operands) {
            fits = fits && (operand.strides[channels] == 1 || operand.strides[channels] == 0);
        }
    }
    for (const planned_post& post : work.finish.posts) {
        fits = fits && (post.residual.tensor == tensor_id::none || post.residual.strides[channels] == 1 ||
                        work.sizes[channels] == 1);
    }
    for (const number_row* each : arrays) {
        fits = fits && (each->strides[channels] == 1 || each->strides[channels] == 0);
    }
    return fits;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
