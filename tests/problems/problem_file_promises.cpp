// SPDX-License-Identifier: BSL-1.0
#include <lkt/problems/problem_file.hpp>

#include <doctest/doctest.h>

#include <lkt/core/files.hpp>

#include <limits>

namespace {

std::string const fixtures = LKT_TEST_SOURCE_DIR "/problems/fixtures";

/// The stencil with more fields in its lkt object: result, field, weight and n are its arguments.
std::string with(std::string const& fields) {
    std::string text = lkt::read_text_file(fixtures + "/stencil.json").value();
    std::string const notes = "\"notes\"";
    return text.insert(text.rfind(notes), fields + ", ");
}
lkt::problem read(std::string const& fields) {
    auto const p = lkt::parse_problem(with(fields), fixtures);
    REQUIRE_MESSAGE(p.has_value(), to_string(p.error()));
    return *p;
}
std::string why(std::string const& fields) {
    auto const p = lkt::parse_problem(with(fields), fixtures);
    return p ? "no error" : p.error().code + ": " + p.error().message;
}
lkt::declared_fill fill(std::string const& json) {
    auto const p =
        read("\"tests\": [{\"name\": \"mine\", \"arguments\": {\"field\": " + json + "}}]");
    REQUIRE(p.tests.size() == 1);
    CHECK(p.tests[0].name == "mine");
    REQUIRE(p.tests[0].arguments.size() == 1);
    CHECK(p.tests[0].arguments[0].first == 1);
    return p.tests[0].arguments[0].second;
}
std::string bad_fill(std::string const& json) {
    return why("\"tests\": [{\"arguments\": {\"field\": " + json + "}}]");
}

} // namespace

TEST_CASE("constraints of the sizes hold for those that the file names") {
    auto const p =
        read("\"size_constraints\": [\"ProblemSize[0] >= 1\", \"ProblemSize[1] % 1 == 0\"]");
    REQUIRE(p.size_constraints.size() == 2);
    CHECK(p.size_constraints[1].text() == "ProblemSize[1] % 1 == 0");
    CHECK(why("\"size_constraints\": [\"ProblemSize[0] % 32 == 0\"]") ==
          "lkt.problem.value: problem: lkt.size_constraints[0]: the size [100, 64] breaks the "
          "constraint `ProblemSize[0] % 32 == 0`");
    CHECK(why("\"size_constraints\": [\"ProblemSize[0] >= 10\"]")
              .find("lkt.sizes[1]: the size [7, 3] breaks") != std::string::npos);
    CHECK(why("\"size_constraints\": [\"N > 0\"]").find("unknown name `N`") != std::string::npos);
    CHECK(why("\"size_constraints\": [\"ProblemSize[0] >\"]").find("lkt.size_constraints[0]") !=
          std::string::npos);
    CHECK(why("\"size_constraints\": [\"ProblemSize[5] > 1\"]").find("ProblemSize[5]") !=
          std::string::npos);
    CHECK(why("\"size_constraints\": [1]").find("must be an expression") != std::string::npos);
    CHECK(why("\"size_constraints\": \"x\"").find("must be a list") != std::string::npos);
}

TEST_CASE("scratch is a buffer that the kernel may write") {
    auto const p = read("\"scratch\": [\"result\"]");
    CHECK(p.arguments[0].scratch);
    CHECK(!p.arguments[1].scratch);
    CHECK(p.flow(0) == lkt::direction::out);
    CHECK(why("\"scratch\": [\"field\"]").find("lkt.scratch[0]: the kernel declares `") !=
          std::string::npos);
    CHECK(why("\"scratch\": [\"n\"]").find("not a writable buffer") != std::string::npos);
    CHECK(why("\"scratch\": [\"other\"]").find("has no argument `other`") != std::string::npos);
}

TEST_CASE("a domain is kept beside the fill; without one any finite value is fair in T1") {
    double const infinity = std::numeric_limits<double>::infinity();
    auto p = read("\"properties\": {}");
    CHECK(p.arguments[1].min == 0.5); // the fixture's own
    CHECK(p.arguments[1].max == 2);
    std::string text = with("\"properties\": {}");
    auto const at = text.find("\"domain\"");
    text.replace(at, 8, "\"domain\": {\"field\": {\"min\": 400}}, \"domain_was\"");
    CHECK(lkt::parse_problem(text, fixtures).error().message.find("domain_was") !=
          std::string::npos);
    text = lkt::read_text_file(fixtures + "/stencil.json").value();
    auto const open = text.find('{', text.find("\"domain\""));
    auto const close = text.find("}}", open) + 2;
    auto const domain = [&](std::string const& json) {
        std::string other = text;
        auto const read = lkt::parse_problem(other.replace(open, close - open, json), fixtures);
        REQUIRE_MESSAGE(read.has_value(), to_string(read.error()));
        return read->arguments[1];
    };
    auto const free = domain("{}");
    CHECK(free.min == -infinity);
    CHECK(free.max == infinity);
    auto const above = domain("{\"field\": {\"min\": 400}}");
    CHECK(above.min == 400);
    CHECK(!above.max);
    CHECK(std::get<lkt::uniform>(above.fill) == lkt::uniform{400, 724}); // FillValue is 324
    auto const below = domain("{\"field\": {\"max\": -1}}");
    CHECK(below.max == -1);
    CHECK(std::get<lkt::uniform>(below.fill) == lkt::uniform{-325, -1});
}

