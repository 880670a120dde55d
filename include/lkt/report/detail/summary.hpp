// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/report/detail/phrases.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::detail {

/// Configurations that failed for the same reason. Wrong elements and addresses differ from one
/// configuration to the next: there the kind of failure is the reason.
struct failure_group {
    std::string_view name;
    std::string why; ///< the first one's
    std::vector<tried_configuration const*> members;
};

struct configuration_summary {
    std::vector<tried_configuration const*> correct; ///< finalists first, then fastest first
    std::vector<failure_group> failed;               ///< in the order of appearance
};

[[nodiscard]] inline configuration_summary
summarise(std::vector<tried_configuration> const& tried) {
    configuration_summary sum;
    for (tried_configuration const& t : tried) {
        auto const* why = std::get_if<failure>(&t.outcome);
        if (!why) {
            sum.correct.push_back(&t);
            continue;
        }
        std::string const text = describe(*why);
        auto const at = std::find_if(sum.failed.begin(), sum.failed.end(), [&](auto const& g) {
            bool const by_kind =
                std::holds_alternative<wrong_output>(*why) || std::holds_alternative<crashed>(*why);
            return g.name == name_of_failure(*why) && (by_kind || g.why == text);
        });
        if (at == sum.failed.end())
            sum.failed.push_back({name_of_failure(*why), text, {&t}});
        else
            at->members.push_back(&t);
    }
    // The finals know better than a few launches, and all that were not there were slower.
    std::sort(sum.correct.begin(), sum.correct.end(), [](auto const* a, auto const* b) {
        if (a->in_finals.has_value() != b->in_finals.has_value()) return a->in_finals.has_value();
        auto const median = [](tried_configuration const& t) {
            return (t.in_finals ? *t.in_finals : std::get<measurement>(t.outcome)).median();
        };
        return median(*a) < median(*b);
    });
    return sum;
}

} // namespace lkt::detail
