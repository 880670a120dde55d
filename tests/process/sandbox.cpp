// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/sandbox.hpp>

#include <lkt/process/detail/syscalls.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <sys/prctl.h>

namespace {

/// What becomes of a call by a filter, and after how many instructions.
struct decided {
    std::uint32_t action = 0;
    int steps = 0;
};

decided decide(lkt::process_detail::bpf_program const& program, seccomp_data const& call) {
    decided d;
    std::uint32_t value = 0;
    for (std::size_t at = 0;; ++at) {
        auto const& [code, then, otherwise, k] = program.code().at(at);
        ++d.steps;
        if (BPF_CLASS(code) == BPF_RET) {
            d.action = k;
            return d;
        }
        if (BPF_CLASS(code) == BPF_LD) {
            std::memcpy(&value, reinterpret_cast<char const*>(&call) + k, sizeof value);
            continue;
        }
        auto const test = BPF_OP(code);
        bool const holds = test == BPF_JEQ   ? value == k
                           : test == BPF_JGE ? value >= k
                                             : (value & k) != 0;
        at += test == BPF_JA ? k : holds ? then : otherwise;
    }
}

decided decide(lkt::process_detail::bpf_program const& program, long number, std::uint64_t first) {
    seccomp_data call{};
    call.nr = static_cast<int>(number);
    call.arch = lkt::process_detail::seccomp_machine;
    call.args[0] = first;
    return decide(program, call);
}

} // namespace

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

TEST_CASE("a filter decides each call as it was told, after few instructions") {
    using namespace lkt::process_detail;
    bpf_builder filter;
    // Long enough that a conditional jump does not reach over it.
    for (long call = 0; call < 600; call += 2)
        filter.always(call, bpf_errno(1 + static_cast<int>(call % 3)));
    filter.always(4, bpf_allow); // the first counts
    filter.if_bits(601, 0, 12, bpf_trap, bpf_allow);
    filter.unless_bits(603, 0, 1, 2, bpf_trap);
    filter.if_equal(605, 0, 7, 9, bpf_allow, bpf_trap);
    filter.if_null(607, 0, bpf_allow, bpf_trap);
    auto const program = filter.program(bpf_errno(99));
    for (long call = 0; call < 600; ++call) {
        auto const told = call % 2 == 0 ? bpf_errno(1 + static_cast<int>(call % 3)) : bpf_errno(99);
        auto const made = decide(program, call, 0);
        CHECK(made.action == told);
        CHECK(made.steps <= 4 + 2 + 2 * 10);
    }
    CHECK(decide(program, 601, 3).action == bpf_allow);
    CHECK(decide(program, 601, 8).action == bpf_trap);
    CHECK(decide(program, 602, 8).action == bpf_errno(99));
    CHECK(decide(program, 603, 1).action == bpf_allow);
    CHECK(decide(program, 603, 3).action == bpf_trap);
    CHECK(decide(program, 603, 4).action == bpf_trap);
    CHECK(decide(program, 605, 9).action == bpf_allow);
    CHECK(decide(program, 605, 8).action == bpf_trap);
    CHECK(decide(program, 607, 0).action == bpf_allow);
    CHECK(decide(program, 607, std::uint64_t{1} << 32).action == bpf_trap);
    CHECK(decide(program, 608, 0).action == bpf_errno(99));
    seccomp_data foreign{};
    foreign.arch = seccomp_machine + 1;
    CHECK(decide(program, foreign).action == SECCOMP_RET_KILL_PROCESS);
#if defined(__x86_64__)
    CHECK(decide(program, 0x40000001, 0).action == SECCOMP_RET_KILL_PROCESS); // x32
#endif
}
