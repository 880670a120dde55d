// SPDX-License-Identifier: BSL-1.0
// Every state that lists its members (core/fields.hpp) is a Hana struct: `hana::members`,
// `hana::keys`, `hana::at_key`, ... Its keys are of type `field`.
#pragma once

#include <lkt/core/fields.hpp>

#include <boost/hana/core/when.hpp>
#include <boost/hana/ext/std/integral_constant.hpp>
#include <boost/hana/fwd/accessors.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/tuple.hpp>
#include <utility>

namespace lkt::detail {

template <class Fields>
struct hana_accessors;
template <auto... Members>
struct hana_accessors<fields<Members...>> {
    static constexpr auto all() {
        return boost::hana::make_tuple(boost::hana::make_pair(
            field<Members>{}, []<class State>(State&& state) -> decltype(auto) {
                return (std::forward<State>(state).*Members);
            })...);
    }
};

} // namespace lkt::detail

template <class State>
struct boost::hana::accessors_impl<State, boost::hana::when<lkt::described<State>>> {
    static constexpr auto apply() {
        return lkt::detail::hana_accessors<typename State::state_fields>::all();
    }
};
