// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/traverse.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

/// Inputs for networks: shapes where a network leaves them open, and values on which its arithmetic is exact.
namespace lpt::proof {

namespace detail {

inline graph with_shapes(const graph& model, const std::vector<shape>& shapes) {
    graph result = model;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const node_id id = result.parameters()[i];
        result.set_attributes(id, op::parameter{result[id].as<op::parameter>().element_type, shapes[i]});
    }
    infer_all(result);
    return result;
}

/// True if the network has a variable whose size changes from run to run; it may begin with nothing.
inline bool has_growing_variable(const graph& model) {
    for (const node_id id : topological_order(model)) {
        if (model[id].is<op::read_value>() && model[id].shape().is_dynamic()) {
            return true;
        }
    }
    return false;
}

/// True if all indices of a Gather that are known are places of the axis.
inline bool takes_what_is_there(const graph& model, const node& gather) {
    const tensor* indices = model.constant_value(gather.input(1));
    const tensor* axis = model.constant_value(gather.input(2));
    if (indices == nullptr || axis == nullptr) {
        return true;
    }
    const shape& data = model.shape(gather.input(0));
    const dimension size = data[static_cast<std::size_t>(normalized_axis(axis->integer(0), data.rank()))];
    const integers all = integers_of(*indices);
    return std::all_of(all.begin(), all.end(), [&](std::int64_t each) { return each >= -size && each < size; });
}

/// True if these inputs fit, and no constant of an elementwise operation makes its data larger.
inline bool fits(const graph& model, const std::vector<shape>& shapes) {
    try {
        const graph concrete = with_shapes(model, shapes);
        const bool grows = has_growing_variable(concrete);
        for (const node_id id : topological_order(concrete)) {
            const node& each = concrete[id];
            for (std::size_t port = 0; port < each.outputs() && !grows; ++port) {
                if (each.shape(port).is_dynamic()) {
                    return false;
                }
                for (const dimension size : each.shape(port)) {
                    if (size < 1) {
                        return false;
                    }
                }
            }
            if (each.is<op::reshape>() && concrete.shape(each.input(0)).elements() != each.shape().elements()) {
                return false;
            }
            if (each.is<op::gather>() && !grows && !takes_what_is_there(concrete, each)) {
                return false;
            }
            const bool elementwise = each.is<op::multiply>() || each.is<op::subtract>() || each.is<op::add>() ||
                                     each.is<op::fake_quantize>();
            if (elementwise && !grows && concrete.constant_value(each.input(1)) != nullptr &&
                !(concrete.shape(each.input(0)) == each.shape())) {
                return false;
            }
        }
        return true;
    } catch (const error&) {
        return false;
    }
}

/// Sizes that the constants of a network speak of, and some small ones.
inline std::vector<dimension> likely_sizes(const graph& model) {
    std::vector<dimension> result;
    const auto add = [&](dimension size) {
        if (size > 0 && size <= 4096 && std::find(result.begin(), result.end(), size) == result.end()) {
            result.push_back(size);
        }
    };
    for (const node_id id : topological_order(model)) {
        if (const tensor* value = model[id].is<op::constant>() ? &model[id].as<op::constant>().value : nullptr) {
            for (const dimension size : value->dimensions()) {
                add(size > 1 ? size : 0);
            }
            if (value->type() == i64 && value->elements() <= 8) {
                for (const std::int64_t size : integers_of(*value)) {
                    add(size > 1 ? size : 0);
                }
            }
        } else {
            for (std::size_t port = 0; port < model[id].outputs(); ++port) {
                for (const dimension size : model[id].shape(port)) {
                    add(size > 1 ? size : 0);
                }
            }
        }
    }
    for (const dimension size : {4, 3, 2, 6, 8, 1, 16, 5, 9, 12}) {
        add(size);
    }
    const std::vector<dimension> single = result;
    for (std::size_t i = 0; i + 1 < single.size() && i < 6; ++i) {
        add(single[i] * single[i + 1]);  // a Reshape may split an axis
    }
    return result;
}

/// The same shapes with open sizes made as small as the network allows, one after another.
inline std::vector<shape> shrunk(const graph& model, const std::vector<shape>& open, std::vector<shape> shapes) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        for (std::size_t axis = 0; axis < shapes[i].rank(); ++axis) {
            const bool is_open = open[i].rank_is_dynamic() || !open[i].is_static(axis);
            for (const dimension size : {2, 3, 4, 5, 8}) {
                if (!is_open || size >= shapes[i][axis] || shapes[i][axis] <= 16) {
                    continue;
                }
                std::vector<shape> smaller = shapes;
                smaller[i][axis] = size;
                if (fits(model, smaller)) {
                    shapes = std::move(smaller);
                }
            }
        }
    }
    return shapes;
}

