// SPDX-License-Identifier: BSL-1.0
// The main function of every test executable. A test program is also its own worker, so the first
// thing that it does is to ask whether it was started as one.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <lkt/process/worker_main.hpp>

#include <cstdlib>

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    ::setenv("LKT_CACHE", "off", 0); // what an earlier run compiled, this one compiles again
    doctest::Context context;
    context.applyCommandLine(argc, argv);
    return context.run();
}
