// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/log.hpp>

#include <cstdio>
#include <lkt/core/plain_text.hpp>

namespace lkt {

void log_to_stderr(log_level level, std::string_view text) {
    std::string line = "lkt: ";
    line += to_string(level);
    line += ": ";
    line += plain_text(text);
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace lkt
