// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/worker_options.hpp>

#include <lkt/process/detail/lookup.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

using lkt::process_detail::find_worker;
using lkt::process_detail::make_environment;

namespace {

/// Pretends that main did not begin with worker_main.
struct unaware_main {
    unaware_main() { lkt::process_detail::main_serves = false; }
    ~unaware_main() { lkt::process_detail::main_serves = true; }
};
struct with_variable {
    with_variable(char const* name, std::string const& value)
        : name_(name), before_(std::getenv(name) ? std::getenv(name) : ""),
          was_set_(std::getenv(name) != nullptr) {
        ::setenv(name, value.c_str(), 1);
    }
    ~with_variable() {
        if (was_set_)
            ::setenv(name_, before_.c_str(), 1);
        else
            ::unsetenv(name_);
    }
    char const* name_;
    std::string before_;
    bool was_set_;
};

} // namespace

TEST_CASE("no key is among what a worker is given") {
    lkt::worker_options const options;
    for (auto const& name : options.keep) {
        CHECK(name.find("KEY") == std::string::npos);
        CHECK(name.find("TOKEN") == std::string::npos);
    }
    with_variable const key{"ANTHROPIC_API_KEY", "secret"};
    for (auto const& variable : make_environment(options.keep, {}))
        CHECK(variable.find("secret") == std::string::npos);
}

TEST_CASE("the environment: kept where set, overridden by what is given") {
    with_variable const a{"LKT_TEST_A", "1"};
    ::unsetenv("LKT_TEST_B");
    auto const e = make_environment({"LKT_TEST_A", "LKT_TEST_B"}, {"LKT_TEST_C=3"});
    CHECK(e == std::vector<std::string>{"LKT_TEST_A=1", "LKT_TEST_C=3"});
    CHECK(make_environment({"LKT_TEST_A"}, {"LKT_TEST_A=2"}) ==
          std::vector<std::string>{"LKT_TEST_A=2"});
}

TEST_CASE("this program is its own worker, because its main began with worker_main") {
    ::unsetenv("LKT_WORKER");
    CHECK(*find_worker({}) == "/proc/self/exe");
}

TEST_CASE("what is named comes first, and must be a program") {
    lkt::worker_options options;
    options.executable = "/bin/sh";
    with_variable const named{"LKT_WORKER", "/nowhere/worker"};
    CHECK(*find_worker(options) == "/bin/sh");
    auto const r = find_worker({});
    REQUIRE_FALSE(r);
    CHECK(r.error().code == "lkt.worker.executable");
    CHECK(r.error().message.find("/nowhere/worker") != std::string::npos);
}

TEST_CASE("else lkt-worker on PATH, else an error that quotes the line to write") {
    unaware_main const unaware;
    ::unsetenv("LKT_WORKER");
    process_test::temporary_folder const folder;
    auto const program = folder.path() + "/lkt-worker";
    with_variable const path{"PATH", "/nowhere:" + folder.path()};
    auto const none = find_worker({});
    REQUIRE_FALSE(none);
    CHECK(none.error().code == "lkt.worker.none");
    CHECK(none.error().hint.find("if (auto rc = lkt::worker_main(argc, argv)) return *rc;") !=
          std::string::npos);
    std::ofstream{program} << "#!/bin/sh\n";
    CHECK_FALSE(find_worker({})); // not executable
    ::chmod(program.c_str(), 0700);
    CHECK(*find_worker({}) == program);
}
