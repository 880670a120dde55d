// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/expression/cpp_text.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace {

lkt::configuration const config{
    {{"B", std::int64_t{32}}, {"F", 0.5}, {"T", std::string("row")}, {"P", true}}};
std::vector<lkt::cpp_size> const names{{"N", "n"}, {"M", "m"}};

std::optional<std::string> text_of(std::string const& e) {
    return lkt::cpp_text(lkt::expression::parse(e).value(), config, names);
}

} // namespace

TEST_CASE("An expression over sizes reads as one in C++, with the values put in") {
    CHECK(text_of("ceil_div(N, 4 * B)") == "a.ceil_div(n, 128LL)");
    CHECK(text_of("B * 2 + 1") == "65LL");
    CHECK(text_of("N if T == 'row' else M") == "n");
    CHECK(text_of("ProblemSize[1]") == "m");
}

TEST_CASE("What C++ has no short text for is none") {
    for (char const* const e : {"N ** 2",
                                "(N / 2) // 2",
                                "'a' if N > 1 else 'b'",
                                "UNKNOWN",
                                "N / 0 * 0 + T",
                                "ProblemSize[2]",
                                "ProblemSize[N]",
                                "B // 0"})
        CHECK_MESSAGE(!text_of(e), e);
    std::string deep = "N";
    for (int i = 0; i < 40; ++i)
        deep = "(" + deep + " and " + deep + ")", i += deep.size() > 2000 ? 40 : 0;
    CHECK(!text_of(deep));
}

TEST_CASE("A compiler's program computes what the expressions mean") {
    std::vector<char const*> const formulas{
        "ceil_div(N, B)",
        "(N + B - 1) // B",
        "N // -B",
        "-N % B",
        "N % -7",
        "int(N / B) + ceil(N / 3) * floor(N / 5)",
        "min(N, M, B) + max(N, 17) - abs(N - M)",
        "N if N > M else M",
        "(N and M) + (N - M or 5)",
        "2 <= N < M",
        "N in [1, M, 64]",
        "N not in (1, 2)",
        "not N > 3",
        "1 if N > 2 and M // (N - 2) > 3 else 2",
        "N * F * 2",
        "N * F",
        "float(N) + 1",
        "N * M * M * M * M",
        "N && M > 3 || P",
        "N - M",
        "M // (N - 1)",
        "int(-N / 2) + floor(-N / 2) + ceil(-N / 2)",
        "+N - -M",
    };
    std::vector<std::pair<std::int64_t, std::int64_t>> const sizes{
        {1, 1}, {2, 5}, {64, 3}, {1000, 4097}, {std::int64_t{1} << 40, 1 << 20}};
    auto const folder =
        std::filesystem::temp_directory_path() / ("lkt-cpp-text-" + std::to_string(std::rand()));
    std::filesystem::create_directories(folder);
    auto const base = (folder / "program").string();
    {
        std::ofstream out(base + ".cpp");
        out << "#include <cstdio>\n" << lkt::cpp_arithmetic() << "int main() {\n";
        for (auto const& [n, m] : sizes)
            for (char const* const f : formulas)
                out << "{ arithmetic a; long long const n = " << n << ", m = " << m
                    << "; (void)n; (void)m; long long const v = " << text_of(f).value_or("error")
                    << "; if (a.bad) std::puts(\"bad\"); else std::printf(\"%lld\\n\", v); }\n";
        out << "}\n";
    }
    char const* const chosen = std::getenv("CXX");
    std::string const compiler = chosen != nullptr ? chosen : "c++";
    REQUIRE(std::system(
                (compiler +
                 " -std=c++11 -Wall -Wextra -Werror -fsanitize=undefined -fno-sanitize-recover " +
                 base + ".cpp -o " + base + " && " + base + " > " + base + ".txt")
                    .c_str()) == 0);
    std::ifstream said(base + ".txt");
    std::size_t compared = 0, refused = 0;
    for (auto const& [n, m] : sizes)
        for (char const* const f : formulas) {
            lkt::expression_scope scope;
            scope.values = {{"N", n}, {"M", m}};
            scope.values.insert(scope.values.end(), config.values.begin(), config.values.end());
            auto const meant = lkt::expression::parse(f).value().evaluate_integer(scope);
            std::string line;
            std::getline(said, line);
            CHECK_MESSAGE(line == (meant ? std::to_string(*meant) : "bad"),
                          f << " at " << n << ", " << m);
            ++compared;
            refused += meant ? 0 : 1;
        }
    CHECK(compared == formulas.size() * sizes.size());
    CHECK(refused > 3); // overflows, divisions by zero, halves
    std::filesystem::remove_all(folder);
}
