// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
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

/// Same size and same contents of everything that a kernel may read.
[[nodiscard]] inline bool same_inputs(problem const& task, test_case const& a, test_case const& b) {
    if (a.size != b.size || a.arguments.size() != b.arguments.size()) return false;
    for (std::size_t k = 0; k < a.arguments.size(); ++k) {
        bool const read = k >= task.arguments.size() || task.flow(k) != direction::out;
        if (a.arguments[k].bytes.size() != b.arguments[k].bytes.size()) return false;
        if (read && a.arguments[k] != b.arguments[k]) return false;
    }
    return true;
}

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
        auto const timed = std::find_if(
            tests.begin(), tests.end(), [&](test_case const& t) { return t.size == task.size; });
        if (timed != tests.end()) std::rotate(tests.begin(), timed, timed + 1);
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
        for (test_case& test : *more) {
            auto const same = [&](test_case const& t) {
                return detail::same_inputs(task, t, test);
            };
            if (std::any_of(tests.begin(), tests.end(), same)) continue;
            auto const taken = [&](std::string const& name) {
                return std::any_of(
                    tests.begin(), tests.end(), [&](auto const& t) { return t.name == name; });
            };
            std::string name = test.name;
            for (int k = 2; taken(name); ++k) name = test.name + " #" + std::to_string(k);
            test.name = std::move(name);
            tests.push_back(std::move(test));
        }
        return {};
    }

    std::tuple<Generators...> generators_;
};

} // namespace lkt
