// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/secret_stream.hpp>
#include <lkt/nodes/attack_steps.hpp>
#include <lkt/problems/kernel_note.hpp>
#include <lkt/tuner/verifier.hpp>
#include <lkt/verify/problem_tests.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

/// How attempts of an attack are judged.
struct attack_judge_options {
    evaluation_options evaluation{};           ///< its seed does not count
    certify_options certify{};                 ///< configurations and launches
    int hidden_sizes = 9;                      ///< of the tests
    bytes test_memory{std::uint64_t{4} << 30}; ///< for the arguments of one test
    std::stop_token stop{};                    ///< ends the judging
    /// Of each attempt: by default from the system's entropy.
    std::function<std::uint64_t()> fresh_seed = {};
};

namespace detail {

/// Tests that are at hand.
struct given_tests {
    std::vector<test_case> tests;
    [[nodiscard]] result<std::vector<test_case>> generate(problem const&,
                                                          call_context const&) const {
        return tests;
    }
};

[[nodiscard]] std::uint64_t entropy_seed();

/// Whether an error on a witness is that of the witness: a size that no memory holds, a bad script.
[[nodiscard]] inline bool is_its_own_fault(error const& e) {
    return e.kind == condition::rejected || e.kind == condition::exhausted;
}

/// The problem at the size of a witness, and tests on its inputs; or why it shows nothing. Errors:
/// the world's.
struct witness {
    problem task;
    std::vector<test_case> tests;
};
[[nodiscard]] result<std::variant<witness, std::string>> witness_of(problem const& task,
                                                                    attack_proposal const& p,
                                                                    std::uint64_t seed,
                                                                    bytes memory,
                                                                    call_context const& context);

} // namespace detail

/// Judges as `lkt-verify` does, each kernel with a seed of its own. What is accepted, and has no
/// branch of its own that no test reached, is judged once more on the inputs of its witness, which
/// have to lie within the bounds of the problem: fair sizes, fair values, and no elements that
/// rounding decides.
template <class Gpu>
class verifying_judge {
public:
    explicit verifying_judge(Gpu& gpu, attack_judge_options options = {})
        : gpu_(gpu), options_(std::move(options)) {}

    /// Errors: an original that cannot be a reference; the world's.
    [[nodiscard]] result<attack_judgement> judge(problem const& task, attack_proposal const& p) {
        auto const start = std::chrono::steady_clock::now();
        attack_judgement j;
        j.seed = options_.fresh_seed ? options_.fresh_seed() : detail::entropy_seed();
        auto const secret = derived(secret_of(j.seed), "inputs");
        problem_tests tests;
        tests.seed = drawn(secret, "tests");
        tests.limit = options_.test_memory;
        tests.hidden_sizes = options_.hidden_sizes;
        verifier judge{gpu_, tests};
        auto found = verify(judge, task, p, j.seed);
        if (!found) return found.error();
        j.verdict = found->verdict;
        if (!found->accepted()) {
            j.reason = found->why ? describe(*found->why) : std::string();
        } else if (j.proof = own_unreached(found->branches); !j.proof.empty()) {
            j.end = attack_end::doubted;
        } else {
            if (auto ok = prove(task, p, drawn(secret, "witness"), j); !ok) return ok.error();
        }
        j.spent = std::chrono::steady_clock::now() - start;
        return j;
    }

private:
    template <class Verifier>
    result<verification>
    verify(Verifier& judge, problem const& task, attack_proposal const& p, std::uint64_t seed) {
        verifier_options how;
        how.evaluation = options_.evaluation;
        how.evaluation.seed = seed;
        how.certify = options_.certify;
        how.stop = options_.stop;
        if (auto ready = judge.prepare(task, std::move(how)); !ready) return ready.error();
        kernel_source source{task.reference.language, p.kernel, "attack"};
        auto noted = read_kernel_note(source);
        return noted && *noted ? judge.verify(**noted) : judge.verify(std::move(source));
    }

    result<void>
    prove(problem const& task, attack_proposal const& p, std::uint64_t seed, attack_judgement& j) {
        j.end = attack_end::unproven;
        auto made = detail::witness_of(task, p, seed, options_.test_memory, {options_.stop, {}});
        if (!made) return made.error();
        if (auto* why = std::get_if<std::string>(&*made)) {
            j.proof = std::move(*why);
            return {};
        }
        auto& w = std::get<detail::witness>(*made);
        std::string const name = w.tests.back().name;
        verifier judge{gpu_, detail::given_tests{std::move(w.tests)}};
        auto found = verify(judge, w.task, p, seed);
        if (!found && detail::is_its_own_fault(found.error())) {
            j.proof =
                "the original itself cannot be judged on the witness: " + found.error().message;
            return {};
        }
        if (!found) return found.error();
        if (!found->accepted()) {
            j.end = attack_end::proven;
            j.proof = std::string(to_string(found->verdict)) + ": " +
                      (found->why ? describe(*found->why) : std::string());
            return {};
        }
        bool kept = false;
        for (prepared_test const& t : judge.state().tests.tests) kept = kept || t.test.name == name;
        j.proof = kept ? "on the witness it computes what the original computes"
                       : "the witness decides nothing: rounding moves the original's own outputs";
        return {};
    }

    Gpu& gpu_;
    attack_judge_options options_;
};

} // namespace lkt
