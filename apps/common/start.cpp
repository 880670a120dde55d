// SPDX-License-Identifier: BSL-1.0
#include "start.hpp"

#include <csignal>
#include <initializer_list>

namespace lkt_apps {

void fail_instead_of_dying() {
    for (int const s : {SIGPIPE, SIGXFSZ}) (void)std::signal(s, SIG_IGN);
}

} // namespace lkt_apps
