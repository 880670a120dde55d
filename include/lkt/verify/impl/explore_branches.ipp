// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/explore_branches.hpp>

#include <lkt/core/string_tools.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/swept_sizes.hpp>
#include <lkt/verify/threshold_tests.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace lkt {

namespace detail {

/// Leads a kernel to where it has not been.
class branch_explorer : private swept_sizes {
public:
    using swept_sizes::swept_sizes;

    [[nodiscard]] result<exploration> run() {
        if (auto ok = run_suite(); !ok) return ok.error();
        bool swept = false;
        auto const sweep_once = [&] {
            if (!std::exchange(swept, true)) sweep_sizes();
        };
        for (int round = 0; round < options_.rounds && left(); ++round) {
            auto const before = goals_.taken();
            left_for_one_ = options_.runs;
            meet_numbers();
            for (branch_site const* const s : goals_.sites()) {
                if (!left()) break;
                if (!goals_.open(*s)) continue;
                // Comparisons that lead nowhere must not take what the sizes need.
                if (runs_ + 4 * options_.runs_of_one > options_.runs || steps_ > options_.steps / 2)
                    sweep_once();
                lead(*s);
            }
            if (broken_) return *broken_;
            sweep_once();
            if (goals_.taken() == before) break;
        }
        if (broken_) return *broken_;
        return exploration{coverage(), std::move(tests_)};
    }

private:
    /// Numbers that the kernel compares with, wherever they come from, among the elements.
    void meet_numbers() {
        std::map<std::uint32_t, fixed_side> sides;
        for (record const& r : records_)
            for (comparison_seen const& c : r.seen.comparisons) sides[c.at].add(c);
        std::vector<double> numbers;
        for (branch_site const& s : *kernel_.compiled.branches) {
            auto const side = sides.find(s.at);
            bool const of_interest = s.line == 0 || goals_.open(s);
            if (side == sides.end() || !of_interest) continue;
            for (double const n : side->second.numbers())
                if (met_.insert(std::bit_cast<std::uint64_t>(n)).second) numbers.push_back(n);
        }
        constexpr std::size_t at_once = 6;
        for (std::size_t k = 0; k < numbers.size() && left(); k += at_once) {
            auto const end = std::min(numbers.size(), k + at_once);
            threshold_tests const made{
                .numbers = {numbers.begin() + static_cast<std::ptrdiff_t>(k),
                            numbers.begin() + static_cast<std::ptrdiff_t>(end)},
                .seed = options_.seed,
                .sizes = 0,
                .scalars = 4,
                .max_elements = std::uint64_t{1} << 14};
            auto tests = made.generate(task_, context_);
            if (!tests) continue;
            for (test_case& test : *tests) (void)look(std::move(test));
        }
    }

    void lead(branch_site const& s) {
        // A small one, and one with more elements. Copies: `records_` grows.
        std::vector<record> bases;
        for (record const& r : records_)
            if (seen_at(r.seen, s.at) != nullptr) {
                bool const better =
                    bases.size() == 2 && r.bytes <= medium && bases.back().bytes < r.bytes;
                if (better) bases.pop_back();
                if (bases.size() < 2) bases.push_back(r);
            }
        for (record const& base : bases) {
            left_for_one_ = options_.runs_of_one;
            by_element(s, base);
        }
        left_for_one_ = options_.runs_of_one;
        between_tests(s);
        for (record const& base : bases) {
            left_for_one_ = options_.runs_of_one / 2;
            by_scalar(s, base);
            by_size(s, base);
        }
    }
    [[nodiscard]] bool goes_on(branch_site const& s) const {
        return left() && left_for_one_ > 0 && goals_.open(s);
    }

    using make_test = std::function<std::optional<test_case>(double)>;

    /// What is compared there with `x` in its place.
    std::optional<compared_pair>
    pair_at(branch_site const& s, make_test const& make, double x, bool first) {
        auto test = make(x);
        if (!test) return std::nullopt;
        auto const seen = look(std::move(*test));
        auto const* const c = seen ? seen_at(*seen, s.at) : nullptr;
        if (c == nullptr) return std::nullopt;
        type_ = c->type;
        return first && !c->first.empty() ? c->first.front() : c->nearest;
    }

