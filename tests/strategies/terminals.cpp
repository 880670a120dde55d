// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/terminals.hpp>

#include <doctest/doctest.h>

#include <lkt/core/outcome.hpp>
#include <lkt/strategies/catalogue.hpp>
#include <lkt/strategies/repeated.hpp>

#include <boost/hana/unpack.hpp>

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
static_assert(decltype(boost::hana::unpack(lkt::catalogue, []<class... Entry>(Entry const&...) {
    return std::bool_constant<(has_the_three<typename Entry::strategy>() && ...)>{};
}))::value);
static_assert(has_the_three<lkt::repeated<lkt::beam<>>>());
static_assert(has_the_three<lkt::repeated<lkt::one_prompt<>>>());
static_assert(has_the_three<lkt::repeated<lkt::sweep<>>>());

} // namespace

TEST_CASE("Terminals are named as reports print them") {
    using outcome = std::variant<lkt::tuned, lkt::unchanged, lkt::gave_up>;
    CHECK(std::string(lkt::outcome_name(outcome(lkt::tuned{}))) == "tuned");
    CHECK(std::string(lkt::outcome_name(outcome(lkt::unchanged{}))) == "unchanged");
    CHECK(std::string(lkt::outcome_name(outcome(lkt::gave_up{}))) == "gave_up");
}
