// SPDX-License-Identifier: BSL-1.0
// Reflection of a state without macros: the state lists its members once,
// `using state_fields = lkt::fields<&mine::kernel, &mine::best_ms>;`. core/hana_fields.hpp makes a
// Hana struct of it.
#pragma once

#include <lkt/core/type_name.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace lkt {

/// One member. Members compare at compile time.
template <auto Member>
    requires std::is_member_object_pointer_v<decltype(Member)>
struct field {
    static constexpr auto member = Member;
    static constexpr std::string_view name = pointee_name<Member>;

    template <auto Other>
    friend constexpr auto operator==(field, field<Other>) {
        return std::is_same<field, field<Other>>{};
    }
    template <auto Other>
    friend constexpr auto operator!=(field, field<Other>) {
        return std::bool_constant<!std::is_same_v<field, field<Other>>>{};
    }
};

/// The members of a state, in the order in which they are written and shown.
template <auto... Members>
struct fields {
    static constexpr int count = static_cast<int>(sizeof...(Members));
};

namespace detail {

template <class Fields, auto... More>
struct joined_fields;
template <auto... Members, auto... More>
struct joined_fields<fields<Members...>, More...> {
    using type = fields<Members..., More...>;
};

} // namespace detail

/// The members of a base and further ones: `struct mine : tuning_state { using state_fields =
/// lkt::fields_of<tuning_state, &mine::plan>; ... };`.
template <class Base, auto... More>
using fields_of = typename detail::joined_fields<typename Base::state_fields, More...>::type;

/// A state that lists its members.
template <class S>
concept described = requires { S::state_fields::count; };

namespace detail {

template <class Fields>
struct field_access;
template <auto... Members>
struct field_access<fields<Members...>> {
    template <class State, class Call>
    static constexpr void each(State& state, Call&& call) {
        (call(field<Members>::name, state.*Members), ...);
    }
};

} // namespace detail

/// Calls `call(name, value)` for each listed member, in order.
template <class State, class Call>
    requires described<std::remove_const_t<State>>
constexpr void for_each_field(State& state, Call&& call) {
    detail::field_access<typename State::state_fields>::each(state, call);
}

} // namespace lkt
