// SPDX-License-Identifier: BSL-1.0
#include "output.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <unistd.h>

namespace lkt_apps {

std::optional<lkt::error> write_output(std::string const& file, std::string const& text) {
    if (file != "-") return lkt::write_text_file(file, text);
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
        return std::nullopt;
    std::string const why = std::generic_category().message(errno);
    return lkt::error{lkt::condition::exhausted,
                      "lkt.file.write",
                      "cannot write to standard output: " + why,
                      "check that it is open (no >&-), that its disk has space and that its reader "
                      "still runs; or give the option a file name"};
}

void say(std::string const& text, char const* end) {
    // A line of the progress display that stands there is rewritten later.
    char const* const clear = ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
    auto const line = clear + lkt::plain_text(text) + end;
    (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace lkt_apps
