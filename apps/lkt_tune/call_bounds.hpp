// SPDX-License-Identifier: BSL-1.0
// How many calls of a model a strategy makes at most, as its graph and numbers have it. Each
// strategy of the catalogue needs a function here: one without does not compile.
#pragma once

#include <lkt/strategies/catalogue.hpp>

#include <cstddef>
#include <cstdint>

namespace lkt_tune {

/// Replies, if none of them is cut off.
struct call_bound {
    std::int64_t kernels = 0; ///< with a kernel
    std::int64_t answers = 0; ///< structured ones; two calls each where the form is asked for apart
    std::int64_t first = 0;   ///< then it decides whether the others are worth it; 0: it does not
    std::int64_t inquiries = 0; ///< answers in which it may ask, where the back end answers
};

inline constexpr std::int64_t answers_of_inquiry = 2; // `ask_options::attempts`

template <auto K, class P, auto R>
call_bound most_calls(lkt::one_prompt<K, P, R> const& s, std::size_t) {
    auto const n = s.limits.attempts;
    return {n, K.fix_parameters ? n * lkt::answers_of_fix : 0};
}

template <auto K, class P, class L, auto R>
call_bound most_calls(lkt::autonomous<K, P, L, R> const& s, std::size_t) {
    std::int64_t const steps = s.limits.max_steps, each = s.per_step.attempts;
    std::int64_t const questions = (K.validation ? 1 : 0) +
                                   (K.fix_parameters ? lkt::answers_of_fix : 0) +
                                   (K.breakdown && s.limits.max_breakdowns > 0 ? 1 : 0);
    std::int64_t const replans = K.replanning ? s.limits.max_replans : 0;
    return {steps * each,
            (1 + s.limits.max_replans + steps * questions) * each,
            0,
            (1 + replans) * answers_of_inquiry};
}

template <auto K, class P, class G, auto R>
call_bound most_calls(lkt::explicit_steps<K, P, G, R> const& s, std::size_t steps) {
    auto const n = static_cast<std::int64_t>(steps);
    std::int64_t const replies = n * s.per_step.attempts;
    return {replies,
            (K.gate ? n * s.limits.gate_attempts : 0) +
                (K.fix_parameters ? replies * lkt::answers_of_fix : 0)};
}

template <class P, auto R>
call_bound most_calls(lkt::sample_n<P, R> const& s, std::size_t) {
    return {s.limits.samples, 0};
}

inline constexpr std::int64_t answers_of_judge = 3; // `ask_options::attempts`

template <class P, class J, auto R, class S>
call_bound most_calls(lkt::refine<P, J, R, S> const& s, std::size_t) {
    std::int64_t const rounds = s.limits.rounds;
    return {
        rounds * s.per_step.attempts, rounds * answers_of_judge, 0, rounds * answers_of_inquiry};
}

template <class P, auto R>
call_bound most_calls(lkt::beam<P, R> const& s, std::size_t) {
    std::int64_t const shown = std::int64_t{s.limits.depth} * s.limits.width;
    return {shown * s.limits.branches, 0, 0, shown * answers_of_inquiry};
}

template <class P, class V, auto R>
call_bound most_calls(lkt::evolve<P, V, R> const& s, std::size_t) {
    auto const children = std::int64_t{s.limits.generations} * s.limits.islands * s.limits.children;
    return {children, 0, 0, children * answers_of_inquiry};
}

template <class P, class J, class V, auto R>
call_bound most_calls(lkt::escalate<P, J, V, R> const& s, std::size_t) {
    std::int64_t const attempts = s.per_step.attempts, rounds = s.limits.rounds;
    auto const children = std::int64_t{s.limits.generations} * s.limits.islands * s.limits.children;
    return {attempts + rounds * attempts + children,
            rounds * answers_of_judge,
            attempts,
            (rounds + children) * answers_of_inquiry};
}

template <auto R>
call_bound most_calls(lkt::sweep<R> const&, std::size_t) {
    return {};
}

} // namespace lkt_tune
