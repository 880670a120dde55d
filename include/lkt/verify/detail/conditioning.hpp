// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/sound_tests.hpp>
#include <lkt/verify/suite.hpp>
#include <lkt/verify/test_generator.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt::detail::soundness {

/// Whether nobody asked for the test, and it is not the timed one.
[[nodiscard]] inline bool chosen_by_lkt(test_suite const& suite, std::size_t number) {
    return number > 0 && suite.tests[number].test.origin != test_origin::asked;
}
/// The floating type of which a unit in the last place is what rounding makes of an input.
[[nodiscard]] scalar_type moving_type(problem const& task);
/// Whether an argument of a test moves at all.
[[nodiscard]] bool moves(problem const& task, test_case const& test, std::size_t argument);
/// `moved_by_units` in float64.
[[nodiscard]] test_case moved_wide(problem const& task,
                                   test_case const& test,
                                   std::uint64_t units,
                                   std::uint64_t seed,
                                   std::uint32_t t,
                                   moving_style const& how);

/// Whether an output is known in float64.
[[nodiscard]] bool known_exactly(prepared_test const& t);

/// Where a test's numbers happen to be exact (a constant row, small whole numbers), or few elements
/// are small, the original's own error there says little of what another kernel may round. So it
/// is measured at two inputs nearby, too, beside its version in float64: elements that are off
/// there by more than a quarter of their bound are not judged, and limits of small elements allow
/// for it. Only tests that lkt chose change, of outputs without a bound of the user's.
/// Errors: `cancelled`, or the back end's. Cost: three compilations, eight launches a test at most.
[[nodiscard]] result<void> allow_own_rounding(gpu_ref backend,
                                              problem const& task,
                                              test_suite& suite,
                                              call_context const& context,
                                              soundness_options const& options);

/// Tensor cores take both factors of a product in the type of the arguments, so whoever uses them
/// rounds what is computed once before it is multiplied by an element of a narrow argument (the
/// weights of a softmax, what an activation makes of a first product). What the original's version
/// in float64 makes of such factors says how much that is: bounds of outputs that are as narrow
/// allow for as much, single elements and all together, and for twice as much among small elements.
/// A sum that is rounded at each step, or what is multiplied by itself, has no such allowance.
/// Bounds of the user's stay. Errors: `cancelled`. Cost: a compilation, and ten
/// launches a test, if the problem has narrow inputs and outputs.
[[nodiscard]] result<void> allow_rounded_factors(gpu_ref backend,
                                                 problem const& task,
                                                 test_suite& suite,
                                                 call_context const& context,
                                                 soundness_options const& options);

/// The original, compiled once more, on inputs that are next to those of a test.
struct conditioning {
    gpu_ref backend;
    compiled_kernel const& kernel;
    /// The original's version in float64, of which `kernel` is, where its inputs are so narrow that
    /// a unit of them is no rounding error; null: `kernel` is of `task`.
    problem const* wide;
    problem const& task;
    test_suite& suite;
    call_context const& context;
    soundness_options const& options;
    /// Nothing is summed, so nothing grows with the number of terms (`only_copies`).
    bool copies;

    /// Widens the bounds of a test by what the original moves, and leaves out elements that move
    /// further. What to say of the original where neither will do; empty where it will.
    [[nodiscard]] result<std::string> fit(std::size_t number) const;

private:
    /// How inputs of a test move, in the directions that `draw` names.
    struct move {
        std::uint32_t draw = 0;
        moving_style how{};
    };
    /// The original's launches beside a test.
    [[nodiscard]] std::vector<result<run_outcome>> beside(std::size_t number,
                                                          std::span<move const> moves) const;
    /// The test in float64, moved by units of float32, in which a kernel computes with narrow
    /// numbers; at once by as many as sums may have in common, since a small move is lost in a
    /// narrow output.
    [[nodiscard]] test_case
    moved_beside(prepared_test const& t, std::uint32_t stream, moving_style how) const;
    /// What the version in float64 is moved by, added to what is expected: an integer that moves is
    /// another one then.
    [[nodiscard]] run_outcome narrowed(prepared_test const& t, run_outcome const& ran) const;
    /// Small elements have bounds of their own. One run says little of them where a few terms
    /// cancel: both may move by the same. Whether a test has such elements, and there is time.
    [[nodiscard]] bool looks_again(std::size_t number) const;
    /// The further moves that it takes.
    [[nodiscard]] std::vector<move> more_moves() const;
    /// Raises the limits of small elements by what these runs moved.
    [[nodiscard]] result<void> look_again(std::size_t number,
                                          std::span<result<run_outcome> const> runs) const;

