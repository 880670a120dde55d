// SPDX-License-Identifier: BSL-1.0
// One mistake of each kind in one of two honest kernels: the verifier finds all of them. Many more
// are tried by benchmarks/verify/mutants.cpp.
#include "../support/mutants_judged.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace {

/// The first mutant of each kind that is wanted still, so that a run stays short.
std::vector<mutation::mutant> one_of_each(std::string const& text, std::set<std::string>& wanted) {
    std::vector<mutation::mutant> chosen;
    for (auto& m : mutation::mutants_of(text))
        if (wanted.erase(m.operation) != 0) chosen.push_back(std::move(m));
    return chosen;
}

} // namespace

TEST_CASE("a verifier kills mutants of honest kernels") {
    std::set<std::string> const names = {"tree-rowsum", "tiled-transpose"};
    std::set<std::string> wanted = {"drop a barrier",
                                    "drop a guard",
                                    "drop a statement",
                                    "drop an accumulation",
                                    "negate a condition",
                                    "round to half",
                                    "shrink the grid",
                                    "swap two indices",
                                    "truncate a loop"};
    std::size_t kernels = 0;
    for (auto const& kernel :
         mutation::honest_kernels(std::string(LKT_TEST_SOURCE_DIR) + "/lkt_verify/cases")) {
        if (!names.contains(kernel.name)) continue;
        ++kernels;
        mutation::judge judge(kernel); // throws unless the kernel itself is accepted
        for (auto const& mutant : one_of_each(kernel.text, wanted)) {
            auto const j = judge(mutant);
            INFO(kernel.name << ", line " << mutant.line << ", " << mutant.operation << ": "
                             << mutant.was << " -> " << mutant.is);
            CHECK(j.verdict != lkt::verdict::accepted);
            CHECK(j.verdict != lkt::verdict::compile_error);
        }
    }
    CHECK(kernels == names.size());
    CHECK(wanted.empty());
}
