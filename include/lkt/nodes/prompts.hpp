// SPDX-License-Identifier: BSL-1.0
// Every word that a model is sent. All of it are pure functions of a strategy's state.
#pragma once

#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

/// What a prompt may speak of: the task, the kernel that is to become faster, and where it runs.
struct brief {
    problem const& task;
    tuned_kernel const& current;
    measurement const& baseline;
    device_description const& device;
};

template <tuning_fields S>
[[nodiscard]] brief brief_of(S const& s) {
    return {s.task, s.best, s.baseline.time, s.device};
}

/// The turns that open a conversation, and an answer to each way in which a reply can disappoint.
/// Write your own by deriving from it (`using default_prompts::operator();`) or from nothing: a set
/// with a missing case does not compile.
struct default_prompts {
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
    [[nodiscard]] std::string operator()(no_configuration const& f) const;
    [[nodiscard]] std::string operator()(no_improvement const& f) const;
    friend bool operator==(default_prompts const&, default_prompts const&) = default;
};

namespace diagnostic {

template <class Prompts, class Failure>
struct missing_prompt {
    static_assert(!std::is_same_v<Failure, Failure>,
                  "[lkt.nodes.prompts] Prompts lacks std::string operator()(Failure const&) const: "
                  "say what the model is told when its reply ends that way");
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

/// An overload set with an answer to every failure, and the two opening turns.
template <class P>
concept prompt_set = detail::opening_prompts<P> && std::is_void_v<typename detail::unprompted<P>>;

/// The turns so far, rendered anew from what happened: system, task, and for each setback the reply
/// and what came of it.
template <class Prompts>
[[nodiscard]] conversation
conversation_of(brief const& b, std::span<setback const> attempts, Prompts const& prompts) {
    if constexpr (!detail::opening_prompts<Prompts>) {
        [[maybe_unused]] constexpr auto reported = sizeof(diagnostic::missing_opening<Prompts>);
        return {};
    } else if constexpr (!prompt_set<Prompts>) {
        using missing = detail::unprompted<Prompts>;
        [[maybe_unused]] constexpr auto reported =
            sizeof(diagnostic::missing_prompt<Prompts, missing>);
        return {};
    } else {
        conversation turns{{role::system, prompts.system(b)}, {role::user, prompts.task(b)}};
        for (setback const& s : attempts) {
            // Servers refuse an empty turn.
            turns.push_back({role::assistant, s.reply.empty() ? "(no text)" : s.reply});
            std::string text = std::visit(
                [&](auto const& why) -> std::string {
                    if constexpr (std::is_same_v<decltype(why), failure const&>)
                        return std::visit(prompts, why);
                    else
                        return prompts(why);
                },
                s.why);
            if (!s.context.empty()) text += "\n" + s.context + "\n";
            turns.push_back({role::user, std::move(text)});
        }
        return turns;
    }
}

// ------------------------------------------------------------------------------ the words

inline std::string default_prompts::system(brief const& b) const {
    std::string const language(to_string(b.task.reference.language));
    return "You optimise GPU kernels. You are given one " + language +
           " kernel, the device and the problem size it is timed at. Answer with a kernel that "
           "computes the same results in less time.\n\n" +
           detail::rules_text(language);
}

inline std::string default_prompts::task(brief const& b) const {
    std::string text = "Make this kernel faster.\n\n";
    text += detail::fenced(b.current.kernel.source.text, detail::info_string(b.task));
    text += "\n" + detail::problem_text(b.task, b.current);
    text += "\n" + detail::device_text(b.device);
    text += "\n" + detail::time_text(b.current, b.baseline);
    if (!b.task.notes.empty())
        text += "\nNotes of the user:\n" + detail::fenced(detail::shortened(b.task.notes, 4000));
    return text;
}

inline std::string default_prompts::operator()(no_code const& f) const {
    return "Your reply could not be used: " + f.why + "\n\n" + detail::again_text;
}

inline std::string default_prompts::operator()(refused const& f) const {
    return "Your kernel was not compiled, because it uses " + detail::ticked(f.what) +
           detail::at_line(f.where) + ", which is not allowed here: " + f.why + "\n\n" +
           detail::again_text;
}

inline std::string default_prompts::operator()(wrong_signature const& f) const {
    return "The name or the parameters of your kernel differ from those of the original. Keep "
           "exactly the expected declaration; put whatever else you need into the kernel, or into "
           "tunable parameters.\n\nExpected:\n" +
           detail::fenced(f.expected) + "Got:\n" + detail::fenced(f.got) + "\n" +
           detail::again_text;
}

inline std::string default_prompts::operator()(compile_failed const& f) const {
    return "Your kernel does not compile. The compiler says:\n" +
           detail::fenced(detail::shortened(f.log, 4000)) + "\n" + detail::again_text;
}

inline std::string default_prompts::operator()(launch_failed const& f) const {
    return "Your kernel compiles but cannot be launched: " + detail::shortened(f.why, 2000) +
           "\nCheck the launch expressions, the limits of the device and the restrictions on the "
           "parameters.\n\n" +
           detail::again_text;
}

inline std::string default_prompts::operator()(crashed const& f) const {
    return "Your kernel crashes when it is launched: " + detail::shortened(f.what, 2000) +
           detail::at_line(f.where) + ".\n\n" + detail::again_text;
}

inline std::string default_prompts::operator()(out_of_bounds const& f) const {
    return "Your kernel accesses memory outside of its arrays: " + detail::shortened(f.what, 2000) +
           detail::at_line(f.where) +
           ". Guard every access for sizes that are no multiple of the block or tile.\n\n" +
           detail::again_text;
}

inline std::string default_prompts::operator()(timed_out const& f) const {
    if (f.phase == "compile")
        return "Your kernel took longer than " + to_string(f.limit) +
               " to compile. Unroll less and use fewer template instantiations.\n\n" +
               detail::again_text;
    return "A launch of your kernel did not finish within " + to_string(f.limit) +
           ". Look for a loop that does not end, or for threads that wait at a barrier that others "
           "never reach.\n\n" +
           detail::again_text;
}

inline std::string default_prompts::operator()(race const& f) const {
    return "The results of your kernel depend on the order in which its threads run: " +
           detail::shortened(f.what, 2000) +
           ". Every thread of a block must reach the same __syncthreads(), and data shared between "
           "threads needs a barrier between write and read, and between read and the next "
           "write.\n\n" +
           detail::again_text;
}

inline std::string default_prompts::operator()(wrong_output const& f) const {
    return "Your kernel computes wrong results. " + detail::mismatch_text(f) + "\n\n" +
           detail::again_text;
}

inline std::string default_prompts::operator()(no_configuration const& f) const {
    return "No combination of your tunable parameters could be tried: " +
           detail::shortened(f.why, 2000) + "\n\n" + detail::again_text;
}

inline std::string default_prompts::operator()(no_improvement const& f) const {
    return detail::not_faster_text(f) +
           "\nFind what bounds the kernel now (memory traffic, reuse, latency, instruction count), "
           "and try a different idea.\n\n" +
           detail::again_text;
}

} // namespace lkt
