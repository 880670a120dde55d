// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/child.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <sys/resource.h>
#include <thread>

using namespace process_test;
using lkt::child_end;
using lkt::child_options;
using lkt::run_child;

namespace {

child_options shell(std::string script) {
    child_options o;
    o.arguments = {"sh", "-c", std::move(script)};
    return o;
}

std::string mark_of_test(std::string const& name) {
    return "LKT_TEST_MARK=" + name + std::to_string(::getpid());
}

} // namespace

TEST_CASE("a program runs: input, outputs, exit status") {
    auto o = shell("cat; echo problem >&2; exit 3");
    o.input = std::string(300'000, 'x'); // more than a pipe holds
    auto const r = run_child(o);
    REQUIRE(r);
    CHECK(r->how == child_end::exited);
    CHECK(r->exit_code == 3);
    CHECK_FALSE(r->succeeded());
    CHECK(r->out == o.input);
    CHECK(r->err == "problem\n");
    CHECK_FALSE(r->out_cut);
    CHECK(r->wall.count() > 0);
    CHECK(r->peak_rss > 100'000);
    CHECK(r->peak_rss < 100'000'000);
}

TEST_CASE("a signal is told from an exit status") {
    auto const r = run_child(shell("kill -11 $$"));
    REQUIRE(r);
    CHECK(r->how == child_end::signalled);
    CHECK(r->signal == SIGSEGV);
}

TEST_CASE("outputs are bounded, and a flood neither blocks nor fills the memory") {
    auto o = shell("head -c 5000000 /dev/zero; yes 2>/dev/null | head -c 5000000 >&2; echo done");
    o.output_limit = 1000;
    auto const r = run_child(o);
    REQUIRE(r);
    CHECK(r->succeeded());
    CHECK(r->out == std::string(1000, '\0'));
    CHECK(r->out_cut);
    CHECK(r->err.size() == 1000);
    CHECK(r->err_cut);
}

TEST_CASE("an endless flood ends at the time limit") {
    auto o = shell("exec cat /dev/zero");
    o.output_limit = 10;
    o.time_limit = 200ms;
    auto const r = run_child(o);
    REQUIRE(r);
    CHECK(r->how == child_end::timed_out);
    CHECK(r->wall < 1s);
}

TEST_CASE("the environment holds what was allowed and nothing else") {
    ::setenv("OPENAI_API_KEY", "sk-secret", 1);
    auto o = shell("env");
    o.environment = {"GIVEN=1"};
    auto const r = run_child(o);
    ::unsetenv("OPENAI_API_KEY");
    REQUIRE(r);
    CHECK(r->out.find("GIVEN=1\n") != std::string::npos);
    CHECK(r->out.find("PATH=") != std::string::npos);
    CHECK(r->out.find("secret") == std::string::npos);
    CHECK(r->out.find("HOME=") == std::string::npos);
    o.keep = {};
    o.arguments = {"/usr/bin/env"};
    auto const bare = run_child(o);
    REQUIRE(bare);
    CHECK(bare->out == "GIVEN=1\n");
}

TEST_CASE("no descriptor leaks into it, close-on-exec or not") {
    int const leaky = ::open("/dev/null", O_RDONLY); // NOLINT: without O_CLOEXEC, as others do
    REQUIRE(leaky > 2);
    auto const r =
        run_child(shell("for f in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "
                        "if [ -e /proc/$$/fd/$f ]; then echo $f; fi; done"));
    ::close(leaky);
    REQUIRE(r);
    CHECK(r->out == "0\n1\n2\n");
}

TEST_CASE("signals are as a new program expects them") {
    auto const before = ::signal(SIGPIPE, SIG_IGN); // as a Python host has it
    sigset_t blocked, old;
    sigemptyset(&blocked), sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &old);
    auto const r = run_child(shell("grep -E 'Sig(Blk|Ign)' /proc/self/status"));
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    ::signal(SIGPIPE, before);
    REQUIRE(r);
    // Of 64 bits, the low 31 are the signals that programs know (two more are the C library's own).
    std::uint64_t blocked_there = 1, ignored_there = 1;
    std::istringstream in{r->out};
    std::string name;
    in >> name >> std::hex >> blocked_there >> name >> ignored_there;
    CHECK((blocked_there & 0x7fffffff) == 0);
    CHECK((ignored_there & 0x7fffffff) == 0);
}

TEST_CASE("it runs where it is told to") {
    auto o = shell("pwd");
    o.directory = "/usr/bin";
    CHECK(run_child(o)->out == "/usr/bin\n");
    o.directory = "/nowhere";
    auto const r = run_child(o);
    REQUIRE_FALSE(r);
    CHECK(r.error().code == "lkt.child.start");
    CHECK(r.error().message.find("'/nowhere'") != std::string::npos);
}

TEST_CASE("a program that is not there is an error with its name") {
    child_options o;
    o.arguments = {"no-such-compiler-17"};
    auto const r = run_child(o);
    REQUIRE_FALSE(r);
    CHECK(r.error().kind == lkt::condition::unavailable);
    CHECK(r.error().code == "lkt.child.start");
    CHECK(r.error().message == "cannot start 'no-such-compiler-17': No such file or directory");
    CHECK(r.error().hint == "install it, or give its full path");
}

TEST_CASE("a time-out kills everything that was started, also what left the group") {
    auto const mark = mark_of_test("timeout");
    auto o = shell("setsid sleep 50 & sleep 50 & (trap '' TERM INT HUP; sleep 50); true");
    o.environment = {mark};
    o.time_limit = 300ms;
    auto const r = run_child(o);
    REQUIRE(r);
    CHECK(r->how == child_end::timed_out);
    CHECK(r->wall >= 300ms);
    CHECK(r->wall < 900ms);
    CHECK(processes_with(mark).empty());
}

TEST_CASE("what it leaves running in the background is gone when it has ended") {
    auto const mark = mark_of_test("background");
    auto o = shell("setsid sleep 50 & sleep 50 & echo started");
    o.environment = {mark};
    auto const r = run_child(o);
    REQUIRE(r);
    CHECK(r->succeeded());
    CHECK(r->out == "started\n");
    CHECK(r->wall < 5s);
    CHECK(processes_with(mark).empty());
}

TEST_CASE("cancelling takes effect within 100 ms") {
    auto const mark = mark_of_test("cancel");
    auto o = shell("sleep 50; true");
    o.environment = {mark};
    std::stop_source source;
    std::chrono::steady_clock::time_point asked;
    std::thread stopper{[&] {
        within(60s, [&] { return processes_with(mark).size() >= 2; });
        asked = std::chrono::steady_clock::now();
        source.request_stop();
    }};
    auto const r = run_child(o, {.stop = source.get_token(), .on_text = {}});
    auto const took = std::chrono::steady_clock::now() - asked;
    stopper.join();
    REQUIRE(r);
    CHECK(r->how == child_end::cancelled);
    CHECK(took < 100ms);
    CHECK(processes_with(mark).empty());
    auto const again = run_child(o, {.stop = source.get_token(), .on_text = {}});
    REQUIRE(again);
    CHECK(again->how == child_end::cancelled);
}

TEST_CASE("files go in, files come out, and the directory is gone") {
    temporary_folder const folder;
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    auto o = shell("cat a.txt b.txt > c.txt; touch \"$TMPDIR\"/left; ln -s /etc/passwd link; "
                   "mkfifo pipe; mkdir sub; touch sub/x; pwd");
    o.files = {{"a.txt", "A"}, {"b.txt", std::string("B\0", 2)}};
    o.collect = {"c.txt", "missing", "link", "pipe", "sub"};
    auto const r = run_child(o);
    ::unsetenv("TMPDIR");
    REQUIRE(r);
    REQUIRE(r->file("c.txt") != nullptr);
    CHECK(r->file("c.txt")->text() == std::string_view("AB\0", 3));
    CHECK(r->files.size() == 1); // neither links nor pipes nor directories
    CHECK(r->out.starts_with(folder.path()));
    CHECK(names_in(folder.path()).empty());
}

TEST_CASE("a private directory is the program's only TMPDIR") {
    temporary_folder const folder;
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    // What the shell was started with: of two of a name it takes the last, getenv the first.
    auto o = shell("grep -zc '^TMPDIR=' /proc/$$/environ; true");
    o.files = {{"a.txt", "A"}};
    auto const r = run_child(o);
    ::unsetenv("TMPDIR");
    REQUIRE(r);
    CHECK(r->out == "1\n");
}

TEST_CASE("names that could leave the directory are refused") {
    for (auto const* const name : {"../x", "/etc/passwd", "", ".", "..", "a/b"}) {
        auto o = shell("true");
        o.files = {{name, "text"}};
        auto const r = run_child(o);
        REQUIRE_FALSE(r);
        CHECK(r.error().code == "lkt.child.request");
        auto c = shell("true");
        c.collect = {name};
        CHECK_FALSE(run_child(c));
    }
}

TEST_CASE("bad requests are errors") {
    CHECK(run_child({}).error().code == "lkt.child.request");
    auto o = shell(std::string("a\0b", 3));
    CHECK(run_child(o).error().code == "lkt.child.request");
    auto both = shell("true");
    both.directory = "/", both.collect = {"x"};
    CHECK(run_child(both).error().code == "lkt.child.request");
}

TEST_CASE("no place for the scratch directory is an error that says what to do") {
    ::setenv("TMPDIR", "/nowhere/at/all", 1);
    auto o = shell("true");
    o.collect = {"x"};
    auto const r = run_child(o);
    ::unsetenv("TMPDIR");
    REQUIRE_FALSE(r);
    CHECK(r.error().code == "lkt.child.scratch");
    CHECK(r.error().hint.find("TMPDIR") != std::string::npos);
}

TEST_CASE(
    "the scratch directory of a worker that is killed is removed, and that of another is not") {
    temporary_folder const place;
    ::setenv("TMPDIR", place.path().c_str(), 1);
    auto const folders = [&] {
        std::ptrdiff_t n = 0;
        for (auto const& entry : std::filesystem::directory_iterator(place.path()))
            n += entry.path().filename().string().starts_with("lkt-scratch-");
        return n;
    };
    std::atomic<bool> end = false;
    std::thread beside([&] {
        auto o = shell("while ! test -e go; do sleep 0.01; done; sleep 1; echo here > x");
        o.files = {{"go", ""}};
        o.collect = {"x"};
        auto const r = run_child(o);
        CHECK((r && r->file("x") != nullptr));
        end = true;
    });
    while (folders() == 0 && !end) std::this_thread::yield();
    CHECK(folders() == 1);
    auto o = shell("echo > x; kill -9 $PPID; sleep 5");
    o.collect = {"x"};
    auto const r = run_child(o);
    REQUIRE_FALSE(r);
    CHECK(r.error().code == "lkt.worker.died");
    CHECK(folders() == 1); // the one beside
    beside.join();
    CHECK(folders() == 0);

    // What nobody holds is left over, whatever is in it; other names are none of ours.
    std::filesystem::create_directories(place.path() + "/lkt-scratch-abcdef/deep/er");
    std::filesystem::create_directories(place.path() + "/lkt-other");
    auto next = shell("true");
    next.collect = {"x"};
    CHECK(run_child(next).has_value());
    ::unsetenv("TMPDIR");
    CHECK(folders() == 0);
    CHECK(std::filesystem::remove(place.path() + "/lkt-other"));
}

TEST_CASE("where PATH is not set, programs still find each other") {
    std::string const before = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
    ::unsetenv("PATH");
    child_options o;
    o.arguments = {"env"};
    auto const r = run_child(o);
    ::setenv("PATH", before.c_str(), 1);
    REQUIRE(r);
    CHECK(r->out.find("PATH=/usr/local/bin:/usr/bin:/bin\n") != std::string::npos);
}

TEST_CASE("limits: memory, size of files, size of what is collected") {
    auto memory = shell("x=$(head -c 100000000 /dev/zero | tr '\\0' a); echo ${#x}");
    memory.memory_limit = std::uint64_t{64} << 20;
    auto const starved = run_child(memory);
    REQUIRE(starved);
    CHECK_FALSE(starved->succeeded());
    CHECK(starved->out.empty());
    memory.memory_limit = std::uint64_t{1} << 30;
    CHECK(run_child(memory)->out == "100000000\n");

    auto file = shell("head -c 100000 /dev/zero > big; stat -c %s big");
    file.file_size_limit = 4096;
    file.collect = {"big"};
    auto const small = run_child(file);
    REQUIRE(small);
    REQUIRE(small->file("big") != nullptr);
    CHECK(small->file("big")->size() == 4096);
    file.collect_limit = 100;
    auto const r = run_child(file);
    REQUIRE_FALSE(r);
    CHECK(r.error().code == "lkt.child.file-size");
    rlimit mine{}; // the limits were the child's
    ::getrlimit(RLIMIT_AS, &mine);
    CHECK(mine.rlim_cur == RLIM_INFINITY);
}

TEST_CASE("many at once, from many threads") {
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&good, t] {
            for (int i = 0; i < 5; ++i) {
                auto const word = std::to_string(t) + "." + std::to_string(i);
                auto const r = run_child(shell("echo " + word));
                if (r && r->out == word + "\n") ++good;
            }
        });
    for (auto& t : threads) t.join();
    CHECK(good == 20);
}

