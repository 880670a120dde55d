// SPDX-License-Identifier: BSL-1.0
// A worker that misbehaves as ROGUE says; for the tests of its client.
#include <lkt/process/detail/frame.hpp>
#include <lkt/process/detail/life_line.hpp>
#include <lkt/process/detail/run_request.hpp>
#include <lkt/process/wire.hpp>

#include <cstdint>
#include <cstdlib>
#include <poll.h>
#include <string_view>
#include <unistd.h>

namespace pd = lkt::process_detail;

namespace {

void send_raw(std::string_view bytes) { (void)!::write(pd::socket_fd, bytes.data(), bytes.size()); }

void send_header(pd::frame_header header) {
    send_raw({reinterpret_cast<char const*>(&header), sizeof header}); // NOLINT
}

void send_hello_of(std::uint32_t version, std::uint64_t hash) {
    lkt::packer out;
    out.put(version).put(hash);
    out.put(pd::run_key.name).put(pd::run_key.layout).put("echo").put(std::uint64_t{1});
    pd::frame_writer hello{pd::frame_kind::hello, out.bytes(), {}};
    (void)pd::pump_blocking(pd::socket_fd, POLLOUT, hello);
}

} // namespace

int main() {
    auto const* const set = std::getenv("ROGUE");
    std::string_view const how = set != nullptr ? set : "";
    pd::frame_header header;
    header.kind = pd::frame_kind::reply;

    if (how == "exit") return 3;
    if (how == "silent") ::pause();
    if (how == "garbage") send_raw("GET / HTTP/1.1\r\nHost: nowhere\r\n\r\n"), ::pause();
    if (how == "old") send_hello_of(pd::protocol_version + 1, pd::header_hash), ::pause();
    if (how == "other") send_hello_of(pd::protocol_version, pd::header_hash ^ 1), ::pause();
    if (how == "wordy") (void)!::write(2, "cannot load libfoo.so\n", 22), ::_exit(127);

    send_hello_of(pd::protocol_version, pd::header_hash);
    pd::frame_reader reader;
    if (pd::pump_blocking(pd::socket_fd, POLLIN, reader) != pd::progress::complete) return 1;
    if (how == "huge") header.size = std::uint64_t{1} << 60, send_header(header);
    if (how == "short") header.size = 100, send_header(header), send_raw("abc"), ::_exit(0);
    if (how == "kind") header.kind = static_cast<pd::frame_kind>(77), send_header(header);
    if (how == "request") header.kind = pd::frame_kind::request, send_header(header);
    if (how == "fds") header.fds = 3, send_header(header);
    if (how == "magic") header.magic = 1, send_header(header);
    if (how == "failure") {
        header.kind = pd::frame_kind::failure, header.size = 3;
        send_header(header), send_raw("abc");
    }
    if (how == "empty") send_header(header); // well formed; the service would have said more
    ::pause();
}
