// SPDX-License-Identifier: BSL-1.0
#include <lkt/problems/problem_file.hpp>

#include <doctest/doctest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>
#include <lkt/core/files.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/problems/detail/python_list.hpp>
#include <random>

namespace fs = std::filesystem;

namespace {

std::string const fixtures = LKT_TEST_SOURCE_DIR "/problems/fixtures";

std::string stencil() { return lkt::read_text_file(fixtures + "/stencil.json").value(); }

/// The fixture with the first `from` replaced.
std::string with(std::string const& from, std::string const& to) {
    std::string text = stencil();
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}
std::string why(std::string const& text) {
    auto const p = lkt::parse_problem(text, fixtures);
    return p ? "no error" : p.error().code + ": " + p.error().message;
}
/// The error that the fixture gives with one replacement.
std::string why(std::string const& from, std::string const& to) { return why(with(from, to)); }

std::string values(std::string const& python) {
    auto const r = lkt::detail::problems::python_list::read(python);
    if (!r) return "error: " + r.error().message;
    std::string text;
    for (auto const& v : *r) text += (text.empty() ? "" : " ") + lkt::value_text(v);
    return text;
}

} // namespace

TEST_CASE("a T1 file with its lkt object") {
    auto const file = lkt::read_problem_file(fixtures + "/stencil.json");
    REQUIRE_MESSAGE(file.has_value(), to_string(file.error()));
    lkt::problem const& p = file->task;
    CHECK(p.signature.name == "stencil");
    CHECK(p.reference.origin == fixtures + "/stencil.cu");
    CHECK(p.size == lkt::problem_size{{"ProblemSize[0]", 100}, {"ProblemSize[1]", 64}});
    REQUIRE(p.further_sizes.size() == 2);
    CHECK(p.further_sizes[1][0].second == 7);
    REQUIRE(p.parameters.size() == 5);
    CHECK(to_string(p.parameters[0]) == "block_size_x=64,1,2,4,8,16,32,96,128"); // default first
    CHECK(to_string(p.parameters[1]) == "block_size_y=1,2,4,8");
    CHECK(to_string(p.parameters[2]) == "tile_size=2,1,4,6");
    CHECK(to_string(p.parameters[4]) == "use_padding=True,False");
    REQUIRE(p.restrictions.size() == 2);
    CHECK(p.restrictions[0].text() == "32 <= block_size_x*block_size_y <= 256");
    CHECK(p.compiler_options == std::vector<std::string>{"-std=c++11"});
    CHECK(p.notes == "three points to each side");

    auto const launch =
        p.launch.evaluate(scope_of(p.size, lkt::default_configuration(p.parameters)));
    REQUIRE(launch.has_value());
    CHECK(*launch == lkt::launch_dimensions{{1, 64, 1}, {64, 1, 1}, 0}); // OpenCL counts threads

    REQUIRE(p.arguments.size() == 4);
    lkt::expression_scope const scope = lkt::scope_of(p.size, {});
    CHECK(p.arguments[0].count.evaluate_integer(scope).value() == 6400);
    CHECK(p.arguments[1].count.evaluate_integer(scope).value() == 106 * 64);
    CHECK(p.flow(0) == lkt::direction::out);
    CHECK(p.flow(1) == lkt::direction::in);
    CHECK(std::get<lkt::constant>(p.arguments[0].fill).value == 0);
    CHECK(std::get<lkt::uniform>(p.arguments[1].fill).low == 0.5);
    CHECK(std::get<lkt::uniform>(p.arguments[1].fill).high == 2);
    CHECK(p.arguments[0].bound == lkt::tolerance{1e-4, 1e-6});
    CHECK(std::get<double>(p.arguments[2].value.evaluate(scope).value()) == 3.0517578579);
    CHECK(p.arguments[3].value.text() == "ProblemSize[0]");

    CHECK(file->warnings.size() == 1);
    CHECK(file->warnings[0].find("1 is not among the values of radius") != std::string::npos);
}

TEST_CASE("foreign fields are kept") {
    auto const file = lkt::read_problem_file(fixtures + "/stencil.json");
    REQUIRE(file.has_value());
    std::string const written = boost::json::serialize(*file->raw);
    for (char const* field : {"BenchmarkConfig", "GridDivX", "Stream", "OutputFormat", "lkt"})
        CHECK(written.find(field) != std::string::npos);
    auto const again = lkt::parse_problem_file(written, fixtures);
    REQUIRE(again.has_value());
    CHECK(*again->raw == *file->raw);
}

