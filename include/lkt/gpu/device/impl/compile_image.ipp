// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/elf_sections.hpp>
#include <lkt/gpu/device/detail/kernel_job.hpp>
#include <lkt/process/service.hpp>

#include <algorithm>

namespace lkt::device_detail {

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
        if (global) *facts.writable_bytes += s.size;
        if (s.name.starts_with(".nv.global.init") || s.name == ".data")
            facts.initialised_bytes += s.size;
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
