// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/extract_code.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <variant>

namespace {

std::string code_in(std::string_view reply, lkt::language in = lkt::language::cuda) {
    auto const found = lkt::extract_code(reply, in);
    auto const* code = std::get_if<std::string>(&found);
    return code ? *code : "no code: " + std::get<lkt::no_code>(found).why;
}

constexpr char const* kernel = "__global__ void f(float* a) { a[0] = 1; }\n";

std::string block(std::string_view text, std::string_view info = "cuda") {
    return "```" + std::string(info) + "\n" + std::string(text) + "```\n";
}

} // namespace

TEST_CASE("the kernel in its fenced block, whatever the block is called") {
    for (char const* info : {"cuda", "cpp", "", "CUDA C++", "json"})
        CHECK(code_in("Here it is:\n" + block(kernel, info) + "Done.") == kernel);
    CHECK(code_in("~~~cu\n" + std::string(kernel) + "~~~") == kernel);
    CHECK(code_in("```cuda\r\n__global__ void f() {\r\n}\r\n```\r\n") ==
          "__global__ void f() {\n}\n");
}

TEST_CASE("the last block that defines a kernel wins; blocks are never joined") {
    std::string const second = "__global__ void g(float* a) { a[0] = 2; }\n";
    CHECK(code_in(block(kernel) + block(second) + block("f<<<1, 1>>>(a);\n", "cpp")) == second);
    CHECK(code_in(block(second) + block(kernel) + block("{\"parameters\": {}}\n", "json")) ==
          kernel);
    // A declaration, a comment and a string define nothing.
    CHECK(code_in(block(kernel) + block("__global__ void f(float* a);\nint b() { return 1; }\n")) ==
          kernel);
    CHECK(code_in(block(kernel) + block("// __global__ void f() {}\n")) == kernel);
    CHECK(code_in(block(kernel) + block("char const* s = \"__global__ void f() {}\";\n")) ==
          kernel);
    CHECK(code_in(block(kernel) + block("#define K __global__\nK void g() {}\n"))
              .starts_with("#define"));
}

TEST_CASE("attributes and default arguments stand between the announcement and the body") {
    std::string const bounded =
        "template <int N>\n__global__ __launch_bounds__(N * 2) void f(int a = int{3}) {\n}\n";
    CHECK(code_in(block(bounded)) == bounded);
}

TEST_CASE("a block that is never closed, a closing fence that was forgotten, blocks in blocks") {
    CHECK(code_in("```cuda\n__global__ void f() {\n}") == "__global__ void f() {\n}\n");
    CHECK(code_in("```cuda\n" + std::string(kernel) + "```json\n{}\n```\n") == kernel);
    CHECK(code_in("````markdown\n# Answer\n" + block(kernel) + "````\n") == kernel);
    CHECK(code_in("```\n" + block(kernel) + "```\n") == kernel);
}

TEST_CASE("code without any fence") {
    CHECK(code_in(kernel) == kernel);
    std::string const unit =
        "// a comment\n#define T 4\n__device__ int h() { return T; }\n" + std::string(kernel);
    CHECK(code_in("\n\n" + unit) == unit);
    CHECK(code_in(std::string(kernel) + "\n" + block("{}\n", "json")) == kernel);
    CHECK(code_in("Sure, here is the kernel:\n" + std::string(kernel)).starts_with("no code"));
    CHECK(code_in(std::string(kernel) + "This should be faster.").starts_with("no code"));
    CHECK(code_in("__global__ void f() { {").starts_with("no code"));
}

TEST_CASE("WGSL is told by its entry point") {
    std::string const shader = "@compute @workgroup_size(64)\nfn main() {}\n";
    CHECK(code_in(block(shader, "wgsl"), lkt::language::wgsl) == shader);
    CHECK(code_in(shader, lkt::language::wgsl) == shader);
    CHECK(code_in(block(kernel), lkt::language::wgsl).starts_with("no code"));
    // An excerpt, a remark and a helper define nothing; text with a defect is for its reader.
    for (char const* other : {"@compute @workgroup_size(128)\n",
                              "// @compute\nfn f() {}\n",
                              "fn helper(x: f32) -> f32 { return x; }\n"})
        CHECK(code_in(block(shader, "wgsl") + block(other, "wgsl"), lkt::language::wgsl) == shader);
    std::string const broken = "@compute @workgroup_size(64)\nfn main() { {\n";
    CHECK(code_in(block(broken, "wgsl"), lkt::language::wgsl) == broken);
    CHECK(code_in(block(kernel, "hip"), lkt::language::hip) == kernel);
}

TEST_CASE("reasoning is not searched") {
    CHECK(code_in("<think>\n" + block("__global__ void draft() {}\n") + "</think>\n" +
                  block(kernel)) == kernel);
    CHECK(code_in("<think>\n" + block(kernel)) ==
          "no code: the reply ended while the model was still reasoning");
    CHECK(code_in("<think>\n" + block(kernel) + "</think>\n") ==
          "no code: the reply contains only reasoning");
    CHECK(code_in("[THINK]\n" + block("__global__ void draft() {}\n") + "[/THINK]" +
                  block(kernel)) == kernel);
}

TEST_CASE("why there is none") {
    CHECK(code_in(" \n") == "no code: the reply is empty");
    CHECK(code_in("I cannot help with that.").find("no fenced code block") != std::string::npos);
    CHECK(code_in(block("int a;\n")).find("only fenced block does not define a kernel") !=
          std::string::npos);
    CHECK(code_in(block("int a;\n") + block("{}\n", "json")).find("none of the reply's 2") !=
          std::string::npos);
}

TEST_CASE("text that is no C++ at all is handed on, not dropped") {
    std::string const broken = "__global__ void f() { /* never closed\n";
    CHECK(code_in(block(broken)) == broken);
    CHECK(code_in(block(std::string("__global__ \0 x\n", 15))).size() == 15);
}

TEST_CASE("any reply is read") {
    std::mt19937 random(13);
    std::string_view const pieces[] = {
        "```",      "```cuda\n", "~~~",  "\n",   "__global__ ", "void f()", "{",
        "}",        ";",         "(",    ")",    "/*",          "\"",       "<think>",
        "</think>", "#",         "R\"(", "\\\n", "````",        "'",        "\xff"};
    int found = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (auto n = random() % 40; n > 0; --n) text += pieces[random() % std::size(pieces)];
        auto const code = lkt::extract_code(text, lkt::language::cuda);
        if (auto const* c = std::get_if<std::string>(&code)) {
            ++found;
            REQUIRE(c->find("__global__") != std::string::npos);
        } else {
            REQUIRE_FALSE(std::get<lkt::no_code>(code).why.empty());
        }
    }
    CHECK(found > 100);
}
