// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

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
[[nodiscard]] sandbox_report probe_sandbox();

/// One line for reports: `no-new-privileges, seccomp, Landlock 7`.
[[nodiscard]] std::string to_string(sandbox_report const& r);

} // namespace lkt
