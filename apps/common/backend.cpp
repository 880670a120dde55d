// SPDX-License-Identifier: BSL-1.0
#include "backend.hpp"

#include "output.hpp"

#include <lkt/core/near_name.hpp>
#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/hip.hpp>
#include <lkt/gpu/host.hpp>
#include <lkt/gpu/webgpu.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace lkt_apps {
namespace {

namespace fs = std::filesystem;

std::string first_line_of(fs::path const& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

/// The display controllers (class 03) of a PCI vendor, or of any.
bool has_display(std::string_view vendor) {
    std::error_code failed;
    for (fs::directory_iterator at("/sys/bus/pci/devices", failed), end; !failed && at != end;
         at.increment(failed))
        if (first_line_of(at->path() / "class").starts_with("0x03") &&
            first_line_of(at->path() / "vendor").starts_with(vendor))
            return true;
    return false;
}

bool is_set(char const* variable) {
    char const* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

/// Whoever hides the GPU wants the CPU.
bool gpus_are_hidden() {
    char const* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible != nullptr && (*visible == '\0' || std::string_view(visible) == "-1");
}

lkt::any_gpu_backend cuda_of(backend_request const& wanted) {
    lkt::cuda_options cuda;
    cuda.device = wanted.device;
    cuda.sanitize = wanted.sanitize;
    cuda.unconfined_compiler = wanted.unconfined_compiler;
    return lkt::any_gpu_backend(lkt::cuda(std::move(cuda)));
}

lkt::host_options host_of(backend_request const& wanted) {
    lkt::host_options host;
    host.unconfined_compiler = wanted.unconfined_compiler;
    return host;
}

/// Why CUDA text runs on the CPU: what the driver said, unless there is nothing to complain about.
chosen_backend host_instead(backend_request const& wanted, lkt::error const& why) {
    chosen_backend made{lkt::any_gpu_backend(lkt::host{host_of(wanted)}), {}, false};
    if (gpus_are_hidden()) {
        made.why = "back end host: the CPU runs the kernels, as CUDA_VISIBLE_DEVICES hides every "
                   "GPU";
    } else if (has_nvidia_gpu() || is_set("LKT_CUDA_DRIVER") || is_set("CUDA_VISIBLE_DEVICES") ||
               (why.code != "lkt.cuda.driver" && why.code != "lkt.cuda.no-device")) {
        made.warning = true;
        made.why = "WARNING: back end host: the CPU runs the kernels, because the NVIDIA GPU "
                   "cannot be used: " +
                   why.message + " [" + why.code + "]" +
                   (why.hint.empty() ? "" : "; to repair it: " + why.hint);
    } else {
        made.why = "back end host: the CPU runs the kernels, as there is no NVIDIA GPU";
    }
    return made;
}

/// A device if it works. Without one an error if it is `needed`, else what `instead` makes of why.
template <class Instead>
lkt::result<chosen_backend> device_or(lkt::any_gpu_backend gpu,
                                      std::string const& name,
                                      bool needed,
                                      lkt::call_context const& context,
                                      Instead const& instead) {
    auto const device = gpu.device(context);
    if (device)
        return chosen_backend{
            std::move(gpu), "back end " + name + ", on " + device->name + ", which works", false};
    lkt::error const& why = device.error();
    // A system that refuses a process or a descriptor says nothing of the GPU.
    bool const about_gpu =
        why.kind != lkt::condition::cancelled &&
        (why.kind != lkt::condition::exhausted || why.code.starts_with("lkt." + name + "."));
    if (needed || !about_gpu) return why;
    return instead(why);
}

lkt::result<chosen_backend> choose_for_cuda(backend_request const& wanted,
                                            lkt::call_context const& context) {
    bool const needed = !wanted.device.empty() || !wanted.needs_cuda.empty();
    return device_or(cuda_of(wanted), "cuda", needed, context, [&](lkt::error const& why) {
        return host_instead(wanted, why);
    });
}

lkt::any_gpu_backend hip_of(backend_request const& wanted) {
    lkt::hip_options hip;
    hip.device = wanted.device;
    hip.unconfined_compiler = wanted.unconfined_compiler;
    return lkt::any_gpu_backend(lkt::hip(std::move(hip)));
}

lkt::result<chosen_backend> choose_for_hip(backend_request const& wanted,
                                           lkt::call_context const& context) {
    bool const needed = !wanted.device.empty();
    return device_or(hip_of(wanted), "hip", needed, context, [&](lkt::error const& why) {
        chosen_backend made{lkt::any_gpu_backend(lkt::host{host_of(wanted)}), {}, false};
        made.warning = has_display("0x1002") || is_set("LKT_HIP"); // AMD's number, or a library
        made.why = std::string(made.warning ? "WARNING: " : "") +
                   "back end host: the CPU runs the kernels, because " + why.message + " [" +
                   why.code + "]";
        if (made.warning && !why.hint.empty()) made.why += "; to repair it: " + why.hint;
        return made;
    });
}

lkt::any_gpu_backend webgpu_of(backend_request const& wanted) {
    lkt::webgpu_options webgpu;
    webgpu.adapter = wanted.device;
    webgpu.checker = host_of(wanted);
    return lkt::any_gpu_backend(lkt::webgpu(std::move(webgpu)));
}

lkt::result<chosen_backend> choose_for_wgsl(backend_request const& wanted,
                                            lkt::call_context const& context) {
    auto gpu = webgpu_of(wanted);
    auto const device = gpu.device(context);
    if (!device) return device.error();
    chosen_backend made{std::move(gpu), "back end webgpu, on " + device->name, false};
    // A software adapter that was named is no surprise.
    if (device->simulated && wanted.device.empty() && has_display("")) {
        made.warning = true;
        made.why = "WARNING: " + made.why +
                   ": the CPU runs the kernels, because WebGPU finds no GPU; to use one, install "
                   "its Vulkan driver (vulkaninfo lists those that work)";
    } else if (device->simulated) {
        made.why += ": the CPU runs the kernels, as WebGPU finds no GPU";
    }
    return made;
}

} // namespace

lkt::error usage_error(std::string code, std::string message, std::string hint) {
    return {lkt::condition::rejected, std::move(code), std::move(message), std::move(hint)};
}

std::optional<lkt::error>
read_ptx(std::string const& code, std::string const& text, lkt::ptx_policy& policy) {
    auto const known = lkt::read_ptx_policy(text);
    if (!known)
        return usage_error(code,
                           "--ptx has no policy '" + text + "'" +
                               lkt::did_you_mean(text, "none, compute, listed"),
                           "none, compute or listed");
    policy = *known;
    return std::nullopt;
}

std::optional<lkt::error>
backend_fault(std::string const& code, std::string const& name, std::string const& device) {
    if (name != "auto" && name != "host" && name != "cuda" && name != "hip" && name != "webgpu")
        return usage_error(
            code,
            "this program has no back end '" + name + "'" +
                lkt::did_you_mean(name, "auto, host, cuda, hip, webgpu"),
            "back ends: auto (a GPU if one works), host (CUDA text on the CPU), cuda (an NVIDIA "
            "GPU), hip (HIP text on an AMD GPU), webgpu (WGSL on any GPU, or in software)");
    if (name == "host" && !device.empty())
        return usage_error(code,
                           "--device needs --backend auto, cuda, hip or webgpu",
                           "drop it: the host back end has only one device");
    return std::nullopt;
}

bool has_nvidia_gpu() {
    std::error_code none;
    return fs::exists("/dev/nvidia0", none) || fs::exists("/proc/driver/nvidia/gpus", none) ||
           has_display("0x10de");
}

lkt::result<chosen_backend> make_backend(backend_request const& wanted,
                                         lkt::call_context const& context) {
    if (auto wrong = backend_fault(wanted.usage_code, wanted.name, wanted.device)) return *wrong;
    bool const wgsl = wanted.language == lkt::language::wgsl;
    if (!wanted.needs_cuda.empty() && (wgsl || (wanted.name != "cuda" && wanted.name != "auto")))
        return usage_error(wanted.usage_code,
                           wanted.needs_cuda + " needs a CUDA kernel and --backend cuda",
                           "drop it: only the CUDA back end has that");
    if (wanted.name == "cuda") return chosen_backend{cuda_of(wanted), {}, false};
    bool const hip = wanted.language == lkt::language::hip;
    if (wanted.name == "hip" && !hip)
        return usage_error(wanted.usage_code,
                           "--backend hip needs a HIP kernel, not one in " +
                               std::string(to_string(wanted.language)),
                           "give the kernel in a .hip file");
    if (wanted.name == "hip") return chosen_backend{hip_of(wanted), {}, false};
    if (wanted.name == "webgpu") return chosen_backend{webgpu_of(wanted), {}, false};
    if (wanted.name == "host")
        return chosen_backend{lkt::any_gpu_backend(lkt::host{host_of(wanted)}), {}, false};
    if (hip) return choose_for_hip(wanted, context);
    return wgsl ? choose_for_wgsl(wanted, context) : choose_for_cuda(wanted, context);
}

void say_choice(std::string const& program, chosen_backend const& chosen, bool quiet) {
    if (chosen.why.empty() || (quiet && !chosen.warning)) return;
    say((chosen.warning ? program + ": " : "") + chosen.why);
}

} // namespace lkt_apps
