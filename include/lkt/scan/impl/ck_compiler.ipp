// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/process/child.hpp>
#include <lkt/scan/ck_compiler.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace lkt {

namespace detail::scan {

/// Where ROCm may be, the newest of /opt last.
inline std::vector<std::filesystem::path> rocm_folders() {
    namespace fs = std::filesystem;
    std::vector<fs::path> all, versions;
    for (char const* const name : {"ROCM_PATH", "HIP_PATH"})
        if (char const* const at = std::getenv(name); at != nullptr && *at != '\0')
            all.emplace_back(at);
    all.emplace_back("/opt/rocm");
    std::error_code ignored;
    for (fs::directory_iterator i("/opt", ignored), end; !ignored && i != end; i.increment(ignored))
        if (i->path().filename().string().starts_with("rocm-")) versions.push_back(i->path());
    std::sort(versions.rbegin(), versions.rend());
    all.insert(all.end(), versions.begin(), versions.end());
    return all;
}

inline bool is_file(std::filesystem::path const& at) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(at, ignored);
}

/// In a folder of PATH; empty: in none.
inline std::string on_path(std::string_view program) {
    char const* const path = std::getenv("PATH");
    for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
        auto const end = std::min(rest.find(':'), rest.size());
        auto const file = std::filesystem::path(rest.substr(0, end)) / program;
        if (is_file(file)) return file.string();
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

/// The first error of a clang, without the folder of its file.
inline std::string first_error(std::string_view said) {
    static constexpr std::array<std::string_view, 2> marks{"fatal error: ", "error: "};
    for (std::string_view rest = said; !rest.empty();) {
        auto const end = std::min(rest.find('\n'), rest.size());
        auto line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        for (std::string_view const mark : marks) {
            auto const at = line.find(mark);
            if (at == line.npos) continue;
            auto const slash = line.substr(0, at).rfind('/');
            return plain_line(slash == line.npos ? line : line.substr(slash + 1), 300);
        }
    }
    auto const text = trimmed(said);
    return text.empty() ? "the compiler says nothing" : plain_line(text.substr(0, 300), 300);
}

inline error no_ck_compiler(std::string why, std::string hint) {
    return {condition::unavailable, "lkt.scan.ck-compiler", std::move(why), std::move(hint)};
}

} // namespace detail::scan

result<ck_compiler_options> find_ck_compiler(ck_compiler_options o) {
    using namespace detail::scan;
    for (auto const& root : rocm_folders())
        for (char const* const program : {"bin/amdclang++", "llvm/bin/clang++"})
            if (o.compiler.empty() && is_file(root / program))
                o.compiler = (root / program).string();
    for (char const* const program : {"amdclang++", "clang++"})
        if (o.compiler.empty()) o.compiler = on_path(program);
    if (o.compiler.empty())
        return no_ck_compiler("there is no clang++ that compiles HIP",
                              "install ROCm's compiler, or clang 19 or newer, and name it "
                              "(--clang PROGRAM)");
    bool const given = !o.include.empty();
    for (auto const& root : rocm_folders())
        if (o.include.empty() && is_file(root / "include/ck/ck.hpp"))
            o.include = (root / "include").string();
    if (o.include.empty()) o.include = "/usr/include";
    for (char const* const name : {"ck/ck.hpp", "ck/config.h"})
        if (!is_file(std::filesystem::path(o.include) / name))
            return no_ck_compiler(
                given ? in_backticks(o.include, 300) + " has no file " + name
                      : "there are no headers of Composable Kernel",
                "install Composable Kernel (of ROCm composablekernel-dev, of Debian "
                "libcomposable-kernel-dev), and name the folder that has ck/ck.hpp and the "
                "ck/config.h that its CMake makes (--ck FOLDER)");
    return o;
}

result<ck_build> compile_ck(std::string const& source,
                            ck_compiler_options const& options,
                            call_context const& context) {
    using namespace detail::scan;
    child_options child;
    // An object file, not linked: of a device's code the driver would make a shared library.
    child.arguments = {options.compiler,
                       "-x",
                       "hip",
                       "-std=c++17",
                       "-O3",
                       "-w",
                       "--offload-arch=" + options.architecture,
                       "--cuda-device-only",
                       "-isystem",
                       options.include,
                       "-S",
                       "-Xclang",
                       "-emit-obj"};
    child.arguments.insert(
        child.arguments.end(), options.arguments.begin(), options.arguments.end());
    for (char const* const word : {"-o", "instance.o", "instance.hip"})
        child.arguments.emplace_back(word);
    for (char const* const name : {"HOME", "ROCM_PATH", "HIP_PATH", "HIP_DEVICE_LIB_PATH"})
        child.keep.emplace_back(name);
    child.files.push_back({"instance.hip", source});
    child.collect.emplace_back("instance.o");
    child.time_limit = options.time_limit;
    auto const ran = run_child(child, context);
    auto const named = in_backticks(options.compiler, 300) + " cannot be started: ";
    char const* const name_one = "name a clang++ that compiles HIP (--clang PROGRAM)";
    if (!ran && ran.error().code == "lkt.child.start")
        return no_ck_compiler(named + ran.error().message, name_one);
    if (!ran) return ran.error();
    if (ran->how == child_end::cancelled) return cancelled("the compilation");
    if (ran->how == child_end::timed_out)
        return error{condition::transient,
                     "lkt.scan.ck-time-limit",
                     "the compiler was ended after " + to_string(seconds(options.time_limit)),
                     "allow more (--time-limit)"};
    if (ran->how == child_end::exited && (ran->exit_code == 126 || ran->exit_code == 127))
        return no_ck_compiler(named + first_error(ran->err), name_one);
    ck_build made;
    made.took = seconds(ran->wall);
    auto const* const object = ran->file("instance.o");
    if (!ran->succeeded() || object == nullptr) {
        made.refused = ran->how == child_end::signalled
                           ? "the compiler was ended by signal " + std::to_string(ran->signal)
                           : first_error(ran->err);
        return made;
    }
    auto kernels = kernels_in_code_object(object->text());
    // Of parameters that break a rule, Composable Kernel 1.2 makes a kernel without a body.
    auto const empty = [](code_object_kernel const& k) { return k.vgprs + k.lds_bytes == 0; };
    if (!kernels || kernels->empty())
        made.refused = "the compiler made a file without kernels";
    else if (std::all_of(kernels->begin(), kernels->end(), empty))
        made.refused =
            "Composable Kernel has no kernel of these parameters: what compiles is empty";
    else
        made.kernels = std::move(*kernels);
    return made;
}

} // namespace lkt
