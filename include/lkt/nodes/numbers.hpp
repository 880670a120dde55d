// SPDX-License-Identifier: BSL-1.0
// The numbers of a strategy: run-time values with names, defaults and ranges.
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/type_name.hpp>

#include <cstddef>
#include <string_view>

namespace lkt {

/// What a number is called, what it may be, and what it says.
struct number {
    std::string_view name;
    int min = 0, max = 0;
    std::string_view what;
};

/// One number of a struct of them.
template <class Numbers>
struct number_in : number {
    int Numbers::* at = nullptr;
};

namespace detail {

template <class Numbers>
constexpr auto owner_of(int Numbers::*) -> Numbers;

/// For lists that members are counted by: no negative number becomes a huge one.
[[nodiscard]] constexpr std::size_t count_of(int number) {
    return number > 0 ? static_cast<std::size_t>(number) : 0;
}

[[nodiscard]] error wrong_number(std::string_view strategy, number const& n, int value);

} // namespace detail

/// A row of `allowed()`; the name is the member's.
template <auto Member>
[[nodiscard]] constexpr auto number_of(int min, int max, std::string_view what) {
    using numbers = decltype(detail::owner_of(Member));
    return number_in<numbers>{{pointee_name<Member>, min, max, what}, Member};
}

/// A struct of numbers says of each one what it may be:
/// `static constexpr auto allowed() { return std::array{number_of<&mine::rounds>(1, 100, "...")};
/// }`
template <class L>
concept limits_struct = requires { L::allowed().size(); };

/// A strategy that holds numbers lists the members that hold them: structs of numbers, or other
/// strategies: `using number_fields = lkt::fields<&mine::limits>;`.
template <class Strategy>
concept has_numbers = requires { Strategy::number_fields::count; };

/// Calls `call(number, value)` for each number that a strategy holds, in order.
template <class Strategy, class Call>
constexpr void for_each_number(Strategy& strategy, Call&& call) {
    if constexpr (has_numbers<Strategy>) {
        detail::field_access<typename Strategy::number_fields>::each(
            strategy, [&]<class Held>(std::string_view, Held& held) {
                if constexpr (limits_struct<Held>)
                    for (auto const& n : Held::allowed())
                        call(static_cast<number const&>(n), held.*n.at);
                else
                    for_each_number(held, call);
            });
    }
}

/// That each number of a strategy is in its range. Error: `lkt.strategies.number` (rejected).
template <class Strategy>
[[nodiscard]] result<void> check_numbers(Strategy const& strategy, std::string_view name) {
    result<void> all;
    for_each_number(strategy, [&](number const& n, int value) {
        if (all && (value < n.min || value > n.max)) all = detail::wrong_number(name, n, value);
    });
    return all;
}

} // namespace lkt
