// SPDX-License-Identifier: BSL-1.0
// Texts from tests/gpu/hostile: those that reach for more than a kernel has are refused before any
// compiler sees them, those that ask where they run get one text in every build, and honest ones
// run.
#include "support.hpp"
#include "support_host.hpp"

#include <lkt/gpu/detail/host/kernel_text.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace support;

namespace {

struct sample {
    std::string name, expected, text;
};
std::vector<sample> samples(std::string const& folder) {
    std::vector<sample> all;
    for (auto const& entry : std::filesystem::directory_iterator(
             std::filesystem::path(LKT_TEST_SOURCE_DIR) / "gpu" / "hostile" / folder)) {
        std::ifstream in(entry.path(), std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(in), {}};
        constexpr std::string_view mark = "// expect: ";
        REQUIRE(text.starts_with(mark));
        auto const end = text.find('\n');
        all.push_back(
            {entry.path().stem().string(), text.substr(mark.size(), end - mark.size()), text});
    }
    return all;
}
lkt::compile_request request_for(std::string text) {
    lkt::compile_request request;
    request.source.text = std::move(text);
    request.signature.name = "k";
    return request;
}
auto read(std::string text) {
    return lkt::host_detail::read_kernel(request_for(std::move(text)), {}, {}, true);
}

} // namespace

TEST_CASE("host texts: hostile ones are refused before a compiler sees them") {
    auto const all = samples("refused");
    CHECK(all.size() >= 120);
    for (auto const& s : all) {
        CAPTURE(s.name);
        auto const got = read(s.text);
        auto const* const no = std::get_if<lkt::failure>(&got);
        CHECK(no != nullptr);
        if (no == nullptr) continue;
        auto const why = lkt::describe(*no);
        CAPTURE(why);
        if (s.expected != "*") CHECK(why.find(s.expected) != why.npos);
    }
}

TEST_CASE("host texts: a text that asks where it runs hears nothing") {
    using lkt::host_detail::instrumentation;
    auto const all = samples("probes");
    CHECK(all.size() >= 20);
    for (auto const& s : all) {
        CAPTURE(s.name);
        auto const got = read(s.text);
        auto const* const kernel = std::get_if<lkt::host_detail::kernel_text>(&got);
        if (kernel == nullptr) continue;
        // Whatever it asked, nothing that a build could answer is left.
        for (auto const& t : kernel->tokens)
            CHECK_FALSE(lkt::host_detail::named_by_compilers(t.text));
        auto const plain = lkt::host_detail::kernel_part(*kernel, instrumentation::none, {});
        for (auto const how : {instrumentation::bounds, instrumentation::races})
            CHECK(std::get<std::string>(lkt::host_detail::kernel_part(*kernel, how, {})) ==
                  std::get<std::string>(plain));
    }
}

TEST_CASE("host texts: builds differ in the word for shared memory and its margin alone") {
    using lkt::host_detail::instrumentation;
    for (auto const& s : samples("honest")) {
        CAPTURE(s.name);
        auto const got = read(s.text);
        REQUIRE(std::holds_alternative<lkt::host_detail::kernel_text>(got));
        auto const& kernel = std::get<lkt::host_detail::kernel_text>(got);
        auto const part = [&](instrumentation how, std::string_view word) {
            auto text = std::get<std::string>(lkt::host_detail::kernel_part(kernel, how, {}));
            for (auto at = text.find(word); at != text.npos; at = text.find(word, at))
                text.replace(at, word.size(), "@");
            for (std::string_view const margin : {" + 2 * 65536", "[65536]"})
                if (auto const at = text.find(margin); at != text.npos)
                    text.erase(at, margin.size());
            return text;
        };
        auto const plain = part(instrumentation::none, "thread_local");
        if (s.name != "shared-in-macro") continue; // others have `static` of their own
        CHECK(plain.find('@') != plain.npos);
        for (auto const how : {instrumentation::bounds, instrumentation::races})
            CHECK(part(how, "static") == plain);
    }
}

TEST_CASE("host texts: honest ones run") {
    auto const all = samples("honest");
    CHECK(all.size() >= 30);
    for (auto const& s : all) {
        CAPTURE(s.name);
        trial t{s.text, {1}, {1}, {out<int>(1), value(1)}};
        t.name = "k";
        CHECK_NOTHROW((void)outputs(shared_host(), t));
    }
}

TEST_CASE("host texts: numbers out of range and wide shifts become what they do on a device") {
    trial t{R"(__global__ void k(float x, int by, int* c) {
    c[0] = (unsigned char)x;
    c[1] = static_cast<unsigned>(x);
    c[2] = (int)(unsigned)-x;
    c[3] = int(x * 1e30f);
    c[4] = (int)((x - x) / (x - x));
    c[5] = (signed char)x;
    c[6] = 1u << by;
    c[7] = -8 >> by;
    c[8] = (int)(1ll << by >> 32);
    c[9] = 1 << by - 40 + 4;
    c[10] = (float)(unsigned)x;
})",
            {1},
            {1},
            {value(-5.5f), value(40), out<int>(11)}};
    t.name = "k";
    for (bool const checked : {false, true}) {
        t.checked = checked;
        CHECK(numbers<int>(outputs(shared_host(), t)[0]) ==
              std::vector<int>{0, 0, 5, INT32_MIN, 0, -5, 0, -1, 256, 16, 0});
    }
}

