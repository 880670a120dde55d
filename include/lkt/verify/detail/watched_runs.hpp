// SPDX-License-Identifier: BSL-1.0
// Runs of a kernel that is watched where it branches.
#pragma once

#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/verify/detail/address_bits.hpp>
#include <lkt/verify/detail/branch_goals.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/led_inputs.hpp>
#include <lkt/verify/detail/version_runs.hpp>
#include <lkt/verify/explore_branches.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// What they saw, what is left to see, and the tests that saw it first.
class watched_runs {
public:
    watched_runs(gpu_ref backend,
                 watched_kernel const& kernel,
                 problem const& task,
                 test_suite const& suite,
                 call_context const& context,
                 exploration_options const& options)
        : backend_(backend), kernel_(kernel), task_(task), suite_(suite), context_(context),
          options_(options), goals_(*kernel.compiled.branches),
          inputs_(task, options.seed, context) {}

protected:
    /// A run, and what it saw.
    struct record {
        std::shared_ptr<test_case const> test;
        branches_seen seen;
        std::size_t bytes = 0;
    };
    static constexpr std::size_t small = std::size_t{256} << 10,
                                 medium = std::size_t{16} << 10; // bytes

    [[nodiscard]] seconds spent() const { return std::chrono::steady_clock::now() - start_; }
    [[nodiscard]] bool left() const {
        return !broken_ && runs_ < options_.runs && steps_ < options_.steps &&
               spent() < options_.time && goals_.taken() < goals_.total();
    }
    /// Arguments are made, copied and read, whatever the kernel does.
    void count(std::size_t bytes, branches_seen const& seen) { steps_ += bytes / 4 + seen.steps; }

    /// Nothing: it did not come to its end, or was not launched.
    std::optional<branches_seen> launch_on(test_case const& test) {
        auto const dimensions = kernel_.launch.evaluate(scope_of(test.size, kernel_.config));
        if (!dimensions) return std::nullopt;
        auto request = request_on(test,
                                  suite_.directions,
                                  *dimensions,
                                  1,
                                  options_.seed + static_cast<std::uint64_t>(runs_),
                                  options_.launch_limit);
        auto ran = backend_.run(kernel_.compiled, request, context_);
        if (!ran) {
            if (ran.error().kind != condition::unavailable) broken_ = ran.error();
            return std::nullopt;
        }
        auto* const report = std::get_if<run_report>(&*ran);
        if (report == nullptr) {
            // What it did is unknown. One that has no end takes its limit each time.
            if (std::holds_alternative<timed_out>(std::get<failure>(*ran)))
                steps_ += options_.steps / 8;
            return std::nullopt;
        }
        count(bytes_of(test), report->branches);
        return std::move(report->branches);
    }

    /// The smallest ones first, as long as they tell something and take a part of the steps.
    [[nodiscard]] result<void> run_suite() {
        std::vector<std::pair<std::size_t, prepared_test const*>> order;
        for (prepared_test const& t : suite_.tests) {
            order.emplace_back(bytes_of(t.test), &t);
        }
        std::stable_sort(order.begin(), order.end(), [](auto const& a, auto const& b) {
            return a.first < b.first;
        });
        double rate = 0; // steps a byte
        unwatched_ = order.size();
        for (auto const& [bytes, t] : order) {
            if (goals_.taken() == goals_.total() || broken_) break;
            double const expected = rate * static_cast<double>(bytes);
            if (static_cast<double>(steps_) + expected > static_cast<double>(options_.steps) / 4)
                break;
            auto const before = steps_;
            auto seen = launch_on(t->test);
            if (!seen) continue;
            --unwatched_;
            rate = static_cast<double>(steps_ - before) / static_cast<double>(bytes + 4096);
            goals_.take(*seen);
            keep(std::make_shared<test_case const>(t->test), std::move(*seen), bytes);
        }
        if (broken_) return *broken_;
        push_to_bounds();
        run_unaligned();
        return {};
    }

    /// All elements of all inputs, or of one, as large or as small as may be: what sums and counts
    /// can come to.
    void push_to_bounds() {
        auto longest = records_.end();
        for (auto r = records_.begin(); r != records_.end(); ++r)
            if (longest == records_.end() || (r->bytes > longest->bytes && r->bytes <= medium))
                longest = r;
        if (longest == records_.end()) return;
        auto const bytes = longest->bytes;
        auto const from = longest->test;
        left_for_one_ = options_.runs;
        for (std::size_t only = 0; only <= from->arguments.size() && left(); ++only)
            for (int const sign : {1, -1}) {
                auto test = inputs_.at_bounds(*from, suite_.directions, only, sign);
                if (!test) continue;
                auto const copy = std::make_shared<test_case const>(*test);
                if (auto seen = look(std::move(*test))) keep(copy, std::move(*seen), bytes);
            }
    }

