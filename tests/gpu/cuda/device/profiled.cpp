// SPDX-License-Identifier: BSL-1.0
// Profiles on a device: Nsight Compute has to see what each of these kernels was written to do.
// Where it is missing or may not read counters, this says so, and tests nothing.
#include "../../support.hpp"
#include "support_cuda.hpp"

#include <lkt/gpu/cuda.hpp>

#include <chrono>
#include <cstdio>
#include <optional>

using namespace support;

namespace {

std::vector<float> zeros(std::size_t n) { return std::vector<float>(n); }

std::optional<lkt::kernel_profile> profile_of(trial const& t) {
    auto& gpu = shared_cuda();
    auto compiled = gpu.compile(compile_request_of(t));
    REQUIRE(compiled.has_value());
    auto const& kernel = std::get<lkt::compiled_kernel>(*compiled);
    request_over const over(t);
    auto const begin = std::chrono::steady_clock::now();
    auto found = gpu.profile(kernel, over.request);
    double const took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!found) {
        std::printf("skipped after %.1f s: %s\n", took, to_string(found.error()).c_str());
        CHECK(found.error().kind == lkt::condition::unavailable);
        return std::nullopt;
    }
    auto const number = [](lkt::kernel_profile::number const& n) { return n.value_or(-1); };
    std::printf("%s in %.1f s: compute %.1f %%, memory %.1f %%, L2 %.1f %%, L1 %.1f %%, float "
                "%.1f %%, tensor %.1f %%, warps %.1f %%; %.0f bytes, hits %.1f %% and %.1f %%, "
                "sectors %.2f and %.2f, conflicts %.0f of %.0f, local %.0f; %.2f a cycle, %.1f "
                "threads;",
                kernel.signature.name.c_str(),
                took,
                number(found->compute_percent),
                number(found->dram_percent),
                number(found->l2_percent),
                number(found->l1_percent),
                number(found->fp32_percent),
                number(found->tensor_percent),
                number(found->warps_percent),
                number(found->dram_bytes),
                number(found->l1_hit_percent),
                number(found->l2_hit_percent),
                number(found->load_sectors),
                number(found->store_sectors),
                number(found->bank_conflicts),
                number(found->shared_wavefronts),
                number(found->local_load_sectors),
                number(found->issued_per_cycle),
                number(found->threads_per_instruction));
    for (auto const& s : found->stalls) std::printf(" %s %.1f %%", s.reason.c_str(), s.percent);
    std::printf("\n");
    return *found;
}

} // namespace

TEST_CASE("device, profiled: a copy moves what it has to, four sectors at a time") {
    constexpr std::size_t n = std::size_t{1} << 25; // 128 MiB
    auto const p = profile_of({"__global__ void move(float const* x, float* y) {\n"
                               "    int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i];\n}",
                               {n / 256},
                               {256},
                               {in(zeros(n)), out<float>(n)}});
    if (!p) return;
    CHECK(p->load_sectors.value_or(0) == doctest::Approx(4).epsilon(0.01));
    CHECK(p->store_sectors.value_or(0) == doctest::Approx(4).epsilon(0.01));
    CHECK(p->dram_bytes.value_or(0) > 0.8 * 2 * n * sizeof(float) - 64e6); // some stays in the L2
    CHECK(p->dram_bytes.value_or(0) < 1.2 * 2 * n * sizeof(float));
    CHECK(p->dram_percent.value_or(0) > 40);
    CHECK(p->dram_percent.value_or(0) <= 100);
    CHECK(p->warps_percent.value_or(0) > 30);
    CHECK(p->bank_conflicts.value_or(0) < 100);
    CHECK(p->threads_per_instruction.value_or(0) == doctest::Approx(32).epsilon(0.01));
    REQUIRE(!p->stalls.empty());
    CHECK(p->stalls.front().reason == "long_scoreboard");
}

