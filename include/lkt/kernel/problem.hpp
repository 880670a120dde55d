// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument.hpp>
#include <lkt/kernel/expression.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/parameters.hpp>
#include <lkt/kernel/source.hpp>

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
using distribution = std::variant<uniform, normal, constant, indices>;

/// Absolute and relative bound on `|got - expected| <= absolute + relative * |expected|`.
struct tolerance {
    double relative = 0, absolute = 0;
    friend bool operator==(tolerance, tolerance) = default;
};

/// What is known of one argument beyond its declaration.
struct argument_spec {
    expression value{0}; ///< of a scalar argument
    bool random = false; ///< a scalar that is drawn from `fill` instead
    expression count{0}; ///< of a buffer: elements, at each problem size
    lkt::distribution fill = uniform{};
    std::optional<lkt::tolerance> bound; ///< of an output; by its type where absent
    std::optional<direction> flow;       ///< overrides what the text shows

    friend bool operator==(argument_spec const&, argument_spec const&) = default;
};

/// A problem, independent of the kernel that solves it: what the arguments are, how large they
/// are, how a launch follows from the size, what may be tuned, and which kernel says what is right.
struct problem {
    kernel_source reference;
    lkt::signature signature;
    std::vector<argument_spec> arguments; ///< one for each of the signature's, in its order
    problem_size size;                    ///< the timed one
    std::vector<problem_size> further_sizes;
    std::vector<tunable_parameter> parameters;
    std::vector<expression> restrictions;
    launch_formula launch;
    std::vector<std::string> compiler_options;
    std::string notes; ///< for people, and for the model

    [[nodiscard]] direction flow(std::size_t argument) const {
        return arguments[argument].flow.value_or(signature.arguments[argument].flow);
    }
    friend bool operator==(problem const&, problem const&) = default;
};

/// The names and values that expressions see.
[[nodiscard]] expression_scope scope_of(problem_size const& size, configuration const& config);

} // namespace lkt
