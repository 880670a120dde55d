// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace lkt {

int certain_launches(run_request const& request) {
    auto const& s = request.sampling;
    bool const may_end_early = s.precision > 0 || s.time.count() > 0 || s.give_up_above.count() > 0;
    return may_end_early ? std::clamp(s.min_launches, 1, std::max(1, request.launches))
                         : request.launches;
}

namespace request_parts {

/// What is wrong with a further set of arguments.
std::string fault_in(argument_variant const& set, run_request const& request) {
    if (set.arguments.size() != request.arguments.size())
        return "has a different number of arguments";
    for (std::size_t k = 0; k < set.arguments.size(); ++k) {
        argument_data const &a = request.arguments[k], &b = set.arguments[k];
        if (a.buffer != b.buffer || a.type != b.type || a.bytes.size() != b.bytes.size())
            return "has a different type or size in argument " + std::to_string(k + 1);
    }
    return {};
}

} // namespace request_parts

secret_key secrets_of_run(run_request const& request) { return secret_of(request.poison_seed); }

std::size_t set_of_launch(secret_key const& run, int launch, std::size_t sets) {
    if (sets < 2) return 0;
    auto const number = static_cast<std::uint64_t>(static_cast<std::int64_t>(launch));
    return static_cast<std::size_t>(drawn(run, "set of arguments", number) % sets);
}

std::size_t set_of_launch(std::uint64_t poison_seed, int launch, std::size_t sets) {
    return sets < 2 ? 0 : set_of_launch(secret_of(poison_seed), launch, sets);
}

std::vector<int> launches_to_keep(std::uint64_t seed, int certain, int launches) {
    constexpr int one_of = 10;
    auto const key = derived(secret_of(seed), "launches to keep");
    certain = std::max(1, std::min(certain, launches));
    std::vector<int> keep;
    std::uint64_t number = 0;
    for (int first = 0; first < launches;) {
        int const rest = first < certain ? certain - first : launches - first;
        int const n = std::min(one_of, rest);
        auto const place = drawn(key, "place", number++) % static_cast<std::uint64_t>(n);
        keep.push_back(first + static_cast<int>(place));
        first += n;
    }
    return keep;
}

std::string fault_in(run_request const& request, signature const& kernel) {
    std::size_t const n = kernel.arguments.size();
    if (request.arguments.size() != n || request.directions.size() != n)
        return "there are not as many arguments and directions as the signature has arguments";
    for (std::size_t k = 0; k < n; ++k)
        if (request.arguments[k].buffer != kernel.arguments[k].pointer)
            return "argument " + std::to_string(k + 1) +
                   " is a value where a buffer is needed, or the other way round";
    if (request.launches < 1 || request.warmups < 0) return "there is nothing to launch";
    auto const& keep = request.keep;
    if (!std::is_sorted(keep.begin(), keep.end()) ||
        std::adjacent_find(keep.begin(), keep.end()) != keep.end() ||
        (!keep.empty() && (keep.front() < 0 || keep.front() >= certain_launches(request) ||
                           keep.back() >= request.launches)))
        return "the launches whose outputs are kept are not ascending, or the first is not certain";
    for (std::size_t k = 0; k < request.ring.size(); ++k)
        if (auto const why = request_parts::fault_in(request.ring[k], request); !why.empty())
            return "set " + std::to_string(k + 2) + " of the arguments " + why;
    return {};
}

std::uint64_t fresh_contents() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

} // namespace lkt
