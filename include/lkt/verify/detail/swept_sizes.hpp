// SPDX-License-Identifier: BSL-1.0
// Many sizes in short runs: which of them lead a kernel elsewhere.
#pragma once

#include <lkt/verify/detail/size_sampler.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/detail/watched_runs.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// A condition on the size may hold for a few sizes only, and no secant leads there (`n * n % 7919
/// == 3492`). What a kernel does with its scalars needs neither all blocks nor right inputs: so one
/// block runs on buffers that are large enough, with the scalars of up to 63 sizes in one run. A
/// size whose scalars take a new way becomes a test.
class swept_sizes : protected watched_runs {
public:
    using watched_runs::watched_runs;

protected:
    void sweep_sizes() {
        if (task_.size_constraints.empty() || !left()) return;
        if (!find_base()) return;
        auto const most = steps_ + options_.steps / 6;
        int wrong = 0, runs_of_sizes = 0;
        constexpr std::size_t certain = 4; // all but one of fifty
        while (runs_of_sizes < options_.sweep && steps_ < most && wrong < 4 && left()) {
            std::vector<one_size> sizes = draw_sizes();
            if (sizes.empty()) return;
            // Most launches are of one thread: what decides is the same in all.
            dimensions_.block = ++runs_of_sizes % 4 == 0 ? block_ : dim3{};
            if (!new_way(sizes, 1)) continue;
            while (wrong < 4 && new_way(sizes, certain)) {
                std::span<one_size const> some = sizes;
                while (some.size() > 1) {
                    auto const half = some.first(some.size() / 2);
                    some = new_way(half, certain) ? half : some.subspan(half.size());
                }
                auto test = inputs_.at_size(some.front().size);
                left_for_one_ = options_.runs;
                auto const before = goals_.taken();
                if (test) (void)look(std::move(*test));
                if (goals_.taken() == before) ++wrong;
                sizes.erase(sizes.begin() + (some.data() - sizes.data()));
            }
        }
    }

private:
    struct one_size {
        problem_size size;
        std::vector<argument_data> arguments;
    };
    static constexpr std::uint64_t most_elements = std::uint64_t{1} << 13;
    static constexpr std::size_t sizes_at_once = 63; ///< beside the base, as many as a run takes

    /// The size with the most elements up to `most_elements`: its buffers are used for all.
    bool find_base() {
        std::uint64_t most = 0;
        highest_.assign(task_.size.size(), 1);
        for (named_size const& s : sizes_to_test(task_, options_.seed, 9)) {
            for (std::size_t d = 0; d < s.size.size(); ++d)
                highest_[d] = std::max(highest_[d], s.size[d].second);
            auto const elements = elements_at(task_, s.size);
            if (!elements || *elements > most_elements || *elements <= most) continue;
            if (auto test = inputs_.at_size(s.size)) most = *elements, base_ = std::move(*test);
        }
        if (most == 0) return false;
        auto const dimensions = kernel_.launch.evaluate(scope_of(base_.size, kernel_.config));
        if (!dimensions) return false;
        dimensions_ = *dimensions;
        block_ = dimensions->block;
        dimensions_.grid = {};
        return true;
    }

    /// Fair ones, whose arguments fit into the buffers of the base.
    [[nodiscard]] std::vector<one_size> draw_sizes() {
        std::vector<one_size> sizes;
        for (int tries = 0; tries < 2000 && sizes.size() < sizes_at_once; ++tries) {
            problem_size size = base_.size;
            for (std::size_t d = 0; d < size.size(); ++d) {
                random_stream const stream{options_.seed, first_explored_test + 1, 0};
                auto const bits = stream.block(drawn_++);
                auto const high = static_cast<std::uint64_t>(highest_[d]);
                // Short ones as often as long ones: where one extent is long, another has to be
                // short.
                auto const within = bits[0] % 2 == 0 ? high : 1 + below(high, bits[0] >> 1 << 1);
                size[d].second = static_cast<std::int64_t>(1 + below(within, bits[1]));
            }
            if (auto one = fitting(std::move(size))) sizes.push_back(std::move(*one));
        }
        return sizes;
    }
    [[nodiscard]] std::optional<one_size> fitting(problem_size size) const {
        auto const scope = scope_of(size, {});
        if (!size_parts::all_hold(task_.size_constraints, scope)) return std::nullopt;
        for (std::size_t k = 0; k < task_.arguments.size(); ++k) {
            if (!task_.signature.arguments[k].pointer) continue;
            auto const count = task_.arguments[k].count.evaluate_integer(scope);
            if (!count || *count < 1 ||
                static_cast<std::uint64_t>(*count) > base_.arguments[k].count())
                return std::nullopt;
        }
        auto const dimensions = kernel_.launch.evaluate(scope_of(size, kernel_.config));
        if (!dimensions || dimensions->block != block_) return std::nullopt;
        auto scalars = scalars_at(task_, size);
        if (!scalars) return std::nullopt;
        one_size one{std::move(size), base_.arguments};
        for (std::size_t k = 0; k < scalars->size(); ++k)
            if ((*scalars)[k]) one.arguments[k] = std::move(*(*scalars)[k]);
        return one;
    }

    /// Whether one of them takes a way that none took before, in so many launches for each: which
    /// size a launch has is drawn.
    [[nodiscard]] bool new_way(std::span<one_size const> sizes, std::size_t times) {
        if (sizes.empty() || broken_) return false;
        auto request = request_on(
            base_, suite_.directions, dimensions_, 1, options_.seed + ++swept_, seconds{1});
        request.arguments = sizes.front().arguments;
        for (one_size const& s : sizes.subspan(1)) request.ring.push_back({s.arguments});
        request.launches = static_cast<int>(times * sizes.size());
        request.sampling.cold = false;
        auto ran = backend_.run(kernel_.compiled, request, context_);
        if (!ran) {
            if (ran.error().kind != condition::unavailable) broken_ = ran.error();
            return false;
        }
        auto const* const report = std::get_if<run_report>(&*ran);
        if (report == nullptr) return false;
        count(0, report->branches);
        branch_goals goals = goals_;
        return goals.take(report->branches);
    }

    test_case base_;
    launch_dimensions dimensions_;
    dim3 block_{};
    std::vector<std::int64_t> highest_; ///< extents
    std::uint64_t drawn_ = 0, swept_ = 0;
};

} // namespace lkt::detail
