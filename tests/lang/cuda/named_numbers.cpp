// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/cuda/named_numbers.hpp>

#include <doctest/doctest.h>

#include <algorithm>

TEST_CASE("names that a text makes whole numbers") {
    std::vector<std::string> const names{"A", "B", "C", "D", "E", "F", "G", "H", "none"};
    auto found = lkt::named_numbers("#define A 32\n"
                                    "#define B (2 * A + 1)\n"
                                    "constexpr int C = B / 5;\n"
                                    "enum { D = 7 };\n"
                                    "#define E(x) x\n"
                                    "#define F 1.5f\n"
                                    "#if UNKNOWN\n#define G 1\n#else\n#define G 2\n#endif\n"
                                    "int H = 4;\n"
                                    "__global__ void k(float* y) { y[0] = A; }\n"
                                    "#undef A\n#define A 64",
                                    names);
    std::sort(found.begin(), found.end());
    // A changes its value; C got that of before.
    std::vector<std::pair<std::string, std::int64_t>> const expected{
        {"A", 64}, {"B", 129}, {"C", 13}, {"D", 7}};
    CHECK(found == expected);
    CHECK(lkt::named_numbers("#define A (\n", names).empty());
    CHECK(lkt::named_numbers("/* open", names).empty());
    CHECK(lkt::named_numbers("", {}).empty());
}
