// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/model_usage.hpp>

#include <lkt/llm/prices.hpp>

#include <algorithm>

namespace lkt {

namespace detail {

/// The entry of that model, which is made where there is none.
inline used_model&
entry_of(model_usage& usage, std::string const& name, std::string const& source) {
    auto const at =
        std::find_if(usage.models.begin(), usage.models.end(), [&](used_model const& m) {
            return m.name == name && m.source == source;
        });
    return at != usage.models.end() ? *at
                                    : usage.models.emplace_back(used_model{name, source, 0, {}});
}

} // namespace detail

void count_usage(model_usage& usage, chat_reply const& reply, seconds spent) {
    ++usage.calls;
    usage.requests += reply.requests;
    usage.tokens += reply.usage;
    usage.time += spent;
    auto& model = detail::entry_of(usage, reply.model, reply.source);
    ++model.calls;
    model.tokens += reply.usage;
}

void add_usage(model_usage& usage, model_usage const& more) {
    usage.calls += more.calls;
    usage.requests += more.requests;
    usage.tokens += more.tokens;
    usage.time += more.time;
    for (used_model const& m : more.models) {
        auto& model = detail::entry_of(usage, m.name, m.source);
        model.calls += m.calls;
        model.tokens += m.tokens;
    }
}

std::optional<model_cost>
cost_of(std::span<used_model const> models, price_table const& prices, std::string_view asked) {
    model_cost sum;
    for (used_model const& m : models) {
        std::string_view const source = m.source.empty() ? asked : m.source;
        auto const found = prices.look_up(source.empty() ? m.name : source, m.name);
        if (!found) return std::nullopt;
        sum.usd += cost(found->price, m.tokens);
        sum.listed = sum.listed || found->listed;
    }
    return sum;
}

} // namespace lkt