TEST_CASE("a tolerance may be broken by a share") {
    std::string text = lkt::read_text_file(fixtures + "/stencil.json").value();
    auto const set = [&](std::string const& share) {
        std::string other = text;
        auto const at = other.find("\"rtol\"");
        return lkt::parse_problem(other.insert(at, "\"share\": " + share + ", "), fixtures);
    };
    REQUIRE(set("0.01").has_value());
    CHECK(set("0.01")->arguments[0].bound == lkt::tolerance{1e-4, 1e-6, 0.01});
    CHECK(set("2").error().message.find("lkt.tolerance.result.share: a share must be between") !=
          std::string::npos);
}

TEST_CASE("declared tests name distributions in either spelling") {
    CHECK(fill("\"one_hot\"").fill == lkt::distribution(lkt::one_hot{}));
    CHECK(fill("\"uniform\"").fill == lkt::distribution(lkt::uniform{-1, 1}));
    for (std::string const& spelling :
         {std::string("{\"distribution\": \"uniform\", "), std::string("{\"uniform\": {")}) {
        std::string const end = spelling.ends_with(", ") ? "}" : "}}";
        CHECK(fill(spelling + "\"low\": 1, \"high\": 3" + end).fill ==
              lkt::distribution(lkt::uniform{1, 3}));
    }
    CHECK(fill("{\"distribution\": {\"normal\": {\"mean\": 2}}}").fill ==
          lkt::distribution(lkt::normal{2, 1}));
    CHECK(fill("{\"sparse\": {\"fraction\": 0.5}}").fill == lkt::distribution(lkt::sparse{0.5}));
    CHECK(fill("{\"distribution\": \"sparse\", \"fraction\": 0.5}").fill ==
          lkt::distribution(lkt::sparse{0.5}));
    CHECK(fill("{\"constant\": {\"value\": 7}}").fill == lkt::distribution(lkt::constant{7}));
    CHECK(fill("{\"spikes\": {\"high\": 9}}").fill == lkt::distribution(lkt::spikes{-1, 9, 0.03}));
    CHECK(fill("\"alternating\"").fill == lkt::distribution(lkt::alternating{}));
    CHECK(fill("\"extremes\"").fill == lkt::distribution(lkt::extremes{}));
    CHECK(fill("{\"permutation\": {}}").fill == lkt::distribution(lkt::permutation{}));
    CHECK(fill("{\"distribution\": \"sorted\"}").fill == lkt::distribution(lkt::ascending{}));
    auto const i = fill("{\"indices\": {\"below\": \"ProblemSize[0]\"}}");
    CHECK(std::get<lkt::indices>(i.fill).below.text() == "ProblemSize[0]");
    CHECK(fill("{\"cancellation\": {\"magnitude\": 5, \"residual_low\": 0}}").fill ==
          lkt::distribution(lkt::cancellation{5, 0, 1}));
    using lkt::special_value;
    auto const odd = fill("{\"uniform\": {\"low\": 0}, \"inject\": [\"nan\", \"inf\", \"-inf\", "
                          "\"-0\", \"denormal\"], \"fraction\": 0.25}");
    CHECK(odd.fill == lkt::distribution(lkt::uniform{0, 1}));
    CHECK(odd.fraction == 0.25);
    CHECK(odd.inject == std::vector<special_value>{special_value::nan,
                                                   special_value::infinity,
                                                   special_value::minus_infinity,
                                                   special_value::minus_zero,
                                                   special_value::denormal});
    CHECK(fill("{\"inject\": [\"nan\"]}").fill == lkt::distribution(lkt::uniform{}));
    CHECK(
        fill("{\"distribution\": \"normal\", \"inject\": [\"nan\"], \"fraction\": 0.5}").fraction ==
        0.5);

    CHECK(bad_fill("\"unifrom\"")
              .find("lkt.tests[0].arguments.field: `unifrom` is not one of "
                    "uniform, normal") != std::string::npos);
    CHECK(bad_fill("{\"uniforn\": {}}").find("`uniforn` is not one of") != std::string::npos);
    CHECK(bad_fill("{\"uniform\": {\"hi\": 1}}")
              .find("field.uniform.hi is not a known field of uniform") != std::string::npos);
    CHECK(bad_fill("{\"distribution\": \"one_hot\", \"low\": 1}").find("field.low is not") !=
          std::string::npos);
    CHECK(bad_fill("{\"uniform\": {}, \"normal\": {}}").find("more than one") != std::string::npos);
    CHECK(bad_fill("{}").find("neither a distribution nor inject") != std::string::npos);
    CHECK(bad_fill("3").find("must be an object") != std::string::npos);
    CHECK(bad_fill("{\"uniform\": 3}").find("must be an object") != std::string::npos);
    CHECK(bad_fill("{\"uniform\": {\"low\": 3}}").find("low is above high") != std::string::npos);
    CHECK(bad_fill("\"indices\"").find("below is missing") != std::string::npos);
    CHECK(bad_fill("{\"indices\": {\"below\": 0}}").find("no index below 0") != std::string::npos);
    CHECK(bad_fill("\"constant\"").find("value is missing") != std::string::npos);
    CHECK(bad_fill("{\"spikes\": {\"low\": 2}}").find("low is above high") != std::string::npos);
    CHECK(bad_fill("{\"sparse\": {\"fraction\": 2}}").find("between 0 and 1") != std::string::npos);
    CHECK(bad_fill("{\"cancellation\": {\"magnitude\": 0}}").find("not above 0") !=
          std::string::npos);
    CHECK(bad_fill("{\"inject\": [\"NaN\"]}").find("inject[0]: `NaN` is not one of nan, inf") !=
          std::string::npos);
}

