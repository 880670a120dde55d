// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/problem_oracle.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/recorded_oracle.hpp>
#include <lkt/verify/script_oracle.hpp>
#include <lkt/verify/sound_tests.hpp>
#include <lkt/verify/tolerance.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lkt {

namespace problem_oracle_parts {

/// Inputs that are larger than this are not asked about again.
constexpr std::size_t moved_bytes = std::size_t{4} << 20;
/// Where lkt chose the inputs, what is nearly singular may lose more digits, as any kernel does: a
/// layer norm about an offset, a softmax of large values.
constexpr double most_widened = 16, most_widened_by_lkt = 64;

/// How many times its bound an element moves, at most, where the inputs do by as much as rounding
/// adds up to.
double largest_move(argument_data const& before, argument_data const& after, tolerance bound) {
    double most = 0;
    for (std::size_t k = 0; k < before.lanes() && k < after.lanes(); ++k) {
        double const e = lane_as_double(before, k);
        double const move = std::fabs(lane_as_double(after, k) - e);
        double const allowed = bound.absolute + bound.relative * std::fabs(e);
        if (std::isfinite(move) && allowed > 0) most = std::max(most, move / allowed);
    }
    return most;
}

/// Whether anything becomes wider where this output moves.
bool may_widen(problem const& task, std::size_t argument) {
    return !task.arguments[argument].bound &&
           is_floating(task.signature.arguments[argument].type.scalar);
}

bool same_inputs(test_case const& a, test_case const& b) {
    return a.size == b.size &&
           std::ranges::equal(
               a.arguments, b.arguments, {}, &argument_data::bytes, &argument_data::bytes);
}

/// The tests with inputs a little beside theirs.
class moved_tests {
public:
    moved_tests(problem const& task, std::span<test_case const> tests, std::uint64_t seed) {
        auto const outputs = judged_outputs(task);
        if (std::none_of(
                outputs.begin(), outputs.end(), [&](auto k) { return may_widen(task, k); }))
            return;
        for (std::size_t t = 0; t < tests.size(); ++t) {
            std::size_t most = 1;
            for (std::size_t const k : outputs)
                most = std::max(most, tests[t].arguments[k].lanes());
            if (detail::bytes_of(tests[t]) > moved_bytes) continue;
            double const terms = reduction_length(task, tests[t], static_cast<double>(most));
            of_.push_back(t);
            tests_.push_back(moved_by_units(task,
                                            tests[t],
                                            static_cast<std::uint32_t>(std::ceil(std::sqrt(terms))),
                                            seed,
                                            static_cast<std::uint32_t>(tests_.size())));
        }
    }

    /// Asks for them, and once more for the smallest test, together with all tests: to start Python
    /// with torch takes seconds. A function that counts its calls, or draws numbers, is further in
    /// the same process than when it first saw that test.
    struct asking {
        script_oracle const& oracle;
        moved_tests& moved;

        [[nodiscard]] result<std::vector<oracle_answer>> answer(problem const& task,
                                                                std::span<test_case const> tests,
                                                                call_context const& context) const {
            if (moved.again_ && tests.size() == 1 && same_inputs(tests.front(), *moved.again_)) {
                moved.again_.reset();
                return std::vector<oracle_answer>{std::move(moved.answered_again_)};
            }
            if (std::exchange(moved.asked_once_, true)) return oracle.answer(task, tests, context);
            std::vector<test_case> all(tests.begin(), tests.end());
            all.insert(all.end(), moved.tests_.begin(), moved.tests_.end());
            auto const smallest = std::ranges::min_element(tests, {}, detail::bytes_of);
            if (smallest != tests.end()) all.push_back(*smallest);
            auto made = oracle.answer(task, all, context);
            if (!made || made->size() != all.size()) return made;
            if (smallest != tests.end()) {
                moved.again_ = *smallest;
                moved.answered_again_ = std::move(made->back());
                made->pop_back();
            }
            auto const rest = made->begin() + static_cast<std::ptrdiff_t>(tests.size());
            moved.answers_.assign(std::move_iterator(rest), std::move_iterator(made->end()));
            made->erase(rest, made->end());
            return made;
        }
        [[nodiscard]] std::string describe() const { return oracle.describe(); }
    };

    /// What `keep_sound_tests` does with an original there is no original for: a default bound
    /// becomes twice as wide as the function itself moves when inputs do, but not more than 16
    /// times as wide (64 on tests that lkt chose); so do the limits of all errors together.
    void widen(problem const& task, test_suite& suite) const {
        auto const outputs = judged_outputs(task);
        for (std::size_t t = 0; t < of_.size() && t < answers_.size(); ++t) {
            prepared_test& test = suite.tests[of_[t]];
            // Scratch outputs have bounds, too, and are not judged.
            if (test.expected.size() != outputs.size()) continue;
            for (std::size_t p = 0; p < outputs.size() && p < answers_[t].size(); ++p) {
                if (!may_widen(task, outputs[p])) continue;
                tolerance& bound = test.bounds[p];
                double const most =
                    test.test.origin == test_origin::asked ? most_widened : most_widened_by_lkt;
                double const times = std::clamp(
                    2 * largest_move(test.expected[p], answers_[t][p], bound), 1.0, most);
                bound.absolute *= times;
                bound.relative *= times;
                if (p >= test.limits.size()) continue;
                error_limits& whole = test.limits[p];
                double const rms = 2 * figures_of(test.expected[p], answers_[t][p]).rms;
                whole.rms = std::max(whole.rms, std::min(rms, most * whole.rms));
                // What rounding does to a mean, all elements have in common.
                whole.bias = std::max(whole.bias, std::min(rms, most * whole.bias));
            }
        }
    }

private:
    std::vector<std::size_t> of_;
    std::vector<test_case> tests_;
    std::vector<oracle_answer> answers_;
    std::optional<test_case> again_; ///< the test whose second answer nobody has taken yet
    oracle_answer answered_again_;
    bool asked_once_ = false;
};

} // namespace problem_oracle_parts

result<test_suite> suite_of_problem_oracle(problem const& task,
                                           std::vector<test_case> tests,
                                           call_context const& context,
                                           oracle_options const& options) {
    if (!task.oracle)
        return error{condition::rejected,
                     "lkt.verify.oracle",
                     "the problem names no oracle",
                     "Use the original as the oracle (prepare_suite), or name an oracle."};
    auto const& [from, path, function, text] = *task.oracle;
    if (from == oracle_source::kind::recorded) {
        auto suite = suite_of(recorded_oracle{path}, task, std::move(tests), context, options);
        if (suite) suite->further = nullptr;
        return suite;
    }
    auto const library =
        from == oracle_source::kind::torch ? array_library::torch : array_library::numpy;
    if (!text.empty()) {
        script_oracle const operation{{text, function, path, library}};
        problem_oracle_parts::moved_tests moved(task, tests, options.seed);
        auto suite = suite_of(problem_oracle_parts::moved_tests::asking{operation, moved},
                              task,
                              std::move(tests),
                              context,
                              options);
        if (!suite) return suite;
        moved.widen(task, *suite);
        suite->further = [task, options](std::vector<test_case> more, call_context const& now) {
            return suite_of_problem_oracle(task, std::move(more), now, options);
        };
        return suite;
    }
    auto const oracle = read_script_oracle(path, function, library);
    if (!oracle) return oracle.error();
    return suite_of(*oracle, task, std::move(tests), context, options);
}

} // namespace lkt
