// SPDX-License-Identifier: BSL-1.0
// A node: a callable with its clauses. Here the graph reads what a node returns, without tools and
// without instantiating a body.
#pragma once

#include <lkt/core/outcome.hpp>
#include <lkt/core/type_name.hpp>
#include <lkt/graph/clause.hpp>
#include <lkt/graph/detail/pack.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lkt {

namespace detail {

template <std::size_t N>
struct sentence {
    char letters[N]{};
    constexpr sentence(char const (&text)[N]) {
        for (std::size_t i = 0; i < N; ++i) letters[i] = text[i];
    }
};
template <sentence Diagnostic>
struct tools_to_come {
    template <class Tools>
    operator Tools&() const; // declared only
};

} // namespace detail

/// Replaces the tools while only the graph is known. It converts to a reference to anything, so a
/// node may take `auto& tools` or name its own tools type; it is never called. A node without a
/// declared return type is compiled with it: the compiler's message that it has no such member has
/// the code in the type's name.
using any_tools = detail::tools_to_come<"[lkt.graph.return-type] a node that takes tools states "
                                        "its return type: -> void, -> an_outcome or "
                                        "-> lkt::result<an_outcome>">;

namespace detail {

/// A strategy: a struct whose static member `graph` was made by `lkt::graph<State>(...)`.
template <class G>
concept has_graph = requires { typename std::remove_cvref_t<decltype(G::graph)>::lkt_graph; };

template <class G>
using graph_of = std::remove_cvref_t<decltype(G::graph)>;

template <class G>
using state_of = typename graph_of<G>::state_type;

/// A node that runs a graph: `sub`, or `focus` on one.
template <class F>
concept graph_node = has_graph<typename F::graph_type>;

enum class call_form : unsigned char { none, state, state_and_tools };

template <class F, class... Arguments>
concept callable_with = requires(F const& f, Arguments&... arguments) { f(arguments...); };

/// How a callable is called, and what it returns then.
template <class F, class State>
struct call {
    static constexpr auto form = call_form::none;
    using raw = void;
};
template <class F, class State>
    requires callable_with<F, State>
struct call<F, State> {
    static constexpr auto form = call_form::state;
    using raw = decltype(std::declval<F const&>()(std::declval<State&>()));
};
template <class F, class State>
    requires(!callable_with<F, State> && callable_with<F, State, any_tools>)
struct call<F, State> {
    static constexpr auto form = call_form::state_and_tools;
    using raw =
        decltype(std::declval<F const&>()(std::declval<State&>(), std::declval<any_tools&>()));
};

struct call_operator {
    void operator()();
};
template <class F>
struct with_call_operator : F, call_operator {};
template <class State>
struct takes_state {
    template <class Tools, class = void>
    void operator()(State&, Tools&) const;
};
struct takes_any {
    template <class State, class Tools, class = void>
    void operator()(State&, Tools&) const;
};
template <class F, class Other>
struct one_beside : F, Other {
    using F::operator();
    using Other::operator();
};
template <class F, class Other, class State>
concept decided =
    requires(one_beside<F, Other> const& f, State& s, tools_to_come<"">& tools) { f(s, tools); };

/// Whether a callable whose call operator cannot be called still matches: then its body, which
/// determines the return type, does not compile, and the compiler has reported that. A match is
/// ambiguous with the overload beside it, so neither is chosen and no body is instantiated.
template <class F, class State>
constexpr bool broken_body() {
    if constexpr (!std::is_class_v<F> || std::is_final_v<F>)
        return false;
    else if constexpr (requires { &with_call_operator<F>::operator(); })
        return false;
    else if constexpr (!decided<F, takes_state<State>, State>)
        return true;
    else
        return !decided<F, takes_any, State>;
}

template <class F, class State>
struct node_signature {
    static constexpr auto form = call<F, State>::form;
    static constexpr bool accepts = form != call_form::none;
    static constexpr bool fallible = is_fallible<typename call<F, State>::raw>;
    static constexpr bool poisoned = [] {
        if constexpr (accepts)
            return false;
        else
            return broken_body<F, State>();
    }();
    using outcome = outcome_part<typename call<F, State>::raw>;
};
template <graph_node F, class State>
struct node_signature<F, State> {
    using inner = graph_of<typename F::graph_type>;
    static constexpr auto form = call_form::none;
    static constexpr bool accepts = [] {
        if constexpr (requires(State& s) { F::view(s); })
            return std::is_convertible_v<decltype(F::view(std::declval<State&>())),
                                         typename inner::state_type&>;
        else
            return false;
    }();
    static constexpr bool fallible = inner::fallible;
    static constexpr bool poisoned = !inner::valid;
    using outcome = typename inner::outcome;
};

template <class F, class State>
    requires requires { typename F::lkt_misused; }
struct node_signature<F, State> {
    static constexpr auto form = call_form::none;
    static constexpr bool accepts = true;
    static constexpr bool fallible = false;
    static constexpr bool poisoned = true;
    using outcome = void;
};

/// Whether a function's first parameter is not a reference.
template <class Function>
inline constexpr bool first_by_value = false;
template <class R, class First, class... Rest>
inline constexpr bool first_by_value<R (*)(First, Rest...)> = !std::is_reference_v<First>;
template <class R, class C, class First, class... Rest>
inline constexpr bool first_by_value<R (C::*)(First, Rest...) const> = !std::is_reference_v<First>;
template <class R, class First, class... Rest>
inline constexpr bool first_by_value<R (*)(First, Rest...) noexcept> = !std::is_reference_v<First>;
template <class R, class C, class First, class... Rest>
inline constexpr bool first_by_value<R (C::*)(First, Rest...) const noexcept> =
    !std::is_reference_v<First>;

template <class F, class... Types>
inline constexpr bool copies_first = false;
template <class F, class... Types>
    requires requires { &F::template operator()<Types...>; }
inline constexpr bool copies_first<F, Types...> =
    first_by_value<decltype(&F::template operator()<Types...>)>;

/// Whether a callable takes a copy of the state; of a template, in the forms that lambdas have.
template <class F, class State>
constexpr bool takes_copy() {
    constexpr auto form = call<F, State>::form;
    if constexpr (form == call_form::none)
        return false;
    else if constexpr (requires { F::function; })
        return first_by_value<std::remove_cv_t<decltype(F::function)>>;
    else if constexpr (requires { &F::operator(); })
        return first_by_value<decltype(&F::operator())>;
    else if constexpr (form == call_form::state)
        return copies_first<F, State>;
    else
        return copies_first<F, State, any_tools> || copies_first<F, any_tools>;
}

/// Everything that the analysis asks of a node.
struct node_info {
    int first_duplicate =
        0; ///< the first node of the same type; its own index when there is no other
    int outcomes = 0;
    int clauses = 0;
    bool outcome_valid = false;
    bool stateless = false;
    bool accepts_state = false;
    bool takes_copy = false;
    bool fallible = false;
    bool poisoned = false;
};

template <auto const& F>
constexpr std::string_view name_of_node() {
    using type = std::remove_cvref_t<decltype(F)>;
    if constexpr (requires { std::string_view(type::name); }) {
        return type::name;
    } else if constexpr (requires { std::string_view(type::default_name); }) {
        // `node<sub<attempt>>` names no variable of the user's: take what is inside.
        constexpr std::string_view own = object_name<F>;
        return own == type::maker ? std::string_view(type::default_name) : own;
    } else {
        return object_name<F>;
    }
}

template <auto const& F, int Ordinal>
inline constexpr auto name_with_ordinal = [] {
    static_assert(Ordinal < 1000);
    constexpr auto plain = name_of_node<F>();
    constexpr std::size_t digits = Ordinal < 10 ? 1 : Ordinal < 100 ? 2 : 3;
    std::array<char, plain.size() + 1 + digits> text{};
    for (std::size_t i = 0; i < plain.size(); ++i) text[i] = plain[i];
    text[plain.size()] = '#';
    for (auto [at, rest] = std::pair(text.size() - 1, Ordinal); rest > 0; --at, rest /= 10)
        text[at] = static_cast<char>('0' + rest % 10);
    return text;
}();

/// `propose`, or `propose#2` for the second node of that name.
template <auto const& F, int Ordinal>
constexpr std::string_view numbered_name() {
    if constexpr (Ordinal == 1) {
        return name_of_node<F>();
    } else {
        constexpr auto const& text = name_with_ordinal<F, Ordinal>;
        return {text.data(), text.size()};
    }
}

template <class Tags, class... Clauses>
struct add_tags {
    using type = Tags;
};
template <class Tags, class Clause, class... Clauses>
struct add_tags<Tags, Clause, Clauses...> : add_tags<Tags, Clauses...> {};
template <class... Tags, class Clause, class... Clauses>
    requires is_stop<typename Clause::target>
struct add_tags<pack<Tags...>, Clause, Clauses...>
    : add_tags<std::conditional_t<(std::is_same_v<typename Clause::target::tag, Tags> || ...),
                                  pack<Tags...>,
                                  pack<Tags..., typename Clause::target::tag>>,
               Clauses...> {};

} // namespace detail

