// SPDX-License-Identifier: BSL-1.0
// The laws of docs/llm.md, as far as they can be tried on any chat model.
#pragma once

#include <lkt/llm/complete_all.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// `model` answers `archetypes::ask("q")` at least `answers_needed` times, with any text.
inline constexpr std::size_t answers_needed = 6;

template <lkt::chat_model M>
void obeys_the_laws(M& model) {
    auto const q = archetypes::ask("q");
    std::stop_source stop;
    stop.request_stop();
    auto const stopped = model.complete(q, {stop.get_token(), {}});
    REQUIRE_FALSE(stopped.has_value());
    CHECK(stopped.error().kind == lkt::condition::cancelled);

    std::string seen;
    auto const streamed = model.complete(q, {{}, [&](std::string_view t) { seen += t; }});
    REQUIRE(streamed.has_value());
    CHECK(seen == streamed->text);
    CHECK_FALSE(streamed->model.empty());
    CHECK(model.complete(q, {}).has_value()); // nobody listens

    std::vector<lkt::chat_request> const three(3, q);
    auto const replies = lkt::complete_all(model, three);
    REQUIRE(replies.size() == 3);
    for (auto const& reply : replies) CHECK(reply.has_value());
    CHECK(lkt::complete_all(model, std::span<lkt::chat_request const>()).empty());
    for (auto const& reply : lkt::complete_all(model, three, {stop.get_token(), {}}))
        CHECK(reply.error().kind == lkt::condition::cancelled);
}
