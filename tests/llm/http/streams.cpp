// SPDX-License-Identifier: BSL-1.0
// Many calls on one thread, text as it arrives, and no more of it in memory than somebody reads.
#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include "asking.hpp"
#include "fault_server.hpp"

#include <atomic>
#include <barrier>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace asking;

namespace {

std::string asked_for(fault::peer const& p) {
    auto const at = p.body.find("number ");
    return p.body.substr(at + 7, p.body.find('"', at) - at - 7);
}

std::vector<lkt::chat_request> numbered(int n) {
    std::vector<lkt::chat_request> all;
    for (int i = 0; i < n; ++i) {
        all.push_back(question());
        all.back().messages[0].text = "number " + std::to_string(i);
    }
    return all;
}

} // namespace

TEST_CASE("text is handed over as it arrives, on the calling thread") {
    std::atomic<int> received = 0;
    fault::server s([&](fault::peer& p) {
        if (!p.read_request()) return;
        p.send(fault::stream_head());
        for (int i = 0; i < 3; ++i) {
            p.send_chunk(fault::event("piece "));
            CHECK(soon([&] { return received == i + 1; })); // before the next one is sent
        }
        p.send_chunk(fault::last_events());
        p.send("0\r\n\r\n");
    });
    lkt::http_model model(options(s));
    auto const me = std::this_thread::get_id();
    std::string text;
    auto const reply = model.complete(question(), {{}, [&](std::string_view piece) {
                                                       CHECK(std::this_thread::get_id() == me);
                                                       text += piece;
                                                       ++received;
                                                   }});
    REQUIRE(reply.has_value());
    CHECK(reply->text == "piece piece piece ");
    CHECK(text == reply->text);
}

TEST_CASE("a stream has ended with its last event, whatever the connection does") {
    fault::server s([](fault::peer& p) {
        if (!p.read_request()) return;
        p.send(fault::stream_head());
        p.send_chunk(fault::event("all") + fault::last_events());
        p.wait_for_end();
    });
    lkt::http_model model(options(s));
    auto const begin = clock::now();
    CHECK(model.complete(question(), {}).value().text == "all");
    CHECK(clock::now() - begin < slowness * 300ms);
    CHECK(soon([&] { return s.open() == 0; }));
}

TEST_CASE("256 streams at once on one thread, replies in the order of the requests") {
    constexpr int n = 256;
    std::barrier all_there(n);
    std::atomic<std::size_t> client_threads = 0;
    auto const before = threads();
    fault::server s([&](fault::peer& p) {
        if (!p.read_request()) return;
        p.send(fault::stream_head());
        p.send_chunk(fault::event("re: "));
        all_there.arrive_and_wait(); // nobody is answered before everybody has asked
        if (asked_for(p) == "0") client_threads = threads() - before - n - 1;
        all_there.arrive_and_wait();
        for (int i = 0; i < 20; ++i) p.send_chunk(fault::event("."));
        p.send_chunk(fault::event(asked_for(p)));
        p.send_chunk(fault::last_events());
        p.send("0\r\n\r\n");
    });
    lkt::http_model model(options(s));
    std::size_t bytes = 0;
    auto const replies =
        model.complete_all(numbered(n), {{}, [&](std::string_view t) { bytes += t.size(); }});
    REQUIRE(replies.size() == n);
    std::size_t said = 0;
    for (int i = 0; i < n; ++i) {
        auto const& reply = replies[static_cast<std::size_t>(i)];
        REQUIRE(reply.has_value());
        CHECK(reply->text == "re: ...................." + std::to_string(i));
        said += reply->text.size();
    }
    CHECK(bytes == said);
    CHECK(client_threads == 1);
    CHECK(s.connections() == n);
    CHECK(model.counters().calls == n);
}

TEST_CASE("no more calls are in flight than allowed, and the others wait, from any thread") {
    std::atomic<int> running = 0, most = 0;
    fault::server s([&](fault::peer& p) {
        while (p.read_request()) {
            int const now = ++running;
            for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            p.sleep(5ms);
            --running;
            p.send(fault::answer(200, fault::completion("re: " + asked_for(p))));
        }
    });
    auto o = options(s);
    o.max_in_flight = 3;
    o.stream = false;
    lkt::http_model model(o);
    std::vector<std::jthread> callers;
    for (int c = 0; c < 4; ++c)
        callers.emplace_back([model]() mutable {
            auto const replies = model.complete_all(numbered(12), {});
            for (std::size_t i = 0; i < replies.size(); ++i)
                CHECK(replies[i].value().text == "re: " + std::to_string(i));
        });
    callers.clear();
    CHECK(most == 3);
    CHECK(s.connections() == 3);
    CHECK(model.counters().calls == 48);
}

TEST_CASE("one failure in a batch is no failure of the others") {
    fault::server s([](fault::peer& p) {
        while (p.read_request()) {
            if (asked_for(p) == "3") return p.reset();
            p.send(fault::answer(200, fault::completion("re: " + asked_for(p))));
        }
    });
    auto o = options(s);
    o.stream = false;
    lkt::http_model model(o);
    auto const replies = model.complete_all(numbered(10), {});
    for (std::size_t i = 0; i < 10; ++i) CHECK(replies[i].has_value() == (i != 3));
    CHECK(replies[3].error().code == "lkt.http.connection");
    CHECK(model.complete_all({}, {}).empty());
}

TEST_CASE("who reads slowly is sent no more than fits") {
    constexpr std::size_t pieces = 4000, size = 16000; // 64 MB
    std::atomic<std::size_t> sent = 0, sent_meanwhile = 0;
    fault::server s([&](fault::peer& p) {
        if (!p.read_request()) return;
        p.send(fault::stream_head());
        p.send_chunk(fault::event("x"));
        for (std::size_t i = 0; i < pieces; ++i, ++sent)
            p.send_chunk(":" + std::string(size, 'x') + "\n");
        p.send_chunk(fault::last_events());
        p.send("0\r\n\r\n");
    });
    auto o = options(s);
    o.timeouts.idle = lkt::seconds{0.2}; // which a pause of ours is not
    o.max_reply = std::size_t{1} << 30;
    lkt::http_model model(o);
    std::size_t received = 0;
    auto const reply = model.complete(question(), {{}, [&](std::string_view text) {
                                                       if (received == 0) {
                                                           std::this_thread::sleep_for(500ms);
                                                           sent_meanwhile = sent.load();
                                                       }
                                                       received += text.size();
                                                   }});
    REQUIRE(reply.has_value());
    CHECK(received == 1);
    CHECK(model.counters().received > pieces * size);
    // The buffers of both sockets, and ours.
    CHECK(sent_meanwhile * size < (24u << 20));
}

TEST_CASE("a model may go while its copies are asked") {
    fault::server s(fault::answer_well);
    std::vector<std::jthread> callers;
    {
        lkt::http_model model(options(s));
        for (int i = 0; i < 8; ++i)
            callers.emplace_back([copy = model]() mutable {
                CHECK(copy.complete(question(), {}).value().text == "hello");
            });
    }
    callers.clear();
    CHECK(soon([&] { return s.open() == 0; }));
}
