// SPDX-License-Identifier: BSL-1.0
// In what two requests differ.
#pragma once

#include <lkt/llm/cassette.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/detail/excerpt.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lkt::detail {

[[nodiscard]] inline bool mentions(chat_request const& request, std::string_view text) {
    return std::any_of(request.messages.begin(), request.messages.end(), [&](message const& m) {
        return m.text.find(text) != m.text.npos;
    });
}

/// How far two requests agree, in the order in which it counts.
struct agreement {
    std::size_t messages = 0; ///< equal ones at the beginning
    std::size_t bytes = 0;    ///< equal ones at the beginning of the first that differ
    std::size_t ending = 0;   ///< equal ones at their end, counted up to a limit
    bool same_length = false;
    friend auto operator<=>(agreement const&, agreement const&) = default;
};

[[nodiscard]] inline std::size_t common_start(std::string_view a, std::string_view b) {
    auto const n = std::min(a.size(), b.size());
    return static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin()).first -
        a.begin());
}

[[nodiscard]] inline agreement agreement_of(chat_request const& a, chat_request const& b) {
    agreement found;
    auto const n = std::min(a.messages.size(), b.messages.size());
    while (found.messages < n && a.messages[found.messages] == b.messages[found.messages])
        ++found.messages;
    found.same_length = a.messages.size() == b.messages.size();
    if (found.messages == n) return found;
    auto const &x = a.messages[found.messages], &y = b.messages[found.messages];
    if (x.role != y.role) return found;
    found.bytes = common_start(x.text, y.text);
    constexpr std::size_t max_ending = 4096;
    std::size_t const most =
        std::min({x.text.size() - found.bytes, y.text.size() - found.bytes, max_ending});
    while (found.ending < most &&
           x.text[x.text.size() - 1 - found.ending] == y.text[y.text.size() - 1 - found.ending])
        ++found.ending;
    return found;
}

template <class T>
[[nodiscard]] std::string value_words(std::optional<T> const& value) {
    return value ? std::to_string(*value) : std::string("none");
}

/// The first difference in words, `recorded` against `asked`.
[[nodiscard]] inline std::string difference_words(chat_request const& recorded,
                                                  chat_request const& asked) {
    auto const a = agreement_of(recorded, asked);
    auto const count = [](chat_request const& r) { return r.messages.size(); };
    if (a.messages < std::min(count(recorded), count(asked))) {
        auto const &x = recorded.messages[a.messages], &y = asked.messages[a.messages];
        std::string const which = "message " + std::to_string(a.messages + 1);
        if (x.role != y.role)
            return which + " is by the " + std::string(to_string(x.role)) + " there and by the " +
                   std::string(to_string(y.role)) + " here";
        auto const line =
            std::count(x.text.begin(), x.text.begin() + static_cast<std::ptrdiff_t>(a.bytes), '\n');
        std::size_t const from = a.bytes > 20 ? a.bytes - 20 : 0;
        return which + " (" + std::string(to_string(x.role)) + ") differs from byte " +
               std::to_string(a.bytes + 1) + ", in line " + std::to_string(line + 1) +
               ", on: recorded `" + excerpt(x.text, from, 60) + "`, asked `" +
               excerpt(y.text, from, 60) + "`";
    }
    if (count(recorded) != count(asked))
        return "it has " + std::to_string(count(recorded)) + " messages there and " +
               std::to_string(count(asked)) + " here, equal as far as the shorter one goes";
    if (recorded.temperature != asked.temperature)
        return "the temperature is " + value_words(recorded.temperature) + " there and " +
               value_words(asked.temperature) + " here";
    if (recorded.max_tokens != asked.max_tokens)
        return "max_tokens is " + value_words(recorded.max_tokens) + " there and " +
               value_words(asked.max_tokens) + " here";
    if (recorded.seed != asked.seed)
        return "the seed is " + value_words(recorded.seed) + " there and " +
               value_words(asked.seed) + " here";
    auto const effort_words = [](chat_request const& r) {
        return r.effort ? std::string(to_string(*r.effort)) : std::string("none given");
    };
    if (recorded.effort != asked.effort)
        return "the effort is " + effort_words(recorded) + " there and " + effort_words(asked) +
               " here";
    auto const format_words = [](chat_request const& r) {
        return r.format ? std::string(to_string(r.format->kind)) + " `" + r.format->name + "`"
                        : std::string("none");
    };
    return "the answer's format is " + format_words(recorded) + " there and " +
           format_words(asked) + " here";
}

struct near_request {
    std::size_t index = 0;
    std::string difference;
};

/// The recorded request that agrees longest with `asked`. Each comparison ends at the first
/// difference: linear in the size of the cassette at most, and only when a replay fails.
[[nodiscard]] inline std::optional<near_request>
nearest(std::span<cassette_exchange const> exchanges, chat_request const& asked) {
    std::optional<near_request> best;
    agreement closest;
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
        if (!exchanges[i].request) continue;
        auto const a = agreement_of(*exchanges[i].request, asked);
        if (best && a <= closest) continue;
        best = near_request{i, {}};
        closest = a;
    }
    if (best) best->difference = difference_words(*exchanges[best->index].request, asked);
    return best;
}

} // namespace lkt::detail
