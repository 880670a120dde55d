// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/confined_helper.hpp>

#include "support.hpp"

#include <lkt/process/worker.hpp>

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/socket.h>

using namespace process_test;

namespace {

lkt::result<void> prepare(std::string_view what) {
    if (what == "unprepared") return lkt::error{lkt::condition::rejected, "test.prepare", "no", {}};
    return {};
}

lkt::result<std::string> answer(std::string_view request) {
    auto const rest = std::string{request.substr(request.find(' ') + 1)};
    if (request.starts_with("read ")) return read_whole(rest);
    if (request.starts_with("write ")) {
        std::ofstream{rest} << "written";
        return read_whole(rest);
    }
    if (request == "socket") return std::to_string(::socket(AF_INET, SOCK_STREAM, 0));
    if (request == "fork") return std::to_string(::fork());
    if (request == "environment") return std::string{std::getenv("PATH") == nullptr ? "" : "PATH"};
    if (request == "crash") ::raise(SIGSEGV);
    if (request == "exit") ::_exit(7);
    return lkt::error{lkt::condition::rejected, "test.answer", "an error", {}};
}

/// `lack readable writable`, then a request, each in a line.
lkt::result<lkt::worker_message> serve(lkt::worker_message message) {
    static lkt::confined_helper helper;
    std::istringstream lines{message.bytes};
    std::string lack, readable, writable, request;
    std::getline(lines, lack), std::getline(lines, readable);
    std::getline(lines, writable), std::getline(lines, request);
    lkt::helper_plan plan;
    plan.readable = {readable};
    plan.writable = writable;
    plan.lack = static_cast<lkt::process_detail::kernel_lack>(std::stoi(lack));
    if (auto const ok = helper.start(plan, request, &prepare, &answer); !ok) return ok.error();
    auto text = helper.ask(request);
    if (!text) return text.error();
    return lkt::worker_message{std::move(*text), {}};
}
inline constexpr lkt::service_key helper_key{"test-helper", lkt::layout_hash("lines -> text")};
inline lkt::service_entry const helper_entry{helper_key, &serve};

std::string ask(lkt::worker& w, std::string const& head, std::string const& request) {
    auto const r = w.call({helper_key, head + request + "\n", {}}, 20s);
    if (!r) return r.error().code;
    if (auto const* const lost = std::get_if<lkt::worker_failure>(&*r)) return lost->detail;
    return std::get<lkt::worker_message>(*r).bytes;
}

} // namespace

TEST_CASE("A confined helper reads and writes what its plan says, and starts nothing") {
    temporary_folder const mine, outside;
    std::ofstream{outside.path() + "/secret"} << "secret";
    std::ofstream{outside.path() + "/shown"} << "shown";
    for (auto const* const lack : {"0", "1"}) {
        CAPTURE(lack);
        auto const head =
            std::string{lack} + "\n" + outside.path() + "/shown\n" + mine.path() + "\n";
        lkt::worker w;
        auto const first = ask(w, head, "read " + outside.path() + "/shown");
        if (first == "lkt.sandbox.unavailable") {
            MESSAGE("skipped: neither Landlock nor mount namespaces here");
            continue;
        }
        CHECK(first == "shown");
        CHECK(ask(w, head, "read " + outside.path() + "/secret").empty());
        CHECK(ask(w, head, "read /proc/self/environ").empty());
        CHECK(ask(w, head, "read /etc/passwd").empty());
        CHECK(ask(w, head, "write " + mine.path() + "/" + lack) == "written");
        CHECK(ask(w, head, "write " + outside.path() + "/planted").empty());
        CHECK(ask(w, head, "socket") == "-1");
        CHECK(ask(w, head, "fork") == "-1");
        CHECK(ask(w, head, "environment").empty());
        CHECK(ask(w, head, "other") == "test.answer");
        CHECK(w.starts() == 1);
    }
    CHECK(names_in(outside.path()).size() == 2);
}

TEST_CASE("A confined helper's end is its worker's; where it cannot be confined, it does nothing") {
    lkt::worker w;
    std::string const head = "0\n/usr\n\n";
    CHECK(ask(w, head, "unprepared") == "test.prepare");
    CHECK(ask(w, head, "crash") == "killed by signal 11");
    CHECK(ask(w, head, "exit") == "it exited with status 7");
    CHECK(ask(w, head, "other") == "test.answer");
    w.stop();
    CHECK(ask(w, "2\n/usr\n\n", "other") == "lkt.sandbox.unavailable");
}
