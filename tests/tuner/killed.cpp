// SPDX-License-Identifier: BSL-1.0
// Runs that are killed (SIGKILL) at random points and resumed until they end, against one that is
// not. LKT_KILLED_RUNS says how many; 50 unless it does.
#include <lkt/core/files.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

struct folder {
    folder() {
        char name[] = "/tmp/lkt-killed-XXXXXX";
        path = ::mkdtemp(name);
    }
    ~folder() { std::filesystem::remove_all(path); }
    std::string path;
};

std::string program() {
    auto const beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return (beside / "tuner_killed_run").string();
}

/// Its wait status.
int session(std::string const& path, unsigned seed) {
    std::string const name = program(), number = std::to_string(seed);
    char const* const args[] = {name.c_str(), path.c_str(), number.c_str(), nullptr};
    pid_t child = -1;
    if (::posix_spawn(&child, name.c_str(), nullptr, nullptr, const_cast<char**>(args), environ))
        return -1;
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

struct ending {
    std::string state;
    long calls = 0, replies = 0;
};

ending ending_of(std::string const& path) {
    ending e;
    auto const calls = lkt::read_text_file(path + "/calls").value();
    e.calls = std::count(calls.begin(), calls.end(), '\n');
    auto const text = lkt::read_text_file(path + "/final").value();
    auto const line = text.find('\n');
    e.replies = std::stol(text.substr(8, line - 8));
    e.state = text.substr(line);
    return e;
}

} // namespace

TEST_CASE("runs that are killed again and again come to the end of one that is not") {
    folder const undisturbed;
    REQUIRE(session(undisturbed.path, 0) == 0);
    auto const whole = ending_of(undisturbed.path);
    REQUIRE(whole.calls > 8);
    CHECK(whole.replies == whole.calls);

    char const* const wanted = std::getenv("LKT_KILLED_RUNS");
    unsigned const runs = wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : 50;
    long kills = 0, repeated = 0;
    unsigned seed = 0;
    for (unsigned run = 0; run < runs; ++run) {
        CAPTURE(run);
        folder const f;
        long killed = 0;
        for (;;) {
            // Kills stop some day, or a run could go on for ever.
            int const status = session(f.path, killed < 100 ? ++seed : 0);
            if (status == 0) break;
            REQUIRE(WIFSIGNALED(status));
            REQUIRE(WTERMSIG(status) == SIGKILL);
            ++killed;
        }
        auto const e = ending_of(f.path);
        CHECK(e.state == whole.state);
        CHECK(e.replies == whole.replies);    // none was asked for again
        CHECK(e.calls <= e.replies + killed); // but for the one in flight
        kills += killed;
        repeated += e.calls - e.replies;
    }
    MESSAGE(runs << " runs, " << kills << " kills, " << repeated
                 << " calls in flight were made again, " << whole.calls << " calls a run");
    CHECK(kills > runs);
}
