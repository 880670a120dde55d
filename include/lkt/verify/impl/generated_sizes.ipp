// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/generated_sizes.hpp>

#include <lkt/verify/detail/size_sampler.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

namespace lkt {

bool fair_size(problem const& task, problem_size const& size) {
    using namespace detail::size_parts;
    if (!all_hold(task.size_constraints, scope_of(size, {}))) return false;
    if (!detail::elements_at(task, size)) return false;
    bool usual = true;
    for (configuration const& config : neighbouring_configurations(task)) {
        auto const scope = scope_of(size, config);
        bool const allowed = all_hold(task.restrictions, scope);
        if ((usual && !allowed) || (allowed && !task.launch.evaluate(scope))) return false;
        usual = false;
    }
    return true;
}

std::vector<problem_size> generated_sizes(problem const& task, size_options const& options) {
    using namespace detail::size_parts;
    std::vector<problem_size> found;
    if (task.size_constraints.empty() || task.size.empty()) return found;
    size_sampler const sampler(task, options);
    auto const wanted = [&](problem_size const& size) {
        auto const among = [&](std::vector<problem_size> const& known) {
            return std::find(known.begin(), known.end(), size) != known.end();
        };
        return size != task.size && !among(task.further_sizes) && !among(found) &&
               fair_size(task, size);
    };
    static constexpr kind kinds[] = {kind::between,
                                     kind::largest,
                                     kind::beyond,
                                     kind::beside_named,
                                     kind::unequal,
                                     kind::beside_borders,
                                     kind::equal,
                                     kind::smallest,
                                     kind::odd};
    constexpr int tries = 40, of_its_kind = 16;
    for (int n = 0; n < options.count; ++n) {
        decisions decide({options.seed, 0x10000000u + static_cast<std::uint32_t>(n), 0});
        std::optional<problem_size> one;
        for (int t = 0; t < tries && !one; ++t) {
            kind const k = t < of_its_kind ? kinds[n % std::ssize(kinds)]
                           : t % 2 == 0    ? kind::between
                                           : kind::any;
            auto size = sampler.sample(k, t, decide);
            if (size && wanted(*size)) one = std::move(size);
        }
        if (one) found.push_back(std::move(*one));
    }
    return found;
}

} // namespace lkt
