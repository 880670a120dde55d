// SPDX-License-Identifier: BSL-1.0
// How the peaks of a device are measured, calculated and kept.
#pragma once

#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/device_service.hpp>
#include <lkt/kernel/peaks.hpp>

#include <cstdint>
#include <optional>

namespace lkt::cuda_detail {

inline constexpr std::int64_t peaks_age = 24 * 60 * 60; ///< seconds, for which they are believed

/// Nothing where they were not kept for this device and driver, are damaged, older than a day, or
/// from the future.
[[nodiscard]] std::optional<device_peaks>
kept_peaks(gpu_detail::compile_cache& cache, device_facts const& facts, std::int64_t now);
void keep_peaks(gpu_detail::compile_cache& cache,
                device_facts const& facts,
                device_peaks const& peaks);

/// From clocks, widths, and the operations a multiprocessor begins in a cycle (CUDA C++ Programming
/// Guide, throughput of native arithmetic instructions; for tensor cores NVIDIA's white papers).
/// 0 for devices that these do not list.
[[nodiscard]] device_rates rates_on_paper(device_facts const& facts);

/// `measured` and `wgmma`: a kernel for each rate, twenty launches each: a second, compilers
/// included. `gpu` is best one of its own, since the copied arrays stay on the device as long as
/// its worker does. Errors: those of the back end; unavailable, `lkt.cuda.peaks`, where a kernel
/// fails.
[[nodiscard]] result<device_peaks>
measure_peaks(cuda& gpu, device_facts const& facts, call_context const& context);

} // namespace lkt::cuda_detail
