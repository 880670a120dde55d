// SPDX-License-Identifier: BSL-1.0
// A rewrite may declare a buffer differently from what the data are, as long as the bytes are the
// same: `compare_signatures` says how far.
#include "support_webgpu.hpp"

using namespace webgpu_support;

namespace {

support::trial twice(std::string const& type,
                     std::string const& expression,
                     std::vector<support::passed> arguments) {
    return wgsl("@group(0) @binding(0) var<storage, read> x: array<" + type +
                    ">;\n"
                    "@group(0) @binding(1) var<storage, read_write> y: array<" +
                    type +
                    ">;\n"
                    "@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: "
                    "vec3u) {\n"
                    "    if id.x < arrayLength(&y) { y[id.x] = " +
                    expression + "; }\n}",
                {1},
                {64},
                std::move(arguments));
}

} // namespace

TEST_CASE("webgpu rewrites: scalars as vectors of four") {
    if (!have_library() || !have_device()) return;
    std::vector<float> const x{1, 2, 3, 4, 5, 6, 7, 8}, odd{1, 2, 3, 4, 5, 6};
    auto const all =
        support::outputs(shared(),
                         twice("vec4f", "2 * x[id.x]", {support::in(x), support::out<float>(8)}))
            .at(0);
    CHECK(all.type == lkt::value_type{lkt::scalar_type::float32, 1});
    CHECK(support::numbers<float>(all) == std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16});
    // No whole vector holds the last two, so nobody can write them; they are there all the same.
    auto const some = support::outputs(
        shared(), twice("vec4f", "2 * x[id.x]", {support::in(odd), support::inout(odd)}));
    CHECK(support::numbers<float>(some.at(0)) == std::vector<float>{2, 4, 6, 8, 5, 6});
}

TEST_CASE("webgpu rewrites: bytes as words") {
    if (!have_library() || !have_device()) return;
    std::vector<std::uint8_t> const x{1, 2, 3, 4, 5};
    auto const y = support::outputs(shared(),
                                    twice("u32",
                                          "(x[id.x] & 0x7f7f7f7fu) << 1u",
                                          {support::in(x), support::out<std::uint8_t>(5)}))
                       .at(0);
    CHECK(y.type == lkt::value_type{lkt::scalar_type::uint8, 1});
    CHECK(support::numbers<std::uint8_t>(y) == std::vector<std::uint8_t>{2, 4, 6, 8, 10});
}

TEST_CASE("webgpu rewrites: three floats stay 16 bytes apart") {
    if (!have_library() || !have_device()) return;
    std::vector<float> const x{1, 2, 3, 4, 5, 6};
    auto const y =
        support::outputs(
            shared(), twice("vec3f", "2 * x[id.x]", {support::in(x, 3), support::out<float>(6, 3)}))
            .at(0);
    CHECK(support::numbers<float>(y) == std::vector<float>{2, 4, 6, 8, 10, 12});
}
