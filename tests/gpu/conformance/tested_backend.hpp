// SPDX-License-Identifier: BSL-1.0
// What the suite knows of the back end under test. Each has a file of its own beside this one,
// which defines `tested`; the rest of the suite is compiled once for all of them.
#pragma once

#include "../support.hpp"

#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>

#include <string>

namespace conformance {

/// What becomes of an access outside of a buffer.
enum class wild_access : unsigned char {
    crashes, ///< far outside it is `crashed`; beside a buffer `out_of_bounds`, if it is a write
    has_no_effect ///< the language promises that it stays within the buffer
};

struct tested_backend {
    std::string name; ///< as `device_description::backend`; its errors are `lkt.<name>.*`
    lkt::language language = lkt::language::cuda;
    lkt::gpu_ref gpu;                         ///< one for many tests: it starts its workers once
    lkt::any_gpu_backend (*make)() = nullptr; ///< another one
    wild_access wild = wild_access::crashes;
    bool ends_early = false; ///< heeds `run_request::sampling`
    bool compares = false;   ///< heeds `run_request::expected`
    lkt::bytes too_large{};  ///< a buffer that it cannot have, though a test can; 0: there is none
};

tested_backend& tested();

/// A text for each language.
struct texts {
    std::string cuda, wgsl;
    [[nodiscard]] std::string const& in(lkt::language l) const {
        return l == lkt::language::wgsl ? wgsl : cuda;
    }
};
inline support::trial
trial_of(texts const& t, lkt::dim3 grid, lkt::dim3 block, std::vector<support::passed> arguments) {
    support::trial made{t.in(tested().language), grid, block, std::move(arguments)};
    made.language = tested().language;
    return made;
}

} // namespace conformance
