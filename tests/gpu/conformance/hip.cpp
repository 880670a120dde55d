// SPDX-License-Identifier: BSL-1.0
// The texts are those of CUDA, which HIP takes as they are.
#include "tested_backend.hpp"

#include <lkt/gpu/hip.hpp>

#include <cstdlib>
#include <string_view>

namespace conformance {

namespace {

lkt::hip a_hip() {
    lkt::hip_options options;
    // On an NVIDIA GPU (hip/nvidia/hip_on_cuda.cpp), CUDA's headers are those of the device.
    char const* const library = std::getenv("LKT_HIP");
    if (library != nullptr &&
        std::string_view(library).find("hip_on_cuda") != std::string_view::npos)
        options.include_folders = {"/usr/local/cuda/include"};
    return lkt::hip{std::move(options)};
}

} // namespace

tested_backend& tested() {
    static lkt::hip shared = a_hip();
    static tested_backend t{.name = "hip",
                            .language = lkt::language::hip,
                            .gpu = lkt::gpu_ref{shared},
                            .make = [] { return lkt::any_gpu_backend{a_hip()}; },
                            .wild = wild_access::crashes,
                            .ends_early = true,
                            .compares = true};
    return t;
}

} // namespace conformance
