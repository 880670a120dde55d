// SPDX-License-Identifier: BSL-1.0
// Mutants of the honest kernels of tests/lkt_verify/cases, judged on the host as lkt-verify --quick
// judges them.
#pragma once

#include "mutation.hpp"

#include <lkt/core/files.hpp>
#include <lkt/gpu/host.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/tuner/verifier.hpp>

#include <boost/json.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mutation {

struct honest_kernel {
    std::string name, text;
    std::string problem; ///< its file
};

template <class T>
T must(lkt::result<T> r) {
    if (!r) throw std::runtime_error(lkt::to_string(r.error()));
    return std::move(*r);
}

/// Those in CUDA, in the order of the index.
inline std::vector<honest_kernel> honest_kernels(std::string const& folder) {
    std::vector<honest_kernel> found;
    auto const index = boost::json::parse(must(lkt::read_text_file(folder + "/cases.json")));
    for (auto const& value : index.as_array()) {
        auto const& c = value.as_object();
        std::string const file(c.at("candidate").as_string());
        if (c.at("language").as_string() != "CUDA" || !file.starts_with("accept/")) continue;
        found.push_back({std::string(c.at("id").as_string()),
                         must(lkt::read_text_file(folder + "/" + file)),
                         folder + "/" + std::string(c.at("problem").as_string())});
    }
    return found;
}

struct judged {
    mutation::mutant mutant;
    lkt::verdict verdict = lkt::verdict::accepted;
    std::string why_equivalent; ///< where it is the same program in other words
};

/// Why a mutant computes what its kernel computes; empty: nothing is known.
[[nodiscard]] inline std::string why_equivalent(std::string const& kernel, mutant const& m);

/// One preparation, any number of mutants.
class judge {
public:
    explicit judge(honest_kernel const& kernel, std::uint64_t seed = 20250601)
        : kernel_(kernel), verifier_(lkt::host{}, lkt::problem_tests{.seed = seed}) {
        lkt::verifier_options how;
        how.certify.configurations = 8; // as lkt-verify --quick
        how.certify.launches = 6;
        how.evaluation.seed = seed;
        how.evaluation.launch_limit = lkt::seconds(1); // mutants hang; kernels take milliseconds
        if (auto ready = verifier_.prepare(must(lkt::read_problem(kernel.problem)), how); !ready)
            throw std::runtime_error(kernel.name + ": " + lkt::to_string(ready.error()));
        auto const whole = verdict_of(kernel.text);
        if (whole != lkt::verdict::accepted)
            throw std::runtime_error(
                kernel.name + " is not accepted itself: " + std::string(lkt::to_string(whole)));
    }

    [[nodiscard]] judged operator()(mutant const& m) {
        judged j{m, verdict_of(m.text), {}};
        if (j.verdict == lkt::verdict::accepted) j.why_equivalent = why_equivalent(kernel_.name, m);
        return j;
    }

private:
    [[nodiscard]] lkt::verdict verdict_of(std::string const& text) {
        return must(verifier_.verify(
                        lkt::kernel_source{lkt::language::cuda, text, kernel_.name + ".cu"}))
            .verdict;
    }

    honest_kernel kernel_;
    lkt::verifier<lkt::host> verifier_;
};

inline std::string why_equivalent(std::string const& kernel, mutant const& m) {
    struct rule {
        char const* kernel;
        int line;
        char const* operation; ///< empty: any
        char const* was;       ///< empty: anything
        char const* why;
        char const* now = ""; ///< what the mutant's text has, where the place matters
    };
    static constexpr rule rules[] = {
        {"stride-vecadd", 3, "change an operator", "+=", "each thread has one element: one round"},
        {"stride-vecadd", 3, "step over", "", "each thread has one element: one round"},
        {"stride-vecadd", 3, "swap x and y", "x", "each thread has one element: one round"},
        {"tiled-transpose", 3, "change a constant", "1", "padding of a tile"},
        {"tiled-gemm", 7, "change an operator", "<", "one more tile, all of zeros"},
        {"tiled-gemm", 8, "change a constant", "0.0f", "the other tile has zeros there"},
        {"tiled-gemm", 9, "change a constant", "0.0f", "the other tile has zeros there"},
        {"split-gemm", 8, "truncate a loop", "", "the next loop takes what is left"},
        {"split-gemm", 8, "change a constant", "8", "the next loop takes what is left"},
        {"shuffled-softmax", 3, "", "16", "17, 8, 4, 2, 1 reach the same lanes"},
        {"shuffled-softmax", 8, "", "", "each lane of the warp holds what is stored"},
        {"shuffled-softmax", 16, "change a constant", "64", "a maximum may see an element twice"},
        {"shuffled-softmax", 21, "change a constant", "64", "elements are stored twice"},
        {"shuffled-softmax", 10, "round to half", "", "any value near the maximum will do"},
        {"shared-layernorm", 21, "change a constant", "64", "elements are stored twice"},
        {"welford-layernorm", 11, "swap x and y", "x", "elements are stored by several threads"},
        {"tree-rowsum", 13, "negate a condition", "", "all threads would store the same"},
        {"shuffled-rowmean", 4, "", "", "whoever stores the zero, it is before the barrier"},
        {"shuffled-rowmean", 11, "swap x and y", "x", "all threads would store the same"},
        {"one-pass-softmax", 6, "change a type", "float", "any value near the maximum will do"},
        {"compensated-sum", 3, "", "", "whichever threads sum a row, they store the same"},
        {"serial-scan", 3, "", "", "whichever threads scan a row, they store the same"},
        {"double-gemm", 4, "swap x and y", "y", "blocks are square", "blockIdx.y * blockDim.x +"},
        {"split-gemm", 4, "swap x and y", "y", "blocks are square", "blockIdx.y * blockDim.x +"},
        {"double-sum", 13, "", "", "all threads would store the same", "float(part[0])"},
        {"doubling-scan",
         5,
         "change a constant",
         "0.0f",
         "what is behind a row reaches no element"},
        {"doubling-scan", 8, "", "256", "rounds end at 128"},
        {"one-pass-softmax", 10, "swap x and y", "x", "elements are stored twice", "+= blockDim.y"},
        {"private-histogram", 5, "shrink the block", "", "the bound is even", "~1) < 64) mine[thr"},
        {"private-histogram", 9, "shrink the block", "", "the bound is even", "~1) < 64 &&"},
        {"private-histogram",
         9,
         "drop half of a guard",
         "",
         "adding 0 changes nothing",
         "< 64) atomic"},
        {"shuffled-rowmean", 11, "", "", "all threads would store the same", ") means[blockIdx.x]"},
        {"shuffled-softmax",
         10,
         "round to bfloat16",
         "",
         "any value near the maximum will do",
         "fmaxf(part[0], __uint"},
        {"vector-vecadd",
         9,
         "change a constant",
         "4",
         "elements are stored twice",
         "n / (4 * 2) * 4"},
        {"words-that-look-bad",
         9,
         "change a constant",
         "0",
         "both factors are 1",
         "factors[(0 + 1)]"},
        {"words-that-look-bad",
         10,
         "change a constant",
         "1",
         "both factors are 1",
         "factors[(1 - 1)]"},
    };
    for (rule const& r : rules)
        if (kernel == r.kernel && m.line == r.line &&
            (*r.operation == '\0' || m.operation == r.operation) &&
            (*r.was == '\0' || m.was == r.was) && m.text.find(r.now) != m.text.npos)
            return r.why;
    return {};
}

} // namespace mutation