TEST_CASE("declared tests name arguments that a test can fill") {
    auto const two = read("\"tests\": [{\"arguments\": {\"field\": \"one_hot\"}}, "
                          "{\"name\": \"b\", \"arguments\": {}}]");
    CHECK(two.tests[0].name == "declared test 1");
    CHECK(two.tests[1].arguments.empty());
    CHECK(why("\"tests\": [{\"arguments\": {\"fields\": \"one_hot\"}}]")
              .find("has no argument `fields`") != std::string::npos);
    CHECK(why("\"tests\": [{\"arguments\": {\"result\": \"one_hot\"}}]")
              .find("the kernel does not read result before a launch") != std::string::npos);
    CHECK(
        why("\"tests\": [{\"arguments\": {\"n\": \"one_hot\"}}]").find("n follows from the size") !=
        std::string::npos);
    CHECK(why("\"tests\": [{}]").find("lkt.tests[0].arguments is missing") != std::string::npos);
    CHECK(why("\"tests\": [{\"name\": \"a\", \"arguments\": {}}, {\"name\": \"a\", "
              "\"arguments\": {}}]")
              .find("lkt.tests[1]: there are two tests called `a`") != std::string::npos);
    CHECK(why("\"tests\": [{\"seed\": 1, \"arguments\": {}}]").find("lkt.tests[0].seed") !=
          std::string::npos);
}

TEST_CASE("what a kernel promises") {
    auto const p = read("\"properties\": {\"deterministic\": true, \"atomics\": \"float\", "
                        "\"fast_math\": true, \"nonfinite\": \"propagate\", \"accuracy\": "
                        "\"compensated\", \"in_place\": [\"result\"], \"linear\": true, "
                        "\"permutation_invariant\": [\"field\"]}")
                       .properties;
    CHECK(p.deterministic);
    CHECK(p.atomics == lkt::kernel_properties::atomic_use::floating);
    CHECK(p.fast_math);
    CHECK(p.propagates);
    CHECK(p.compensated);
    CHECK(p.in_place == std::vector<std::size_t>{0});
    CHECK(p.linear == std::vector<std::vector<std::size_t>>{{1}});
    CHECK(p.permutation_invariant == std::vector<std::size_t>{1});
    CHECK(read("\"properties\": {}").properties == lkt::kernel_properties{});
    CHECK(read("\"properties\": {\"linear\": [\"field\", [\"field\"]]}").properties.linear ==
          std::vector<std::vector<std::size_t>>{{1}, {1}});
    CHECK(read("\"properties\": {\"linear\": false}").properties.linear.empty());
    struct {
        char const *fields, *message;
    } const rows[] = {
        {"\"determinstic\": true", "did you mean deterministic?"},
        {"\"deterministic\": 1", "lkt.properties.deterministic must be a truth value"},
        {"\"atomics\": \"double\"", "`double` is not one of none, integer, float"},
        {"\"nonfinite\": \"judge\"", "lkt.properties.nonfinite"},
        {"\"accuracy\": 1", "lkt.properties.accuracy must be text"},
        {"\"in_place\": [\"n\"]", "in_place[0]: n is a scalar"},
        {"\"linear\": \"field\"", "lkt.properties.linear must be"},
        {"\"linear\": [\"result\"]", "result is not an input"},
        {"\"linear\": [[]]", "linear[0]: it contains no arguments"},
        {"\"permutation_invariant\": [\"other\"]", "has no argument `other`"}};
    for (auto const& row : rows) {
        CAPTURE(row.fields);
        CHECK(why("\"properties\": {" + std::string(row.fields) + "}").find(row.message) !=
              std::string::npos);
    }
}

