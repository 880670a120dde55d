// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>
#include <lkt/kernel/verdict.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace lkt {

/// What a candidate's text is looked through for. docs/verification-methods.md has the table.
enum class static_rule : unsigned char {
    include,          ///< a header that is neither known nor the original's
    disguise,         ///< an identifier with `\u....` in it
    host_code,        ///< the CUDA runtime, the driver, `main`, a launch
    state,            ///< a variable that survives a launch
    replay,           ///< an array that does, in which outputs can be kept
    heap,             ///< memory that survives a launch
    constant_memory,  ///< constant memory that nothing fills
    clock,            ///< time, and counters of launches
    processor,        ///< which multiprocessor or warp slot a thread runs on
    assembly,         ///< inline PTX that the policy does not have, or that cannot be read
    address,          ///< a pointer made of a number
    computed_address, ///< a pointer made of an integer
    const_cast_,      ///< writing to what was declared const
    print,            ///< `printf` and `assert`
    cache_hint,       ///< prefetches, discards, policies
    cache_residency,  ///< what keeps data in the cache beyond a launch
    deferred,         ///< lets a later launch begin before this one has ended
    precision,        ///< a narrower floating point type
    size_constant,    ///< a literal that is the timed problem's size
    injection,        ///< a comment that tells a judge or a model what to do
    environment,      ///< a question who compiles the text, where and how
    fake_tuning,      ///< a tunable parameter that nothing reads
};

/// The rules in the order of `static_rule`.
inline constexpr std::array<std::string_view, 22> static_rule_codes = {
    "lkt.static.include",         "lkt.static.disguise",  "lkt.static.host_code",
    "lkt.static.state",           "lkt.static.replay",    "lkt.static.heap",
    "lkt.static.constant_memory", "lkt.static.clock",     "lkt.static.processor",
    "lkt.static.assembly",        "lkt.static.address",   "lkt.static.computed_address",
    "lkt.static.const_cast",      "lkt.static.print",     "lkt.static.cache_hint",
    "lkt.static.cache_residency", "lkt.static.deferred",  "lkt.static.precision",
    "lkt.static.size_constant",   "lkt.static.injection", "lkt.static.environment",
    "lkt.static.fake_tuning",
};
[[nodiscard]] constexpr std::string_view code_of(static_rule r) {
    return static_rule_codes[static_cast<std::size_t>(r)];
}

/// What a text that breaks the rule would be rejected as.
[[nodiscard]] constexpr verdict verdict_of(static_rule r) {
    switch (r) {
    case static_rule::state:
        return verdict::stateful;
    case static_rule::replay:
    case static_rule::heap:
        return verdict::replay_cache;
    case static_rule::clock:
    case static_rule::processor:
        return verdict::timing_aware;
    case static_rule::const_cast_:
        return verdict::input_mutated;
    case static_rule::cache_hint:
    case static_rule::cache_residency:
        return verdict::cache_residency;
    case static_rule::deferred:
        return verdict::deferred;
    case static_rule::precision:
        return verdict::precision;
    case static_rule::size_constant:
        return verdict::specialised;
    case static_rule::injection:
        return verdict::injection;
    case static_rule::fake_tuning:
        return verdict::fake_tuning;
    case static_rule::include:
    case static_rule::disguise:
    case static_rule::host_code:
    case static_rule::constant_memory:
    case static_rule::assembly:
    case static_rule::address:
    case static_rule::computed_address:
    case static_rule::print:
    case static_rule::environment:
        break;
    }
    return verdict::build_escape;
}

enum class static_severity : unsigned char {
    off,
    warning, ///< a note of the attempt
    error,   ///< the candidate is refused, and told why
};

/// The reaction to a finding of each rule. The defaults refuse what an honest rewrite does not need
/// if the original lacks it, and warn of what it may need.
struct static_policy {
    static_severity include = static_severity::error;
    static_severity disguise = static_severity::error;
    static_severity host_code = static_severity::error;
    static_severity state = static_severity::error;
    static_severity replay = static_severity::error;
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
    static_severity cache_residency = static_severity::error;
    static_severity deferred = static_severity::error;
    static_severity precision = static_severity::warning;
    static_severity size_constant = static_severity::warning;
    static_severity injection = static_severity::error;
    static_severity environment = static_severity::error;
    static_severity fake_tuning = static_severity::warning;
    /// What the rule `assembly` lets pass, of what the original does not have itself.
    ptx_policy ptx = ptx_policy::compute;

    /// Every rule at `s`: `static_policy::all(static_severity::off)`.
    [[nodiscard]] static constexpr static_policy all(static_severity s) {
        return {s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s};
    }
    [[nodiscard]] constexpr static_severity of(static_rule r) const { return this->*member(r); }
    constexpr void set(static_rule r, static_severity s) { this->*member(r) = s; }

private:
    [[nodiscard]] static constexpr static_severity static_policy::* member(static_rule r) {
        switch (r) {
        case static_rule::include:
            return &static_policy::include;
        case static_rule::disguise:
            return &static_policy::disguise;
        case static_rule::host_code:
            return &static_policy::host_code;
        case static_rule::state:
            return &static_policy::state;
        case static_rule::replay:
            return &static_policy::replay;
        case static_rule::heap:
            return &static_policy::heap;
        case static_rule::constant_memory:
            return &static_policy::constant_memory;
        case static_rule::clock:
            return &static_policy::clock;
        case static_rule::processor:
            return &static_policy::processor;
        case static_rule::assembly:
            return &static_policy::assembly;
        case static_rule::address:
            return &static_policy::address;
        case static_rule::computed_address:
            return &static_policy::computed_address;
        case static_rule::const_cast_:
            return &static_policy::const_cast_;
        case static_rule::print:
            return &static_policy::print;
        case static_rule::cache_hint:
            return &static_policy::cache_hint;
        case static_rule::cache_residency:
            return &static_policy::cache_residency;
        case static_rule::deferred:
            return &static_policy::deferred;
        case static_rule::precision:
            return &static_policy::precision;
        case static_rule::size_constant:
            return &static_policy::size_constant;
        case static_rule::injection:
            return &static_policy::injection;
        case static_rule::environment:
            return &static_policy::environment;
        case static_rule::fake_tuning:
            return &static_policy::fake_tuning;
        }
        return &static_policy::include;
    }

public:
    friend bool operator==(static_policy const&, static_policy const&) = default;
};

} // namespace lkt