    [[nodiscard]] std::uint32_t units_of(prepared_test const& t) const {
        return plain_copies(t) ? 1 : units_to_move(task, t);
    }
    /// Inputs of the menu have ties and zeros, which do not move by units: there a rewrite may take
    /// another one of equal numbers than the original does.
    [[nodiscard]] bool plain_copies(prepared_test const& t) const {
        return copies && t.test.origin == test_origin::hidden_size;
    }
    /// What probe `probe` moves; 0 is that of one unit.
    [[nodiscard]] move move_of(int probe) const;
    /// The launches of the probes from `first` on that are made at once, at most `most`.
    [[nodiscard]] std::deque<result<run_outcome>>
    probed(std::size_t number, int first, std::size_t most) const;
    /// How many times the units of probe 0 the inputs of a probe move, at most.
    [[nodiscard]] unsigned farthest(int probe) const;
    /// Whether there is time to look for elements that move. Where floats decide integers, the runs
    /// that are always made are what counts: a busy machine must not turn into a false alarm.
    [[nodiscard]] bool affordable(std::size_t number) const {
        int const runs = decides(task) ? least_runs : options.probes;
        return runs * suite.tests[number].reference_time <= options.probing;
    }
    static constexpr int least_runs = 8; ///< where floats decide integers
    /// Probes before it is known whether more elements move in each.
    [[nodiscard]] static std::size_t least_of(problem const& task) {
        return decides(task) ? least_runs : 5;
    }
    [[nodiscard]] bool chosen(std::size_t number) const { return chosen_by_lkt(suite, number); }
    /// Leaves out the elements that move, and takes what is expected of them into `outputs`, the
    /// first probe's. False: there is no end to them, and all are judged.
    [[nodiscard]] result<bool> leave_out(std::size_t number,
                                         std::vector<argument_data>& outputs) const;
    /// Whether what the original makes of inputs nearby is finite as well, and far from overflow.
    void keep_finite(prepared_test& t, std::vector<argument_data> const& outputs) const;
    /// Integers that are others in float64, where most are the same: rounding decided them.
    void leave_out_rounded(prepared_test& t) const;
    /// False where a comparator judges, or the output as a whole moves.
    [[nodiscard]] bool leave_out_of(prepared_test& t,
                                    std::size_t p,
                                    std::size_t k,
                                    argument_data const& got,
                                    unsigned farthest) const;
    /// Whether more runs would find hardly any more. `marked`: how many there were after each.
    [[nodiscard]] bool settled(std::vector<std::uint64_t> const& marked) const;

    // What bounds become, in widened_bounds.ipp.

    /// Rounding in a sum of K terms may be the root of K times what it is in one, and all that the
    /// sum goes into have it in common. The number of units has the terms that sizes tell; where an
    /// output is as large as its inputs (a norm of each row), they may be as many as the longest
    /// extent. Inputs of the menu have so much in common (equal rows, ties, equal steps) that what
    /// sums of them round adds up: K times as much. This matters where the sum's digits are lost
    /// afterwards, that is, where moves come near the bounds.
    [[nodiscard]] double growth_of_sums(prepared_test const& t) const;
    [[nodiscard]] double shared_by(prepared_test const& t) const {
        return wide == nullptr ? growth_of_sums(t) : 1;
    }
    /// An honest rewrite may be off by this times what the original moves by: a running mean rounds
    /// more than a sum does.
    static constexpr double margin = 4;
    /// `margin` times by how many times its bound a lane moves.
    [[nodiscard]] static double times_of_bound(prepared_test const& t,
                                               std::size_t p,
                                               std::size_t lane,
                                               argument_data const& got);
    /// What moves too far; empty where bounds allow for all that does.
    [[nodiscard]] std::string widen(prepared_test& t,
                                    std::vector<argument_data> const& outputs) const;
    /// All elements may be small beside what they are made of (`1 + tanh(x)` near -1), and then
    /// their errors are not. Where the output is known in float64, what the original itself is off
    /// by has said so.
    void allow_rounding_inside(prepared_test& t, std::size_t p, std::size_t k) const;

    struct widening {
        double element = 1, rms = 1, bias = 1;
        [[nodiscard]] double largest() const { return std::max({element, rms, bias}); }
    };
    [[nodiscard]] bool judged_by_comparator(std::size_t k) const;
    [[nodiscard]] bool by_default(prepared_test const& t, std::size_t p, std::size_t k) const;
    /// What may be rounded inside a kernel: eight units in the last place of the largest number
    /// that is read or written, which grow with the length of sums.
    [[nodiscard]] double rounding_inside(prepared_test const& t, std::size_t p) const;
    /// By how much the bounds of output `p`, argument `k`, have to widen, so that it moves by a
    /// part of them.
    [[nodiscard]] widening
    wanted(prepared_test& t, std::size_t p, std::size_t k, argument_data const& got) const;
    /// What is wrong with an output by bounds that are narrower by `margin`.
    [[nodiscard]] std::optional<mismatch>
    judge_narrowly(prepared_test& t, std::size_t p, argument_data const& got) const;
    [[nodiscard]] std::string
    moving(prepared_test& t, std::size_t p, std::size_t k, argument_data const& got) const;
};

} // namespace lkt::detail::soundness
