// SPDX-License-Identifier: BSL-1.0
// What goes to NVRTC and what comes back, as texts: jobs, screening, options, logs. Nothing here
// starts a process or reads a file other than headers.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/cuda/nvrtc.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::cuda_detail {

/// One kernel under one configuration.
struct compile_job {
    kernel_source source;
    std::string kernel;        ///< its name; of a template, an instance: `k<float>`
    configuration definitions; ///< tunable parameters, as macros
    /// As NVCC and NVRTC spell them, each in one string: `-use_fast_math`, `-DN=3`, `-I/folder`.
    std::vector<std::string> options;
    std::string arch; ///< `sm_90`, `sm_90a`
    seconds time_limit{60};
};

/// A kernel that the driver can load.
struct compiled_cubin {
    std::string image; ///< the cubin
    std::string entry; ///< the kernel's name in it
    kernel_resources resources;
    std::string log;                ///< the compiler's, its lines those of the user's text
    std::vector<std::string> notes; ///< `ignored option: -gencode=...`
    bool from_cache = false;
    seconds compile_time{}; ///< when it was compiled, however long ago
};
using compile_result = std::variant<std::shared_ptr<compiled_cubin const>, failure>;

/// A job that passed all checks, as NVRTC gets it.
struct prepared_job {
    nvrtc_program program;
    std::vector<std::string> notes;
    std::vector<std::string> user_folders; ///< of -I, in order
    bool includes = false;                 ///< the text includes something
    bool precompiled = false;              ///< begins with headers that --pch can keep
};

/// Puts the definitions into the text and the options in order. `refused`: a definition or an
/// option that is not allowed, an `#include` or `__has_include` of an absolute path, of one with
/// `..`, or of what only a macro knows, `#embed`, `#import`.
[[nodiscard]] std::variant<prepared_job, failure>
prepare(compile_job const& job,
        nvrtc_place const& place,
        std::vector<std::string> const& user_folders,
        std::string const& standard);

/// Why a text must not reach NVRTC; empty if it may.
[[nodiscard]] std::optional<refused> reaches_outside(std::string_view text);

/// What ptxas said of the function `entry`; constants from the cubin where it does not count them.
[[nodiscard]] kernel_resources
resources_in(std::string_view log, std::string_view entry, std::string_view image = {});

/// The facts in a cubin besides its names, for `compiled_kernel`. Empty for a file that cannot be
/// read.
struct image_facts {
    std::uint64_t digest = 0; ///< of code, constants and what variables begin with
    std::optional<std::uint64_t> writable_bytes;
    std::uint64_t initialised_bytes = 0;
};
[[nodiscard]] image_facts facts_of(std::string_view image);

} // namespace lkt::cuda_detail
