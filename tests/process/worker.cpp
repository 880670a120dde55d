// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/worker.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <lkt/process/shared_memory.hpp>
#include <lkt/process/wire.hpp>

#include <atomic>
#include <cstdio>
#include <numeric>
#include <stdexcept>

using namespace process_test;
using lkt::worker_end;

namespace {

std::atomic<int> a_global = 0;

lkt::result<lkt::worker_message> serve_test(lkt::worker_message m) {
    lkt::unpacker in{m.bytes};
    auto const what = in.text();
    if (what == "echo") return lkt::worker_message{std::string{in.rest()}, std::move(m.fds)};
    if (what == "sleep") ::sleep(100);
    if (what == "exit") {
        std::fputs("last words", stderr);
        ::_exit(in.get<int>());
    }
    if (what == "signal") ::raise(in.get<int>());
    if (what == "throw") throw std::runtime_error("thrown in the worker");
    if (what == "throw int") throw 7;
    if (what == "error")
        return lkt::error{lkt::condition::exhausted, "test.code", "message", "hint"};
    if (what == "count") return lkt::worker_message{std::to_string(++a_global), {}};
    if (what == "print") {
        for (int i = 0; i < 100'000; ++i) std::puts("more than a pipe holds");
        std::fflush(stdout);
    }
    if (what == "environment") {
        std::string all;
        for (auto const* const* e = environ; *e != nullptr; ++e) all += std::string{*e} + "\n";
        return lkt::worker_message{all, {}};
    }
    if (what == "sum") {
        auto const memory =
            lkt::shared_memory::adopt(std::move(m.fds.at(0)), lkt::memory_access::read_write);
        if (!memory) return memory.error();
        auto& mutable_memory = const_cast<lkt::shared_memory&>(*memory); // NOLINT
        auto const numbers = mutable_memory.as<std::uint32_t>();
        numbers[0] = std::accumulate(numbers.begin(), numbers.end(), 0U);
    }
    if (what == "start") { // something for the group to hold
        std::string program = "/bin/sleep", seconds = "50";
        char* argv[] = {program.data(), seconds.data(), nullptr};
        pid_t pid = -1;
        (void)::posix_spawn(&pid, argv[0], nullptr, nullptr, argv, environ);
    }
    return lkt::worker_message{};
}
constexpr lkt::service_key test_key{"test.worker", 7};
lkt::service_entry const test_entry{test_key, &serve_test};

template <class... T>
std::string ask(std::string const& what, T... more) {
    lkt::packer out;
    out.put(what);
    (out.put(more), ...);
    return std::move(out).bytes();
}

lkt::worker_failure failure_of(lkt::result<lkt::worker_answer> const& r) {
    REQUIRE(r);
    REQUIRE(std::holds_alternative<lkt::worker_failure>(*r));
    return std::get<lkt::worker_failure>(*r);
}
std::string bytes_of(lkt::result<lkt::worker_answer> const& r) {
    REQUIRE(r);
    REQUIRE(std::holds_alternative<lkt::worker_message>(*r));
    return std::get<lkt::worker_message>(*r).bytes;
}

lkt::worker_options rogue_options(std::string const& how) {
    lkt::worker_options o;
    o.executable = beside("process_rogue");
    o.environment = {"ROGUE=" + how};
    o.start_limit = 500ms;
    return o;
}

} // namespace

TEST_CASE("a service answers, in one worker for many calls") {
    lkt::worker w;
    CHECK(w.pid() == -1); // started when needed
    CHECK(bytes_of(w.call({test_key, ask("echo") + "hello"}, 10s)) == "hello");
    std::string const large(3'000'000, 'x');
    CHECK(bytes_of(w.call({test_key, ask("echo") + large}, 10s)) == large);
    CHECK(bytes_of(w.call({test_key, ask("count")}, 10s)) == "1");
    CHECK(bytes_of(w.call({test_key, ask("count")}, 10s)) == "2");
    CHECK(a_global == 0); // this process's own is another
    CHECK(w.starts() == 1);
    CHECK(w.pid() > 0);
}

TEST_CASE("data goes through shared memory") {
    lkt::worker w;
    auto memory = lkt::shared_memory::create(400);
    REQUIRE(memory);
    for (auto& n : memory->as<std::uint32_t>()) n = 2;
    int const fds[] = {memory->fd()};
    (void)bytes_of(w.call({test_key, ask("sum"), fds}, 10s));
    CHECK(memory->as<std::uint32_t>()[0] == 200);
    auto const back = w.call({test_key, ask("echo"), fds}, 10s);
    REQUIRE(back);
    CHECK(std::get<lkt::worker_message>(*back).fds.size() == 1);
}

TEST_CASE("a service's error and its exceptions arrive; the worker stays") {
    lkt::worker w;
    auto const e = w.call({test_key, ask("error")}, 10s);
    REQUIRE_FALSE(e);
    CHECK(e.error() == lkt::error{lkt::condition::exhausted, "test.code", "message", "hint"});
    auto const t = w.call({test_key, ask("throw")}, 10s);
    REQUIRE_FALSE(t);
    CHECK(t.error().code == "lkt.worker.exception");
    CHECK(t.error().message == "service 'test.worker' threw: thrown in the worker");
    CHECK(w.call({test_key, ask("throw int")}, 10s).error().code == "lkt.worker.exception");
    CHECK(w.starts() == 1);
}

TEST_CASE("a death is told by its kind, and the next call has another worker") {
    lkt::worker w;
    auto const signalled = failure_of(w.call({test_key, ask("signal", SIGTERM)}, 10s));
    CHECK(signalled.how == worker_end::died);
    CHECK(signalled.signal == SIGTERM);
    CHECK(bytes_of(w.call({test_key, ask("count")}, 10s)) == "1");
    auto const exited = failure_of(w.call({test_key, ask("exit", 9)}, 10s));
    CHECK(exited.how == worker_end::died);
    CHECK(exited.exit_code == 9);
    CHECK(exited.signal == 0);
    CHECK(exited.last_words == "last words");
    CHECK(lkt::to_error(exited).message ==
          "a worker was lost: it exited with status 9; its last output: last words");
    CHECK(lkt::to_error(exited).kind == lkt::condition::transient);
    CHECK(bytes_of(w.call({test_key, ask("echo") + "x"}, 10s)) == "x");
    CHECK(w.starts() == 3);
}

TEST_CASE("one that was killed between two calls is noticed") {
    lkt::worker w;
    (void)bytes_of(w.call({test_key, ask("count")}, 10s));
    ::kill(w.pid(), SIGKILL);
    CHECK(failure_of(w.call({test_key, ask("count")}, 10s)).signal == SIGKILL);
    CHECK(bytes_of(w.call({test_key, ask("count")}, 10s)) == "1");
}

TEST_CASE("a time-out kills the worker and what it started, and the next call works") {
    lkt::worker_options o;
    o.environment = {"LKT_TEST_MARK=wt" + std::to_string(::getpid())};
    lkt::worker w{o};
    (void)bytes_of(w.call({test_key, ask("start")}, 10s));
    CHECK(within(60s, [&] { return processes_with(o.environment[0]).size() == 2; }));
    auto const start = std::chrono::steady_clock::now();
    auto const failure = failure_of(w.call({test_key, ask("sleep")}, 200ms));
    auto const took = std::chrono::steady_clock::now() - start;
    CHECK(failure.how == worker_end::timed_out);
    CHECK(failure.detail == "no answer in 200 ms");
    CHECK(took >= 200ms);
    CHECK(took < 600ms);
    CHECK(processes_with(o.environment[0]).empty());
    CHECK(bytes_of(w.call({test_key, ask("count")}, 10s)) == "1");
}

TEST_CASE("a crash of the worker takes along what it started") {
    lkt::worker_options o;
    o.environment = {"LKT_TEST_MARK=wc" + std::to_string(::getpid())};
    lkt::worker w{o};
    (void)bytes_of(w.call({test_key, ask("start")}, 10s));
    CHECK(within(60s, [&] { return processes_with(o.environment[0]).size() == 2; }));
    CHECK(failure_of(w.call({test_key, ask("signal", SIGKILL)}, 10s)).how == worker_end::died);
    CHECK(within(60s, [&] { return processes_with(o.environment[0]).empty(); }));
}

TEST_CASE("cancelling takes effect within 100 ms, during a call and while waiting for one") {
    lkt::worker w;
    (void)bytes_of(w.call({test_key, ask("count")}, 10s));
    std::stop_source source;
    lkt::call_context const context{.stop = source.get_token(), .on_text = {}};
    std::chrono::steady_clock::time_point asked;
    std::thread stopper{[&] {
        std::this_thread::sleep_for(100ms);
        asked = std::chrono::steady_clock::now();
        source.request_stop();
    }};
    std::thread waiter{[&] { // queues behind the call below
        std::this_thread::sleep_for(30ms);
        auto const f = failure_of(w.call({test_key, ask("count")}, 10s, context));
        CHECK(f.how == worker_end::cancelled);
        CHECK(std::chrono::steady_clock::now() - asked < 150ms);
    }};
    auto const f = failure_of(w.call({test_key, ask("sleep")}, 10s, context));
    auto const took = std::chrono::steady_clock::now() - asked;
    stopper.join();
    waiter.join();
    CHECK(f.how == worker_end::cancelled);
    CHECK(took < 100ms);
    CHECK(lkt::to_error(f).kind == lkt::condition::cancelled);
    CHECK(bytes_of(w.call({test_key, ask("count")}, 10s)) == "1");
}

TEST_CASE("what a service prints does not block it, nor reach this program's output") {
    lkt::worker w;
    CHECK(bytes_of(w.call({test_key, ask("print")}, 20s)).empty());
    auto const f = failure_of(w.call({test_key, ask("exit", 1)}, 10s));
    CHECK(f.last_words.size() == 8192); // the end of it
    CHECK(f.last_words.ends_with("last words"));
}

TEST_CASE("a worker's environment is empty but for what is needed") {
    ::setenv("ANTHROPIC_API_KEY", "sk-secret", 1);
    lkt::worker_options o;
    o.environment = {"GIVEN=1"};
    lkt::worker w{o};
    auto const all = bytes_of(w.call({test_key, ask("environment")}, 10s));
    ::unsetenv("ANTHROPIC_API_KEY");
    CHECK(all.find("GIVEN=1\n") != std::string::npos);
    CHECK(all.find("secret") == std::string::npos);
    CHECK(all.find("HOME=") == std::string::npos);
}

TEST_CASE("another program can start it, and the worker is lost when that has ended") {
    lkt::worker_options o;
    o.launcher = {"/bin/sh", "-c", "VIA=1 \"$@\"; sleep 0.2; exit 5", "sh"};
    lkt::worker w{o};
    CHECK(bytes_of(w.call({test_key, ask("environment")}, 10s)).find("VIA=1\n") !=
          std::string::npos);
    CHECK(failure_of(w.call({test_key, ask("exit", 3)}, 10s)).exit_code == 5);
    CHECK(failure_of(w.call({test_key, ask("sleep")}, 200ms)).how == worker_end::timed_out);
    CHECK(w.starts() == 2);
    o.launcher = {"/nowhere/launcher"};
    lkt::worker none{o};
    CHECK(none.call({test_key, ask("echo")}, 10s).error().code == "lkt.worker.start");
    o.launcher = {"/bin/false"};
    lkt::worker neither{o};
    CHECK(neither.call({test_key, ask("echo")}, 10s).error().code == "lkt.worker.handshake");
}

TEST_CASE("calls from several threads queue") {
    lkt::worker w;
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            auto const word = std::to_string(t);
            for (int i = 0; i < 10; ++i) {
                auto const r = w.call({test_key, ask("echo") + word}, 10s);
                if (r && std::get<lkt::worker_message>(*r).bytes == word) ++good;
            }
        });
    for (auto& t : threads) t.join();
    CHECK(good == 40);
    CHECK(w.starts() == 1);
}