/// The shape of a parameter with `rank` axes where its rank is open, and these sizes of batch, channels and further axes.
inline shape filled(shape open, std::size_t rank, dimension batch, dimension channels, dimension others) {
    if (open.rank_is_dynamic()) {
        open = shape::of_rank(rank);
    }
    for (std::size_t axis = 0; axis < open.rank(); ++axis) {
        if (!open.is_static(axis)) {
            open[axis] = axis == 0 && open.rank() > 1 ? batch : axis == 1 || open.rank() == 1 ? channels : others;
        }
    }
    return open;
}

}  // namespace detail

/// Static shapes for the parameters of a network, or nothing where none were found.
inline std::optional<std::vector<shape>> concrete_shapes(const graph& model) {
    std::vector<shape> open;
    bool is_static = true;
    bool open_rank = false;
    for (const node_id id : model.parameters()) {
        open.push_back(model[id].as<op::parameter>().dimensions);
        is_static = is_static && open.back().is_static();
        open_rank = open_rank || open.back().rank_is_dynamic();
    }
    if (is_static) {
        return open;
    }
    const std::vector<dimension> sizes = detail::likely_sizes(model);
    const auto tried = [&](std::size_t rank, dimension batch, dimension channels, dimension others) {
        std::vector<shape> result;
        for (const shape& each : open) {
            result.push_back(detail::filled(each, rank, batch, channels, others));
        }
        return detail::fits(model, result) ? std::optional(detail::shrunk(model, open, result)) : std::nullopt;
    };
    // The target of a Reshape tells a shape with as many elements.
    for (const node_id id : topological_order(model)) {
        const tensor* target = model[id].is<op::constant>() ? &model[id].as<op::constant>().value : nullptr;
        if (target == nullptr || target->type() != i64 || target->dimensions().rank() != 1 || !open_rank) {
            continue;
        }
        shape wanted(integers_of(*target));
        for (std::size_t axis = 0; axis < wanted.rank(); ++axis) {
            wanted[axis] = wanted[axis] == 0 ? 1 : wanted[axis];
        }
        std::vector<shape> result = open;
        for (shape& each : result) {
            each = each.rank_is_dynamic() ? wanted : each;
        }
        if (detail::fits(model, result)) {
            return result;
        }
    }
    for (const std::size_t rank : open_rank ? std::vector<std::size_t>{4, 3, 2, 5, 1} : std::vector<std::size_t>{4}) {
        for (const dimension batch : {dimension{1}, dimension{2}, dimension{4}, dimension{3}}) {
            for (const dimension channels : sizes) {
                for (const dimension others : sizes) {
                    if (auto found = tried(rank, batch, channels, others)) {
                        return found;
                    }
                }
            }
        }
    }
    std::minstd_rand random(1);
    for (int attempt = 0; attempt < 2000; ++attempt) {
        std::vector<shape> result = open;
        for (shape& each : result) {
            each = each.rank_is_dynamic() ? shape::of_rank(2 + random() % 4) : each;
            for (std::size_t axis = 0; axis < each.rank(); ++axis) {
                if (!each.is_static(axis)) {
                    each[axis] = axis == 0 && random() % 2 == 0 ? 1 : sizes[random() % sizes.size()];
                }
            }
        }
        if (detail::fits(model, result)) {
            return detail::shrunk(model, open, std::move(result));
        }
    }
    return std::nullopt;
}

/// The values of a parameter that tells a Broadcast its target, the shape of its data, or Gather which parts of a variable to take,
/// the first; nothing for other parameters.
inline std::optional<tensor> target_values(const graph& model, node_id parameter, const std::vector<shape>& shapes) {
    for (const input_ref user : model.uses(parameter)) {
        if (model[user.node].is<op::broadcast>() && user.port == 1) {
            const graph concrete = detail::with_shapes(model, shapes);
            const shape& data = concrete.shape(concrete[user.node].input(0));
            return make_integer_tensor(model[parameter].type(), shape{static_cast<dimension>(data.rank())},
                                       view<std::int64_t>(data.begin(), data.rank()));
        }
        if (model[user.node].is<op::gather>() && user.port == 1 &&
            model[model.producer(user.node, 0)].is<op::read_value>()) {
            return tensor_builder(model[parameter].type(), model[parameter].shape()).finish();
        }
    }
    return std::nullopt;
}

/// Random values: whole numbers for integer types, whole numbers of eight bits times 2^-7 … 2^1 for real ones.
inline tensor random_values(element type, const shape& dimensions, std::minstd_rand& random) {
    tensor_builder result(type == dynamic ? f32 : type, dimensions);
    const auto between = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    for (std::size_t i = 0; i < result.elements(); ++i) {
        if (is_real(result.type())) {
            result.real(i, std::ldexp(between(-128, 127), bit_width(result.type()) == 8 ? 0 : between(-7, 1)));
        } else {
            result.integer(i, bit_width(type) > 16 ? between(0, 3) : between(-32768, 32767));
        }
    }
    return result.finish();
}

}  // namespace lpt::proof
