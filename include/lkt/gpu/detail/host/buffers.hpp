// SPDX-License-Identifier: BSL-1.0
// The kernel's arguments in the cell: mapped, guarded, restored and poisoned before each launch.
#pragma once

#include <lkt/gpu/detail/host/job.hpp>

#include <array>
#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <span>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// A step of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes well, used on counters.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/// The pattern that an `out` argument holds before a launch: word i depends on seed, launch and
/// argument, so no kernel can know it, and no two launches share it.
inline void
poison(std::span<std::byte> to, std::uint64_t seed, std::uint64_t launch, std::uint64_t argument) {
    auto const key = mix(mix(seed ^ mix(launch)) + argument);
    std::size_t at = 0;
    for (; at + 8 <= to.size(); at += 8) {
        auto const word = mix(key + at);
        std::memcpy(to.data() + at, &word, 8);
    }
    auto const word = mix(key + at);
    std::memcpy(to.data() + at, &word, to.size() - at);
}

/// One argument in the memory of the cell.
struct mapped_argument {
    void* pointer = nullptr;             ///< what the kernel is given, or null for a value
    std::byte* pages = nullptr;          ///< where its pages begin, between two guards
    std::byte const* pristine = nullptr; ///< the contents to restore
    /// Of a value, aligned as any struct may be.
    struct alignas(128) piece {
        std::array<char, 128> bytes{};
    };
    std::vector<piece> value{};
};

/// Mapped by the worker, since a cell cannot map shared memory; used in the cell, which inherits
/// it.
class buffers {
public:
    /// Far more than an index that is off by a row of a matrix reaches.
    static constexpr std::uint64_t guard = std::uint64_t{1} << 20;

    buffers() = default;
    ~buffers() {
        for (auto const& [address, size] : mappings_) ::munmap(address, size);
    }
    buffers(buffers const&) = delete;
    buffers& operator=(buffers const&) = delete;

    /// Null, or what could not be mapped.
    [[nodiscard]] char const* map(job const& j, int arena) {
        job_ = &j;
        canary_key_ = mix(j.poison_seed ^ 0x510e527fade682d1U);
        arena_ = arena;
        head_ = reserve(head_bytes(j.launches), PROT_READ | PROT_WRITE, MAP_SHARED, arena, 0);
        if (head_ == nullptr) return "the times";
        kept_size_ = kept_bytes(j) * j.keep.size();
        if (kept_size_ != 0)
            kept_ = static_cast<std::byte*>(
                reserve(kept_size_, PROT_NONE, MAP_SHARED, arena, j.kept_offset));
        if (kept_size_ != 0 && kept_ == nullptr) return "the outputs to keep";
        sets_.resize(j.sets);
        for (std::size_t k = 0; k < j.sets; ++k)
            if (!map(k)) return "an argument";
        return nullptr;
    }

    /// The arguments of the launches to come.
    void select(std::size_t set) { set_ = set; }

    [[nodiscard]] arena_head& head() const { return *static_cast<arena_head*>(head_); }
    [[nodiscard]] std::uint64_t* times() const {
        return reinterpret_cast<std::uint64_t*>(&head() + 1); // NOLINT
    }

    /// In the cell: under AddressSanitizer the padding is out of bounds as well.
    void annotate() {
        using poison_region = void (*)(void const volatile*, std::size_t);
        auto const hide = reinterpret_cast<poison_region>( // NOLINT
            ::dlsym(RTLD_DEFAULT, "__asan_poison_memory_region"));
        if (hide == nullptr || !job_->checked) return;
        annotated_ = true;
        for (auto const& set : sets_)
            for (std::size_t i = 0; i < set.arguments.size(); ++i) {
                auto const& a = job_->arguments[i];
                if (!a.buffer) continue;
                auto* const pages = set.arguments[i].pages;
                auto const begin = place_in_pages(a.size);
                hide(pages, begin);
                hide(pages + begin + a.size, whole_pages(a.size) - begin - a.size);
            }
    }

    /// Of the parameters, in order.
    [[nodiscard]] void* const* pointers() const { return sets_[set_].pointers.data(); }
    [[nodiscard]] mapped_argument const& at(std::size_t i) const {
        return sets_[set_].arguments[i];
    }

    void prepare(std::uint64_t launch) {
        for (std::size_t i = 0; i < job_->arguments.size(); ++i) {
            auto const& a = job_->arguments[i];
            auto const& m = at(i);
            if (!a.buffer || a.flow == direction::in) continue;
            if (a.flow == direction::out)
                poison({static_cast<std::byte*>(m.pointer), a.size}, job_->poison_seed, launch, i);
            else
                std::memcpy(m.pointer, m.pristine, a.size);
        }
    }

    /// What was written around the buffers, of whichever set: a phrase, or empty. (Past the pages
    /// it has crashed.)
    [[nodiscard]] std::string overrun() const {
        for (auto const& set : sets_)
            if (auto what = overrun(set); !what.empty()) return what;
        return {};
    }

