// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <string>

namespace lkt {

/// What this Linux kernel offers for confining untrusted code. The kernel was asked for each.
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

/// What keeps a confined compiler from other files.
enum class file_wall : unsigned char {
    none,     ///< it was not confined, or the kernel has neither of these
    landlock, ///< rules of the kernel's, by path
    mounts,   ///< a mount namespace in which nothing else is there
};

/// One line for reports: `no-new-privileges, seccomp, Landlock 7`.
[[nodiscard]] std::string to_string(sandbox_report const& r);

namespace process_detail {
/// For tests: features that are reported as missing in this program.
enum class kernel_lack : unsigned char { nothing, landlock, landlock_and_mounts };
inline constinit std::atomic<kernel_lack> pretended_lack{kernel_lack::nothing};
} // namespace process_detail

} // namespace lkt
