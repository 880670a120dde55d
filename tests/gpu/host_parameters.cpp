// SPDX-License-Identifier: BSL-1.0
// Structs by value and constant memory on the host back end, where they do not fit. What they
// compute stands in conformance/kernels/parameters.cpp.
#include "support.hpp"
#include "support_host.hpp"

#include <string>

using namespace support;

namespace {

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

trial filtered(std::string const& body, std::string const& before = "__constant__ float c[2];\n") {
    return {.text = before + "__global__ void k(float* y) {\n" + body + "\n}",
            .grid = {1},
            .block = {2},
            .arguments = {out<float>(2), in(std::vector<float>{5, 6})}};
}
/// `t` with the signature of another text, which is the reference's.
lkt::run_outcome as_declared_by(trial const& reference, trial const& t) {
    auto request = compile_request_of(t);
    request.signature = compile_request_of(reference).signature;
    auto compiled = shared_host().compile(request, {});
    REQUIRE(compiled.has_value());
    if (auto* const f = std::get_if<lkt::failure>(&*compiled)) return *f;
    return run_compiled(shared_host(), std::get<lkt::compiled_kernel>(*compiled), t);
}
std::string why(lkt::run_outcome const& o) {
    auto const* const f = std::get_if<lkt::failure>(&o);
    return f != nullptr ? lkt::describe(*f) : "it ran";
}

} // namespace

TEST_CASE("host: constant memory in checked runs, and again and again") {
    auto t = filtered("y[threadIdx.x] = c[threadIdx.x];");
    t.checked = true;
    CHECK(numbers<float>(outputs(shared_host(), t)[0]) == std::vector<float>{5, 6});
    t.checked = false;
    t.launches = 5;
    t.keep = {4};
    CHECK(numbers<float>(outputs(shared_host(), t)[0]) == std::vector<float>{5, 6});
}

TEST_CASE("host: a kernel that writes constant memory is out of bounds") {
    auto const t = filtered("c[threadIdx.x] = 1; y[threadIdx.x] = 2;");
    CHECK(has(failure_of<lkt::out_of_bounds>(shared_host(), t).what,
              "write to the constant memory c"));
}

TEST_CASE("host: reading past constant memory is seen in checked runs") {
    auto t = filtered("y[threadIdx.x] = c[threadIdx.x + (y != nullptr ? 2 : 0)];");
    t.checked = true;
    (void)failure_of<lkt::out_of_bounds>(shared_host(), t);
}

TEST_CASE("host: constant memory that has another size in this configuration") {
    auto t =
        filtered("y[threadIdx.x] = c[threadIdx.x];", "#define N 2\n__constant__ float c[N];\n");
    CHECK(numbers<float>(outputs(shared_host(), t)[0]) == std::vector<float>{5, 6});
    t.definitions.values = {{"N", std::int64_t{3}}};
    CHECK(has(failure_of<lkt::launch_failed>(shared_host(), t).why,
              "the constant memory c of the kernel has 12 bytes, but 8 are passed"));
}

TEST_CASE("host: what nobody fills is refused, and what a text lacks is not filled") {
    auto const reference = filtered("y[threadIdx.x] = c[threadIdx.x];");
    auto const other = filtered("y[threadIdx.x] = d[0];", "__constant__ float d[2];\n");
    CHECK(has(why(as_declared_by(reference, other)), "nothing fills this constant memory"));
    auto const none = filtered("y[threadIdx.x] = threadIdx.x;", "");
    CHECK(why(as_declared_by(reference, none)) == "it ran");
}

TEST_CASE("host: a struct that has another size in this configuration") {
    trial t{.text = "#define N 2\nstruct p { int n; float w[N]; };\n"
                    "__global__ void k(float* y, p q) { y[threadIdx.x] = q.n * q.w[threadIdx.x]; }",
            .grid = {1},
            .block = {2},
            .arguments = {out<float>(2), value(3), value(1.5F), value(2.5F)}};
    CHECK(numbers<float>(outputs(shared_host(), t)[0]) == std::vector<float>{4.5F, 7.5F});
    t.checked = true;
    CHECK(numbers<float>(outputs(shared_host(), t)[0]) == std::vector<float>{4.5F, 7.5F});
    t.definitions.values = {{"N", std::int64_t{4}}};
    CHECK(has(failure_of<lkt::launch_failed>(shared_host(), t).why,
              "argument q of the kernel takes 20 bytes, but 12 are passed"));
}

TEST_CASE("host: many members are one argument") {
    std::string text = "struct p { int w[64]; };\n__global__ void k(p a, p b, int* y) {\n"
                       "    y[threadIdx.x] = a.w[threadIdx.x] - b.w[threadIdx.x];\n}";
    trial t{.text = text, .grid = {1}, .block = {64}};
    for (int k = 0; k < 128; ++k) t.arguments.push_back(value(k < 64 ? 3 * k : k));
    t.arguments.push_back(out<std::int32_t>(64));
    auto const y = numbers<std::int32_t>(outputs(shared_host(), t)[0]);
    CHECK(y[0] == 64 * 0 - 64);
    CHECK(y[63] == 3 * 63 - 127);
}
