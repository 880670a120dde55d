// SPDX-License-Identifier: BSL-1.0
// Landlock by its system calls: older C libraries and headers know only its first versions.
#pragma once

#include <lkt/process/unique_fd.hpp>

#include <cstdint>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lkt::process_detail {

/// The version that the kernel offers; 0: none.
[[nodiscard]] inline int landlock_version() {
    auto const v = ::syscall(__NR_landlock_create_ruleset, nullptr, 0, 1U);
    return v > 0 ? static_cast<int>(v) : 0;
}

/// From here on, this process opens no file but anonymous memory; under a sanitizer also, to read
/// them, its own files under /proc and its executable. Needs no-new-privileges. False: errno says
/// why.
[[nodiscard]] inline bool enter_landlock(int version, bool for_sanitizer) {
    struct {
        std::uint64_t files, network, scope;
    } handled{};
    // One bit a right; versions 2, 3 and 5 brought one each (refer, truncate, device ioctl).
    auto const bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    handled.files = (std::uint64_t{1} << bits) - 1;
    if (version >= 4) handled.network = 3; // bind and connect
    if (version >= 6) handled.scope = 3;   // abstract sockets and signals
    auto const size = version >= 6 ? 24U : version >= 4 ? 16U : 8U;
    unique_fd const rules{
        static_cast<int>(::syscall(__NR_landlock_create_ruleset, &handled, size, 0U))};
    if (!rules) return false;
    // Sanitizers read /proc/self/maps, and the program before any other file with symbols.
    for (auto const* const path : {"/proc/self", "/proc/self/exe"}) {
        if (!for_sanitizer) break;
        unique_fd const place{::open(path, O_PATH | O_CLOEXEC)};
        struct [[gnu::packed]] {
            std::uint64_t rights;
            std::int32_t place;
        } const rule{std::uint64_t{1} << 2, place.get()}; // reading files
        if (place && ::syscall(__NR_landlock_add_rule, rules.get(), 1, &rule, 0U) != 0)
            return false;
    }
    return ::syscall(__NR_landlock_restrict_self, rules.get(), 0U) == 0;
}

} // namespace lkt::process_detail
