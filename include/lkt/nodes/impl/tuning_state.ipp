// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>

#include <algorithm>

namespace lkt {

tuning_state::tuning_state() = default;
tuning_state::tuning_state(tuning_state const&) = default;
tuning_state::tuning_state(tuning_state&&) noexcept = default;
tuning_state& tuning_state::operator=(tuning_state const&) = default;
tuning_state& tuning_state::operator=(tuning_state&&) noexcept = default;
tuning_state::~tuning_state() = default;

void count_usage(model_usage& usage, chat_reply const& reply, seconds spent) {
    ++usage.calls;
    usage.requests += reply.requests;
    usage.tokens.input += reply.usage.input;
    usage.tokens.output += reply.usage.output;
    usage.tokens.cached += reply.usage.cached;
    usage.tokens.reasoning += reply.usage.reasoning;
    usage.tokens.estimated |= reply.usage.estimated;
    usage.time += spent;
    if (!reply.model.empty() &&
        std::find(usage.models.begin(), usage.models.end(), reply.model) == usage.models.end())
        usage.models.push_back(reply.model);
}

void add_usage(model_usage& usage, model_usage const& more) {
    usage.calls += more.calls;
    usage.requests += more.requests;
    usage.tokens.input += more.tokens.input;
    usage.tokens.output += more.tokens.output;
    usage.tokens.cached += more.tokens.cached;
    usage.tokens.reasoning += more.tokens.reasoning;
    usage.tokens.estimated |= more.tokens.estimated;
    usage.time += more.time;
    for (std::string const& name : more.models)
        if (std::find(usage.models.begin(), usage.models.end(), name) == usage.models.end())
            usage.models.push_back(name);
}

bool detail::state_ref::kept_original() const {
    return best.kernel == baseline.kernel && best.config == baseline.config;
}

} // namespace lkt
