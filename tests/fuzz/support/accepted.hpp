// SPDX-License-Identifier: BSL-1.0
// What holds for every problem that a reader accepts.
#pragma once

#include "problems.hpp"

#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/signature_tests.hpp>
#include <lkt/verify/test_check.hpp>

namespace lkt_fuzz {

inline void require_sizes(lkt::problem const& p, std::string_view text) {
    auto const check = [&](lkt::problem_size const& size) {
        require(size.size() == p.size.size(), "all sizes have as many extents", text);
        for (std::size_t k = 0; k < size.size(); ++k) {
            require(size[k].first == p.size[k].first, "all sizes have the same names", text);
            require(size[k].second >= 1 && size[k].second <= (std::int64_t{1} << 40),
                    "an extent is from 1 to 2^40",
                    text);
        }
        for (std::size_t k = 0; k < p.arguments.size(); ++k) {
            if (!p.signature.arguments[k].pointer) continue;
            auto const n = p.arguments[k].count.evaluate_integer(lkt::scope_of(size, {}));
            require(n.has_value() && *n >= 1, "a buffer has elements at each size", text);
        }
    };
    check(p.size);
    for (lkt::problem_size const& size : p.further_sizes) check(size);
}

template <class Generator>
void require_tests(Generator const& generator, lkt::problem const& p, std::string_view text) {
    auto const tests = generator.generate(p, {});
    if (!tests) return require_error(tests.error());
    for (lkt::test_case const& test : *tests) {
        auto const fits = lkt::check_test(p, test);
        require(fits.has_value(), "a generated test fits its problem", text);
    }
}

/// Small tests of it can be made, and fit; or there is a reason why not.
inline void require_tests(lkt::problem const& p, std::string_view text) {
    constexpr lkt::bytes limit{std::uint64_t{1} << 16};
    require_tests(lkt::signature_tests{.limit = limit}, p, text);
    require_tests(lkt::declared_tests{.menu = false, .limit = limit}, p, text);
}

inline void require_problem(lkt::problem const& p, std::string_view text) {
    std::size_t const n = p.signature.arguments.size();
    require(p.arguments.size() == n, "an accepted problem has its kernel's arguments", text);
    require_sizes(p, text);
    for (lkt::tunable_parameter const& t : p.parameters)
        require(!t.name.empty() && !t.values.empty(), "a parameter has values", text);
    for (lkt::expression const& r : p.restrictions)
        require(knows_names(r, p.parameters, {}), "conditions speak of parameters", text);
    require_launch(p.launch, p.parameters, p.size, text);
    for (std::size_t k = 0; k < n; ++k) {
        lkt::argument_spec const& spec = p.arguments[k];
        if (spec.bound)
            require(spec.bound->absolute >= 0 && spec.bound->relative >= 0,
                    "a tolerance must be finite and not negative",
                    text);
        if (p.flow(k) != lkt::direction::in)
            require(!p.signature.arguments[k].is_const, "an output can be written", text);
    }
    for (lkt::declared_test const& test : p.tests)
        for (auto const& [argument, fill] : test.arguments)
            require(argument < n, "a test fills the kernel's arguments", text);
    require_tests(p, text);
}

} // namespace lkt_fuzz