TEST_CASE("what may be absent") {
    std::string const least = R"({"KernelSpecification": {"KernelFile": "stencil.cu",
        "ProblemSize": 50, "Arguments": [{"Name": "result", "Size": 50}, {"Name": "field",
        "Size": 56}]}, "lkt": {"scalars": {"weight": 0.5, "n": 50}}})";
    auto const p = lkt::parse_problem(least, fixtures);
    REQUIRE_MESSAGE(p.has_value(), to_string(p.error()));
    CHECK(p->launch.grid[0].text() == "ceil_div(ProblemSize[0], (256))");
    CHECK(p->flow(0) == lkt::direction::out); // from the text
    CHECK(p->parameters.empty());
}

TEST_CASE("geometry in blocks, in threads and by default") {
    auto const grid = [](std::string const& from, std::string const& to) {
        auto const p = lkt::parse_problem(with(from, to), fixtures);
        return p ? p->launch.grid[0].text() : p.error().message;
    };
    CHECK(grid("\"OpenCL\"", "\"CUDA\"") == "ProblemSize[0] // tile_size");
    CHECK(grid("x", "x") == "ceil_div(ProblemSize[0] // tile_size, block_size_x)");
    CHECK(grid("\"GlobalSize\": {\"X\": \"ProblemSize[0] // tile_size\", \"Y\": \"64\", \"Z\": "
               "\"1\"},",
               "") == "ceil_div(ProblemSize[0], block_size_x)");
    CHECK(
        grid("\"LocalSize\": {\"X\": \"block_size_x\", \"Y\": \"block_size_y\", \"Z\": \"1\"},", "")
            .find("LocalSize is missing") != std::string::npos);
    CHECK(grid("\"X\": \"ProblemSize[0] // tile_size\"", "\"X\": 12") ==
          "ceil_div(12, block_size_x)");
}

TEST_CASE("misspelt fields are named") {
    CHECK(why("\"KernelName\"", "\"KernelNam\"") ==
          "lkt.problem.field: problem: KernelSpecification.KernelNam is not a known field; did you "
          "mean KernelName?");
    CHECK(why("\"Values\": \"[3]\"", "\"values\": \"[3]\"")
              .find("TuningParameters[3].values is not a known field; did you mean Values?") !=
          std::string::npos);
    CHECK(why("\"Conditions\"", "\"Condition\"").find("did you mean Conditions?") !=
          std::string::npos);
    CHECK(why("\"ConfigurationSpace\"", "\"ConfigurationSpaec\"").find("did you mean") !=
          std::string::npos);
    CHECK(why("\"FillValue\": 324.0", "\"FilValue\": 324.0").find("Arguments[1].FilValue") !=
          std::string::npos);
    CHECK(why("\"rtol\"", "\"rtoll\"").find("lkt.tolerance.result.rtoll") != std::string::npos);
    CHECK(why("\"notes\"", "\"remarks\"").find("lkt.remarks is not a known field") !=
          std::string::npos);
    CHECK(why("\"X\": \"block_size_x\"", "\"W\": \"block_size_x\"").find("LocalSize.W") !=
          std::string::npos);
}

TEST_CASE("known fields that are not supported yet are refused by name") {
    struct {
        char const *from, *to, *path;
    } const rows[] = {
        {"\"Language\": \"CUDA\"", "\"Language\": \"OpenCL\"", "KernelSpecification.Language"},
        {"\"GlobalSizeType\": \"OpenCL\"", "\"GlobalSizeType\": \"Vulkan\"", "GlobalSizeType"},
        {"\"FillType\": \"Random\"",
         "\"FillType\": \"BinaryRaw\"",
         "Arguments[1].FillType = `BinaryRaw`"},
        {"\"MemoryType\": \"Scalar\"", "\"MemoryType\": \"Local\"", "Arguments[2].MemoryType"},
        {"\"AccessType\": \"ReadOnly\"", "\"MemType\": \"Texture\"", "Arguments[1].MemType"},
        {"\"FillValue\": 324.0", "\"DataSource\": \"x.bin\"", "Arguments[1].DataSource"},
        {"\"Stream\": null", "\"ReferenceArguments\": [1]", "ReferenceArguments"},
        {"\"Type\": \"float\", \"MemoryType\"",
         "\"Type\": \"float16x\", \"MemoryType\"",
         "float16x"},
        {"\"Type\": \"float\", \"MemoryType\"", "\"Type\": \"float8\", \"MemoryType\"", "float8"},
        {"\"Type\": \"float\", \"MemoryType\"", "\"Type\": \"custom\", \"MemoryType\"", "custom"}};
    for (auto const& row : rows) {
        CAPTURE(row.to);
        std::string const message = why(row.from, row.to);
        CHECK(message.find(row.path) != std::string::npos);
        CHECK((message.find("is not supported yet") != std::string::npos ||
               message.find("is not a type that lkt knows") != std::string::npos));
    }
}

