// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>

#include <optional>
#include <string>

namespace lkt_apps {

/// What `--backend` may name, for the help.
inline constexpr char const* backend_help =
    "auto: a GPU if one works, else the CPU; cuda: an NVIDIA GPU; hip: HIP text on an AMD GPU; "
    "host: CUDA text on the CPU; webgpu: WGSL on any GPU, or in software";
inline constexpr char const* device_help = "cuda: an index or UUID (nvidia-smi -L); hip: an index; "
                                           "webgpu: an index, a part of its name, discrete, "
                                           "integrated or software";

/// Help of `--unconfined-compiler`.
inline constexpr char const* unconfined_help =
    "compile even where this system cannot keep the compiler from your files; only for kernels "
    "that you have read";

/// Help of `--require-checked`.
inline constexpr char const* checked_time_help =
    "for more than two small tests in checked mode, as long as they take no more; lkt-verify takes "
    "as long for other configurations";
inline constexpr char const* require_checked_help =
    "exit with status 5 if races or accesses out of bounds could not be looked for everywhere in "
    "the kernel of the result, or no test reaches a branch of it that the original does not have; "
    "the report names what was left out, and why";

/// Help of `--ptx`.
inline constexpr char const* ptx_help =
    "inline PTX that a kernel may contain besides the original's own: none; compute: arithmetic, "
    "loads and stores, warp functions, cp.async, mma.sync; listed: also bulk copies, mbarrier, "
    "wgmma, branches, clusters, the last of which only a GPU runs";
/// Sets `policy`, or says that `text` is none.
[[nodiscard]] std::optional<lkt::error>
read_ptx(std::string const& code, std::string const& text, lkt::ptx_policy& policy);

/// A usage error, under the program's own code.
[[nodiscard]] lkt::error usage_error(std::string code, std::string message, std::string hint);

/// An unknown name of a back end, or a device of the host, which has one alone.
[[nodiscard]] std::optional<lkt::error>
backend_fault(std::string const& code, std::string const& name, std::string const& device);

/// What a command line says of the back end.
struct backend_request {
    std::string usage_code;           ///< of the program's errors
    std::string name;                 ///< `auto`, `cuda`, `hip`, `host`, `webgpu`
    std::string device;               ///< empty: the first
    lkt::language language;           ///< of the kernels
    bool sanitize = true;             ///< cuda: checks under compute-sanitizer, too, where it is
    bool unconfined_compiler = false; ///< compile where nothing keeps a compiler from other files
    std::string needs_cuda = {};      ///< an option that only CUDA serves; empty: none
};

/// A back end, and how it was chosen.
struct chosen_backend {
    lkt::any_gpu_backend gpu;
    std::string why;      ///< a sentence; empty where the user named it
    bool warning = false; ///< a GPU is there, and the CPU runs the kernels
};

/// The back end that was asked for. With `auto`, WGSL runs on WebGPU, HIP text on an AMD GPU
/// and CUDA text on an NVIDIA GPU if there is one that works, else on the CPU; a device or an
/// option that only a GPU has is asked of the GPU, or fails. Errors: usage; those of a CUDA device
/// that has to be there.
[[nodiscard]] lkt::result<chosen_backend> make_backend(backend_request const& wanted,
                                                       lkt::call_context const& context);

/// Tells on standard error: a warning always, anything else unless `quiet`.
void say_choice(std::string const& program, chosen_backend const& chosen, bool quiet);

/// Whether this machine has an NVIDIA GPU, whatever can be done with it.
[[nodiscard]] bool has_nvidia_gpu();

} // namespace lkt_apps
