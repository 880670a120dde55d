// SPDX-License-Identifier: BSL-1.0
// Models that do as little as the concept asks for, as much as it allows, and one thing wrong each.
#pragma once

#include <lkt/llm/chat_model.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace archetypes {

inline lkt::chat_request ask(std::string text) {
    lkt::chat_request r;
    r.messages.push_back({lkt::role::user, std::move(text)});
    return r;
}

inline lkt::chat_reply reply(std::string text) {
    lkt::chat_reply r;
    r.text = std::move(text);
    r.model = "archetype";
    return r;
}

/// All that the concept asks for: no copy, no move, no default construction.
struct minimal {
    explicit minimal(int) {}
    minimal(minimal const&) = delete;
    minimal& operator=(minimal const&) = delete;

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        return reply("re: " + r.messages.back().text);
    }
};

/// Moved, never copied; one call at a time.
struct moved_only {
    moved_only() = default;
    moved_only(moved_only&&) = default;
    moved_only& operator=(moved_only&&) = default;

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        return reply("re: " + r.messages.back().text);
    }
};

/// Cancels, streams word by word and answers a whole batch in one call.
struct full {
    int* batches = nullptr; ///< counts the calls of complete_all

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const& c) {
        std::string const text = "re: " + r.messages.back().text;
        for (std::string_view rest = text; !rest.empty();) {
            if (c.stop.stop_requested()) return lkt::cancelled("the archetype's reply");
            auto const n = std::min(rest.size(),
                                    rest.find(' ') == rest.npos ? rest.size() : rest.find(' ') + 1);
            if (c.on_text) c.on_text(rest.substr(0, n));
            rest.remove_prefix(n);
        }
        return reply(text);
    }
    std::vector<lkt::result<lkt::chat_reply>> complete_all(std::span<lkt::chat_request const> rs,
                                                           lkt::call_context const& c) {
        if (batches) ++*batches;
        std::vector<lkt::result<lkt::chat_reply>> replies;
        for (auto const& r : rs) replies.push_back(complete(r, c));
        return replies;
    }
};

namespace broken {

struct no_complete {};
struct without_context {
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const&);
};
struct plain_reply {
    lkt::chat_reply complete(lkt::chat_request const&, lkt::call_context const&);
};
struct text_only {
    lkt::result<std::string> complete(lkt::chat_request const&, lkt::call_context const&);
};
struct takes_over_the_request {
    lkt::result<lkt::chat_reply> complete(lkt::chat_request&, lkt::call_context const&);
};
struct hidden {
private:
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const&, lkt::call_context const&);
};
/// A chat model, but no batch model: it stops at the first failure.
struct batch_of_one_result {
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const&, lkt::call_context const&);
    lkt::result<std::vector<lkt::chat_reply>> complete_all(std::span<lkt::chat_request const>,
                                                           lkt::call_context const&);
};
/// A batch of requests alone is no chat model.
struct batch_only {
    std::vector<lkt::result<lkt::chat_reply>> complete_all(std::span<lkt::chat_request const>,
                                                           lkt::call_context const&);
};

} // namespace broken
} // namespace archetypes
