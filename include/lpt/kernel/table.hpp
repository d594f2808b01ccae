// SPDX-License-Identifier: Apache-2.0
// The table of one instruction set. Include it only in the translation unit that is compiled for that instruction set:
//   #include <lpt/kernel/table.hpp>
//   template const lpt::kernel::kernel_table& lpt::kernel::table_of<lpt::kernel::on::avx2>() noexcept;
// with -ffp-contract=off and the flags of `lpt_add_kernels` (cmake/lpt_kernels.cmake).
#pragma once

#include <lpt/kernel/avx2/depthwise_dot.hpp>
#include <lpt/kernel/avx2/dot.hpp>
#include <lpt/kernel/avx2/lanes.hpp>
#include <lpt/kernel/avx512_vnni/depthwise_3x3.hpp>
#include <lpt/kernel/avx512_vnni/depthwise_5x5.hpp>
#include <lpt/kernel/avx512_vnni/dot.hpp>
#include <lpt/kernel/avx512_vnni/half_blocks.hpp>
#include <lpt/kernel/avx512_vnni/lanes.hpp>
#include <lpt/kernel/avx_vnni/dot.hpp>
#include <lpt/kernel/neon/dot.hpp>
#include <lpt/kernel/neon/lanes.hpp>
#include <lpt/kernel/neon_dot/dot.hpp>
#include <lpt/kernel/neon_i8mm/dot.hpp>
#include <lpt/kernel/neon_i8mm/tile.hpp>

#include <lpt/kernel/attention.hpp>
#include <lpt/kernel/cast.hpp>
#include <lpt/kernel/compressed_product.hpp>
#include <lpt/kernel/convert.hpp>
#include <lpt/kernel/convolution.hpp>
#include <lpt/kernel/fixed_binary.hpp>
#include <lpt/kernel/fixed_product.hpp>
#include <lpt/kernel/fixed_resize.hpp>
#include <lpt/kernel/fixed_sum.hpp>
#include <lpt/kernel/groups.hpp>
#include <lpt/kernel/lookup.hpp>
#include <lpt/kernel/pointwise.hpp>
#include <lpt/kernel/pool.hpp>
#include <lpt/kernel/real_prelu.hpp>
#include <lpt/kernel/recurrent.hpp>
#include <lpt/kernel/resampling.hpp>
#include <lpt/kernel/scalar/dense.hpp>
#include <lpt/kernel/scalar/fixed_product.hpp>
#include <lpt/kernel/softmax.hpp>
#include <lpt/kernel/top_k.hpp>
#include <lpt/kernel/transpose.hpp>

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

template <class Isa, class... Problems>
constexpr kernel_entries<problem_list<Problems...>> entries_of(problem_list<Problems...>) noexcept {
    return {{&kernel_of<Isa, Problems>::run}...};
}

}  // namespace detail

/// All kernels of `Isa`.
template <class Isa>
const kernel_table& table_of() noexcept {
    static constexpr kernel_table table{
        .instruction_set = Isa::value,
        .packed_gemm_bytes = &gemm<Isa>::packed_bytes,
        .pack_gemm = &gemm<Isa>::pack,
        .gemm = &gemm<Isa>::run,
        .packed_convolution_bytes = &convolution<Isa>::packed_bytes,
        .pack_convolution = &convolution<Isa>::pack,
        .convolution_scratch_bytes = &convolution<Isa>::scratch_bytes,
        .convolution = &convolution<Isa>::run,
        .method_of_convolution = &convolution<Isa>::method,
        .packed_fixed_product_bytes = &fixed_product<Isa>::packed_bytes,
        .pack_fixed_product = &fixed_product<Isa>::pack,
        .pool = &pool<Isa>::run,
        .binary = &binary<Isa>::run,
        .convert = &convert<Isa>::run,
        .lookup = &lookup<Isa>::run,
        .transpose = &transpose<Isa>::run,
        .others = detail::entries_of<Isa>(problems()),
        .specified = detail::entries_of<Isa>(specified_problems()),
    };
    return table;
}

} // namespace lpt::inline LPT_ABI::kernel
