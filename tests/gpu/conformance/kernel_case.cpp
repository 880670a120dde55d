// SPDX-License-Identifier: BSL-1.0
#include "kernel_case.hpp"

#include <algorithm>
#include <cmath>

namespace conformance {

std::string difference(expectation const& expected, lkt::argument_data const& got) {
    auto const& want = expected.data;
    if (got.bytes.size() != want.bytes.size())
        return std::to_string(got.bytes.size()) + " bytes in the place of " +
               std::to_string(want.bytes.size());
    std::size_t wrong = 0, first = 0;
    // The type is the expectation's: a text may hold packed bytes in words.
    lkt::argument_data const read{want.type, true, got.bytes};
    for (std::size_t i = 0; i < want.lanes(); ++i) {
        double const x = lkt::lane_as_double(want, i), y = lkt::lane_as_double(read, i);
        double const error = std::abs(x - y) / std::max({1.0, std::abs(x), std::abs(y)});
        if (x == y || error <= expected.within) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong <= expected.may_differ) return {};
    return std::to_string(wrong) + " of " + std::to_string(want.lanes()) + " lanes, lane " +
           std::to_string(first) + " is " + lkt::lane_text(read, first) + " and should be " +
           lkt::lane_text(want, first);
}

support::trial trial_of(kernel_case const& k, lkt::language language) {
    support::trial t;
    t.language = language;
    bool const wgsl = language == lkt::language::wgsl;
    t.text = wgsl ? k.wgsl.text : k.cuda;
    // HIP takes CUDA's text as it is, but for the names of headers.
    std::string const half = "<cuda_fp16.h>";
    if (auto const at = t.text.find(half);
        language == lkt::language::hip && at != std::string::npos)
        t.text.replace(at, half.size(), "<hip/hip_fp16.h>");
    t.grid = k.grid;
    t.block = k.block;
    t.arguments = k.arguments;
    t.definitions = k.definitions;
    if (!wgsl) {
        t.shared = k.shared;
        t.name = k.name;
        t.template_parameters = k.template_parameters;
    }
    return t;
}

} // namespace conformance
