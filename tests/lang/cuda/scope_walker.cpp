// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/cuda/scope_walker.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

/// Depth, statement's first word and namespaces at the word `here`.
std::string at_here(std::string const& text) {
    auto const tokens = lkt::tokenize(text).value();
    lkt::scope_walker scopes(tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is("here"))
            return std::to_string(scopes.depth()) + " " + tokens[scopes.statement()].text + " " +
                   scopes.qualification();
        scopes.past(i);
    }
    return "nowhere";
}

} // namespace

TEST_CASE("braces of namespaces and extern \"C\" are no depth") {
    CHECK(at_here("int here;") == "0 int ");
    CHECK(at_here("namespace a { namespace b::c { float here; } }") == "0 float a::b::c::");
    CHECK(at_here("namespace { int x; } inline namespace v { int here; }") == "0 int v::");
    CHECK(at_here("namespace [[deprecated]] a { int here; }") == "0 int a::");
    CHECK(at_here("extern \"C\" { int here; }") == "0 int ");
    CHECK(at_here("namespace a { void f() { if (x) { y = here; } } }") == "2 y a::");
    CHECK(at_here("namespace a { struct s { int x; }; } int here;") == "0 int ");
}

TEST_CASE("a statement ends at a semicolon or a brace, and preprocessor lines are none of it") {
    CHECK(at_here("int a;\n#pragma once {\nfloat b = here;") == "0 float ");
    CHECK(at_here("void f() {} static here") == "0 static ");
    CHECK(at_here("int a;\n#define OPEN {\nint here;") == "0 int ");
    CHECK(at_here("} } int here;") == "0 int ");
}