    /// Buffers that are off by one element, all and each alone, where the text, or the original's,
    /// looks at bits of addresses, and the original bears it. What it does there is to be judged.
    void run_unaligned() {
        if (!left() ||
            (!looks_at_addresses(kernel_.source) && !looks_at_addresses(task_.reference)))
            return;
        auto const device = backend_.device(context_);
        if (!device || !device->simulated) return;
        auto const original = backend_.compile(
            request_for_original(task_, suite_.reference_configuration, seconds{60}), context_);
        auto const* const compiled = original ? std::get_if<compiled_kernel>(&*original) : nullptr;
        if (compiled == nullptr) return;
        std::vector<record> const& aligned = records_;
        constexpr std::size_t most = 3; // the largest, and two between
        for (std::size_t k = 0; k < std::min(most, aligned.size()); ++k)
            if (!place(*aligned[aligned.size() - 1 - k * aligned.size() / most].test,
                       every_buffer,
                       *compiled))
                return;
        constexpr std::size_t most_alone = 6;
        std::size_t alone = 0;
        for (std::size_t a = 0; a < task_.arguments.size() && !aligned.empty(); ++a)
            if (task_.signature.arguments[a].pointer && alone++ < most_alone && a < 64)
                (void)place(*aligned.back().test, std::uint64_t{1} << a, *compiled);
    }
    /// False: the original does not bear it.
    [[nodiscard]] bool
    place(test_case test, std::uint64_t unaligned, compiled_kernel const& original) {
        test.unaligned = unaligned;
        if (outputs_once(
                backend_, {original, test, 1}, task_, suite_, options_.launch_limit, context_)
                .empty())
            return false;
        ++runs_;
        if (auto seen = launch_on(test)) {
            goals_.take(*seen);
            (void)take_test(std::move(test));
        }
        return true;
    }

    void keep(std::shared_ptr<test_case const> test, branches_seen seen, std::size_t bytes) {
        constexpr std::size_t most = 96;
        if (bytes > small && !records_.empty()) return;
        if (records_.size() < most) records_.push_back({std::move(test), std::move(seen), bytes});
    }

    /// Of new inputs: a test that takes a new way is one to judge by.
    std::optional<branches_seen> look(test_case test) {
        if (!left() || left_for_one_ <= 0) return std::nullopt;
        ++runs_;
        --left_for_one_;
        auto seen = launch_on(test);
        if (!seen || !goals_.take(*seen)) return seen;
        auto const& taken = take_test(std::move(test));
        keep(std::make_shared<test_case const>(taken), *seen, bytes_of(taken));
        return seen;
    }
    /// One to judge by.
    test_case const& take_test(test_case test) {
        bool const other_size = test.size != task_.size;
        test.name = (other_size ? "hidden size, inputs " : "hidden inputs ") +
                    std::to_string(tests_.size() + 1);
        test.origin = other_size ? test_origin::hidden_size : test_origin::menu;
        tests_.push_back(std::move(test));
        return tests_.back();
    }

    [[nodiscard]] branch_coverage coverage() const {
        branch_coverage found;
        found.unknown.clear();
        found.branches = goals_.total();
        auto const text = lines_of(kernel_.source.text);
        auto const original = lines_of(task_.reference.text);
        for (branch_site const* const s : goals_.sites()) {
            auto const line = static_cast<std::size_t>(s->line) - 1;
            unreached_branch one{s->line, line < text.size() ? text[line] : "", false};
            one.in_original =
                std::find(original.begin(), original.end(), one.text) != original.end();
            for (std::size_t k = goals_.missing(*s); k > 0; --k) found.unreached.push_back(one);
        }
        if (!found.unreached.empty()) found.unwatched = unwatched_;
        std::stable_sort(found.unreached.begin(),
                         found.unreached.end(),
                         [](auto const& a, auto const& b) { return a.line < b.line; });
        return found;
    }
    /// Without the space around them.
    [[nodiscard]] static std::vector<std::string> lines_of(std::string_view text) {
        std::vector<std::string> lines;
        while (!text.empty()) {
            auto const end = std::min(text.find('\n'), text.size());
            auto line = text.substr(0, end);
            constexpr std::string_view space = " \t\r";
            line.remove_prefix(std::min(line.find_first_not_of(space), line.size()));
            line = line.substr(0, line.find_last_not_of(space) + 1);
            lines.emplace_back(line);
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return lines;
    }

    gpu_ref backend_;
    watched_kernel const& kernel_;
    problem const& task_;
    test_suite const& suite_;
    call_context const& context_;
    exploration_options const& options_;
    branch_goals goals_;
    led_inputs inputs_;
    std::vector<record> records_;
    std::vector<test_case> tests_;
    std::optional<error> broken_;
    int runs_ = 0, left_for_one_ = 0;
    std::size_t unwatched_ = 0; ///< tests of the suite that were not run
    std::uint64_t steps_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace lkt::detail