    /// Secants, to where both operands are equal; then what lies around. False: they do not move.
    bool follow(branch_site const& s,
                make_test const& make,
                double x0,
                compared_pair p0,
                double x1,
                bool first,
                std::function<double(double, int)> const& beside) {
        auto const p1 = pair_at(s, make, x1, first);
        if (!p1) return false;
        double d0 = difference(type_, p0), d1 = difference(type_, *p1);
        double const step = x1 - x0;
        for (int k = 0; k < 12 && goes_on(s) && d1 != d0 && std::isfinite(d1); ++k) {
            double next = x1 - d1 * (x1 - x0) / (d1 - d0);
            if (!std::isfinite(next)) break;
            next = beside(next, 0);
            if (next == x1 || next == x0) break;
            auto const p = pair_at(s, make, next, first);
            if (!p) break;
            x0 = x1, d0 = d1, x1 = next, d1 = difference(type_, *p);
        }
        if (d0 == d1 && x0 + step == x1) return false;
        double const best = std::fabs(d0) < std::fabs(d1) ? x0 : x1;
        for (int const k : {1, -1, 2, -2, 3, -3})
            if (goes_on(s)) (void)pair_at(s, make, beside(best, k), first);
        for (double const far : {step, -step, 16 * step, -16 * step})
            if (goes_on(s)) (void)pair_at(s, make, beside(best + far, 0), first);
        return true;
    }

    void by_element(branch_site const& s, record const& base) {
        comparison_seen const c = *seen_at(base.seen, s.at);
        for (auto const& place : inputs_.places_of(*base.test, suite_.directions, c)) {
            auto const make = [&](double x) { return inputs_.with(*base.test, place, x); };
            for (int const k : {0, 1, -1})
                if (goes_on(s))
                    (void)pair_at(
                        s, make, inputs_.beside(*base.test, place, place.wanted, k), true);
        }
        for (std::size_t k = 0; k < base.test->arguments.size() && goes_on(s); ++k) {
            if (!inputs_.may_change(*base.test, suite_.directions, k)) continue;
            auto const place = what_moves(s, base, c, k);
            if (!place) continue;
            if (is_whole(c.type)) by_bits(s, base, *place);
            for (bool const first : {true, false}) {
                if (!goes_on(s)) return;
                auto const make = [&](double x) { return inputs_.with(*base.test, *place, x); };
                double const x0 = lane_as_double(base.test->arguments[k], place->lane);
                double const x1 = inputs_.other(*base.test, *place);
                (void)follow(
                    s,
                    make,
                    x0,
                    first && !c.first.empty() ? c.first.front() : c.nearest,
                    x1,
                    first,
                    [&](double x, int n) { return inputs_.beside(*base.test, *place, x, n); });
            }
        }
    }

    /// An element of that argument with which the operands move, by halves.
    std::optional<input_place>
    what_moves(branch_site const& s, record const& base, comparison_seen const& c, std::size_t k) {
        std::size_t low = 0, high = base.test->arguments[k].lanes();
        auto const moves = [&](std::size_t from, std::size_t to) {
            auto test = inputs_.with_others(*base.test, k, from, to);
            if (!test) return false;
            auto const seen = look(std::move(*test));
            auto const* const now = seen ? seen_at(*seen, s.at) : nullptr;
            return now != nullptr && (now->nearest != c.nearest || now->first != c.first);
        };
        if (!moves(low, high)) return std::nullopt;
        while (high - low > 1 && goes_on(s)) {
            auto const middle = low + (high - low) / 2;
            if (moves(low, middle))
                high = middle;
            else
                low = middle;
        }
        return input_place{k, low, 0};
    }

    /// Which bits of an element to change, if each bit of the operands is a sum of bits of it.
    void by_bits(branch_site const& s, record const& base, input_place const& place) {
        auto const make_bits = [&](std::uint64_t change) {
            return inputs_.with_bits(*base.test, place, change);
        };
        comparison_seen const c = *seen_at(base.seen, s.at);
        if (c.first.empty()) return;
        std::uint64_t const at_first = c.first.front().left ^ c.first.front().right;
        bit_system system;
        auto const width = 8 * size_of(base.test->arguments[place.argument].type.scalar);
        for (unsigned bit = 0; bit < width && goes_on(s); ++bit) {
            auto test = make_bits(std::uint64_t{1} << bit);
            auto const seen = test ? look(std::move(*test)) : std::nullopt;
            auto const* const now = seen ? seen_at(*seen, s.at) : nullptr;
            if (now == nullptr || now->first.empty()) continue;
            system.add(bit, (now->first.front().left ^ now->first.front().right) ^ at_first);
        }
        if (auto const change = system.solve(at_first))
            if (auto test = make_bits(*change)) (void)look(std::move(*test));
    }

    void by_size(branch_site const& s, record const& base) {
        if (task_.size_constraints.empty()) return;
        for (std::size_t d = 0; d < base.test->size.size() && goes_on(s); ++d) {
            auto const x0 = static_cast<double>(base.test->size[d].second);
            auto const make = [&](double x) { return inputs_.at_extent(base.test->size, d, x); };
            auto const fair = [&](double x, int n) {
                return inputs_.fair_extent(base.test->size, d, std::round(x) + n);
            };
            // Inputs of one stream, so that little else moves.
            auto const p0 = pair_at(s, make, x0, false);
            auto const named = static_cast<double>(task_.size[d].second);
            for (double const x : {2 * x0, x0 + 1, named, 2 * named, named / 2}) {
                double const x1 = fair(x, 0);
                if (!p0 || x1 == x0 || !goes_on(s)) continue;
                if (follow(s, make, x0, *p0, x1, false, fair)) break;
            }
        }
    }

