// SPDX-License-Identifier: BSL-1.0
#include "fault_server.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace fault {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

peer::peer(int socket, int which, SSL* tls, std::atomic<bool> const& stop)
    : number(which), socket_(socket), tls_(nullptr), stop_(stop) {
    int const on = 1;
    timeval const patience{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (tls) start_tls(tls);
}

peer::~peer() { close(); }

void peer::start_tls(SSL* tls) {
    tls_ = tls;
    SSL_set_fd(tls_, socket_);
    if (SSL_accept(tls_) != 1) close();
}

void peer::close() {
    if (tls_) {
        if (SSL_is_init_finished(tls_)) SSL_shutdown(tls_);
        SSL_free(tls_);
        tls_ = nullptr;
    }
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
}

void peer::reset() {
    linger const hard{.l_onoff = 1, .l_linger = 0};
    if (socket_ < 0) return;
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    if (tls_) SSL_free(tls_);
    tls_ = nullptr;
    ::close(socket_);
    socket_ = -1;
}

bool peer::more() {
    char buffer[16384];
    while (socket_ >= 0 && !stop_) {
        if (!tls_ || SSL_pending(tls_) == 0) {
            pollfd one{.fd = socket_, .events = POLLIN, .revents = 0};
            if (::poll(&one, 1, 20) <= 0) continue;
        }
        auto const n = tls_ ? SSL_read(tls_, buffer, sizeof buffer)
                            : static_cast<int>(::recv(socket_, buffer, sizeof buffer, 0));
        if (n <= 0) return false;
        held_.append(buffer, static_cast<std::size_t>(n));
        return true;
    }
    return false;
}

bool peer::read_head() {
    std::size_t end = 0;
    while ((end = held_.find("\r\n\r\n")) == std::string::npos)
        if (!more()) return false;
    head = held_.substr(0, end + 4);
    held_.erase(0, end + 4);
    return true;
}

bool peer::read_request() {
    if (!read_head()) return false;
    static constexpr std::string_view name = "content-length:";
    auto const at =
        std::search(head.begin(), head.end(), name.begin(), name.end(), [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) == b;
        });
    std::size_t size = 0;
    if (at != head.end())
        size = std::stoul(std::string(at + static_cast<std::ptrdiff_t>(name.size()), head.end()));
    while (held_.size() < size)
        if (!more()) return false;
    body = held_.substr(0, size);
    held_.erase(0, size);
    return true;
}

void peer::send(std::string_view bytes) {
    while (!bytes.empty() && socket_ >= 0 && !stop_) {
        auto const n = tls_ ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                            : static_cast<int>(::send(socket_,
                                                      bytes.data(),
                                                      std::min<std::size_t>(bytes.size(), 65536),
                                                      MSG_NOSIGNAL));
        if (n <= 0) return close();
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void peer::send_chunk(std::string_view bytes) {
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    send(size + std::string(bytes) + "\r\n");
}

bool peer::wait_for_end() {
    char ignored[65536];
    while (socket_ >= 0 && !stop_) {
        pollfd one{.fd = socket_, .events = POLLIN, .revents = 0};
        if (::poll(&one, 1, 20) <= 0) continue;
        if (::recv(socket_, ignored, sizeof ignored, 0) <= 0) return true;
    }
    return false;
}

void peer::sleep(milliseconds time) {
    auto const end = clock::now() + time;
    while (socket_ >= 0 && !stop_ && clock::now() < end)
        std::this_thread::sleep_for(milliseconds(2));
}

// -------------------------------------------------------------------------------------------------

server::server(script what, server_options options)
    : script_(std::move(what)), options_(std::move(options)) {
    socket_ = ::socket(options_.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    auto* const address =
        options_.v6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
    socklen_t size = options_.v6 ? sizeof v6 : sizeof v4;
    if (socket_ < 0 || ::bind(socket_, address, size) != 0 ||
        ::listen(socket_, options_.backlog) != 0 || ::getsockname(socket_, address, &size) != 0) {
        if (socket_ >= 0) ::close(socket_);
        throw std::runtime_error("the fault server cannot listen");
    }
    port_ = ntohs(options_.v6 ? v6.sin6_port : v4.sin_port);
    if (options_.accept) acceptor_ = std::thread([this] { accept(); });
}

server::~server() {
    stop_ = true;
    if (acceptor_.joinable()) acceptor_.join();
    for (auto& each : peers_) each.join();
    ::close(socket_);
}

std::string server::url() const {
    return std::string(options_.tls ? "https://" : "http://") +
           (options_.v6 ? "[::1]:" : "127.0.0.1:") + port();
}

void server::accept() {
    sigset_t pipe; // OpenSSL writes to sockets as if they were files
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    while (!stop_) {
        pollfd one{.fd = socket_, .events = POLLIN, .revents = 0};
        if (::poll(&one, 1, 20) <= 0) continue;
        int const fd = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) continue;
        int const number = connections_++;
        ++open_;
        peers_.emplace_back([this, fd, number] {
            {
                SSL* const tls = options_.tls ? SSL_new(options_.tls.get()) : nullptr;
                peer one_peer(fd, number, tls, stop_);
                script_(one_peer);
            }
            --open_;
        });
    }
}

// -------------------------------------------------------------------------------------------------

std::string
answer(int status, std::string_view body, std::string_view type, std::string_view more_headers) {
    return "HTTP/1.1 " + std::to_string(status) +
           " Whatever\r\nContent-Type: " + std::string(type) +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string(more_headers) + "\r\n" + std::string(body);
}

std::string completion(std::string_view text) {
    return R"({"id":"1","object":"chat.completion","model":"tiny","choices":[{"index":0,)"
           R"("message":{"role":"assistant","content":")" +
           std::string(text) +
           R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}})";
}

std::string event(std::string_view text) {
    return R"(data: {"id":"1","object":"chat.completion.chunk","model":"tiny",)"
           R"("choices":[{"index":0,"delta":{"content":")" +
           std::string(text) + "\"}}]}\n\n";
}

std::string last_events() {
    return R"(data: {"id":"1","object":"chat.completion.chunk","model":"tiny",)"
           R"("choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"
           "\n\ndata: [DONE]\n\n";
}

std::string stream_head(std::string_view more_headers) {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
           "Transfer-Encoding: chunked\r\n" +
           std::string(more_headers) + "\r\n";
}

void answer_well(peer& p) {
    while (p.read_request()) {
        if (p.body.find("\"stream\":true") == std::string::npos) {
            p.send(answer(200, completion("hello")));
            continue;
        }
        p.send(stream_head());
        p.send_chunk(event("hel"));
        p.send_chunk(event("lo"));
        p.send_chunk(last_events());
        p.send("0\r\n\r\n");
    }
}

} // namespace fault
