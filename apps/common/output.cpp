// SPDX-License-Identifier: BSL-1.0
#include "output.hpp"

#include <lkt/core/files.hpp>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace lkt_apps {

std::optional<lkt::error> write_output(std::string const& file, std::string const& text) {
    if (file != "-") return lkt::write_text_file(file, text);
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
        return std::nullopt;
    std::string const why = std::generic_category().message(errno);
    return lkt::error{lkt::condition::exhausted,
                      "lkt.file.write",
                      "standard output cannot be written: " + why,
                      "is it closed (>&-), its disk full, or its reader gone? An option that names "
                      "a file writes there instead"};
}

} // namespace lkt_apps
