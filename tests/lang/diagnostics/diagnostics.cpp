// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/diagnostics/diagnostics.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

bool has(std::string const& text, std::string_view part) { return text.find(part) != text.npos; }

constexpr char canary[] = "CANARY_7f3a9c";

/// What a compiler on this machine says; empty where it is not there, or where all is well.
class workshop {
public:
    workshop() {
        char name[] = "/tmp/lkt-diagnostics-XXXXXX";
        REQUIRE(::mkdtemp(name) != nullptr);
        folder_ = name;
        std::ofstream(folder_ + "/secret.txt") << canary << " secret " << canary << "_too;\n";
    }
    ~workshop() { std::filesystem::remove_all(folder_); }
    workshop(workshop const&) = delete;
    workshop& operator=(workshop const&) = delete;

    [[nodiscard]] std::string secret() const { return folder_ + "/secret.txt"; }

    /// As the host back end does: text around the kernel, and a name for each.
    [[nodiscard]] static std::string whole(std::string const& text) {
        return "namespace shim { template <class T> void need(T t) { t.nothing(); } }\n"
               "namespace {\n#line 1 \"kernel\"\n" +
               text + "\n}\n#line 1 \"end\"\nint shim_end;\n";
    }
    [[nodiscard]] std::string said(std::string const& compiler, std::string const& text) const {
        std::ofstream(folder_ + "/module.cpp") << whole(text);
        return output("cd " + folder_ + " && command -v " + compiler.substr(0, compiler.find(' ')) +
                      " >/dev/null && LC_ALL=C.UTF-8 " + compiler +
                      " -std=gnu++20 -w -fPIC -shared -Wl,-z,defs -fdiagnostics-color=never "
                      "-o module.so module.cpp 2>&1");
    }

private:
    static std::string output(std::string const& command) {
        std::string text;
        std::FILE* const pipe = ::popen(command.c_str(), "r");
        REQUIRE(pipe != nullptr);
        std::array<char, 4096> piece{};
        while (auto const n = std::fread(piece.data(), 1, piece.size(), pipe))
            text.append(piece.data(), n);
        (void)::pclose(pipe);
        return text;
    }
    std::string folder_;
};

struct failing {
    std::string text;
    int line;              ///< of the first error that is told; 0 for none
    std::string_view told; ///< a part of what is told
};

} // namespace

TEST_CASE("What g++ and clang say of the text stays, with the text's own lines") {
    workshop const shop;
    std::vector<failing> const all{
        {"void k(float* c) {\n  c[0] = undeclared_thing;\n}", 2, "undeclared_thing"},
        {"struct s { int a; };\nvoid k(s* p) { p->nosuch = 1; }", 2, "nosuch"},
        {"void k() { int x = ; }", 1, "expected"},
        {"\nstatic_assert(sizeof(int) == 8, \"needs wide words\");", 2, "needs wide words"},
        {"#error this cannot be\n", 1, "this cannot be"},
        {"#include \"nosuch_header.h\"\n", 1, "nosuch_header"},
        {"void k(float* c) { shim::need(c); }", 1, "includes or uses does not compile"},
        {"float f(float);\nextern \"C\" void k(float* c) { c[0] = f(c[1]); }",
         0,
         "undefined symbol f(float)"},
        {"extern \"C\" void k() { asm volatile(\"bogus_thing %eax\"); }", 1, "bogus_thing"},
        {"void k() { if (true) {", 0, "end of the text"},
    };
    int looked_at = 0;
    for (std::string const compiler :
         {"g++", "clang++-16", "clang++-19", "clang++-19 -fuse-ld=lld"})
        for (auto const& one : all) {
            auto const output = shop.said(compiler, one.text);
            if (output.empty()) continue;
            ++looked_at;
            auto const whole = workshop::whole(one.text);
            auto const f = lkt::compile_failure(output, lkt::own_text(one.text, {}, whole));
            INFO(compiler << " said:\n" << output << "\nwhich is read as:\n" << f.log);
            CHECK(has(f.log, one.told));
            if (one.told != "end of the text") CHECK(f.where.line == one.line);
            CHECK_FALSE(has(f.log, "/tmp"));
            CHECK_FALSE(has(f.log, "module.cpp"));
            CHECK_FALSE(has(f.log, "anonymous"));
        }
    CHECK(looked_at >= static_cast<int>(all.size()));
}

