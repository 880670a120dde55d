// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/compile_job.hpp>

#include "support.hpp"

using namespace lkt::cuda_detail;
using cuda_support::job;

namespace {

nvrtc_place const nowhere{"/nowhere/libnvrtc.so.13", {"/nowhere/include"}, "test"};

prepared_job prepared(compile_job const& j, nvrtc_place const& place = nowhere) {
    auto p = prepare(j, place, {}, "c++20");
    if (auto const* const f = std::get_if<lkt::failure>(&p))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<prepared_job>(std::move(p));
}
/// What is refused of a job; empty: nothing.
std::string refusal(compile_job const& j) {
    auto const p = prepare(j, nowhere, {}, "c++20");
    auto const* const f = std::get_if<lkt::failure>(&p);
    auto const* const r = f == nullptr ? nullptr : std::get_if<lkt::refused>(f);
    return r == nullptr ? std::string{} : r->what;
}
bool has(std::vector<std::string> const& list, std::string const& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

} // namespace

TEST_CASE("A kernel's text reads no files but headers under relative paths") {
    for (auto const* const line : {"#include \"/etc/passwd\"",
                                   "#include </etc/passwd>",
                                   "#include \"../x.h\"",
                                   "#include <a/../../x>",
                                   "#include MACRO",
                                   "#include",
                                   "#include <a.h> <b.h>",
                                   "# /**/ include /**/ \"/etc/passwd\"",
                                   "%:include \"/etc/passwd\"",
                                   "#inc\\\nlude \"/etc/passwd\"",
                                   "?\?=include \"/etc/passwd\"",
                                   "#include_next </etc/passwd>",
                                   "#import <x>",
                                   "#embed \"x\"",
                                   "import <x>;",
                                   "import \"/etc/passwd\";",
                                   "#if __has_include(\"/etc/passwd\")\n#endif",
                                   "#if __has_include(</etc/passwd>)\n#endif",
                                   "#if __has_include(<../x>)\n#endif",
                                   "#if __has_include(X)\n#endif",
                                   "#if __has_embed(\"/x\")\n#endif",
                                   "#define H __has_include",
                                   "#if __has_include",
                                   "#if __has_include(",
                                   "int x = __has_include(<a>);"}) {
        CAPTURE(line);
        auto const no = reaches_outside("int a;\n" + std::string{line} + "\n");
        REQUIRE(no.has_value());
        CHECK_FALSE(no->what.empty());
        CHECK_FALSE(no->why.empty());
        if (std::string_view{line}.starts_with("#")) CHECK(no->where.line == 2);
    }
    for (auto const* const text : {"#include <cuda_fp16.h>\n",
                                   "#include \"mine/x.h\"\n",
                                   "#if __has_include(<cuda/std/array>)\n#endif\n",
                                   "#if defined(__has_include) && 1\n#endif\n",
                                   "#ifdef __has_include\n#endif\n",
                                   "// #include \"/etc/passwd\"\n",
                                   "char const* s = \"#include </etc/passwd>\";\n",
                                   "#line 7 \"x\"\n#pragma unroll\n"}) {
        CAPTURE(text);
        CHECK_FALSE(reaches_outside(text).has_value());
    }
}

TEST_CASE("Definitions and names cannot bring in lines of their own") {
    auto j = job("__global__ void k() {}");
    j.definitions.values = {{"T", std::string{"float"}}, {"N", std::int64_t{3}}};
    CHECK(refusal(j).empty());
    for (auto const* const value : {"1\n#include \"/etc/passwd\"",
                                    "# 1",
                                    "1; }",
                                    "__has_include(</etc/passwd>)",
                                    "{",
                                    "\"",
                                    "a\\"}) {
        CAPTURE(value);
        j.definitions.values[0].second = std::string{value};
        CHECK_FALSE(refusal(j).empty());
    }
    j.definitions.values = {{"N M", std::int64_t{3}}};
    CHECK_FALSE(refusal(j).empty());
    for (auto const* const name : {"", "k\n", "k; int x", "k\"", "#k", "3", "k{}", "k\\"}) {
        CAPTURE(name);
        auto const p = prepare(job("__global__ void k() {}", name), nowhere, {}, "c++20");
        CHECK(std::holds_alternative<lkt::failure>(p));
    }
    for (auto const* const name : {"k", "a::k", "k<float, 4>", "k<a::b<int>, (1 << 3)>", "k<'c'>"})
        CHECK(refusal(job("__global__ void k() {}", name)).empty());
    for (auto const* const arch : {"", "sm_", "90", "sm_90 -I/", "compute_90", "sm_90aa"}) {
        auto wrong = job("__global__ void k() {}");
        wrong.arch = arch;
        CHECK(std::holds_alternative<lkt::failure>(prepare(wrong, nowhere, {}, "c++20")));
    }
    auto other = job("@compute fn k() {}");
    other.source.language = lkt::language::wgsl;
    CHECK(refusal(other) == "WGSL");
}

TEST_CASE("Options that only change code are passed, those of files refused") {
    auto j = job("__global__ void k() {}");
    j.options = {"-use_fast_math",
                 "--fmad=false",
                 "-DN=3",
                 "-D M",
                 "-std=c++17",
                 "-maxrregcount=32",
                 "-Xptxas=-O1",
                 "-I/somewhere",
                 "-lineinfo",
                 "-gencode=arch=compute_90,code=sm_90",
                 "-O3"};
    auto const p = prepared(j);
    auto const& o = p.program.options;
    for (auto const* const passed : {"-arch=sm_90",
                                     "--use_fast_math",
                                     "--fmad=false",
                                     "-DN=3",
                                     "-DM",
                                     "-std=c++17",
                                     "--maxrregcount=32",
                                     "--ptxas-options=-O1",
                                     "--ptxas-options=-v",
                                     "-I/somewhere",
                                     "-I/nowhere/include",
                                     "--generate-line-info"}) {
        CAPTURE(passed);
        CHECK(has(o, passed));
    }
    CHECK_FALSE(has(o, "-std=c++20"));
    CHECK(p.notes.size() == 2);
    CHECK(p.user_folders == std::vector<std::string>{"/somewhere"});
    for (auto const* const bad : {"--pre-include=/etc/passwd",
                                  "-include=/etc/passwd",
                                  "--pch-dir=/",
                                  "--create-pch=/x",
                                  "--time=/tmp/x",
                                  "--device-time-trace=/tmp/x",
                                  "x.cu",
                                  "",
                                  "-",
                                  "-D3=4",
                                  "-DX=a\nb",
                                  "-Xptxas=-o",
                                  "-Xptxas=--output-file=/x",
                                  "-Xptxas -v,-o",
                                  "--maxrregcount=/x",
                                  "--whatever"}) {
        CAPTURE(bad);
        j.options = {bad};
        auto const r = prepare(j, nowhere, {}, "c++20");
        CHECK(std::holds_alternative<lkt::failure>(r));
    }
}

TEST_CASE("Definitions stand after the toolkit's headers, before everybody else's") {
    cuda_support::scratch const toolkit, mine;
    cuda_support::write(toolkit.path() / "a.h", "");
    cuda_support::write(toolkit.path() / "b.h", "");
    cuda_support::write(mine.path() / "b.h", "");
    nvrtc_place const place{"/nowhere/libnvrtc.so.13", {toolkit.text()}, "test"};
    auto j = job("// a kernel\n#include <a.h> // first\n\n#include <b.h>\nint x = N;\n");
    j.definitions.values = {{"N", std::int64_t{3}}};
    auto const p = prepared(j, place);
    CHECK(p.precompiled);
    CHECK(p.includes);
    CHECK(p.program.text == "// a kernel\n#include <a.h> // first\n\n#include <b.h>\n"
                            "#pragma nv_hdrstop\n#define N 3\n#line 5 \"kernel\"\nint x = N;\n");

    j.options = {"-I" + mine.text()}; // b.h is now the user's
    CHECK(prepared(j, place).program.text.find("<a.h> // first\n#pragma nv_hdrstop") !=
          std::string::npos);
    j.options.clear();
    j.source.text = "#include <a.h> /* a long\n comment */\nint x = N;\n";
    CHECK(prepared(j, place).program.text == "#define N 3\n#line 1 \"kernel\"\n" + j.source.text);
    j.source.text = "#include \"a.h\"\nint x = N;\n";
    CHECK_FALSE(prepared(j, place).precompiled);
    j.source.text = "#include <a.h>\nint x;\n";
    j.definitions.values = {{"CUB_NS", std::int64_t{3}}}; // means something to the headers
    CHECK_FALSE(prepared(j, place).precompiled);
}

TEST_CASE("ptxas's statistics are those of the kernel that was asked for") {
    std::string const log =
        "ptxas info    : 12 bytes gmem, 4 bytes cmem[3]\n"
        "ptxas info    : Compiling entry function '_Z2k2v' for 'sm_90'\n"
        "ptxas info    : Function properties for _Z2k2v\n"
        "ptxas         .     8 bytes stack frame, 1 bytes spill stores, 1 bytes spill loads\n"
        "ptxas info    : Used 99 registers, used 0 barriers, 1 bytes smem\n"
        "ptxas info    : Compiling entry function '_Z1kv' for 'sm_90'\n"
        "ptxas info    : Function properties for helper\n"
        "ptxas         .     9 bytes stack frame, 9 bytes spill stores, 9 bytes spill loads\n"
        "ptxas info    : Function properties for _Z1kv\n"
        "ptxas         .     104 bytes stack frame, 64 bytes spill stores, 68 bytes spill loads\n"
        "ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem, 360 bytes cmem[0], "
        "8 bytes cmem[2]\n";
    // What it says of speed, of this kernel or of none by name.
    std::string const slow = "Potential Performance Loss: wgmma.mma_async instructions are "
                             "serialized due to non wgmma instructions";
    std::string const said = "ptxas info    : (C7515) " + slow + " in the function '_Z1kv'\n" +
                             "ptxas info    : (C7508) setmaxnreg ignored\n" + log;
    CHECK(resources_in(said, "_Z1kv").remarks ==
          std::vector{slow, std::string("setmaxnreg ignored")});
    CHECK(resources_in(said, "_Z2k2v").remarks == std::vector{std::string("setmaxnreg ignored")});
    CHECK(resources_in(said, "_Z1kv").registers == 32);
    CHECK(resources_in(log, "_Z1kv") == lkt::kernel_resources{32, 64, 68, 104, 1024, 368});
    CHECK(resources_in(log, "_Z2k2v").registers == 99);
    CHECK(resources_in(log, "_Z1k") == lkt::kernel_resources{});
    CHECK(resources_in("", "k", "\177ELF\2\1 cut off") == lkt::kernel_resources{});
    CHECK(resources_in("ptxas info : Used 99999999999999 registers", "") ==
          lkt::kernel_resources{});
}
