// SPDX-License-Identifier: BSL-1.0
// What goes to a compiler and what comes back, as texts; which texts it may not see. Nothing here
// starts a process or reads a file other than headers.
#pragma once

#include <lkt/core/units.hpp>
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

namespace lkt::device_detail {

/// A compiler on this machine. Nothing of it has been loaded yet.
struct compiler_place {
    std::string library;               ///< the file, links resolved
    std::vector<std::string> includes; ///< its headers' folders; may be empty
    std::string found_by;              ///< for reports: `LKT_NVRTC`, `CUDA_HOME`, ...

    friend bool operator==(compiler_place const&, compiler_place const&) = default;
};

/// One program for it.
struct compiler_program {
    std::string text;
    std::string kernel; ///< a name expression: `k`, `ns::k<float, 4>`
    std::vector<std::string> options;
    std::vector<std::string> headers{}; ///< of lkt's own: which of them it gets
};

/// The result.
struct compiler_answer {
    bool compiled = false;
    std::string log;   ///< as it wrote it
    std::string image; ///< the cubin, or code object
    std::string entry; ///< the kernel's lowered name
    int major = 0, minor = 0;
    bool confined = true; ///< the compiler was kept from other files
    bool refused = false; ///< it judged the text, and would say the same again
};

/// One kernel under one configuration.
struct compile_job {
    kernel_source source;
    std::string kernel;        ///< its name; of a template, an instance: `k<float>`
    configuration definitions; ///< tunable parameters, as macros
    /// As NVCC or HIPCC and their libraries spell them, each in one string: `-use_fast_math`,
    /// `-DN=3`, `-I/folder`.
    std::vector<std::string> options;
    std::string arch; ///< `sm_90`, `sm_90a`, `gfx90a`
    seconds time_limit{60};
};

/// A kernel that the driver can load.
struct compiled_cubin {
    std::string image; ///< a cubin, or AMD's code object
    std::string entry; ///< the kernel's name in it
    kernel_resources resources;
    std::string log;                ///< the compiler's, its lines those of the user's text
    std::vector<std::string> notes; ///< `ignored option: -gencode=...`
    bool from_cache = false;
    seconds compile_time{}; ///< when it was compiled, however long ago
};
using compile_result = std::variant<std::shared_ptr<compiled_cubin const>, failure>;

/// A job that passed all checks, as the compiler gets it.
struct prepared_job {
    compiler_program program;
    std::vector<std::string> notes;
    std::vector<std::string> user_folders; ///< of -I, in order
    bool includes = false;                 ///< the text includes something
    bool precompiled = false;              ///< begins with headers that NVRTC's --pch can keep
};

/// Whether `name` of an `#include <name>` is one of the headers beside it.
[[nodiscard]] bool has_header(compiler_place const& place, std::string_view name);

/// Why a text must not reach a compiler; empty if it may.
[[nodiscard]] std::optional<refused> reaches_outside(std::string_view text);

/// The same of text that becomes part of a line: a parameter's value; a kernel's name.
[[nodiscard]] std::optional<refused> value_reaches_outside(std::string const& name,
                                                           std::string const& spelt);
[[nodiscard]] std::optional<refused> no_kernel_name(std::string const& name);

/// A grid-wide barrier works only in a cooperative launch, which the text alone can tell.
[[nodiscard]] bool waits_for_the_grid(std::string_view text);

/// The facts in a compiled kernel besides its names, for `compiled_kernel`. Empty for a file that
/// cannot be read.
struct image_facts {
    std::uint64_t digest = 0; ///< of code, constants and what variables begin with
    std::optional<std::uint64_t> writable_bytes;
    std::uint64_t initialised_bytes = 0;
    std::vector<kept_variable> zeroed{};
};
[[nodiscard]] image_facts facts_of(std::string_view image);

} // namespace lkt::device_detail
