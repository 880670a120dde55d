// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/text_location.hpp>
#include <lkt/kernel/wrong_signature.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt {

// What can become of a candidate. These are domain results: a strategy turns them into the next
// prompt (an overload set over `failure`), a report lists them.

/// The reply held no kernel.
struct no_code {
    std::string why;
};
/// The text asks for what a back end does not allow or does not have; nothing was compiled.
struct refused {
    std::string what; ///< the construct, as written
    std::string why;
    text_location where;
};
/// The compiler said no, or died, or took too long. `log` is mapped to the user's lines.
struct compile_failed {
    std::string log;
    text_location where;
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
/// An access outside a buffer, found by the checked mode.
struct out_of_bounds {
    std::string what; ///< `write of 4 bytes, 0 bytes after shared array tile`
    text_location where;
};
/// A launch, or a whole run, took longer than it may.
struct timed_out {
    seconds limit{};
    std::string phase; ///< `launch`, `compile`
};
/// The outputs depend on the order in which threads run, or threads wait at different barriers.
struct race {
    std::string what;
};
/// An output differs from the expected one by more than the tolerance of its type.
struct wrong_output {
    std::string test;        ///< which test
    std::string argument;    ///< which output
    std::uint64_t index = 0; ///< first element that differs
    std::string expected, got;
    std::uint64_t wrong = 0, total = 0; ///< elements
    std::string pattern;                ///< where the wrong ones lie; may be empty
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
                             no_configuration>;

/// The failure's name as reports and exports spell it: `compile-failed`, `wrong-output`, ...
template <int = 0>
[[nodiscard]] std::string_view name_of_failure(failure const& f);

/// One paragraph for people.
template <int = 0>
[[nodiscard]] std::string describe(failure const& f);

// --- definitions -----------------------------------------------------------------------------

namespace detail::kernel {

// One overload an alternative: a new kind of failure does not compile until it has its name.
constexpr std::string_view failure_name(no_code const&) { return "no-code"; }
constexpr std::string_view failure_name(refused const&) { return "refused"; }
constexpr std::string_view failure_name(wrong_signature const&) { return "wrong-signature"; }
constexpr std::string_view failure_name(compile_failed const&) { return "compile-failed"; }
constexpr std::string_view failure_name(launch_failed const&) { return "launch-failed"; }
constexpr std::string_view failure_name(crashed const&) { return "crashed"; }
constexpr std::string_view failure_name(out_of_bounds const&) { return "out-of-bounds"; }
constexpr std::string_view failure_name(timed_out const&) { return "timed-out"; }
constexpr std::string_view failure_name(race const&) { return "race"; }
constexpr std::string_view failure_name(wrong_output const&) { return "wrong-output"; }
constexpr std::string_view failure_name(no_configuration const&) { return "no-configuration"; }

inline std::string at_place(text_location where) {
    std::string const place = to_string(where);
    return place.empty() ? place : " at " + place;
}

inline std::string description(no_code const& f) {
    return "The reply holds no kernel: " + f.why + ".";
}
inline std::string description(refused const& f) {
    return "`" + f.what + "`" + at_place(f.where) + " was refused: " + f.why + ".";
}
inline std::string description(wrong_signature const& f) {
    return "The signature is not the original's. Expected `" + f.expected + "`, got `" + f.got +
           "`.";
}
inline std::string description(compile_failed const& f) {
    return "The kernel does not compile" + at_place(f.where) + ":\n" + f.log;
}
inline std::string description(launch_failed const& f) {
    return "The kernel cannot be launched: " + f.why + ".";
}
inline std::string description(crashed const& f) {
    return "The kernel crashed" + at_place(f.where) + ": " + f.what + ".";
}
inline std::string description(out_of_bounds const& f) {
    return "An access is out of bounds" + at_place(f.where) + ": " + f.what + ".";
}
inline std::string description(timed_out const& f) {
    return "The " + (f.phase.empty() ? std::string("run") : f.phase) +
           " did not end within its limit of " + to_string(f.limit) + ".";
}
inline std::string description(race const& f) {
    return "The result depends on the order in which threads run: " + f.what + ".";
}
inline std::string description(wrong_output const& f) {
    std::string text = "Wrong output in test `" + f.test + "`: `" + f.argument + "[" +
                       std::to_string(f.index) + "]` is " + f.got + ", expected " + f.expected;
    if (f.total > 0)
        text += "; " + std::to_string(f.wrong) + " of " + std::to_string(f.total) +
                " elements are wrong";
    if (!f.pattern.empty()) text += " (" + f.pattern + ")";
    return text + ".";
}
inline std::string description(no_configuration const& f) {
    return "No configuration is left: " + f.why + ".";
}

} // namespace detail::kernel

template <int>
std::string_view name_of_failure(failure const& f) {
    return std::visit([](auto const& each) { return detail::kernel::failure_name(each); }, f);
}

template <int>
std::string describe(failure const& f) {
    return std::visit([](auto const& each) { return detail::kernel::description(each); }, f);
}

} // namespace lkt
