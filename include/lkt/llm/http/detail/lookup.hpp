// SPDX-License-Identifier: BSL-1.0
// Names to addresses, off the I/O thread.
#pragma once

#include <lkt/llm/http/detail/connection.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lkt::detail::http {

/// What a name stands for, in the system's order, or getaddrinfo's error.
struct lookup_answer {
    int failure = 0;
    std::vector<tcp::endpoint> endpoints = {};
};

/// The addresses of one host. getaddrinfo cannot be interrupted, so it runs on a thread that nobody
/// joins, one at a time; who asks meanwhile gets the same answer.
class lookup {
public:
    lookup(asio::io_context& io, std::string host, std::string port);
    lookup(lookup const&) = delete;
    lookup& operator=(lookup const&) = delete;
    /// A thread that still runs finds nobody to tell.
    ~lookup();

    using handler = std::function<void(lookup_answer const&)>;
    /// On the I/O thread, which also calls `then`.
    void ask(handler then);

private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

} // namespace lkt::detail::http
