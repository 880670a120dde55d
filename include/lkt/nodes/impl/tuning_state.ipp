// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>

#include <algorithm>

namespace lkt {

void count_usage(model_usage& usage, chat_reply const& reply, seconds spent) {
    ++usage.calls;
    usage.tokens.input += reply.usage.input;
    usage.tokens.output += reply.usage.output;
    usage.time += spent;
    if (!reply.model.empty() &&
        std::find(usage.models.begin(), usage.models.end(), reply.model) == usage.models.end())
        usage.models.push_back(reply.model);
}

double speedup(measurement const& before, measurement const& now) {
    if (before.empty() || now.empty()) return 0;
    double const b = before.median().count(), n = now.median().count();
    return n > 0 ? b / n : 0;
}

} // namespace lkt
