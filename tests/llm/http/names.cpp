// SPDX-License-Identifier: BSL-1.0
#include "names.hpp"

#include <chrono>
#include <dlfcn.h>
#include <netdb.h>
#include <string_view>
#include <sys/socket.h>
#include <thread>

namespace {

using look_up_fn = int (*)(char const*, char const*, addrinfo const*, addrinfo**);

look_up_fn system_look_up() {
    static auto const found = reinterpret_cast<look_up_fn>(dlsym(RTLD_NEXT, "getaddrinfo"));
    return found;
}

int look_up(std::string_view name, char const* port, addrinfo const* hints, addrinfo** found) {
    auto const numeric = [&](char const* address) {
        return system_look_up()(address, port, hints, found);
    };
    if (name == "again.test") return EAI_AGAIN;
    if (name == "nobody.test") return EAI_NONAME;
    if (name == "six.test") return numeric("::1");
    if (name == "both.test" || name == "dead-first.test") {
        int const failed = numeric(name == "both.test" ? "::1" : "10.255.255.1");
        if (failed) return failed;
        return system_look_up()("127.0.0.1", port, hints, &(*found)->ai_next);
    }
    if (name == "hangs.test") {
        while (!names::let_go) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return EAI_AGAIN;
    }
    return numeric(name.data());
}

} // namespace

extern "C" int getaddrinfo(char const* __restrict name,
                           char const* __restrict port,
                           addrinfo const* __restrict hints,
                           addrinfo** __restrict found) {
    ++names::asked;
    int const failed = look_up(name, port, hints, found);
    ++names::answered;
    return failed;
}