    /// Copies all outputs to the arena, which is out of the kernel's reach at all other times.
    /// False: it could not be reached.
    [[nodiscard]] bool keep(std::size_t index) const {
        if (kept_size_ == 0) return true;
        if (::mprotect(kept_, kept_size_, PROT_READ | PROT_WRITE) != 0) return false;
        auto* to = kept_ + index * kept_bytes(*job_);
        for (std::size_t i = 0; i < job_->arguments.size(); ++i) {
            auto const& a = job_->arguments[i];
            if (!a.buffer || a.flow == direction::in) continue;
            if (a.size != 0) std::memcpy(to, at(i).pointer, a.size);
            to += whole_pages(a.size);
        }
        return ::mprotect(kept_, kept_size_, PROT_NONE) == 0;
    }

    /// Arena bytes that the outputs of one launch take.
    [[nodiscard]] static std::uint64_t kept_bytes(job const& j) {
        std::uint64_t n = 0;
        for (auto const& a : j.arguments)
            if (a.buffer && a.flow != direction::in) n += whole_pages(a.size);
        return n;
    }

private:
    struct mapped_set {
        std::vector<mapped_argument> arguments;
        std::vector<void*> pointers; ///< of the parameters, in order
    };

    [[nodiscard]] std::string overrun(mapped_set const& set) const {
        for (std::size_t i = 0; i < set.arguments.size(); ++i) {
            auto const& a = job_->arguments[i];
            if (!a.buffer || a.flow == direction::in || annotated_) continue;
            auto const* const pages = set.arguments[i].pages;
            auto const begin = place_in_pages(a.size), end = begin + a.size;
            for (std::uint64_t k = begin; k-- > 0;)
                if (pages[k] != canary(k))
                    return "write " + std::to_string(begin - k) + " bytes before argument " +
                           a.name;
            for (std::uint64_t k = end; k < whole_pages(a.size); ++k)
                if (pages[k] != canary(k))
                    return "write " + std::to_string(k - end) + " bytes after argument " + a.name;
        }
        return {};
    }

    /// Differs from byte to byte and from run to run: no kernel can know it.
    [[nodiscard]] std::byte canary(std::uint64_t k) const {
        return static_cast<std::byte>(mix(canary_key_ + k) & 0xff);
    }

    /// Null if it failed; unmapped by the destructor.
    void* reserve(std::uint64_t size, int protection, int flags, int fd, std::uint64_t offset) {
        auto* const p = ::mmap(nullptr, size, protection, flags, fd, static_cast<off_t>(offset));
        if (p == MAP_FAILED) return nullptr;
        mappings_.emplace_back(p, size);
        return p;
    }

    bool map(std::size_t number) {
        auto& set = sets_[number];
        set.arguments.resize(job_->arguments.size());
        for (std::size_t i = 0; i < job_->arguments.size(); ++i) {
            auto const& a = job_->arguments[i];
            auto& m = set.arguments[i];
            if (!a.buffer) {
                auto const& value = a.values[number];
                m.value.resize(value.size() / sizeof(mapped_argument::piece) + 1);
                std::memcpy(m.value.data(), value.data(), value.size());
                set.pointers.push_back(m.value.data());
                continue;
            }
            if (!map(a, a.offsets[number], m)) return false;
            if (!a.constant) set.pointers.push_back(&m.pointer);
        }
        return true;
    }

    bool map(job_argument const& a, std::uint64_t offset, mapped_argument& m) {
        auto const size = whole_pages(a.size), begin = place_in_pages(a.size);
        auto* const space = static_cast<std::byte*>(reserve(
            size + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (space == nullptr) return false;
        m.pages = space + guard;
        m.pointer = m.pages + begin;
        if (a.flow == direction::in) {
            auto* const p = ::mmap(m.pages,
                                   size,
                                   PROT_READ,
                                   MAP_SHARED | MAP_FIXED,
                                   arena_,
                                   static_cast<off_t>(offset));
            return p != MAP_FAILED;
        }
        if (::mprotect(m.pages, size, PROT_READ | PROT_WRITE) != 0) return false;
        for (std::uint64_t k = 0; k < begin; ++k) m.pages[k] = canary(k);
        for (std::uint64_t k = begin + a.size; k < size; ++k) m.pages[k] = canary(k);
        if (a.flow == direction::inout) {
            auto* const p = reserve(size, PROT_READ, MAP_SHARED, arena_, offset);
            if (p == nullptr) return false;
            m.pristine = static_cast<std::byte const*>(p) + begin;
        }
        return true;
    }

    job const* job_ = nullptr;
    int arena_ = -1;
    void* head_ = nullptr;
    std::byte* kept_ = nullptr;
    std::uint64_t kept_size_ = 0;
    std::vector<std::pair<void*, std::uint64_t>> mappings_;
    bool annotated_ = false;
    std::vector<mapped_set> sets_;
    std::size_t set_ = 0;
    std::uint64_t canary_key_ = 0;
};

} // namespace lkt::host_detail
