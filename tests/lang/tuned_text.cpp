// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/tuned_text.hpp>

#include <doctest/doctest.h>

#include <cstdint>

TEST_CASE("Values stand before a text, and what the text says of them is gone") {
    lkt::configuration const config{{{"BLOCK", std::int64_t{32}}, {"T", std::string("float")}}};
    lkt::kernel_source const source{lkt::language::cuda,
                                    "#define BLOCK 16\n#define KEPT 1\ntemplate <class T> T f();\n",
                                    "k.cu"};
    auto const made = lkt::tuned_text_of(source, config).value();
    auto const& text = std::get<lkt::tuned_text>(made);
    REQUIRE(text.macros.size() == 1); // T is an argument of the template
    CHECK(text.macros[0] == std::pair<std::string, std::string>("BLOCK", "32"));
    CHECK(text.text == "\n#define KEPT 1\ntemplate <class T> T f();\n");
}

TEST_CASE("In WGSL the values are the defaults of the overrides") {
    lkt::kernel_source const source{
        lkt::language::wgsl, "override A: u32 = 8; @compute @workgroup_size(A) fn k() {}", ""};
    auto const made = lkt::tuned_text_of(source, {{{"A", std::int64_t{64}}}}).value();
    auto const& text = std::get<lkt::tuned_text>(made);
    CHECK(text.macros.empty());
    CHECK(text.text == "override A: u32 = 64u; @compute @workgroup_size(A) fn k() {}");
    auto const no = lkt::tuned_text_of(source, {{{"B", std::int64_t{64}}}}).value();
    CHECK(std::holds_alternative<lkt::refused>(no));
}
