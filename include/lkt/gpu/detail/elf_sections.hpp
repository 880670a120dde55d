// SPDX-License-Identifier: BSL-1.0
// The sections of a compiled kernel. A compiler made it of a text that nobody has read: every
// number in it is doubted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace lkt::gpu_detail {

struct elf_section {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t flags = 0;
    std::uint64_t size = 0; ///< in memory
    std::uint32_t link = 0; ///< of a table of symbols: the section with their names
    std::string_view bytes; ///< in the file: empty where it has none
};

inline constexpr std::uint32_t elf_nobits = 8; ///< SHT_NOBITS: zeros that the file does not hold

/// Nothing for what is no little-endian 64-bit ELF file, or one that does not add up.
[[nodiscard]] inline std::optional<std::vector<elf_section>> elf_sections(std::string_view image) {
    auto const number = [&]<class T>(std::uint64_t at, T zero) {
        if (at <= image.size() && image.size() - at >= sizeof zero)
            std::memcpy(&zero, image.data() + at, sizeof zero);
        return zero;
    };
    auto const part = [&](std::uint64_t at, std::uint64_t size) -> std::optional<std::string_view> {
        if (at > image.size() || image.size() - at < size) return {};
        return image.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
    };
    if (!image.starts_with("\177ELF\2\1") || image.size() < 64) return {};
    auto const table = number(40, std::uint64_t{});
    auto const size = number(58, std::uint16_t{});
    auto const count = number(60, std::uint16_t{});
    auto const names = number(62, std::uint16_t{});
    if (size < 64 || names >= count || !part(table, std::uint64_t{size} * count)) return {};
    auto const header = [&](std::uint64_t k) { return table + k * size; };
    auto const strings = part(number(header(names) + 24, std::uint64_t{}),
                              number(header(names) + 32, std::uint64_t{}));
    if (!strings) return {};
    std::vector<elf_section> sections;
    for (std::uint64_t k = 0; k < count; ++k) {
        elf_section s;
        auto const name = number(header(k), std::uint32_t{});
        if (name > strings->size()) return {};
        s.name = strings->substr(name);
        s.name = s.name.substr(0, s.name.find('\0'));
        s.type = number(header(k) + 4, std::uint32_t{});
        s.flags = number(header(k) + 8, std::uint64_t{});
        s.size = number(header(k) + 32, std::uint64_t{});
        s.link = number(header(k) + 40, std::uint32_t{});
        if (s.type != elf_nobits && s.type != 0) {
            auto const bytes = part(number(header(k) + 24, std::uint64_t{}), s.size);
            if (!bytes) return {};
            s.bytes = *bytes;
        }
        sections.push_back(s);
    }
    return sections;
}

/// Calls `f(name, section, size)` for each variable (STT_OBJECT) that the file defines; `section`
/// is one of `sections`.
template <class F>
void for_each_variable(std::vector<elf_section> const& sections, F const& f) {
    constexpr std::uint32_t symbols = 2; // SHT_SYMTAB
    constexpr std::size_t each = 24;
    for (elf_section const& table : sections) {
        if (table.type != symbols || table.link >= sections.size()) continue;
        std::string_view const names = sections[table.link].bytes;
        for (std::size_t at = 0; at + each <= table.bytes.size(); at += each) {
            std::uint32_t name = 0;
            std::uint16_t section = 0;
            std::uint64_t size = 0;
            std::memcpy(&name, table.bytes.data() + at, sizeof name);
            std::memcpy(&section, table.bytes.data() + at + 6, sizeof section);
            std::memcpy(&size, table.bytes.data() + at + 16, sizeof size);
            bool const variable = (table.bytes[at + 4] & 15) == 1; // STT_OBJECT
            if (!variable || section >= sections.size() || name >= names.size()) continue;
            auto const rest = names.substr(name);
            f(rest.substr(0, rest.find('\0')), sections[section], size);
        }
    }
}

} // namespace lkt::gpu_detail
