// SPDX-License-Identifier: BSL-1.0
// The second defence: what was compiled is looked at before anything loads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// What a shared object asks of whoever loads it.
struct module_facts {
    std::vector<std::string> undefined; ///< symbols from elsewhere
    bool constructors = false;          ///< code that runs when it is loaded or unloaded
    bool resolvers = false;             ///< code that runs to resolve a symbol (IFUNC)
    std::uint64_t thread_bytes = 0;     ///< of the kernel's own thread-local variables
    std::vector<std::pair<std::string, std::uint64_t>> writable; ///< variables, with their sizes
    std::vector<std::uint64_t> addresses;                        ///< of them
};

class elf_reader {
public:
    explicit elf_reader(std::span<std::byte const> file) : file_(file) {}

    /// Empty when it is no 64-bit ELF file, or one that does not add up.
    [[nodiscard]] std::optional<module_facts> read() {
        auto const* const head = at<Elf64_Ehdr>(0);
        if (head == nullptr || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
            head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_phentsize != sizeof(Elf64_Phdr))
            return {};
        for (unsigned i = 0; i < head->e_phnum; ++i) {
            auto const* const p = at<Elf64_Phdr>(head->e_phoff + i * sizeof(Elf64_Phdr));
            if (p == nullptr) return {};
            if (p->p_type == PT_LOAD) loads_.push_back(*p);
            if (p->p_type == PT_DYNAMIC) dynamic_ = *p;
        }
        if (!tags() || !symbols(head)) return {};
        return facts_;
    }

private:
    template <class T>
    [[nodiscard]] T const* at(std::uint64_t offset) const {
        if (offset > file_.size() || file_.size() - offset < sizeof(T) || offset % alignof(T) != 0)
            return nullptr;
        return reinterpret_cast<T const*>(file_.data() + offset); // NOLINT
    }
    [[nodiscard]] std::uint64_t file_offset(std::uint64_t address) const {
        for (auto const& p : loads_)
            if (address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
                return p.p_offset + (address - p.p_vaddr);
        return ~std::uint64_t{0};
    }

    bool tags() {
        std::uint64_t relocations = 0, relocation_bytes = 0;
        for (std::uint64_t i = 0; i < dynamic_.p_filesz / sizeof(Elf64_Dyn); ++i) {
            auto const* const d = at<Elf64_Dyn>(dynamic_.p_offset + i * sizeof(Elf64_Dyn));
            if (d == nullptr) return false;
            switch (d->d_tag) {
            case DT_NULL:
                return look_for_resolvers(relocations, relocation_bytes);
            case DT_INIT:
            case DT_FINI:
                facts_.constructors = true;
                break;
            case DT_INIT_ARRAYSZ:
            case DT_FINI_ARRAYSZ:
            case DT_PREINIT_ARRAYSZ:
                facts_.constructors = facts_.constructors || d->d_un.d_val != 0;
                break;
            case DT_RELA:
                relocations = d->d_un.d_ptr;
                break;
            case DT_RELASZ:
                relocation_bytes = d->d_un.d_val;
                break;
            default: // a number, no enumeration
                break;
            }
        }
        return false;
    }
    bool look_for_resolvers(std::uint64_t address, std::uint64_t size) {
        if (size == 0) return true;
        auto const offset = file_offset(address);
        for (std::uint64_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
            auto const* const r = at<Elf64_Rela>(offset + i * sizeof(Elf64_Rela));
            if (r == nullptr) return false;
            auto const type = ELF64_R_TYPE(r->r_info);
            facts_.resolvers =
                facts_.resolvers || type == R_X86_64_IRELATIVE || type == R_AARCH64_IRELATIVE;
        }
        return true;
    }

    /// The section headers are there, since the file comes straight from a linker.
    bool symbols(Elf64_Ehdr const* head) {
        for (unsigned i = 0; i < head->e_shnum; ++i) {
            auto const* const s = at<Elf64_Shdr>(head->e_shoff + i * sizeof(Elf64_Shdr));
            if (s == nullptr) return false;
            if (s->sh_type != SHT_DYNSYM && s->sh_type != SHT_SYMTAB) continue;
            auto const* const names =
                at<Elf64_Shdr>(head->e_shoff + s->sh_link * sizeof(Elf64_Shdr));
            if (names == nullptr || names->sh_offset > file_.size() ||
                file_.size() - names->sh_offset < names->sh_size)
                return false;
            std::string_view const texts{
                reinterpret_cast<char const*>(file_.data() + names->sh_offset), // NOLINT
                names->sh_size};
            for (std::uint64_t k = 1; k < s->sh_size / sizeof(Elf64_Sym); ++k) {
                auto const* const symbol = at<Elf64_Sym>(s->sh_offset + k * sizeof(Elf64_Sym));
                if (symbol == nullptr || symbol->st_name >= texts.size()) return false;
                auto const name = texts.substr(symbol->st_name);
                look(*symbol, name.substr(0, name.find('\0')), s->sh_type == SHT_DYNSYM);
                if (s->sh_type == SHT_SYMTAB) look_where(head, *symbol, name);
            }
        }
        return true;
    }
    /// Variables that lie where a kernel can write.
    void look_where(Elf64_Ehdr const* head, Elf64_Sym const& symbol, std::string_view name) {
        if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 ||
            symbol.st_shndx >= head->e_shnum)
            return;
        auto const* const s = at<Elf64_Shdr>(head->e_shoff + symbol.st_shndx * sizeof(Elf64_Shdr));
        if (s == nullptr || (s->sh_flags & SHF_WRITE) == 0) return;
        // What is relocated once and read-only from then on.
        auto const* const names =
            at<Elf64_Shdr>(head->e_shoff + head->e_shstrndx * sizeof(Elf64_Shdr));
        constexpr std::string_view relocated = ".data.rel.ro";
        if (names != nullptr && names->sh_offset < file_.size() &&
            s->sh_name < file_.size() - names->sh_offset) {
            std::string_view const rest{
                reinterpret_cast<char const*>(file_.data() + names->sh_offset +
                                              s->sh_name), // NOLINT
                static_cast<std::size_t>(file_.size() - names->sh_offset - s->sh_name)};
            if (rest.starts_with(relocated) || rest.starts_with(".dynamic") ||
                rest.starts_with(".got"))
                return;
        }
        facts_.writable.emplace_back(name.substr(0, name.find('\0')), symbol.st_size);
        facts_.addresses.push_back(symbol.st_value);
    }
    void look(Elf64_Sym const& symbol, std::string_view name, bool dynamic) {
        auto const type = ELF64_ST_TYPE(symbol.st_info);
        if (type == STT_GNU_IFUNC) facts_.resolvers = true;
        if (dynamic && symbol.st_shndx == SHN_UNDEF) facts_.undefined.emplace_back(name);
        bool own = false; // of the shim
        for (auto const* const n : {"threadIdx", "blockIdx", "lkt_dynamic", "lkt_beyond"})
            own = own || name.find(n) != name.npos;
        if (!dynamic && type == STT_TLS && symbol.st_shndx != SHN_UNDEF && !own)
            facts_.thread_bytes += symbol.st_size;
    }

