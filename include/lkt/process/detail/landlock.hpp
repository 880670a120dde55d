// SPDX-License-Identifier: BSL-1.0
// Landlock by its system calls: older C libraries and headers know only its first versions.
#pragma once

#include <lkt/process/unique_fd.hpp>

#include <cstdint>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace lkt::process_detail {

/// The version that the kernel offers; 0: none.
[[nodiscard]] inline int landlock_version() {
    auto const v = ::syscall(__NR_landlock_create_ruleset, nullptr, 0, 1U);
    return v > 0 ? static_cast<int>(v) : 0;
}

/// Rules that forbid whatever this version can forbid, until some are added; empty: errno says why.
[[nodiscard]] inline unique_fd make_landlock_rules(int version) {
    struct {
        std::uint64_t files, network, scope;
    } handled{};
    // One bit a right; versions 2, 3 and 5 brought one each (refer, truncate, device ioctl).
    auto const bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    handled.files = (std::uint64_t{1} << bits) - 1;
    if (version >= 4) handled.network = 3; // bind and connect
    if (version >= 6) handled.scope = 3;   // abstract sockets and signals
    auto const size = version >= 6 ? 24U : version >= 4 ? 16U : 8U;
    return unique_fd{static_cast<int>(::syscall(__NR_landlock_create_ruleset, &handled, size, 0U))};
}

/// Rights below a path, as bits of the kernel's: executing is 1, reading files 4, listing 8.
[[nodiscard]] inline bool
allow_by_landlock(unique_fd const& rules, char const* path, std::uint64_t rights) {
    unique_fd const place{::open(path, O_PATH | O_CLOEXEC)};
    struct [[gnu::packed]] {
        std::uint64_t rights;
        std::int32_t place;
    } const rule{rights, place.get()};
    return !place || ::syscall(__NR_landlock_add_rule, rules.get(), 1, &rule, 0U) == 0;
}

/// From here on, this process opens no file but anonymous memory; under a sanitizer also, to read
/// them, its own files under /proc and its executable. Needs no-new-privileges. False: errno says
/// why.
[[nodiscard]] inline bool enter_landlock(int version, bool for_sanitizer) {
    unique_fd const rules = make_landlock_rules(version);
    if (!rules) return false;
    // Sanitizers read /proc/self/maps, and the program before any other file with symbols.
    for (auto const* const path : {"/proc/self", "/proc/self/exe"})
        if (for_sanitizer && !allow_by_landlock(rules, path, 4)) return false;
    return ::syscall(__NR_landlock_restrict_self, rules.get(), 0U) == 0;
}

/// From here on, this process, and what it executes, reads and executes what lies below `readable`,
/// where that exists. Below `writable` (empty: nowhere) it makes, writes and removes plain files
/// (`folders`: and folders), and executes none; it changes no other file. Needs no-new-privileges.
/// False: errno says why.
[[nodiscard]] inline bool enter_landlock_of(int version,
                                            std::vector<std::string> const& readable,
                                            std::string const& writable = {},
                                            bool folders = false) {
    unique_fd const rules = make_landlock_rules(version);
    if (!rules) return false;
    for (auto const& path : readable) {
        struct stat about{};
        if (::stat(path.c_str(), &about) != 0) continue;
        // A file has no entries to list.
        if (!allow_by_landlock(rules, path.c_str(), S_ISDIR(about.st_mode) ? 1 | 4 | 8 : 1 | 4))
            return false;
    }
    // Writing, reading, listing, removing files, making plain ones; from version 3 on, truncating.
    auto const own = 2U | 4U | 8U | 1U << 5 | 1U << 8 | (version >= 3 ? 1U << 14 : 0U) |
                     (folders ? 1U << 4 | 1U << 7 : 0U); // removing and making folders
    if (!writable.empty() && !allow_by_landlock(rules, writable.c_str(), own)) return false;
    return ::syscall(__NR_landlock_restrict_self, rules.get(), 0U) == 0;
}

} // namespace lkt::process_detail