/// A callable with its clauses, made by `dsl::node<callable>(clauses...)`.
template <auto const& F, class... Clauses>
struct node_t {
    using lkt_node = void;
    using callable = std::remove_cvref_t<decltype(F)>;
    static constexpr auto const& object = F;

    template <int I>
    using clause = detail::pick<I, Clauses...>;

    static constexpr int clause_count = static_cast<int>(sizeof...(Clauses));

    template <class State>
    using outcome = typename detail::node_signature<callable, State>::outcome;

    template <class State, class Targets>
    static constexpr detail::node_info describe() {
        using read = detail::node_signature<callable, State>;
        using values = outcome_values<typename read::outcome>;
        return {
            .first_duplicate = Targets::template index_of<callable>(),
            .outcomes = values::count,
            .clauses = clause_count,
            .outcome_valid = values::valid,
            .stateless = std::is_empty_v<callable> && std::is_default_constructible_v<callable>,
            .accepts_state = read::accepts,
            .takes_copy = detail::takes_copy<callable, State>(),
            .fallible = read::fallible,
            .poisoned = read::poisoned,
        };
    }
    template <class State, class Targets>
    static constexpr std::array<detail::clause_info, sizeof...(Clauses)> describe_clauses() {
        return {detail::describe_clause<Clauses, outcome<State>, State, Targets>()...};
    }

    /// The tags of its terminals behind those of the pack, each once.
    template <class Tags>
    using add_tags = typename detail::add_tags<Tags, Clauses...>::type;
};

namespace detail {

// By a member, since clang 16 does not match `node_t<F, ...>` when F is a function.
template <class T>
inline constexpr bool is_node = requires { typename T::lkt_node; };
template <>
inline constexpr bool is_node<absent> = true;

/// Takes the place of a node that could not be made, and of a graph's nodes.
inline constexpr struct nothing_fn {
    template <class State>
    constexpr void operator()(State&) const {}
} nothing{};
using poisoned_node = node_t<nothing, poisoned>;

} // namespace detail

} // namespace lkt
