// SPDX-License-Identifier: BSL-1.0
// What prompts say of the device, and of a kernel on it: what is known, and nothing else.
#pragma once

#include <lkt/core/quantity.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/nodes/detail/profile_facts.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/nodes/words.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

/// The arithmetic that was measured, by `wgmma` where a kernel may contain it; empty where none
/// was.
[[nodiscard]] inline std::string peaks_fact(device_description const& d) {
    std::string text;
    auto const add = [&text](std::string const& name, double rate) {
        if (rate > 0) text += (text.empty() ? "" : ", ") + name + " " + to_string(flop_rate(rate));
    };
    auto const add_tensor = [&add](std::string by, device_rates const& r) {
        for (auto const& [name, rate] : {std::pair("tf32", r.tensor_tf32),
                                         std::pair("half", r.tensor_fp16),
                                         std::pair("bfloat16", r.tensor_bf16),
                                         std::pair("float8", r.tensor_fp8),
                                         std::pair("int8", r.tensor_int8)}) {
            add(by + name, rate);
            if (rate > 0) by.clear();
        }
    };
    device_rates const& measured = d.peaks.measured;
    add("float64", measured.fp64);
    add("float32", measured.fp32);
    add("pairs of half", measured.fp16);
    bool const wgmma = d.allows_wgmma() && d.peaks.wgmma != device_rates();
    add_tensor(wgmma ? "tensor cores by mma.sync: " : "tensor cores: ", measured);
    if (wgmma) add_tensor("by wgmma: ", d.peaks.wgmma);
    return text.empty() ? text : "arithmetic, measured: " + text;
}

/// How a kernel asks for tensor maps.
inline constexpr std::string_view tensor_maps_fact =
    "tensor maps (TMA) of inputs: for a parameter `const __grid_constant__ CUtensorMap A_map`, "
    "which stands behind the original's parameters, write the line\n"
    "  // lkt: tensor_map A_map = A[M][K], box [64][BK], swizzle 128B, if K % 8 == 0\n"
    "  A is an input's parameter, which the kernel does not write. Extents and box count its "
    "elements, the last dimension is contiguous, and there may be `, stride [lda]` for the "
    "dimensions before it; all are expressions over whole numbers: parameters, tunable "
    "parameters, macros and constants. The map lies within the buffer. A box has at most 256 "
    "elements in a dimension, "
    "strides and the box's last dimension are multiples of 16 bytes, and the latter is at most the "
    "swizzle (32B, 64B, 128B, or leave it out). Where the condition is false there is no map: the "
    "kernel must then read A itself, as other sizes are tested too. Coordinates in "
    "`cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
    "[%0], [%1, {%2, %3}], [%4];` begin with the last dimension, elements outside are read as "
    "zeros, and the map is `\"l\"(&A_map)`; a helper function takes it as "
    "`CUtensorMap const& map` and is called with its name";

/// What a kernel that sums up float8 with tensor cores must know; empty for others, and where sums
/// are those of `float`.
[[nodiscard]] inline std::string float8_sums_fact(problem const& task,
                                                  device_description const& d) {
    constexpr int of_float = 24;
    bool const float8 = std::any_of(task.signature.arguments.begin(),
                                    task.signature.arguments.end(),
                                    [](argument const& a) { return is_float8(a.type.scalar); });
    int const by_mma = d.peaks.float8_sum_bits;
    int const by_wgmma = d.allows_wgmma() ? d.peaks.wgmma_float8_sum_bits : 0;
    bool const short_mma = by_mma > 0 && by_mma < of_float;
    bool const short_wgmma = by_wgmma > 0 && by_wgmma < of_float;
    if (!float8 || (!short_mma && !short_wgmma)) return {};
    std::string text = "sums of float8 products that tensor cores make by ";
    if (short_mma && short_wgmma && by_mma != by_wgmma)
        text += "mma.sync keep " + std::to_string(by_mma) + " significant bits, those by wgmma " +
                std::to_string(by_wgmma) + ", measured; float has 24";
    else
        text +=
            std::string(!short_wgmma ? "mma.sync"
                        : !short_mma ? "wgmma"
                                     : "mma.sync and wgmma") +
            " keep " + std::to_string(short_wgmma ? by_wgmma : by_mma) +
            " significant bits, measured" +
            (by_mma >= of_float ? "; those by mma.sync keep 24, as float does" : "; float has 24");
    return text + ". Where this is not enough, " +
           (by_mma >= of_float ? "multiply by mma.sync, or " : "") +
           "convert float8 to half, which is exact, and multiply that";
}

