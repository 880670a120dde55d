// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/text_location.hpp>
#include <lkt/kernel/verdict.hpp>
#include <lkt/kernel/wrong_signature.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

// What can become of a candidate. These are domain results: a strategy turns them into the next
// prompt (an overload set over `failure`), a report lists them.

/// The reply held no kernel.
struct no_code {
    std::string why;
};
/// The text uses something that the back end does not allow or does not have; nothing was compiled.
struct refused {
    std::string what; ///< the construct, as written
    std::string why;
    text_location where;
    verdict as = verdict::build_escape; ///< what such a construct is for
};
/// The compiler said no, or died, or took too long. `log` is mapped to the user's lines.
struct compile_failed {
    std::string log;
    text_location where;
    bool died = false; ///< the compiler, or it was killed: another try may end otherwise
};
/// The launch was impossible: block too large, shared memory over the limit, bad geometry.
struct launch_failed {
    std::string why;
};
/// A launch died: null or wild pointer, trap, stack overflow, a system call that is not allowed.
struct crashed {
    std::string what; ///< `segmentation fault at address 0x0`
    text_location where;
};
/// An access outside a buffer, or a write to an input: found by the checked mode, or by the guards
/// around each launch.
struct out_of_bounds {
    std::string what; ///< `write of 4 bytes, 0 bytes after shared array tile`
    text_location where;
    verdict as = verdict::oob_write; ///< or `oob_read`, `input_mutated`; `wrong_output`: a read of
                                     ///< what nobody has written
    std::string test{};              ///< which test; empty in a launch that belongs to none
};
/// A launch, or a whole run, took longer than it may.
struct timed_out {
    seconds limit{};
    std::string phase;  ///< `launch`, `compile`
    std::string test{}; ///< which test; empty in a launch that belongs to none
    /// The extents of that test by name. They are for whoever reads a report: a model is not told
    /// the sizes of tests.
    std::vector<std::pair<std::string, std::int64_t>> size{};
};
/// The outputs depend on the order in which threads run, or threads wait at different barriers.
struct race {
    std::string what;
    verdict as = verdict::race; ///< or `nondeterminism`; `portability`: on the device
};
/// An output differs from the expected one by more than the tolerance of its type.
struct wrong_output {
    std::string test;        ///< which test
    std::string argument;    ///< which output
    std::uint64_t index = 0; ///< first element that differs
    std::string expected, got;
    std::uint64_t wrong = 0, total = 0; ///< elements
    std::string pattern;                ///< where the wrong ones lie; may be empty
    verdict as = verdict::wrong_output; ///< the kind of error, if it is known
};
/// The times cannot be: faster than the device moves the bytes that must be moved.
struct implausible {
    std::string what;
};
/// No configuration of the parameters meets the restrictions, or none could be launched.
struct no_configuration {
    std::string why;
};

using failure = std::variant<no_code,
                             refused,
                             wrong_signature,
                             compile_failed,
                             launch_failed,
                             crashed,
                             out_of_bounds,
                             timed_out,
                             race,
                             wrong_output,
                             implausible,
                             no_configuration>;

/// Whether another compilation of the same text may end otherwise: the compiler took too long, or
/// died.
[[nodiscard]] bool may_compile_later(failure const& f);

/// What kind of wrong it is: the one table from failures to names. Reports, exports and what a
/// model is told all spell it by `name_of_failure`.
[[nodiscard]] verdict verdict_of(failure const& f);

/// The verdict's name: `compile-error`, `oob-read`, ...
[[nodiscard]] std::string_view name_of_failure(failure const& f);

/// One paragraph for people.
[[nodiscard]] std::string describe(failure const& f);

} // namespace lkt
