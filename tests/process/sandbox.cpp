// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/sandbox.hpp>

#include <lkt/process/detail/syscalls.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>
#include <sys/prctl.h>

TEST_CASE("probing changes nothing and agrees with what the kernel lists") {
    auto const before = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    auto const report = lkt::probe_sandbox();
    CHECK(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == before);
    CHECK(report == lkt::probe_sandbox());
    CHECK(report.no_new_privileges);
    if (std::ifstream actions{"/proc/sys/kernel/seccomp/actions_avail"}) {
        std::string all;
        std::getline(actions, all);
        CHECK(report.seccomp == (all.find("kill_process") != std::string::npos));
    }
    CHECK(report.landlock_version >= 0);
}

TEST_CASE("the report in words") {
    CHECK(to_string(lkt::sandbox_report{true, true, 7}) ==
          "no-new-privileges, seccomp, Landlock 7");
    CHECK(to_string(lkt::sandbox_report{}) == "privileges not limited, no seccomp, no Landlock");
}

TEST_CASE("a call is in one class only, and those refused have names") {
    using namespace lkt::process_detail;
    std::set<long> seen;
    for (auto const call : allowed_calls) CHECK(seen.insert(call).second);
    for (auto const& call : refused_calls) CHECK(seen.insert(call.number).second);
    for (auto const& call : conditional_calls) CHECK(seen.insert(call.number).second);
    CHECK(seen.size() > 100);
    CHECK(name_of_call(__NR_socket) == "socket");
    CHECK(name_of_call(__NR_clone) == "clone");
    CHECK(name_of_call(12345) == "system call 12345");
}
