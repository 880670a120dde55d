// SPDX-License-Identifier: BSL-1.0
// A kernel as HIPRTC gets it, and what its code object says.
#pragma once

#include <lkt/gpu/code_object.hpp>
#include <lkt/gpu/detail/hip_text.hpp>
#include <lkt/gpu/device/detail/job_options.hpp>
#include <lkt/gpu/device/detail/standard_headers.hpp>
#include <lkt/gpu/hip/detail/built_in_headers.hpp>
#include <lkt/gpu/hip/hiprtc.hpp>
#include <lkt/lang/definitions.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace lkt::hip_detail {

namespace hiprtc_parts {

bool is_amd(std::string_view arch) { return arch.starts_with("gfx"); }

bool is_arch(std::string_view arch) {
    if (arch.size() > 64) return false;
    bool const amd = is_amd(arch);
    if (!amd && !arch.starts_with("sm_")) return false;
    auto const end = std::min(arch.find(':'), arch.size());
    auto const number = arch.substr(3, end - 3);
    if (number.size() < 2 || number.find_first_not_of("0123456789abcdef") != number.npos)
        return false;
    if (!amd) return end == arch.size();
    // Features that are on or off: `:sramecc+:xnack-`.
    for (auto rest = arch.substr(end); !rest.empty();) {
        rest.remove_prefix(1);
        auto const one = rest.substr(0, std::min(rest.find(':'), rest.size()));
        if (one.size() < 2 || (one.back() != '+' && one.back() != '-') ||
            one.substr(0, one.size() - 1).find_first_not_of("abcdefghijklmnopqrstuvwxyz") !=
                one.npos)
            return false;
        rest.remove_prefix(one.size());
    }
    return true;
}

options::reading read_option(std::string const& given, bool amd) {
    using options::use;
    if (auto common = options::read_common(given)) return std::move(*common);
    std::string_view o = given;
    o.remove_prefix(o.starts_with("--") ? 2 : 1);
    if (options::is_any(o, {"use_fast_math", "ffast-math"}, {}))
        return {use::passed, amd ? "-ffast-math" : "--use_fast_math"};
    if (options::is_any(o, {"w"}, {})) return {use::passed, "-w"};
    // Of HIPCC and NVCC: the device decides, there is no such thing, or it is so anyway.
    if (options::is_any(o,
                        {"O3", "lineinfo", "generate-line-info", "fgpu-rdc", "fno-gpu-rdc"},
                        {"offload-arch", "gpu-architecture", "arch", "maxrregcount"}))
        return {use::ignored, {}};
    if (!options::is_any(o,
                         {"O0",
                          "O1",
                          "O2",
                          "fno-fast-math",
                          "fgpu-flush-denormals-to-zero",
                          "fno-gpu-flush-denormals-to-zero",
                          "munsafe-fp-atomics",
                          "mno-unsafe-fp-atomics",
                          "mcumode",
                          "mno-cumode",
                          "mwavefrontsize64",
                          "mno-wavefrontsize64"},
                         {"ffp-contract", "gpu-max-threads-per-block"}))
        return {};
    if (!amd) return {use::ignored, {}};
    return {use::passed, o.starts_with("gpu-") ? "--" + std::string{o} : "-" + std::string{o}};
}

} // namespace hiprtc_parts

std::variant<prepared_job, failure> prepare(compile_job const& j,
                                            compiler_place const& place,
                                            std::vector<std::string> const& user_folders,
                                            std::string const& standard) {
    namespace parts = hiprtc_parts;
    auto const no = [](refused r) { return failure{std::move(r)}; };
    if (j.source.language != language::hip)
        return no({std::string{to_string(j.source.language)}, "HIPRTC compiles HIP", {}});
    if (!parts::is_arch(j.arch)) return no({j.arch, "it is not an architecture like gfx90a", {}});
    if (auto bad = no_kernel_name(j.kernel)) return no(std::move(*bad));
    if (auto bad = reaches_outside(j.source.text)) return no(std::move(*bad));

    bool const amd = parts::is_amd(j.arch);
    prepared_job p;
    p.program.kernel = j.kernel;
    p.user_folders = user_folders;
    std::vector<std::string> kept;
    std::string std_option = "-std=" + standard;
    for (auto const& given : j.options) {
        auto read = parts::read_option(given, amd);
        switch (read.kind) {
        case options::use::refused:
            return no({given.substr(0, 120),
                       "this option is unknown, or names a file; known: -D, -U, -I, -std=, "
                       "-ffast-math, -ffp-contract=, -O0 to -O3, -munsafe-fp-atomics and the like",
                       {}});
        case options::use::ignored:
            p.notes.push_back("ignored option: " + given);
            break;
        case options::use::include_folder:
            p.user_folders.push_back(std::move(read.text));
            break;
        case options::use::standard:
            std_option = std::move(read.text);
            break;
        case options::use::passed:
            kept.push_back(std::move(read.text));
            break;
        }
    }
    for (auto const& [name, v] : j.definitions.values)
        if (auto bad = value_reaches_outside(name, definition_text(v))) return no(std::move(*bad));
    auto source = j.source;
    source.origin = "kernel"; // what the log calls it
    auto defined = with_definitions(source, j.definitions);
    if (!defined) return no({"a definition", defined.error().message, {}});
    if (auto* const bad = std::get_if<refused>(&*defined)) return no(std::move(*bad));
    p.program.text = std::get<std::string>(std::move(*defined));
    auto const plain = gpu_detail::without_hip_headers(j.source.text);
    // Before the user's first line.
    p.program.text = standard::prelude(plain, j.kernel, j.definitions, place) + p.program.text;

    p.includes = p.program.text.find("include") != std::string::npos;
    if (p.includes) {
        p.program.headers = standard::headers_for(place, p.user_folders);
        for (auto const name : parts::built_in) {
            std::error_code ignored;
            bool const shadowed =
                std::any_of(p.user_folders.begin(), p.user_folders.end(), [&](auto const& folder) {
                    return std::filesystem::exists(std::filesystem::path{folder} / name, ignored);
                });
            if (!shadowed || name == parts::built_in[0]) p.program.headers.emplace_back(name);
        }
    }
    auto& o = p.program.options;
    o = {(amd ? "--offload-arch=" : "--gpu-architecture=") + j.arch, std_option};
    for (auto const& folder : p.user_folders) o.push_back("-I" + folder);
    o.insert(o.end(), kept.begin(), kept.end());
    return p;
}

kernel_resources resources_in(std::string_view, std::string_view entry, std::string_view image) {
    kernel_resources r;
    auto const kernels = kernels_in_code_object(image);
    if (!kernels) return r;
    auto const number = [](std::uint64_t n) {
        return static_cast<int>(std::min<std::uint64_t>(n, std::uint64_t{1} << 30));
    };
    for (auto const& k : *kernels) {
        if (k.name != entry) continue;
        r.registers = number(k.vgprs);
        // What is spilt is stored and loaded at least once; a register has four bytes a lane.
        r.spill_store_bytes = r.spill_load_bytes = number(k.spilt_vgprs * 4);
        r.stack_bytes = number(k.private_bytes);
        r.static_shared_bytes = number(k.lds_bytes);
        r.constant_bytes = number(k.argument_bytes);
    }
    return r;
}

} // namespace lkt::hip_detail
