// SPDX-License-Identifier: BSL-1.0
// The world around a back end: workers that somebody kills, calls that are cancelled, memory that
// is not there.
#include "programs.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <thread>
#include <unistd.h>

using namespace conformance;
using namespace support;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Worker processes of this one.
std::vector<pid_t> workers() {
    std::vector<pid_t> found;
    for (auto const& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
        std::ifstream children{thread.path() / "children"};
        for (pid_t pid = 0; children >> pid;) {
            std::ifstream of_child{"/proc/" + std::to_string(pid) + "/comm"};
            std::string name;
            std::getline(of_child, name);
            if (name == "lkt-worker") found.push_back(pid);
        }
    }
    return found;
}
int kill_workers() {
    int killed = 0;
    for (pid_t const pid : workers()) killed += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
    return killed;
}

/// A run of so many launches, the last of which is kept.
trial long_run(std::vector<float> const& x, int launches) {
    auto t = doubling(x);
    t.launches = launches;
    t.keep = {launches - 1};
    return t;
}
double seconds_since(clock_type::time_point begin) {
    return std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// The seconds from the request to stop to the answer, which must be that it was cancelled.
template <class F>
double cancelled_after(std::chrono::milliseconds delay, F call) {
    std::stop_source stop;
    clock_type::time_point asked;
    std::thread later{[&] {
        std::this_thread::sleep_for(delay);
        asked = clock_type::now();
        stop.request_stop();
    }};
    auto const outcome = call(lkt::call_context{stop.get_token(), {}});
    auto const ended = clock_type::now();
    later.join();
    REQUIRE(!outcome.has_value());
    CHECK(outcome.error().kind == lkt::condition::cancelled);
    return std::chrono::duration<double>(ended - asked).count();
}

} // namespace

TEST_CASE("recovery: a worker that somebody kills between runs is replaced") {
    auto const t = doubling(random_floats(1000, 1));
    auto const kernel = compiled(t);
    request_over r(t);
    r.request.contents = lkt::fresh_contents();
    auto const before = r.run(tested().gpu, kernel).kept.at(0).outputs;
    REQUIRE(kill_workers() > 0);
    CHECK(r.run(tested().gpu, kernel).kept.at(0).outputs == before); // with what the old one knew
    REQUIRE(kill_workers() > 0);
    CHECK(next_one_runs()); // compiles, too
}

TEST_CASE("recovery: a worker that somebody kills during a run is no verdict on the kernel") {
    auto const x = random_floats(1000, 1);
    auto const kernel = compiled(doubling(x));
    int launches = 250;
    for (double took = 0; took < 0.2;) { // long enough to be killed amid
        launches *= 2;
        auto const begin = clock_type::now();
        auto const once = long_run(x, launches);
        REQUIRE(request_over(once).run(tested().gpu, kernel).samples.size() == at(launches));
        took = seconds_since(begin);
    }
    auto const t = long_run(x, launches);
    request_over r(t);
    int killed = 0;
    std::thread killer{[&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{60});
        killed = kill_workers();
    }};
    auto const outcome = tested().gpu.run(kernel, r.request, {});
    killer.join();
    CHECK(killed > 0);
    // The whole run was repeated, with a new worker.
    REQUIRE_MESSAGE(outcome.has_value(), lkt::to_string(outcome.error()));
    auto const* const report = std::get_if<lkt::run_report>(&*outcome);
    REQUIRE(report != nullptr);
    CHECK(report->samples.size() == at(launches));
    CHECK(numbers<float>(report->kept.at(0).outputs.at(0))[7] == 2 * x[7]);
    CHECK(next_one_runs());
}

TEST_CASE("recovery: a stop token ends a run soon, and the back end is as good as before") {
    auto const t = endless(4);
    auto const kernel = compiled(t);
    request_over r(t);
    CHECK(cancelled_after(std::chrono::milliseconds{400}, [&](auto const& c) {
              return tested().gpu.run(kernel, r.request, c);
          }) < 2.0); // a driver may take a second to end a process whose device is busy
    CHECK(next_one_runs());

    std::stop_source stopped;
    stopped.request_stop();
    lkt::call_context const never{stopped.get_token(), {}};
    CHECK(tested().gpu.run(kernel, r.request, never).error().kind == lkt::condition::cancelled);
    auto text = compile_request_of(t);
    text.source.text += "\n// not compiled yet";
    CHECK(tested().gpu.compile(text, never).error().kind == lkt::condition::cancelled);
    CHECK(next_one_runs());
}

TEST_CASE("recovery: a buffer that the device cannot hold") {
    if (tested().too_large.count == 0) {
        MESSAGE("skipped: no buffer that a test can fill is too large for this device");
        return;
    }
    auto const t = doubling(std::vector<float>(16));
    request_over r(t);
    r.arguments[0].bytes.resize(static_cast<std::size_t>(tested().too_large.count));
    auto const outcome = tested().gpu.run(compiled(t), r.request, {});
    if (outcome) {
        REQUIRE(std::holds_alternative<lkt::failure>(*outcome));
        auto const& why = std::get<lkt::failure>(*outcome);
        CAPTURE(lkt::describe(why));
        CHECK(std::holds_alternative<lkt::launch_failed>(why));
    } else {
        CAPTURE(lkt::to_string(outcome.error()));
        CHECK(has(outcome.error().code, "memory"));
        CHECK(!outcome.error().hint.empty());
    }
    CHECK(next_one_runs());
}

TEST_CASE("recovery: another back end, and one that was moved, are as good as the first") {
    auto const x = random_floats(300, 5);
    auto const t = doubling(x);
    auto first = tested().make();
    CHECK(numbers<float>(outputs(first, t).at(0))[299] == 2 * x[299]);
    auto const moved = std::move(first);
    auto copy = moved;
    CHECK(numbers<float>(outputs(copy, t).at(0))[299] == 2 * x[299]);
    CHECK(next_one_runs()); // beside it
}
