// SPDX-License-Identifier: BSL-1.0
// Every word that a model is sent. All of it are pure functions of a strategy's state.
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/llm/message.hpp>
#include <lkt/nodes/prompt_texts.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace lkt {

/// How much of the history a request contains.
enum class recall : unsigned char {
    all,
    latest, ///< the rest would be too long for the model
};

/// The facts for a prompt: the task, the kernel to make faster, and where it runs.
struct brief {
    problem const& task;
    tuned_kernel const& current;
    measurement const& baseline;
    device_description const& device;
    std::string_view step =
        {}; ///< the requested change; empty: anything that makes the kernel faster
    std::span<attempt_record const> past = {}; ///< what earlier steps came to, in order
    std::size_t left_out = 0; ///< still earlier ones, which the model is not told of (`recall`)
    std::span<inquiry const> inquiries = {}; ///< what was asked, about this kernel and others
};

/// The same with as much history as is included: all, or the last five entries, and no answers to
/// questions about the kernel.
[[nodiscard]] brief recalled(brief b, recall how);
/// The attempts in a conversation: all, or only the last one, which mentions the others and has a
/// long reply shortened.
[[nodiscard]] std::vector<rejected_attempt> recalled(std::span<rejected_attempt const> attempts,
                                                     recall how);

namespace detail {

/// What was asked in a run, where its State keeps that.
template <class S>
[[nodiscard]] std::span<inquiry const> asked_in(S const& s) {
    if constexpr (std::is_same_v<S, state_ref>)
        return s.inquiries != nullptr ? std::span<inquiry const>(*s.inquiries)
                                      : std::span<inquiry const>();
    else {
        auto const* const all = inquiries_of(s);
        return all != nullptr ? std::span<inquiry const>(*all) : std::span<inquiry const>();
    }
}

} // namespace detail

template <tuning_fields S>
[[nodiscard]] brief brief_of(S const& s) {
    // The last records are those of this step's attempts, which the conversation tells of.
    std::span<attempt_record const> const all(s.history);
    auto const own = s.attempts.size();
    auto const before = all.size() > own ? all.size() - own : 0;
    return {s.task,
            s.best,
            s.baseline.time,
            s.device,
            s.step,
            all.first(before),
            0,
            detail::asked_in(s)};
}

/// The turns that open a conversation, and an answer to each way in which a reply can disappoint.
/// To use other words, assign to `texts`; to say other things, derive from it (`using
/// default_prompts::operator();`), or write a set from nothing: one with a missing case does not
/// compile. What stays the same over a run comes first (rules and device in `system`, then problem
/// and kernel), what changes last: servers cache the beginnings that they have seen.
struct default_prompts {
    prompt_texts texts = {};

    [[nodiscard]] std::string system(brief const& b) const;
    [[nodiscard]] std::string task(brief const& b) const;

    [[nodiscard]] std::string operator()(no_code const& f) const;
    [[nodiscard]] std::string operator()(refused const& f) const;
    [[nodiscard]] std::string operator()(wrong_signature const& f) const;
    [[nodiscard]] std::string operator()(compile_failed const& f) const;
    [[nodiscard]] std::string operator()(launch_failed const& f) const;
    [[nodiscard]] std::string operator()(crashed const& f) const;
    [[nodiscard]] std::string operator()(out_of_bounds const& f) const;
    [[nodiscard]] std::string operator()(timed_out const& f) const;
    [[nodiscard]] std::string operator()(race const& f) const;
    [[nodiscard]] std::string operator()(wrong_output const& f) const;
    [[nodiscard]] std::string operator()(implausible const& f) const;
    [[nodiscard]] std::string operator()(no_configuration const& f) const;
    [[nodiscard]] std::string operator()(no_improvement const& f) const;
    friend bool operator==(default_prompts const&, default_prompts const&) = default;
};

namespace diagnostic {

template <class Prompts, class Failure>
struct missing_prompt {
    static_assert(!std::is_same_v<Failure, Failure>,
                  "[lkt.nodes.prompts] Prompts lacks std::string operator()(Failure const&) const: "
                  "write the prompt for this failure");
};
template <class Prompts>
struct missing_opening {
    static_assert(!std::is_same_v<Prompts, Prompts>,
                  "[lkt.nodes.prompts] Prompts lacks std::string system(lkt::brief const&) const "
                  "or std::string task(lkt::brief const&) const");
};

} // namespace diagnostic

namespace detail {

template <class P, class F>
concept prompts_for = requires(P const& p, F const& f) {
    { p(f) } -> std::convertible_to<std::string>;
};
template <class P>
concept opening_prompts = requires(P const& p, brief const& b) {
    { p.system(b) } -> std::convertible_to<std::string>;
    { p.task(b) } -> std::convertible_to<std::string>;
};

template <class P, class Variant>
struct first_unprompted;
template <class P>
struct first_unprompted<P, std::variant<>> {
    using type = void;
};
template <class P, class F, class... Rest>
struct first_unprompted<P, std::variant<F, Rest...>>
    : std::conditional_t<prompts_for<P, F>,
                         first_unprompted<P, std::variant<Rest...>>,
                         std::type_identity<F>> {};

template <class Failures>
struct with_no_improvement;
template <class... F>
struct with_no_improvement<std::variant<F...>> {
    using type = std::variant<F..., no_improvement>;
};

/// The first thing that P has nothing to say about; void when P is complete.
template <class P>
using unprompted = typename first_unprompted<P, typename with_no_improvement<failure>::type>::type;

} // namespace detail

namespace detail {

using answer_call = std::string (*)(void const* prompts, rejected_attempt const& s);

[[nodiscard]] conversation render(std::string system,
                                  std::string task,
                                  std::span<rejected_attempt const> attempts,
                                  void const* prompts,
                                  answer_call answer);

template <class Prompts>
[[nodiscard]] conversation
render(brief const& b, std::span<rejected_attempt const> attempts, Prompts const& prompts) {
    auto const answer = [](void const* address, rejected_attempt const& s) -> std::string {
        auto const& p = *static_cast<Prompts const*>(address);
        return std::visit(
            [&](auto const& why) -> std::string {
                if constexpr (std::is_same_v<decltype(why), failure const&>)
                    return std::visit(p, why);
                else
                    return p(why);
            },
            s.why);
    };
    return render(prompts.system(b), prompts.task(b), attempts, std::addressof(prompts), answer);
}

} // namespace detail

/// An overload set with an answer to every failure, and the two opening turns.
template <class P>
concept prompt_set = detail::opening_prompts<P> && std::is_void_v<typename detail::unprompted<P>>;

/// The turns so far in the library's own words.
[[nodiscard]] conversation conversation_of(brief const& b,
                                           std::span<rejected_attempt const> attempts,
                                           default_prompts const& prompts);

/// The turns so far, rendered from the history: system, task, and for each rejected attempt the
/// reply and its result.
template <class Prompts>
[[nodiscard]] conversation conversation_of(brief const& b,
                                           std::span<rejected_attempt const> attempts,
                                           Prompts const& prompts) {
    if constexpr (!detail::opening_prompts<Prompts>) {
        [[maybe_unused]] constexpr auto reported = sizeof(diagnostic::missing_opening<Prompts>);
        return {};
    } else if constexpr (!prompt_set<Prompts>) {
        using missing = detail::unprompted<Prompts>;
        [[maybe_unused]] constexpr auto reported =
            sizeof(diagnostic::missing_prompt<Prompts, missing>);
        return {};
    } else {
        return detail::render(b, attempts, prompts);
    }
}

} // namespace lkt
