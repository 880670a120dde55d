// SPDX-License-Identifier: BSL-1.0
#include <lkt/problems/kernel_note.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace {

lkt::launch_formula launch() {
    lkt::launch_formula f;
    f.grid[0] = lkt::expression::parse("ceil_div(N, B)").value();
    f.block[0] = lkt::expression::parse("B if T != '*/\\\\' else 1").value();
    return f;
}

lkt::configuration const config{{{"B", std::int64_t{64}},
                                 {"F", 2.0},
                                 {"P", true},
                                 {"T", std::string("unsigned int")},
                                 {"X", std::string("\xe2\x80\xa8*/")}}};

lkt::kernel_source file(std::string const& text) {
    lkt::kernel_source source{lkt::language::cuda, "", "k.cu"};
    source.text = "// before\n" + lkt::kernel_note(config, launch()) + "int other;\n" +
                  lkt::between_marks({{{"B", "64"}, {"F", "2.0"}, {"T", "unsigned int"}}, text}) +
                  "#error after\n";
    return source;
}

} // namespace

TEST_CASE("A kernel is read back as it was written") {
    std::string const texts[] = {"void k();\n",
                                 "",
                                 "// lkt-text 0 ends\n// lkt-text 0 begins\n// lkt-kernel {}\n",
                                 "#define A 1\r\nvoid k() {} // \xff\n"};
    for (std::string const& text : texts) {
        auto const read = lkt::read_kernel_note(file(text)).value();
        REQUIRE(read.has_value());
        CHECK(read->source.text == "\n\n\n" + text);
        CHECK(read->source.origin == "k.cu");
        CHECK(read->launch == launch());
        REQUIRE(read->parameters.size() == config.values.size());
        for (std::size_t k = 0; k < config.values.size(); ++k) {
            CHECK(read->parameters[k].name == config.values[k].first);
            CHECK(read->parameters[k].values == std::vector{config.values[k].second});
        }
    }
    CHECK_FALSE(lkt::read_kernel_note({lkt::language::cuda, "void k();\n // lkt-kernel {", ""})
                    .value()
                    .has_value());
}

TEST_CASE("A value that was changed in the text counts") {
    auto source = file("void k();\n");
    source.text.replace(source.text.find("#define B 64"), 12, "#define B 32");
    source.text.replace(source.text.find("unsigned int\n"), 12, "float");
    auto const read = lkt::read_kernel_note(source).value();
    CHECK(read->parameters[0].values[0] == lkt::parameter_value(std::int64_t{32}));
    CHECK(read->parameters[3].values[0] == lkt::parameter_value(std::string("float")));
    // The functions of a header would launch it as it was.
    source.text =
        "inline launch_dimensions dimensions_at(problem_size const& size) {}\n" + source.text;
    auto const refused = lkt::read_kernel_note(source);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("`B` is 32 in the text and was tuned as 64") !=
          std::string::npos);
    lkt::kernel_source wgsl{lkt::language::wgsl, "", ""};
    wgsl.text = lkt::kernel_note({{{"B", std::int64_t{64}}}}, {}) +
                lkt::between_marks(
                    {{}, "override B: u32 = 128u;\n@compute @workgroup_size(B) fn k() {}\n"});
    auto const changed = lkt::read_kernel_note(wgsl).value();
    CHECK(changed->parameters[0].values[0] == lkt::parameter_value(std::int64_t{128}));
    CHECK(changed->source.text.starts_with("override B: u32 = 128u;"));
}

TEST_CASE("What is damaged is an error that names the file") {
    auto const refused = [](std::string const& from, std::string const& to) {
        auto source = file("void k();\n");
        source.text.replace(source.text.find(from), from.size(), to);
        auto const read = lkt::read_kernel_note(source);
        return !read && read.error().code == "lkt.kernel.note" &&
               read.error().message.starts_with("k.cu");
    };
    CHECK(refused("\"format\":1", "\"format\":2"));
    CHECK(refused("\"format\":1", "\"format\":1,"));
    CHECK(refused("ceil_div(", "ceil_div(("));
    CHECK(refused("\"grid\":[\"", "\"grid\":[1,\""));
    CHECK(refused("\"B\":64", "\"B\":null"));
    CHECK(refused("// lkt-text 0 begins", "//"));
    CHECK(refused("// lkt-text 0 ends", "//"));
}
