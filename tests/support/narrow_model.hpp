// SPDX-License-Identifier: BSL-1.0
// A model that refuses what is too long for it, as servers do, and else answers from a list.
#pragma once

#include <lkt/llm/estimate_tokens.hpp>
#include <lkt/llm/scripted.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lkt_test {

struct narrow_model {
    std::int64_t most; ///< tokens of a request, as they are estimated
    lkt::scripted_model script;
    std::vector<lkt::conversation> refused{};

    narrow_model(std::int64_t tokens, std::vector<lkt::scripted_turn> turns)
        : most(tokens), script(std::move(turns)) {}

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& request,
                                          lkt::call_context const& context) {
        if (lkt::estimate_tokens(request.messages) <= most)
            return script.complete(request, context);
        refused.push_back(request.messages);
        return lkt::error{lkt::condition::rejected,
                          "lkt.http.context-length",
                          "the model reads " + std::to_string(most) + " tokens at most",
                          "take a model with a larger context"};
    }

    [[nodiscard]] lkt::conversation taken(std::size_t k) const {
        return script.requests().at(k).messages;
    }
};

/// What a request has, besides, to be told from a shorter one.
inline std::string padding(std::size_t bytes) { return std::string(bytes, 'x'); }

} // namespace lkt_test
