// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/fields.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

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

TEST_CASE("a state that lists its fields is described") {
    CHECK(lkt::described<my_state>);
    CHECK_FALSE(lkt::described<bare>);
    CHECK(my_state::state_fields::count == 3);
}

TEST_CASE("fields are visited in order, with names, inherited ones too") {
    my_state s;
    std::ostringstream seen;
    lkt::for_each_field(
        s, [&](std::string_view name, auto const& value) { seen << name << '=' << value << ' '; });
    CHECK(seen.str() == "kernel=k best_ms=3.5 replans=2 ");
}

TEST_CASE("fields can be written, and a constant state read") {
    my_state s;
    lkt::for_each_field(s, [](std::string_view name, auto& value) {
        if constexpr (std::is_same_v<decltype(value), int&>)
            if (name == "replans") value = 9;
    });
    CHECK(s.replans == 9);
    int count = 0;
    lkt::for_each_field(std::as_const(s), [&](std::string_view, auto const&) { ++count; });
    CHECK(count == 3);
}
