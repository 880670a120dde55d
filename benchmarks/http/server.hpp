// SPDX-License-Identifier: BSL-1.0
// A server of the OpenAI chat dialect, in a process of its own: one thread on epoll, answers that
// are always the same, and as little work as that takes. It counts what it has sent in memory that
// it shares with its parent, so that all clients are measured by the same clock.
#pragma once

#include <arpa/inet.h>
#include <csignal>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace streams {

/// Words of an answer: with the events before and after them a stream has `words + 3`.
constexpr int words = 20;
constexpr std::string_view word = " token";

/// What the server has done since it was started.
struct counts {
    std::atomic<std::uint64_t> answers{0}, connections{0};
};

inline int checked(int value, char const* what) {
    if (value < 0) throw std::system_error(errno, std::generic_category(), what);
    return value;
}

/// `/paced/...` sends a word every 8 to 12 ms, as models do, so that a stream lasts some 200 ms;
/// any other path sends all of the answer at once.
class epoll_server {
public:
    epoll_server(int listener, counts& c)
        : listener_(listener), poll_(checked(epoll_create1(0), "epoll_create1")), counts_(c) {
        auto const event = [](std::string_view delta, std::string_view why, bool usage) {
            std::string data = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\","
                               "\"created\":1700000000,\"model\":\"tiny\",\"choices\":[";
            if (!usage)
                data.append(R"({"index":0,"delta":{)")
                    .append(delta)
                    .append(R"(},"logprobs":null,"finish_reason":)")
                    .append(why)
                    .append("}]}\n\n");
            else
                data += "],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":20,"
                        "\"total_tokens\":32}}\n\n";
            return chunk(data);
        };
        std::string const says = "\"content\":\"" + std::string(word) + "\"";
        pieces_.push_back("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                          "Transfer-Encoding: chunked\r\n\r\n" +
                          event(R"("role":"assistant","content":"")", "null", false));
        for (int k = 0; k < words; ++k) pieces_.push_back(event(says, "null", false));
        pieces_.back() += event("", "\"stop\"", false) + event("", "", true) +
                          chunk("data: [DONE]\n\n") + "0\r\n\r\n";
        for (std::string const& piece : pieces_) whole_ += piece;
        watch(listener_);
    }

    [[noreturn]] void serve() {
        std::array<epoll_event, 512> events;
        for (;;) {
            int const n =
                epoll_wait(poll_, events.data(), static_cast<int>(events.size()), until_due());
            for (int k = 0; k < n; ++k) {
                int const fd = events[static_cast<std::size_t>(k)].data.fd;
                if (fd == listener_)
                    take_connection();
                else
                    take_request(fd);
            }
            send_due();
        }
    }

private:
    using clock = std::chrono::steady_clock;
    struct connection {
        std::string received;
        std::uint64_t answer = 0; ///< which one is being sent
        std::size_t piece = 0;
    };
    struct due {
        clock::time_point when;
        int fd;
        std::uint64_t answer;
        friend bool operator<(due const& a, due const& b) { return a.when > b.when; }
    };

    static std::string chunk(std::string_view data) {
        std::array<char, 24> size{};
        std::snprintf(size.data(), size.size(), "%zx\r\n", data.size());
        return std::string(size.data()).append(data).append("\r\n");
    }
    void watch(int fd) {
        epoll_event e{};
        e.events = EPOLLIN;
        e.data.fd = fd;
        checked(epoll_ctl(poll_, EPOLL_CTL_ADD, fd, &e), "epoll_ctl");
    }
    [[nodiscard]] int until_due() const {
        if (schedule_.empty()) return -1;
        auto const left =
            std::chrono::ceil<std::chrono::milliseconds>(schedule_.top().when - clock::now());
        return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    void take_connection() {
        int fd = -1;
        while ((fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK)) >= 0) {
            int const on = 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            connections_[fd] = {};
            watch(fd);
            ++counts_.connections;
        }
    }
    void end(int fd) {
        connections_.erase(fd);
        ::close(fd);
    }
    void take_request(int fd) {
        auto& c = connections_[fd];
        std::array<char, 16384> buffer;
        auto const n = ::recv(fd, buffer.data(), buffer.size(), 0);
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) return end(fd);
        c.received.append(buffer.data(), static_cast<std::size_t>(n));
        auto const head = c.received.find("\r\n\r\n");
        if (head == std::string::npos) return;
        std::string_view const text = c.received;
        std::size_t length = 0;
        for (std::string_view const name : {"Content-Length: ", "content-length: "})
            if (auto const at = text.find(name); at < head)
                std::from_chars(text.data() + at + name.size(), text.data() + head, length);
        if (text.size() < head + 4 + length) return;
        bool const paced = text.starts_with("POST /paced/");
        c.received.erase(0, head + 4 + length);
        c.answer = ++answer_;
        c.piece = 0;
        if (!paced) return send(fd, whole_);
        schedule_.push({clock::now(), fd, c.answer});
    }
    void send(int fd, std::string const& text) {
        // The socket's buffer holds any answer: a client that lets it fill up is not one.
        if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
            return end(fd);
        if (&text == &whole_ || &text == &pieces_.back()) ++counts_.answers;
    }
    void send_due() {
        auto const now = clock::now();
        while (!schedule_.empty() && schedule_.top().when <= now) {
            due next = schedule_.top();
            schedule_.pop();
            auto const found = connections_.find(next.fd);
            if (found == connections_.end() || found->second.answer != next.answer) continue;
            auto const piece = found->second.piece++;
            if (piece + 1 < pieces_.size()) {
                next.when += std::chrono::microseconds(8000 + next.answer * 37 % 4000);
                schedule_.push(next);
            }
            send(next.fd, pieces_[piece]);
        }
    }

    int listener_, poll_;
    counts& counts_;
    std::vector<std::string> pieces_;
    std::string whole_;
    std::unordered_map<int, connection> connections_;
    std::priority_queue<due> schedule_;
    std::uint64_t answer_ = 0;
};

/// The server's process; it ends with this object, or with the program.
class server {
public:
    server() {
        void* const memory = mmap(
            nullptr, sizeof(counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
        done_ = new (memory) counts;
        int const listener =
            checked(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
        sockaddr_in here{};
        here.sin_family = AF_INET;
        here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* const address = reinterpret_cast<sockaddr*>(&here);
        socklen_t size = sizeof here;
        checked(bind(listener, address, size), "bind");
        checked(listen(listener, 1024), "listen");
        checked(getsockname(listener, address, &size), "getsockname");
        port_ = ntohs(here.sin_port);
        process_ = checked(fork(), "fork");
        if (process_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            epoll_server(listener, *done_).serve();
        }
        ::close(listener);
    }
    server(server const&) = delete;
    server& operator=(server const&) = delete;
    ~server() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }

    [[nodiscard]] std::string url(std::string_view mode) const {
        return "http://127.0.0.1:" + std::to_string(port_) + "/" + std::string(mode);
    }
    [[nodiscard]] counts const& done() const { return *done_; }

private:
    counts* done_ = nullptr;
    int port_ = 0;
    pid_t process_ = -1;
};

} // namespace streams
