// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/kernel_inspector.hpp>
#include <lkt/gpu/cuda/detail/parts_of_options.hpp>
#include <lkt/process/child.hpp>

#include <chrono>
#include <filesystem>
#include <utility>

namespace lkt::cuda_detail {

result<std::string> disassemble(std::string const& program,
                                std::string const& image,
                                worker_options const& worker,
                                call_context const& context) {
    child_options run;
    run.arguments = {program, "--print-code", "--print-line-info", "kernel.cubin"};
    run.files = {{"kernel.cubin", image}};
    run.environment = {"LC_ALL=C"};
    run.keep = {"LD_LIBRARY_PATH"};
    run.confined = confined_as::interpreter;
    run.unconfined_allowed = true;
    run.readable = {std::filesystem::path(program).parent_path().string()};
    run.output_limit = std::size_t{64} << 20;
    run.memory_limit = std::uint64_t{4} << 30;
    run.time_limit = std::chrono::seconds{30};
    run.worker = worker;
    auto made = run_child(run, context);
    if (!made) return made.error();
    if (made->how == child_end::cancelled) return cancelled("a disassembly");
    if (!made->succeeded())
        return error{condition::unavailable,
                     "lkt.cuda.disassembler",
                     made->how == child_end::timed_out
                         ? "nvdisasm did not end within 30 s"
                         : "nvdisasm cannot read this kernel" +
                               (made->err.empty()
                                    ? std::string()
                                    : ": " + made->err.substr(0, made->err.find('\n'))),
                     "check whether it is as new as NVRTC"};
    return std::move(made->out);
}

result<profiler_settings> kernel_inspector::profiler() {
    if (no_profile_) return *no_profile_;
    if (profiler_.empty()) {
        auto found = find_profiler(options_.profiler);
        if (!found) return *(no_profile_ = found.error());
        profiler_ = std::move(*found);
    }
    return profiler_settings{profiler_,
                             options_.device,
                             device_worker_options(options_),
                             profile_limit(options_.profile_limit)};
}

result<kernel_profile> kernel_inspector::profile(compiled_kernel const& kernel,
                                                 run_request const& request,
                                                 call_context const& context) {
    auto const how = profiler();
    if (!how) return how.error();
    return noted(run_profiled(*how, metrics_, kernel, request, context));
}

evidence_offer kernel_inspector::offer() {
    evidence_offer offer;
    offer.compiler = "registers, spills, shared and constant memory as the compiler gave them, and "
                     "how many blocks of this size they leave room for on a multiprocessor";
    if (!disassembler_) disassembler_ = find_disassembler(options_.disassembler);
    if (disassembler_->has_value()) offer.code = "SASS, by nvdisasm";
    if (!profiler()) return offer;
    for (known_counter const& c : known_counters())
        offer.counters.push_back({c.name, c.unit, c.meaning});
    offer.stalls = "where warps were when they did not issue, sampled in one launch: the share of "
                   "each line of the kernel's text, and the main reasons there";
    if (offer.code.empty())
        offer.stalls = "where warps were when they did not issue, sampled in one launch: the share "
                       "of each instruction, and the main reasons there";
    return offer;
}

result<std::vector<gpu_detail::code_line>>
kernel_inspector::code_of(std::function<result<named_cubin>()> const& compiled,
                          call_context const& context) {
    if (!disassembler_) disassembler_ = find_disassembler(options_.disassembler);
    if (!*disassembler_) return disassembler_->error();
    auto const made = compiled();
    if (!made) return made.error();
    auto const text = disassemble(**disassembler_, made->image, options_.worker, context);
    if (!text) return text.error();
    auto code = read_disassembly(*text, made->entry);
    if (code.empty())
        return error{condition::unavailable,
                     "lkt.cuda.disassembler",
                     "nvdisasm shows no code of this kernel",
                     "check whether it is as new as NVRTC"};
    return code;
}

result<std::vector<std::string>>
kernel_inspector::answer(evidence_subject const& of,
                         evidence_question const& question,
                         device_description const& device,
                         std::function<result<named_cubin>()> const& compiled,
                         call_context const& context) {
    switch (question.what) {
    case evidence_kind::compiler:
        return resource_lines(of.kernel, of.launch.dimensions, device);
    case evidence_kind::code: {
        auto const code = code_of(compiled, context);
        if (!code) return code.error();
        return gpu_detail::code_excerpt(*code, question);
    }
    case evidence_kind::counters: {
        auto metrics = metrics_of(question.counters);
        if (!metrics) return metrics.error();
        auto const how = profiler();
        if (!how) return how.error();
        auto const counted = noted(run_counted(*how, *metrics, of.kernel, of.launch, context));
        if (!counted) return counted.error();
        return counter_lines(question.counters, *counted);
    }
    case evidence_kind::stalls: {
        auto const how = profiler();
        if (!how) return how.error();
        auto const table = run_sampled(*how, of.kernel, of.launch, context);
        if (!table) return table.error();
        auto const code = code_of(compiled, context);
        if (!code && code.error().kind == condition::cancelled) return code.error();
        return stall_lines(read_samples(*table),
                           code ? *code : std::vector<gpu_detail::code_line>());
    }
    }
    return error{condition::rejected, "lkt.cuda.evidence", "an unknown kind of question", {}};
}

} // namespace lkt::cuda_detail
