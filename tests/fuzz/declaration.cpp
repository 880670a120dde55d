// SPDX-License-Identifier: BSL-1.0
// What a model says of sizes, arguments and tests.
#include "support/accepted.hpp"

#include <lkt/nodes/declaration.hpp>

namespace {

using lkt_fuzz::require;

/// Of one kernel everything is open, of the other some arguments.
lkt::problem_draft draft_of(lkt::kernel_source const& source, bool all) {
    lkt::problem_draft draft{lkt_fuzz::problem_of(source), {}, true};
    for (std::size_t k = 0; k < draft.known.signature.arguments.size(); ++k)
        if (all || k < 2) draft.open.push_back(k);
    if (all) draft.known.size.clear();
    return draft;
}

void check(std::string_view text, lkt::problem_draft const& draft) {
    auto const read = lkt::read_problem_declaration(text, draft);
    if (!read) return lkt_fuzz::require_error(read.error());
    lkt_fuzz::require_problem(*read, text);
    require(read->reference == draft.known.reference && read->signature == draft.known.signature,
            "the kernel stays as it is",
            text);
    if (!draft.known.size.empty())
        require(read->size == draft.known.size, "the user's sizes stand", text);
    for (std::size_t k = 0; k < read->arguments.size(); ++k)
        if (std::find(draft.open.begin(), draft.open.end(), k) == draft.open.end())
            require(read->arguments[k] == draft.known.arguments[k], "what is settled stands", text);
    require(read->tests.empty() && !read->oracle && read->properties == draft.known.properties,
            "nobody asked for more",
            text);
    for (lkt::argument_spec const& spec : read->arguments)
        require(!spec.bound, "a model widens no tolerance", text);
}

} // namespace

lkt_fuzz::target const here("declaration", [](std::uint8_t const* data, std::size_t size) {
    static lkt::problem_draft const drafts[] = {draft_of(lkt_fuzz::cuda_text, true),
                                                draft_of(lkt_fuzz::wgsl_text, false)};
    auto const text = lkt_fuzz::text_of(data, size);
    for (lkt::problem_draft const& draft : drafts) check(text, draft);

    static lkt::problem const task = lkt_fuzz::problem_of(lkt_fuzz::cuda_text);
    auto const tests = lkt::read_test_declaration(text, task);
    if (!tests) {
        lkt_fuzz::require_error(tests.error());
        return 0;
    }
    require(!tests->empty() && tests->size() <= 16, "tests are few", text);
    for (lkt::declared_test const& test : *tests)
        for (auto const& [argument, fill] : test.arguments)
            require(argument < task.arguments.size() && task.flow(argument) != lkt::direction::out,
                    "a test fills inputs",
                    text);
    return 0;
});
