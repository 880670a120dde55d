// SPDX-License-Identifier: BSL-1.0
// For the tests of the WebGPU back end, which need wgpu-native and a Vulkan driver: a GPU's, or
// Mesa's for the processor.
#pragma once

#include "../support.hpp"

#include <lkt/gpu/webgpu.hpp>
#include <lkt/gpu/webgpu/api.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace webgpu_support {

/// Whether a test can go on; says why not.
inline bool have_library() {
    auto const found = lkt::webgpu_detail::load_api();
    if (!found) MESSAGE("skipped: " << lkt::to_string(found.error()));
    return found.has_value();
}

/// One device for many tests.
inline lkt::webgpu& shared() {
    static lkt::webgpu gpu;
    return gpu;
}
inline bool have_device() {
    auto const found = shared().device();
    if (!found) MESSAGE("skipped: " << lkt::to_string(found.error()));
    return found.has_value();
}

inline support::trial
wgsl(std::string text, lkt::dim3 grid, lkt::dim3 block, std::vector<support::passed> arguments) {
    support::trial t;
    t.text = std::move(text);
    t.grid = grid;
    t.block = block;
    t.arguments = std::move(arguments);
    t.language = lkt::language::wgsl;
    return t;
}

/// The report of a run that has to end well.
inline lkt::run_report report_of(lkt::run_outcome outcome) {
    if (auto* const no = std::get_if<lkt::failure>(&outcome)) FAIL(lkt::describe(*no));
    return std::get<lkt::run_report>(std::move(outcome));
}

/// Twice its input; for whether a device still works.
inline support::trial doubler() {
    return wgsl(R"(@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&y) { y[id.x] = 2 * x[id.x]; }
})",
                {2},
                {64},
                {support::in<float>({1, 2, 3, 4, 5}), support::out<float>(5)});
}
template <class B>
bool works(B& gpu) {
    return support::numbers<float>(support::outputs(gpu, doubler()).at(0)) ==
           std::vector<float>{2, 4, 6, 8, 10};
}

} // namespace webgpu_support
