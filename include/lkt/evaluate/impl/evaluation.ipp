// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/evaluation.hpp>

#include <cstddef>

namespace lkt {

result<std::optional<failure>> evaluation::pass(check_call& call) {
    for (std::size_t k = 0; k < setup.checks.size(); ++k) {
        if (!setup.checks.about(k).when.contains(call.when)) continue;
        auto wrong = setup.checks.run(k, call);
        if (!wrong || *wrong) return wrong;
    }
    return std::optional<failure>();
}

result<std::optional<failure>>
evaluation::pass(moment when, trial& t, std::vector<explained_output>* explained) {
    check_call call{
        .when = when, .in = *this, .kernel = *t.kernel, .subject = &t, .explained = explained};
    return pass(call);
}

} // namespace lkt
