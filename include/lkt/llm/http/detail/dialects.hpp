// SPDX-License-Identifier: BSL-1.0
// What each dialect does: write a request's body, read a whole answer, read one event of a stream.
#pragma once

#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/http/detail/json_view.hpp>
#include <lkt/llm/http/detail/server_fault.hpp>
#include <lkt/llm/http/options.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail::http {

/// A request, checked, with what all dialects need of it.
struct checked_request {
    chat_request const& request;
    http_options const& options;
    json schema = {};          ///< of the format; null without one
    bool strict = false;       ///< the server shall enforce all of the schema
    std::string name = {};     ///< of the schema or the tool
    std::string in_words = {}; ///< the format as a sentence for the model, where it needs one

    [[nodiscard]] bool wants(answer_kind kind) const {
        return request.format && request.format->kind == kind;
    }
    [[nodiscard]] bool reasons() const { return request.effort && *request.effort != effort::none; }
    /// The system messages, and `in_words`.
    [[nodiscard]] std::string system() const;
    /// Each message as an object with `role` and `content`, as OpenAI's chat and Ollama want them.
    [[nodiscard]] boost::json::array messages() const;
};

/// What is known of an answer so far. Texts grow; numbers are the last that were sent.
struct answer {
    std::string content; ///< as the model wrote it, with what it may hold of reasoning
    std::string refusal;
    std::string reasoning; ///< that the server told apart
    std::string arguments; ///< of the first tool call
    std::string model;
    std::optional<lkt::finish> finish;
    std::optional<std::int64_t> input, output;
    std::int64_t cached = 0, thought = 0; ///< tokens
    std::optional<server_fault> fault;
    bool ended = false;                 ///< the server said that nothing more comes
    std::optional<std::int64_t> call{}; ///< which tool call `arguments` belongs to
};

[[nodiscard]] boost::json::object openai_chat_body(checked_request const& r);
void read_openai_chat(json const& whole, answer& a);
void read_openai_chat_event(json const& event, answer& a);

/// llama.cpp's server and vLLM: OpenAI's chat with another form for some parameters.
void adapt_to_llama_cpp(checked_request const& r, boost::json::object& body);
void adapt_to_vllm(checked_request const& r, boost::json::object& body);

[[nodiscard]] boost::json::object openai_responses_body(checked_request const& r);
void read_openai_responses(json const& whole, answer& a);
void read_openai_responses_event(std::string_view name, json const& event, answer& a);

[[nodiscard]] boost::json::object anthropic_body(checked_request const& r);
void read_anthropic(json const& whole, answer& a);
void read_anthropic_event(std::string_view name, json const& event, answer& a);

[[nodiscard]] boost::json::object ollama_body(checked_request const& r);
/// A whole answer, or a line of a stream: they have the same form.
void read_ollama(json const& line, answer& a);

/// The dialect's reader of a whole answer, and of an event.
void read_whole(dialect d, json const& whole, answer& a);
void read_event(dialect d, std::string_view name, json const& event, answer& a);

/// The reply whose parts have all come. `text` is what `answer` comes to, without reasoning.
/// Errors (transient): `lkt.http.empty`.
[[nodiscard]] result<chat_reply>
make_reply(chat_request const& request, http_options const& options, answer&& a, std::string text);

/// The reply in a body that is one JSON text.
[[nodiscard]] result<chat_reply>
decode_body(chat_request const& request, http_options const& options, std::string_view body);

/// An answer that is not what the dialect says, with the beginning of what came instead.
[[nodiscard]] error malformed(http_options const& options, std::string what, std::string_view body);
[[nodiscard]] error not_an_answer(http_options const& options, std::string_view body);
[[nodiscard]] error cut_off(http_options const& options, std::string_view body);
[[nodiscard]] error too_long(http_options const& options);

} // namespace lkt::detail::http
