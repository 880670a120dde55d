// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <tuple>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

template <class G>
constexpr bool user_supplied = false;
template <class G>
    requires requires { G::user_supplied; }
constexpr bool user_supplied<G> = G::user_supplied;

/// Adds those of `more` that `tests` lacks, each under a name of its own.
void add_tests(problem const& task, std::vector<test_case> more, std::vector<test_case>& tests);

/// Puts the first test of the problem's own size in front; the others keep their order.
void timed_first(problem const& task, std::vector<test_case>& tests);

} // namespace detail

/// The tests of several generators, `all_of{user_tests{...}, signature_tests{}}`: the user's own
/// first, then the others in the order of the generators, each test once, no name twice. If one of
/// them has the problem's own size, the first such test leads, since the first one is timed.
template <test_generator... Generators>
class all_of {
public:
    explicit all_of(Generators... generators) : generators_(std::move(generators)...) {}

    /// Errors: the first that a generator returns.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) {
        std::vector<test_case> tests;
        for (bool users : {true, false}) {
            auto ok = std::apply(
                [&](auto&... g) {
                    result<void> status;
                    static_cast<void>(
                        ((status = take(g, users, task, context, tests)).has_value() && ...));
                    return status;
                },
                generators_);
            if (!ok) return ok.error();
        }
        detail::timed_first(task, tests);
        return tests;
    }

private:
    template <class G>
    static result<void> take(G& generator,
                             bool users,
                             problem const& task,
                             call_context const& context,
                             std::vector<test_case>& tests) {
        if (detail::user_supplied<G> != users) return {};
        auto more = generator.generate(task, context);
        if (!more) return more.error();
        detail::add_tests(task, std::move(*more), tests);
        return {};
    }

    std::tuple<Generators...> generators_;
};

} // namespace lkt
