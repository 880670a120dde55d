// SPDX-License-Identifier: BSL-1.0
// Attacks on the judge: wrong kernels that a model hopes to see accepted.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/verdict.hpp>
#include <lkt/nodes/model_usage.hpp>
#include <lkt/nodes/numbers.hpp>
#include <lkt/nodes/toolbox.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// A kernel that its author calls wrong, and where to see it.
struct attack_proposal {
    std::string kernel;
    std::string claim;  ///< what is wrong with it
    std::string size;   ///< of the witness: `N=1025, K=3`; empty: the timed size
    std::string script; ///< of the witness: Python, as `script_tests` takes it; may be empty

    friend bool operator==(attack_proposal const&, attack_proposal const&) = default;
};

/// How an attempt ended. Only `proven` is a defect of the judge.
enum class attack_end : unsigned char {
    rejected, ///< the judge found it
    doubted,  ///< not vouched for in full: the verdict names a branch that no test reached
    proven,   ///< accepted in full, and wrong on its witness
    unproven  ///< accepted in full, and nothing shows that it is wrong
};
inline constexpr std::array<std::string_view, 4> attack_ends = {
    "rejected", "doubted", "proven", "unproven"};
[[nodiscard]] constexpr std::string_view to_string(attack_end e) {
    return attack_ends[static_cast<std::size_t>(e)];
}

struct attack_judgement {
    attack_end end = attack_end::rejected;
    lkt::verdict verdict = lkt::verdict::accepted;
    std::string reason; ///< of a rejection
    std::string proof;  ///< of what was accepted: the doubt, what its witness showed, or why it
                        ///< shows nothing
    std::uint64_t seed = 0;
    seconds spent{};
};

/// One attempt, for the record.
struct attack_record {
    std::string problem;
    int round = 0; ///< of this problem, counted from 1
    std::string model;
    attack_proposal proposal;
    attack_judgement judged;
};

/// A reply, for the record: what was proposed in it can be judged again.
struct attack_reply {
    std::string problem;
    int round = 0;
    std::string model, text;
};

/// How long an attack goes on.
struct attack_limits {
    int rounds = 5;       ///< replies to ask for, for each problem
    int per_reply = 4;    ///< kernels in a reply, at most
    int attempts = 1'000; ///< kernels to judge, at most

    [[nodiscard]] static constexpr auto allowed() {
        return std::array{
            number_of<&attack_limits::rounds>(1, 100'000, "replies to ask for"),
            number_of<&attack_limits::per_reply>(1, 64, "kernels in a reply, at most"),
            number_of<&attack_limits::attempts>(1, 1'000'000, "kernels to judge, at most")};
    }
    friend bool operator==(attack_limits const&, attack_limits const&) = default;
};

/// The State of `attack`.
struct attack_state {
    problem task;
    std::string problem_name;
    std::string knowledge; ///< how the judge works: `attack_knowledge()`, its source
    attack_limits limits;
    int round = 0;                        ///< replies so far, earlier runs included
    std::vector<attack_record> past;      ///< in order; of other problems, too
    std::vector<attack_proposal> pending; ///< of the last reply, not judged yet
    std::string fault;                    ///< why the last reply was of no use; may be empty
    std::size_t judged = 0;               ///< in this run
    model_usage usage;
};

/// Judges a proposal with a seed of its own, and puts what it accepts to the test of its witness.
/// `verifying_judge` (`tuner/attack_judge.hpp`) is one.
template <class J>
concept attack_judge = requires(J& j, problem const& task, attack_proposal const& p) {
    { j.judge(task, p) } -> std::same_as<result<attack_judgement>>;
};

/// The tools of `attack`.
template <class Llm, class Judge>
struct attack_tools {
    static_assert(attack_judge<Judge>,
                  "[lkt.attack.judge] attack_tools: judge is not an attack_judge. It needs "
                  "result<attack_judgement> judge(problem const&, attack_proposal const&)");

    Llm& llm;
    Judge& judge;
    call_context context = {};
    std::function<result<void>(attack_reply const&)> on_reply = {};
    std::function<result<void>(attack_record const&)> on_attempt = {};
};

template <class Llm, class Judge>
attack_tools(Llm&, Judge&) -> attack_tools<Llm, Judge>;
template <class Llm, class Judge>
attack_tools(Llm&, Judge&, call_context) -> attack_tools<Llm, Judge>;

/// What an attacker is told of verification by default: every check, and what it rests on.
[[nodiscard]] std::string attack_knowledge();

/// The one turn of a request: the problem, what is known of the judge, and every verdict so far.
/// The same state gives the same text.
[[nodiscard]] std::string attack_prompt(attack_state const& s);

/// The kernels of a reply with their claims and witnesses, at most `most`; `fault` says why there
/// are none.
[[nodiscard]] std::vector<attack_proposal>
attack_proposals(std::string_view reply, language in, int most, std::string* fault = nullptr);

enum class attacks_asked : unsigned char {
    some,   ///< `pending` holds kernels
    none,   ///< the reply held none
    enough, ///< no further kernel may be judged
};
enum class attacks_counted : unsigned char { some_proven, none_proven };

namespace detail {
[[nodiscard]] result<attacks_asked>
ask_attacks(attack_state& s,
            model_ref model,
            call_context const& context,
            std::function<result<void>(attack_reply const&)> const& on_reply);
[[nodiscard]] bool next_attack(attack_state const& s);
void keep_attack(attack_state& s, attack_record record);
} // namespace detail

/// Asks for wrong kernels. Writes `pending`, `round`, `fault` and `usage`. One model call.
inline constexpr auto ask_attacks = []<class Tools>(attack_state& s,
                                                    Tools& tools) -> result<attacks_asked> {
    return detail::ask_attacks(s, detail::model_ref(tools.llm), tools.context, tools.on_reply);
};

/// Judges what is pending, one after the other; what was judged stays so when this is entered
/// again. Writes `past` and `pending`. Errors: the judge's, `cancelled`.
inline constexpr auto judge_attacks = []<class Tools>(attack_state& s,
                                                      Tools& tools) -> result<void> {
    while (detail::next_attack(s)) {
        if (tools.context.stop.stop_requested()) return cancelled("the attack");
        auto const& p = s.pending.front();
        auto judged = tools.judge.judge(s.task, p);
        if (!judged) return judged.error();
        attack_record record{s.problem_name,
                             s.round,
                             s.usage.models.empty() ? "" : s.usage.models.back().name,
                             p,
                             std::move(*judged)};
        if (tools.on_attempt)
            if (auto ok = tools.on_attempt(record); !ok) return ok;
        detail::keep_attack(s, std::move(record));
    }
    return {};
};

/// Whether any attempt at this problem is proven.
inline constexpr auto count_attacks = [](attack_state const& s) -> attacks_counted {
    for (attack_record const& r : s.past)
        if (r.problem == s.problem_name && r.judged.end == attack_end::proven)
            return attacks_counted::some_proven;
    return attacks_counted::none_proven;
};

} // namespace lkt