    std::span<std::byte const> file_;
    std::vector<Elf64_Phdr> loads_;
    Elf64_Phdr dynamic_{};
    module_facts facts_;
};

/// Functions of the C and mathematics libraries that compute and nothing else.
[[nodiscard]] inline bool computes_only(std::string_view symbol, bool checked) {
    static constexpr std::string_view plain[] = {
        "memcpy",
        "memmove",
        "memset",
        "memcmp",
        "__tls_get_addr",
        "__cxa_finalize",
        "__stack_chk_fail",
        "_ITM_deregisterTMCloneTable",
        "_ITM_registerTMCloneTable",
        "__gmon_start__",
    };
    static constexpr std::string_view of_numbers[] = {
        "sin",    "cos",   "tan",       "asin",   "acos",      "atan",   "sinh",     "cosh",
        "tanh",   "asinh", "acosh",     "atanh",  "exp",       "exp2",   "exp10",    "expm1",
        "log",    "log2",  "log10",     "log1p",  "logb",      "sqrt",   "cbrt",     "floor",
        "ceil",   "trunc", "round",     "rint",   "nearbyint", "erf",    "erfc",     "tgamma",
        "lgamma", "atan2", "pow",       "fmod",   "remainder", "hypot",  "copysign", "fdim",
        "fmax",   "fmin",  "nextafter", "fma",    "ldexp",     "scalbn", "frexp",    "modf",
        "ilogb",  "lrint", "lround",    "llrint", "llround",   "sincos", "fabs",
    };
    for (auto const p : plain)
        if (symbol == p) return true;
    for (auto const p : of_numbers)
        if (symbol == p ||
            (symbol.size() == p.size() + 1 && symbol.starts_with(p) && symbol.back() == 'f'))
            return true;
    return checked && (symbol.starts_with("__asan_") || symbol.starts_with("__ubsan_") ||
                       symbol.starts_with("__sanitizer_"));
}

} // namespace lkt::host_detail
