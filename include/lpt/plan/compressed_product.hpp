// SPDX-License-Identifier: Apache-2.0
// Products with weights of few bits.
#pragma once

#include <lpt/plan/planner.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Codes of weights, [columns][blocks][elements of a block], without a sign.
class weight_codes {
    const std::byte* data_;
    std::int64_t bits_;
    std::int64_t block_;  // elements; the last block may have some that no row has
    std::uint32_t sign_;  // flips it in all codes of a word

public:
    explicit weight_codes(const tensor& weights)
        : data_(weights.data()),
          bits_(static_cast<std::int64_t>(bit_width(weights.type()))),
          block_(weights.dimensions()[2]),
          sign_(weights.type() == i4   ? 0x88888888u
                : weights.type() == i8 ? 0x80808080u
                                       : 0u) {}

    /// What has to be added to a code to have none below zero.
    double shift() const { return sign_ == 0 ? 0 : bits_ == 4 ? 8 : 128; }

    /// The codes of a block from element `k` on, at most a word of them, the first one in the lowest bits.
    std::uint32_t word(std::int64_t block, std::int64_t k, std::int64_t count) const {
        const std::int64_t first = block * block_ + k;
        std::uint32_t result = 0;
        if (first * bits_ % 8 == 0 && count * bits_ == 32) {
            std::memcpy(&result, data_ + first * bits_ / 8, sizeof result);
            return result ^ sign_;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t at = (first + i) * bits_;
            const auto byte = std::to_integer<std::uint32_t>(data_[at / 8]) >> at % 8;
            result |= ((byte ^ sign_) & ((1u << bits_) - 1u)) << i * bits_;
        }
        return result;
    }
};

/// One panel of packed weights. `zero_points`: null where the problem has one for all.
inline void pack_compressed_panel(const kernel::compressed_product_problem& p, const weight_codes& codes,
                                  const tensor& scales, const tensor* zero_points, std::int64_t panel, std::byte* to) {
    const kernel::compressed_block form(p);
    constexpr std::int64_t width = kernel::compressed_block::panel_columns;
    const std::int64_t blocks = kernel::compressed_blocks(p);
    const std::int64_t first = panel * width;
    const std::int64_t columns = std::min(width, p.columns - first);
    const auto put = [](std::byte* at, auto value) { std::memcpy(at, &value, sizeof value); };
    for (std::int64_t b = 0; b < blocks; ++b, to += form.bytes) {
        const std::int64_t size = std::min(p.block, p.inner - b * p.block);
        for (std::int64_t i = 0; i < columns; ++i) {
            const std::int64_t at = (first + i) * blocks + b;
            put(to + i * 4, static_cast<float>(scales.real(static_cast<std::size_t>(at))));
            if (zero_points != nullptr) {
                const double zero = zero_points->real(static_cast<std::size_t>(at)) + codes.shift();
                put(to + form.zero_points_at + i * 4, static_cast<float>(zero));
            }
            for (std::int64_t word = 0; word * form.codes_of_word < size; ++word) {
                const std::int64_t k = word * form.codes_of_word;
                const std::uint32_t value = codes.word(at, k, std::min(form.codes_of_word, size - k));
                put(to + form.words_at + (word * width + i) * form.word_bytes, value);
            }
        }
    }
}

/// Calls `work(i)` for each i in [0, count), on as many threads as there are.
template <class Work>
void for_each_part(const kernel::parallel_for& parallel, std::int64_t count, const Work& work) {
    const std::int64_t tasks = parallel.run == nullptr ? 1 : std::min<std::int64_t>(parallel.threads, count);
    struct job {
        const Work& work;
        std::int64_t count, tasks;
        static void run(void* context, int task) {
            const job& self = *static_cast<const job*>(context);
            for (std::int64_t i = self.count * task / self.tasks; i < self.count * (task + 1) / self.tasks; ++i) {
                self.work(i);
            }
        }
    };
    job all{work, count, tasks};
    if (tasks > 1) {
        parallel.run(parallel.pool, static_cast<int>(tasks), &job::run, &all);
    } else {
        job::run(&all, 0);
    }
}

inline bool rounds_data(const node& product, data_rounding which) {
    return which == data_rounding::all || (which == data_rounding::allowed && product.has(mark::may_round_data));
}

/// The numbers of weights besides their codes, as a word that differs where they do.
inline std::string hash_of(const tensor& numbers) {
    const std::string_view all(reinterpret_cast<const char*>(numbers.data()), numbers.size_in_bytes());
    return std::to_string(std::hash<std::string_view>()(all));
}

/// True if all numbers are the same.
inline bool is_one_number(const tensor& numbers) {
    for (std::size_t i = 1; i < numbers.elements(); ++i) {
        if (numbers.real(i) != numbers.real(0)) {
            return false;
        }
    }
    return numbers.elements() != 0;
}

}  // namespace detail

/// FullyConnectedCompressed with known weights.
inline bool planner::make_compressed_product(node_id id) {
    const node& each = model()[id];
    if (!each.is<op::fully_connected_compressed>() || !detail::maps_f32(model(), each)) {
        return false;
    }
    for (std::size_t port = 1; port < each.inputs(); ++port) {
        if (model().constant_value(each.input(port)) == nullptr) {
            return false;
        }
    }
    const tensor weights = *model().constant_value(each.input(1));
    const tensor scales = *model().constant_value(each.input(2));
    const tensor* zero_points = each.inputs() > 3 ? model().constant_value(each.input(3)) : nullptr;
    const shape& data = model().shape(each.input(0));
    const detail::weight_codes codes(weights);
    kernel::compressed_product_problem problem;
    problem.inner = data[data.rank() - 1];
    problem.rows = static_cast<std::int64_t>(data.elements()) / problem.inner;
    problem.columns = weights.dimensions()[0];
    problem.block = std::min<std::int64_t>(weights.dimensions()[2], problem.inner);
    problem.bits = static_cast<std::int64_t>(bit_width(weights.type()));
    problem.rounds_rows = detail::rounds_data(each, options_.dynamic_quantization);
    if (zero_points != nullptr && detail::is_one_number(*zero_points)) {
        problem.zero_point = static_cast<float>(zero_points->real(0) + codes.shift());
        zero_points = nullptr;
    } else {
        problem.has_zero_points = zero_points != nullptr;
        problem.zero_point = static_cast<float>(codes.shift());
    }
    std::string form = "compressed " + std::to_string(problem.inner);
    for (std::size_t port = 2; port < each.inputs(); ++port) {
        form += " " + detail::hash_of(*model().constant_value(each.input(port)));
    }
    const auto packed =
        packed_weights().find_or_pack(weights, form, kernel::compressed_bytes(problem), [&](std::byte* to) {
            const std::int64_t panels = kernel::compressed_panels(problem);
            const auto size = static_cast<std::int64_t>(kernel::compressed_bytes(problem)) / panels;
            detail::for_each_part(options_.parallel, panels, [&](std::int64_t panel) {
                detail::pack_compressed_panel(problem, codes, scales, zero_points, panel, to + panel * size);
            });
        });
    const tensor_id from = make_f32(tensor_of(each.input(0), layout::plain));
    const tensor_id constant = add_constant(detail::tensor_of_packed(packed));
    const tensor_id to = add_tensor(f32, each.shape(), layout::plain);
    const auto scratch = static_cast<dimension>(kernel::compressed_scratch_bytes(problem));
    define(id, to);
    add_kernel({id}, problem,
               {from, constant, to, scratch == 0 ? tensor_id::none : add_tensor(u8, shape{scratch}, layout::plain)},
               problem.rounds_rows ? i8 : f32);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
