// SPDX-License-Identifier: BSL-1.0
// Replies of models: fences, code, JSON, and the candidate that they come to.
#include "support/problems.hpp"

#include <lkt/llm/extract_json.hpp>
#include <lkt/llm/fenced_blocks.hpp>
#include <lkt/nodes/reply.hpp>

#include <boost/json/value.hpp>

namespace {

using lkt_fuzz::require;

void check_blocks(std::string_view text) {
    std::size_t end = 0;
    for (lkt::fenced_block const& block : lkt::fenced_blocks(text)) {
        require(block.begin >= end && block.begin < block.end && block.end <= text.size(),
                "blocks follow one another within the text",
                text);
        require(block.closed || block.end == text.size() || text.substr(block.end).size() > 0,
                "a block ends",
                text);
        require(block.text.size() <= block.end - block.begin + 1, "a block is part of it", text);
        end = block.end;
    }
    if (auto const json = lkt::extract_json(text); !json) lkt_fuzz::require_error(json.error());
}

void check_reply(lkt::chat_reply const& reply, lkt::problem const& task) {
    lkt::candidate const before{task.reference, task.parameters, {}, task.launch, {}};
    auto const reading = lkt::read_reply(reply, task, before);
    if (auto const* why = std::get_if<lkt::failure>(&reading.what)) {
        require(!lkt::describe(*why).empty(), "a failure can be told", reply.text);
        return;
    }
    auto const& c = std::get<lkt::candidate>(reading.what);
    require(c.source.language == task.reference.language, "the language stays", reply.text);
    require(!lkt::check_signature(task.signature, c.source), "its signature is right", reply.text);
    for (lkt::tunable_parameter const& p : c.parameters)
        require(!p.name.empty() && !p.values.empty(), "a parameter has values", reply.text);
    for (lkt::expression const& r : c.restrictions)
        require(lkt_fuzz::knows_names(r, c.parameters, task.size),
                "restrictions speak of what there is",
                reply.text);
    lkt_fuzz::require_launch(c.launch, c.parameters, task.size, reply.text);
}

} // namespace

lkt_fuzz::target const here("reply", [](std::uint8_t const* data, std::size_t size) {
    static lkt::problem const tasks[] = {lkt_fuzz::problem_of(lkt_fuzz::cuda_text),
                                         lkt_fuzz::problem_of(lkt_fuzz::wgsl_text)};
    lkt::chat_reply reply;
    reply.text = lkt_fuzz::text_of(data, size);
    check_blocks(reply.text);
    for (lkt::problem const& task : tasks) check_reply(reply, task);
    return 0;
});
