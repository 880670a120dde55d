// SPDX-License-Identifier: BSL-1.0
// The main function of every test executable. A test program is also its own worker, so the first
// thing that it does is to ask whether it was started as one.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#if __has_include(<lkt/process/worker.hpp>)
#include <lkt/process/worker.hpp>
#endif

int main(int argc, char** argv) {
#if __has_include(<lkt/process/worker.hpp>)
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
#endif
    doctest::Context context;
    context.applyCommandLine(argc, argv);
    return context.run();
}