/// All that is known of the device and concerns the task.
[[nodiscard]] inline std::vector<std::string> device_facts(problem const& task,
                                                           device_description const& d) {
    bool const wgsl = task.reference.language == language::wgsl;
    std::vector<std::string> facts{d.name + " (" + d.backend +
                                   (d.architecture.empty() ? "" : ", " + d.architecture) + ")"};
    if (d.multiprocessors > 0)
        facts.push_back("multiprocessors: " + std::to_string(d.multiprocessors));
    std::string const most = std::to_string(d.max_threads_per_block);
    std::string const together = std::to_string(d.warp_size);
    facts.push_back(wgsl ? "invocations in a workgroup: at most " + most +
                               ", invocations in a subgroup: " + together
                         : "threads in a block: at most " + most +
                               ", threads in a warp: " + together);
    facts.push_back((wgsl ? "workgroup memory: at most " : "shared memory of a block: at most ") +
                    to_string(d.shared_memory_per_block));
    std::string each;
    auto const add = [&](std::string const& what) { each += (each.empty() ? "" : ", ") + what; };
    if (d.threads_per_multiprocessor > 0)
        add(std::to_string(d.threads_per_multiprocessor) + " threads");
    if (d.registers_per_multiprocessor > 0)
        add(std::to_string(d.registers_per_multiprocessor) + " registers");
    if (d.shared_memory_per_multiprocessor.count > 0)
        add(to_string(d.shared_memory_per_multiprocessor) + " of shared memory");
    if (!each.empty()) facts.push_back("a multiprocessor has " + each);
    if (d.memory.count > 0) facts.push_back("memory: " + to_string(d.memory));
    if (d.memory_bandwidth > 0)
        facts.push_back("memory bandwidth: " + to_string(byte_rate(d.memory_bandwidth)) +
                        " on paper" +
                        (d.peaks.measured.copy > 0
                             ? ", " + to_string(byte_rate(d.peaks.measured.copy)) + " measured"
                             : ""));
    if (std::string peaks = peaks_fact(d); !peaks.empty()) facts.push_back(std::move(peaks));
    if (std::string sums = float8_sums_fact(task, d); !sums.empty())
        facts.push_back(std::move(sums));
    if (d.l2.count > 0) facts.push_back("cache before the memory (L2): " + to_string(d.l2));
    if (!d.ptx.empty() && !wgsl)
        facts.push_back("inline PTX may contain (for " + d.architecture +
                        ", in `asm` statements with "
                        "plain strings, no comments, registers declared in braces): " +
                        d.ptx +
                        (d.ptx.find("`createpolicy") == std::string::npos
                             ? ""
                             : ". Not `evict_last`: each measured launch starts cold"));
    if (!wgsl && d.ptx.find("`cp.async.bulk.tensor`") != std::string::npos)
        facts.emplace_back(tensor_maps_fact);
    if (d.simulated)
        facts.push_back(
            wgsl ? "This device executes the kernel on a CPU, by a driver in software. Optimise as "
                   "for a CPU: work per invocation, values kept in registers, "
                   "contiguous and reused memory accesses, few barriers."
                 : "This device executes the kernel's text on a CPU. Blocks run in parallel on a "
                   "few cores. The threads of a block run one after another on one core: as a "
                   "loop over threadIdx that the compiler may vectorise when the kernel has no "
                   "barrier, as fibres (slow) when it has one. Optimise as for a CPU: "
                   "work per thread, values kept in registers, contiguous and reused memory "
                   "accesses, inner loops without branches that the compiler can vectorise.");
    return facts;
}

