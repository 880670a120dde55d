// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/strategies/detail/ask_all.hpp>
#include <lkt/strategies/detail/knobs.hpp>
#include <lkt/strategies/terminals.hpp>

#include <cstddef>

namespace lkt {

struct sample_n_knobs {
    int samples = 8;   ///< replies to one and the same request; or `from_state`
    int in_flight = 8; ///< calls at the same time, for a model that does not see to that itself
    friend bool operator==(sample_n_knobs const&, sample_n_knobs const&) = default;
};

/// What a run says of the knobs that are left to it.
struct sample_n_limits {
    int samples = 8;
    friend bool operator==(sample_n_limits const&, sample_n_limits const&) = default;
};

/// What `sample_n` keeps beside the fields that all strategies have.
struct sample_n_state : batch_state {
    sample_n_limits limits;

    using state_fields = fields_of<batch_state, &sample_n_state::limits>;
};

namespace detail {

/// Opens a step with `Samples` proposals to ask for.
template <int Samples>
struct draw_samples_fn {
    static constexpr std::string_view name = "draw_samples";
    void operator()(sample_n_state& s) const {
        s.attempts.clear();
        s.batch.assign(static_cast<std::size_t>(knob_or(Samples, s.limits.samples)),
                       batch_proposal{});
    }
};

} // namespace detail

/// Asks one request `samples` times at once, and measures all candidates side by side: the fastest
/// that is correct becomes the best, if it is faster by more than the noise. Costs at most
/// `samples` model calls, and one final.
///
/// Learns from repeated sampling: the share of problems that some of n samples solve keeps growing
/// with n (Brown et al., Large Language Monkeys, arXiv:2407.21787), which KernelBench
/// (Ouyang et al., arXiv:2502.10517) found for kernels too, and METR's study of it (2025) used with
/// a measured best of n. A verifier and a clock are what makes it pay, and these are here.
template <sample_n_knobs K = sample_n_knobs{},
          class Prompts = default_prompts,
          auto Retry = backoff{}>
struct sample_n {
    static_assert(detail::in_range(1, K.samples) && K.in_flight > 0,
                  "[lkt.strategies.samples] sample_n_knobs::samples and in_flight must be "
                  "positive; samples may be lkt::from_state");

    static constexpr auto retry = Retry;

    /// What the tuner says to the State before a run, and before it goes on.
    sample_n_limits limits{};
    void adjust(sample_n_state& s) const { s.limits = limits; }

    static constexpr detail::draw_samples_fn<K.samples> draw{};
    static constexpr ask_batch_fn<rewrite_best, Prompts, std::size_t{K.in_flight}> ask_batch{};
    static constexpr auto ask = dsl::sub<detail::ask_all<ask_batch, Retry, sample_n_state>>;
    static constexpr auto graph = lkt::graph<sample_n_state>(
        dsl::node<draw>(dsl::to(ask)),
        dsl::node<ask>(dsl::on<detail::replies_came>(evaluate_batch)),
        dsl::node<evaluate_batch>(dsl::retrying<Retry>(),
                                  dsl::on<evaluated::faster>(dsl::stop<tuned>),
                                  dsl::on<evaluated::slower>(dsl::stop<unchanged>),
                                  dsl::on<evaluated::failed>(dsl::stop<gave_up>)));
};

} // namespace lkt
