// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/gpu_backend.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

TEST_CASE("gpu_backend: the archetype is one, and each broken archetype is none") {
    CHECK(lkt::gpu_backend<archetype::backend>);
    CHECK(!lkt::gpu_backend<archetype::no_device>);
    CHECK(!lkt::gpu_backend<archetype::device_without_result>);
    CHECK(!lkt::gpu_backend<archetype::device_without_context>);
    CHECK(!lkt::gpu_backend<archetype::no_compile>);
    CHECK(!lkt::gpu_backend<archetype::compile_without_outcome>);
    CHECK(!lkt::gpu_backend<archetype::no_run>);
    CHECK(!lkt::gpu_backend<archetype::run_without_outcome>);
    CHECK(!lkt::gpu_backend<archetype::run_without_context>);
    CHECK(!lkt::gpu_backend<int>);
}

TEST_CASE("gpu_backend: copies of a compiled kernel share what was compiled") {
    auto freed = std::make_shared<bool>(false);
    struct token {
        std::shared_ptr<bool> freed;
        ~token() { *freed = true; }
    };
    lkt::compiled_kernel first{{}, false, {}, std::make_shared<token const>(freed)};
    {
        auto const second = first;
        first = {};
        CHECK(!*freed);
        CHECK(second.handle != nullptr);
    }
    CHECK(*freed);
}
