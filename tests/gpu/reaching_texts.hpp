// SPDX-License-Identifier: BSL-1.0
// Kernels that would bring a file in, if something let them: each way to name it, in each way to
// hide the word that does it.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace support {

namespace reaching {

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// Of a text: `@` is the file's name with its quotation marks.
inline std::vector<std::string> directives() {
    return {
        "#include @",
        "#include_next @",
        "#import @",
        "%:include @",
        "%:import @",
        "?"
        "?=include @",
        "#/* a comment */include/* another */@",
        "#\\\ninclude\\\n@",
        "#\\\r\ninclude @",
        "#\\ \ninclude @",
        "#inc\\\nlude @",
        "int x;\r#include @",
        "// a comment\r#include @",
        "/* a comment\r*/#include @",
        "\v\f#include @",
        "#define FILE @\n#include FILE",
        "#define NAME(f) f\n#include NAME(@)",
        "#define F2 @\n#define F1 F2\n#import F1",
        "#if __has_include(@)\n#include @\n#endif",
        "#ifdef __has_include\n#include @\n#endif",
        "#define PASTE(a, b) a##b\n#if PASTE(__has_, include)(@)\n#include @\n#endif",
        "#if 0\n#elif 1\n#include @\n#endif",
        "#define S R\"x(\n#include @\n)x\"\n#include @",
        "#pragma GCC dependency @ parse",
        "#pragma GCC pch_preprocess @",
        "#pragma include_alias(<a.h>, @)\n#include <a.h>",
        "#pragma clang __debug parser_crash @\n#include @",
        "#pragma comment(lib, @)",
        "_Pragma(\"GCC dependency\")\n#include @",
        "#line 1 @\n#error here",
        "# 1 @ 1 3\n#error here",
        "#error\n#include @",
        "#ident @\n#include @",
        "#sccs @",
        "extern \"C\" unsigned char const e[] = {\n#embed @\n};",
        "extern \"C\" unsigned char const e[] = {\n#embed @ limit(16) prefix(0,)\n};",
        "#define CALL(x) x\nCALL(\n#include @\n)",
        "import @;",
        "#define I import\nI @;",
        "export import @;",
    };
}

/// Of an assembler's text: `@` is the file's name. One `%` stands for each line's end.
inline std::vector<std::string> assembler_lines() {
    return {
        "%.section .data%.incbin \"@\"%.text%",
        "%.section .data%.incbin \"@\", 0, 64%.text%",
        "%.include \"@\"%",
        "%.macro m f%.incbin \"\\f\"%.endm%.section .data%m @%.text%",
        "%.irp f, @%.section .data%.incbin \"\\f\"%.text%.endr%",
        "%.section .deplibs,\"MS\",@llvm_dependent_libraries,1%.asciz \"@\"%.text%",
        "%.section .linker-options,\"e\",@llvm_linker_options%.asciz \"-T\"%.asciz \"@\"%.text%",
        "%.file 1 \"@\"%",
        "%.pragma \"@\";%",
    };
}

inline std::string kernel_with(std::string_view before, std::string_view inside) {
    return std::string{before} + "\n__global__ void k(int* c, int n) { " + std::string{inside} +
           " c[0] = n; }\n";
}

/// `lines` as a C string's inside, or a raw string's.
inline std::string escaped(std::string const& lines) {
    return replaced(replaced(replaced(lines, "\\", "\\\\"), "\"", "\\\""), "%", "\\n");
}

inline std::vector<std::string> carriers(std::string const& lines) {
    auto const text = '"' + escaped(lines) + '"';
    auto const raw = "R\"x(" + replaced(lines, "%", "\n") + ")x\"";
    std::string const pasted = "#define PASTE(a, b) a##b\n";
    // An encoding that no search for a word sees.
    auto const spelt = replaced(replaced(text, ".inc", "\\x2e\" \"\\151nc"), ".sec", "\\56sec");
    return {
        kernel_with("asm(" + text + ");", ""),
        kernel_with("", "asm volatile(" + text + ");"),
        kernel_with("asm(" + raw + ");", ""),
        kernel_with("__asm__(" + spelt + ");", ""),
        kernel_with(pasted + "PASTE(a, sm)(" + text + ");", ""),
        kernel_with("#define OPEN (\n#define CLOSE )\n__asm OPEN " + text + " CLOSE;", ""),
        kernel_with("extern int name asm(\"name" + text.substr(1) + ");", "n += name;"),
        kernel_with("__attribute__((section(\".x,\\\"a\\\"" + text.substr(1, text.size() - 2) +
                        "#\"))) int hidden = 1;",
                    "n += hidden;"),
        kernel_with("#define OPEN ((\n#define CLOSE ))\n__attribute__ OPEN section(\".x" +
                        text.substr(1) + ") CLOSE int hidden = 1;",
                    "n += hidden;"),
        kernel_with("[[gnu::section(\".y" + text.substr(1) + ")]] int hidden = 1;", "n += hidden;"),
        kernel_with("[[using gnu: alias(\"k" + text.substr(1) + ")]] void other();", ""),
        kernel_with("void f() __attribute__((target(" + text + ")));", ""),
        kernel_with("_Pragma(\"weak name\")\nasm(" + text + ");", ""),
        kernel_with("", "register int r asm(" + text + ") = n; c[1] = r;"),
        kernel_with("template <int> void f() { asm(" + text + "); }", "f<1>();"),
    };
}

} // namespace reaching

/// Texts to leave out after each that is tried: none with LKT_ALL_TEXTS=1, which takes minutes.
inline std::size_t stride(std::size_t usual) {
    auto const* const all = std::getenv("LKT_ALL_TEXTS");
    return all != nullptr && std::string_view{all} == "1" ? 1 : usual;
}

/// All of them, for the file with this absolute path.
inline std::vector<std::string> reaching_texts(std::string const& file) {
    using namespace reaching;
    std::vector<std::string> all;
    for (auto const& name : {'"' + file + '"',
                             "</proc/self/root" + file + ">",
                             "\"../../../../../../.." + file + '"',
                             "</proc/self/cwd/../../../../../.." + file + '>'})
        for (auto const& d : directives()) all.push_back(kernel_with(replaced(d, "@", name), ""));
    for (auto const& name : {file, "/proc/self/root" + file})
        for (auto const& lines : assembler_lines())
            for (auto const& text : carriers(replaced(lines, "@", name))) all.push_back(text);
    // Named and used, so that a linker keeps it.
    all.push_back("asm(\".section .data\\n.globl held\\nheld: .incbin \\\"" + file +
                  "\\\"\\n.text\");\nextern \"C\" char held[];\n" +
                  kernel_with("", "n = held[n];"));
    return all;
}

} // namespace support
