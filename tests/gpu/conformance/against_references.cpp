// SPDX-License-Identifier: BSL-1.0
// Each kernel on one back end, against the reference.
#include "kernel_case.hpp"
#include "tested_backend.hpp"

namespace conformance {

void judge(kernel_case const& k) {
    auto const language = tested().language;
    if (language == lkt::language::wgsl && k.wgsl.text.empty()) {
        REQUIRE(!k.wgsl.why_not.empty());
        MESSAGE("not in WGSL: " << k.wgsl.why_not);
        return;
    }
    if (language == lkt::language::hip && k.wgsl.why_not == "a header of CUDA") {
        MESSAGE("not in HIP: " << k.wgsl.why_not);
        return;
    }
    auto const got = support::outputs(tested().gpu, trial_of(k, language));
    REQUIRE(got.size() == k.expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(difference(k.expected[i], got[i]) == "");
}

} // namespace conformance
