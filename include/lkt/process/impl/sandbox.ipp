// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/sandbox.hpp>

#include <lkt/process/detail/bpf.hpp>
#include <lkt/process/detail/landlock.hpp>

#include <sys/prctl.h>

namespace lkt {

sandbox_report probe_sandbox() {
    sandbox_report report;
    report.no_new_privileges = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0;
    report.seccomp = process_detail::seccomp_machine != 0;
    for (auto const action : {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_TRAP, SECCOMP_RET_ERRNO})
        if (::syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0)
            report.seccomp = false;
    report.landlock_version = process_detail::landlock_version();
    return report;
}

std::string to_string(sandbox_report const& r) {
    return std::string{r.no_new_privileges ? "no-new-privileges" : "privileges not limited"} +
           (r.seccomp ? ", seccomp" : ", no seccomp") +
           (r.landlock_version > 0 ? ", Landlock " + std::to_string(r.landlock_version)
                                   : ", no Landlock");
}

} // namespace lkt
