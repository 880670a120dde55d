// SPDX-License-Identifier: BSL-1.0
// A program with work going on in workers, under children and in a cell, that is going to be
// killed.
#include <lkt/process/cell.hpp>
#include <lkt/process/child.hpp>
#include <lkt/process/worker.hpp>

#include <chrono>
#include <cstdlib>
#include <string>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;

namespace {

lkt::result<lkt::worker_message> spin(lkt::worker_message) {
    lkt::cell_options options;
    options.time_limit = 60s;
    auto const outcome = lkt::run_cell(options, [](lkt::cell const&) {
        std::this_thread::sleep_for(60s);
        return 0;
    });
    if (!outcome) return outcome.error();
    return lkt::worker_message{};
}
lkt::service_entry const spin_entry{{"spin", 1}, &spin};

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    std::string const mark = std::string{"LKT_TEST_MARK="} + std::getenv("LKT_TEST_MARK");
    bool const forks = argc > 1 && std::string{argv[1]} == "fork";

    lkt::worker_options options;
    options.environment = {mark};
    std::thread{[options] {
        lkt::worker w{options};
        (void)w.call({{"spin", 1}, ""}, 60s);
    }}.detach();
    auto const run = [&](std::string const& script) {
        lkt::child_options child;
        // A compiler driver with a compiler below it, a file half written, and a daemon.
        child.arguments = {"sh", "-c", script};
        child.files = {{"a.txt", "text"}};
        child.environment = {mark};
        child.worker = options;
        child.time_limit = 60s;
        std::thread{[child] { (void)lkt::run_child(child); }}.detach();
    };
    run("echo x > $TMPDIR/half; sh -c 'sleep 60; true'; true");
    run("setsid sleep 60 & sleep 60");
    if (forks) {
        std::this_thread::sleep_for(300ms);
        // What a Python host does: the copy holds every descriptor of this process, for a while.
        if (::fork() == 0) {
            ::prctl(PR_SET_NAME, "holder", 0, 0, 0);
            std::this_thread::sleep_for(5s);
            ::_exit(0);
        }
    }
    // Keep starting short ones, so that a kill at any moment meets some start-up.
    while (true) {
        lkt::child_options child;
        child.arguments = {"true"};
        child.environment = {mark};
        child.worker = options;
        (void)lkt::run_child(child);
    }
}
