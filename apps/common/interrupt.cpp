// SPDX-License-Identifier: BSL-1.0
#include "interrupt.hpp"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace lkt_apps {
namespace {

// A handler may only write: a pipe carries the signal to a thread that may do more.
int signal_pipe[2] = {-1, -1};
constexpr char end_of_program = 'e', asked = 's', left_alone = 'h';

extern "C" void forward_signal(int number) {
    char const byte = number == SIGHUP ? left_alone : asked;
    [[maybe_unused]] auto const written = ::write(signal_pipe[1], &byte, 1);
}

} // namespace

interrupt::interrupt() {
    if (::pipe2(signal_pipe, O_CLOEXEC) != 0) return; // then Ctrl-C ends the program as usual
    ::fcntl(signal_pipe[1], F_SETFL, O_NONBLOCK);
    listener_ = std::jthread([this] {
        for (char byte = 0; ::read(signal_pipe[0], &byte, 1) == 1 && byte != end_of_program;) {
            // Who is left alone, by a terminal or a parent, hears of it several times.
            if (stop_.stop_requested() && byte == left_alone) continue;
            if (stop_.stop_requested()) ::_exit(130);
            std::fputs("\nstopping; interrupt again to stop at once\n", stderr);
            stop_.request_stop();
        }
    });
    struct sigaction action{};
    action.sa_handler = forward_signal;
    action.sa_flags = SA_RESTART;
    for (int const s : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(s, &action, nullptr);
}

interrupt::~interrupt() {
    if (!listener_.joinable()) return;
    for (int const s : {SIGINT, SIGTERM, SIGHUP}) std::signal(s, SIG_DFL);
    [[maybe_unused]] auto const written = ::write(signal_pipe[1], &end_of_program, 1);
}

} // namespace lkt_apps
