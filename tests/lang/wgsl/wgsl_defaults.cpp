// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/wgsl/wgsl_defaults.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace {

std::string with(std::string const& text, lkt::configuration const& config) {
    auto const made = lkt::wgsl_with_defaults({lkt::language::wgsl, text, ""}, config);
    if (!made) return made.error().code;
    auto const* no = std::get_if<lkt::refused>(&*made);
    return no != nullptr ? "refused" : std::get<std::string>(*made);
}

std::string const end = "@compute @workgroup_size(1) fn k() {}\n";

} // namespace

TEST_CASE("A default of each type is replaced, and nothing else") {
    lkt::configuration const config{{{"U", std::int64_t{64}},
                                     {"I", std::int64_t{-5}},
                                     {"F", 0.5},
                                     {"H", 2.0},
                                     {"B", true},
                                     {"N", std::int64_t{7}}}};
    CHECK(with("enable f16;\noverride U: u32 = 8 * 2; // = 3;\n@id(3) override I: i32 = 1;\n"
               "override F = 1.5;\noverride H: f16 = /* here */ 1h;\noverride B: bool = false;\n"
               "override N: i32;\noverride KEPT: u32 = 9;\nconst U2 = 16;\n" +
                   end,
               config) ==
          "enable f16;\noverride U: u32 = 64u; // = 3;\n@id(3) override I: i32 = -5;\n"
          "override F = 0.5f;\noverride H: f16 = 2.0h;\noverride B: bool = true;\n"
          "override N: i32 = 7;\noverride KEPT: u32 = 9;\nconst U2 = 16;\n" +
              end);
    CHECK(with(end, {}) == end);
}

TEST_CASE("What is no override, or holds no such value, is refused") {
    CHECK(with("const U: u32 = 1;" + end, {{{"U", std::int64_t{2}}}}) == "refused");
    CHECK(with("override U: u32 = 1;" + end, {{{"U", std::int64_t{-2}}}}) == "refused");
    CHECK(with("override U: u32 = ", {{{"U", std::int64_t{2}}}}) == "lkt.kernel.text");
}
