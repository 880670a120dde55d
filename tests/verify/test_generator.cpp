// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/test_generator.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"
#include "fake_backend.hpp"

namespace {

/// The least that a test generator needs: no default constructor, not movable, one member.
struct archetype {
    explicit archetype(int) {}
    archetype(archetype const&) = delete;
    lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const&,
                                                      lkt::call_context const&) {
        return std::vector<lkt::test_case>();
    }
};
struct without_generate {};
struct without_context {
    lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const&) { return {}; }
};
struct without_result {
    std::vector<lkt::test_case> generate(lkt::problem const&, lkt::call_context const&) {
        return {};
    }
};
struct changes_the_problem {
    lkt::result<std::vector<lkt::test_case>> generate(lkt::problem&, lkt::call_context const&) {
        return {};
    }
};

/// A generator of a user's own.
struct ramps {
    lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const& task,
                                                      lkt::call_context const&) const {
        std::vector<float> ramp{1, 2, 3, 4}, space(4);
        lkt::value_type const real{lkt::scalar_type::float32, 1};
        lkt::test_case t{"ramp", task.size, {}};
        t.arguments = {lkt::make_buffer<float>(real, ramp),
                       lkt::make_buffer<float>(real, space),
                       lkt::make_scalar(lkt::scalar_type::int32, std::int32_t{4})};
        return std::vector<lkt::test_case>{t};
    }
};

} // namespace

TEST_CASE("the concept asks for what it says, and for no more") {
    CHECK(lkt::test_generator<archetype>);
    CHECK(lkt::test_generator<ramps>);
    CHECK_FALSE(lkt::test_generator<without_generate>);
    CHECK_FALSE(lkt::test_generator<without_context>);
    CHECK_FALSE(lkt::test_generator<without_result>);
    CHECK_FALSE(lkt::test_generator<changes_the_problem>);
    archetype minimal(0);
    CHECK(minimal.generate({}, {}).value().empty());
}

TEST_CASE("a user's own generator keeps the laws") {
    test::check_test_generator(ramps{}, test::doubling_problem(4));
}