TEST_CASE("a service that is not there, or of another build, is an error") {
    lkt::worker w;
    CHECK(w.call({{"nobody", 0}, ""}, 10s).error().code == "lkt.worker.no-service");
    CHECK(w.call({{"test.worker", 8}, ""}, 10s).error().code == "lkt.worker.mismatch");
    CHECK(bytes_of(w.call({test_key, ask("count")}, 10s)) == "1");
}

TEST_CASE("what is no worker is told by its code") {
    auto const code_of = [](lkt::worker_options o) {
        lkt::worker w{std::move(o)};
        auto const r = w.call({{"echo", 1}, ""}, 10s);
        REQUIRE_FALSE(r);
        CHECK(r.error().kind == lkt::condition::unavailable);
        return r.error().code;
    };
    CHECK(code_of(rogue_options("exit")) == "lkt.worker.handshake");
    CHECK(code_of(rogue_options("silent")) == "lkt.worker.handshake");
    CHECK(code_of(rogue_options("garbage")) == "lkt.worker.handshake");
    CHECK(code_of(rogue_options("old")) == "lkt.worker.mismatch");
    CHECK(code_of(rogue_options("other")) == "lkt.worker.mismatch");
    lkt::worker_options o;
    o.executable = "/bin/true";
    CHECK(code_of(o) == "lkt.worker.handshake");
    o.executable = "/etc/passwd";
    CHECK(code_of(o) == "lkt.worker.executable");
    lkt::worker w{rogue_options("wordy")};
    CHECK(w.call({{"echo", 1}, ""}, 10s).error().message.find("cannot load libfoo.so") !=
          std::string::npos);
}

