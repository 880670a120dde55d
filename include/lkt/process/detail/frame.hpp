// SPDX-License-Identifier: BSL-1.0
// The protocol between a client and its worker: frames over a stream socket, each a header, then
// `size` bytes; descriptors travel with the header. Both directions are incremental, so that the
// client can watch the clock meanwhile.
#pragma once

#include <lkt/process/service.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

namespace lkt::process_detail {

inline constexpr std::uint32_t protocol_version = 1;
inline constexpr std::size_t max_fds = 64;
inline constexpr std::uint64_t default_frame_limit = std::uint64_t{256} << 20;

enum class frame_kind : std::uint32_t { hello = 1, request = 2, reply = 3, failure = 4 };

struct frame_header {
    std::uint32_t magic = 0x31746b6cU; // "lkt1"
    frame_kind kind = frame_kind::hello;
    std::uint64_t size = 0;
    std::uint32_t fds = 0;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(frame_header) == 24 && offsetof(frame_header, size) == 8);

/// What both ends must agree on; made of the text that describes it.
inline constexpr std::uint64_t header_hash =
    layout_hash("lkt protocol 1; header magic:4 kind:4 size:8 fds:4 reserved:4; hello protocol:4 "
                "hash:8 services:(name layout:8)*; request name layout:8 rest; reply rest; failure "
                "condition:1 code message hint; run v1") ^
    (sizeof(frame_header) * 0x9e3779b97f4a7c15U);

struct frame {
    frame_kind kind = frame_kind::hello;
    worker_message content;
};

enum class progress : unsigned char { blocked, complete, closed, broken };

/// Sends one frame piece by piece.
class frame_writer {
public:
    frame_writer(frame_kind kind, std::string_view bytes, std::span<int const> fds)
        : fds_(fds.begin(), fds.end()) {
        frame_header header;
        header.kind = kind;
        header.size = bytes.size();
        header.fds = static_cast<std::uint32_t>(fds.size());
        out_.assign(reinterpret_cast<char const*>(&header), sizeof header); // NOLINT
        out_.append(bytes);
    }

    /// Writes what the socket takes now. `closed`: the peer is gone.
    [[nodiscard]] progress pump(int socket) {
        if (fds_.size() > max_fds) return progress::broken;
        while (done_ < out_.size()) {
            iovec piece{out_.data() + done_, out_.size() - done_};
            msghdr header{};
            header.msg_iov = &piece;
            header.msg_iovlen = 1;
            alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * max_fds)] = {};
            if (done_ == 0 && !fds_.empty()) {
                header.msg_control = control;
                header.msg_controllen = CMSG_SPACE(sizeof(int) * fds_.size());
                auto* const c = CMSG_FIRSTHDR(&header);
                c->cmsg_level = SOL_SOCKET;
                c->cmsg_type = SCM_RIGHTS;
                c->cmsg_len = CMSG_LEN(sizeof(int) * fds_.size());
                std::memcpy(CMSG_DATA(c), fds_.data(), sizeof(int) * fds_.size());
            }
            // MSG_NOSIGNAL: the user's process must not die of SIGPIPE because a worker did.
            auto const n = ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n >= 0)
                done_ += static_cast<std::size_t>(n);
            else if (errno == EAGAIN || errno == EWOULDBLOCK)
                return progress::blocked;
            else if (errno == EPIPE || errno == ECONNRESET)
                return progress::closed;
            else if (errno != EINTR)
                return progress::broken;
        }
        return progress::complete;
    }

private:
    std::string out_;
    std::vector<int> fds_;
    std::size_t done_ = 0;
};

/// Receives one frame piece by piece, never reading past its end.
class frame_reader {
public:
    explicit frame_reader(std::uint64_t limit = default_frame_limit) : limit_(limit) {}

    /// `closed`: the peer closed between two frames; inside one, that is `broken`.
    [[nodiscard]] progress pump(int socket) {
        while (true) {
            bool const in_header = header_done_ < sizeof header_;
            if (!in_header && body_.size() == header_.size && body_done_ == body_.size())
                return check_fds();
            iovec piece{};
            if (in_header) {
                piece = {reinterpret_cast<char*>(&header_) + header_done_, // NOLINT
                         sizeof header_ - header_done_};
            } else { // grows as bytes arrive: an announced size alone costs nothing
                auto const more = std::min<std::uint64_t>(header_.size - body_done_, 1U << 20);
                body_.resize(body_done_ + static_cast<std::size_t>(more));
                piece = {body_.data() + body_done_, static_cast<std::size_t>(more)};
            }
            alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * max_fds)];
            msghdr about{};
            about.msg_iov = &piece;
            about.msg_iovlen = 1;
            about.msg_control = control;
            about.msg_controllen = sizeof control;
            auto const n = ::recvmsg(socket, &about, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
            if (!in_header)
                body_.resize(body_done_ + static_cast<std::size_t>(std::max<long>(n, 0)));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return progress::blocked;
            if (n < 0 && errno == ECONNRESET) return ended();
            if (n < 0) return broken(std::string{"receiving failed: "} + std::strerror(errno));
            take_fds(about);
            if (n == 0) return ended();
            if ((about.msg_flags & MSG_CTRUNC) != 0 || fds_.size() > max_fds)
                return broken("too many descriptors");
            if (in_header) {
                header_done_ += static_cast<std::size_t>(n);
                if (header_done_ == sizeof header_ && !header_is_good()) return progress::broken;
            } else {
                body_done_ += static_cast<std::size_t>(n);
            }
        }
    }

    [[nodiscard]] frame take() { return {header_.kind, {std::move(body_), std::move(fds_)}}; }
    [[nodiscard]] std::string const& why() const { return why_; }

private:
    progress broken(std::string why) {
        why_ = std::move(why);
        return progress::broken;
    }
    progress ended() {
        return header_done_ == 0 ? progress::closed : broken("the stream ended inside a frame");
    }
    progress check_fds() {
        if (fds_.size() == header_.fds) return progress::complete;
        return broken(std::to_string(header_.fds) + " descriptors announced, " +
                      std::to_string(fds_.size()) + " received");
    }
    bool header_is_good() {
        if (header_.magic != frame_header{}.magic)
            why_ = "not a frame of this protocol";
        else if (header_.kind < frame_kind::hello || header_.kind > frame_kind::failure)
            why_ = "a frame of an unknown kind";
        else if (header_.size > limit_)
            why_ = "a frame of " + std::to_string(header_.size) + " bytes, limit " +
                   std::to_string(limit_);
        else if (header_.fds > max_fds)
            why_ = "a frame that announces too many descriptors";
        return why_.empty();
    }
    void take_fds(msghdr& about) {
        for (auto* c = CMSG_FIRSTHDR(&about); c != nullptr; c = CMSG_NXTHDR(&about, c)) {
            if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
            auto const count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (std::size_t i = 0; i < count; ++i) {
                int fd = -1;
                std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
                fds_.emplace_back(fd);
            }
        }
    }

    frame_header header_{};
    std::size_t header_done_ = 0, body_done_ = 0;
    std::string body_;
    std::vector<unique_fd> fds_;
    std::uint64_t limit_;
    std::string why_;
};

/// Blocks until the whole frame is through; for the worker's end, which has nothing else to do.
template <class Pump>
[[nodiscard]] progress pump_blocking(int socket, short events, Pump& pump) {
    while (true) {
        auto const p = pump.pump(socket);
        if (p != progress::blocked) return p;
        pollfd one{socket, events, 0};
        (void)::poll(&one, 1, -1);
    }
}

} // namespace lkt::process_detail
