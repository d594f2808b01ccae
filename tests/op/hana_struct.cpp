// SPDX-License-Identifier: Apache-2.0
// The attributes of operations as Hana's algorithms see them.
#include <lpt/op/hana_struct.hpp>

#include <boost/hana/all_of.hpp>
#include <boost/hana/at_key.hpp>
#include <boost/hana/contains.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/keys.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/tuple.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace lpt;

namespace {

constexpr auto transpose_a = BOOST_HANA_STRING("transpose_a");
constexpr auto transpose_b = BOOST_HANA_STRING("transpose_b");

struct is_struct {
    template <class Op>
    constexpr auto operator()(hana::basic_type<Op>) const {
        if constexpr (op::detail::names_attributes<Op>) {
            return hana::bool_c < hana::Struct<Op>::value && decltype(hana::length(hana::keys(Op{})))::value != 0 > ;
        } else {
            return hana::true_c;
        }
    }
};

}  // namespace

TEST_CASE("Every published operation with attributes is a Hana Struct") {
    static_assert(hana::all_of(op::all{}, is_struct{}));
}

TEST_CASE("The keys are the published names, in the order of the fields") {
    static_assert(hana::equal(hana::keys(op::mat_mul{}), hana::make_tuple(transpose_a, transpose_b)));
    static_assert(hana::contains(op::convolution{}, BOOST_HANA_STRING("dilations")));
    static_assert(!hana::contains(op::convolution{}, transpose_a));
}

TEST_CASE("An attribute is read and written by its name") {
    op::mat_mul product{.transpose_a = false, .transpose_b = true};
    CHECK(hana::at_key(product, transpose_b));
    hana::at_key(product, transpose_a) = true;
    CHECK(product.transpose_a);
}

TEST_CASE("An attribute has its own type") {
    op::clamp limits;
    limits.min = 1;
    CHECK(hana::at_key(limits, BOOST_HANA_STRING("min")) == 1.0);
    const double& upper = hana::at_key(limits, BOOST_HANA_STRING("max"));
    CHECK(&upper == &limits.max);
}

TEST_CASE("Attributes are visited with their names") {
    std::string text;
    hana::for_each(op::mat_mul{.transpose_a = true, .transpose_b = false}, [&](const auto& attribute) {
        text += std::string(hana::first(attribute).c_str()) + (hana::second(attribute) ? "=true " : "=false ");
    });
    CHECK(text == "transpose_a=true transpose_b=false ");
}