TEST_CASE("device, profiled: scattered loads, bank conflicts and divergence are seen") {
    constexpr std::size_t n = std::size_t{1} << 22;
    auto const scattered = profile_of({"__global__ void gather(float const* x, float* y) {\n"
                                       "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                       "    y[i] = x[i % 2048 * 2048 + i / 2048];\n}",
                                       {n / 256},
                                       {256},
                                       {in(zeros(n)), out<float>(n)}});
    if (!scattered) return;
    CHECK(scattered->load_sectors.value_or(0) == doctest::Approx(32).epsilon(0.01));
    auto const conflicts = profile_of(
        {"__global__ void banks(float const* x, float* y) {\n"
         "    __shared__ float s[1024]; int t = threadIdx.x;\n"
         "    s[t] = x[t]; __syncthreads();\n"
         "    float sum = 0; for (int k = 0; k < 64; ++k) sum += s[(t * 32 + k) % 1024];\n"
         "    y[blockIdx.x * 1024 + t] = sum;\n}",
         {64},
         {1024},
         {in(zeros(1024)), out<float>(64 * 1024)}});
    REQUIRE(conflicts.has_value());
    CHECK(conflicts->bank_conflicts.value_or(0) >
          0.5 * conflicts->shared_wavefronts.value_or(1e18));
    auto const diverging =
        profile_of({"__global__ void diverge(float const* x, float* y) {\n"
                    "    int t = threadIdx.x; float v = x[t];\n"
                    "    for (int k = 0; k < t % 32 * 8; ++k) v = v * 1.5f + 1;\n"
                    "    y[t] = v;\n}",
                    {1},
                    {256},
                    {in(zeros(256)), out<float>(256)}});
    REQUIRE(diverging.has_value());
    CHECK(diverging->threads_per_instruction.value_or(32) < 24);
}

TEST_CASE("device, asked about: what is offered is answered") {
    constexpr std::size_t n = std::size_t{1} << 22;
    trial const t{"__global__ void gather(float const* x, float* y) {\n"
                  "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "    y[i] = x[i % 2048 * 2048 + i / 2048];\n}",
                  {n / 256},
                  {256},
                  {in(zeros(n)), out<float>(n)}};
    auto& gpu = shared_cuda();
    auto const text = compile_request_of(t);
    auto compiled = gpu.compile(text);
    REQUIRE(compiled.has_value());
    auto const& kernel = std::get<lkt::compiled_kernel>(*compiled);
    request_over const over(t);
    lkt::evidence_subject const of{text, kernel, over.request};
    auto const ask = [&](lkt::evidence_question const& q) -> std::string {
        auto const lines = gpu.evidence(of, q);
        if (!lines) {
            std::printf("skipped: %s\n", to_string(lines.error()).c_str());
            CHECK(lines.error().kind != lkt::condition::rejected);
            return {};
        }
        CHECK(lines->size() <= lkt::evidence_lines);
        std::string all;
        for (std::string const& line : *lines) all += line + "\n";
        std::printf("%s", all.c_str());
        return all;
    };
    auto const has = [](std::string const& where, char const* what) {
        return where.find(what) != std::string::npos;
    };
    auto const offer = gpu.offered_evidence();
    CHECK(has(ask({.what = lkt::evidence_kind::compiler, .containing = ""}),
              "registers of a thread"));
    if (offer.code.empty())
        std::printf("skipped: no nvdisasm\n");
    else
        CHECK(has(ask({.what = lkt::evidence_kind::code, .line = 3, .containing = "LDG"}), "LDG"));
    if (offer.counters.empty()) return;
    // One sector for each of 32 loads of a warp.
    auto const counted = ask({.what = lkt::evidence_kind::counters,
                              .containing = "",
                              .counters = {"global_load_requests", "global_load_sectors"}});
    if (!counted.empty()) {
        CHECK(has(counted, ("global_load_requests: " + std::to_string(n / 32)).c_str()));
        CHECK(has(counted, ("global_load_sectors: " + std::to_string(n)).c_str()));
    }
    std::vector<std::string> all;
    for (lkt::offered_counter const& c : offer.counters) all.push_back(c.name);
    auto const every =
        ask({.what = lkt::evidence_kind::counters, .containing = "", .counters = all});
    CHECK_FALSE(has(every, "does not report")); // of those that this device has
    auto const stalls = ask({.what = lkt::evidence_kind::stalls, .containing = ""});
    if (!stalls.empty()) CHECK(has(stalls, "of the samples"));
    CHECK(
        gpu.evidence(
               of,
               {.what = lkt::evidence_kind::counters, .containing = "", .counters = {"--set full"}})
            .error()
            .kind == lkt::condition::rejected);
}