TEST_CASE("integers of a kernel may hold half bytes or floats of 8 bits") {
    std::string const folder = LKT_TEST_SOURCE_DIR "/../examples/kernels/modern";
    std::string const text = lkt::read_text_file(folder + "/gemv_w4a16.json").value();
    auto const typed = [&](std::string const& type) {
        std::string changed = text;
        auto const at = changed.find("uint4x2");
        REQUIRE(at != std::string::npos);
        return lkt::parse_problem(changed.replace(at, 7, type), folder);
    };
    auto const pairs = typed("uint4x2").value();
    CHECK(pairs.signature.arguments[0].type == lkt::value_type{lkt::scalar_type::uint4, 2});
    CHECK(pairs.arguments[0].min == 0);
    CHECK(pairs.arguments[0].max == 15);
    CHECK(typed("int4x2").value().arguments[0].fill == lkt::distribution(lkt::uniform{-8, 7}));
    auto const reals = typed("float4_e2m1fnx2").value();
    CHECK(reals.signature.arguments[0].type == lkt::value_type{lkt::scalar_type::float4_e2m1, 2});
    CHECK(reals.arguments[0].min == -6);
    CHECK(reals.arguments[0].fill == lkt::distribution(lkt::uniform{-6, 6}));
    CHECK(typed("float8_e5m2").value().signature.arguments[0].type.scalar ==
          lkt::scalar_type::float8_e5m2);
    CHECK(typed("uint8").has_value());
    for (auto const* const other : {"int8", "uint4x8", "float8_e4m3fnx2", "float16", "bool"}) {
        CAPTURE(other);
        auto const no = typed(other);
        REQUIRE(no.has_error());
        CHECK(no.error().message.find("Arguments[0].Type: the kernel declares") !=
              std::string::npos);
    }
    CHECK(typed("int4x3").error().message.find("not a type that lkt knows") != std::string::npos);
}

TEST_CASE("constant memory and members of structs are arguments by name") {
    std::string const text = lkt::read_text_file(fixtures + "/filter.json").value();
    auto const instead = [&](std::string const& from, std::string const& to) {
        std::string other = text;
        auto const at = other.find(from);
        REQUIRE(at != std::string::npos);
        return other.replace(at, from.size(), to);
    };
    auto const p = lkt::parse_problem(text, fixtures);
    REQUIRE_MESSAGE(p.has_value(), to_string(p.error()));
    REQUIRE(p->arguments.size() == 6);
    CHECK(p->signature.arguments[2].name == "n");
    CHECK(p->arguments[2].value.text() == "ProblemSize[0]");
    CHECK(p->signature.arguments[5].name == "taps");
    CHECK(p->signature.arguments[5].constant_count == 5);
    CHECK(p->arguments[5].count.text() == "5");
    CHECK(std::get<lkt::uniform>(p->arguments[5].fill).high == 2.0);

    // How Kernel Tuner marks it, and without a word.
    CHECK(why(instead("\"MemoryType\": \"Constant\"",
                      "\"MemoryType\": \"Vector\", \"MemType\": \"Constant\"")) == "no error");
    CHECK(why(instead("\"MemoryType\": \"Constant\", ", "")) == "no error");
    CHECK(why(instead(", \"Size\": 5", "")) == "no error");
    auto const silent = lkt::parse_problem(
        instead("{\"Name\": \"taps\", \"Type\": \"float\", \"MemoryType\": \"Constant\", "
                "\"FillType\": \"Random\", \"FillValue\": 2.0, \"Size\": 5},",
                ""),
        fixtures);
    REQUIRE(silent.has_value());
    CHECK(silent->arguments[5].count.text() == "5");

    CHECK(why(instead("\"Size\": 5", "\"Size\": 6")).find("which has 5 elements, not 6") !=
          std::string::npos);
    CHECK(why(instead("\"MemoryType\": \"Constant\"", "\"MemoryType\": \"Scalar\""))
              .find("MemoryType") != std::string::npos);
    CHECK(why(instead("\"MemoryType\": \"Vector\"", "\"MemoryType\": \"Constant\""))
              .find("`float* result`, which is not in constant memory") != std::string::npos);
    CHECK(why(instead("\"MemoryType\": \"Constant\"", "\"AccessType\": \"ReadWrite\""))
              .find("cannot be written") != std::string::npos);
    CHECK(why(instead(", \"bounds\": \"1\"", "")).find("no entry for `bounds` of `extents e`") !=
          std::string::npos);
}

