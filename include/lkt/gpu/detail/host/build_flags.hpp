// SPDX-License-Identifier: BSL-1.0
// How the compiler is called for each of the builds of a kernel.
#pragma once

#include <lkt/gpu/detail/host/compiler.hpp>
#include <lkt/gpu/detail/host/elf.hpp>
#include <lkt/gpu/detail/host/inspect.hpp>
#include <lkt/gpu/host_options.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::host_detail {

/// What the module of the races is linked with.
inline constexpr char const* hooks_object = "hooks.o";

/// The compiler, and what all texts are compiled under.
[[nodiscard]] inline std::vector<std::string> flags_of_texts(compiler_facts const& compiler) {
    return {compiler.program,
            "-x",
            "c++",
            "-std=gnu++20",
            "-nostdinc",
            "-march=native",
            "-fPIC",
            "-fvisibility=hidden",
            "-fno-exceptions",
            "-fno-rtti",
            "-fno-threadsafe-statics",
            "-fno-finite-loops",
            "-fno-strict-aliasing", // as for a device: kernels read bits through other types
            "-fno-math-errno",
            "-fno-trapping-math",
            "-ffp-contract=off",
            "-ffunction-sections",
            "-fdata-sections",
            "-fno-stack-protector",
            "-fstack-clash-protection",
            "-w",
            "-fdiagnostics-color=never",
            "-fmessage-length=0",
            compiler.clang ? "-ferror-limit=20" : "-fmax-errors=20"};
}

/// Beside these, in one of the builds.
[[nodiscard]] inline std::vector<std::string>
flags_of(instrumentation how, compiler_facts const& compiler, bool wgsl) {
    std::vector<std::string> flags;
    auto const add = [&](std::initializer_list<char const*> more) {
        flags.insert(flags.end(), more.begin(), more.end());
    };
    // What locals hold before they are written: something else in each of the two.
    if (how != instrumentation::none && !wgsl)
        add({how == instrumentation::races ? "-ftrivial-auto-var-init=zero"
                                           : "-ftrivial-auto-var-init=pattern"});
    switch (how) {
    case instrumentation::none:
        add({"-O3"});
        break;
    case instrumentation::bounds:
        add({"-O1", "-g1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"});
        // Clang's `bounds` contains a part that traps without a word. With g++'s check of divisors,
        // `(c ? a : b)[i >> 1]` reads a copy of `i` that only one of the branches has made; on a
        // CPU such a division ends the kernel anyway.
        flags.push_back(
            std::string{"-fsanitize=address,alignment,null,bool,unreachable,float-cast-overflow,"} +
            (compiler.clang ? "integer-divide-by-zero,array-bounds" : "bounds"));
        add({"-fsanitize-recover=float-cast-overflow"}); // the shim takes note of it
        if (compiler.clang) add({"-shared-libsan"});
        break;
    case instrumentation::races:
        add({"-O1", "-g1", "-fsanitize=thread"});
        if (compiler.clang)
            add({"-mllvm",
                 "-tsan-distinguish-volatile=1",
                 "-mllvm",
                 "-tsan-instrument-read-before-write=1"});
        else
            add({"--param=tsan-distinguish-volatile=1"});
        break;
    case instrumentation::branches:
        // Without optimisation each comparison of the text is one of the code.
        add({"-g1", "-fno-jump-tables"});
        flags.push_back(std::string{"-fsanitize-coverage=trace-pc,trace-cmp"} +
                        (compiler.clang ? ",no-prune" : ""));
        break;
    }
    return flags;
}

/// Which of the system's libraries a module is linked with.
enum class libraries : unsigned char {
    loader, ///< that alone, whose function finds the variables of a thread
    all,    ///< those of C and of mathematics, too
};

/// What to link a text's module with, by its names: `__expf` and `w_exp` probably call `expf`. A
/// linker takes 5 to 13 ms to read the libraries, of the 60 to 80 that a small kernel's compilation
/// takes; a module that calls none of their functions is linked without them.
[[nodiscard]] inline libraries libraries_for(std::string_view text) {
    auto const letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    auto const calls = [](std::string_view name) { // of half, too
        for (std::string_view const before : {"", "h", "h2"})
            if (name.starts_with(before)) {
                auto const rest = name.substr(before.size());
                if (rest == "max" || rest == "min" || computes_only(rest, false)) return true;
            }
        return false;
    };
    for (std::size_t at = 0; at < text.size();) { // words between underscores
        auto end = at;
        while (end < text.size() && letter(text[end])) ++end;
        if (calls(text.substr(at, end - at))) return libraries::all;
        at = end + 1;
    }
    return libraries::loader;
}

/// Behind the text. Of libraries, those alone that a module may call: looking through C++'s takes
/// the linker longer than all else.
[[nodiscard]] inline std::vector<std::string>
flags_of_linking(instrumentation how, compiler_facts const& compiler, libraries with) {
    std::vector<std::string> flags{"-shared",
                                   "-nostartfiles",
                                   "-Wl,--gc-sections",
                                   "-Wl,-z,defs",
                                   "-Wl,-z,now",
                                   "-Wl,-z,noexecstack"};
    auto const add = [&](std::initializer_list<char const*> more) {
        flags.insert(flags.end(), more.begin(), more.end());
    };
    if (with == libraries::all) add({"-lm"});
    // What the instrumentation calls is in the object: no library of ThreadSanitizer.
    if (how == instrumentation::races) add({"-x", "none", hooks_object});
    if (how == instrumentation::bounds && compiler.clang) return flags;
    add({"-nodefaultlibs"});
    if (how == instrumentation::bounds) add({"-lasan", "-lubsan"});
    add({"-lgcc"});
    if (with == libraries::all)
        add({"-lc"});
    else
#if defined(__aarch64__)
        add({"-l:ld-linux-aarch64.so.1"});
#else
        add({"-l:ld-linux-x86-64.so.2"});
#endif
    return flags;
}

/// The whole call. `more`: of whoever asks for the module.
[[nodiscard]] inline std::vector<std::string> call_for_module(instrumentation how,
                                                              compiler_facts const& compiler,
                                                              host_options const& options,
                                                              std::vector<std::string> const& more,
                                                              bool wgsl,
                                                              libraries with) {
    auto call = flags_of_texts(compiler);
    auto const add = [&](std::vector<std::string> const& flags) {
        call.insert(call.end(), flags.begin(), flags.end());
    };
    add(flags_of(how, compiler, wgsl));
    add(more);
    if (how == instrumentation::branches) add({"-O0"});
    add(options.flags);
    add({"-o", "module.so", "module.cpp"});
    add(flags_of_linking(how, compiler, with));
    return call;
}

/// What compilations of one back end leave to those that follow.
struct compilations_before {
    std::string hooks;                       ///< `race_hooks`, compiled; empty: not yet
    std::set<std::uint64_t> calls_libraries; ///< hashes of texts that are not linked without them
};

} // namespace lkt::host_detail
