// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/terminals.hpp>

#include <doctest/doctest.h>

#include <lkt/core/outcome.hpp>
#include <lkt/strategies/beam.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/strategies/explicit_steps.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/refine.hpp>
#include <lkt/strategies/repeated.hpp>
#include <lkt/strategies/sample_n.hpp>
#include <lkt/strategies/sweep.hpp>

#include <string>
#include <type_traits>
#include <variant>

namespace {

template <class Terminal, class Variant>
inline constexpr bool is_among = false;
template <class Terminal, class... Ts>
inline constexpr bool is_among<Terminal, std::variant<Ts...>> =
    (std::is_same_v<Terminal, Ts> || ...);

template <class Strategy>
constexpr bool has_the_three() {
    using outcome = lkt::outcome_of<Strategy>;
    return std::variant_size_v<outcome> == 3 && is_among<lkt::tuned, outcome> &&
           is_among<lkt::unchanged, outcome> && is_among<lkt::gave_up, outcome>;
}
static_assert(has_the_three<lkt::one_prompt<>>());
static_assert(has_the_three<lkt::sweep<>>());
static_assert(has_the_three<lkt::explicit_steps<>>());
static_assert(has_the_three<lkt::sample_n<>>());
static_assert(has_the_three<lkt::refine<>>());
static_assert(has_the_three<lkt::beam<>>());
static_assert(has_the_three<lkt::evolve<>>());
static_assert(has_the_three<lkt::repeated<lkt::beam<>, 2>>());
static_assert(has_the_three<lkt::repeated<lkt::one_prompt<>, 3>>());
static_assert(has_the_three<lkt::repeated<lkt::sweep<>, 2>>());

} // namespace

TEST_CASE("Terminals are named as reports print them") {
    using outcome = std::variant<lkt::tuned, lkt::unchanged, lkt::gave_up>;
    CHECK(std::string(lkt::outcome_name(outcome(lkt::tuned{}))) == "tuned");
    CHECK(std::string(lkt::outcome_name(outcome(lkt::unchanged{}))) == "unchanged");
    CHECK(std::string(lkt::outcome_name(outcome(lkt::gave_up{}))) == "gave_up");
}
