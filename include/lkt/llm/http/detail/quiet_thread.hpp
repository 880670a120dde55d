// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace lkt::detail::http {

/// A thread that takes none of the program's signals.
template <class Work>
[[nodiscard]] std::thread start_quiet_thread(Work work) {
    struct blocked {
        sigset_t before;
        blocked() {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
        }
        ~blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    } const while_it_starts;
    return std::thread(std::move(work));
}

} // namespace lkt::detail::http
