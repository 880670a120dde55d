// SPDX-License-Identifier: BSL-1.0
// What prompts say of a kernel's profile: what bounds it first, a few lines in all.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/profile.hpp>
#include <lkt/nodes/words.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

/// One fact, of several that are known or not.
class fact_list {
public:
    explicit fact_list(std::string begin) : text_(std::move(begin)) {}
    void add(kernel_profile::number const& value, auto const& words) {
        if (!value) return;
        text_ += (empty_ ? "" : ", ") + words(*value);
        empty_ = false;
    }
    void add_percent(std::string const& of, kernel_profile::number const& value) {
        add(value, [&](double v) { return of + " " + percent_words(v); });
    }
    void put_into(std::vector<std::string>& facts) && {
        if (!empty_) facts.push_back(std::move(text_));
    }

private:
    std::string text_;
    bool empty_ = true;
};

/// `least`: the bytes that the problem needs at least; 0 where that is not known.
[[nodiscard]] inline std::vector<std::string> profile_facts(kernel_profile const& p,
                                                            std::uint64_t least) {
    std::vector<std::string> facts;
    if (std::string const first = bottleneck_words(p); !first.empty())
        facts.push_back("profiled, what bounds it: " + first);

    fact_list peaks("profiled, of the peak: ");
    peaks.add_percent("compute", p.compute_percent);
    peaks.add_percent("device memory", p.dram_percent);
    peaks.add_percent("L2", p.l2_percent);
    peaks.add_percent("L1 and shared memory", p.l1_percent);
    peaks.add_percent("float pipe", p.fp32_percent);
    peaks.add_percent("tensor cores", p.tensor_percent);
    std::move(peaks).put_into(facts);

    fact_list stalls("profiled, what warps wait for, of their time: ");
    for (std::size_t k = 0; k < std::min<std::size_t>(p.stalls.size(), 3); ++k)
        stalls.add(p.stalls[k].percent, [&](double v) {
            return percent_words(v) + " " + stall_words(p.stalls[k].reason);
        });
    std::move(stalls).put_into(facts);

    fact_list memory("profiled, memory: ");
    memory.add(p.dram_bytes, [&](double v) {
        auto const moved = static_cast<std::uint64_t>(std::min(v, 1e18));
        std::string text = to_string(bytes{moved}) + " read from device memory and written to it";
        if (least > 0)
            text += " (" + significant(std::round(100 * v / static_cast<double>(least)) / 100) +
                    " times what every input read once and every output written once comes to)";
        return text;
    });
    memory.add_percent("L1 hits", p.l1_hit_percent);
    memory.add_percent("L2 hits", p.l2_hit_percent);
    memory.add(p.load_sectors, [](double v) {
        return significant(v) + " sectors of 32 bytes for a load of a warp (4 where 32 elements of "
                                "4 bytes lie side by side)";
    });
    memory.add(p.store_sectors, [](double v) { return significant(v) + " for a store"; });
    std::move(memory).put_into(facts);

    fact_list costs("profiled, what costs besides: ");
    if (p.shared_wavefronts.value_or(0) > 0 && p.bank_conflicts.value_or(0) > 0)
        costs.add_percent("bank conflicts, of the cycles of shared memory",
                          100 * *p.bank_conflicts / *p.shared_wavefronts);
    if (p.local_load_sectors.value_or(0) > 0)
        costs.add(p.local_load_sectors, [](double v) {
            return significant(v) + " sectors loaded from local memory (spilled registers, or "
                                    "arrays that are indexed at run time)";
        });
    std::move(costs).put_into(facts);

    fact_list execution("profiled, execution: ");
    execution.add_percent("achieved occupancy", p.warps_percent);
    execution.add(p.issued_per_cycle, [](double v) {
        return significant(v) + " of 4 possible instructions issued in a cycle of a multiprocessor";
    });
    execution.add(p.threads_per_instruction, [](double v) {
        return significant(v) + " of 32 threads active in an instruction";
    });
    std::move(execution).put_into(facts);
    return facts;
}

} // namespace lkt::detail
