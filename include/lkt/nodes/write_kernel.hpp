// SPDX-License-Identifier: BSL-1.0
// The first kernel of an operation: asked for, and judged, before there is any to compare it with.
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/nodes/draft.hpp>
#include <lkt/nodes/numbers.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/propose.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// Prompts that ask for a kernel where there is none: the opening says *write*. What is said of a
/// reply that is not good enough is the same as everywhere.
struct first_kernel_prompts : default_prompts {
    using default_prompts::operator();

    [[nodiscard]] std::string system(brief const& b) const;
    [[nodiscard]] std::string task(brief const& b) const;
    [[nodiscard]] std::string operator()(wrong_signature const& f) const;
};

/// How many kernels a round asks for.
struct first_kernel_limits {
    int samples =
        1; ///< replies to one and the same request, 1 to 1000; the fastest correct one wins

    [[nodiscard]] static constexpr auto allowed() {
        return std::array{number_of<&first_kernel_limits::samples>(
            1, 1'000, "replies to one and the same request for an operation's first kernel")};
    }
    friend bool operator==(first_kernel_limits const&, first_kernel_limits const&) = default;
};

/// What a State has beside the fields of a strategy while a first kernel is written.
struct first_round {
    first_kernel_limits limits;
    batch_limits calls;
    std::vector<batch_proposal> batch; ///< of this round, where it asks for several
    std::uint64_t told = 0;            ///< attempts that came before it

    using state_fields =
        fields<&first_round::limits, &first_round::calls, &first_round::batch, &first_round::told>;
    using number_fields = fields<&first_round::limits, &first_round::calls>;
};

/// The State of who writes a first kernel: that of the strategy is a part of it.
template <class S>
concept first_kernel_fields = tuning_fields<decltype(S::tuning)> && requires(S& s) {
    { s.first } -> std::same_as<first_round&>;
};

enum class first_asked {
    once,    ///< in a conversation with the model
    several, ///< one request, several replies
};

enum class first_judged {
    right, ///< it is the reference and the baseline now
    wrong, ///< see the last of `attempts`
};

namespace detail {
[[nodiscard]] result<first_judged>
judge_first(state_ref const& s, tools_ref const& tools, gpu_ref gpu);
[[nodiscard]] result<first_judged> judge_first_batch(state_ref const& s,
                                                     std::vector<batch_proposal>& batch,
                                                     tools_ref const& tools,
                                                     gpu_ref gpu);
/// A request contains so many wrong kernels at most, the latest ones.
inline constexpr std::size_t told_attempts = 8;
} // namespace detail

/// Whether the problem has a kernel.
inline constexpr auto is_written = []<tuning_fields S>(S& s) -> settled {
    return s.task.unwritten ? settled::no : settled::yes;
};

/// Asks the model for a whole kernel: see `propose`.
inline constexpr propose_fn<first_kernel_prompts> write_kernel{};

/// Judges `proposal` by everything that `certify` asks of a kernel, against the oracle's outputs.
/// One that passes becomes the problem's reference, with its launch and its parameters, and
/// `baseline` and `best`, without times. Writes `history`, and `attempts` where it does not pass.
inline constexpr auto judge_first =
    []<tuning_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<first_judged> {
    return detail::judge_first(detail::state_ref(s), detail::tools_ref(tools), gpu_ref(tools.gpu));
};

/// Opens a round with so many kernels to ask for.
inline constexpr auto begin_round = []<first_kernel_fields S>(S& s) -> first_asked {
    if (s.first.limits.samples == 1) return first_asked::once;
    s.first.batch.clear(); // no copy is needed, and its code is long
    s.first.batch.resize(static_cast<std::size_t>(s.first.limits.samples));
    s.first.told = s.tuning.attempts.size();
    return first_asked::several;
};

/// `ask_batch` for whole kernels: each request tells of the latest wrong ones of earlier rounds.
struct ask_first_fn {
    static constexpr std::string_view name = "ask_batch";

    template <first_kernel_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<asked> {
        detail::state_ref const t(s.tuning);
        first_kernel_prompts const prompts;
        auto const past = detail::before_round(t.history, s.first.batch);
        auto const all = std::span<rejected_attempt const>(t.attempts).first(s.first.told);
        auto const told = all.last(std::min(all.size(), detail::told_attempts));
        auto const turns = [&](recall how) {
            brief const b{t.task, t.best, t.baseline.time, t.device, t.step, past};
            return conversation_of(recalled(b, how), recalled(told, how), prompts);
        };
        std::vector<detail::batch_request> requests;
        for (batch_proposal& r : s.first.batch)
            if (!r.record)
                requests.push_back({&r, turns(recall::all), turns(recall::latest), &t.best.kernel});
        return detail::ask_batch(t,
                                 s.first.batch,
                                 detail::tools_ref(tools),
                                 {tools.llm, detail::count_of(s.first.calls.in_flight)},
                                 std::move(requests));
    }
};
inline constexpr ask_first_fn ask_first{};

/// `judge_first` for each kernel of the round. The fastest of those that pass, by their timed
/// launches, becomes the reference, and is the last record of `history`.
inline constexpr auto judge_round =
    []<first_kernel_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<first_judged> {
    return detail::judge_first_batch(
        detail::state_ref(s.tuning), s.first.batch, detail::tools_ref(tools), gpu_ref(tools.gpu));
};

/// Makes `kernel` the reference of a problem that has none, with its first configuration that is
/// `config`. Errors: those of `find_kernel`.
[[nodiscard]] result<void>
take_first_kernel(problem& task, candidate const& kernel, configuration const& config);

} // namespace lkt
