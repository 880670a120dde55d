// SPDX-License-Identifier: BSL-1.0
// A trial in checked mode where it goes through many tiles.
#pragma once

#include <lkt/evaluate/test_runner.hpp>

#include <lkt/verify/tile_tests.hpp>

#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

result<std::optional<failure>> test_runner::run_many_tiles(trial const& t) {
    if (!setup_.options.verify || !can_test_further()) return std::optional<failure>();
    tile_tests const made{
        .seed = setup_.options.seed, .launch = &t.kernel->launch, .config = t.config};
    auto tests = made.generate(setup_.task, setup_.context);
    if (!tests) return tests.error();
    // Races have no bounds: these are fitted where an output is wrong.
    auto suite = unfitted_suite_of(std::move(*tests));
    if (!suite) return suite.error();
    if (suite->tests.empty()) return std::optional<failure>();
    auto const built = build_one({*t.kernel, *t.declared, t.config, true});
    if (!built && built.error().kind == condition::cancelled) return built.error();
    auto const* const checked = built ? std::get_if<trial>(&*built) : nullptr;
    if (checked == nullptr || !checked->compiled.checked) return std::optional<failure>();
    constexpr seconds limit{20};
    auto const first_wrong = [&](bool fitted) -> result<std::optional<failure>> {
        for (prepared_test const& one : suite->tests) {
            if (is_left_out(*checked, one)) continue;
            instrumented_run run{one, limit};
            run_instrumented(*checked, {&run, 1});
            auto& found = run.outcome;
            if (!found && found.error().kind != condition::unavailable) return found;
            bool const told = found && *found && !std::holds_alternative<timed_out>(**found);
            if (!told) continue;
            if (!fitted && std::holds_alternative<wrong_output>(**found)) return found;
            auto const own = original_fails_alike(one, **found, limit);
            if (!own) return own.error();
            if (!*own) return found;
        }
        return std::optional<failure>();
    };
    auto found = first_wrong(false);
    if (!found || !*found || !std::holds_alternative<wrong_output>(**found)) return found;
    // Fitting leaves out tests, of those before it too: so all that are left run.
    if (auto ok = fit(*suite); !ok) return ok.error();
    return first_wrong(true);
}

} // namespace lkt
