// SPDX-License-Identifier: BSL-1.0
// A server in this process that does on each connection what a test says, right or wrong.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fault {

/// One accepted connection. What fails since the other side is gone, fails silently.
class peer {
public:
    peer(int socket, int number, SSL* tls, std::atomic<bool> const& stop);
    peer(peer const&) = delete;
    peer& operator=(peer const&) = delete;
    ~peer();

    int const number; ///< the first one has 0
    std::string head; ///< of the request that was read last
    std::string body;

    /// The next request, whole. False: there is none.
    bool read_request();
    bool read_head();
    void send(std::string_view bytes);
    /// In one piece of a body in chunks.
    void send_chunk(std::string_view bytes);
    /// TLS from here on.
    void start_tls(SSL* tls);
    /// Until the other side is gone, or the server ends. True if the other side went.
    bool wait_for_end();
    void sleep(std::chrono::milliseconds time);
    /// With RST: what has not arrived yet is lost.
    void reset();
    void close();

private:
    bool more();

    int socket_;
    SSL* tls_;
    std::atomic<bool> const& stop_;
    std::string held_; ///< read, and not understood yet
};

struct server_options {
    std::shared_ptr<SSL_CTX> tls;
    bool v6 = false;
    int backlog = 1024;
    bool accept = true; ///< false: nobody ever does
};

/// Runs `script` on a thread of its own for each connection.
class server {
public:
    using script = std::function<void(peer&)>;
    explicit server(script what, server_options options = {});
    server(server const&) = delete;
    server& operator=(server const&) = delete;
    ~server();

    [[nodiscard]] std::string port() const { return std::to_string(port_); }
    /// `http://127.0.0.1:PORT`, or as the options have it.
    [[nodiscard]] std::string url() const;
    [[nodiscard]] int connections() const { return connections_; }
    /// Of these, how many have not ended.
    [[nodiscard]] int open() const { return open_; }

private:
    void accept();

    script script_;
    server_options options_;
    int socket_ = -1;
    int port_ = 0;
    std::atomic<bool> stop_ = false;
    std::atomic<int> connections_ = 0, open_ = 0;
    std::list<std::thread> peers_;
    std::thread acceptor_;
};

// --- Answers ------------------------------------------------------------------------------------

[[nodiscard]] std::string answer(int status,
                                 std::string_view body,
                                 std::string_view type = "application/json",
                                 std::string_view more_headers = {});
/// The body of a chat completion.
[[nodiscard]] std::string completion(std::string_view text);
/// One event of a streamed chat completion with a piece of text.
[[nodiscard]] std::string event(std::string_view text);
/// The events that end one.
[[nodiscard]] std::string last_events();
/// The head of a streamed answer in chunks.
[[nodiscard]] std::string stream_head(std::string_view more_headers = {});

/// Answers each request of a connection: whole, or as a stream where that is asked for.
void answer_well(peer& p);

} // namespace fault
