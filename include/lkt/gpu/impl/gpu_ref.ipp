// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_ref.hpp>

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

} // namespace lkt
