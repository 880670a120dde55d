// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/failure.hpp>

namespace lkt {

namespace detail::kernel {

// One overload an alternative: a new kind of failure does not compile until it has its name.
constexpr verdict kind_of(no_code const&) { return verdict::no_code; }
constexpr verdict kind_of(refused const& f) { return f.as; }
constexpr verdict kind_of(wrong_signature const&) { return verdict::wrong_signature; }
constexpr verdict kind_of(compile_failed const&) { return verdict::compile_error; }
constexpr verdict kind_of(launch_failed const&) { return verdict::launch_error; }
constexpr verdict kind_of(crashed const&) { return verdict::crashed; }
constexpr verdict kind_of(out_of_bounds const& f) { return f.as; }
constexpr verdict kind_of(timed_out const& f) {
    return f.phase == "compile" ? verdict::compile_error : verdict::timeout;
}
constexpr verdict kind_of(race const& f) { return f.as; }
constexpr verdict kind_of(wrong_output const& f) { return f.as; }
constexpr verdict kind_of(implausible const&) { return verdict::timing_invalid; }
constexpr verdict kind_of(no_configuration const&) { return verdict::no_configuration; }

/// It may end in a question.
std::string ended(std::string text) {
    if (!text.ends_with('?')) text += '.';
    return text;
}

std::string at_place(text_location where) {
    std::string const place = to_string(where);
    return place.empty() ? place : " at " + place;
}

std::string description(no_code const& f) { return "The reply contains no kernel: " + f.why + "."; }
std::string description(refused const& f) {
    return "`" + f.what + "`" + at_place(f.where) + " was refused: " + f.why + ".";
}
std::string description(wrong_signature const& f) {
    if (f.expected.empty()) return "The kernel's text cannot be read: " + f.got + ".";
    return "The signature differs from the original's. Expected `" + f.expected + "`, got `" +
           f.got + "`.";
}
std::string description(compile_failed const& f) {
    return "The kernel does not compile" + at_place(f.where) + ":\n" + f.log;
}
std::string description(launch_failed const& f) {
    return "The kernel cannot be launched: " + f.why + ".";
}
std::string description(crashed const& f) {
    return "The kernel crashed" + at_place(f.where) + ": " + f.what + ".";
}
std::string description(out_of_bounds const& f) {
    std::string const wrong = f.as == verdict::wrong_output
                                  ? "The kernel reads memory that was never written"
                              : f.as == verdict::input_mutated ? "The kernel writes to an input"
                              : f.as == verdict::oob_read      ? "A read is out of bounds"
                                                               : "A write is out of bounds";
    std::string const test = f.test.empty() ? "" : " in test `" + f.test + "`";
    return wrong + test + at_place(f.where) + ": " + f.what + ".";
}
std::string description(timed_out const& f) {
    std::string const test = f.test.empty() ? "" : " in test `" + f.test + "`";
    return "The " + (f.phase.empty() ? std::string("run") : f.phase) + test +
           " did not end within its limit of " + to_string(f.limit) + ".";
}
std::string description(race const& f) {
    std::string const why = f.as == verdict::portability      ? "what differs between devices"
                            : f.as == verdict::nondeterminism ? "what differs between launches"
                                                              : "the order in which threads run";
    return ended("The result depends on " + why + ": " + f.what);
}
std::string description(wrong_output const& f) {
    std::string text = "Wrong output in test `" + f.test + "`: `" + f.argument + "[" +
                       std::to_string(f.index) + "]` is " + f.got + ", expected " + f.expected;
    if (f.total > 0)
        text += "; " + std::to_string(f.wrong) + " of " + std::to_string(f.total) +
                " elements are wrong";
    if (!f.pattern.empty()) text += " (" + f.pattern + ")";
    return text + ".";
}
std::string description(implausible const& f) {
    return "The measured time is impossible: " + f.what + ".";
}
std::string description(no_configuration const& f) {
    return "No configuration is left: " + f.why + ".";
}

} // namespace detail::kernel

bool may_compile_later(failure const& f) {
    if (auto const* late = std::get_if<timed_out>(&f)) return late->phase == "compile";
    auto const* no = std::get_if<compile_failed>(&f);
    return no != nullptr && no->died;
}

verdict verdict_of(failure const& f) {
    return std::visit([](auto const& each) { return detail::kernel::kind_of(each); }, f);
}

std::string_view name_of_failure(failure const& f) { return to_string(verdict_of(f)); }

std::string describe(failure const& f) {
    return std::visit([](auto const& each) { return detail::kernel::description(each); }, f);
}

} // namespace lkt
