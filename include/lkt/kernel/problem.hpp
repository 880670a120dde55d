// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/peaks.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

/// Named extents in order: `N=256`. `ProblemSize[k]` is the k-th.
using problem_size = std::vector<std::pair<std::string, std::int64_t>>;

// How the elements of an input are drawn. Integers are drawn between the rounded bounds.
struct uniform {
    double low = -1, high = 1;
    friend bool operator==(uniform, uniform) = default;
};
struct normal {
    double mean = 0, stddev = 1;
    friend bool operator==(normal, normal) = default;
};
struct constant {
    double value = 0;
    friend bool operator==(constant, constant) = default;
};
/// Integers from 0 to `below` - 1.
struct indices {
    expression below{1};
    friend bool operator==(indices const&, indices const&) = default;
};
/// All 0 except a share `fraction` of the elements, which are uniform between -1 and 1.
struct sparse {
    double fraction = 0.1;
    friend bool operator==(sparse, sparse) = default;
};
/// All 0 except one element at a random place, which is 1.
struct one_hot {
    friend bool operator==(one_hot, one_hot) = default;
};
/// `high` at a drawn share of the places, `low` elsewhere: one element decides a maximum.
struct spikes {
    double low = -1, high = 1;
    double fraction = 0.03;
    friend bool operator==(spikes, spikes) = default;
};
/// 1, -1, 1, -1, ...
struct alternating {
    friend bool operator==(alternating, alternating) = default;
};
/// The bounds of the argument's domain, and the values nearest to 0: large, small, positive,
/// negative.
struct extremes {
    friend bool operator==(extremes, extremes) = default;
};
/// 0 to n - 1 in a drawn order.
struct permutation {
    friend bool operator==(permutation, permutation) = default;
};
/// Uniform over the argument's domain ([0, 1] without one), in ascending order.
struct ascending {
    friend bool operator==(ascending, ascending) = default;
};
/// Pairs of +v and -v, v up to `magnitude`, in a drawn order among values between the residuals:
/// sums of them lose what is not accumulated with care.
struct cancellation {
    double magnitude = 1e4;
    double residual_low = -1, residual_high = 1;
    friend bool operator==(cancellation, cancellation) = default;
};
using distribution = std::variant<uniform,
                                  normal,
                                  constant,
                                  indices,
                                  sparse,
                                  one_hot,
                                  spikes,
                                  alternating,
                                  extremes,
                                  permutation,
                                  ascending,
                                  cancellation>;

/// Values that need an answer of their own.
enum class special_value : unsigned char { nan, infinity, minus_infinity, minus_zero, denormal };

/// How one argument of a declared test is filled: a distribution, with special values strewn in.
struct declared_fill {
    distribution fill;
    std::vector<special_value> inject;
    double fraction = 0.01; ///< of the elements that are injected ones, one at least
    friend bool operator==(declared_fill const&, declared_fill const&) = default;
};

/// A test that is described rather than computed; arguments that it does not name are filled as
/// their `argument_spec` says.
struct declared_test {
    std::string name;
    std::vector<std::pair<std::size_t, declared_fill>> arguments; ///< by position
    friend bool operator==(declared_test const&, declared_test const&) = default;
};

/// Absolute and relative bound on `|got - expected| <= absolute + relative * |expected|`, which a
/// `share` of the elements may break: for outputs that jump, where inputs are nearly at the edge.
struct tolerance {
    double relative = 0, absolute = 0;
    double share = 0;
    friend bool operator==(tolerance, tolerance) = default;
};

/// The properties of one argument beyond its declaration.
struct argument_spec {
    expression value{0}; ///< of a scalar argument
    bool random = false; ///< a scalar that is drawn from `fill` instead
    expression count{0}; ///< of a buffer: elements, at each problem size
    lkt::distribution fill;
    std::optional<lkt::tolerance> bound; ///< of an output; by its type where absent
    std::optional<direction> flow;       ///< overrides what the text shows
    /// Undefined before and after a launch: filled with a pattern, never compared.
    bool scratch = false;
    /// Bounds of all inputs. Without them, values that `fill` draws are valid, and with the default
    /// `fill` any finite value; infinite bounds make any value valid, whichever `fill` is set.
    std::optional<double> min, max;

    friend bool operator==(argument_spec const&, argument_spec const&) = default;
};

