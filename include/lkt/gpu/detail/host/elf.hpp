// SPDX-License-Identifier: BSL-1.0
// The second defence: what was compiled is looked at before anything loads it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <map>
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
    /// Code that runs when it is loaded or unloaded, but for what a sanitizer adds.
    bool constructors = false;
    bool resolvers = false; ///< code that runs to resolve a symbol (IFUNC)
    std::vector<std::pair<std::string, std::uint64_t>> of_threads; ///< thread-local variables
    std::vector<std::pair<std::string, std::uint64_t>> writable;   ///< others, with their sizes
    std::vector<std::uint64_t> addresses;                          ///< of them
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
        for (auto const& r : run_by_itself_)
            for (std::uint64_t k = 0; k < r.size / 8; ++k)
                facts_.constructors = facts_.constructors || !of_a_sanitizer(r.address + 8 * k);
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
                return look_at_relocations(relocations, relocation_bytes);
            case DT_INIT:
            case DT_FINI:
                facts_.constructors = true;
                break;
            case DT_INIT_ARRAY:
                run_by_itself_[0].address = d->d_un.d_ptr;
                break;
            case DT_INIT_ARRAYSZ:
                run_by_itself_[0].size = d->d_un.d_val;
                break;
            case DT_FINI_ARRAY:
                run_by_itself_[1].address = d->d_un.d_ptr;
                break;
            case DT_FINI_ARRAYSZ:
                run_by_itself_[1].size = d->d_un.d_val;
                break;
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
    /// For functions that are found at run time, and where the lists of constructors point to.
    bool look_at_relocations(std::uint64_t address, std::uint64_t size) {
        if (size == 0) return true;
        auto const offset = file_offset(address);
        for (std::uint64_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
            auto const* const r = at<Elf64_Rela>(offset + i * sizeof(Elf64_Rela));
            if (r == nullptr) return false;
            auto const type = ELF64_R_TYPE(r->r_info);
            facts_.resolvers =
                facts_.resolvers || type == R_X86_64_IRELATIVE || type == R_AARCH64_IRELATIVE;
            if (type == R_X86_64_RELATIVE || type == R_AARCH64_RELATIVE)
                points_to_.insert_or_assign(r->r_offset, static_cast<std::uint64_t>(r->r_addend));
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
        if (type == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
            functions_.emplace(symbol.st_value, name);
        if (dynamic && symbol.st_shndx == SHN_UNDEF) facts_.undefined.emplace_back(name);
        if (!dynamic && type == STT_TLS && symbol.st_shndx != SHN_UNDEF)
            facts_.of_threads.emplace_back(name, symbol.st_size);
    }

    /// Whether the entry at `address`, of a list of functions that run by themselves, is one that
    /// the compiler adds with -fsanitize. Its name tells; whoever has two names is not one of them.
    [[nodiscard]] bool of_a_sanitizer(std::uint64_t address) const {
        auto const target = points_to_.find(address);
        if (target == points_to_.end()) return false;
        auto const [first, last] = functions_.equal_range(target->second);
        return first != last && std::all_of(first, last, [](auto const& f) {
                   for (auto const* const name :
                        {"asan.module_ctor", "asan.module_dtor", "tsan.module_ctor"})
                       if (f.second == name) return true;
                   // GCC: _sub_I_00099_1, by kind, priority and number.
                   std::string_view rest = f.second;
                   if (!rest.starts_with("_sub_I_") && !rest.starts_with("_sub_D_")) return false;
                   rest.remove_prefix(7);
                   return rest.starts_with("00099_") &&
                          rest.find_first_not_of("0123456789_") == rest.npos;
               });
    }

    std::span<std::byte const> file_;
    struct range {
        std::uint64_t address = 0, size = 0;
    };
    std::array<range, 2> run_by_itself_{};                ///< DT_INIT_ARRAY, DT_FINI_ARRAY
    std::map<std::uint64_t, std::uint64_t> points_to_;    ///< what relocations put where
    std::multimap<std::uint64_t, std::string> functions_; ///< by address
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
