// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/toolkit.hpp>
#include <lkt/gpu/cuda/evidence.hpp>

#include <lkt/core/quantity.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace lkt::cuda_detail {

namespace profiler_parts { // profiler_log.ipp
std::optional<std::vector<std::string>> fields_of_line(std::string_view line);
std::optional<double> number_in(std::string text);
} // namespace profiler_parts

namespace evidence_parts {

constexpr char const* bytes_unit = "bytes";
constexpr char const* warp_instructions = "instructions of a warp";
constexpr char const* thread_instructions = "instructions of a thread";
constexpr char const* sectors = "sectors of 32 bytes";
constexpr char const* of_peak = "% of the peak";

constexpr std::array<known_counter, 34> counters{{
    {"cycles", "sm__cycles_elapsed.max", "cycles", "of a multiprocessor, from begin to end"},
    {"waves", "launch__waves_per_multiprocessor", "waves", "of blocks"},
    {"dram_read_bytes", "dram__bytes_read.sum", bytes_unit, "from device memory"},
    {"dram_write_bytes", "dram__bytes_write.sum", bytes_unit, "to device memory"},
    {"l2_read_sectors", "lts__t_sectors_op_read.sum", sectors, ""},
    {"l2_write_sectors", "lts__t_sectors_op_write.sum", sectors, ""},
    {"l2_atomic_sectors", "lts__t_sectors_op_atom.sum", sectors, "atomics with a result"},
    {"l2_reduction_sectors", "lts__t_sectors_op_red.sum", sectors, "atomics without one"},
    {"global_load_requests",
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     warp_instructions,
     ""},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", sectors, ""},
    {"global_store_requests",
     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
     warp_instructions,
     ""},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", sectors, ""},
    {"local_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", sectors, "spills"},
    {"local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", sectors, "spills"},
    {"shared_load_cycles",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "cycles",
     "of shared memory"},
    {"shared_load_conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     "cycles",
     "of these, for bank conflicts"},
    {"shared_store_cycles",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "cycles",
     "of shared memory"},
    {"shared_store_conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     "cycles",
     "of these, for bank conflicts"},
    {"instructions", "smsp__inst_executed.sum", warp_instructions, "all"},
    {"fp32_add", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", thread_instructions, ""},
    {"fp32_multiply",
     "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
     thread_instructions,
     ""},
    {"fp32_multiply_add",
     "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
     thread_instructions,
     ""},
    {"fp64_multiply_add",
     "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
     thread_instructions,
     ""},
    {"half_multiply_add",
     "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum",
     thread_instructions,
     ""},
    {"integer", "smsp__sass_thread_inst_executed_op_integer_pred_on.sum", thread_instructions, ""},
    {"conversion",
     "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
     thread_instructions,
     "between types"},
    {"control",
     "smsp__sass_thread_inst_executed_op_control_pred_on.sum",
     thread_instructions,
     "branches and the like"},
    {"divergent_branches",
     "smsp__sass_branch_targets_threads_divergent.sum",
     "branches of a warp",
     ""},
    {"alu_pipe", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", of_peak, "integer"},
    {"xu_pipe",
     "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
     of_peak,
     "roots, sines, conversions"},
    {"lsu_pipe", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", of_peak, "loads"},
    {"fp64_pipe", "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", of_peak, ""},
    {"eligible_warps",
     "smsp__warps_eligible.avg.per_cycle_active",
     "warps",
     "of a scheduler that could issue"},
    {"issuing",
     "smsp__issue_active.avg.pct_of_peak_sustained_active",
     "% of the cycles",
     "in which a scheduler issues"},
}};

/// What warps wait for in samples, without `selected`: a warp that issues waits for nothing.
constexpr std::string_view sampled = "smsp__pcsamp_warps_issue_stalled_";
constexpr char const* stall_reasons[] = {"barrier",
                                         "branch_resolving",
                                         "dispatch_stall",
                                         "drain",
                                         "gmma",
                                         "imc_miss",
                                         "lg_throttle",
                                         "long_scoreboard",
                                         "math_pipe_throttle",
                                         "membar",
                                         "mio_throttle",
                                         "misc",
                                         "no_instructions",
                                         "not_selected",
                                         "short_scoreboard",
                                         "sleeping",
                                         "tex_throttle",
                                         "wait"};

known_counter const* find(std::string const& name) {
    auto const at = std::find_if(
        counters.begin(), counters.end(), [&](known_counter const& c) { return name == c.name; });
    return at == counters.end() ? nullptr : &*at;
}

/// The prefix of a unit, in which ncu may print in spite of `--print-units base`.
double prefix_of(std::string_view unit) {
    for (std::string_view const plain : {"byte", "sector", "inst", "cycle"}) {
        if (unit.size() != plain.size() + 1 || !unit.ends_with(plain)) continue;
        for (auto const& [letter, times] :
             {std::pair('K', 1e3), std::pair('M', 1e6), std::pair('G', 1e9)})
            if (unit.front() == letter) return times;
    }
    return 1;
}

std::string plain_number(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15
               ? std::to_string(static_cast<std::int64_t>(value))
               : significant(value);
}

std::string share_words(double part, double whole) {
    return significant(std::round(1000 * part / whole) / 10) + " %";
}

} // namespace evidence_parts

result<std::string> find_disassembler(std::string const& given) {
    constexpr toolkit_program nvdisasm{
        .name = "nvdisasm",
        .variable = "LKT_NVDISASM",
        .option = "cuda_options::disassembler",
        .code = "lkt.cuda.disassembler",
        .absent = "nvdisasm, the disassembler of the CUDA toolkit, was not found",
        .hint = "install it (NVIDIA's packages: cuda-nvdisasm-13-0; pip: nvidia-cuda-nvdisasm), or "
                "set LKT_NVDISASM to its file"};
    return find_program(nvdisasm, given);
}

std::span<known_counter const> known_counters() { return evidence_parts::counters; }

result<std::vector<std::string>> metrics_of(std::vector<std::string> const& counters) {
    std::vector<std::string> metrics;
    for (std::string const& name : counters) {
        auto const* const known = evidence_parts::find(name);
        if (known == nullptr)
            return error{condition::rejected,
                         "lkt.cuda.evidence",
                         "there is no counter of that name",
                         "take one that is offered"};
        metrics.emplace_back(known->metric);
    }
    return metrics;
}

std::vector<std::string> counter_lines(std::vector<std::string> const& counters,
                                       profiled_launch const& launch) {
    using namespace evidence_parts;
    std::vector<std::string> lines;
    for (std::string const& name : counters) {
        auto const* const known = evidence_parts::find(name);
        if (known == nullptr) continue;
        auto const at = std::find_if(launch.metrics.begin(),
                                     launch.metrics.end(),
                                     [&](auto const& m) { return m.name == known->metric; });
        lines.push_back(name + ": " +
                        (at == launch.metrics.end()
                             ? std::string("this device does not report it")
                             : plain_number(at->value * prefix_of(at->unit)) + " " + known->unit));
    }
    return lines;
}

std::vector<std::string> resource_lines(compiled_kernel const& kernel,
                                        launch_dimensions const& launch,
                                        device_description const& device) {
    std::vector<std::string> lines;
    if (!kernel.resources) return {"the compiler says nothing of this kernel"};
    kernel_resources const& r = *kernel.resources;
    auto const n = [](auto value) { return std::to_string(value); };
    lines.push_back(n(r.registers) + " registers of a thread, spills " + n(r.spill_store_bytes) +
                    " bytes stored and " + n(r.spill_load_bytes) + " loaded, stack " +
                    n(r.stack_bytes) + " bytes");
    lines.push_back("shared memory of a block: " + n(r.static_shared_bytes) + " bytes static, " +
                    n(launch.shared_bytes) + " dynamic; constant memory: " + n(r.constant_bytes) +
                    " bytes");
    for (std::string const& remark : r.remarks) lines.push_back("the compiler says: " + remark);
    auto const threads = static_cast<std::uint64_t>(launch.block.count());
    if (threads == 0 || device.warp_size == 0) return lines;
    auto const warps = (threads + device.warp_size - 1) / device.warp_size;
    std::string limits;
    auto const add = [&](std::uint64_t have, std::uint64_t of_block, char const* what) {
        if (have == 0 || of_block == 0) return;
        limits += (limits.empty() ? "" : ", ") + std::string(what) + " for " + n(have / of_block);
    };
    add(device.threads_per_multiprocessor, warps * device.warp_size, "threads");
    // A warp gets registers in groups of 256.
    auto const registers =
        (static_cast<std::uint64_t>(std::max(r.registers, 0)) * device.warp_size + 255) / 256 * 256;
    add(device.registers_per_multiprocessor, registers * warps, "registers");
    add(device.shared_memory_per_multiprocessor.count,
        static_cast<std::uint64_t>(r.static_shared_bytes) + launch.shared_bytes,
        "shared memory");
    if (!limits.empty())
        lines.push_back("a multiprocessor has room for so many blocks of this size: " + limits +
                        "; the launch has " +
                        significant(std::round(10.0 * static_cast<double>(launch.grid.count()) /
                                               std::max<double>(1, device.multiprocessors)) /
                                    10) +
                        " blocks for each of its " + n(device.multiprocessors) +
                        " multiprocessors");
    return lines;
}

std::vector<gpu_detail::code_line> read_disassembly(std::string_view text, std::string_view entry) {
    constexpr std::string_view place = "//## File \"", separator = "\", line ";
    std::vector<gpu_detail::code_line> code;
    bool inside = false;
    std::int64_t line = 0;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        auto one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (auto const at = one.find(".section"); at != one.npos) {
            auto name = one.substr(at + 8);
            name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
            name = name.substr(0, std::min(name.find(','), name.size()));
            inside = name.starts_with(".text.") && name.substr(6) == entry;
            line = 0;
            continue;
        }
        if (!inside) continue;
        if (auto const at = one.find(place); at != one.npos) {
            auto const file_end = one.find(separator, at);
            if (file_end == one.npos) continue;
            auto file = one.substr(at + place.size(), file_end - at - place.size());
            if (auto const slash = file.rfind('/'); slash != file.npos)
                file.remove_prefix(slash + 1);
            auto const number = one.substr(file_end + separator.size());
            line = 0;
            if (file == "kernel")
                std::from_chars(number.data(), number.data() + number.size(), line);
            continue;
        }
        auto const begin = one.find("*/"), open = one.find("/*");
        if (open == one.npos || begin == one.npos || begin < open) continue;
        auto what = one.substr(begin + 2);
        what.remove_prefix(std::min(what.find_first_not_of(" \t"), what.size()));
        what = what.substr(0, std::min(what.find(';'), what.size()));
        what = what.substr(0, what.find_last_not_of(" \t") + 1);
        if (!what.empty() && what != "NOP") code.push_back({line, std::string(what)});
    }
    return code;
}

std::vector<std::string> sampling_command(std::string const& program, std::string const& log) {
    // The samples alone: a section would instrument the launch, which takes it 300 times as long.
    // Reasons that a device does not have are left out by the tool.
    std::string metrics;
    for (char const* const reason : evidence_parts::stall_reasons)
        metrics += (metrics.empty() ? "" : ",") + std::string(evidence_parts::sampled) + reason;
    return {program,
            "--csv",
            "--page",
            "source",
            "--print-source",
            "sass",
            "--metrics",
            metrics,
            "--launch-count",
            "1",
            "--clock-control",
            "none",
            "--cache-control",
            "all",
            "--target-processes",
            "all",
            "--log-file",
            log};
}

std::vector<sampled_instruction> read_samples(std::string_view text) {
    using evidence_parts::sampled;
    std::vector<sampled_instruction> all;
    std::vector<std::pair<std::size_t, std::string>> reasons; // empty before the heading
    std::size_t source = 0, width = 0;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!line.starts_with('"')) continue;
        auto const row = profiler_parts::fields_of_line(line);
        if (!row) continue;
        if (reasons.empty()) {
            auto const name = std::find(row->begin(), row->end(), "Source");
            if (name == row->end()) continue;
            source = static_cast<std::size_t>(name - row->begin());
            width = row->size();
            for (std::size_t k = 0; k < width; ++k)
                if ((*row)[k].starts_with(sampled))
                    reasons.emplace_back(k, (*row)[k].substr(sampled.size()));
            continue;
        }
        if (row->size() != width) continue;
        sampled_instruction one;
        one.text = (*row)[source];
        for (auto const& [k, name] : reasons)
            if (auto const count = profiler_parts::number_in((*row)[k]); count && *count > 0)
                one.reasons[name] += *count, one.samples += *count;
        all.push_back(std::move(one));
    }
    return all;
}