TEST_CASE("wrong types and values are named by path") {
    struct {
        char const *from, *to, *message;
    } const rows[] = {
        {"\"ProblemSize\": [100, 64]",
         "\"ProblemSize\": \"100\"",
         "KernelSpecification.ProblemSize must be a whole number, not text"},
        {"\"ProblemSize\": [100, 64]",
         "\"ProblemSize\": [100, 0]",
         "ProblemSize[1]: 0 is not between"},
        {"\"ProblemSize\": [100, 64]",
         "\"ProblemSize\": [100, 99999999999999999999]",
         "ProblemSize[1] must be a whole number"},
        {"\"KernelName\": \"stencil\"",
         "\"KernelName\": 5",
         "KernelName must be text, not a number"},
        {"\"KernelName\": \"stencil\"", "\"KernelName\": \"other\"", "there is no kernel `other`"},
        {"\"CompilerOptions\": [\"-std=c++11\"]",
         "\"CompilerOptions\": \"-O3\"",
         "CompilerOptions must be a list, not text"},
        {"\"Size\": \"ProblemSize[0]*ProblemSize[1]\"",
         "\"Size\": [1]",
         "Arguments[0].Size must be a whole number or an expression, not a list"},
        {"\"Size\": \"ProblemSize[0]*ProblemSize[1]\"",
         "\"Size\": \"ProblemSize[2]\"",
         "there is no ProblemSize[2]"},
        {"\"Size\": \"ProblemSize[0]*ProblemSize[1]\"",
         "\"Size\": \"tile_size\"",
         "write max(tile_size)"},
        {"\"Size\": \"ProblemSize[0]*ProblemSize[1]\"", "\"Size\": \"odd\"", "unknown name `odd`"},
        {"\"Size\": \"ProblemSize[0]*ProblemSize[1]\"",
         "\"Size\": \"ProblemSize[0] - 32\"",
         "0 elements are not between 1 and 2^40"},
        {"\"Size\": \"ProblemSize[0]*ProblemSize[1]\"", "\"Size\": \"1 +\"", "expected a value"},
        {"\"Type\": \"int32\"",
         "\"Type\": \"int64\"",
         "the kernel declares `int n`, which is int32, not int64"},
        {"\"MemoryType\": \"Scalar\", \"FillType\"",
         "\"MemoryType\": \"Vector\", \"FillType\"",
         "Arguments[3].MemoryType: the kernel declares `int n`, which is a value"},
        {"\"AccessType\": \"ReadOnly\"",
         "\"AccessType\": \"ReadWrite\"",
         "which cannot be written"},
        {"\"AccessType\": \"ReadOnly\"",
         "\"AccessType\": \"Read\"",
         "`Read` is not one of ReadOnly, WriteOnly, ReadWrite"},
        {"\"Name\": \"field\"",
         "\"Name\": \"feild\"",
         "has no argument `feild`; it has result, field"},
        {"\"Name\": \"field\"", "\"Name\": \"result\"", "there are two entries for `result`"},
        {"\"FillValue\": 3.0517578579", "\"FillValue\": \"'x'\"", "is not a value of type float32"},
        {"[2**i for i in range(0, 4)]",
         "[2**i for i in x]",
         "only range(...) can be iterated over"},
        {"[2**i for i in range(0, 4)]", "[]", "Values: there are no values"},
        {"[2**i for i in range(0, 4)]", "[1, 1]", "the value 1 is given twice"},
        {"[2**i for i in range(0, 4)]", "[1, 'a']", "is not a value of type int"},
        {"\"Type\": \"bool\"",
         "\"Type\": \"complex\"",
         "is not one of int, uint, float, bool, string"},
        {"\"Name\": \"radius\"", "\"Name\": \"tile_size\"", "two parameters called tile_size"},
        {"\"Name\": \"radius\"", "\"Name\": \"a-b\"", "is not an identifier"},
        {"32 <= block_size_x*block_size_y <= 256",
         "block_size_q > 1",
         "Conditions[0].Expression: unknown tuning parameter `block_size_q`"},
        {"\"X\": \"block_size_x\"", "\"X\": \"block_size_q\"", "LocalSize.X: unknown tuning"},
        {"\"SharedMemory\": 0", "\"SharedMemory\": true", "SharedMemory must be"},
        {"[[32, 8], [7, 3]]", "[[32]]", "lkt.sizes[0]: a size must have 2 extents"},
        {"\"n\": \"ProblemSize[0]\"",
         "\"m\": 1",
         "lkt.scalars.m: kernel stencil has no argument `m`"},
        {"\"n\": \"ProblemSize[0]\"", "\"field\": 1", "field is a buffer, not a scalar"},
        {"\"tolerance\": {\"result\"", "\"tolerance\": {\"field\"", "field is not an output"},
        {"\"rtol\": 1e-4", "\"rtol\": -1", "a tolerance must be finite and not negative"},
        {"\"rtol\": 1e-4", "\"rtol\": 1e400", "a tolerance must be finite and not negative"},
        {"\"min\": 0.5", "\"min\": 5", "min 5 is above max 2"},
        {"\"lkt\": {", "\"lkt\": [], \"other\": {", "lkt must be an object, not a list"}};
    for (auto const& row : rows) {
        CAPTURE(row.to);
        CHECK(why(row.from, row.to).find(row.message) != std::string::npos);
    }
    CHECK(why("[]") == "lkt.problem.type: problem: the file must hold an object");
    CHECK(why("{}") == "lkt.problem.field: problem: KernelSpecification is missing");
    CHECK(why("{\"KernelSpecification\": {}}").find("KernelFile is missing") != std::string::npos);
}

