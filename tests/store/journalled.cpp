// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/journalled.hpp>

#include <doctest/doctest.h>

#include <lkt/store/journal_memory.hpp>

#include <stop_token>
#include <string>
#include <vector>

namespace {

/// Each reply differs from all others.
struct counting {
    int calls = 0;
    bool fails = false;
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        if (fails) return lkt::error{lkt::condition::transient, "lkt.test.down", "down", {}};
        lkt::chat_reply reply;
        reply.text = r.messages.back().text + " " + std::to_string(++calls);
        reply.usage = {10, 1};
        return reply;
    }
    std::vector<lkt::result<lkt::chat_reply>> complete_all(std::span<lkt::chat_request const> rs,
                                                           lkt::call_context const& x) {
        std::vector<lkt::result<lkt::chat_reply>> replies;
        for (auto const& r : rs) replies.push_back(complete(r, x));
        return replies;
    }
    [[nodiscard]] std::string description() const { return "counting"; }
};
static_assert(lkt::batch_chat_model<lkt::journalled<counting&>>);

lkt::chat_request asking(char const* what) {
    lkt::chat_request r;
    r.messages = {{lkt::role::user, what}};
    return r;
}

std::string text(lkt::result<lkt::chat_reply> const& r) { return r ? r->text : r.error().code; }

} // namespace

TEST_CASE("after a crash in a node its replies are given again, in order and with their usage") {
    lkt::journal_memory sink;
    counting model;
    {
        auto journal = lkt::journal::over(sink);
        lkt::journalled<counting&> kept(model, *journal);
        CHECK(kept.description() == "counting");
        CHECK(text(kept.complete(asking("a"), {})) == "a 1");
        CHECK(text(kept.complete(asking("b"), {})) == "b 2");
        CHECK(text(kept.complete(asking("a"), {})) == "a 3"); // a sample, not a repetition
    }
    auto journal = lkt::journal::over(sink);
    lkt::journalled<counting&> kept(model, *journal);
    std::string received;
    lkt::call_context listening;
    listening.on_text = [&](std::string_view piece) { received += piece; };
    auto const first = kept.complete(asking("a"), listening);
    CHECK(text(first) == "a 1");
    CHECK(received == "a 1");
    CHECK(first->usage == lkt::token_usage{10, 1});
    CHECK(text(kept.complete(asking("a"), {})) == "a 3");
    CHECK(text(kept.complete(asking("b"), {})) == "b 2");
    CHECK(model.calls == 3);
    CHECK(text(kept.complete(asking("b"), {})) == "b 4");
    CHECK(journal->replies() == 4);
}

TEST_CASE("other parameters make another request") {
    lkt::journal_memory sink;
    counting model;
    {
        auto journal = lkt::journal::over(sink);
        lkt::journalled<counting&> kept(model, *journal);
        (void)kept.complete(asking("a"), {});
    }
    auto journal = lkt::journal::over(sink);
    lkt::journalled<counting&> kept(model, *journal);
    auto warmer = asking("a");
    warmer.temperature = 0.5;
    CHECK(text(kept.complete(warmer, {})) == "a 2");
    CHECK(text(kept.complete(asking("a"), {})) == "a 1");
}

TEST_CASE("of a batch only what is open is asked") {
    lkt::journal_memory sink;
    counting model;
    {
        auto journal = lkt::journal::over(sink);
        lkt::journalled<counting&> kept(model, *journal);
        (void)kept.complete(asking("b"), {});
    }
    auto journal = lkt::journal::over(sink);
    lkt::journalled<counting&> kept(model, *journal);
    std::vector<lkt::chat_request> const requests{asking("a"), asking("b"), asking("c")};
    auto const replies = kept.complete_all(requests, {});
    REQUIRE(replies.size() == 3);
    CHECK(text(replies[0]) == "a 2");
    CHECK(text(replies[1]) == "b 1");
    CHECK(text(replies[2]) == "c 3");
    CHECK(journal->replies() == 3);
}

TEST_CASE("errors are not kept, and without a journal everything is passed on") {
    lkt::journal_memory sink;
    counting model;
    auto journal = lkt::journal::over(sink);
    lkt::journalled<counting&> kept(model, *journal);
    model.fails = true;
    CHECK(text(kept.complete(asking("a"), {})) == "lkt.test.down");
    CHECK(journal->replies() == 0);
    model.fails = false;
    lkt::journalled<counting> alone(counting{}, std::nullopt);
    CHECK(text(alone.complete(asking("a"), {})) == "a 1");
    std::stop_source stop;
    stop.request_stop();
    CHECK(text(kept.complete(asking("a"), {stop.get_token(), {}})) == "lkt.cancelled");
}
