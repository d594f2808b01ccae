// SPDX-License-Identifier: Apache-2.0
// What kernels require of an instruction set, asked of one that has it all and of ones that lack a member: while this is compiled.
#include <lpt/kernel/dense_pack.hpp>

#include <cstring>

namespace k = lpt::kernel;

namespace {

/// Dot products of four bytes in vectors of four sums, without any instruction for them.
struct plain_dots {
    typedef int accumulator __attribute__((vector_size(16)));
    struct row_group {
        std::uint8_t values[4];
    };
    struct column_group {
        std::int8_t values[4][4];
    };
    static constexpr std::int64_t group = 4;
    static constexpr int lanes = 4;
    static constexpr int rows = 1;
    static constexpr int vectors = 1;
    static constexpr bool unsigned_rows = true;
    static constexpr bool either_sign = false;

    static accumulator load(const std::int32_t* from) {
        accumulator sum;
        std::memcpy(&sum, from, sizeof sum);
        return sum;
    }
    static void store(std::int32_t* to, accumulator sum) { std::memcpy(to, &sum, sizeof sum); }
    static row_group load_row(const unsigned char* from) { return {{from[0], from[1], from[2], from[3]}}; }
    static column_group load_columns(const unsigned char* from) {
        column_group columns;
        std::memcpy(&columns, from, sizeof columns);
        return columns;
    }
    static accumulator step(accumulator sum, row_group row, column_group column) {
        for (int lane = 0; lane < lanes; ++lane) {
            for (int i = 0; i < 4; ++i) {
                sum[lane] += row.values[i] * column.values[lane][i];
            }
        }
        return sum;
    }
    static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count, bool is_signed) {
        for (std::int64_t i = 0; i < count; ++i) {
            to[i] = static_cast<unsigned char>(from[i] ^ (is_signed ? 0x80 : 0));
        }
    }
    static void settle(accumulator&) {}
    static accumulator bits(accumulator sum) { return sum; }
    static void interleave_block(unsigned char*, const unsigned char* const (&)[4], std::int64_t, unsigned char) {}
    static void interleave(unsigned char*, const unsigned char* const (&)[4], std::int64_t) {}
    template <bool High>
    static column_group load_halves(const unsigned char* from) {
        return load_columns(from);
    }
};
static_assert(k::dense_dot_products<plain_dots>);

/// A base's member that becomes private cannot be called from outside.
struct without_step : plain_dots {
private:
    using plain_dots::step;
};
struct without_form : plain_dots {
private:
    using plain_dots::unsigned_rows;
};
struct without_blocks : plain_dots {
private:
    using plain_dots::interleave_block;
};
struct without_interleaving : plain_dots {
private:
    using plain_dots::interleave;
};
static_assert(!k::dot_products<without_step> && !k::dot_products<without_form>);
static_assert(!k::dot_products<without_blocks>);
static_assert(k::dot_products<without_interleaving> && !k::dense_dot_products<without_interleaving>);

/// A vector has four bytes a lane, and there are groups of 2, 4 and 8.
struct of_five_lanes : plain_dots {
    static constexpr int lanes = 5;
};
struct of_three : plain_dots {
    static constexpr std::int64_t group = 3;
};
static_assert(!k::dot_products<of_five_lanes> && !k::dot_products<of_three>);

/// Who takes four k groups at once says how.
struct takes_blocks : plain_dots {
    using row_block = int;
};
static_assert(!k::dot_products<takes_blocks>);

/// Who has pairs says which columns fit, and what to do with them.
struct has_pairs : plain_dots {
    static constexpr int pairings = 3;
};
static_assert(!k::dot_products<has_pairs>);

/// Groups of two need no `interleave_block`.
struct of_two : without_blocks {
    static constexpr std::int64_t group = 2;
};
static_assert(k::dot_products<of_two>);

struct without_fma : k::lanes<k::on::scalar> {
private:
    using k::lanes<k::on::scalar>::fma;
};
static_assert(k::vector_lanes<k::lanes<k::on::scalar>> && !k::vector_lanes<without_fma>);
static_assert(!k::byte_lanes<k::lanes<k::on::scalar>>);  // which puts no vectors together

struct without_dots {};

}  // namespace

template <>
struct k::dot_product<without_dots> : without_step {};

namespace {

template <class Isa>
concept has_arithmetic = requires { typename k::integer_arithmetic<Isa>; };
static_assert(!has_arithmetic<without_dots>);

}  // namespace
