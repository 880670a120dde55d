// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/attack_judge.hpp>

#include <lkt/core/string_tools.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/script_tests.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <random>

namespace lkt::detail {

std::uint64_t entropy_seed() {
    std::random_device entropy;
    return std::uint64_t{entropy()} << 32 | entropy();
}

namespace attack_parts {

/// `N=1025, K=3` over the timed size, or nothing.
std::optional<problem_size> size_of(problem_size const& timed, std::string_view text) {
    problem_size size = timed;
    while (!text.empty()) {
        auto const end = std::min(text.find(','), text.size());
        auto const part = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        auto const at = part.find('=');
        if (at == part.npos) return std::nullopt;
        auto const name = trimmed(part.substr(0, at)), value = trimmed(part.substr(at + 1));
        auto const extent =
            std::find_if(size.begin(), size.end(), [&](auto const& e) { return e.first == name; });
        if (extent == size.end()) return std::nullopt;
        auto const [last, bad] =
            std::from_chars(value.data(), value.data() + value.size(), extent->second);
        if (bad != std::errc() || last != value.data() + value.size()) return std::nullopt;
    }
    return size;
}

} // namespace attack_parts

result<std::variant<witness, std::string>> witness_of(problem const& task,
                                                      attack_proposal const& p,
                                                      std::uint64_t seed,
                                                      bytes memory,
                                                      call_context const& context) {
    using namespace attack_parts;
    using made = std::variant<witness, std::string>;
    if (p.size.empty() && p.script.empty()) return made("there is no witness");
    auto const size = size_of(task.size, p.size);
    if (!size) return made("the size of the witness cannot be read: " + in_backticks(p.size));
    bool const listed = *size == task.size ||
                        std::find(task.further_sizes.begin(), task.further_sizes.end(), *size) !=
                            task.further_sizes.end();
    if (!listed && (task.size_constraints.empty() || !fair_size(task, *size)))
        return made("the problem does not allow the size of the witness, " + size_words(*size));
    witness w{task, {}};
    w.task.size = *size;
    w.task.further_sizes.clear();
    problem_tests plain;
    plain.seed = seed;
    plain.hidden_sizes = 0;
    plain.limit = memory;
    plain.menu = p.script.empty();
    auto first = plain.generate(w.task, context);
    if (!first && !is_its_own_fault(first.error())) return first.error();
    if (!first) return made("no test can be made at that size: " + first.error().message);
    w.tests = std::move(*first);
    if (p.script.empty()) return made(std::move(w));
    script_tests script;
    script.script.text = p.script;
    script.script.origin = "the witness";
    script.script.of_model = true;
    script.seed = seed;
    script.max_tests = 8;
    auto scripted = script.generate(w.task, context);
    if (!scripted && !is_its_own_fault(scripted.error())) return scripted.error();
    if (!scripted) return made("the witness is no test: " + scripted.error().message);
    for (test_case& test : *scripted) {
        // As a test that lkt chose: what rounding decides is not judged.
        test.origin = test_origin::hidden_size;
        test.for_finalists = false;
        test.name = "witness, " + test.name;
        w.tests.push_back(std::move(test));
    }
    return made(std::move(w));
}

} // namespace lkt::detail
