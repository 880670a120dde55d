// SPDX-License-Identifier: BSL-1.0
// Small kernels in each language whose course a test knows, and what the tests ask of them.
#pragma once

#include "../tested_backend.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace conformance {

using clock_type = std::chrono::steady_clock;

inline bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// Sixteen threads add one to the first argument each; nobody writes the second.
inline support::trial counter() {
    return trial_of({"__global__ void k(int* a, int* b) { if (atomicAdd(a, 1) < 0) *b = 1; }",
                     R"(@group(0) @binding(0) var<storage, read_write> a: atomic<i32>;
@group(0) @binding(1) var<storage, read_write> b: array<i32>;
@compute @workgroup_size(8) fn k() { if (atomicAdd(&a, 1) < 0) { b[0] = 1; } })"},
                    {2},
                    {8},
                    {support::inout(std::vector<int>{100}), support::out<int>(3)});
}

/// y[i] = 2 * x[i].
inline support::trial doubling(std::vector<float> const& x) {
    return trial_of({R"(__global__ void twice(float const* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
})",
                     R"(@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: i32;
@compute @workgroup_size(256) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
    if (i32(id.x) < n) { y[id.x] = 2.0 * x[id.x]; }
})"},
                    {static_cast<unsigned>(x.size() / 256 + 1)},
                    {256},
                    {support::in(x),
                     support::out<float>(x.size()),
                     support::value(static_cast<int>(x.size()))});
}

/// `k(float const* a, float* c, int n)` over 256 threads whose index is `i`, an int. In either
/// language the body begins on line 3.
inline support::trial kernel(texts const& body, texts const& before = {}) {
    auto t = trial_of({before.cuda +
                           "__global__ void k(float const* a, float* c, int n) {\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                           body.cuda + "\n}",
                       before.wgsl +
                           "@group(0) @binding(0) var<storage, read> a: array<f32>; "
                           "@group(0) @binding(1) var<storage, read_write> c: array<f32>; "
                           "@group(0) @binding(2) var<uniform> n: i32;\n"
                           "@compute @workgroup_size(256) fn "
                           "k(@builtin(global_invocation_id) id: vec3<u32>) { "
                           "let i = i32(id.x);\n" +
                           body.wgsl + "\n}"},
                      {1},
                      {256},
                      {support::in(std::vector<float>(256, 1.0F)),
                       support::out<float>(256),
                       support::value(256)});
    t.name = "k";
    return t;
}

/// A kernel that does not end, unless somebody writes 7 where nobody can. Mesa's software driver
/// lets a thread go round 65,535 times, then it ends every loop: so there are very many threads.
inline support::trial endless(double limit) {
    auto t = trial_of({"__global__ void k(int* a) { while (*(volatile int*)a != 7) {} }",
                       R"(@group(0) @binding(0) var<storage, read_write> a: atomic<i32>;
@compute @workgroup_size(256) fn k() { while (atomicLoad(&a) != 7) { } })"},
                      {60'000},
                      {256},
                      {support::inout(std::vector<int>{1})});
    t.time_limit = lkt::seconds{limit};
    return t;
}

inline lkt::compiled_kernel compiled(support::trial const& t) {
    auto outcome = tested().gpu.compile(support::compile_request_of(t), {});
    if (!outcome) throw std::runtime_error(lkt::to_string(outcome.error()));
    if (auto const* const f = std::get_if<lkt::failure>(&*outcome))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<lkt::compiled_kernel>(*outcome);
}

inline lkt::run_report report_of(support::trial const& t) {
    return support::request_over(t).run(tested().gpu, compiled(t));
}

/// An ordinary kernel runs, whatever was before.
inline bool next_one_runs() {
    auto const x = support::random_floats(1000, 1);
    auto const y = support::numbers<float>(support::outputs(tested().gpu, doubling(x)).at(0));
    bool right = y.size() == x.size();
    for (std::size_t i = 0; right && i < x.size(); ++i) right = y[i] == 2 * x[i];
    return right;
}

/// The failure that a trial ends in, at whichever stage; then the next kernel has to run.
inline lkt::failure end_of(support::trial const& t) {
    auto outcome = support::run(tested().gpu, t);
    CHECK(next_one_runs());
    if (auto* const f = std::get_if<lkt::failure>(&outcome)) return std::move(*f);
    throw std::runtime_error("the kernel ran");
}
template <class F>
F fails(support::trial const& t) {
    auto f = end_of(t);
    if (auto* const wanted = std::get_if<F>(&f)) return std::move(*wanted);
    throw std::runtime_error(std::string{lkt::name_of_failure(f)} + ": " + lkt::describe(f));
}
/// One of two classes; its description.
template <class F, class G>
std::string fails_as_either(support::trial const& t) {
    auto const f = end_of(t);
    CAPTURE(lkt::name_of_failure(f));
    CHECK((std::holds_alternative<F>(f) || std::holds_alternative<G>(f)));
    return lkt::describe(f);
}

} // namespace conformance
