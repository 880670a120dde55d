// SPDX-License-Identifier: BSL-1.0
// A compiler that fails since the machine gives it too little says so in its messages, like one
// that is given a wrong text. The two are told apart: of the first no kernel is guilty.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/process/child.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::host_detail {

/// The first line of a compiler's messages that speaks of space, processes, files or memory, but
/// for those about the kernel's own text; empty where none does.
[[nodiscard]] inline std::string starving_line(std::string_view log) {
    static constexpr std::string_view words[] = {"No space left on device",
                                                 "Disk quota exceeded",
                                                 "File too large",
                                                 "File size limit exceeded",
                                                 "Cannot allocate memory",
                                                 "virtual memory exhausted",
                                                 "out of memory",
                                                 "Resource temporarily unavailable",
                                                 "Too many open files",
                                                 "Read-only file system",
                                                 "cannot execute",
                                                 "cannot find \xe2\x80\x98",
                                                 "error writing to"};
    while (!log.empty()) {
        auto const line = log.substr(0, log.find('\n'));
        log.remove_prefix(line.size() == log.size() ? log.size() : line.size() + 1);
        if (line.starts_with("kernel:") || line.starts_with(' ')) continue;
        for (auto const word : words)
            if (line.find(word) != line.npos) return std::string{line.substr(0, 300)};
    }
    return {};
}

/// Whether a compiler's end may be the machine's fault. A limit of lkt's own is not.
[[nodiscard]] inline bool looks_starved(child_result const& r) {
    if (!r.over.empty()) return false;
    if (r.how == child_end::signalled) return r.signal == SIGXFSZ || r.signal == SIGKILL;
    return r.how == child_end::exited && (r.exit_code != 0 || r.files.empty()) &&
           !starving_line(r.err).empty();
}

/// A text that needs nothing but the compiler, and about as much space as a kernel does.
inline constexpr char minimal_text[] =
    "__attribute__((used)) static char const space[1 << 20] = {1};\n";

/// Of a compilation of `minimal_text`: why no text can be compiled here; nothing where this one
/// was.
[[nodiscard]] inline std::optional<error> starvation(child_result const& r) {
    if (r.how == child_end::cancelled || r.how == child_end::timed_out || r.succeeded())
        return std::nullopt;
    auto why = starving_line(r.err);
    if (r.how == child_end::signalled) why = "it was killed by signal " + std::to_string(r.signal);
    if (why.empty()) why = r.err.substr(0, std::min<std::size_t>(r.err.find('\n'), 300));
    return error{condition::exhausted,
                 "lkt.host.starved",
                 "the compiler ran out of a resource, whatever the kernel: " + why,
                 "free some space in TMPDIR, or raise the limits of this shell "
                 "(ulimit -f, ulimit -u, ulimit -n, ulimit -v)"};
}

} // namespace lkt::host_detail
