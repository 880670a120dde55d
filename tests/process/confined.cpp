// SPDX-License-Identifier: BSL-1.0
// Programs that run text which nobody has read: what each tries, and what becomes of it.
#include <lkt/process/child.hpp>

#include <doctest/doctest.h>

#include <lkt/process/sandbox.hpp>

#include "support.hpp"

#include <chrono>
#include <string>

using namespace process_test;
using lkt::child_end;

namespace {

lkt::child_options python(std::string script) {
    lkt::child_options o;
    // The system's own: what a version manager puts on PATH may be a shell script.
    o.arguments = {"/usr/bin/python3", "-I", "-S", "-B", "script.py"};
    o.files = {{"script.py", std::move(script)}};
    o.collect = {"out"};
    o.confined = lkt::confined_as::interpreter;
    o.time_limit = 20s;
    o.memory_limit = std::uint64_t{1} << 30;
    return o;
}

bool has_python() { return ::access("/usr/bin/python3", X_OK) == 0; }

std::string mark() { return "LKT_CONFINED=" + std::to_string(::getpid()); }

/// What a script printed that has to end by itself.
std::string output_of(std::string const& script) {
    auto const r = lkt::run_child(python(script));
    REQUIRE(r);
    INFO(r->err);
    CHECK(r->succeeded());
    return r->out;
}

/// `what` has to fail with an OSError of this name.
void check_refused(std::string const& what, std::string const& name) {
    CAPTURE(what);
    CHECK(output_of("import os, errno\n"
                    "try:\n"
                    "    " +
                    what +
                    "\n"
                    "    print('possible')\n"
                    "except OSError as e:\n"
                    "    print(errno.errorcode[e.errno])\n") == name + "\n");
}

} // namespace

TEST_CASE("A confined program computes, reads its files and writes to what it was given") {
    if (!has_python()) {
        MESSAGE("skipped: no /usr/bin/python3 here");
        return;
    }
    auto o = python("import os, sys, threading\n"
                    "sums = []\n"
                    "t = threading.Thread(target=lambda: sums.append(sum(range(1000))))\n"
                    "t.start(); t.join()\n"
                    "os.write(3, open('note').read().encode() + sys.stdin.read().encode())\n"
                    "print(sums[0])\n");
    o.files.push_back({"note", "from a file, "});
    o.input = "from standard input";
    auto const r = lkt::run_child(o);
    REQUIRE(r);
    INFO(r->err);
    CHECK(r->succeeded());
    CHECK(r->out == "499500\n");
    REQUIRE(r->file("out") != nullptr);
    CHECK(r->file("out")->text() == "from a file, from standard input");
}

TEST_CASE(
    "A confined program that writes nothing leaves no file; one that is missing is an error") {
    if (!has_python()) return;
    auto const r = lkt::run_child(python("pass"));
    REQUIRE(r);
    CHECK(r->succeeded());
    CHECK(r->files.empty());
    auto o = python("");
    o.arguments = {"/no/such/program"};
    auto const missing = lkt::run_child(o);
    REQUIRE(missing.has_error());
    CHECK(missing.error().code == "lkt.child.start");
    CHECK(missing.error().kind == lkt::condition::unavailable);
}

TEST_CASE("A confined program has no network, no further process and no power over others") {
    if (!has_python()) return;
    check_refused("import socket; socket.socket()", "EPERM");
    check_refused("import socket; socket.socket(socket.AF_UNIX)", "EPERM");
    check_refused("import socket; socket.socketpair()", "EPERM");
    check_refused("os.fork()", "EPERM");
    check_refused("import subprocess; subprocess.run(['/bin/sh', '-c', 'true'])", "EPERM");
    check_refused("os.posix_spawn('/bin/sh', ['sh'], {})", "EPERM");
    check_refused("os.kill(os.getppid(), 9)", "EPERM");
    check_refused("os.kill(-1, 0)", "EPERM");
    check_refused("import fcntl; fcntl.fcntl(1, fcntl.F_SETOWN, os.getppid())", "EPERM");
    check_refused("os.setpgid(0, 0)", "EPERM");
    check_refused("os.memfd_create('x')", "EPERM");
    CHECK(output_of("import resource\n"
                    "try: resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))\n"
                    "except ValueError as e: print(e)\n") ==
          "not allowed to raise maximum limit\n"); // Python's words for EPERM
    CHECK(output_of("print([l for l in open('/proc/self/status') if l[:6] in "
                    "('CapEff', 'CapPrm')])") ==
          "['CapPrm:\\t0000000000000000\\n', 'CapEff:\\t0000000000000000\\n']\n");
}

