// SPDX-License-Identifier: BSL-1.0
// Tests that need the back end's device. Without one: a sentence that says why, and status 77
// (skipped).
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tested_backend.hpp"

#include <lkt/process/worker_main.hpp>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    ::setenv("LKT_CACHE", "off", 0); // what an earlier run compiled, this one compiles again
    if (auto const device = conformance::tested().gpu.device({}); device.has_error()) {
        std::printf("skipped: %s\n", to_string(device.error()).c_str());
        return device.error().kind == lkt::condition::unavailable ? 77 : 1;
    }
    return doctest::Context(argc, argv).run();
}
