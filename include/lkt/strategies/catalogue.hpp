// SPDX-License-Identifier: BSL-1.0
// The strategies that a user chooses among by name. A program of your own adds yours:
//
//     auto const mine = boost::hana::append(
//         lkt::catalogue,
//         lkt::catalogue_entry{
//             "stubborn", "Never gives up.", std::true_type{}, [] { return stubborn{}; }});
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/graph/graph.hpp>
#include <lkt/nodes/numbers.hpp>
#include <lkt/strategies/autonomous.hpp>
#include <lkt/strategies/beam.hpp>
#include <lkt/strategies/escalate.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/strategies/explicit_steps.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/refine.hpp>
#include <lkt/strategies/sample_n.hpp>
#include <lkt/strategies/sweep.hpp>

#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lkt {

/// A strategy under a name. `make` gives it with its usual numbers; those that it holds
/// (`for_each_number`) may be changed then.
template <class AsksModel, class Make>
struct catalogue_entry {
    using strategy = decltype(std::declval<Make const&>()());

    std::string_view name;
    std::string_view about; ///< a sentence or two
    AsksModel asks_model;   ///< `std::true_type`, or `std::false_type`: it runs without a model
    Make make;
};
template <class AsksModel, class Make>
catalogue_entry(std::string_view, std::string_view, AsksModel, Make)
    -> catalogue_entry<AsksModel, Make>;

namespace detail {

// Templates, so that a strategy is instantiated where it is made and not where it is listed.
template <class Strategy>
struct make_usual {
    [[nodiscard]] Strategy operator()() const { return {}; }
};
template <autonomous_knobs K>
struct make_autonomous {
    [[nodiscard]] autonomous<K> operator()() const { return {.limits = {.max_breakdowns = 0}}; }
};

} // namespace detail

/// The strategies of this library, a Hana tuple.
inline constexpr auto catalogue = boost::hana::make_tuple(
    catalogue_entry{"one-prompt",
                    "Asks for one rewrite, and again with the reason when it fails. Ends at the "
                    "first kernel that is faster.",
                    std::true_type{},
                    detail::make_usual<one_prompt<>>{}},
    catalogue_entry{"autonomous",
                    "Asks for a plan of steps, a kernel for each step, then another plan. Ends "
                    "when the model plans nothing more.",
                    std::true_type{},
                    detail::make_autonomous<autonomous_knobs{.breakdown = true}>{}},
    catalogue_entry{"explicit",
                    "Asks for each step of a list whether it makes sense, then for a kernel. Ends "
                    "after the list.",
                    std::true_type{},
                    detail::make_usual<explicit_steps<>>{}},
    catalogue_entry{"sample-n",
                    "Asks for several replies to one request at once; all candidates compete.",
                    std::true_type{},
                    detail::make_usual<sample_n<>>{}},
    catalogue_entry{"refine",
                    "A judge names one bottleneck and one change, a coder makes the change. Ends "
                    "after some rounds without gain.",
                    std::true_type{},
                    detail::make_usual<refine<>>{}},
    catalogue_entry{"beam",
                    "Asks for rewrites of several kernels at once; the fastest few go on. Ends at "
                    "a level that brings nothing new.",
                    std::true_type{},
                    detail::make_usual<beam<>>{}},
    catalogue_entry{"evolve",
                    "Asks for patches and rewrites of the kernels of a population. Ends after some "
                    "generations without a new kernel.",
                    std::true_type{},
                    detail::make_usual<evolve<>>{}},
    catalogue_entry{"escalate",
                    "As one-prompt, then refine, then evolve; says why it goes on.",
                    std::true_type{},
                    detail::make_usual<escalate<>>{}},
    catalogue_entry{"sweep",
                    "Asks no model: it runs every configuration of the kernel as it stands.",
                    std::false_type{},
                    detail::make_usual<sweep<>>{}});

/// `one-prompt, autonomous, ...`
template <class Catalogue>
[[nodiscard]] std::string names_in(Catalogue const& all) {
    std::string names;
    boost::hana::for_each(all, [&](auto const& one) {
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    });
    return names;
}

namespace detail {
[[nodiscard]] error unknown_strategy(std::string_view name, std::string names);
} // namespace detail

/// Calls `call(entry)` for the strategy of that name. Error:
/// `lkt.strategies.unknown` (rejected), which names those that there are.
template <class Catalogue, class Call>
[[nodiscard]] result<void> with_entry(Catalogue const& all, std::string_view name, Call&& call) {
    bool found = false;
    boost::hana::for_each(all, [&](auto const& one) {
        if (found || one.name != name) return;
        found = true;
        call(one);
    });
    if (found) return {};
    return detail::unknown_strategy(name, names_in(all));
}

} // namespace lkt
