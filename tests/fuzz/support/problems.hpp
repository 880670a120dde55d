// SPDX-License-Identifier: BSL-1.0
// The problems that what models and users write is about.
#pragma once

#include "property.hpp"

#include <lkt/kernel/launch.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/lang/fixed_block.hpp>

#include <algorithm>
#include <string>

namespace lkt_fuzz {

inline lkt::kernel_source const cuda_text{lkt::language::cuda,
                                          R"(struct shape { int rows, columns; };
__constant__ float weights[5];
template <int TILE>
__global__ void blur(float const* x, float* y, int* counts, unsigned n, float scale, shape s) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = scale * x[i] * weights[i % 5];
    if (i == 0) atomicAdd(counts, s.rows * s.columns / TILE);
}
)",
                                          "blur.cu"};

inline lkt::kernel_source const wgsl_text{lkt::language::wgsl,
                                          R"(override TILE: u32 = 64;
struct Params { n: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> p: Params;
@compute @workgroup_size(TILE)
fn blur(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < p.n) { y[id.x] = p.scale * x[id.x]; }
}
)",
                                          "blur.wgsl"};

/// The problem that a text would be a candidate for: one size, every buffer as long as it.
inline lkt::problem problem_of(lkt::kernel_source const& source) {
    lkt::problem p;
    p.reference = source;
    p.signature = lkt::find_kernel(source).value();
    p.size = {{"N", 4096}};
    p.parameters = {{"TILE", {std::int64_t{64}, std::int64_t{16}}}};
    auto const n = lkt::expression::parse("N").value();
    auto const counts = lkt::fixed_counts(source, p.signature);
    for (std::size_t k = 0; k < p.signature.arguments.size(); ++k) {
        lkt::argument_spec spec;
        if (p.signature.arguments[k].pointer)
            spec.count = counts[k] > 0 ? lkt::expression(static_cast<std::int64_t>(counts[k])) : n;
        else
            spec.value = n;
        p.arguments.push_back(std::move(spec));
    }
    auto const fixed = lkt::fixed_block(source, p.signature.name, p.parameters).value();
    p.launch = lkt::default_launch(p.size, p.parameters, fixed);
    return p;
}

/// Whether every name in `e` is a parameter or a size.
inline bool knows_names(lkt::expression const& e,
                        std::vector<lkt::tunable_parameter> const& parameters,
                        lkt::problem_size const& size) {
    return std::all_of(e.names().begin(), e.names().end(), [&](std::string const& name) {
        auto const is_size = [&](auto const& s) { return s.first == name; };
        auto const is_parameter = [&](auto const& p) { return p.name == name; };
        return std::any_of(size.begin(), size.end(), is_size) ||
               std::any_of(parameters.begin(), parameters.end(), is_parameter);
    });
}

inline void require_launch(lkt::launch_formula const& launch,
                           std::vector<lkt::tunable_parameter> const& parameters,
                           lkt::problem_size const& size,
                           std::string_view text) {
    for (auto const* extents : {&launch.grid, &launch.block})
        for (lkt::expression const& e : *extents)
            require(knows_names(e, parameters, size), "a launch speaks of what there is", text);
    require(knows_names(launch.shared_bytes, parameters, size), "so does its memory", text);
}

} // namespace lkt_fuzz
