// SPDX-License-Identifier: BSL-1.0
// Reflection of a state without macros: the state lists its members once,
// `using state_fields = lkt::fields<&mine::kernel, &mine::best_ms>;`, and is a Hana struct then.
#pragma once

#include <lkt/core/type_name.hpp>

#include <boost/hana/bool.hpp>
#include <boost/hana/core/when.hpp>
#include <boost/hana/fwd/accessors.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/tuple.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lkt {

/// One member; the keys of the Hana struct are of this type. Members compare at compile time.
template <auto Member>
    requires std::is_member_object_pointer_v<decltype(Member)>
struct field {
    static constexpr auto member = Member;
    static constexpr std::string_view name = pointee_name<Member>;

    template <auto Other>
    friend constexpr auto operator==(field, field<Other>) {
        return boost::hana::bool_c<std::is_same_v<field, field<Other>>>;
    }
    template <auto Other>
    friend constexpr auto operator!=(field, field<Other>) {
        return boost::hana::bool_c<!std::is_same_v<field, field<Other>>>;
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
    static constexpr auto accessors() {
        return boost::hana::make_tuple(boost::hana::make_pair(
            field<Members>{}, []<class State>(State&& state) -> decltype(auto) {
                return (std::forward<State>(state).*Members);
            })...);
    }
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

/// Makes every described state a Hana struct: `hana::members`, `hana::keys`, `hana::at_key`, ...
template <class State>
struct boost::hana::accessors_impl<State, boost::hana::when<lkt::described<State>>> {
    static constexpr auto apply() {
        return lkt::detail::field_access<typename State::state_fields>::accessors();
    }
};
