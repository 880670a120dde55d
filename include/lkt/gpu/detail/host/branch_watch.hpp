// SPDX-License-Identifier: BSL-1.0
// Notes in the cell what a kernel compares and where it goes on. The kernel is compiled with
// -fsanitize-coverage, and the shim has the hooks.
#pragma once

#include <lkt/gpu/branches.hpp>
#include <lkt/gpu/detail/host/module.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <span>

namespace lkt::host_detail {

/// What was seen at one site, as it lies in the arena; what each note reads is in one cache line.
struct alignas(64) branch_place {
    static constexpr std::size_t kept = 6, most_ways = 8;

    std::uint32_t at = 0, type = 0; ///< `at` 0: it is free
    std::uint64_t count = 0;
    std::uint32_t relations = 0; ///< 1: less, 2: equal, 4: greater
    std::uint32_t pairs = 0, ways = 0;
    compared_pair nearest{};
    std::uint32_t to[most_ways]{};
    compared_pair first[kept]{};

    /// Whether a pair that is related so would change nothing but the count: equal operands, which
    /// are the nearest, have been seen. A loop's condition is never all three.
    [[nodiscard]] bool knows(std::uint32_t relation) const {
        return pairs == kept && (relations & 2) != 0 && (relation & ~relations) == 0;
    }
    void goes_to(std::uint32_t next) {
        if (to[0] == next) return;
        auto* const end = to + ways;
        if (std::find(to, end, next) == end && ways < most_ways) to[ways++] = next;
    }
};

/// How far apart two operands are.
[[nodiscard]] inline double distance(operand_type type, compared_pair p) {
    double const d = std::fabs(operand_value(type, p.left) - operand_value(type, p.right));
    return std::isnan(d) ? HUGE_VAL : d;
}

/// One thread of the system runs all blocks. What is compared and what comes next need no thread of
/// the kernel to be known: between the two, no other one runs.
class branch_watch {
public:
    /// `places`: none, or a power of two.
    branch_watch(module_table const& module, std::span<branch_place> places) : places_(places) {
        Dl_info about{};
        if (places_.empty() || ::dladdr(&module, &about) == 0) return;
        base_ = reinterpret_cast<std::uintptr_t>(about.dli_fbase); // NOLINT
        running = this;
    }
    ~branch_watch() { running = nullptr; }
    branch_watch(branch_watch const&) = delete;
    branch_watch& operator=(branch_watch const&) = delete;

    static void
    compare(unsigned type, unsigned long long left, unsigned long long right, void const* code) {
        if (running != nullptr)
            running->note(static_cast<operand_type>(type),
                          {left, right},
                          reinterpret_cast<std::uintptr_t>(code)); // NOLINT
    }

private:
    void note(operand_type type, compared_pair pair, std::uintptr_t code) {
        auto const at = static_cast<std::uint32_t>(code - base_);
        auto* const here = find(at);
        auto* const before = last_;
        last_ = here;
        if (here == nullptr) return;
        ++here->count;
        if (type == operand_type::steps) {
            if (before != nullptr) before->goes_to(at);
            return;
        }
        auto const how = relation(type, pair);
        if (here->knows(how)) return;
        here->type = static_cast<std::uint32_t>(type);
        here->relations |= how;
        auto* const end = here->first + here->pairs;
        if (here->pairs < branch_place::kept && std::find(here->first, end, pair) == end)
            here->first[here->pairs++] = pair;
        if (here->count == 1 || distance(type, pair) < distance(type, here->nearest))
            here->nearest = pair;
    }
    [[nodiscard]] static std::uint32_t relation(operand_type type, compared_pair p) {
        double const a = operand_value(type, p.left), b = operand_value(type, p.right);
        return a < b ? 1 : a > b ? 4 : a == b ? 2 : 0;
    }
    /// Open addressing; nothing when it is full. Sites that are near each other stay so: scattered,
    /// each would miss the cache.
    [[nodiscard]] branch_place* find(std::uint32_t at) {
        auto const size = places_.size();
        for (std::size_t k = at / 8 & (size - 1), n = 0; n < size; ++n, k = (k + 1) & (size - 1)) {
            auto& one = places_[k];
            if (one.at == at) return &one;
            if (one.at == 0) {
                one.at = at;
                return &one;
            }
        }
        return nullptr;
    }

    static inline branch_watch* running = nullptr;

    std::span<branch_place> places_;
    std::uintptr_t base_ = 0;
    branch_place* last_ = nullptr;
};

/// What a run left in its arena.
[[nodiscard]] inline branches_seen read_branches(std::span<branch_place const> places) {
    branches_seen all;
    for (auto const& one : places) {
        if (one.at == 0) continue;
        all.steps += one.count;
        for (std::size_t k = 0; k < std::min<std::size_t>(one.ways, branch_place::most_ways); ++k)
            all.taken.emplace_back(one.at, one.to[k]);
        if (one.type == 0 || one.type > static_cast<std::uint32_t>(operand_type::real64)) continue;
        comparison_seen seen;
        seen.at = one.at;
        seen.type = static_cast<operand_type>(one.type);
        seen.count = one.count;
        seen.less = (one.relations & 1) != 0;
        seen.equal = (one.relations & 2) != 0;
        seen.greater = (one.relations & 4) != 0;
        seen.nearest = one.nearest;
        auto const pairs = std::min<std::size_t>(one.pairs, branch_place::kept);
        seen.first.assign(one.first, one.first + pairs);
        all.comparisons.push_back(std::move(seen));
    }
    return all;
}

} // namespace lkt::host_detail
