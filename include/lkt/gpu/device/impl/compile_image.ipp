// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/elf_sections.hpp>
#include <lkt/gpu/device/detail/kernel_job.hpp>
#include <lkt/lang/cuda/includes.hpp>
#include <lkt/process/service.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::device_detail {

namespace image_parts {

/// Whether a mangled name (Itanium C++ ABI) lies in a namespace of CUDA's own headers. Their
/// constants stay in a module though nothing uses them: 3.8 KiB with `cooperative_groups.h`. A
/// candidate that declares something there is refused by its text (`lkt.static.state`).
bool of_a_library(std::string_view name) {
    if (!name.starts_with("_ZN")) return false;
    name.remove_prefix(name.starts_with("_ZNK") ? 4 : 3);
    auto const next = [&name]() -> std::string_view {
        std::size_t length = 0, digits = 0;
        for (; digits < name.size() && digits < 5; ++digits) {
            char const c = name[digits];
            if (c < '0' || c > '9') break;
            length = 10 * length + static_cast<std::size_t>(c - '0');
        }
        name.remove_prefix(digits);
        auto const part = name.substr(0, length);
        name.remove_prefix(part.size());
        return part;
    };
    auto first = next();
    if (first.starts_with("_INTERNAL_")) first = next();         // of this translation unit alone
    if (first == "thrust") return next().starts_with("THRUST_"); // else a struct, perhaps
    return std::find(library_namespaces.begin(), library_namespaces.end(), first) !=
           library_namespaces.end();
}

/// Bytes of its variables, without those of libraries; all of it where it has no symbols. `found`
/// gets the variables.
std::uint64_t variables_in(std::vector<gpu_detail::elf_section> const& sections,
                           gpu_detail::elf_section const& one,
                           std::vector<kept_variable>& found) {
    std::uint64_t sum = 0;
    bool any = false;
    gpu_detail::for_each_variable(
        sections, [&](std::string_view name, gpu_detail::elf_section const& s, std::uint64_t size) {
            if (&s != &one) return;
            any = true;
            if (of_a_library(name)) return;
            sum += size;
            found.push_back({std::string(name), size});
        });
    return any ? std::min(sum, one.size) : one.size;
}

} // namespace image_parts

image_facts facts_of(std::string_view image) {
    auto const sections = gpu_detail::elf_sections(image);
    if (!sections) return {};
    image_facts facts;
    facts.writable_bytes = 0;
    facts.digest = layout_hash("cubin");
    for (auto const& s : *sections) {
        // .nv.global is memory of the device's that begins with zeros, .nv.global.init with values;
        // kernels cannot write to the constant banks.
        // AMD has .bss and .data instead, and constants in .rodata and with those of .data.
        bool const amd_global =
            s.name == ".bss" || s.name.starts_with(".bss.") || s.name == ".data";
        bool const global = s.name.starts_with(".nv.global") || amd_global;
        std::vector<kept_variable> variables;
        std::uint64_t const size = global ? image_parts::variables_in(*sections, s, variables) : 0;
        *facts.writable_bytes += size;
        if (s.name.starts_with(".nv.global.init") || s.name == ".data")
            facts.initialised_bytes += size;
        else
            facts.zeroed.insert(facts.zeroed.end(), variables.begin(), variables.end());
        // Bank 0 holds the arguments of a launch.
        bool const constant = s.name == ".rodata" || (s.name.starts_with(".nv.constant") &&
                                                      !s.name.starts_with(".nv.constant0"));
        if (!global && !constant && s.name != ".text" && !s.name.starts_with(".text.")) continue;
        // The size tells zeros apart; a kernel's name stands in that of its section.
        facts.digest = layout_hash(std::to_string(s.size) + (global     ? "g"
                                                             : constant ? "c"
                                                                        : "t"),
                                   facts.digest);
        facts.digest = layout_hash(s.bytes, facts.digest);
    }
    facts.digest = std::max<std::uint64_t>(facts.digest, 1);
    return facts;
}

} // namespace lkt::device_detail
