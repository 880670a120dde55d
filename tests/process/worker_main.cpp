// SPDX-License-Identifier: BSL-1.0
// The worker's half, spoken to without the library's client.
#include <lkt/process/worker_main.hpp>

#include <lkt/process/detail/error_wire.hpp>
#include <lkt/process/detail/frame.hpp>
#include <lkt/process/detail/life_line.hpp>
#include <lkt/process/detail/run_request.hpp>
#include <lkt/process/detail/spawn.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <fcntl.h>
#include <sys/socket.h>

using namespace process_test;
namespace pd = lkt::process_detail;

namespace {

/// A worker of this program, started by hand.
struct raw_worker {
    pid_t pid = -1;
    lkt::unique_fd line, socket;

    raw_worker() {
        int pipe[2], pair[2];
        REQUIRE(::pipe2(pipe, O_CLOEXEC) == 0);
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
        lkt::unique_fd const their_line{::fcntl(pipe[0], F_DUPFD_CLOEXEC, 30)};
        lkt::unique_fd const their_socket{::fcntl(pair[0], F_DUPFD_CLOEXEC, 30)};
        line = lkt::unique_fd{::fcntl(pipe[1], F_DUPFD_CLOEXEC, 30)};
        socket = lkt::unique_fd{::fcntl(pair[1], F_DUPFD_CLOEXEC, 30)};
        for (int const fd : {pipe[0], pipe[1], pair[0], pair[1]}) ::close(fd);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, their_line.get(), pd::life_line_fd);
        posix_spawn_file_actions_adddup2(&actions, their_socket.get(), pd::socket_fd);
        posix_spawnattr_t attributes;
        pd::plain_attributes(attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        std::string name = "lkt-worker", argument = pd::worker_argument;
        char* argv[] = {name.data(), argument.data(), nullptr};
        REQUIRE(::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, argv, environ) == 0);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    ~raw_worker() {
        ::kill(-pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    raw_worker(raw_worker const&) = delete;
    raw_worker& operator=(raw_worker const&) = delete;

    pd::frame receive() {
        pd::frame_reader reader;
        if (pd::pump_blocking(socket.get(), POLLIN, reader) != pd::progress::complete)
            return {pd::frame_kind::failure, {"no frame", {}}};
        return reader.take();
    }
    void send(std::string_view bytes) {
        CHECK(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
              static_cast<ssize_t>(bytes.size()));
    }
    void send(pd::frame_header header) {
        send({reinterpret_cast<char const*>(&header), sizeof header}); // NOLINT
    }
    bool ends() {
        return within(60s, [&] { return !is_running(pid); });
    }
};

pd::frame_header request_of(std::uint64_t size) {
    pd::frame_header h;
    h.kind = pd::frame_kind::request;
    h.size = size;
    return h;
}

} // namespace

TEST_CASE("in a program that is no worker, worker_main does nothing") {
    char const* const nothing[] = {"program", nullptr};
    CHECK_FALSE(lkt::worker_main(1, nothing));
    char const* const others[] = {"program", "lkt:worker", "more", nullptr};
    CHECK_FALSE(lkt::worker_main(3, others));
    char const* const similar[] = {"program", "lkt:workers", nullptr};
    CHECK_FALSE(lkt::worker_main(2, similar));
    CHECK_FALSE(lkt::worker_main(0, nothing + 1));
}

TEST_CASE("started by hand as a worker, it says so and ends") {
    int pipe[2];
    REQUIRE(::pipe2(pipe, O_CLOEXEC) == 0);
    lkt::unique_fd const read{pipe[0]};
    lkt::unique_fd write{pipe[1]};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, write.get(), 2);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    std::string name = "program", argument = pd::worker_argument;
    char* argv[] = {name.data(), argument.data(), nullptr};
    pid_t pid = -1;
    REQUIRE(::posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, argv, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    write.reset();
    char text[200] = {};
    CHECK(::read(read.get(), text, sizeof text - 1) > 0);
    CHECK(std::string{text}.find("only such a program can start it") != std::string::npos);
    int status = 0;
    CHECK(::waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 2);
}

TEST_CASE("it says hello, leads its own group, and ends when the life line is closed") {
    raw_worker w;
    auto const hello = w.receive();
    CHECK(hello.kind == pd::frame_kind::hello);
    lkt::unpacker in{hello.content.bytes};
    CHECK(in.get<std::uint32_t>() == pd::protocol_version);
    CHECK(in.get<std::uint64_t>() == pd::header_hash);
    CHECK(in.text().size() > 3);
    CHECK(::getpgid(w.pid) == w.pid);
    CHECK(is_running(w.pid));
    w.line.reset();
    CHECK(w.ends());
}

TEST_CASE("a life line that is closed during start-up is noticed as well") {
    for (int i = 0; i < 10; ++i) {
        raw_worker w;
        std::this_thread::sleep_for(std::chrono::microseconds{200 * i});
        w.line.reset();
        CHECK(w.ends());
    }
}

TEST_CASE("it ends when its client's socket is closed") {
    raw_worker w;
    (void)w.receive();
    w.socket.reset();
    CHECK(w.ends());
}

TEST_CASE("malformed frames end it; nothing is done") {
    auto const ends_after = [](auto send_something) {
        raw_worker w;
        CHECK(w.receive().kind == pd::frame_kind::hello);
        send_something(w);
        return w.ends();
    };
    CHECK(ends_after([](raw_worker& w) { w.send("this is no frame, but long enough for one"); }));
    CHECK(ends_after([](raw_worker& w) { w.send(request_of(~std::uint64_t{0})); }));
    CHECK(ends_after([](raw_worker& w) {
        w.send(request_of(1000));
        w.send("short");
        w.socket.reset();
    }));
    CHECK(ends_after([](raw_worker& w) {
        auto h = request_of(0);
        h.fds = 2; // and none comes
        w.send(h);
    }));
    CHECK(ends_after([](raw_worker& w) {
        auto h = request_of(0);
        h.kind = static_cast<pd::frame_kind>(9);
        w.send(h);
    }));
    CHECK(ends_after([](raw_worker& w) {
        auto h = request_of(0);
        h.kind = pd::frame_kind::reply;
        w.send(h);
    }));
}

TEST_CASE("a well formed frame with a malformed request is answered by an error") {
    raw_worker w;
    (void)w.receive();
    lkt::packer unknown, layout, garbage;
    unknown.put("no such service").put(std::uint64_t{0});
    layout.put(pd::run_key.name).put(pd::run_key.layout + 1);
    garbage.put(pd::run_key.name).put(pd::run_key.layout).put("garbage");
    for (auto const* const bytes : {&unknown, &layout, &garbage}) {
        w.send(request_of(bytes->bytes().size()));
        w.send(bytes->bytes());
        auto const answer = w.receive();
        CHECK(answer.kind == pd::frame_kind::failure);
        CHECK(pd::unpack_error(answer.content.bytes).code == "lkt.worker.protocol");
    }
    w.send(request_of(0)); // not even a name
    CHECK(w.receive().kind == pd::frame_kind::failure);
    CHECK(is_running(w.pid));
}

TEST_CASE("bytes in small pieces make the same frames") {
    raw_worker w;
    (void)w.receive();
    lkt::packer out;
    out.put("no such service").put(std::uint64_t{0});
    auto const header = request_of(out.bytes().size());
    std::string all{reinterpret_cast<char const*>(&header), sizeof header}; // NOLINT
    all += out.bytes();
    for (auto const c : all) {
        w.send(std::string_view{&c, 1});
        std::this_thread::sleep_for(200us);
    }
    CHECK(w.receive().kind == pd::frame_kind::failure);
}
