// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace lkt {

/// What a candidate's text is looked through for. docs/verification.md has the table.
enum class static_rule : unsigned char {
    include,          ///< a header that is neither known nor the original's
    disguise,         ///< an identifier with `\u....` in it
    host_code,        ///< the CUDA runtime, the driver, `main`, a launch
    state,            ///< a variable that survives a launch
    heap,             ///< memory that survives a launch
    constant_memory,  ///< constant memory that nobody fills
    clock,            ///< time, and counters of launches
    processor,        ///< which multiprocessor or warp slot a thread runs on
    assembly,         ///< an instruction that is not on the list
    address,          ///< a pointer made of a number
    computed_address, ///< a pointer made of an integer
    const_cast_,      ///< writing to what was declared const
    print,            ///< `printf` and `assert`
    cache_hint,       ///< what keeps data in the cache beyond a launch
    precision,        ///< a narrower floating point type
    size_constant,    ///< a literal that is the timed problem's size
};

/// The rules in the order of `static_rule`.
inline constexpr std::array<std::string_view, 16> static_rule_codes = {
    "lkt.static.include",
    "lkt.static.disguise",
    "lkt.static.host_code",
    "lkt.static.state",
    "lkt.static.heap",
    "lkt.static.constant_memory",
    "lkt.static.clock",
    "lkt.static.processor",
    "lkt.static.assembly",
    "lkt.static.address",
    "lkt.static.computed_address",
    "lkt.static.const_cast",
    "lkt.static.print",
    "lkt.static.cache_hint",
    "lkt.static.precision",
    "lkt.static.size_constant",
};
[[nodiscard]] constexpr std::string_view code_of(static_rule r) {
    return static_rule_codes[static_cast<std::size_t>(r)];
}

enum class static_severity : unsigned char {
    off,
    warning, ///< a note of the attempt
    error,   ///< the candidate is refused, and told why
};

/// What is done about a finding of each rule. The defaults refuse what an honest rewrite of a
/// kernel without it has no use for, and warn of what it may have.
struct static_policy {
    static_severity include = static_severity::error;
    static_severity disguise = static_severity::error;
    static_severity host_code = static_severity::error;
    static_severity state = static_severity::error;
    static_severity heap = static_severity::error;
    static_severity constant_memory = static_severity::error;
    static_severity clock = static_severity::error;
    static_severity processor = static_severity::warning;
    static_severity assembly = static_severity::error;
    static_severity address = static_severity::error;
    static_severity computed_address = static_severity::warning;
    static_severity const_cast_ = static_severity::warning;
    static_severity print = static_severity::warning;
    static_severity cache_hint = static_severity::warning;
    static_severity precision = static_severity::warning;
    static_severity size_constant = static_severity::warning;

    /// Every rule at `s`: `static_policy::all(static_severity::off)`.
    [[nodiscard]] static constexpr static_policy all(static_severity s) {
        return {s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s};
    }
    [[nodiscard]] constexpr static_severity of(static_rule r) const {
        switch (r) {
        case static_rule::include:
            return include;
        case static_rule::disguise:
            return disguise;
        case static_rule::host_code:
            return host_code;
        case static_rule::state:
            return state;
        case static_rule::heap:
            return heap;
        case static_rule::constant_memory:
            return constant_memory;
        case static_rule::clock:
            return clock;
        case static_rule::processor:
            return processor;
        case static_rule::assembly:
            return assembly;
        case static_rule::address:
            return address;
        case static_rule::computed_address:
            return computed_address;
        case static_rule::const_cast_:
            return const_cast_;
        case static_rule::print:
            return print;
        case static_rule::cache_hint:
            return cache_hint;
        case static_rule::precision:
            return precision;
        case static_rule::size_constant:
            return size_constant;
        }
        return static_severity::off;
    }

    friend bool operator==(static_policy const&, static_policy const&) = default;
};

} // namespace lkt
