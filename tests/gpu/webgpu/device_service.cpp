// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/webgpu/device_service.hpp>

#include <doctest/doctest.h>

namespace wg = lkt::webgpu_detail;

TEST_CASE("a program travels to the worker as it is, and a damaged one is refused") {
    wg::wgsl_program p;
    p.text = "@compute @workgroup_size(N) fn k() {}";
    p.entry = "k";
    p.constants = {{"N", 64}, {"3", 0.5}};
    p.block = {64, 2, 1};
    p.folds = true;
    p.workgroup_bytes = 4096;
    p.bindings = {{0, 1, false, true, 0}, {2, 5, true, true, 48}};
    p.arguments = {{0, 12, 16, "points"}, {1, 4, 4}};
    auto const packed = pack(p);
    auto const back = wg::unpack_program(packed);
    REQUIRE(back.has_value());
    CHECK(back->text == p.text);
    CHECK(back->entry == "k");
    CHECK(back->constants == p.constants);
    CHECK(back->block == p.block);
    CHECK(back->folds);
    CHECK(back->workgroup_bytes == 4096);
    REQUIRE(back->bindings.size() == 2);
    CHECK(back->bindings[1].group == 2);
    CHECK(back->bindings[1].binding == 5);
    CHECK(back->bindings[1].uniform);
    CHECK(back->bindings[1].size == 48);
    REQUIRE(back->arguments.size() == 2);
    CHECK(back->arguments[0].stride == 16);
    CHECK(back->arguments[0].name == "points");
    CHECK(pack(*back) == packed);

    for (std::size_t n = 0; n < packed.size(); ++n)
        CHECK_FALSE(wg::unpack_program(packed.substr(0, n)).has_value());
    CHECK_FALSE(wg::unpack_program(packed + "x").has_value());
    p.arguments[0].binding = 2; // there is none
    CHECK_FALSE(wg::unpack_program(pack(p)).has_value());
    p.arguments[0] = {0, 16, 12}; // elements that overlap
    CHECK_FALSE(wg::unpack_program(pack(p)).has_value());
}

TEST_CASE("what is known of a device travels back") {
    wg::device_facts f;
    f.name = "a device";
    f.driver = "its driver";
    f.interface = "Vulkan";
    f.version = 0x1d000101;
    f.kind = wg::wg_adapter_kind::integrated;
    f.f16 = true;
    f.period = 1e-9;
    f.quantum = 3.2e-8;
    f.storage_binding = std::uint64_t{1} << 31;
    f.workgroup = {1024, 512, 64};
    auto const back = wg::unpack_facts(pack(f));
    REQUIRE(back.has_value());
    CHECK(pack(*back) == pack(f));
    CHECK(back->name == "a device");
    CHECK(back->quantum == 3.2e-8);
    CHECK(back->workgroup == f.workgroup);
    CHECK_FALSE(wg::unpack_facts("nonsense").has_value());

    auto const built = wg::unpack_build(pack(wg::build_answer{false, "no\n", {3, 7}}));
    REQUIRE(built.has_value());
    CHECK(built->where == lkt::text_location{3, 7});
    CHECK(built->log == "no\n");
    auto const counts = wg::unpack_counts(pack(wg::object_counts{1, 2, 3, 4, 5, 6, 7}));
    REQUIRE(counts.has_value());
    CHECK(*counts == wg::object_counts{1, 2, 3, 4, 5, 6, 7});
}
