// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/evaluation.hpp>

#include <cstddef>
#include <numeric>

namespace lkt {

result<build_outcome> evaluation::build(build_request const& one) const {
    return std::move(build_all({&one, 1}).front());
}

std::vector<result<std::optional<failure>>> evaluation::pass_all(std::span<check_call> calls) {
    std::vector<result<std::optional<failure>>> found(calls.size(), std::optional<failure>());
    std::vector<std::size_t> open(calls.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    for (std::size_t k = 0; k < setup.checks.size() && !open.empty(); ++k) {
        if (!setup.checks.about(k).when.contains(calls[open.front()].when)) continue;
        std::vector<check_call*> asked;
        for (std::size_t const n : open) {
            asked.push_back(&calls[n]);
            if (calls[n].on_check) calls[n].on_check(setup.checks.about(k).name);
        }
        auto outcomes = setup.checks.run_all(k, asked);
        std::vector<std::size_t> passed;
        for (std::size_t i = 0; i < open.size(); ++i)
            if (outcomes[i] && !*outcomes[i])
                passed.push_back(open[i]);
            else
                found[open[i]] = std::move(outcomes[i]);
        open = std::move(passed);
    }
    return found;
}

result<std::optional<failure>> evaluation::pass(check_call& call) {
    // Not a copy: checks leave notes in it.
    return std::move(pass_all({&call, 1}).front());
}

result<std::optional<failure>>
evaluation::pass(moment when, trial& t, std::vector<explained_output>* explained) {
    check_call call{
        .when = when, .in = *this, .kernel = *t.kernel, .subject = &t, .explained = explained};
    return pass(call);
}

} // namespace lkt