TEST_CASE("another oracle lies in the problem's folder") {
    auto const numpy = read("\"oracle\": {\"numpy\": \"sub/oracle.py:expected\"}").oracle.value();
    CHECK(numpy.from == lkt::oracle_source::kind::numpy);
    CHECK(numpy.path == fixtures + "/sub/oracle.py");
    CHECK(numpy.function == "expected");
    auto const recorded = read("\"oracle\": {\"recorded\": \"outputs\"}").oracle.value();
    CHECK(recorded.from == lkt::oracle_source::kind::recorded);
    CHECK(recorded.path == fixtures + "/outputs");
    CHECK(read("\"oracle\": {\"torch\": \"o.py:f\"}").oracle->from ==
          lkt::oracle_source::kind::torch);
    CHECK(why("\"oracle\": {\"numpy\": \"../oracle.py:f\"}").starts_with("lkt.problem.file"));
    CHECK(why("\"oracle\": {\"numpy\": \"/oracle.py:f\"}").starts_with("lkt.problem.file"));
    CHECK(why("\"oracle\": {\"recorded\": \"..\"}").starts_with("lkt.problem.file"));
    CHECK(why("\"oracle\": {\"numpy\": \"oracle.py\"}").find("is not FILE:FUNCTION") !=
          std::string::npos);
    CHECK(why("\"oracle\": {\"numpy\": \"oracle.py:f()\"}").find("is not FILE:FUNCTION") !=
          std::string::npos);
    CHECK(why("\"oracle\": {}").find("must name one of numpy, torch, recorded") !=
          std::string::npos);
    CHECK(why("\"oracle\": {\"jax\": \"a:b\"}").find("lkt.oracle.jax") != std::string::npos);
    CHECK(why("\"oracle\": \"numpy\"").find("lkt.oracle must be an object") != std::string::npos);
}

TEST_CASE("what other tools say of constant memory and seeds is taken") {
    std::string text = lkt::read_text_file(fixtures + "/filter.json").value();
    std::string const constant = "\"MemoryType\": \"Constant\"";
    text.replace(
        text.find(constant), constant.size(), "\"MemoryType\": \"Symbol\", \"RandomSeed\": 7");
    auto const file = lkt::parse_problem_file(text, fixtures);
    REQUIRE_MESSAGE(file.has_value(), to_string(file.error()));
    CHECK(file->task.arguments[5].count.text() == "5");
    REQUIRE(!file->warnings.empty());
    CHECK(file->warnings[0].find("RandomSeed is ignored") != std::string::npos);
    std::string const vector = "\"MemoryType\": \"Vector\"";
    text.replace(text.find(vector), vector.size(), "\"MemoryType\": \"Symbol\"");
    auto const wrong = lkt::parse_problem(text, fixtures);
    REQUIRE(!wrong.has_value());
    CHECK(wrong.error().message.find("which is not in constant memory") != std::string::npos);
}

TEST_CASE("The work of a launch is over the sizes, above 0, and of a type that is known") {
    auto const p = read("\"work\": {\"flops\": \"2 * ProblemSize[0] * ProblemSize[1]\", "
                        "\"bytes\": 4096, \"type\": \"tf32\"}");
    CHECK(p.work.operations->text() == "2 * ProblemSize[0] * ProblemSize[1]");
    CHECK(p.work.bytes == lkt::expression(4096));
    CHECK(p.work.type == lkt::arithmetic::tf32);
    CHECK(read("\"scratch\": []").work == lkt::work_spec());
    CHECK(why("\"work\": {\"flops\": \"2 * N\"}").find("unknown name `N`") != std::string::npos);
    CHECK(why("\"work\": {\"flops\": \"ProblemSize[0] - 101\"}").find("must be 0 or above") !=
          std::string::npos);
    CHECK(read("\"work\": {\"flops\": 0}").work.operations == lkt::expression(0));
    CHECK(why("\"work\": {\"bytes\": 0}").find("must be above 0") != std::string::npos);
    CHECK(why("\"work\": {\"flops\": \"2 **\"}").find("lkt.work.flops") != std::string::npos);
    CHECK(why("\"work\": {\"flops\": 1, \"type\": \"half\"}").find("float16") != std::string::npos);
    CHECK(why("\"work\": {\"type\": \"float16\"}").find("needs their number") != std::string::npos);
    CHECK(why("\"work\": {\"operations\": 1}").find("lkt.work.operations") != std::string::npos);
    CHECK(why("\"work\": 5").find("lkt.work") != std::string::npos);
}
