// SPDX-License-Identifier: BSL-1.0
#include "problem_faults.hpp"

#include "beside.hpp"
#include "declaration_file.hpp"
#include "errors.hpp"
#include "outputs.hpp"

#include "../common/output.hpp"

#include <lkt/evaluate/evaluation_options.hpp>
#include <lkt/search/space.hpp>

#include <cstdint>
#include <string>

namespace lkt_tune {
namespace {

using namespace lkt_apps;

/// A sweep tries what there is, unless it is told how much of it.
std::optional<lkt::error> too_many_to_try(options const& o, lkt::problem const& task) {
    if (task.size.empty() || o.describe) return std::nullopt;
    auto const space = lkt::search_space::make(task.parameters, task.restrictions, task.size);
    bool const endless = !space && space.error().code == "lkt.search.too_large";
    if (endless)
        return usage(space.error().message + ", too many to draw from",
                     "give fewer values of the parameters, or restrictions (--restrict)");
    std::uint64_t const most = lkt::evaluation_options{}.max_configurations;
    if (!space || o.budget || space->count() <= most) return std::nullopt;
    std::string const all = std::to_string(space->count());
    return usage("the kernel has " + all + " configurations; without --budget at most " +
                     std::to_string(most) + " are tried",
                 "--budget 200 or --budget 10% tries a part of them, --budget 100% all");
}

} // namespace

std::optional<lkt::error>
problem_fault(options const& o, lkt::problem_draft const& draft, bool asks) {
    if (auto lost = overwritten(o, draft.known)) return lost;
    if (auto misnamed =
            output_misnamed(usage_code, o.output_file, draft.known.reference.language, true))
        return misnamed;
    if (auto misplaced = declaration_misplaced(o, draft.known)) return misplaced;
    if (auto const wrong = beside_torch_fault(o, draft.known)) return wrong;
    bool const unwritten = draft.known.unwritten;
    if (!unwritten && o.strategy != "sample-n" && o.numbers.contains(samples_name))
        return usage("--samples is an option of --strategy sample-n and of "
                     "operations, and there is a kernel already",
                     "drop it, or pass --strategy sample-n");
    if (unwritten &&
        (o.ask_tests || !o.ask_script.empty() || !o.declare_file.empty() || !o.oracle_file.empty()))
        return usage("an operation says itself what its kernel computes",
                     "drop --ask-tests, --ask-script, --declare and --oracle");
    if (draft.complete() && !unwritten && !asks && !o.model.empty() && !o.ask_tests &&
        o.ask_script.empty() && o.declare_file.empty())
        return usage("the strategy " + o.strategy + " asks no model, and the problem is complete",
                     "drop --model, or pass --ask-tests or --strategy one-prompt");
    if (!asks)
        if (auto const many = too_many_to_try(o, draft.known)) return many;
    return std::nullopt;
}

} // namespace lkt_tune
