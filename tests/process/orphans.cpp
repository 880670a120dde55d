// SPDX-License-Identifier: BSL-1.0
// Nothing outlives the program, at whatever moment it is killed.
#include <doctest/doctest.h>

#include "support.hpp"

#include <random>

using namespace process_test;

namespace {

std::vector<pid_t> workers_and_below(std::string const& mark) {
    auto found = processes_with(mark);
    std::erase_if(found, [](pid_t pid) {
        return read_whole("/proc/" + std::to_string(pid) + "/comm") == "holder\n";
    });
    return found;
}

pid_t start_program(std::string const& mark, std::string const& folder, std::string const& mode) {
    return start({beside("process_orphan"), mode},
                 {mark, "PATH=/usr/bin:/bin", "TMPDIR=" + folder});
}

void kill_and_reap(pid_t pid) {
    ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
}

} // namespace

TEST_CASE("SIGKILL of the program at full work leaves no process and no file after a second") {
    temporary_folder const folder;
    std::string const mark = "LKT_TEST_MARK=full" + std::to_string(::getpid());
    auto const pid = start_program(mark, folder.path(), "work");
    REQUIRE(pid > 0);
    // The program, three workers, a cell, two shells, their shell, three sleeps.
    auto const all_there = within(60s, [&] { return processes_with(mark).size() >= 10; });
    CHECK(all_there);
    // Scratch directories.
    CHECK(within(60s, [&] { return names_in(folder.path()).size() >= 2; }));
    kill_and_reap(pid);
    CHECK(within(60s, [&] { return processes_with(mark).empty(); }));
    CHECK(within(60s, [&] { return names_in(folder.path()).empty(); }));
}

TEST_CASE("... and so it is at random moments, start-up included") {
    std::mt19937 random{20240229};
    int with_workers = 0;
    // On a busy machine few rounds get as far as workers.
    for (int i = 0; i < 40 || (with_workers < 10 && i < 1000); ++i) {
        temporary_folder const folder;
        auto const mark = "LKT_TEST_MARK=r" + std::to_string(::getpid()) + "." + std::to_string(i);
        auto const pid = start_program(mark, folder.path(), "work");
        REQUIRE(pid > 0);
        std::this_thread::sleep_for(std::chrono::microseconds{random() % 40'000});
        if (processes_with(mark).size() > 1) ++with_workers;
        kill_and_reap(pid);
        INFO("round ", i);
        CHECK(within(60s, [&] { return processes_with(mark).empty(); }));
        CHECK(within(60s, [&] { return names_in(folder.path()).empty(); }));
    }
    CHECK(with_workers >= 10); // or the moments were chosen badly
}

TEST_CASE("a forked copy of the program that lives on keeps no worker alive") {
    temporary_folder const folder;
    std::string const mark = "LKT_TEST_MARK=fork" + std::to_string(::getpid());
    auto const pid = start_program(mark, folder.path(), "fork");
    REQUIRE(pid > 0);
    auto const holders = [&] {
        return processes_with(mark).size() - workers_and_below(mark).size();
    };
    CHECK(within(60s, [&] { return holders() == 1; }));
    CHECK(workers_and_below(mark).size() >= 4);
    kill_and_reap(pid);
    CHECK(within(60s, [&] { return workers_and_below(mark).empty(); }));
    for (auto const holder : processes_with(mark)) ::kill(holder, SIGKILL);
}
