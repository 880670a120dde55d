// SPDX-License-Identifier: BSL-1.0
#include "program.hpp"

#include "output.hpp"
#include "status.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/process/worker_main.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <new>
#include <system_error>

namespace lkt_apps {

int run_program(char const* name,
                char const* less,
                int argc,
                char** argv,
                std::function<int()> const& run) try {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    for (int const s : {SIGPIPE, SIGXFSZ}) (void)std::signal(s, SIG_IGN);
    return run();
} catch (std::bad_alloc const&) {
    std::fprintf(stderr, "%s: out of memory; %s\n", name, less);
    return status::environment;
} catch (std::system_error const& e) { // of a thread that cannot be started
    std::fprintf(stderr,
                 "%s: the system refuses a resource: %s\n  raise the limits of processes, memory "
                 "and open files (ulimit -u, -v, -n)\n",
                 name,
                 e.what());
    return status::environment;
} catch (std::exception const& e) {
    std::fprintf(stderr,
                 "%s: internal error: %s\n  please report this with the command line\n",
                 name,
                 lkt::plain_text(e.what()).c_str());
    return status::environment;
}

int print(information const& wanted, std::function<int(lkt::error const&)> const& complain) {
    auto const failed = write_output("-", wanted.text);
    return failed ? complain(*failed) : status::done;
}

} // namespace lkt_apps