TEST_CASE("A confined program changes no file, its own directory included") {
    if (!has_python()) return;
    temporary_folder const folder;
    auto const path = "'" + folder.path() + "/planted'";
    check_refused("open(" + path + ", 'w')", "EROFS");
    check_refused("os.mkdir(" + path + ")", "EROFS");
    check_refused("os.rename('script.py', " + path + ")", "EROFS");
    check_refused("os.unlink('script.py')", "EROFS");
    check_refused("os.symlink('/', " + path + ")", "EROFS");
    check_refused("os.chmod('script.py', 0o777)", "EROFS");
    check_refused("open('more', 'w')", "EROFS");
    check_refused("open('/dev/fd/3', 'w')", "EROFS");
    CHECK(names_in(folder.path()).empty());
}

TEST_CASE("A confined program reads what it was allowed, and nothing else") {
    if (!has_python()) return;
    using lkt::process_detail::kernel_lack;
    temporary_folder const secret, open;
    for (auto const* const folder : {&secret, &open})
        std::ofstream{folder->path() + "/text"} << "words";
    auto o = python("for path in ('" + secret.path() + "/text', '" + open.path() +
                    "/text', '/proc/1/environ'):\n"
                    "    try: print(len(open(path).read()))\n"
                    "    except OSError: print('refused')\n");
    o.readable = {open.path()};
    auto const with = [&](kernel_lack lack) {
        lkt::process_detail::pretended_lack = lack;
        auto const r = lkt::run_child(o);
        lkt::process_detail::pretended_lack = kernel_lack::nothing;
        if (r) INFO(r->err);
        return r ? r->out : r.error().code;
    };
    for (auto const lack : {kernel_lack::nothing, kernel_lack::landlock}) {
        auto const out = with(lack);
        bool const landlock =
            lack == kernel_lack::nothing && lkt::probe_sandbox().landlock_version > 0;
        if (!landlock && out == "lkt.sandbox.unavailable")
            MESSAGE("skipped: this kernel has no Landlock, or allows no mount namespace");
        else
            CHECK(out == "refused\n5\nrefused\n");
    }
    CHECK(with(kernel_lack::landlock_and_mounts) == "lkt.sandbox.unavailable");
    o.unconfined_allowed = true;
    CHECK(with(kernel_lack::landlock_and_mounts).starts_with("5\n5\n"));
}

TEST_CASE(
    "A confined program that fills memory or disk, or runs for ever, ends, and leaves nothing") {
    if (!has_python()) return;
    auto memory = python("x = []\nwhile True: x.append(bytearray(1 << 26))\n");
    memory.environment = {mark()};
    auto const full = lkt::run_child(memory);
    REQUIRE(full);
    CHECK(full->how == child_end::exited);
    CHECK(full->signal == 0);
    INFO(full->err);
    CHECK(full->exit_code == 1);
    CHECK(full->err.find("MemoryError") != std::string::npos);
    CHECK(full->peak_rss < std::uint64_t{1} << 30);

    auto disk = python("import os\n"
                       "block = bytes(1 << 20)\n"
                       "for k in range(10 << 10): os.write(3, block)\n");
    disk.environment = {mark()};
    disk.file_size_limit = std::uint64_t{8} << 20;
    auto const large = lkt::run_child(disk);
    REQUIRE(large);
    CHECK(large->exit_code == 1);
    CHECK(large->err.find("File too large") != std::string::npos);
    REQUIRE(large->file("out") != nullptr);
    CHECK(large->file("out")->size() == std::size_t{8} << 20);

    auto endless = python("import threading\n"
                          "def run():\n"
                          "    while True: pass\n"
                          "threading.Thread(target=run).start()\n"
                          "run()\n");
    endless.environment = {mark()};
    endless.time_limit = 700ms;
    auto const late = lkt::run_child(endless);
    REQUIRE(late);
    CHECK(late->how == child_end::timed_out);
    CHECK(late->wall < 5s);
    CHECK(processes_with(mark()).empty());
}
