// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/any_gpu_backend.hpp>

namespace lkt {

namespace gpu_detail {

error no_backend() {
    return {condition::unavailable,
            "lkt.gpu.no-backend",
            "this any_gpu_backend is empty",
            "give it one: any_gpu_backend gpu = host{}"};
}

} // namespace gpu_detail

result<device_description> any_gpu_backend::device(call_context const& context) {
    if (!backend_) return gpu_detail::no_backend();
    return calls_->device(context);
}

result<compile_outcome> any_gpu_backend::compile(compile_request const& request,
                                                 call_context const& context) {
    if (!backend_) return gpu_detail::no_backend();
    return calls_->compile(request, context);
}

result<run_outcome> any_gpu_backend::run(compiled_kernel const& kernel,
                                         run_request const& request,
                                         call_context const& context) {
    if (!backend_) return gpu_detail::no_backend();
    return calls_->run(kernel, request, context);
}

void any_gpu_backend::prefetch(compile_request const& request) {
    if (backend_) calls_->prefetch(request);
}

std::vector<result<compile_outcome>>
any_gpu_backend::compile_all(std::span<compile_request const> requests,
                             call_context const& context) {
    if (!backend_)
        return std::vector<result<compile_outcome>>(requests.size(), gpu_detail::no_backend());
    return calls_->compile_all(requests, context);
}

std::vector<result<run_outcome>> any_gpu_backend::run_all(std::span<kernel_run const> runs,
                                                          call_context const& context) {
    if (!backend_) return std::vector<result<run_outcome>>(runs.size(), gpu_detail::no_backend());
    return calls_->run_all(runs, context);
}

std::size_t any_gpu_backend::runs_at_once() { return backend_ ? calls_->runs_at_once() : 1; }

result<device_peaks> any_gpu_backend::peaks(call_context const& context) {
    if (!backend_) return gpu_detail::no_backend();
    return calls_->peaks(context);
}

bool any_gpu_backend::can_profile() { return backend_ && calls_->can_profile(); }

result<kernel_profile> any_gpu_backend::profile(compiled_kernel const& kernel,
                                                run_request const& request,
                                                call_context const& context) {
    if (!backend_) return gpu_detail::no_backend();
    return calls_->profile(kernel, request, context);
}

evidence_offer any_gpu_backend::offered_evidence() {
    return backend_ ? calls_->offered_evidence() : evidence_offer{};
}

result<std::vector<std::string>> any_gpu_backend::evidence(evidence_subject const& of,
                                                           evidence_question const& question,
                                                           call_context const& context) {
    if (!backend_) return gpu_detail::no_backend();
    return calls_->evidence(of, question, context);
}

} // namespace lkt
