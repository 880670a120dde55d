// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/detail/bpf.hpp>
#include <lkt/process/detail/landlock.hpp>

#include <string>
#include <sys/prctl.h>

namespace lkt {

/// What this kernel offers for confining code that nobody has read. Each was asked for.
struct sandbox_report {
    bool no_new_privileges = false;
    bool seccomp = false;     ///< filters with all the verdicts that are used; needed
    int landlock_version = 0; ///< 0: none, then loading code can read files (but not send them)

    friend bool operator==(sandbox_report const&, sandbox_report const&) = default;
};

/// How code is confined. Resource limits and closed descriptors apply in any case.
struct sandbox_policy {
    bool unsandboxed = false; ///< run without filters, and where the kernel has none
    bool strict = false;      ///< any call that is not on the list ends the code (default: EPERM)
};

/// Asks the kernel; changes nothing. A few system calls.
[[nodiscard]] inline sandbox_report probe_sandbox() {
    sandbox_report report;
    report.no_new_privileges = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0;
    report.seccomp = process_detail::seccomp_machine != 0;
    for (auto const action : {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_TRAP, SECCOMP_RET_ERRNO})
        if (::syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0)
            report.seccomp = false;
    report.landlock_version = process_detail::landlock_version();
    return report;
}

/// One line for reports: `no-new-privileges, seccomp, Landlock 7`.
[[nodiscard]] inline std::string to_string(sandbox_report const& r) {
    return std::string{r.no_new_privileges ? "no-new-privileges" : "privileges not limited"} +
           (r.seccomp ? ", seccomp" : ", no seccomp") +
           (r.landlock_version > 0 ? ", Landlock " + std::to_string(r.landlock_version)
                                   : ", no Landlock");
}

} // namespace lkt
