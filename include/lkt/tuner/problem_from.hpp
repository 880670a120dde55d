// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/nodes/declaration.hpp>

#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// What a kernel's text does not say. Amounts and extents are expressions over the sizes.
struct kernel_options {
    std::string kernel;                      ///< name; empty when the text defines one only
    problem_size size;                       ///< the timed one: `{{"N", 256}}`
    std::vector<problem_size> further_sizes; ///< verified too
    /// Elements of each buffer, value of each scalar: `{{"A", "N * N"}}`. A buffer may add how it
    /// is filled and which way it flows: `N * N:uniform(0,1):inout`, where the fill is
    /// `uniform(LOW,HIGH)`, `normal(MEAN,STDDEV)`, `constant(VALUE)` or `indices(BELOW)`. A scalar
    /// that is called like a size needs no entry.
    std::vector<std::pair<std::string, std::string>> arguments;
    std::vector<tunable_parameter> parameters; ///< `{{"BLOCK", {8, 16}}}`; the first is the default
    std::vector<std::string> restrictions;     ///< expressions that a configuration must fulfil
    std::vector<std::string> grid;             ///< blocks along x, y, z; what is missing is 1
    std::vector<std::string> block;            ///< threads of a block, likewise
    std::string shared_bytes;                  ///< empty: 0
    std::string flops; ///< of a launch, over the sizes, and their type after a colon:
                       ///< `2*M*N*K:float16`
    std::string notes; ///< for the model
};

/// The problem that `source` solves. Errors say what to add: a kernel that is not found or one of
/// several, an argument without a size, an expression that does not parse.
[[nodiscard]] result<problem> problem_from(kernel_source source, kernel_options const& o);

/// The same where a model is asked for the rest (`declare_tests`): without sizes these are open,
/// and so is each argument without an entry; the launch follows from open sizes.
[[nodiscard]] result<problem_draft> draft_from(kernel_source source, kernel_options o);

} // namespace lkt
