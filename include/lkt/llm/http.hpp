// SPDX-License-Identifier: BSL-1.0
// A chat model behind HTTP. Light: the network is in lkt/llm/http/src.hpp, compiled once (CMake:
// lkt::http).
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/http/options.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// How much went over the network since the model was made.
struct http_counters {
    std::uint64_t calls = 0;              ///< answered or failed
    std::uint64_t connections = 0;        ///< opened; the others were used again
    std::uint64_t sent = 0, received = 0; ///< bytes of bodies
};

/// A language model on a server. Copies share its connections, which have a thread of their own.
/// Any number of threads may call it; calls above the limit wait. `context.on_text` gets text on
/// the calling thread. A stop request ends a call within 100 ms.
///
/// It does not retry: see `with_retry`. Errors: `lkt.http.*` (docs/llm-servers.md has the table),
/// `lkt.cancelled`.
class http_model {
public:
    explicit http_model(http_options options);

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context);
    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context);

    /// Connects to the server, or to the proxy and through it, TLS included, within
    /// `timeouts.connect`, and sends no request: whether it can be reached, before work is done
    /// that needs it. The next call uses the connection.
    [[nodiscard]] result<void> connect(call_context const& context = {});

    /// Why it cannot be used: an address, a file or a body that is none.
    [[nodiscard]] std::optional<error> defect() const;
    [[nodiscard]] http_counters counters() const;
    [[nodiscard]] http_options const& options() const;
    /// `MODEL at HOST`.
    [[nodiscard]] std::string description() const;

private:
    class engine;
    std::shared_ptr<engine> engine_;
};

} // namespace lkt
