// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/strategies/detail/ask_all.hpp>
#include <lkt/strategies/terminals.hpp>

#include <array>

namespace lkt {

/// How many rewrites are asked for.
struct sample_n_limits {
    int samples = 8;

    [[nodiscard]] static constexpr auto allowed() {
        return std::array{
            number_of<&sample_n_limits::samples>(1, 1'000, "replies to one and the same request")};
    }
    friend bool operator==(sample_n_limits const&, sample_n_limits const&) = default;
};

/// The fields of `sample_n`, in addition to those of all strategies.
struct sample_n_state : batch_state {
    sample_n_limits limits;

    using state_fields = fields_of<batch_state, &sample_n_state::limits>;
};

namespace detail {
/// Opens a step with so many proposals to ask for.
void draw_samples(sample_n_state& s);
} // namespace detail

/// Asks one request `samples` times at once, and measures all candidates side by side: the fastest
/// that is correct becomes the best, if it is faster by more than the noise. Costs at most
/// `samples` model calls, and one final.
///
/// Learns from repeated sampling: the share of problems that some of n samples solve keeps growing
/// with n (Brown et al., Large Language Monkeys, arXiv:2407.21787), which KernelBench
/// (Ouyang et al., arXiv:2502.10517) found for kernels too, and METR's study of it (2025) used with
/// a measured best of n. A verifier and a clock are what makes it pay, and these are here.
template <class Prompts = default_prompts, auto Retry = backoff{}>
struct sample_n {
    sample_n_limits limits{};
    batch_limits calls{};
    using number_fields = fields<&sample_n::limits, &sample_n::calls>;
    void adjust(sample_n_state& s) const {
        s.limits = limits;
        s.calls = calls;
    }

    static constexpr auto retry = Retry;

    static constexpr auto draw_samples = [](sample_n_state& s) -> void { detail::draw_samples(s); };
    static constexpr ask_batch_fn<rewrite_best, Prompts> ask_batch{};
    static constexpr auto ask = dsl::sub<detail::ask_all<ask_batch, Retry, sample_n_state>>;
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<sample_n_state>(
            node<draw_samples>(to(ask)),
            node<ask>(to(evaluate_batch)),
            node<evaluate_batch>(retrying<Retry>(),
                                 on<evaluated::faster>(stop<tuned>),
                                 on<evaluated::slower>(stop<unchanged>),
                                 on<evaluated::failed>(stop<gave_up>)));
    }();
};

} // namespace lkt
