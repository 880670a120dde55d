// SPDX-License-Identifier: BSL-1.0
// A reply that may patch a kernel instead of giving all of it.
#pragma once

#include <lkt/llm/fenced_blocks.hpp>
#include <lkt/llm/search_replace.hpp>
#include <lkt/llm/thinking.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/reply.hpp>

#include <string>
#include <utility>

namespace lkt::detail {

/// As `read_reply`; where the reply holds edits (`read_edits`), its kernel is that of `before`
/// after them. A reply without edits that has a whole kernel is taken as that.
[[nodiscard]] inline reply_reading
read_patched_reply(chat_reply const& reply, problem const& task, candidate const& before) {
    if (reply.finish == finish::length || reply.finish == finish::filtered)
        return read_reply(reply, task, before);
    auto const unusable = [](error const& why) {
        reply_reading none;
        none.what =
            failure(no_code{"the patch cannot be applied: " + why.message + "; " + why.hint});
        return none;
    };
    auto const edits = read_edits(reply.text);
    if (!edits) return unusable(edits.error());
    if (edits->empty()) return read_reply(reply, task, before);
    auto patched = apply_edits(before.source.text, *edits);
    if (!patched) return unusable(patched.error());
    // The reply as it would be had the model written the whole kernel.
    chat_reply whole = reply;
    whole.text = fenced(*patched);
    std::string description;
    for (fenced_block const& block : fenced_blocks(strip_thinking(reply.text)))
        if (block.language() == "json") description = fenced(block.text, "json");
    whole.text += "\n" + description;
    return read_reply(whole, task, before);
}

} // namespace lkt::detail
