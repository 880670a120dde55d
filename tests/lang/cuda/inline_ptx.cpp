// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/cuda/inline_ptx.hpp>

#include <lkt/lang/cuda/detail/ptx_table.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace {

using lkt::ptx_policy;

/// What is refused of the first statement of `text`; empty: nothing.
std::string refusal(std::string const& text, ptx_policy policy = ptx_policy::listed) {
    auto const tokens = lkt::tokenize(text);
    REQUIRE(tokens.has_value());
    auto const statement = lkt::read_asm(*tokens, 0);
    if (auto const* no = std::get_if<lkt::ptx_refusal>(&statement))
        return no->what + ": " + no->why;
    auto const code = lkt::read_ptx(std::get<lkt::asm_statement>(statement), policy);
    if (auto const* no = std::get_if<lkt::ptx_refusal>(&code)) return no->what + ": " + no->why;
    return {};
}
bool contains(std::string const& text, std::string_view part) {
    return text.find(part) != text.npos;
}

} // namespace

TEST_CASE("Every instruction on the list is in the file that is compiled, and is read") {
    std::ifstream file(std::string(LKT_TEST_SOURCE_DIR) + "/gpu/ptx/forms.cu");
    std::stringstream all;
    all << file.rdbuf();
    auto const tokens = lkt::tokenize(all.str());
    REQUIRE(tokens.has_value());
    std::set<std::string> met;
    std::size_t statements = 0;
    bool listed = false;
    for (std::size_t i = 0; i < tokens->size(); ++i) {
        listed = listed || (*tokens)[i].is("listed");
        if (!lkt::begins_asm((*tokens)[i].text)) continue;
        ++statements;
        CAPTURE((*tokens)[i].where.line);
        auto const statement = lkt::read_asm(*tokens, i);
        REQUIRE(std::holds_alternative<lkt::asm_statement>(statement));
        auto const code = lkt::read_ptx(std::get<lkt::asm_statement>(statement),
                                        listed ? ptx_policy::listed : ptx_policy::compute);
        auto const* const no = std::get_if<lkt::ptx_refusal>(&code);
        if (no != nullptr) CHECK(no->what + ": " + no->why == "");
        if (no != nullptr) continue;
        for (auto const& instruction : std::get<lkt::ptx_code>(code).instructions)
            met.insert(instruction.name);
        if (listed)
            CHECK(std::holds_alternative<lkt::ptx_refusal>(
                lkt::read_ptx(std::get<lkt::asm_statement>(statement), ptx_policy::compute)));
    }
    CHECK(statements > 80);
    for (auto const& row : lkt::detail::ptx_rows) {
        CAPTURE(row.name);
        CHECK(met.contains(std::string(row.name)));
    }
}

TEST_CASE("What leaves a kernel, hides state or is not known is refused by name") {
    for (
        auto const* const text : {
            R"(asm("trap;"))",
            R"(asm("brkpt;"))",
            R"(asm("exit;"))",
            R"(asm("ret;"))",
            R"(asm("@p call (r), vprintf, (a, b);"))",
            R"(asm("mov.u32 %0, %%clock;" : "=r"(t)))",
            R"(asm("mov.u64 %0, %%globaltimer;" : "=l"(t)))",
            R"(asm("mov.u64 %0, %globaltimer;" : "=l"(t)))",
            R"(asm("mov.u32 %0, %%smid;" : "=r"(t)))",
            R"(asm("mov.u32 %0, %%envreg1;" : "=r"(t)))",
            R"(asm("nanosleep.u32 20;"))",
            R"(asm("ld.local.u32 %0, [%1];" : "=r"(t) : "r"(a)))",
            R"(asm("ld.param.u32 %0, [%1];" : "=r"(t) : "r"(a)))",
            R"(asm("st.const.u32 [%0], 1;" :: "l"(a)))",
            R"(asm("cvta.local.u64 %0, %1;" : "=l"(t) : "l"(a)))",
            R"(asm("discard.global.L2 [%0], 128;" :: "l"(a)))",
            R"(asm("applypriority.global.L2::evict_normal [%0], 128;" :: "l"(a)))",
            R"(asm("tex.2d.v4.f32.f32 {%0, %0, %0, %0}, [%1];" : "=f"(t) : "l"(a)))",
            R"(asm("cp.async.bulk.tensor.2d.shared::cluster.global.tile [%0], [%1];" :: "r"(a), "l"(a)))",
            R"(asm("{ .global .u32 kept; }"))",
            R"(asm(".version 8.0;"))",
            R"(asm(".reg .u32 x;"))",
            R"(asm("{ .reg .u32 x<4>; }"))",
            R"(asm("{ .shared .b8 x[16]; }"))",
            R"(asm("{ .pragma \"nounroll\"; }"))",
        }) {
        CAPTURE(text);
        CHECK_FALSE(refusal(text).empty());
    }
    CHECK(refusal(R"(asm("trap;"))") ==
          "trap: this instruction is not on the list of what inline PTX may contain");
    CHECK(contains(refusal(R"(asm("ld.local.u32 %0, [%1];" : "=r"(t) : "l"(a)))"), "`.local`"));
}

