// SPDX-License-Identifier: BSL-1.0
// Runs that are killed (SIGKILL) at random points and resumed until they end, against one that is
// not. LKT_KILLED_RUNS says how many; 1 unless it does, for each takes ten seconds. Processes that
// share a large number of them are told apart by LKT_KILLED_SEED, which says where they are killed.
#include <lkt/core/files.hpp>
#include <lkt/process/detail/life_line.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

struct folder {
    folder() {
        char name[] = "/tmp/lkt-killed-XXXXXX";
        path = ::mkdtemp(name);
        std::filesystem::create_directory(path + "/scratch");
    }
    ~folder() { std::filesystem::remove_all(path); }
    std::string path;
};

std::string program() {
    auto const beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return (beside / "tuner_killed_run").string();
}

/// Makes this process the parent of whatever a session leaves behind.
class orphanage {
public:
    orphanage() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
    ~orphanage() { ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); }
    orphanage(orphanage const&) = delete;
    orphanage& operator=(orphanage const&) = delete;

    /// Whether a second from now at most all of them are gone, and `scratch` is empty.
    [[nodiscard]] bool empties(std::string const& scratch) const {
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        for (;;) {
            bool none = true;
            for (auto const pid : lkt::process_detail::own_children())
                if (std::find(before_.begin(), before_.end(), pid) == before_.end() &&
                    ::waitpid(pid, nullptr, WNOHANG) == 0)
                    none = false;
            if (none && std::filesystem::is_empty(scratch)) return true;
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

private:
    std::vector<pid_t> before_ = lkt::process_detail::own_children();
};

/// Its wait status.
int session(std::string const& path, unsigned seed) {
    std::string const name = program(), number = std::to_string(seed);
    char const* const args[] = {name.c_str(), path.c_str(), number.c_str(), nullptr};
    // Kills are to meet compilers, too.
    std::string off = "LKT_CACHE=off";
    std::vector<char*> environment;
    for (auto** one = environ; *one != nullptr; ++one)
        if (!std::string_view{*one}.starts_with("LKT_CACHE=")) environment.push_back(*one);
    environment.insert(environment.end(), {off.data(), nullptr});
    pid_t child = -1;
    if (::posix_spawn(
            &child, name.c_str(), nullptr, nullptr, const_cast<char**>(args), environment.data()))
        return -1;
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

struct ending {
    std::string state;
    long calls = 0, replies = 0;
};

unsigned number_in(char const* name, unsigned otherwise) {
    char const* const text = std::getenv(name);
    return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

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
    orphanage const orphans;
    folder const undisturbed;
    REQUIRE(session(undisturbed.path, 0) == 0);
    auto const whole = ending_of(undisturbed.path);
    REQUIRE(whole.calls > 8);
    CHECK(whole.replies == whole.calls);

    unsigned const runs = number_in("LKT_KILLED_RUNS", 1);
    unsigned seed = number_in("LKT_KILLED_SEED", 0);
    long disturbed = 0, kills = 0, repeated = 0;
    for (unsigned run = 0; run < runs; ++run) {
        CAPTURE(run);
        folder const f;
        long killed = 0;
        for (;;) {
            // Kills stop some day, or a run could go on for ever.
            int const status = session(f.path, killed < 6 ? ++seed : 0);
            CHECK(orphans.empties(f.path + "/scratch"));
            if (status == 0) break;
            REQUIRE(WIFSIGNALED(status));
            REQUIRE(WTERMSIG(status) == SIGKILL);
            ++killed;
        }
        auto const e = ending_of(f.path);
        bool const same = e.state == whole.state; // too long to be printed
        CHECK(same);
        CHECK(e.replies == whole.replies);    // none was asked for again
        CHECK(e.calls <= e.replies + killed); // but for the one in flight
        disturbed += killed > 0 ? 1 : 0;
        kills += killed;
        repeated += e.calls - e.replies;
    }
    MESSAGE(runs << " runs, " << disturbed << " of them killed, " << kills << " kills, " << repeated
                 << " calls in flight were made again, " << whole.calls << " calls a run");
    CHECK(kills > 0);
}
