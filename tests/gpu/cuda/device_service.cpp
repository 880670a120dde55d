// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/device_service.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace lkt::cuda_detail;

TEST_CASE("cuda device: facts and programs that are packed come out again") {
    device_facts f;
    f.name = "NVIDIA H200";
    f.max_grid = {1, 2, 3};
    f.memory = 1ULL << 37;
    auto const facts = unpack_facts(pack(f));
    REQUIRE(facts.has_value());
    CHECK(pack(*facts) == pack(f));
    CHECK(facts->max_grid == lkt::dim3{1, 2, 3});

    cubin_program const p{"_Z1kPf", std::string("ELF\0image", 9), true};
    auto const program = unpack_program(pack(p));
    REQUIRE(program.has_value());
    CHECK(program->entry == p.entry);
    CHECK(program->image == p.image);
    CHECK(program->cooperative);
}

TEST_CASE("cuda device: no cut passes for a message") {
    auto const bytes = pack(cubin_program{"entry", "image", false});
    for (std::size_t n = 0; n < bytes.size(); ++n)
        CHECK_FALSE(unpack_program(std::string_view(bytes).substr(0, n)).has_value());
    CHECK_FALSE(unpack_program(bytes + "x").has_value());
    CHECK_FALSE(unpack_facts("nonsense").has_value());
}

TEST_CASE("device service: what variables are called in a cubin") {
    CHECK(symbol_of("c") == "c");
    CHECK(symbol_of("::c") == "c");
    CHECK(symbol_of("other::offset") == "_ZN5other6offsetE");
    CHECK(symbol_of("::a::bc::d") == "_ZN1a2bc1dE");
}
