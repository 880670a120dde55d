// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/peaks_record.hpp>
#include <lkt/gpu/cuda/device_service.hpp>
#include <lkt/kernel/device.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace lkt::cuda_detail {

inline std::string architecture_of(device_facts const& facts) {
    // wgmma and setmaxnreg are of the variant for Hopper alone.
    return "sm_" + std::to_string(facts.major) + std::to_string(facts.minor) +
           (facts.major == 9 ? "a" : "");
}

/// The device as every back end describes its own.
inline device_description described(device_facts const& facts) {
    device_description d;
    d.name = facts.name;
    d.backend = "cuda";
    d.driver = "CUDA " + std::to_string(facts.driver / 1000) + "." +
               std::to_string(facts.driver % 1000 / 10);
    d.languages = {language::cuda};
    d.multiprocessors = static_cast<std::uint32_t>(facts.multiprocessors);
    d.warp_size = static_cast<std::uint32_t>(facts.warp_size);
    d.max_threads_per_block = static_cast<std::uint32_t>(facts.max_threads_per_block);
    d.max_block = facts.max_block;
    d.max_grid = facts.max_grid;
    d.shared_memory_per_block = lkt::bytes{static_cast<std::uint64_t>(facts.shared_per_block)};
    d.memory = lkt::bytes{facts.memory};
    d.l2 = lkt::bytes{static_cast<std::uint64_t>(std::max(facts.l2_bytes, 0))};
    d.memory_bandwidth = rates_on_paper(facts).copy;
    d.architecture = architecture_of(facts);
    d.threads_per_multiprocessor = static_cast<std::uint32_t>(facts.threads_per_multiprocessor);
    d.registers_per_multiprocessor = static_cast<std::uint32_t>(facts.registers_per_multiprocessor);
    d.shared_memory_per_multiprocessor.count =
        static_cast<std::uint64_t>(facts.shared_per_multiprocessor);
    return d;
}

} // namespace lkt::cuda_detail
