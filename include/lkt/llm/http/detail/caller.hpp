// SPDX-License-Identifier: BSL-1.0
// The calling thread's side of calls.
#pragma once

#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/http/detail/engine.hpp>
#include <lkt/llm/http/detail/inbox.hpp>
#include <lkt/llm/http/detail/wire_messages.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt::detail::http {

/// Writes requests in the server's dialect, and reads the answers in it as their bytes come in: the
/// I/O thread does neither.
class caller {
public:
    caller(engine& e, std::span<chat_request const> requests, call_context const& context);
    caller(caller const&) = delete;
    caller& operator=(caller const&) = delete;
    /// Gives up what has not ended, also when `on_text` throws.
    ~caller();

    [[nodiscard]] std::vector<result<chat_reply>> run();

private:
    struct call {
        transport::ticket ticket;
        std::string key;
        wire_response response;
        std::optional<stream_decoder> decoder;
        bool open = false;
    };

    void send(std::size_t i);
    void take(arrival fresh);
    void take_head(call& c, std::size_t i, wire_response head);
    void take_stream(call& c, arrival const& fresh);
    void take_whole(call& c, arrival& fresh);
    void say(std::string const& text) const;
    void settle(std::size_t i, result<chat_reply> outcome);

    engine& engine_;
    std::span<chat_request const> requests_;
    call_context const& context_;
    std::shared_ptr<inbox> inbox_;
    std::vector<call> calls_;
    std::vector<result<chat_reply>> replies_;
    std::size_t open_ = 0;
};

/// As `http_model::connect` says.
[[nodiscard]] result<void> connect(engine& e, call_context const& context);

} // namespace lkt::detail::http