TEST_CASE("What another file holds is never told") {
    workshop const shop;
    std::string const file = "\"" + shop.secret() + "\"";
    std::vector<std::string> const all{
        "#include " + file + "\n",
        "void k() {\n#include " + file + "\n}",
        "enum e {\n#include " + file + "\n};\nvoid k() { e x = 1; }",
        "static_assert(sizeof(int) == 8,\n#include " + file + "\n);",
        "#define S(x) #x\n#define T(x) S(x)\nstatic_assert(false, T(\n#include " + file + "\n));",
        "template <class T> struct show;\nstruct\n#include " + file + "\nshow<int> x;",
        "#line 1 \"" + shop.secret() + "\"\nint x = nothing;",
        "#line 1 \"kernel\\nkernel:1:1: error: x\"\n#include " + file + "\n",
        "extern \"C\" void k() { asm(\".include \\\"" + shop.secret() + "\\\"\"); }",
        "extern \"C\" void k() { asm(\".error \\\"" + std::string("x") + "\\\"\\n.include \\\"" +
            shop.secret() + "\\\"\"); }",
        "int x = __has_include(" + file + ") nothing;",
        "#pragma GCC error \"read\"\n#include " + file + "\n",
        "_Pragma(\"GCC dependency \\\"" + shop.secret() + "\\\"\")\n#include " + file + "\n",
    };
    int looked_at = 0, shown = 0;
    for (auto const& compiler :
         std::vector<std::string>{"g++",
                                  "clang++-16",
                                  "clang++-19",
                                  "g++ -Wl,-T," + shop.secret(),
                                  "clang++-19 -fuse-ld=lld -Wl,-T," + shop.secret()})
        for (auto const& text : all) {
            auto const output = shop.said(compiler, text);
            if (output.empty()) continue;
            ++looked_at;
            shown += has(output, canary) || has(output, "canary_7f3a9c");
            auto const f = lkt::compile_failure(output, lkt::own_text(text));
            INFO(compiler << " said:\n" << output << "\nwhich is read as:\n" << f.log);
            CHECK_FALSE(has(f.log, "7f3a9c"));
            CHECK_FALSE(has(f.log, "_too"));
            CHECK_FALSE(f.log.empty());
        }
    CHECK(looked_at >= static_cast<int>(all.size()));
    CHECK(shown > 5); // the compilers do tell
}

TEST_CASE("NVRTC's messages, with excerpts and what follows on further lines") {
    std::string const text = "__global__ void k(float* a) {\n    int u;\n    a[0]=b;\n}\n";
    auto const f = lkt::compile_failure(
        "kernel(2): warning #177-D: variable \"u\" was declared but never referenced\n"
        "      int u;\n          ^\n\n"
        "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
        "kernel(3): error: identifier \"b\" is undefined\n"
        "      a[0]=b;\n           ^\n\n"
        "/usr/include/secret.h(3): error: identifier \"CANARY_7\" is undefined\n"
        "  CANARY_7 is here\n  ^\n\n"
        "__nv_name_map(2): error: identifier \"q\" is undefined\n"
        "  #pragma nv_mangled_name q\n\n"
        "kernel(3): error: no instance of function \"a\" matches the argument list\n"
        "            argument types are: (int, CANARY_7)\n"
        "3 errors detected in the compilation of \"kernel\".\n",
        lkt::own_text(text));
    CHECK(f.where == lkt::text_location{3, 10});
    CHECK(f.log == "kernel(2): warning: variable \"u\" was declared but never referenced\n"
                   "    2 |     int u;\n"
                   "      |         ^\n"
                   "kernel(3): error: identifier \"b\" is undefined\n"
                   "    3 |     a[0]=b;\n"
                   "      |          ^\n"
                   "error: the kernel's name: identifier \"q\" is undefined\n"
                   "kernel(3): error: no instance of function \"a\" matches the argument list\n"
                   "            argument types are: (int, ...)\n"
                   "    3 |     a[0]=b;");
    CHECK(lkt::compile_failure("ptxas error   : Entry function '_Z1kPf' uses too much shared data "
                               "(0x11000 bytes, 0xc000 max)\n",
                               lkt::own_text(text))
              .log == "error: ptxas: Entry function '_Z1kPf' uses too much shared data (0x11000 "
                      "bytes, 0xc000 max)");
}

TEST_CASE("Where nothing is left, a sentence says at which step it failed") {
    lkt::own_text const own("void k();\n");
    auto const log = [&](std::string_view output) { return lkt::compile_failure(output, own).log; };
    CHECK(log("") == "the compiler failed without a message about the kernel's text");
    CHECK(log("/a/b.h:1:1: error: CANARY\n") == log(""));
    CHECK(log("/usr/bin/ld: CANARY: file not recognized\ncollect2: error: ld returned 1\n") ==
          "the link failed without a message about the kernel's text");
    CHECK(log("/tmp/a.s: Assembler messages:\n/tmp/a.s:3: Error: CANARY\n") ==
          "the assembler failed without a message about the kernel's text");
    CHECK(log("ld: undefined reference to `CANARY'\n") ==
          "error: the link failed: undefined symbol that the text does not name");
    CHECK(lkt::compile_failure(std::string(3'000'000, 'x'), own).where == lkt::text_location{});
}

TEST_CASE("Counts and lengths are bounded") {
    std::string text, output;
    for (int i = 1; i <= 400; ++i) {
        text += "int x" + std::to_string(i) + std::string(300, ' ') + ";\n";
        output += "kernel:" + std::to_string(i) + ":1: error: " + std::string(4000, 'y') + "\n";
    }
    lkt::own_text const own(text);
    auto const words = lkt::read_diagnostics(output, own);
    CHECK(words.list.size() <= 100);
    for (auto const& d : words.list) CHECK(d.excerpt.size() <= 200);
    CHECK(to_string(words).size() <= 8192);
    CHECK(has(to_string(words), "(and more)"));
    CHECK(lkt::compile_failure("kernel:99999999999:1: error: expected\n", own).where.line == 0);
    CHECK(lkt::compile_failure("kernel:7000:1: error: expected\n", own).log == "error: expected");
}
