// SPDX-License-Identifier: BSL-1.0
#include "backend.hpp"

#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/host.hpp>
#include <lkt/gpu/webgpu.hpp>

#include <utility>

namespace lkt_apps {

lkt::error usage_error(std::string code, std::string message, std::string hint) {
    return {lkt::condition::rejected, std::move(code), std::move(message), std::move(hint)};
}

std::optional<lkt::error>
backend_fault(std::string const& code, std::string const& name, std::string const& device) {
    if (!name.empty() && name != "host" && name != "cuda" && name != "webgpu")
        return usage_error(
            code,
            "this program has no back end '" + name + "'",
            "back ends: host (CUDA text on the CPU), cuda (an NVIDIA GPU), webgpu (WGSL on any "
            "GPU, or in software)");
    if (name == "host" && !device.empty())
        return usage_error(code,
                           "--device needs --backend cuda or webgpu",
                           "drop it: the host back end has only one device");
    return std::nullopt;
}

lkt::result<lkt::any_gpu_backend> make_backend(std::string const& code,
                                               std::string const& name,
                                               std::string const& device,
                                               lkt::language language,
                                               bool sanitize,
                                               bool unconfined_compiler) {
    std::string const chosen = !name.empty()                     ? name
                               : language == lkt::language::wgsl ? "webgpu"
                                                                 : "host";
    if (auto wrong = backend_fault(code, chosen, device)) return *wrong;
    lkt::host_options host;
    host.unconfined_compiler = unconfined_compiler;
    if (chosen == "host") return lkt::any_gpu_backend(lkt::host{std::move(host)});
    if (chosen == "webgpu") {
        lkt::webgpu_options webgpu;
        webgpu.adapter = device;
        webgpu.checker = std::move(host);
        return lkt::any_gpu_backend(lkt::webgpu(std::move(webgpu)));
    }
    lkt::cuda_options cuda;
    cuda.device = device;
    cuda.sanitize = sanitize;
    cuda.unconfined_compiler = unconfined_compiler;
    return lkt::any_gpu_backend(lkt::cuda(std::move(cuda)));
}

} // namespace lkt_apps
