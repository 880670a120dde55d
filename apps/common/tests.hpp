// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/problem_tests.hpp>
#include <lkt/verify/script_tests.hpp>
#include <lkt/verify/suite.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lkt_apps {

/// A script that the user names is his own test, which comes before what lkt makes up.
struct users_script : lkt::script_tests {
    static constexpr bool user_supplied = true;
};

/// What these programs test with: all that the problem gives rise to, and what scripts make.
struct chosen_tests {
    std::optional<users_script> script;
    lkt::problem_tests rest;
    std::optional<lkt::script_tests> models; ///< a script that a model wrote; its tests come last

    [[nodiscard]] lkt::result<std::vector<lkt::test_case>>
    generate(lkt::problem const& task, lkt::call_context const& context) const;
};

inline constexpr char const* oracle_help =
    "problem file of another kernel, whose outputs are the expected ones";
inline constexpr char const* script_help =
    "Python file with generate(sizes, rng): further tests, with NumPy";

inline constexpr char const* test_memory_help =
    "for the arguments of one test; 0: an eighth of this machine's memory, at least 4";

/// What is wrong with a limit of so many seconds.
[[nodiscard]] std::optional<lkt::error>
limit_fault(std::string code, char const* option, double seconds, bool may_be_0);
/// What is wrong with a --test-memory of so much.
[[nodiscard]] std::optional<lkt::error> test_memory_fault(std::string code, double gib);

/// What `test_memory_help` says of a --test-memory of so much.
[[nodiscard]] lkt::bytes memory_for_a_test(double gib);

/// `script_file` may be empty; `memory` is for the arguments of one test. Errors: the script cannot
/// be read.
[[nodiscard]] lkt::result<chosen_tests>
make_tests(std::string const& script_file, std::uint64_t seed, lkt::bytes memory);

/// What the kernel of another problem file computes on `tests`: on `gpu`, the device of `task`,
/// where both are in one language; else CUDA runs on the host, WGSL on any WebGPU device. Nothing
/// where `oracle_file` is empty.
[[nodiscard]] lkt::result<std::optional<lkt::test_suite>>
tests_of_oracle(std::string const& oracle_file,
                lkt::problem const& task,
                chosen_tests const& tests,
                std::uint64_t seed,
                lkt::any_gpu_backend& gpu,
                lkt::call_context const& context);

} // namespace lkt_apps