TEST_CASE("arguments are matched by position where no name fits") {
    std::string text = stencil();
    for (char const* name : {"result", "field", "weight", "n"}) {
        std::string const from = "{\"Name\": \"" + std::string(name) + "\"";
        text.replace(text.find(from), from.size(), "{\"Name\": \"" + std::string(name) + "_1\"");
    }
    text.erase(text.find(",\n    \"lkt\""));
    auto const p = lkt::parse_problem(text + "}", fixtures);
    REQUIRE_MESSAGE(p.has_value(), to_string(p.error()));
    CHECK(p->flow(0) == lkt::direction::out);
    CHECK(p->arguments[3].value.text() == "100");
}

TEST_CASE("what is not JSON has line and column") {
    CHECK(why("{") ==
          "lkt.problem.json: problem: line 1, column 2: this is not JSON: incomplete JSON");
    for (char const* const text : {"{\"a\": NaN}", "{\"a\": 1, // one\n}"}) {
        auto const wrong = lkt::parse_problem(text, fixtures);
        REQUIRE_FALSE(wrong.has_value());
        CHECK(wrong.error().message.find("line 1, column ") != std::string::npos);
        CHECK(wrong.error().hint.starts_with("JSON has no comments, no NaN"));
    }
    CHECK(why("{\n  \"a\": 1,\n  b\n}").find("line 3, column 3") != std::string::npos);
    CHECK(why("").find("incomplete JSON") != std::string::npos);
    CHECK(why("{} {}").find("line 1, column 4: this is not JSON: extra data") != std::string::npos);
    CHECK(why("{\"a\": 1,\n \"b\": {\"c\": 1, \"\\u0063\": 2}}") ==
          "lkt.problem.json: problem: line 2, column 16: the field c occurs twice in one object");
    CHECK(why("{\"a\": \"\xff\"}").starts_with("lkt.problem.json"));
    CHECK(why(std::string("\x00\x01\x02", 3)).starts_with("lkt.problem.json"));
    CHECK(why(std::string(100000, '[')).starts_with("lkt.problem.json"));
    CHECK(why("\xef\xbb\xbf{}").find("KernelSpecification is missing") != std::string::npos);
}

