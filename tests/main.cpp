// SPDX-License-Identifier: BSL-1.0
// The main function of every test executable. A test program is also its own worker, so the first
// thing that it does is to ask whether it was started as one.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <lkt/process/worker_main.hpp>

#include <cstdlib>

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    // What an earlier run compiled, this one compiles again, but for what ctest's run shares.
    auto const* const shared = std::getenv("LKT_TEST_CACHE");
    ::setenv("LKT_CACHE", shared != nullptr ? shared : "off", 0);
    doctest::Context context;
    context.applyCommandLine(argc, argv);
    return context.run();
}
