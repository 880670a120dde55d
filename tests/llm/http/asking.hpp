// SPDX-License-Identifier: BSL-1.0
// What tests of the network have in common.
#pragma once

#include <lkt/llm/http.hpp>

#include "fault_server.hpp"

#include <chrono>
#include <dirent.h>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace asking {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// ThreadSanitizer makes a program ten times slower.
#if defined(__SANITIZE_THREAD__)
inline constexpr int slowness = 10;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr int slowness = 10;
#else
inline constexpr int slowness = 1;
#endif
#else
inline constexpr int slowness = 1;
#endif

inline lkt::chat_request question(std::size_t size = 1) {
    lkt::chat_request r;
    r.messages.push_back({lkt::role::user, std::string(size, 'q')});
    return r;
}

/// For a test server: it is not asked over a proxy that this machine happens to name.
inline lkt::http_options options(std::string url) {
    lkt::http_options o;
    o.base_url = std::move(url);
    o.model = "tiny";
    o.proxy = "none";
    o.key = [] { return std::string("sk-a-key-that-nobody-sees"); };
    return o;
}
inline lkt::http_options options(fault::server const& s) { return options(s.url()); }

inline std::size_t entries(char const* folder) {
    std::size_t n = 0;
    if (DIR* const open = ::opendir(folder)) {
        while (::readdir(open)) ++n;
        ::closedir(open);
    }
    return n;
}
inline std::size_t open_files() { return entries("/proc/self/fd"); }
inline std::size_t threads() { return entries("/proc/self/task"); }

/// Whether it comes true soon; threads and sockets take a moment to end.
inline bool soon(std::function<bool()> const& condition,
                 std::chrono::milliseconds within = slowness * 3000ms) {
    for (auto const end = clock::now() + within; clock::now() < end;) {
        if (condition()) return true;
        std::this_thread::sleep_for(1ms);
    }
    return condition();
}

} // namespace asking
