// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/llm/http/detail/json_view.hpp>
#include <lkt/llm/http/options.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail::http {

/// What a server says went wrong, in whichever envelope.
struct server_fault {
    int status = 0; ///< of the answer, or that which its type stands for; 0: unknown
    std::string type = {};
    std::string code = {};
    std::string message = {};
    bool retry = true;                                  ///< false: the server forbids it
    std::optional<std::chrono::milliseconds> wait = {}; ///< how long the text asks to
    friend bool operator==(server_fault const&, server_fault const&) = default;
};

/// The fault in an answer; nothing where it has none. Knows `{"error": ...}` with an object or a
/// text, Anthropic's and FastAPI's envelopes, and a list of any of them.
[[nodiscard]] std::optional<server_fault> find_fault(json const& answer);
/// The fault in what is known to be an error, bare ones included.
[[nodiscard]] server_fault as_fault(json const& e);

/// `api.openai.com`: who answers, without what a URL may hide.
[[nodiscard]] std::string server_name(http_options const& options);
/// What a body says that is no JSON: the title of a page, or all of it.
[[nodiscard]] std::string plain_words(std::string_view body);
/// `text` on one line, shortened, without `key` or anything that looks like one.
[[nodiscard]] std::string quoted(std::string_view text, std::string_view key);

/// The error that a fault stands for. `where` is what happened, as in `api.openai.com answered 401
/// (Unauthorized)`; `key` is left out of the message.
[[nodiscard]] error fault_error(http_options const& options,
                                server_fault const& fault,
                                std::string where,
                                std::string_view key);

} // namespace lkt::detail::http