TEST_CASE("malformed answers are protocol failures") {
    for (auto const* const how : {"huge", "short", "kind", "request", "fds", "magic"}) {
        lkt::worker w{rogue_options(how)};
        INFO(how);
        auto const f = failure_of(w.call({{"echo", 1}, "x"}, 2s));
        CHECK(f.how == worker_end::protocol);
        CHECK_FALSE(f.detail.empty());
        CHECK(w.pid() == -1);
    }
    lkt::worker w{rogue_options("failure")};
    CHECK(w.call({{"echo", 1}, "x"}, 2s).error().code == "lkt.worker.protocol");
    lkt::worker fine{rogue_options("empty")}; // the tests above test what they say
    CHECK(bytes_of(fine.call({{"echo", 1}, "x"}, 2s)).empty());
}

TEST_CASE("too many descriptors are refused, not lost") {
    lkt::worker w;
    std::vector<int> const fds(65, 0);
    CHECK(failure_of(w.call({test_key, ask("echo"), fds}, 10s)).how == worker_end::protocol);
}

TEST_CASE("the destructor ends it") {
    pid_t pid = -1;
    {
        lkt::worker w;
        (void)bytes_of(w.call({test_key, ask("count")}, 10s));
        pid = w.pid();
        CHECK(is_running(pid));
    }
    CHECK(state_of(pid).empty()); // not even a zombie
    lkt::worker w;
    (void)bytes_of(w.call({test_key, ask("count")}, 10s));
    w.stop();
    CHECK(w.pid() == -1);
    CHECK(bytes_of(w.call({test_key, ask("count")}, 10s)) == "1");
}
