// SPDX-License-Identifier: BSL-1.0
// How the compiler is called for each of the builds of a kernel.
#pragma once

#include <lkt/gpu/detail/host/compiler.hpp>
#include <lkt/gpu/detail/host/inspect.hpp>

#include <string>
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

/// Behind the text. Of libraries, those alone that a module may call: looking through C++'s takes
/// the linker longer than all else.
[[nodiscard]] inline std::vector<std::string> flags_of_linking(instrumentation how,
                                                               compiler_facts const& compiler) {
    std::vector<std::string> flags{"-shared",
                                   "-nostartfiles",
                                   "-Wl,--gc-sections",
                                   "-Wl,-z,defs",
                                   "-Wl,-z,now",
                                   "-Wl,-z,noexecstack",
                                   "-lm"};
    auto const add = [&](std::initializer_list<char const*> more) {
        flags.insert(flags.end(), more.begin(), more.end());
    };
    // What the instrumentation calls is in the object: no library of ThreadSanitizer.
    if (how == instrumentation::races) add({"-x", "none", hooks_object});
    if (how == instrumentation::bounds && compiler.clang) return flags;
    add({"-nodefaultlibs"});
    if (how == instrumentation::bounds) add({"-lasan", "-lubsan"});
    add({"-lgcc", "-lc"});
    return flags;
}

} // namespace lkt::host_detail
