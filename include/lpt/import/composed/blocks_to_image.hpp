// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>

namespace lpt::inline LPT_ABI::composed {

/// 1 where a place of a block and the place of the block meet an element of the image, along one axis: [places in both, elements].
inline output_ref meetings(composer& n, output_ref block, output_ref blocks, output_ref size, std::int64_t stride,
                           std::int64_t dilation, std::int64_t pad) {
    const auto times = [&](output_ref from, std::int64_t factor) {
        return n.make(op::multiply{}, {n.counted(from), n.integer_constant(factor)});
    };
    const output_ref place =
        n.make(op::add{}, {n.unsqueeze(times(block, dilation), {1}), n.unsqueeze(times(blocks, stride), {0})});
    const output_ref element = n.make(op::add{}, {n.counted(size), n.integer_constant(pad)});
    const output_ref meets = n.make(op::equal{}, {n.unsqueeze(place, {2}), n.unsqueeze(element, {0, 1})});
    return n.make(op::reshape{}, {n.convert(meets, f32), n.concat({n.indices({-1}), size}, 0)});
}

/// Blocks of an image, one a column, added up where they lie over each other: the opposite of taking them from the image.
///
/// `x`: [batch, channels * elements of a block, blocks]; `image`, `block`: their sizes, i64; a stride and a dilation an axis, two pads; empty lists are all 1 or 0.
inline output_ref blocks_to_image(composer& n, output_ref x, output_ref image, output_ref block, integers strides,
                                  integers dilations, integers pads) {
    const auto axes = n.static_shape(image).elements();
    strides.resize(strides.empty() ? axes : strides.size(), 1);
    dilations.resize(dilations.empty() ? axes : dilations.size(), 1);
    pads.resize(pads.empty() ? 2 * axes : pads.size(), 0);
    constexpr std::size_t most = 4;
    if (n.rank(x) != 3 || axes == 0 || axes > most || strides.size() != axes || dilations.size() != axes ||
        pads.size() != 2 * axes || n.static_shape(block).elements() != axes) {
        n.wrong({"strides, dilations, pads and blocks must fit the ", axes,
                 " axes of the image, and data must have three"});
    }
    seq<output_ref> matrices;
    seq<output_ref> sizes{n.indices({0, -1}), block};
    integers order{0, 1};
    for (std::size_t i = 0; i < axes; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        constexpr std::int64_t most_step = 1 << 30;
        const std::int64_t pad = math::minimum(pads[i], pads[i + axes]);
        const std::int64_t greatest =
            math::maximum(math::maximum(strides[i], dilations[i]), math::maximum(pads[i], pads[i + axes]));
        if (strides[i] < 1 || dilations[i] < 1 || pad < 0 || greatest > most_step) {
            n.wrong({"strides and dilations must be positive, pads not negative, and all at most ", most_step});
        }
        const output_ref size = n.slice(image, 0, at, at + 1);
        const output_ref own = n.slice(block, 0, at, at + 1);
        const auto number = [&](std::int64_t value) { return n.indices({value}); };
        const output_ref reach =
            n.make(op::multiply{}, {n.make(op::subtract{}, {own, number(1)}), number(dilations[i])});
        const output_ref room =
            n.make(op::subtract{}, {n.make(op::add{}, {size, number(pads[i] + pads[i + axes] - 1)}), reach});
        const output_ref blocks = n.make(op::add{}, {n.make(op::divide{}, {room, number(strides[i])}), number(1)});
        matrices.push_back(n.convert(meetings(n, own, blocks, size, strides[i], dilations[i], pads[i]), n.type(x)));
        sizes.push_back(blocks);
        order.push_back(at + 2);
        order.push_back(at + 2 + static_cast<std::int64_t>(axes));
    }
    output_ref result = n.transpose(n.make(op::reshape{true}, {x, n.concat(sizes, 0)}), order);
    for (std::size_t i = axes; i-- > 0;) {
        const std::size_t rank = n.rank(result);
        integers together(rank - 1, 0);
        together[rank - 2] = -1;
        integers moved{0, 1, static_cast<std::int64_t>(rank) - 2};
        for (std::size_t axis = 2; axis + 2 < rank; ++axis) {
            moved.push_back(static_cast<std::int64_t>(axis));
        }
        result = n.transpose(n.make(op::mat_mul{}, {n.reshape(result, together, true), matrices[i]}), moved);
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::composed
