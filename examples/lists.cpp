// SPDX-License-Identifier: Apache-2.0
// Targets and pipelines of one's own, and the library's lists of types with Hana's algorithms: what a pipeline consists of, and others made
// of it; an operation's attributes.
#include <lpt/lpt.hpp>
#include <lpt/op/hana_struct.hpp>
#include <lpt/target/cpu_x86.hpp>

#include <boost/hana/any_of.hpp>
#include <boost/hana/contains.hpp>
#include <boost/hana/for_each.hpp>

#include <cstdio>

namespace hana = boost::hana;

// Conditions are functions of `hana::type_c<Member>` that give a `hana::bool_`.
constexpr auto reads_attributes = [](auto member) {
    return hana::bool_c<requires { typename decltype(member)::type::reads; }>;
};
struct is_about_convolution {
    template <class Member>
    constexpr auto operator()(hana::basic_type<Member>) const {
        return hana::false_c;
    }
    template <class... On>
    constexpr auto operator()(hana::basic_type<lpt::precisions<lpt::op::convolution, On...>>) const {
        return hana::true_c;
    }
    template <int... Ports>
    constexpr auto operator()(hana::basic_type<lpt::per_tensor<lpt::op::convolution, Ports...>>) const {
        return hana::true_c;
    }
};

// Asked when the program is compiled.
static_assert(hana::any_of(lpt::default_pipeline::markup{}, reads_attributes));
static_assert(hana::contains(lpt::op::mat_mul{}, BOOST_HANA_STRING("transpose_b")));

// What a target can do is a type, by input ports: 0 is data, 1 weights. What is not named is not restricted.
using convolution = lpt::precisions<lpt::op::convolution, lpt::on<0, lpt::u8>, lpt::on<1, lpt::i8>>;
constexpr auto my_target = lpt::restrictions<convolution, lpt::per_tensor<lpt::op::convolution, 0>>{};
// So is a pipeline: one whose parts do not fit together does not compile.
using my_pipeline = lpt::default_pipeline::without<lpt::multiply_to_group_convolution_transformation>;

// A target without some of its restrictions; a pipeline with one main transformation more. Without its markup, which others need, the
// pipeline would not compile.
constexpr auto target = hana::remove_if(lpt::cpu_x86, is_about_convolution{});
constexpr auto pipeline = hana::concat(
    lpt::default_pipeline{},
    lpt::pipeline<lpt::stage<>, lpt::stage<>, lpt::stage<lpt::multiply_to_group_convolution_transformation>,
                  lpt::stage<>, lpt::stage<>>{});

template <class List>
void print(const char* title, List list) {
    std::printf("%s\n", title);
    hana::for_each(list, [](auto member) {
        constexpr lpt::text_view name = decltype(member)::type::name;
        std::printf("    %.*s\n", static_cast<int>(name.size()), name.data());
    });
}

int main() {
    lpt::graph empty;
    lpt::transform<my_pipeline>(empty, my_target);
    std::printf("Attributes of MatMul:\n");
    hana::for_each(lpt::op::mat_mul{}, [](const auto& attribute) {
        std::printf("    %s: %s\n", hana::first(attribute).c_str(), hana::second(attribute) ? "true" : "false");
    });
    print("Markup:", lpt::default_pipeline::markup{});
    print("Of the whole pipeline, what needs attributes that others write:",
          hana::filter(pipeline.members(), reads_attributes));
    std::printf("Rows of restrictions: %d, without those of Convolution: %d\n",
                static_cast<int>(lpt::restriction_table(lpt::cpu_x86).precisions.size()),
                static_cast<int>(lpt::restriction_table(target).precisions.size()));
}
