// SPDX-License-Identifier: BSL-1.0
// One's own kernel as an engine, so that it stands beside those of libraries in one table.
#pragma once

#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/scan/scan_engine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lkt {

/// Which kernel, and how it is measured.
struct kernel_engine_options {
    problem task; ///< its kernel computes C = A B
    std::optional<candidate> kernel =
        {};                          ///< another kernel for the same; absent: the problem's own
    std::string name = "kernel";     ///< of the engine in a table
    std::size_t configurations = 64; ///< of its tunable parameters, the default one first
    scan_settings settings{};        ///< warm-ups, iterations, verification, time limit
    std::uint64_t seed = 1;          ///< of the matrices
};

/// Measures a kernel on any back end: each configuration of its tunable parameters is an instance.
/// Of the problem's buffers the first input is A, the second is B, and the output is C; which of
/// its three extents are M, N and K follows from how many elements these have. A, B and C have the
/// kernel's types; whether they lie in memory as the product's layouts say is seen when the result
/// is compared with products in double precision. Launches follow one another without emptying
/// caches, as libraries are measured; the time is the median of single launches.
class kernel_engine {
public:
    /// Errors (rejected): `lkt.scan.kernel`, the problem's buffers are not those of a product.
    [[nodiscard]] static result<kernel_engine> make(gpu_ref gpu, kernel_engine_options options);

    [[nodiscard]] std::string_view name() const { return options_.name; }
    /// Of A and B, and of C.
    [[nodiscard]] gemm_type type() const { return types_[0]; }
    [[nodiscard]] gemm_type output() const { return types_[2]; }
    /// Types other than the kernel's, batches, factors, gaps, and extents that the problem
    /// excludes.
    [[nodiscard]] std::string refuses(gemm_spec const& spec) const;
    /// The settings name the kernel by a digest of its text and of all that it is compiled with.
    /// Errors: of the back end.
    [[nodiscard]] result<scan_setup> setup(call_context const& context = {}) const;
    /// A configuration that does not compile or run is told, and counted as unsupported. Errors:
    /// `lkt.scan.refused` (rejected); of the back end; of this product `lkt.scan.memory`,
    /// `lkt.scan.kernel-failed` (no configuration runs).
    [[nodiscard]] result<scanned_product> measure(gemm_spec const& spec,
                                                  call_context const& context = {});

private:
    kernel_engine(gpu_ref gpu, kernel_engine_options options)
        : gpu_(gpu), options_(std::move(options)) {}
    [[nodiscard]] problem_size size_of(gemm_spec const& spec) const;
    [[nodiscard]] candidate const& kernel() const { return *options_.kernel; }

    gpu_ref gpu_;
    kernel_engine_options options_;
    std::array<std::size_t, 3> buffers_{}; ///< the arguments that are A, B and C
    std::array<std::size_t, 3> extents_{}; ///< the extents that are M, N and K
    std::array<gemm_type, 3> types_{};
};
static_assert(scan_engine<kernel_engine>);

} // namespace lkt
