// SPDX-License-Identifier: BSL-1.0
// Instances of MIG, the parts that one GPU can be divided into. The driver shows a process one of
// them at most, the one that CUDA_VISIBLE_DEVICES names when it starts; the others only NVML knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lkt::cuda_detail {

/// Whether a device is named as nvidia-smi -L names an instance: `MIG-...`.
[[nodiscard]] constexpr bool names_mig(std::string_view device) {
    return device.starts_with("MIG-");
}

struct mig_instance {
    std::string name, uuid; ///< `NVIDIA H100 80GB HBM3 MIG 1g.10gb`, `MIG-...`
};

/// All of this machine. Empty too where NVML (`LKT_NVML`, else libnvidia-ml.so.1) is missing: it
/// comes with the driver. To be called in workers only, as what it starts stays.
[[nodiscard]] std::vector<mig_instance> mig_instances();

} // namespace lkt::cuda_detail
