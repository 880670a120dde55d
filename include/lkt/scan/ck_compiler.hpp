// SPDX-License-Identifier: BSL-1.0
// Compiles instances of Composable Kernel for AMD's GPUs; no GPU is needed.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/quantity.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/code_object.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace lkt {

/// How instances are compiled.
struct ck_compiler_options {
    /// A clang++ that compiles HIP. Empty: that of ROCM_PATH, /opt/rocm or /opt/rocm-*, else
    /// amdclang++ or clang++ from PATH.
    std::string compiler{};
    /// The folder that has `ck/ck.hpp` and the `ck/config.h` that an installation of Composable
    /// Kernel makes. Empty: `include` of the same folders, else /usr/include.
    std::string include{};
    std::string architecture = "gfx942";           ///< of the GPU
    std::vector<std::string> arguments{};          ///< more of the compiler's
    std::chrono::milliseconds time_limit{600'000}; ///< of one compilation
};

/// What became of a text.
struct ck_build {
    std::string refused{}; ///< the compiler's first error; empty: it compiles
    /// Of the device operation: with and without a main loop, for each tail of K, ...
    std::vector<code_object_kernel> kernels{};
    seconds took{0};
};

/// Fills in what is empty. Errors: `lkt.scan.ck-compiler` (unavailable) says what is missing.
[[nodiscard]] result<ck_compiler_options> find_ck_compiler(ck_compiler_options options = {});

/// Compiles a text of `ck_source` for the device alone, in a child process, with options of
/// `find_ck_compiler`. Nothing is linked and nothing runs; whether an instance computes a product,
/// and what is right, is not asked. Takes 5 to 60 s. Errors: `lkt.scan.ck-compiler` (unavailable)
/// if the compiler does not start, `lkt.scan.ck-time-limit` (transient), and those of `run_child`.
[[nodiscard]] result<ck_build> compile_ck(std::string const& source,
                                          ck_compiler_options const& options,
                                          call_context const& context = {});

} // namespace lkt
