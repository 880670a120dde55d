// SPDX-License-Identifier: BSL-1.0
// How many small mistakes get through: honest kernels with one mistake each, judged as lkt-verify
// judges them. Run in the repository's root: mutants [--every N] [--part K/N] [--cases FOLDER]
// [NAME...]. FOLDER is laid out as tests/lkt_verify/cases is; tests/lkt_verify/typed.py writes one.
#include "../../tests/support/mutants_judged.hpp"

#include <lkt/process/worker_main.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct settings {
    std::string cases = "tests/lkt_verify/cases";
    std::size_t every = 3; ///< only each such mutant: all of them take hours
    std::size_t part = 0, parts = 1;
    std::vector<std::string> names;
};

settings parse(int argc, char** argv) {
    settings s;
    for (int k = 1; k < argc; ++k) {
        std::string const word = argv[k];
        std::string const value = k + 1 < argc ? argv[k + 1] : "";
        if (word == "--cases") {
            s.cases = value;
            ++k;
        } else if (word == "--every") {
            s.every = std::max<std::size_t>(1, std::strtoul(value.c_str(), nullptr, 10));
            ++k;
        } else if (word == "--part") {
            auto const slash = value.find('/');
            s.part = std::strtoul(value.c_str(), nullptr, 10);
            s.parts = slash == std::string::npos
                          ? 1
                          : std::max(1ul, std::strtoul(value.c_str() + slash + 1, nullptr, 10));
            ++k;
        } else {
            s.names.push_back(word);
        }
    }
    return s;
}

/// At once, since a run may be cut short.
void print(std::string const& kernel, mutation::judged const& j) {
    std::printf("%s\n%s:%d: %s\n    - %s\n    + %s\n",
                j.why_equivalent.empty() ? "SURVIVED" : "the same program in other words",
                kernel.c_str(),
                j.mutant.line,
                j.mutant.operation.c_str(),
                j.mutant.was.c_str(),
                j.mutant.is.c_str());
    if (!j.why_equivalent.empty()) std::printf("    %s\n", j.why_equivalent.c_str());
    std::fflush(stdout);
}

/// Nothing if the kernel itself is rejected, which says nothing about mutants, but is said.
std::unique_ptr<mutation::judge> prepared(mutation::honest_kernel const& kernel) {
    try {
        return std::make_unique<mutation::judge>(kernel);
    } catch (std::exception const& e) {
        std::printf("LEFT OUT %s\n", e.what());
        return nullptr;
    }
}

int run(settings const& s) {
    std::map<std::string, std::size_t> by_verdict;
    std::size_t tried = 0, uncompiled = 0, killed = 0, equivalent = 0, survived = 0, kernels = 0;
    for (auto const& kernel : mutation::honest_kernels(s.cases)) {
        bool const wanted = s.names.empty() ||
                            std::find(s.names.begin(), s.names.end(), kernel.name) != s.names.end();
        if (!wanted) continue;
        std::size_t const before = tried;
        auto const ready = prepared(kernel);
        if (!ready) continue;
        auto& judge = *ready;
        std::size_t place = 0;
        for (auto const& mutant : mutation::mutants_of(kernel.text)) {
            auto const k = place++;
            if (k % s.every != 0 || k / s.every % s.parts != s.part) continue;
            auto const j = judge(mutant);
            ++tried;
            ++by_verdict[std::string(lkt::to_string(j.verdict))];
            if (j.verdict == lkt::verdict::compile_error) {
                ++uncompiled;
            } else if (j.verdict != lkt::verdict::accepted) {
                ++killed;
            } else {
                ++(j.why_equivalent.empty() ? survived : equivalent);
                print(kernel.name, j);
            }
        }
        if (tried != before) ++kernels;
        std::fprintf(stderr, "%s: %zu mutants\n", kernel.name.c_str(), tried - before);
    }
    for (auto const& [verdict, n] : by_verdict) std::printf("%6zu %s\n", n, verdict.c_str());
    auto const judged = killed + survived;
    std::printf("\nfigure mutants_kernels %zu kernels\n", kernels);
    std::printf("figure mutants_not_compiled %zu mutants\n", uncompiled);
    std::printf("figure mutants_equivalent %zu mutants\n", equivalent);
    std::printf("figure mutants_judged %zu mutants\n", judged);
    std::printf("figure mutants_survived %zu mutants\n", survived);
    if (judged != 0)
        std::printf("figure mutants_killed %.2f %%\n",
                    100.0 * static_cast<double>(killed) / static_cast<double>(judged));
    return judged != 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    try {
        return run(parse(argc, argv));
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
