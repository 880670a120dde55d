// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/one_at_a_time.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

/// Takes note of calls that overlap.
struct busy_gpu {
    std::atomic<int> inside = 0, most = 0, calls = 0, prefetched = 0;
    int ms = 1;
    bool throws = false;

    void call() {
        ++calls;
        int const now = ++inside;
        if (now > most) most = now;
        std::this_thread::sleep_for(std::chrono::milliseconds(ms));
        --inside;
        if (throws) throw std::runtime_error("a bug");
    }
    lkt::result<lkt::device_description> device(lkt::call_context const&) {
        call();
        return lkt::device_description{};
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&) {
        call();
        return lkt::compile_outcome{};
    }
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&) {
        call();
        return lkt::run_outcome{};
    }
    void prefetch(lkt::compile_request const&) {
        if (inside > 0) ++most;
        ++prefetched;
    }
};

} // namespace

TEST_CASE("one_at_a_time: a model that prefetches where the one inside does") {
    CHECK(lkt::prefetching_backend<lkt::one_at_a_time<busy_gpu&>>);
    CHECK(lkt::gpu_backend<lkt::one_at_a_time<archetype::backend>>);
    CHECK_FALSE(lkt::prefetching_backend<lkt::one_at_a_time<archetype::backend>>);
    lkt::one_at_a_time gpu{archetype::backend{"one"}};
    CHECK(gpu.device({}).value().name == "one");
}

TEST_CASE("one_at_a_time: calls of several threads do not overlap") {
    busy_gpu inside;
    lkt::one_at_a_time<busy_gpu&> gpu(inside);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([copy = gpu]() mutable {
                for (int i = 0; i < 5; ++i) {
                    (void)copy.device({});
                    copy.prefetch({});
                    (void)copy.compile({}, {});
                    (void)copy.run({}, {}, {});
                }
            });
    }
    CHECK(inside.calls == 60);
    CHECK(inside.prefetched == 20);
    CHECK(inside.most == 1);
}

TEST_CASE("one_at_a_time: who waits for a turn can be stopped, and a bug gives the turn back") {
    busy_gpu inside;
    inside.ms = 300;
    lkt::one_at_a_time<busy_gpu&> gpu(inside);
    std::jthread const first([&] { (void)gpu.device({}); });
    while (inside.inside == 0) std::this_thread::yield();
    std::stop_source source;
    source.request_stop();
    auto const second = gpu.device({source.get_token(), {}});
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().kind == lkt::condition::cancelled);
    CHECK(inside.calls == 1);
    CHECK(gpu.device({}).has_value());
    inside.throws = true;
    inside.ms = 1;
    CHECK_THROWS((void)gpu.device({}));
    inside.throws = false;
    CHECK(gpu.device({}).has_value());
}

TEST_CASE("one_at_a_time: a model that profiles where the one inside does") {
    CHECK(!lkt::profiling_backend<lkt::one_at_a_time<archetype::backend>>);
    CHECK(lkt::profiling_backend<lkt::one_at_a_time<archetype::profiler>>);
    lkt::one_at_a_time gpu{archetype::profiler{}};
    CHECK(gpu.can_profile());
    CHECK(gpu.profile({}, {}, {}).value().dram_bytes == 1);
    std::stop_source stop;
    stop.request_stop();
    CHECK(gpu.profile({}, {}, {stop.get_token(), {}}).error().kind == lkt::condition::cancelled);
}
