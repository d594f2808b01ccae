// SPDX-License-Identifier: Apache-2.0
// The library's lists of types as Hana's algorithms see them.
#include <lpt/base/hana.hpp>
#include <lpt/op/all.hpp>
#include <lpt/pipeline/low_precision.hpp>
#include <lpt/pipeline/registry.hpp>
#include <lpt/target/composition.hpp>
#include <lpt/target/cpu_x86.hpp>

#include <boost/hana/all_of.hpp>
#include <boost/hana/append.hpp>
#include <boost/hana/concept/foldable.hpp>
#include <boost/hana/concept/iterable.hpp>
#include <boost/hana/concept/monad_plus.hpp>
#include <boost/hana/concept/searchable.hpp>
#include <boost/hana/contains.hpp>
#include <boost/hana/count_if.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/find_if.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/optional.hpp>
#include <boost/hana/reverse.hpp>
#include <boost/hana/transform.hpp>
#include <boost/hana/tuple.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

using namespace lpt;
using hana::type_c;

namespace {

/// A step of a pipeline that does nothing.
struct step {
    static constexpr void run(rewrite&) {}
};
struct first : step {};
struct second : step {};
struct third : step {};
constexpr stage<first, second, third> three;

template <class Wanted>
struct is {
    template <class Member>
    constexpr auto operator()(hana::basic_type<Member>) const {
        return hana::bool_c<std::is_same_v<Member, Wanted>>;
    }
};

/// Like a condition about what a user reads: the operation that a restriction is about.
struct is_about_mat_mul {
    template <class Member>
    constexpr auto operator()(hana::basic_type<Member>) const {
        return hana::false_c;
    }
    template <class... On>
    constexpr auto operator()(hana::basic_type<precisions<op::mat_mul, On...>>) const {
        return hana::true_c;
    }
};

template <class List>
constexpr bool is_sequence = hana::Foldable<List>::value && hana::Iterable<List>::value &&
                             hana::Searchable<List>::value && hana::MonadPlus<List>::value;

template <class One, class Other>
constexpr bool same(One, Other) {
    return std::is_same_v<One, Other>;
}

using small = pipeline<stage<>, stage<first>, stage<>, stage<>, stage<second, third>>;

}  // namespace

TEST_CASE("Stages, restrictions, operation lists and attribute sets are Hana sequences") {
    static_assert(is_sequence<stage<>> && is_sequence<stage<first>>);
    static_assert(is_sequence<restrictions<>> && is_sequence<op::list<op::add>> && is_sequence<attribute::set<>>);
}

TEST_CASE("Pipelines and targets are foldable, iterable, searchable, and can be filtered") {
    static_assert(is_sequence<default_pipeline>);
    static_assert(is_sequence<std::remove_const_t<decltype(cpu_x86)>>);
}

TEST_CASE("A list is read member by member") {
    static_assert(hana::length(three) == hana::size_c<3>);
    static_assert(hana::at_c<1>(three) == type_c<second>);
    static_assert(hana::is_empty(stage<>{}));
    static_assert(same(hana::drop_front(three), stage<second, third>{}));
    static_assert(same(hana::drop_front(three, hana::size_c<2>), stage<third>{}));
}

TEST_CASE("A list is searched") {
    static_assert(hana::contains(three, type_c<second>));
    static_assert(!hana::contains(three, type_c<int>));
    static_assert(hana::find_if(three, is<third>{}) == hana::just(type_c<third>));
    static_assert(hana::find_if(three, is<int>{}) == hana::nothing);
    static_assert(hana::count_if(three, is<first>{}) == hana::size_c<1>);
}

