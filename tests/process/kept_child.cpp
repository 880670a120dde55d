// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/kept_child.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <chrono>
#include <csignal>
#include <stop_token>
#include <string>
#include <thread>
#include <unistd.h>

using namespace process_test;
using lkt::child_end;

namespace {

/// Answers with what `body` makes of `said`, the question; `k` counts the questions.
lkt::child_options answering(std::string const& body) {
    lkt::child_options o;
    o.arguments = {"/usr/bin/python3", "-I", "-S", "-B", "script.py"};
    o.files = {{"script.py",
                "import os, sys\n"
                "k = 0\n"
                "while os.read(5, 1):\n"
                "    k += 1\n"
                "    said = os.read(3, 1000).decode()\n"
                "    " +
                    body +
                    "\n"
                    "    os.write(4, answer.encode())\n"
                    "    os.write(6, b'!')\n"}};
    o.collect = {"answer"};
    o.confined = lkt::confined_as::interpreter;
    o.memory_limit = std::uint64_t{1} << 30;
    return o;
}

bool has_python() {
    if (::access("/usr/bin/python3", X_OK) == 0) return true;
    MESSAGE("skipped: no /usr/bin/python3 here");
    return false;
}

std::string answer_of(lkt::kept_child& with, std::string const& question) {
    auto const r = with.ask(question, 20s);
    if (!r) FAIL(to_string(r.error()));
    INFO(r->err);
    REQUIRE(r->succeeded());
    return r->file("answer") == nullptr ? "" : std::string{r->file("answer")->text()};
}

} // namespace

TEST_CASE("One process answers question after question, and none sees another's files") {
    if (!has_python()) return;
    lkt::kept_child with{answering("answer = said and '%d %s' % (k, said)")};
    CHECK(answer_of(with, "a long question") == "1 a long question");
    CHECK(answer_of(with, "") == "");
    CHECK(answer_of(with, "short") == "3 short");
}

TEST_CASE("It is confined as a program that is asked once") {
    if (!has_python()) return;
    lkt::kept_child with{answering("exec('''try: answer = str(%s)\n"
                                   "except OSError as e: answer = type(e).__name__''' % said)")};
    CHECK(answer_of(with, "os.fork()") == "PermissionError");
    CHECK(answer_of(with, "open('planted', 'w')") == "OSError");
    CHECK(answer_of(with, "__import__('_socket').socket()") == "PermissionError");
    CHECK(answer_of(with, "os.kill(os.getppid(), 0)") == "PermissionError");
    CHECK(answer_of(with, "sorted(os.listdir('.'))") == "['script.py']");
}

TEST_CASE("What fails after it has answered is asked in another process") {
    if (!has_python()) return;
    lkt::kept_child with{answering("if k == 3: os.abort()\n"
                                   "    if said == 'leave': os._exit(0)\n"
                                   "    if said == 'fail': sys.exit('no such luck')\n"
                                   "    answer = '%d' % k")};
    for (char const* const expected : {"1", "2", "1", "2", "1"})
        CHECK(answer_of(with, "q") == expected);
    // What is its own fault it does again; and the next question finds one that answers.
    auto const failed = with.ask("fail", 20s).value();
    CHECK(failed.how == child_end::exited);
    CHECK(failed.exit_code == 1);
    CHECK(failed.err == "no such luck\n");
    auto const left = with.ask("leave", 20s).value();
    CHECK(left.succeeded());
    CHECK(left.file("answer") == nullptr);
    CHECK(answer_of(with, "q") == "1");
}

TEST_CASE("One that left while nobody asked is replaced") {
    if (!has_python()) return;
    lkt::kept_child with{answering("answer = str(os.getpid())")};
    auto const first = std::stoi(answer_of(with, "q"));
    REQUIRE(::kill(first, SIGKILL) == 0);
    auto const second = std::stoi(answer_of(with, "q"));
    CHECK(first != second);
}

TEST_CASE("A question has a limit, and can be cancelled") {
    if (!has_python()) return;
    lkt::kept_child with{answering("if said == 'hang':\n"
                                   "        while True: pass\n"
                                   "    answer = '%d' % k")};
    CHECK(with.ask("hang", 300ms).value().how == child_end::timed_out);
    CHECK(answer_of(with, "q") == "1");
    std::stop_source stop;
    std::jthread const later{[&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
    }};
    lkt::call_context const context{.stop = stop.get_token(), .on_text = {}};
    CHECK(with.ask("hang", 20s, context).value().how == child_end::cancelled);
    CHECK(answer_of(with, "q") == "1");
}

TEST_CASE("What is no answer is not taken for one, nor for an order of the user's") {
    if (!has_python()) return;
    for (char const* const byte : {"s", "x", "?"}) {
        lkt::kept_child with{answering("os.write(6, b'" + std::string{byte} +
                                       "')\n"
                                       "    while True: pass")};
        auto const r = with.ask("q", 20s).value();
        CHECK(r.how == child_end::exited);
        CHECK_FALSE(r.succeeded());
    }
}

TEST_CASE("Its process is gone with it") {
    if (!has_python()) return;
    int pid = 0;
    {
        lkt::kept_child with{answering("answer = str(os.getpid())")};
        pid = std::stoi(answer_of(with, "q"));
        CHECK(::kill(pid, 0) == 0);
    }
    CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("Descriptors are an interpreter's alone") {
    lkt::child_options o;
    o.arguments = {"true"};
    o.descriptors = {0};
    CHECK(lkt::run_child(o).error().code == "lkt.child.request");
}
