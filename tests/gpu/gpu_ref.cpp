// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/gpu_ref.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <variant>

TEST_CASE("gpu_ref: every call reaches the back end that it borrows") {
    archetype::backend one{"one"};
    lkt::gpu_ref const gpu(one);
    CHECK(gpu.device({}).value().name == "one");
    lkt::compile_request request;
    request.source.text = "text";
    auto const compiled = gpu.compile(request, {}).value();
    REQUIRE(std::holds_alternative<lkt::compiled_kernel>(compiled));
    lkt::run_request launches;
    launches.launches = 3;
    auto const ran = gpu.run(std::get<lkt::compiled_kernel>(compiled), launches, {}).value();
    CHECK(std::get<lkt::run_report>(ran).samples.size() == 3);
    auto const copy = gpu;
    (void)copy.run({}, {}, {});
    CHECK(one.runs == 2);
    gpu.prefetch(request); // which this one does not do
    CHECK(gpu.target<archetype::backend>() == &one);
    CHECK(copy.target<lkt::gpu_ref>() == nullptr);
}

TEST_CASE("gpu_ref: what compiles ahead is told to") {
    struct eager : archetype::backend {
        int ahead = 0;
        void prefetch(lkt::compile_request const&) { ++ahead; }
    } one;
    lkt::gpu_ref(one).prefetch({});
    CHECK(one.ahead == 1);
}

TEST_CASE("gpu_ref: a profile comes from a back end that makes them, and else an error") {
    archetype::profiler one;
    lkt::gpu_ref const gpu(one);
    CHECK(gpu.can_profile());
    lkt::run_request request;
    request.launches = 3;
    CHECK(gpu.profile({}, request, {}).value().dram_bytes == 3);
    archetype::backend other;
    CHECK(!lkt::gpu_ref(other).can_profile());
    auto const none = lkt::gpu_ref(other).profile({}, request, {});
    CHECK(none.error().code == "lkt.gpu.no-profiler");
    CHECK(none.error().kind == lkt::condition::unavailable);
}
