// SPDX-License-Identifier: BSL-1.0
// What a launch passes for the arguments of a kernel.
#include <lkt/gpu/detail/launch_parameters.hpp>

#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace lkt::gpu_detail;

TEST_CASE("launch parameters: members of a struct are one, with zeros between them") {
    auto const s = lkt::find_kernel({lkt::language::cuda,
                                     "struct p { char c; float2 v; int n; };\n"
                                     "__global__ void k(p a, int* x, p b, int m) {}",
                                     "test.cu"})
                       .value();
    std::vector<lkt::argument_data> arguments;
    std::int32_t next = 1;
    for (auto const& a : s.arguments) {
        lkt::argument_data data{a.type, a.pointer, lkt::byte_buffer(a.type.bytes())};
        for (auto& b : data.bytes) b = static_cast<std::byte>(next);
        ++next;
        arguments.push_back(std::move(data));
    }
    auto const all = launch_parameters(s.arguments, arguments.size());
    REQUIRE(all.size() == 4);
    CHECK(all[0].first == 0);
    CHECK(all[0].count == 3);
    CHECK(all[1].first == 3);
    CHECK(all[1].count == 1);
    CHECK(all[2].first == 4);
    CHECK(all[3].first == 7);
    std::string const a("\1\0\0\0\0\0\0\0\2\2\2\2\2\2\2\2\3\3\3\3\0\0\0\0", 24);
    CHECK(value_bytes(all[0], s.arguments, arguments) == a);
    CHECK(value_bytes(all[2], s.arguments, arguments)[8] == 6);
    CHECK(value_bytes(all[3], s.arguments, arguments) == std::string(4, '\10'));
}

TEST_CASE("launch parameters: without declarations each argument is one") {
    std::vector<lkt::argument_data> const arguments{
        lkt::make_scalar(lkt::scalar_type::int32, std::int32_t{7}),
        lkt::make_scalar(lkt::scalar_type::int32, std::int32_t{8})};
    auto const all = launch_parameters({}, 2);
    REQUIRE(all.size() == 2);
    CHECK(value_bytes(all[1], {}, arguments) == std::string("\10\0\0\0", 4));
}
