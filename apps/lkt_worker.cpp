// SPDX-License-Identifier: BSL-1.0
// lkt-worker: the worker of programs that cannot be their own, such as plug-ins and Python hosts.
// It serves what the headers included here bring along.
#include <lkt/gpu/cuda/compile_service.hpp>
#include <lkt/gpu/cuda/device_service.hpp>
#include <lkt/gpu/hip/hiprtc.hpp>
#include <lkt/gpu/hip/runtime.hpp>
#include <lkt/gpu/webgpu/device_service.hpp>
#include <lkt/lkt.hpp>
#include <lkt/process/worker_main.hpp>
#include <lkt/scan/cublaslt/product_service.hpp>

#include <cstdio>

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    std::puts("Programs that use lkt start lkt-worker; you do not need to run it yourself.");
    return argc > 1 ? 2 : 0;
}
