// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/journal.hpp>

#include <doctest/doctest.h>

#include <lkt/store/bytes.hpp>
#include <lkt/store/detail/record.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/version.hpp>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using parts = std::vector<std::string>;

lkt::journal over(lkt::journal_memory& sink) {
    auto j = lkt::journal::over(sink);
    REQUIRE_MESSAGE(j.has_value(), (j ? "" : j.error().message));
    return std::move(*j);
}

void save(lkt::journal& j, parts p) { REQUIRE(j.save(p).has_value()); }

/// Some states, replies and facts; the ends of its records.
std::vector<std::size_t> fill(lkt::journal_memory& sink) {
    auto j = over(sink);
    std::vector<std::size_t> ends;
    auto const mark = [&] { ends.push_back(sink.bytes.size()); };
    REQUIRE(j.begin({"graph", 7}).has_value());
    mark();
    save(j, {"cursor 0", std::string(3000, 'a')});
    mark();
    REQUIRE(j.put_fact("seed", "42").has_value());
    mark();
    save(j, {"cursor 1", std::string(3000, 'a') + "b"});
    mark();
    REQUIRE(j.add_reply("question", "answer").has_value());
    mark();
    return ends;
}

} // namespace

TEST_CASE("what was saved is there again") {
    lkt::journal_memory sink;
    CHECK(over(sink).empty());
    fill(sink);
    auto j = over(sink);
    CHECK_FALSE(j.empty());
    CHECK(j.identity() == lkt::journal_identity{"graph", 7});
    CHECK(j.saved() == parts{"cursor 1", std::string(3000, 'a') + "b"});
    CHECK(j.saves() == 2);
    CHECK(j.fact("seed") == "42");
    CHECK_FALSE(j.fact("other").has_value());
    CHECK(j.notes().empty());
}

TEST_CASE("only what changed is appended, and a whole state now and then") {
    lkt::journal_memory sink;
    auto j = over(sink);
    REQUIRE(j.begin({"graph", 7}).has_value());
    std::mt19937 random(1);
    std::string state(100'000, '\0');
    for (char& c : state) c = static_cast<char>(random());
    save(j, {"0", state});
    auto const whole = sink.bytes.size();
    state.replace(50'000, 1000, std::string(1000, 'x'));
    save(j, {"1", state});
    CHECK(sink.bytes.size() - whole < 1100);
    for (int i = 0; i < 3000; ++i) {
        state[random() % state.size()] = static_cast<char>(random());
        save(j, {std::to_string(i), state});
    }
    CHECK(over(sink).saved() == parts{"2999", state});
    // Snapshots cost no more than twice what the changes do.
    CHECK(sink.bytes.size() < 2'000'000);
}

TEST_CASE("a state that is as it was is not appended") {
    lkt::journal_memory sink;
    auto j = over(sink);
    save(j, {"0", "a"});
    auto const size = sink.bytes.size();
    save(j, {"0", "a"});
    CHECK(sink.bytes.size() == size);
}

TEST_CASE("replies are given again once each, in order, until a state is saved") {
    lkt::journal_memory sink;
    {
        auto j = over(sink);
        save(j, {"0"});
        REQUIRE(j.add_reply("a", "first").has_value());
        REQUIRE(j.add_reply("b", "other").has_value());
        REQUIRE(j.add_reply("a", "second").has_value());
        CHECK_FALSE(j.take_reply("a").has_value()); // those of this process are known to it
    }
    {
        auto j = over(sink);
        CHECK(j.take_reply("a") == "first");
        CHECK(j.take_reply("a") == "second");
        CHECK_FALSE(j.take_reply("a").has_value());
        CHECK(j.replies() == 3);
    }
    {
        auto j = over(sink); // nothing was saved: they are there still
        CHECK(j.take_reply("b") == "other");
        save(j, {"0"}); // as it was, but the replies are used now
    }
    CHECK_FALSE(over(sink).take_reply("a").has_value());
}

TEST_CASE("a state that is saved before a transition leaves the replies") {
    lkt::journal_memory sink;
    {
        auto j = over(sink);
        save(j, {"0", "options"});
        REQUIRE(j.add_reply("a", "first").has_value());
    }
    for (int resumed = 0; resumed < 3; ++resumed) {
        auto j = over(sink);
        parts p{"0", "other options " + std::to_string(resumed)};
        REQUIRE(j.save(p, false).has_value());
        CHECK(j.take_reply("a") == "first");
    }
    auto j = over(sink);
    CHECK(j.saved()[1] == "other options 2");
    save(j, {"1", "options"});
    CHECK_FALSE(over(sink).take_reply("a").has_value());
}

TEST_CASE("replies that led to a failure are not given again") {
    lkt::journal_memory sink;
    {
        auto j = over(sink);
        save(j, {"0"});
        REQUIRE(j.add_reply("a", "bad").has_value());
        REQUIRE(j.forget_replies().has_value());
    }
    CHECK_FALSE(over(sink).take_reply("a").has_value());
}

TEST_CASE("a torn tail is cut off, wherever it is torn") {
    lkt::journal_memory whole;
    auto const ends = fill(whole);
    for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
        CAPTURE(size);
        for (std::string const& rest : {std::string(), std::string(40, '\0')}) {
            lkt::journal_memory sink{whole.bytes.substr(0, size) + rest};
            auto j = over(sink);
            std::size_t good = 0;
            for (std::size_t const end : ends)
                if (end <= size) good = end;
            if (size >= ends[0]) CHECK(sink.bytes.size() == good);
            if (!rest.empty()) CHECK(j.notes().size() == 1);
            CHECK(over(sink).notes().empty());
            // It can be written to.
            save(j, {"next"});
            CHECK(over(sink).saved() == parts{"next"});
        }
    }
}

TEST_CASE("a damaged middle is an error that names the place") {
    lkt::journal_memory whole;
    auto const ends = fill(whole);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < ends[3]; ++at) {
        CAPTURE(at);
        lkt::journal_memory sink = whole;
        sink.bytes[at] = static_cast<char>(sink.bytes[at] ^ 0x10);
        auto const j = lkt::journal::over(sink);
        REQUIRE_FALSE(j.has_value());
        ++refused;
        if (at >= ends[0]) {
            CHECK(j.error().code == "lkt.journal.damaged");
            std::size_t record = 0;
            for (std::size_t const end : ends)
                if (end <= at) record = end;
            CHECK(j.error().message.find("byte " + std::to_string(record) + " ") !=
                  std::string::npos);
        }
        CHECK(sink.bytes.size() == whole.bytes.size()); // nothing is cut
    }
    CHECK(refused == ends[3]);
}

