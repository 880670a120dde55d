// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/host_options.hpp>

#include <doctest/doctest.h>

#include "cuda/support.hpp"
#include "support.hpp"
#include "support_host.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace support;

namespace {
trial small() {
    return {"__global__ void k(int* c, int n) { c[threadIdx.x] = FACTOR * n; }",
            {2},
            {4},
            {out<int>(4), value(5)}};
}
} // namespace

TEST_CASE("host options: a compiler that is not there is an error that says what to install") {
    lkt::host_options options;
    options.compiler = "no-such-compiler-here";
    lkt::host backend{options};
    auto const device = backend.device();
    REQUIRE(!device.has_value());
    CHECK(device.error().kind == lkt::condition::unavailable);
    CHECK(device.error().code == "lkt.host.compiler");
    CHECK(device.error().message.find("no-such-compiler-here") != std::string::npos);
    CHECK(device.error().hint.find("apt-get install g++") != std::string::npos);
    CHECK(device.error().hint.find("LKT_CXX") != std::string::npos);
    CHECK(backend.compile(compile_request_of(small())).error().code == "lkt.host.compiler");

    options.compiler = "/bin/false"; // there, but no compiler
    CHECK(lkt::host{options}.device().error().code == "lkt.host.compiler");
    options.compiler = "/etc"; // no program
    CHECK(lkt::host{options}.device().error().code == "lkt.host.compiler");
    ::setenv("LKT_CXX", "/nowhere/c++", 1);
    auto const named = lkt::host{}.device();
    ::unsetenv("LKT_CXX");
    REQUIRE(!named.has_value());
    CHECK(named.error().message.find("/nowhere/c++") != std::string::npos);
}

TEST_CASE("host options: flags reach the compiler, threads the description") {
    lkt::host_options options;
    options.flags = {"-DFACTOR=3"};
    options.threads = 3;
    lkt::host backend{options};
    CHECK(numbers<int>(outputs(backend, small())[0]) == std::vector<int>(4, 15));
    auto const device = backend.device().value();
    CHECK(device.name == "host CPU (3 threads)");
    CHECK(device.multiprocessors == 3);
}

TEST_CASE("host options: a program that is no worker of this build is refused") {
    lkt::host_options options;
    options.worker.executable = "/bin/true";
    auto const device = lkt::host{options}.device();
    REQUIRE(!device.has_value());
    CHECK(device.error().code.find("lkt.worker") == 0);
}

TEST_CASE("host options: unsandboxed runs the same kernels") {
    lkt::host_options options;
    options.unsandboxed = true;
    options.flags = {"-DFACTOR=2"};
    lkt::host backend{options};
    CHECK(numbers<int>(outputs(backend, small())[0]) == std::vector<int>(4, 10));
}

TEST_CASE("host options: a compiler that was killed while it was asked is asked again") {
    cuda_support::scratch const folder;
    auto const mark = folder.path() / "short-of-memory";
    auto const program = folder.path() / "c++";
    std::ofstream{program} << "#!/bin/sh\n[ ! -e '" << mark.string()
                           << "' ] || [ \"$1\" != -print-search-dirs ] || kill -9 $$\n"
                              "exec g++ \"$@\"\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    std::ofstream{mark} << "now\n";
    lkt::host_options options;
    options.compiler = program.string();
    options.cache_folder = (folder.path() / "cache").string();
    options.flags = {"-DFACTOR=2"};
    auto const killed = lkt::host{options}.device();
    REQUIRE(!killed.has_value());
    CHECK(killed.error().code == "lkt.host.compiler");
    CHECK(killed.error().message.find("killed by signal 9") != std::string::npos);

    std::filesystem::remove(mark); // the compiler itself is as it was
    lkt::host backend{options};
    CHECK(numbers<int>(outputs(backend, small())[0]) == std::vector<int>(4, 10));
}

TEST_CASE("host options: a compiler is asked once, until its files change") {
    cuda_support::scratch const folder;
    auto const log = folder.path() / "questions";
    auto const program = folder.path() / "c++";
    auto const write_compiler = [&](std::string const& more) {
        std::ofstream{program} << "#!/bin/sh\necho \"$1\" >>'" << log.string() << "'\n"
                               << more << "exec g++ \"$@\"\n";
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    };
    auto const questions = [&] {
        std::ifstream file{log};
        int lines = 0;
        for (std::string line; std::getline(file, line);) ++lines;
        return lines;
    };
    lkt::host_options options;
    options.compiler = program.string();
    options.cache_folder = (folder.path() / "cache").string();
    auto const version = [&] { return lkt::host{options}.device().value().driver; };

    write_compiler("");
    auto const first = version();
    auto const asked = questions();
    CHECK(asked > 1);
    CHECK(version() == first);
    CHECK(questions() == asked);

    write_compiler("[ \"$1\" != --version ] || { echo 'another compiler 1.0'; exit; }\n");
    CHECK(version() == "another compiler 1.0");
    CHECK(questions() > asked);
    auto const again = questions();
    CHECK(version() == "another compiler 1.0");
    CHECK(questions() == again);

    // In front of a part that it uses, on PATH.
    auto const tools = folder.path() / "tools";
    std::filesystem::create_directory(tools);
    std::string const before = std::getenv("PATH");
    ::setenv("PATH", (tools.string() + ":" + before).c_str(), 1);
    (void)version();
    auto const elsewhere = questions();
    std::ofstream{tools / "ld.gold"} << "new";
    (void)version();
    CHECK(questions() > elsewhere);
    ::setenv("PATH", before.c_str(), 1);

    // Of a damaged entry nothing is believed.
    for (auto const& file : std::filesystem::recursive_directory_iterator{folder.path() / "cache"})
        if (file.is_regular_file()) std::filesystem::resize_file(file, file.file_size() - 1);
    auto const damaged = questions();
    CHECK(version() == "another compiler 1.0");
    CHECK(questions() > damaged);
}
