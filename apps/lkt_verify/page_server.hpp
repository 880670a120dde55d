// SPDX-License-Identifier: BSL-1.0
// A server for one page, on the loopback interface.
#pragma once

#include <lkt/core/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace lkt_verify {

struct page_request {
    bool post = false;
    std::string_view path; ///< behind the token: empty for the page, `job`, `data/0/1`, ...
    std::string body;
    std::string agent; ///< what the browser calls itself
};

struct page_reply {
    unsigned status = 200;
    std::string body;
    char const* type = "application/json";
    bool last = false; ///< nothing is served after it
};

/// What is served. Both functions are called by the thread that serves.
struct page_service {
    /// Bytes that the body of a POST to this path may have; 0: there is no such path.
    std::function<std::uint64_t(std::string_view path)> room;
    std::function<page_reply(page_request)> answer;
};

/// Listens on 127.0.0.1, and answers those alone who know its address, which has a random part.
/// Requests whose `Host` is another name than the loopback's are refused (a name that a stranger's
/// DNS points here), and so are POSTs that do not come from the page itself (`Origin`).
class page_server {
public:
    /// `port` 0: any that is free. Errors: `lkt.browser.port`, the port is taken or not allowed.
    [[nodiscard]] static lkt::result<page_server> listen(std::uint16_t port);
    page_server(page_server&&) noexcept;
    page_server& operator=(page_server&&) noexcept;
    ~page_server();

    /// `http://127.0.0.1:41234/3f...e1/`.
    [[nodiscard]] std::string const& address() const;
    /// A word for `Content-Security-Policy`: scripts and styles that carry it are the page's own.
    [[nodiscard]] std::string const& nonce() const;

    /// Answers until a reply is the last, or until `stop`. Errors: cancelled.
    [[nodiscard]] lkt::result<void> serve(page_service const& service, std::stop_token stop);

private:
    struct state;
    explicit page_server(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

} // namespace lkt_verify
