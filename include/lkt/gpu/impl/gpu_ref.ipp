// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_ref.hpp>

#include <lkt/gpu/detail/in_turn.hpp>

#include <algorithm>

namespace lkt {

result<device_description> gpu_ref::device(call_context const& context) const {
    return calls_->device(gpu_, context);
}

result<compile_outcome> gpu_ref::compile(compile_request const& request,
                                         call_context const& context) const {
    return calls_->compile(gpu_, request, context);
}

result<run_outcome> gpu_ref::run(compiled_kernel const& kernel,
                                 run_request const& request,
                                 call_context const& context) const {
    return calls_->run(gpu_, kernel, request, context);
}

void gpu_ref::prefetch(compile_request const& request) const { calls_->prefetch(gpu_, request); }

std::vector<result<compile_outcome>> gpu_ref::compile_all(std::span<compile_request const> requests,
                                                          call_context const& context) const {
    if (calls_->batches) return calls_->batches->compile_all(gpu_, requests, context);
    return gpu_detail::compile_in_turn(*this, requests, context);
}

std::vector<result<run_outcome>> gpu_ref::run_all(std::span<kernel_run const> runs,
                                                  call_context const& context) const {
    if (calls_->batches) return calls_->batches->run_all(gpu_, runs, context);
    std::vector<result<run_outcome>> all;
    all.reserve(runs.size());
    for (kernel_run const& one : runs)
        if (context.stop.stop_requested())
            all.push_back(cancelled("a run"));
        else
            all.push_back(run(one.kernel, one.request, context));
    return all;
}

std::size_t gpu_ref::runs_at_once() const {
    return calls_->batches ? std::max<std::size_t>(1, calls_->batches->runs_at_once(gpu_)) : 1;
}

result<device_peaks> gpu_ref::peaks(call_context const& context) const {
    return calls_->peaks(gpu_, context);
}

error gpu_ref::no_peaks() {
    return {condition::unavailable,
            "lkt.gpu.no-peaks",
            "this back end does not know the peaks of its device",
            "the CUDA back end measures them"};
}

bool gpu_ref::can_profile() const { return calls_->can_profile(gpu_); }

result<kernel_profile> gpu_ref::profile(compiled_kernel const& kernel,
                                        run_request const& request,
                                        call_context const& context) const {
    return calls_->profile(gpu_, kernel, request, context);
}

error gpu_ref::no_profiler() {
    return {condition::unavailable,
            "lkt.gpu.no-profiler",
            "this back end has no profiler",
            "the CUDA back end has one"};
}

evidence_offer gpu_ref::offered_evidence() const { return calls_->offered_evidence(gpu_); }

result<std::vector<std::string>> gpu_ref::evidence(evidence_subject const& of,
                                                   evidence_question const& question,
                                                   call_context const& context) const {
    return calls_->evidence(gpu_, of, question, context);
}

error gpu_ref::no_evidence() {
    return {condition::unavailable,
            "lkt.gpu.no-evidence",
            "this back end answers no questions about a kernel",
            "the CUDA and the host back end do"};
}

} // namespace lkt
