// SPDX-License-Identifier: BSL-1.0
// What a browser is told of kernels and tests, and how its outputs are judged.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/webgpu/device_service.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/suite.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt_verify {

/// A kernel for a browser, in one configuration.
struct browser_kernel {
    std::string file;
    bool original = false;
    std::string text;
    lkt::configuration config;
    std::optional<lkt::failure> refused; ///< before a browser sees it; the rest is empty then
    std::vector<std::string> features;   ///< of WebGPU that its text enables
    lkt::webgpu_detail::wgsl_program program;
    std::vector<lkt::dim3> grids; ///< one for each test
    lkt::signature declared;      ///< as its own text has it
};

/// A candidate in its first configuration, as `lkt-verify` would launch it.
[[nodiscard]] browser_kernel browser_kernel_of(lkt::problem const& task,
                                               lkt::test_suite const& suite,
                                               lkt::candidate const& kernel,
                                               std::string file);

/// Kernels and tests as JSON for the page; `rounds` of timed launches. Contents of buffers are not
/// in it, see `argument_bytes`. Refused kernels have no `program`.
[[nodiscard]] boost::json::object job_json(lkt::problem const& task,
                                           lkt::test_suite const& suite,
                                           std::vector<browser_kernel> const& kernels,
                                           int rounds);

/// What a test's buffer starts from; empty where there is no such buffer, or nothing is read of it.
[[nodiscard]] std::string_view
argument_bytes(lkt::test_suite const& suite, std::size_t test, std::size_t argument);

/// Bytes of all outputs of a test, one after the other, as a browser sends them.
[[nodiscard]] std::uint64_t output_bytes(lkt::test_suite const& suite, std::size_t test);

/// What is wrong with these outputs, by all that `lkt-verify` judges outputs by; nothing if they
/// are right. `outputs` has as many bytes as it should. `timed`: they are those of a timed launch.
[[nodiscard]] std::optional<lkt::failure> judge_outputs(lkt::problem const& task,
                                                        lkt::test_suite const& suite,
                                                        browser_kernel const& kernel,
                                                        std::size_t test,
                                                        std::string_view outputs,
                                                        bool timed);

} // namespace lkt_verify