TEST_CASE(
    "host texts: where a device's shifts do not compile, those of the CPU do, and it is said") {
    trial t{R"(struct bits { unsigned a : 9; };
__global__ void k(int by, int* c) {
    bits b; b.a = 1; b.a <<= by;
    c[0] = b.a;
})",
            {1},
            {1},
            {value(3), out<int>(1)},
            0,
            {},
            true};
    CHECK(numbers<int>(outputs(shared_host(), t)[0]) == std::vector<int>{8});
    auto const made = shared_host().compile(compile_request_of(t), {});
    REQUIRE(made);
    CHECK(std::get<lkt::compiled_kernel>(*made).unchecked.starts_with(
        "casts and shifts are the CPU's"));
    // What is wrong is told of the text as it is written.
    t.text = "__global__ void k(int by, int* c) {\n    c[0] = missing << by;\n}";
    auto const no = shared_host().compile(compile_request_of(t), {});
    REQUIRE(no);
    auto const* const why = std::get_if<lkt::failure>(&*no);
    REQUIRE(why != nullptr);
    CHECK(describe(*why).find("missing") != std::string::npos);
    CHECK(describe(*why).find("lkt_") == std::string::npos);
}

TEST_CASE("host texts: which lanes are there together depends on the order of threads") {
    auto const with = [](std::string const& counted) {
        trial t{"__global__ void k(int* c, int n) {\n"
                "    if ((int)threadIdx.x < n) {\n"
                "        unsigned const there = __activemask();\n        " +
                    counted + "\n    }\n    __syncthreads();\n}",
                {1},
                {64},
                {inout(std::vector<int>(64, 0)), value(40)}};
        t.name = "k";
        return t;
    };
    auto all = with("c[threadIdx.x] = __popc(there);");
    std::vector<int> expected(64, 32);
    std::fill(expected.begin() + 32, expected.begin() + 40, 8);
    std::fill(expected.begin() + 40, expected.end(), 0);
    CHECK(numbers<int>(outputs(shared_host(), all)[0]) == expected);
    all.checked = true;
    CHECK_NOTHROW((void)failure_of<lkt::race>(shared_host(), all));
    auto any = with("if (__ffs(there) - 1 == threadIdx.x % 32) atomicAdd(c, __popc(there));");
    any.checked = true;
    CHECK(numbers<int>(outputs(shared_host(), any)[0])[0] == 40);
    // A whole warp is together in each order.
    all.arguments[1] = value(64);
    CHECK(numbers<int>(outputs(shared_host(), all)[0]) == std::vector<int>(64, 32));
}

TEST_CASE(
    "host texts: what a compiler defines cannot remain in a kernel, or is the same in all builds") {
    std::size_t looked_at = 0;
    for (std::string const compiler : {"g++-12", "g++", "clang++-16", "clang++-19"}) {
        auto const names = [&](std::string const& flags) {
            std::vector<std::string> lines;
            FILE* const pipe = ::popen(
                (compiler + " -dM -E -x c++ -std=gnu++20 " + flags + " /dev/null 2>/dev/null")
                    .c_str(),
                "r");
            char line[4096];
            while (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr)
                lines.emplace_back(line);
            if (pipe != nullptr) ::pclose(pipe);
            return lines;
        };
        auto const plain = names("-O3");
        for (auto const* const flags : {"-O3", "-O1 -fsanitize=address", "-O1 -fsanitize=thread"})
            for (auto const& line : names(flags)) {
                auto name = line.substr(8, line.find_first_of(" (\n", 8) - 8);
                bool const same = std::find(plain.begin(), plain.end(), line) != plain.end();
                CAPTURE(line);
                CHECK((same || lkt::host_detail::named_by_compilers(name)));
                ++looked_at;
            }
    }
    CHECK(looked_at > 500);
}

TEST_CASE(
    "host texts: a static constructor is found in a checked build, a sanitizer's own is not") {
    trial t{"__device__ int seven = *(int const volatile*)\"abcd\";\n"
            "__global__ void k(int* c, int n) { c[0] = seven + n; }",
            {1},
            {1},
            {out<int>(1), value(1)}};
    t.name = "k";
    for (bool const checked : {false, true}) {
        t.checked = checked;
        CHECK(failure_of<lkt::refused>(shared_host(), t).what == "a static constructor");
    }
    t.text = "__device__ int table[4] = {1, 2, 3, 4};\n"
             "__global__ void k(int* c, int n) { c[0] = table[n]; }";
    CHECK(numbers<int>(outputs(shared_host(), t)[0])[0] == 2);
}