TEST_CASE("A list made of another is of the same sort") {
    static_assert(same(hana::filter(three, is<second>{}), stage<second>{}));
    static_assert(same(hana::remove_if(three, is<second>{}), stage<first, third>{}));
    static_assert(same(hana::append(three, type_c<int>), stage<first, second, third, int>{}));
    static_assert(same(hana::reverse(three), stage<third, second, first>{}));
    static_assert(same(hana::concat(three, stage<int>{}), stage<first, second, third, int>{}));
    static_assert(same(hana::transform(three, hana::metafunction<std::add_pointer>), stage<first*, second*, third*>{}));
    static_assert(same(hana::remove_if(op::list<op::add, op::relu>{}, is<op::add>{}), op::list<op::relu>{}));
}

TEST_CASE("A list becomes a tuple, which takes any results") {
    static_assert(hana::to_tuple(three) == hana::tuple_t<first, second, third>);
    constexpr auto sizes = hana::transform(hana::to_tuple(three), [](auto member) { return hana::sizeof_(member); });
    static_assert(hana::all_of(sizes, [](auto size) { return size == hana::size_c<1>; }));
}

TEST_CASE("A pipeline is iterated in the order of its stages") {
    std::string names;
    hana::for_each(default_pipeline{}, [&](auto member) {
        names += std::string(decltype(member)::type::name.data(), decltype(member)::type::name.size()) + " ";
    });
    CHECK(names.find("PullReshapeThroughDequantization ") == 0);
    CHECK(names.find("MarkupBias ") < names.find("ConvolutionTransformation "));
    static_assert(hana::at_c<0>(small{}) == type_c<first> && hana::length(small{}) == hana::size_c<3>);
}

TEST_CASE("A pipeline that is filtered keeps its stages") {
    static_assert(same(hana::remove_if(small{}, is<second>{}),
                       pipeline<stage<>, stage<first>, stage<>, stage<>, stage<third>>{}));
    using without_bias = decltype(hana::remove_if(default_pipeline{}, is<markup_bias>{}));
    static_assert(std::is_same_v<without_bias, default_pipeline::without<markup_bias>>);
}

TEST_CASE("Pipelines are put together stage by stage") {
    using more = pipeline<stage<>, stage<third>, stage<first>, stage<>, stage<>>;
    static_assert(same(hana::concat(small{}, more{}),
                       pipeline<stage<>, stage<first, third>, stage<first>, stage<>, stage<second, third>>{}));
    static_assert(same(hana::concat(small{}, hana::empty<holder_tag<pipeline>>()), small{}));
}

TEST_CASE("A target is its restrictions and its settings") {
    constexpr target_of<restrictions<per_tensor<op::add>, precisions<op::mat_mul, on<0, u8>>>,
                        disable<add_transformation>>
        own;
    static_assert(hana::length(own) == hana::size_c<3>);
    static_assert(hana::find_if(own, is_about_mat_mul{}) == hana::just(type_c<precisions<op::mat_mul, on<0, u8>>>));
    static_assert(same(hana::remove_if(own, is_about_mat_mul{}),
                       target_of<restrictions<per_tensor<op::add>>, disable<add_transformation>>{}));
    static_assert(same(hana::remove_if(own, is<disable<add_transformation>>{}), own.enabling<add_transformation>()));
}

TEST_CASE("Computed restrictions are one member of a target") {
    constexpr target_of<computed_restrictions<[] { return restriction_table{}; }>> own;
    static_assert(hana::length(own) == hana::size_c<1>);
    static_assert(same(hana::filter(own, is<int>{}), target_of<restrictions<>>{}));
}

TEST_CASE("Concatenated targets: the second overrides the first") {
    constexpr target_of<restrictions<precisions<op::mat_mul, on<0, u8>>>> old;
    constexpr target_of<restrictions<precisions<op::mat_mul, on<0, i8>>>, disable<add_transformation>> with;
    static_assert(same(hana::concat(old, with), with));
    static_assert(same(old | with, with));
}

TEST_CASE("Every member of the default pipeline is a pass that can be found by its name") {
    hana::for_each(default_pipeline{}, [](auto member) { CHECK(find_pass(decltype(member)::type::name) != nullptr); });
}