/// What a kernel promises beyond its values, and what its outputs are worth. The defaults promise
/// nothing and allow what every kernel may do.
struct kernel_properties {
    enum class atomic_use : unsigned char { unspecified, none, integer, floating };

    bool deterministic = false; ///< the same launch twice must give the same bits
    atomic_use atomics = atomic_use::unspecified;
    bool fast_math = false;   ///< fast intrinsics and flushed denormals are allowed
    bool propagates = false;  ///< NaN and infinity are judged; else wherever they come up is open
    bool compensated = false; ///< sums are as accurate as with compensation
    /// Outputs that may share their memory with inputs.
    std::vector<std::size_t> in_place;
    /// Sets of arguments in which the outputs are linear together, the others being fixed.
    std::vector<std::vector<std::size_t>> linear;
    /// Arguments whose elements may be permuted, all in the same way, without any effect on the
    /// outputs.
    std::vector<std::size_t> permutation_invariant;

    friend bool operator==(kernel_properties const&, kernel_properties const&) = default;
};

/// Where the expected outputs come from, if not from the original kernel.
struct oracle_source {
    enum class kind : unsigned char { numpy, torch, recorded };
    kind from = kind::numpy;
    std::string path;     ///< of a Python file, or of the folder with recorded outputs
    std::string function; ///< in the Python file
    std::string text{};   ///< of the Python file, where it is known already: `path` is not read
    friend bool operator==(oracle_source const&, oracle_source const&) = default;
};

/// What a launch has to do at a problem size, however it is written: the roof of every kernel that
/// solves the problem.
struct work_spec {
    /// An addition is one, a fused multiply-add two; 0: none that a peak is measured for.
    std::optional<expression> operations;
    /// Read from and written to the device's memory; absent: every input once and every output once
    std::optional<expression> bytes;
    /// Absent: of the narrowest floating-point type among the buffers that are read.
    std::optional<arithmetic> type;
    friend bool operator==(work_spec const&, work_spec const&) = default;
};

/// What became of a kernel for another operation, which whoever writes the first one is shown.
struct kernel_example {
    std::string operation;
    std::string text; ///< of a kernel that passed every check; empty: it was rejected
    std::string why;  ///< of a rejected one
    friend bool operator==(kernel_example const&, kernel_example const&) = default;
};

/// A problem, independent of the kernel that solves it: what the arguments are, how large they are,
/// how a launch follows from the size, what may be tuned, and the reference kernel.
struct problem {
    kernel_source reference;
    lkt::signature signature;
    std::vector<argument_spec> arguments; ///< one for each of the signature's, in its order
    problem_size size;                    ///< the timed one
    std::vector<problem_size> further_sizes;
    /// Any size that meets all of these is fair to test; none: only the sizes above.
    std::vector<expression> size_constraints;
    std::vector<tunable_parameter> parameters;
    std::vector<expression> restrictions;
    launch_formula launch;
    std::vector<std::string> compiler_options;
    std::vector<declared_test> tests; ///< on top of those that follow from the rest
    kernel_properties properties;
    std::optional<oracle_source> oracle; ///< absent: the reference kernel says what is right
    work_spec work;
    std::string notes; ///< for people, and for the model
    /// There is no kernel yet: the reference declares one, and the oracle says what it computes.
    bool unwritten = false;
    std::vector<kernel_example> examples; ///< for who writes it; see `examples_for`

    /// What is journalled: all of it.
    using state_fields = fields<&problem::reference,
                                &problem::signature,
                                &problem::arguments,
                                &problem::size,
                                &problem::further_sizes,
                                &problem::size_constraints,
                                &problem::parameters,
                                &problem::restrictions,
                                &problem::launch,
                                &problem::compiler_options,
                                &problem::tests,
                                &problem::properties,
                                &problem::oracle,
                                &problem::work,
                                &problem::notes,
                                &problem::unwritten,
                                &problem::examples>;

    // Defined in one place, so that who includes this need not compile it.
    problem();
    problem(problem const&);
    problem(problem&&) noexcept;
    problem& operator=(problem const&);
    problem& operator=(problem&&) noexcept;
    ~problem();

    [[nodiscard]] direction flow(std::size_t argument) const;
    friend bool operator==(problem const&, problem const&);
};

/// The names and values that expressions see.
[[nodiscard]] expression_scope scope_of(problem_size const& size, configuration const& config);

} // namespace lkt
