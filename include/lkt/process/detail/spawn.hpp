// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <csignal>
#include <spawn.h>
#include <string>
#include <vector>

namespace lkt::process_detail {

/// As execve wants them: pointers into `texts`, and a null.
[[nodiscard]] inline std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// Signals as a new program expects them, whatever this one has done to its own.
inline void plain_attributes(posix_spawnattr_t& attributes, short flags) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    auto const always = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags | always));
}

} // namespace lkt::process_detail