std::vector<std::string> stall_lines(std::vector<sampled_instruction> const& samples,
                                     std::vector<gpu_detail::code_line> const& code) {
    using namespace evidence_parts;
    std::vector<sampled_instruction> instructions;
    for (sampled_instruction const& one : samples)
        if (gpu_detail::operation_of(one.text) != "NOP") instructions.push_back(one);
    bool const known = instructions.size() == code.size();
    double total = 0;
    std::map<std::string, sampled_instruction> places;
    for (std::size_t k = 0; k < instructions.size(); ++k) {
        sampled_instruction const& one = instructions[k];
        total += one.samples;
        std::string const place = !known             ? "`" + one.text + "`"
                                  : code[k].line > 0 ? "line " + std::to_string(code[k].line)
                                                     : std::string("no line of the text");
        auto& sum = places[place];
        sum.text = place;
        sum.samples += one.samples;
        for (auto const& [reason, count] : one.reasons) sum.reasons[reason] += count;
    }
    if (!(total > 0)) return {"no samples were taken: the launch is too short"};
    std::vector<sampled_instruction> order;
    for (auto& [place, sum] : places)
        if (sum.samples > 0) order.push_back(std::move(sum));
    std::stable_sort(order.begin(), order.end(), [](auto const& a, auto const& b) {
        return a.samples > b.samples;
    });
    std::vector<std::string> lines;
    for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 20); ++k) {
        std::vector<std::pair<std::string, double>> why(order[k].reasons.begin(),
                                                        order[k].reasons.end());
        std::stable_sort(why.begin(), why.end(), [](auto const& a, auto const& b) {
            return a.second > b.second;
        });
        std::string text =
            order[k].text + ": " + share_words(order[k].samples, total) + " of the samples";
        for (std::size_t i = 0; i < std::min<std::size_t>(why.size(), 3); ++i)
            text += (i == 0 ? ": " : ", ") + why[i].first + " " +
                    share_words(why[i].second, order[k].samples);
        lines.push_back(std::move(text));
    }
    return lines;
}

} // namespace lkt::cuda_detail
