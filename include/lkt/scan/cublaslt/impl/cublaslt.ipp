// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/worker.hpp>
#include <lkt/scan/cublaslt.hpp>
#include <lkt/scan/cublaslt/product_service.hpp>

#include <chrono>
#include <utility>

namespace lkt {

struct cublaslt_engine::state {
    cublaslt_options options;
    worker process;
};

namespace cublaslt_detail {

inline worker_options with_device(worker_options w) {
    for (char const* const name : {"CUDA_VISIBLE_DEVICES",
                                   "CUDA_HOME",
                                   "CUDA_PATH",
                                   "LKT_CUDA_DRIVER",
                                   "LKT_CUBLASLT",
                                   "LKT_CUDA_WHEELS",
                                   "HIP_VISIBLE_DEVICES",
                                   "ROCR_VISIBLE_DEVICES",
                                   "ROCM_PATH",
                                   "HIP_PATH",
                                   "HIPBLASLT_TENSILE_LIBPATH",
                                   "LKT_HIP",
                                   "LKT_HIPBLASLT",
                                   "LKT_ROCM",
                                   "HOME",
                                   "ASAN_OPTIONS"})
        w.keep.emplace_back(name);
    // Only the kernels that are launched, when they are launched for the first time.
    w.environment.emplace_back("CUDA_MODULE_LOADING=LAZY");
    return w;
}

inline constexpr std::chrono::milliseconds seconds_to_open{120'000};

/// As its makers write it.
inline std::string title_of(lt_library l) {
    return l == lt_library::cublaslt ? "cuBLASLt" : "hipBLASLt";
}
/// That it cannot be used.
inline std::string code_of(lt_library l) { return "lkt.scan." + std::string(to_string(l)); }

inline gemm_draft draft_of(gemm_spec const& s) {
    return {.m = s.m(),
            .n = s.n(),
            .k = s.k(),
            .batch = s.batch(),
            .type = s.type(),
            .output = s.output(),
            .a = s.a(),
            .b = s.b(),
            .c = s.c(),
            .alpha = s.alpha(),
            .beta = s.beta(),
            .stride_a = s.stride_a(),
            .stride_b = s.stride_b(),
            .stride_c = s.stride_c(),
            .epilogue = s.epilogue()};
}

} // namespace cublaslt_detail

cublaslt_engine::cublaslt_engine(cublaslt_options options, worker_options w)
    : state_(new state{std::move(options), worker(cublaslt_detail::with_device(std::move(w)))}) {}
cublaslt_engine::cublaslt_engine(cublaslt_engine&&) noexcept = default;
cublaslt_engine& cublaslt_engine::operator=(cublaslt_engine&&) noexcept = default;
cublaslt_engine::~cublaslt_engine() = default;

std::string_view cublaslt_engine::name() const { return to_string(state_->options.which); }

std::string cublaslt_engine::refuses(scan_spec const& spec) const {
    auto const title = cublaslt_detail::title_of(state_->options.which);
    if (auto why = refused_operation(name(), gemm_spec::operation, spec); !why.empty()) return why;
    if (spec.type() == gemm_type::int4 || spec.output() == gemm_type::int4)
        return title + " has no int4";
    if (spec.gemm()->beta() != 0 && spec.output() == gemm_type::fp8)
        return title + " adds no C of fp8";
    return {};
}

result<scan_setup> cublaslt_engine::setup(call_context const& context) {
    using namespace cublaslt_detail;
    auto const& o = state_->options;
    auto const title = title_of(o.which);
    auto answer =
        state_->process.call({setup_key, pack(product_request{{}, o})}, seconds_to_open, context);
    if (!answer) return answer.error();
    if (auto const* const lost = std::get_if<worker_failure>(&*answer)) {
        if (lost->how == worker_end::cancelled) return cancelled("the scan with " + title);
        auto why = to_error(*lost);
        return error{condition::unavailable,
                     code_of(o.which),
                     title + " ended its process when it opened the device: " + why.message,
                     o.which == lt_library::cublaslt ? "check whether nvidia-smi shows the device"
                                                     : "check whether rocminfo shows the device"};
    }
    auto found = unpack_setup(std::get<worker_message>(*answer).bytes);
    if (!found)
        return error{condition::unavailable,
                     code_of(o.which),
                     "the worker's answer cannot be read",
                     "start the scan again"};
    found->settings = to_string(o.settings) + " workspace=" + std::to_string(o.workspace.count) +
                      " instance_limit=" + significant(o.instance_limit.count()) +
                      " seed=" + std::to_string(o.seed) + ' ' + found->settings;
    return std::move(*found);
}

result<scanned_product> cublaslt_engine::measure(scan_spec const& spec,
                                                 call_context const& context) {
    using namespace cublaslt_detail;
    if (auto why = refuses(spec); !why.empty())
        return error{condition::rejected, "lkt.scan.refused", std::move(why), {}};
    auto const& settings = state_->options.settings;
    auto const title = title_of(state_->options.which);
    auto const request = pack(product_request{draft_of(*spec.gemm()), state_->options});
    // The worker stops in time by itself, unless it hangs.
    auto const limit =
        std::chrono::ceil<std::chrono::milliseconds>(settings.time_limit * 1.1 + seconds{5});
    auto answer = state_->process.call({product_key, request}, limit, context);
    auto const of_product = [](std::string code, std::string why, std::string hint) {
        return error{
            condition::transient, "lkt.scan." + std::move(code), std::move(why), std::move(hint)};
    };
    if (!answer) {
        // After an error of the device its context is of no use.
        if (answer.error().code == "lkt.scan.cublaslt-failed") state_->process.stop();
        return answer.error();
    }
    if (auto const* const lost = std::get_if<worker_failure>(&*answer)) {
        if (lost->how == worker_end::cancelled) return cancelled("the scan with " + title);
        if (lost->how == worker_end::timed_out)
            return of_product("time-limit",
                              title + " was ended after " + to_string(settings.time_limit),
                              "allow more (--time-limit)");
        auto why = to_error(*lost);
        return of_product("cublaslt-failed", title + " ended its process: " + why.message, {});
    }
    auto product = unpack_product(std::get<worker_message>(*answer).bytes);
    if (!product) return of_product("cublaslt-failed", "the worker's answer cannot be read", {});
    return std::move(*product);
}

} // namespace lkt
