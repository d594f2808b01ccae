// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// out[r][i] = table[in[r][i]] for `rows` rows of `count` bytes; an i8 value indexes with its bits as u8. In place is allowed.
/// `input_row_stride`, `output_row_stride`: bytes from row to row (>= count); of one row they do not matter.
struct lookup_problem {
    const std::uint8_t* input = nullptr;
    std::uint8_t* output = nullptr;
    std::int64_t count = 0;
    const std::uint8_t* table = nullptr;
    std::int64_t rows = 1;
    std::int64_t input_row_stride = 0;
    std::int64_t output_row_stride = 0;
};

/// out[n][c][r] = in[n][r][c] for `batch` matrices of rows x columns elements of 1 or 4 bytes.
/// `input_rows`, `output_rows`: where the rows of all matrices lie, of `columns` and of `rows` elements, those of a matrix equally far apart.
/// NCHW to NHWC: rows = C, columns = H * W; NHWC to NCHW: rows = H * W, columns = C. Input and output must not overlap.
struct transpose_problem {
    std::int64_t batch = 1;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    int element_bytes = 1;
    const void* input = nullptr;
    void* output = nullptr;
    row_layout input_rows = {};
    row_layout output_rows = {};
};

}  // namespace lpt::inline LPT_ABI::kernel