TEST_CASE("a record is good in its own place alone") {
    lkt::journal_memory sink;
    auto const ends = fill(sink);
    auto const fact = sink.bytes.substr(ends[1], ends[2] - ends[1]);
    sink.bytes.insert(ends[2], fact);
    auto const j = lkt::journal::over(sink);
    REQUIRE_FALSE(j.has_value());
    CHECK(j.error().code == "lkt.journal.damaged");
}

namespace {

lkt::journal_memory with_header(std::uint32_t format, std::string_view version) {
    std::string header;
    lkt::byte_writer w(header);
    w.number(format);
    w.text(version);
    lkt::journal_memory sink{std::string(lkt::detail::journal_magic)};
    sink.bytes += lkt::detail::framed(
        lkt::detail::record_kind::header, header, lkt::detail::journal_magic.size());
    return sink;
}

} // namespace

TEST_CASE("journals of other versions, and other files, are refused") {
    auto same = with_header(lkt::detail::journal_format, lkt::version);
    CHECK(lkt::journal::over(same).has_value());
    auto older = with_header(lkt::detail::journal_format, "0.0.1");
    auto const version = lkt::journal::over(older);
    REQUIRE_FALSE(version.has_value());
    CHECK(version.error().code == "lkt.journal.version");
    CHECK(version.error().message.find("0.0.1") != std::string::npos);
    auto later = with_header(99, lkt::version);
    auto const format = lkt::journal::over(later);
    REQUIRE_FALSE(format.has_value());
    CHECK(format.error().code == "lkt.journal.format");
    lkt::journal_memory text{"some text that is no journal"};
    auto const none = lkt::journal::over(text);
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code == "lkt.journal.format");
    CHECK(text.bytes == "some text that is no journal");
}

namespace {

struct failing : lkt::journal_memory {
    bool fails = false;
    lkt::result<void> append(std::string_view more) {
        if (fails) return lkt::error{lkt::condition::exhausted, "lkt.test.full", "full", {}};
        return lkt::journal_memory::append(more);
    }
};

} // namespace

TEST_CASE("after a failed write nothing more is taken") {
    failing sink;
    auto j = lkt::journal::over(sink);
    REQUIRE(j.has_value());
    parts p{"0"};
    REQUIRE(j->save(p).has_value());
    sink.fails = true;
    auto const failed = j->add_reply("a", "b");
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().kind == lkt::condition::unavailable);
    sink.fails = false; // a hole is worse than an end
    p = {"1"};
    CHECK_FALSE(j->save(p).has_value());
    CHECK_FALSE(j->sync().has_value());
}

TEST_CASE("results of parts of a node are there until its transition is saved") {
    lkt::journal_memory sink;
    {
        auto j = over(sink);
        REQUIRE(j.begin({"graph", 7}).has_value());
        save(j, {"cursor 0", "state"});
        REQUIRE(j.add_result("one").has_value());
        REQUIRE(j.add_result("two").has_value());
        CHECK(j.results().empty()); // this process knows them anyway
    }
    sink.bytes.resize(sink.bytes.size() - 1); // killed while the second was written
    CHECK(over(sink).results() == parts{"one"});
    {
        auto j = over(sink);
        j.resumed();
        parts same{"cursor 0", "state"};
        REQUIRE(j.save(same, false).has_value()); // the node is entered again
        REQUIRE(j.add_result("two").has_value());
        REQUIRE(j.forget_replies().has_value());
    }
    CHECK(over(sink).results() == parts{"one", "two"});
    {
        auto j = over(sink);
        j.resumed();
        save(j, {"cursor 1", "state"});
    }
    CHECK(over(sink).results().empty());
}