TEST_CASE("A template cannot be read in two ways") {
    for (auto const* const text : {
             R"(asm("add.u32 %0, %0, 1; /* */ trap;" : "+r"(n)))",
             R"(asm("add.u32 %0, %0, 1; // x\n trap;" : "+r"(n)))",
             R"(asm("tr\x61p;"))",
             R"(asm("tr\141p;"))",
             R"(asm(u8"trap;"))",
             R"(asm(L"trap;"))",
             R"(asm("add.u32 %0, %0, 1" : "+r"(n)))",
             R"(asm("add.u32 %0, %0, 1; }" : "+r"(n)))",
             R"(asm("{ add.u32 %0, %0, 1;" : "+r"(n)))",
             R"(asm("add.u32 %1, %0, 1;" : "+r"(n)))",
             R"(asm("add.u32 %=, %0, 1;" : "+r"(n)))",
             R"(asm("add.u32 %a0, %0, 1;" : "+r"(n)))",
             R"(asm("add.u32 %%r1, %0, 1;" : "+r"(n)))",
             R"(asm("add.u32 other, %0, 1;" : "+r"(n)))",
             R"(asm("add.u32 %0, %0, 1;" : "=m"(n)))",
             R"(asm("add.u32 %0, %0, 1;" : [n] "+r"(n)))",
             R"(asm("add.u32 %0, %1, 1;" :: "r"(n), "r"(n)))",
             R"(asm("add.u32 %0, %0, 07;" : "+r"(n)))",
             R"(asm("$trap;"))",
             "asm(\"tr\" NAME \"ap;\")",
             "asm(NAME)",
             "asm goto(\"trap;\" :::: out)",
             R"(asm("bra OUT;" :: ))",
             R"(asm("{ bra OUT; }" :: ))",
             R"(asm("OUT: bra OUT;" :: ))",
             R"(asm("{ OUT: OUT: bra OUT; }" :: ))",
         }) {
        CAPTURE(text);
        CHECK_FALSE(refusal(text).empty());
    }
    // Pieces of one literal, line ends and raw strings are no disguise.
    CHECK(refusal("asm(\"ad\" \"d.u32 %0,\\n\\t%0, 1;\" : \"+r\"(n))") == "");
    CHECK(refusal("asm volatile(R\"(add.u32 %0, %0, 1;)\" : \"+r\"(n) : : \"memory\")") == "");
    CHECK(refusal("asm volatile(\"\" ::: \"memory\")", ptx_policy::none) == "");
}

TEST_CASE("Memory is addressed by a register of the width that its state space has") {
    CHECK(refusal(R"(asm("ld.global.u32 %0, [%1+16];" : "=r"(x) : "l"(p)))") == "");
    CHECK(refusal(R"(asm("ld.global.u32 %0, [%1 + %2];" : "=r"(x) : "l"(p), "n"(16)))") == "");
    CHECK(refusal(R"(asm("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(p)))") == "");
    CHECK(refusal(R"(asm("ld.shared.u32 %0, [%1];" : "=&r"(x) : "r"(p)))") == "");
    for (auto const* const text : {
             R"(asm("ld.global.u32 %0, [%1];" : "=r"(x) : "r"(p)))",
             R"(asm("ld.u32 %0, [%1];" : "=r"(x) : "r"(p)))",
             R"(asm("ld.global.u32 %0, [4096];" : "=r"(x)))",
             R"(asm("ld.global.u32 %0, [%1];" : "=r"(x) : "n"(4096)))",
             R"(asm("ld.global.u32 %0, [%1+%2];" : "=r"(x) : "l"(p), "r"(i)))",
             R"(asm("ld.global.u32 %0, [%1];" : "=r"(x) : "d"(p)))",
             R"(asm("ld.global.u32 %0, %1;" : "=r"(x) : "l"(p)))",
             R"(asm("ld.global.u32 %1, [%0];" : : "l"(p), "r"(x)))",
         }) {
        CAPTURE(text);
        CHECK_FALSE(refusal(text).empty());
    }
}

TEST_CASE("A policy has its instructions, and its words for a device") {
    auto const add = R"(asm("add.u32 %0, %0, 1;" : "+r"(n)))";
    auto const fence = R"(asm volatile("wgmma.fence.sync.aligned;" ::: "memory"))";
    CHECK(contains(refusal(add, ptx_policy::none), "turned off"));
    CHECK(refusal(add, ptx_policy::compute) == "");
    CHECK(contains(refusal(fence, ptx_policy::compute), "`--ptx listed` does"));
    CHECK(refusal(fence, ptx_policy::listed) == "");
    for (auto const policy : {ptx_policy::none, ptx_policy::compute, ptx_policy::listed})
        CHECK(lkt::read_ptx_policy(to_string(policy)) == policy);
    CHECK_FALSE(lkt::read_ptx_policy("all"));

    CHECK(lkt::ptx_words(ptx_policy::none, "sm_90a").empty());
    CHECK(lkt::ptx_words(ptx_policy::listed, "gfx942").empty());
    CHECK(lkt::ptx_words(ptx_policy::listed, "").empty());
    auto const hopper = lkt::ptx_words(ptx_policy::listed, "sm_90a");
    auto const ampere = lkt::ptx_words(ptx_policy::listed, "sm_86");
    CHECK(contains(hopper, "`wgmma.mma_async`"));
    CHECK_FALSE(contains(lkt::ptx_words(ptx_policy::compute, "sm_90a"), "wgmma"));
    CHECK_FALSE(contains(lkt::ptx_words(ptx_policy::listed, "sm_100a"), "wgmma"));
    CHECK_FALSE(contains(ampere, "stmatrix"));
    CHECK(contains(ampere, "`cp.async`"));
    CHECK_FALSE(contains(lkt::ptx_words(ptx_policy::listed, "sm_70"), "cp.async"));
}
