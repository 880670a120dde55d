// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/hana_fields.hpp>

#include <doctest/doctest.h>

#include <boost/hana/at_key.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/keys.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/members.hpp>
#include <string>

namespace hana = boost::hana;

namespace {

struct base_state {
    int replans = 2;
};
struct my_state : base_state {
    std::string kernel = "k";
    double best_ms = 3.5;
    int scratch = 0; // not listed
    using state_fields = lkt::fields<&my_state::kernel, &my_state::best_ms, &my_state::replans>;
};
struct bare {};

} // namespace

TEST_CASE("a state that lists its fields is a Hana struct") {
    CHECK(hana::Struct<my_state>::value);
    CHECK_FALSE(hana::Struct<bare>::value);
}

TEST_CASE("Hana reads keys and members, and finds a member by its key") {
    my_state s;
    s.replans = 7;
    std::string names;
    hana::for_each(hana::keys(s), [&](auto key) { names += std::string(key.name) + " "; });
    CHECK(names == "kernel best_ms replans ");
    CHECK(decltype(hana::length(hana::members(s)))::value == 3);
    CHECK(hana::at_key(s, lkt::field<&my_state::kernel>{}) == "k");
    hana::at_key(s, lkt::field<&my_state::best_ms>{}) = 1.5;
    CHECK(s.best_ms == 1.5);
    CHECK(hana::at_key(s, lkt::field<&my_state::replans>{}) == 7);
}
