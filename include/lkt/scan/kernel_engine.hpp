// SPDX-License-Identifier: BSL-1.0
// One's own kernel as an engine, so that it stands beside those of libraries in one table.
#pragma once

#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/scan/scan_engine.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lkt {

/// Which kernel, and how it is measured.
struct kernel_engine_options {
    problem task;                                    ///< its kernel computes one operation
    scan_operation operation = scan_operation::gemm; ///< that it computes
    std::optional<candidate> kernel =
        {};                          ///< another kernel for the same; absent: the problem's own
    std::string name = "kernel";     ///< of the engine in a table
    std::size_t configurations = 64; ///< of its tunable parameters, the default one first
    scan_settings settings{};        ///< warm-ups, iterations, verification, time limit
    std::uint64_t seed = 1;          ///< of the inputs
};

/// Measures a kernel on any back end: each configuration of its tunable parameters is an instance.
/// The problem's inputs are, in their order: A and B, and the bias of an epilogue that has one; the
/// images and the filters; the arrays. It
/// has one output. Extents: of a product, which of three are M, N and K follows from how many
/// elements the buffers have; those of a convolution have the names of `convolution_spec::extents`
/// (`lkt.size_names`), or are these in their order, and what has no extent is part of the kernel;
/// an element-wise problem has one. Buffers have the kernel's types and as many elements as the
/// spec says; whether they lie in memory as its layouts say is seen when the result is compared
/// with the operation in double precision. Launches follow one another without emptying caches, as
/// libraries are measured; the time is the median of single launches.
class kernel_engine {
public:
    /// Errors (rejected): `lkt.scan.kernel`, the problem's buffers or extents are not those of the
    /// operation.
    [[nodiscard]] static result<kernel_engine> make(gpu_ref gpu, kernel_engine_options options);

    [[nodiscard]] std::string_view name() const { return options_.name; }
    /// Of the inputs, but of a bias.
    [[nodiscard]] gemm_type type() const { return types_.front(); }
    [[nodiscard]] gemm_type output() const { return output_type_; }
    /// Other operations, types other than the kernel's, batches, factors, gaps, buffers of another
    /// length, and extents that the problem excludes.
    [[nodiscard]] std::string refuses(scan_spec const& spec) const;
    /// The settings name the kernel by a digest of its text and of all that it is compiled with.
    /// Errors: of the back end.
    [[nodiscard]] result<scan_setup> setup(call_context const& context = {}) const;
    /// A configuration that does not compile or run is told, and counted as unsupported. Errors:
    /// `lkt.scan.refused` (rejected); of the back end; of this product `lkt.scan.memory`,
    /// `lkt.scan.kernel-failed` (no configuration runs).
    [[nodiscard]] result<scanned_product> measure(scan_spec const& spec,
                                                  call_context const& context = {});

private:
    kernel_engine(gpu_ref gpu, kernel_engine_options options)
        : gpu_(gpu), options_(std::move(options)) {}
    [[nodiscard]] problem_size size_of(scan_spec const& spec) const;
    [[nodiscard]] candidate const& kernel() const { return *options_.kernel; }

    gpu_ref gpu_;
    kernel_engine_options options_;
    [[nodiscard]] result<void> bind_extents();

    std::vector<std::size_t> inputs_;  ///< the arguments that are read
    std::size_t output_ = 0;           ///< and the one that is written
    std::vector<std::size_t> extents_; ///< which of the spec's extents each of the problem's is
    std::vector<gemm_type> types_;     ///< of the inputs
    gemm_type output_type_ = gemm_type::f32;
};
static_assert(scan_engine<kernel_engine>);

} // namespace lkt
