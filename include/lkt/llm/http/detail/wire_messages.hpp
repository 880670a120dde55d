// SPDX-License-Identifier: BSL-1.0
// What lies between the dialects, which know JSON and no sockets, and the transport, which knows
// sockets and no JSON.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/http/options.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::http {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// A POST request, but for what belongs to the connection (host, length, keep-alive).
struct wire_request {
    std::string target;  ///< appended to the base URL's path: `/chat/completions`
    header_list headers; ///< authorisation, version, content type, the user's
    std::string body;
};

/// An answer's head, names in lower case, and its body where it was read whole.
struct wire_response {
    int status = 0;
    header_list headers;
    std::string body;

    /// The value of the header, or nothing.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

/// What to send. Errors (rejected): a request or options that the dialect cannot express.
[[nodiscard]] result<wire_request>
encode(chat_request const& request, http_options const& options, std::string_view key);

/// The reply in an answer that is no stream, or the error that it stands for.
[[nodiscard]] result<chat_reply>
decode(chat_request const& request, http_options const& options, wire_response const& response);

/// What an answer with another status than 2xx means, by the table of docs/llm-servers.md; `key` is
/// left out of its text.
[[nodiscard]] error
status_error(http_options const& options, wire_response const& response, std::string_view key);

/// An answer that arrives in pieces. Wherever they are cut, the reply is the same. The request and
/// the options must outlive it.
class stream_decoder {
public:
    stream_decoder(chat_request const& request, http_options const& options);
    stream_decoder(stream_decoder&&) noexcept;
    stream_decoder& operator=(stream_decoder&&) noexcept;
    ~stream_decoder();

    /// Takes the next bytes of the body and appends the answer's new text, whole characters, to
    /// `text`. An error within the stream ends it.
    [[nodiscard]] std::optional<error> feed(std::string_view bytes, std::string& text);
    /// Whether the answer has come to its end, whatever the connection does.
    [[nodiscard]] bool ended() const;
    /// The reply when nothing more comes: because the body is whole, or because the connection
    /// broke
    /// (`cut_off`), which is a transient error unless the answer had come to its end. Appends what
    /// is left of the text.
    [[nodiscard]] result<chat_reply> finish(bool cut_off, std::string& text);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace lkt::detail::http
