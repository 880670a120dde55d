// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/any_gpu_backend.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <string>
#include <type_traits>
#include <vector>

namespace {
std::string name_of(lkt::any_gpu_backend& gpu) { return gpu.device({}).value().name; }
} // namespace

TEST_CASE("any_gpu_backend: a model that forwards every call") {
    CHECK(lkt::gpu_backend<lkt::any_gpu_backend>);
    CHECK(std::is_nothrow_move_constructible_v<lkt::any_gpu_backend>);
    CHECK(std::is_copy_assignable_v<lkt::any_gpu_backend>);
    CHECK(!std::is_constructible_v<lkt::any_gpu_backend, int>);
    CHECK(!std::is_constructible_v<lkt::any_gpu_backend, archetype::no_run>);

    lkt::any_gpu_backend gpu = archetype::backend{"one"};
    REQUIRE(static_cast<bool>(gpu));
    CHECK(name_of(gpu) == "one");
    lkt::compile_request request;
    CHECK(std::holds_alternative<lkt::failure>(gpu.compile(request, {}).value()));
    request.source.text = "text";
    auto const compiled = gpu.compile(request, {}).value();
    auto const& kernel = std::get<lkt::compiled_kernel>(compiled);
    CHECK(kernel.notes == std::vector<std::string>{"one"});
    lkt::run_request launches;
    launches.launches = 5;
    auto const outcome = gpu.run(kernel, launches, {}).value();
    CHECK(std::get<lkt::run_report>(outcome).samples.size() == 5);

    std::stop_source stop;
    stop.request_stop();
    CHECK(gpu.run(kernel, launches, {stop.get_token(), {}}).error().kind ==
          lkt::condition::cancelled);
}

TEST_CASE("any_gpu_backend: copies share the back end, target finds it again") {
    lkt::any_gpu_backend a = archetype::backend{"a"};
    auto b = a;
    (void)b.run({}, {}, {});
    (void)a.run({}, {}, {});
    REQUIRE(a.target<archetype::backend>() != nullptr);
    CHECK(a.target<archetype::backend>()->runs == 2);
    CHECK(a.target<archetype::backend>() == b.target<archetype::backend>());
    CHECK(a.target<lkt::any_gpu_backend>() == nullptr);
    b = archetype::backend{"b"};
    CHECK(name_of(a) == "a");
    CHECK(name_of(b) == "b");
}

TEST_CASE("any_gpu_backend: compiling ahead reaches a back end that can, and bothers no other") {
    struct eager : archetype::backend {
        int* ahead = nullptr;
        void prefetch(lkt::compile_request const&) { ++*ahead; }
    };
    int ahead = 0;
    eager one;
    one.ahead = &ahead;
    lkt::any_gpu_backend gpu = one;
    gpu.prefetch({});
    gpu.prefetch({});
    CHECK(ahead == 2);
    gpu = archetype::backend{};
    gpu.prefetch({});
    lkt::any_gpu_backend{}.prefetch({});
    CHECK(ahead == 2);
    CHECK(name_of(gpu) == "archetype");
}

TEST_CASE("any_gpu_backend: without a back end every call says so") {
    lkt::any_gpu_backend none;
    CHECK(!none);
    CHECK(none.device({}).error().code == "lkt.gpu.no-backend");
    CHECK(none.compile({}, {}).error().kind == lkt::condition::unavailable);
    CHECK(none.run({}, {}, {}).error().code == "lkt.gpu.no-backend");
    CHECK(none.target<archetype::backend>() == nullptr);
    lkt::any_gpu_backend full = archetype::backend{};
    auto const taken = std::move(full);
    CHECK(static_cast<bool>(taken));
}

TEST_CASE("any_gpu_backend: a profile is the back end's inside") {
    lkt::any_gpu_backend gpu = archetype::profiler{};
    CHECK(gpu.can_profile());
    CHECK(gpu.profile({}, {}, {}).value().dram_bytes == 1);
    gpu = archetype::backend{};
    CHECK(!gpu.can_profile());
    CHECK(gpu.profile({}, {}, {}).error().code == "lkt.gpu.no-profiler");
    lkt::any_gpu_backend none;
    CHECK(!none.can_profile());
    CHECK(none.profile({}, {}, {}).error().code == "lkt.gpu.no-backend");
}

TEST_CASE("any_gpu_backend: answers are the back end's inside") {
    lkt::compile_request const text;
    lkt::compiled_kernel const kernel;
    lkt::run_request const launch;
    lkt::evidence_subject const of{text, kernel, launch};
    lkt::any_gpu_backend gpu = archetype::witness{};
    CHECK_FALSE(gpu.offered_evidence().empty());
    CHECK(gpu.evidence(of, {.containing = "!"}, {}).value().front() == "!");
    gpu = archetype::backend{};
    CHECK(gpu.offered_evidence().empty());
    lkt::any_gpu_backend none;
    CHECK(none.offered_evidence().empty());
    CHECK(none.evidence(of, {}, {}).error().code == "lkt.gpu.no-backend");
}

TEST_CASE("any_gpu_backend: batches reach the back end inside, and none has a result for each") {
    lkt::any_gpu_backend gpu = archetype::batches{};
    std::vector<lkt::compile_request> const requests(2);
    lkt::compiled_kernel const kernel;
    lkt::run_request const request;
    std::vector<lkt::kernel_run> const runs(3, {kernel, request});
    CHECK(gpu.compile_all(requests, {}).size() == 2);
    CHECK(gpu.run_all(runs, {}).size() == 3);
    CHECK(gpu.runs_at_once() == 4);
    CHECK(gpu.target<archetype::batches>()->compiled == 1);
    CHECK(gpu.target<archetype::batches>()->ran == 1);
    gpu = archetype::backend{};
    CHECK(gpu.run_all(runs, {}).size() == 3);
    CHECK(gpu.target<archetype::backend>()->runs == 3);
    CHECK(gpu.runs_at_once() == 1);
    lkt::any_gpu_backend none;
    CHECK(none.runs_at_once() == 1);
    REQUIRE(none.compile_all(requests, {}).size() == 2);
    REQUIRE(none.run_all(runs, {}).size() == 3);
    CHECK(none.compile_all(requests, {})[1].error().code == "lkt.gpu.no-backend");
    CHECK(none.run_all(runs, {})[2].error().code == "lkt.gpu.no-backend");
}