/// How far the kernel is from the roof: what the problem's bytes and operations take on this
/// device. Nothing where bytes, peaks or time are not known.
[[nodiscard]] inline std::string
roofline_fact(problem const& task, measurement const& time, device_description const& d) {
    roofline const r = roofline_of(task, d);
    seconds const taken = time.median();
    if (!(taken.count() > 0) || !std::isfinite(taken.count())) return {};
    std::string text;
    auto const clause = [&](std::string const& words) {
        text += (text.empty() ? "" : "; ") + words;
    };
    auto const source = [](bool measured) { return measured ? ", as measured," : ""; };
    if (r.bytes > 0 && r.bandwidth > 0) {
        std::string const moved = to_string(bytes{static_cast<std::uint64_t>(r.bytes)});
        std::string const what =
            task.work.bytes
                ? "a launch moves " + moved
                : "reading every input once and writing every output once moves " + moved;
        clause(r.cached
                   ? what + ", about what the L2 cache holds: memory bandwidth is not a bound"
                   : what + ": at " + to_string(byte_rate(r.bandwidth)) +
                         source(r.bandwidth_measured) + " that takes " + to_string(r.memory_time));
    }
    if (r.arithmetic_time.count() > 0)
        clause("a launch needs " + significant(r.operations / 1e9) + " GFLOP in " +
               std::string(to_string(*r.type)) + ": at " + to_string(flop_rate(r.rate)) +
               source(r.rate_measured) + " that takes " + to_string(r.arithmetic_time));
    if (r.least().count() > 0)
        clause("the kernel takes " + to_string(taken) + ", so it reaches " +
               (r.memory_bound() ? to_string(byte_rate(r.bytes / taken.count()))
                                 : to_string(flop_rate(r.operations / taken.count()))) +
               ", " + significant(std::round(1000 * r.share(taken)) / 10) + " % of what " +
               (r.memory_bound() ? "memory" : "arithmetic") + " allows");
    if (std::string const unknown = unknown_arithmetic(r); !text.empty() && !unknown.empty())
        clause(unknown + ", so arithmetic may be what limits it");
    return text;
}

/// `registers of a thread: 40; ...`; empty where the back end says nothing.
[[nodiscard]] inline std::string resources_fact(tuned_kernel const& k) {
    std::string text;
    auto const add = [&](std::string const& what) { text += (text.empty() ? "" : ", ") + what; };
    if (k.resources) {
        kernel_resources const& r = *k.resources;
        add(std::to_string(r.registers) + " registers a thread");
        if (r.spill_store_bytes > 0 || r.spill_load_bytes > 0)
            add("spills: " + std::to_string(r.spill_store_bytes) + " bytes stored and " +
                std::to_string(r.spill_load_bytes) + " loaded a thread");
        if (r.stack_bytes > 0)
            add(std::to_string(r.stack_bytes) + " bytes of local memory (stack) a thread");
        if (r.static_shared_bytes > 0)
            add(std::to_string(r.static_shared_bytes) + " bytes of static shared memory a block");
    }
    if (k.occupancy > 0)
        add("occupancy " + significant(std::round(1000 * k.occupancy) / 10) + " %");
    if (!text.empty()) text = "it takes " + text;
    if (k.resources)
        for (std::string const& remark : k.resources->remarks)
            text += "; the compiler says: " + remark;
    return text;
}

[[nodiscard]] inline std::vector<std::string> measured_facts(problem const& task,
                                                             tuned_kernel const& current,
                                                             measurement const& baseline,
                                                             device_description const& device) {
    std::vector<std::string> facts{"this kernel: " + to_string(current.time.median()) +
                                   " a launch (median), " + to_string(current.dimensions)};
    if (!current.config.values.empty()) facts.back() += ", " + configuration_words(current.config);
    if (!(baseline.samples == current.time.samples))
        facts.push_back("the original: " + to_string(baseline.median()) + " a launch (median)");
    for (std::string fact : {resources_fact(current), roofline_fact(task, current.time, device)})
        if (!fact.empty()) facts.push_back(std::move(fact));
    if (current.profile)
        for (std::string& fact : profile_facts(*current.profile, bytes_once(task).value_or(0)))
            facts.push_back(std::move(fact));
    return facts;
}

} // namespace lkt::detail
