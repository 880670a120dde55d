// SPDX-License-Identifier: BSL-1.0
// Two languages, one problem: what the CUDA text computes on the host, what the WGSL text computes
// on WebGPU, and what the translation of the WGSL computes that the checked mode runs agree as
// closely as outputs of a rewrite have to. Without WebGPU: a sentence that says why, and status 77
// (skipped).
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "../support_host.hpp"
#include "../webgpu/support_webgpu.hpp"
#include "kernel_case.hpp"

#include <lkt/process/worker_main.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/tolerance.hpp>

#include <cstdio>

namespace conformance {

namespace {
int compared = 0;
}

namespace {

void compare(kernel_case const& k,
             std::vector<lkt::argument_data> const& a,
             std::vector<lkt::argument_data> const& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        // The type is the expectation's: a text may hold packed bytes, or a float's bits, in words.
        auto const type = k.expected.at(i).data.type;
        lkt::argument_data const want{type, true, a[i].bytes}, got{type, true, b[i].bytes};
        REQUIRE(got.bytes.size() == want.bytes.size());
        auto const bound = lkt::default_tolerance(want.type.scalar, lkt::mean_magnitude(want));
        auto const wrong = lkt::find_mismatch(want, got, bound);
        if (!wrong) continue;
        CAPTURE(i);
        CAPTURE(lkt::value_text(want, wrong->first));
        CAPTURE(lkt::value_text(got, wrong->first));
        CHECK(wrong->count <= k.expected.at(i).may_differ);
    }
}

} // namespace

void judge(kernel_case const& k) {
    if (k.wgsl.text.empty()) return;
    auto const cuda = support::outputs(support::shared_host(), trial_of(k, lkt::language::cuda));
    auto trial = trial_of(k, lkt::language::wgsl);
    compare(k, cuda, support::outputs(webgpu_support::shared(), trial));
    trial.checked = true;
    compare(k, cuda, support::outputs(support::wgsl_host(), trial));
    ++compared;
}

} // namespace conformance

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    if (auto const device = webgpu_support::shared().device(); device.has_error()) {
        std::printf("skipped: %s\n", to_string(device.error()).c_str());
        return device.error().kind == lkt::condition::unavailable ? 77 : 1;
    }
    int const failed = doctest::Context(argc, argv).run();
    std::printf("%d kernels compared\n", conformance::compared);
    bool const all = argc == 1; // no filter
    return failed != 0 || (all && conformance::compared < 25) ? 1 : 0;
}