TEST_CASE("the user's process is left alone: no child, no descriptor, no handler remains") {
    auto const descriptors = names_in("/proc/self/fd").size();
    struct sigaction before[NSIG];
    for (int s = 1; s < 32; ++s) ::sigaction(s, nullptr, &before[s]);
    for (int i = 0; i < 3; ++i) REQUIRE(run_child(shell("true")));
    CHECK(names_in("/proc/self/fd").size() == descriptors);
    for (int s = 1; s < 32; ++s) {
        struct sigaction now{};
        ::sigaction(s, nullptr, &now);
        CHECK((now.sa_handler == before[s].sa_handler));
    }
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
}

TEST_CASE("a lost worker is an error, not a hang") {
    auto o = shell("kill -9 $PPID; sleep 50");
    auto const mark = mark_of_test("lost");
    o.environment = {mark};
    auto const r = run_child(o);
    REQUIRE_FALSE(r);
    CHECK(r.error().code == "lkt.worker.died");
    CHECK(r.error().kind == lkt::condition::transient);
    CHECK(within(60s, [&] { return processes_with(mark).empty(); }));
}

TEST_CASE("a host that ignores SIGCHLD gets the same results") {
    auto const before = ::signal(SIGCHLD, SIG_IGN);
    auto const r = run_child(shell("exit 5"));
    ::signal(SIGCHLD, before);
    REQUIRE(r);
    CHECK(r->exit_code == 5);
}