    void by_scalar(branch_site const& s, record const& base) {
        if (base.test->size == task_.size) return; // there they are as the problem has them
        comparison_seen const c = *seen_at(base.seen, s.at);
        for (std::size_t k = 0; k < task_.arguments.size() && goes_on(s); ++k) {
            if (task_.signature.arguments[k].pointer || !fair_scalar(task_, k)) continue;
            input_place const place{k, 0, 0};
            double const x0 = lane_as_double(base.test->arguments[k], 0);
            (void)follow(
                s,
                [&](double x) { return inputs_.with(*base.test, place, x); },
                x0,
                c.nearest,
                inputs_.other(*base.test, place),
                false,
                [&](double x, int n) { return inputs_.beside(*base.test, place, x, n); });
        }
    }

    /// From a test in which one operand is less to one in which it is greater.
    void between_tests(branch_site const& s) {
        std::optional<record> below, above;
        auto const copies = records_; // grows
        for (record const& a : copies)
            for (record const& b : copies) {
                auto const *const ca = seen_at(a.seen, s.at), *const cb = seen_at(b.seen, s.at);
                if (below || ca == nullptr || cb == nullptr || a.test->size != b.test->size)
                    continue;
                if (difference(ca->type, ca->nearest) < 0 && difference(cb->type, cb->nearest) > 0)
                    below = a, above = b;
            }
        if (!below || !goes_on(s)) return;
        double low = 0, high = 0; // lanes from `above`
        for (argument_data const& a : below->test->arguments)
            if (a.buffer) high = std::max(high, static_cast<double>(a.lanes()));
        auto const all = high;
        auto const make = [&](double x) {
            return inputs_.mixed(*below->test, *above->test, suite_.directions, x / all);
        };
        while (high - low > 1 && goes_on(s)) {
            double const middle = std::floor((low + high) / 2);
            auto const p = pair_at(s, make, middle, false);
            if (!p) return;
            double const d = difference(type_, *p);
            if (d == 0) return;
            (d < 0 ? low : high) = middle;
        }
    }

    std::set<std::uint64_t> met_;             ///< bits of numbers: 0 has two signs
    operand_type type_ = operand_type::steps; ///< of the last pair
};

} // namespace detail

std::string to_string(branch_coverage const& seen) {
    if (!seen.unknown.empty()) return seen.unknown;
    auto const all = std::to_string(seen.branches);
    if (seen.unreached.empty())
        return seen.branches == 0 ? "the text has no branches" : "all " + all + " were reached";
    std::string text =
        std::to_string(seen.unreached.size()) + " of " + all +
        (seen.unwatched == 0 ? " were reached by no test: "
                             : " were reached by no test of those that were watched (" +
                                   std::to_string(seen.unwatched) + " larger ones were not): ");
    constexpr std::size_t most = 8;
    std::size_t told = 0;
    for (std::size_t k = 0; k < seen.unreached.size(); ++k) {
        unreached_branch const& one = seen.unreached[k];
        if (k > 0 && seen.unreached[k - 1].line == one.line) continue;
        if (++told > most) {
            text += ", ...";
            break;
        }
        text += (told > 1 ? ", line " : "line ") + std::to_string(one.line);
        if (one.in_original) text += " (as the original has it)";
    }
    return text;
}

std::string own_unreached(branch_coverage const& seen) {
    constexpr std::size_t most = 4; // lines
    constexpr std::size_t longest = 60;
    std::string text;
    std::set<int> lines;
    for (unreached_branch const& one : seen.unreached) {
        if (one.in_original || !lines.insert(one.line).second || lines.size() > most) continue;
        std::string const none =
            seen.unwatched == 0 ? "no test reaches a branch of line "
                                : "no test that was watched (" + std::to_string(seen.unwatched) +
                                      " larger ones were not) reaches a branch of line ";
        text += (text.empty() ? none : ", of line ") + std::to_string(one.line) + " (" +
                in_backticks(trimmed(one.text), longest) + ")";
    }
    return lines.size() > most ? text + ", ..." : text;
}

result<exploration> explore_branches(gpu_ref backend,
                                     watched_kernel const& kernel,
                                     problem const& task,
                                     test_suite const& suite,
                                     call_context const& context,
                                     exploration_options const& options) {
    if (kernel.compiled.branches == nullptr) return exploration{};
    return detail::branch_explorer(backend, kernel, task, suite, context, options).run();
}

} // namespace lkt