TEST_CASE("the kernel's file stays in the problem's folder") {
    auto const file = [](std::string const& name) {
        return why("\"KernelFile\": \"stencil.cu\"", "\"KernelFile\": \"" + name + "\"");
    };
    CHECK(file("/etc/passwd") == "lkt.problem.file: problem: KernelSpecification.KernelFile: "
                                 "`/etc/passwd` is not in the folder of the problem file");
    CHECK(file("../fixtures/stencil.cu").starts_with("lkt.problem.file"));
    CHECK(file("a/../../b").starts_with("lkt.problem.file"));
    CHECK(file("missing.cu").starts_with("lkt.file.missing"));
    CHECK(file("").starts_with("lkt.problem.value"));
    CHECK(file(".").starts_with("lkt.file.read"));
    CHECK(file("./stencil.cu") == "no error");

    std::string folder = (fs::temp_directory_path() / "lkt-problem-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    fs::create_symlink("/etc/passwd", folder + "/link.cu");
    auto const linked = lkt::parse_problem(
        with("\"KernelFile\": \"stencil.cu\"", "\"KernelFile\": \"link.cu\""), folder);
    CHECK(linked.error().code == "lkt.problem.file");
    REQUIRE_FALSE(
        lkt::write_text_file(folder + "/large.cu", std::string(lkt::max_kernel_bytes + 1, ' ')));
    auto const large = lkt::parse_problem(
        with("\"KernelFile\": \"stencil.cu\"", "\"KernelFile\": \"large.cu\""), folder);
    CHECK(large.error().code == "lkt.file.large");
    fs::remove_all(folder);
}

TEST_CASE("reading a problem") {
    CHECK(lkt::read_problem(fixtures + "/stencil.json").has_value());
    CHECK(lkt::read_problem(fixtures + "/missing.json").error().code == "lkt.file.missing");
    CHECK(lkt::read_problem(fixtures).error().code == "lkt.file.read");
    auto const source = lkt::read_problem(fixtures + "/stencil.cu");
    REQUIRE(source.has_error());
    CHECK(source.error().message.starts_with(fixtures + "/stencil.cu: line 1, column 1"));
}

TEST_CASE("lists as Python writes them") {
    CHECK(values("[1, 2, 4]") == "1 2 4");
    CHECK(values(" [ 1 ,2, ] ") == "1 2");
    CHECK(values("(1, 2)") == "1 2");
    CHECK(values("[]").empty());
    CHECK(values("range(3)") == "0 1 2");
    CHECK(values("list(range(1, 9, 3))") == "1 4 7");
    CHECK(values("list(range(9, 1, -3))") == "9 6 3");
    CHECK(values("[2**i for i in range(0, 6)]") == "1 2 4 8 16 32");
    CHECK(values("[1] + [2 * i for i in range(1, 4)]") == "1 2 4 6");
    CHECK(values("[i for i in range(10) if i % 3 == 0]") == "0 3 6 9");
    CHECK(values("[1 + 1, max(3, 4), 'a, b', True, 0.5]") == "2 4 'a, b' True 0.5");
    CHECK(values("list([1, 2])") == "1 2");
    CHECK(values("range(0)").empty());
    for (char const* text : {"",
                             "1",
                             "[1",
                             "1]",
                             "[1, , 2]",
                             "[x]",
                             "range()",
                             "range(1,2,3,4)",
                             "range(0, 5, 0)",
                             "range(0, 1000000)",
                             "[i for i in 5]",
                             "[i for j in range(3)]",
                             "[i for i]",
                             "[1] +",
                             "[1] - [2]",
                             "list(list(list(list(list(list([1]))))))",
                             "[1 // 0]",
                             "range(-9223372036854775807, 9223372036854775807)",
                             "open('x')",
                             "__import__('os')"}) {
        CAPTURE(text);
        CHECK(values(text).starts_with("error: "));
    }
    CHECK(values("range(9223372036854775800, 9223372036854775807, 5)") ==
          "9223372036854775800 9223372036854775805");
    CHECK(values("[" + std::string(30000, ',') + "]").starts_with("error"));
    CHECK(values(std::string(15000, '[') + std::string(1000, ']')).starts_with("error"));
}

TEST_CASE("mutated problem files are read or refused, and never more") {
    std::string const original = stencil();
    static char const* const pieces[] = {"\"",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "null",
                                         "true",
                                         "-1",
                                         "1e999",
                                         "\\u0000",
                                         "9223372036854775807",
                                         "\"X\": ",
                                         "range(",
                                         "ProblemSize[0]",
                                         " // 0",
                                         "\xff",
                                         "lkt"};
    std::mt19937 engine(11);
    auto const below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
    int read = 0, refused = 0;
    for (int round = 0; round < 1500; ++round) {
        std::string text = original;
        for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
            std::size_t const at = below(text.size());
            switch (below(3)) {
            case 0:
                text.erase(at, 1 + below(12));
                break;
            case 1:
                text.insert(at, pieces[below(std::size(pieces))]);
                break;
            default:
                text[at] = static_cast<char>(engine() % 128);
                break;
            }
        }
        auto const p = lkt::parse_problem(text, fixtures);
        if (p) {
            ++read;
        } else {
            ++refused;
            REQUIRE_FALSE(p.error().message.empty());
        }
    }
    CHECK(read > 20);
    CHECK(refused > 500);
}

