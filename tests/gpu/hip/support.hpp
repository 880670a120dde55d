// SPDX-License-Identifier: BSL-1.0
// For the tests of the HIP back end's compile side, which need HIPRTC and no GPU.
#pragma once

#include <lkt/gpu/device/detail/job_pool.hpp>
#include <lkt/gpu/hip/hiprtc.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace hip_support {

using lkt::device_detail::compile_job;
using lkt::device_detail::compile_pool;
using lkt::device_detail::compiled_cubin;

/// Whether a test can go on; says why not.
inline bool have_hiprtc() {
    auto const found = lkt::hip_detail::find_hiprtc();
    if (!found) MESSAGE("skipped: " << lkt::to_string(found.error()));
    return found.has_value();
}

/// No persistent cache.
inline lkt::device_detail::pool_options plain_options() {
    lkt::device_detail::pool_options o{lkt::hip_detail::hiprtc_compiler()};
    o.workers = 2;
    o.cache.limit = 0;
    return o;
}

inline compile_job job(std::string text, std::string kernel = "k", std::string arch = "gfx90a") {
    compile_job j;
    j.source.language = lkt::language::hip;
    j.source.text = std::move(text);
    j.kernel = std::move(kernel);
    j.arch = std::move(arch);
    return j;
}

/// Anything else than a code object throws, with what it was.
inline std::shared_ptr<compiled_cubin const> code(compile_pool& pool, compile_job const& j) {
    auto const r = pool.get(j);
    if (!r) throw std::runtime_error(lkt::to_string(r.error()));
    if (auto const* const f = std::get_if<lkt::failure>(&*r))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<std::shared_ptr<compiled_cubin const>>(*r);
}

} // namespace hip_support
