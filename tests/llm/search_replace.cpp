// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/search_replace.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

std::string edit(std::string const& search, std::string const& replace) {
    return "<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n";
}
std::string applied(std::string const& text, std::string const& reply) {
    auto const edits = lkt::read_edits(reply);
    if (!edits) return edits.error().code;
    auto const now = lkt::apply_edits(text, *edits);
    return now ? *now : now.error().code;
}
std::string fault(std::string const& reply) {
    auto const edits = lkt::read_edits(reply);
    return edits ? "none" : edits.error().message;
}

std::string const text = "int a = 1;\nint b = 2;\nint c = a;\nint b = 2;\n";

} // namespace

TEST_CASE("Edits are applied one after the other, whatever stands around them") {
    CHECK(applied(text,
                  "First:\n```\n" + edit("int a = 1;\n", "int a = 4;\nint d;\n") + "```\nthen\n" +
                      edit("int d;\nint b = 2;\n", "int b = 3;\n")) ==
          "int a = 4;\nint b = 3;\nint c = a;\nint b = 2;\n");
    CHECK(applied(text, edit("int c = a;\n", "")) == "int a = 1;\nint b = 2;\nint b = 2;\n");
    CHECK(applied(text, "No edit at all.") == text);
}

TEST_CASE("Whole lines are searched for; white space at their ends does not count") {
    CHECK(applied(text, edit("int a = 1;   \r\n", "x\n")).starts_with("x\nint b"));
    CHECK(applied("a  \nb\n", edit("a\n", "c\n")) == "c\nb\n");
    CHECK(applied(text, edit("a = 1;\n", "x\n")) == "lkt.patch.search");
    CHECK(applied(text, edit("  int a = 1;\n", "x\n")) == "lkt.patch.search");
    // The last line may lack its end.
    CHECK(applied("a\nb", edit("b\n", "c\n")) == "a\nc\n");
    CHECK(applied("a\nb", edit("a\nb\n", "c\n")) == "c\n");
}

TEST_CASE("Lines that are not there, or more than once, are no place to edit") {
    CHECK(applied(text, edit("int z;\n", "x\n")) == "lkt.patch.search");
    CHECK(applied(text, edit("int b = 2;\n", "x\n")) == "lkt.patch.search");
    CHECK(applied(text, edit("int c = a;\nint b = 2;\n", "x\n")) == "int a = 1;\nint b = 2;\nx\n");
    // An earlier edit took them away.
    CHECK(applied(text, edit("int a = 1;\n", "y\n") + edit("int a = 1;\n", "x\n")) ==
          "lkt.patch.search");
    CHECK(applied("", edit("a\n", "b\n")) == "lkt.patch.search");
    // Runs that overlap themselves.
    CHECK(applied("a\na\na\n", edit("a\na\n", "b\n")) == "lkt.patch.search");
}

TEST_CASE("What has the wrong form is refused, with what is wrong with it") {
    CHECK(fault("<<<<<<< SEARCH\na\n=======\nb\n") == "edit 1 does not end");
    CHECK(fault("<<<<<<< SEARCH\na\n") == "edit 1 does not end");
    CHECK(fault(">>>>>>> REPLACE\n").find("no line =======") != std::string::npos);
    CHECK(fault("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n").find("=======") != std::string::npos);
    CHECK(fault("<<<<<<< SEARCH\na\n=======\nb\n=======\n>>>>>>> REPLACE\n").find("two lines") !=
          std::string::npos);
    CHECK(fault(edit("", "b\n")).find("has an empty search text") != std::string::npos);
    CHECK(fault(edit("\n \n", "b\n")).find("has an empty search text") != std::string::npos);
    CHECK(fault("<<<<<<< SEARCH\n" + edit("a\n", "b\n")).find("before the next") !=
          std::string::npos);
    CHECK(fault("=======\nA heading's line is no edit.\n") == "none");
    std::string many;
    for (std::size_t k = 0; k <= lkt::max_edits; ++k) many += edit("a\n", "b\n");
    CHECK(fault(many).find("one too many") != std::string::npos);
}

TEST_CASE("Reasoning is passed over") {
    CHECK(applied(text,
                  "<think>\n" + edit("int a = 1;\n", "wrong\n") + "</think>\n" +
                      edit("int a = 1;\n", "right\n"))
              .starts_with("right\n"));
}
