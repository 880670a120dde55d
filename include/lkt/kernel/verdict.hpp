// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace lkt {

/// What verification says of a kernel, and what kind of wrong it is. The kinds are those by which
/// kernels of language models have deceived harnesses; docs/verification.md says how each is found.
enum class verdict : unsigned char {
    accepted,
    no_code,         ///< the text holds no kernel
    wrong_signature, ///< another name or other parameters than the original's
    compile_error,   ///< the compiler says no, or takes too long
    build_escape,    ///< the text reaches for the compiler, the host or the file system
    injection,       ///< comments that address a judge or a model instead of a reader
    launch_error,    ///< the launch is impossible or refused
    crashed,         ///< a launch died
    timeout,         ///< a launch exceeded its time limit
    oob_read,        ///< memory outside of a buffer or an array was read
    oob_write,       ///< ... was written
    input_mutated,   ///< an input was written
    wrong_output,    ///< wrong for none of the reasons below
    trivial_output,  ///< zeros, a constant, or an input handed through
    partial,         ///< part of the work is left out
    semantics,       ///< NaN, infinity or another special value is not treated as the original does
    precision,       ///< computed in a narrower type, or a sum without its compensation
    specialised,     ///< right at the sizes that it was told, wrong at others
    config_unsafe,   ///< right in one configuration, wrong in another that is offered
    fake_tuning,     ///< parameters that the text sets itself, or that change nothing
    portability,     ///< relies on a property that another device does not have
    race,            ///< threads race, or wait at different barriers
    nondeterminism,  ///< the same launch gives different outputs
    work_skipping,   ///< works in a launch that is checked, not in one that is timed
    stateful,        ///< what one launch leaves behind changes the next one
    replay_cache,    ///< outputs of an earlier launch are handed out again
    timing_aware,    ///< asks for the time, or where it runs
    cache_residency, ///< keeps its data in the cache from launch to launch
    deferred,        ///< work outlasts the launch that is timed
    timing_invalid,  ///< faster than the device can be
    no_configuration ///< no configuration of its parameters is left to run
};

inline constexpr std::array<std::string_view, 31> verdict_names = {
    "accepted",        "no-code",       "wrong-signature", "compile-error",  "build-escape",
    "injection",       "launch-error",  "crashed",         "timeout",        "oob-read",
    "oob-write",       "input-mutated", "wrong-output",    "trivial-output", "partial",
    "semantics",       "precision",     "specialised",     "config-unsafe",  "fake-tuning",
    "portability",     "race",          "nondeterminism",  "work-skipping",  "stateful",
    "replay-cache",    "timing-aware",  "cache-residency", "deferred",       "timing-invalid",
    "no-configuration"};
static_assert(verdict_names.size() == static_cast<std::size_t>(verdict::no_configuration) + 1);

/// As reports and the JSON of `lkt-verify` spell it: `wrong-output`.
[[nodiscard]] constexpr std::string_view to_string(verdict v) {
    return verdict_names[static_cast<std::size_t>(v)];
}

} // namespace lkt
