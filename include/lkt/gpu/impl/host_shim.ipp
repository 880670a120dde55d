// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/host_shim.hpp>

#include <lkt/gpu/detail/host/shim_async.hpp>
#include <lkt/gpu/detail/host/shim_awbarrier.hpp>
#include <lkt/gpu/detail/host/shim_branches.hpp>
#include <lkt/gpu/detail/host/shim_core.hpp>
#include <lkt/gpu/detail/host/shim_float8.hpp>
#include <lkt/gpu/detail/host/shim_groups.hpp>
#include <lkt/gpu/detail/host/shim_half.hpp>
#include <lkt/gpu/detail/host/shim_math.hpp>
#include <lkt/gpu/detail/host/shim_parallel.hpp>
#include <lkt/gpu/detail/host/shim_ptx.hpp>
#include <lkt/gpu/detail/host/shim_std.hpp>
#include <lkt/gpu/detail/host/shim_tensor.hpp>
#include <lkt/gpu/detail/host/shim_wgmma.hpp>
#include <lkt/gpu/detail/host/shim_wgsl.hpp>
#include <lkt/gpu/detail/host/shim_wgsl_math.hpp>
#include <lkt/gpu/detail/host/shim_wgsl_operators.hpp>
#include <lkt/gpu/detail/host/shim_wgsl_parallel.hpp>

namespace lkt {

std::string host_shim(shim_parts parts) {
    namespace hd = host_detail;
    std::string text = parts.races ? "#define LKT_RACES\n" : "";
    if (parts.bounds) text += "#define LKT_BOUNDS\n";
    if (parts.branches) text += "#define LKT_BRANCHES\n";
    if (parts.hip_lanes != 0)
        text += "#define LKT_HIP\n#define LKT_LANES " + std::to_string(parts.hip_lanes) + "\n";
    for (auto const part : {hd::shim_core, hd::shim_math, hd::shim_std}) text += part;
    text += hd::shim_atomics;
    if (parts.half || parts.bfloat) text += hd::shim_sixteen;
    if (parts.half) text += hd::shim_half;
    if (parts.bfloat) text += hd::shim_bfloat;
    if (parts.float8) text += hd::shim_float8;
    if (parts.barriers) text += hd::shim_barriers;
    if (parts.branches) text += hd::shim_branches;
    if (parts.tensor) text += hd::shim_tensor;
    if (parts.copies) text += "#define LKT_COPIES\n";
    if (parts.copies) text += hd::shim_copies;
    if (parts.waits) text += hd::shim_waits;
    if (parts.ptx) text += hd::shim_ptx;
    if (parts.ptx) text += hd::shim_ptx_warps;
    if (parts.async) text += "#define LKT_ASYNC\n";
    if (parts.products) text += "#define LKT_WGMMA\n";
    if (parts.async) text += hd::shim_mbarriers;
    if (parts.awbarrier) text += hd::shim_awbarrier;
    if (parts.products) text += hd::shim_wgmma;
    if (parts.async) text += hd::shim_bulks;
    if (parts.groups) text += hd::shim_groups;
    if (parts.wgsl)
        for (auto const part : {hd::shim_wgsl_types,
                                hd::shim_wgsl_operators,
                                hd::shim_wgsl_math,
                                hd::shim_wgsl_atomics})
            text += part;
    if (parts.wgsl && parts.barriers) text += hd::shim_wgsl_waits;
    return text += hd::shim_runner;
}

} // namespace lkt