TEST_CASE("a description of a kernel that is at hand opens no file") {
    auto const p = lkt::read_problem(fixtures + "/stencil.json").value();
    std::string const text = with("stencil.cu", "no_such_folder/no_such_file.cu");
    CHECK(why(text) != "no error");
    auto const file = lkt::parse_problem_file(text, p.reference, p.signature, "reply");
    REQUIRE_MESSAGE(file.has_value(), to_string(file.error()));
    CHECK(file->task == p);
    auto const wrong = lkt::parse_problem_file("{", p.reference, p.signature, "reply");
    REQUIRE(wrong.has_error());
    CHECK(wrong.error().message.starts_with("reply: line 1"));
}

TEST_CASE("sizes may have names, which everything is then over") {
    auto const called = [](std::string const& names) {
        std::string text =
            lkt::read_text_file(LKT_TEST_SOURCE_DIR "/../examples/kernels/kmeans.json").value();
        auto const at = text.find("\"lkt\": {");
        text.insert(at + 8, "\"size_names\": " + names + ", ");
        return lkt::parse_problem(text, LKT_TEST_SOURCE_DIR "/../examples/kernels");
    };
    auto const p = called(R"(["points", "centres", "dims"])");
    REQUIRE_MESSAGE(p.has_value(), to_string(p.error()));
    CHECK(p->size == lkt::problem_size{{"points", 6000}, {"centres", 16}, {"dims", 8}});
    CHECK(p->further_sizes.back() == lkt::problem_size{{"points", 1}, {"centres", 1}, {"dims", 1}});
    CHECK(p->arguments[1].count.text() == "centres * dims");
    CHECK(p->arguments[3].value.text() == "points");
    CHECK(p->launch.grid[0].text() == "ceil_div(points, BLOCK)");
    for (auto const* wrong : {R"(["points"])",
                              R"(["a", "a", "b"])",
                              R"(["a", "b", "BLOCK"])",
                              R"(["a", "b", "c d"])",
                              R"("a")"}) {
        CAPTURE(wrong);
        auto const refused = called(wrong);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.find("size_names") != std::string::npos);
    }
    // Expressions of the file do not call sizes so.
    auto const named = [](std::string const& from, std::string const& to) {
        std::string text = with(from, to);
        text.insert(text.find("\"lkt\": {") + 8, R"("size_names": ["rows", "columns"], )");
        return lkt::parse_problem(text, fixtures).error();
    };
    CHECK(named("\"X\": \"block_size_x\"", "\"X\": \"columns\"").hint ==
          "write ProblemSize[1] for it");
    CHECK(named("\"Size\": \"ProblemSize[0]*ProblemSize[1]\"", "\"Size\": \"rows\"").hint ==
          "write ProblemSize[0] for it");
    CHECK(named("\"ProblemSize\"", "\"MySize\"")
              .message.find("KernelSpecification.ProblemSize is missing") != std::string::npos);
}
