// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/node.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/graph.hpp>

#include <type_traits>

namespace {

struct state {};
struct other {};
enum class built { ok, rejected };
struct my_tools {
    int n = 0;
};

struct plain_fn {
    built operator()(state&) const { return built::ok; }
};
struct generic_fn {
    template <class Tools>
    lkt::result<built> operator()(state&, Tools& tools) const {
        return tools.does_not_exist(); // never instantiated to read the signature
    }
};
struct concrete_fn {
    void operator()(state&, my_tools&) const {}
};
struct constant_fn {
    void operator()(state const&, my_tools const&) const {}
};
struct either_fn {
    void operator()(state&) const {}
    built operator()(state&, auto&) const { return built::ok; }
};

template <class F, class S = state>
using signature = lkt::detail::node_signature<F, S>;
using lkt::detail::call_form;

inline constexpr plain_fn first{};
inline constexpr plain_fn second{};
struct titled_fn : plain_fn {
    static constexpr auto name = "a title";
};
inline constexpr titled_fn titled{};
inline constexpr struct stateful_fn {
    int n = 1;
    void operator()(state&) const {}
} stateful{};

} // namespace

TEST_CASE("a signature is read without tools and without a body") {
    CHECK(signature<plain_fn>::form == call_form::state);
    CHECK(signature<generic_fn>::form == call_form::state_and_tools);
    CHECK(signature<generic_fn>::fallible);
    CHECK(std::is_same_v<signature<generic_fn>::outcome, built>);
}

TEST_CASE("a node may name its own tools type") {
    CHECK(signature<concrete_fn>::form == call_form::state_and_tools);
    CHECK(signature<constant_fn>::form == call_form::state_and_tools);
}

TEST_CASE("a node that can do without tools is called without") {
    CHECK(signature<either_fn>::form == call_form::state);
    CHECK(std::is_void_v<signature<either_fn>::outcome>);
}

TEST_CASE("a node of another state is not accepted") {
    CHECK_FALSE(signature<plain_fn, other>::accepts);
    CHECK(signature<plain_fn, other>::form == call_form::none);
}

TEST_CASE("names come from the variable, or from the type's own name") {
    CHECK(lkt::detail::name_of_node<first>() == "first");
    CHECK(lkt::detail::name_of_node<second>() == "second");
    CHECK(lkt::detail::name_of_node<titled>() == "a title");
    CHECK(lkt::detail::numbered_name<first, 1>() == "first");
    CHECK(lkt::detail::numbered_name<first, 2>() == "first#2");
    CHECK(lkt::detail::numbered_name<first, 107>() == "first#107");
}

namespace {

using targets =
    lkt::detail::targets<lkt::detail::pack<stateful_fn, plain_fn, plain_fn>, lkt::detail::pack<>>;
template <auto const& F>
constexpr auto described = lkt::node_t<F>::template describe<state, targets>();

} // namespace

TEST_CASE("a description says what the analysis asks") {
    CHECK(described<first>.stateless);
    CHECK(described<first>.accepts_state);
    CHECK_FALSE(described<first>.fallible);
    CHECK(described<first>.outcomes == 2);
    CHECK(described<first>.outcome_valid);
    CHECK(described<first>.clauses == 0);
    CHECK(described<first>.first_duplicate == 1);
    CHECK(described<second>.first_duplicate == 1); // of the same type
    CHECK_FALSE(described<stateful>.stateless);
}
