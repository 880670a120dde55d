// SPDX-License-Identifier: BSL-1.0
// A stream that flows is read once in an interval: what comes is whole and soon enough, in fewer
// reads; and nothing else waits for the interval.
#include <lkt/llm/http/detail/rounds.hpp>

#include <doctest/doctest.h>

#include "asking.hpp"
#include "certificates.hpp"
#include "fault_server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace asking;

namespace {

constexpr auto interval = 100ms; // much longer than a busy machine hesitates

lkt::http_options in_rounds(fault::server const& s, lkt::seconds every = interval) {
    auto o = options(s);
    o.read_interval = every;
    return o;
}

/// Sends pieces of one letter, and notes when.
class paced {
public:
    static constexpr std::size_t most = 200;

    void begin(fault::peer& p) { p.send(fault::stream_head()); }
    void piece(fault::peer& p) {
        sent_.at(count_) = clock::now();
        ++count_;
        p.send_chunk(fault::event("x"));
    }
    void end(fault::peer& p) {
        p.send_chunk(fault::last_events());
        p.send("0\r\n\r\n");
    }
    /// `n` of them, `apart` from each other.
    void answer(fault::peer& p, std::size_t n, std::chrono::milliseconds apart) {
        begin(p);
        for (std::size_t i = 0; i < n; ++i) {
            if (i > 0) p.sleep(apart);
            piece(p);
        }
        end(p);
    }

    [[nodiscard]] clock::time_point sent(std::size_t i) const {
        REQUIRE(i < count_);
        return sent_.at(i);
    }
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    std::array<clock::time_point, most> sent_;
    std::atomic<std::size_t> count_ = 0;
};

/// What is heard of such a stream.
struct received {
    paced const& server;
    std::vector<clock::duration> delays; ///< of each piece
    std::size_t calls = 0;               ///< of `on_text`

    [[nodiscard]] lkt::call_context context(std::stop_token stop = {}) {
        return {stop, [this](std::string_view text) {
                    auto const now = clock::now();
                    ++calls;
                    for (std::size_t i = 0; i < text.size(); ++i)
                        delays.push_back(now - server.sent(delays.size()));
                }};
    }
};

} // namespace

// Whoever hesitates now and then, as others of this machine want it, must not do so each time.

TEST_CASE("a stream that flows is read in fewer pieces than it is sent, none of them late") {
    fault::certificate const certificate({});
    for (bool const tls : {false, true}) {
        CAPTURE(tls);
        auto best = clock::duration::max();
        for (int round = 0; round < 3; ++round) {
            paced stream;
            fault::server s(
                [&](fault::peer& p) {
                    while (p.read_request()) stream.answer(p, 50, 4ms);
                },
                {.tls = tls ? certificate.context() : nullptr});
            auto o = in_rounds(s);
            o.verify_tls = false;
            lkt::http_model model(o);
            received h{stream, {}};
            auto const reply = model.complete(question(), h.context());
            REQUIRE(reply.has_value());
            CHECK(reply->text == std::string(50, 'x'));
            REQUIRE(h.delays.size() == 50);
            CHECK(h.calls >= 2);
            CHECK(h.calls <= 15);
            best = std::min(best, *std::max_element(h.delays.begin(), h.delays.end()));
            // The connection is as good as before.
            CHECK(model.complete(question(), {}).value().text == reply->text);
            CHECK(s.connections() == 1);
        }
        CHECK(best < interval + slowness * 50ms);
    }
}

TEST_CASE("without an interval each piece is read as it comes") {
    for (double const none : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        paced stream;
        fault::server s([&](fault::peer& p) {
            if (p.read_request()) stream.answer(p, 30, 6ms);
        });
        received h{stream, {}};
        lkt::http_model model(in_rounds(s, lkt::seconds{none}));
        REQUIRE(model.complete(question(), h.context()).has_value());
        CHECK(h.calls > 20);
    }
}

TEST_CASE("the first piece of a stream, and one after a silence, are read at once") {
    constexpr std::size_t n = 12;
    std::array<std::size_t, 2> best{};
    for (int round = 0; round < 3; ++round) {
        std::array<std::atomic<clock::time_point>, 2 * n> sent{};
        fault::server s([&](fault::peer& p) {
            auto const number = static_cast<std::size_t>(p.number);
            auto const say = [&](std::size_t which) {
                sent.at(which) = clock::now();
                p.send_chunk(fault::event(std::string(1, static_cast<char>('A' + which))));
            };
            if (!p.read_request()) return;
            p.send(fault::stream_head());
            say(number);
            // Spread over an interval: some would be read soon by any rounds.
            p.sleep(15 * interval + p.number * interval / static_cast<int>(n));
            say(n + number);
            p.send_chunk(fault::last_events());
            p.send("0\r\n\r\n");
        });
        lkt::http_model model(in_rounds(s));
        std::array<std::size_t, 2> at_once{};
        auto const on_text = [&](std::string_view text) {
            for (char const c : text) {
                auto const which = static_cast<std::size_t>(c - 'A');
                if (clock::now() - sent.at(which).load() < interval / 3) ++at_once.at(which / n);
            }
        };
        for (auto const& reply :
             model.complete_all(std::vector<lkt::chat_request>(n, question()), {{}, on_text}))
            CHECK(reply.value().text.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) best[i] = std::max(best[i], at_once[i]);
    }
    CHECK(best[0] >= 9);
    CHECK(best[1] >= 9);
}

TEST_CASE("an answer that is no stream does not wait for a round") {
    auto best = clock::duration::max();
    for (int round = 0; round < 3; ++round) {
        fault::server s([](fault::peer& p) {
            if (!p.read_request()) return;
            auto const text = fault::completion("whole");
            p.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n");
            for (std::size_t at = 0; at < text.size(); at += 50) {
                p.send_chunk(std::string_view(text).substr(at, 50));
                p.sleep(2ms);
            }
            p.send("0\r\n\r\n");
        });
        lkt::http_model model(in_rounds(s));
        auto const begin = clock::now();
        CHECK(model.complete(question(), {}).value().text == "whole");
        best = std::min(best, clock::now() - begin);
    }
    CHECK(best < interval - 10ms);
}

TEST_CASE("an answer that fills the buffer is read as it comes") {
    constexpr std::size_t pieces = 4000, size = 4000; // 1,000 buffers
    auto best = clock::duration::max();
    for (int round = 0; round < 3; ++round) {
        fault::server s([](fault::peer& p) {
            if (!p.read_request()) return;
            p.send(fault::stream_head());
            p.send_chunk(fault::event("x"));
            p.sleep(5ms);
            for (std::size_t i = 0; i < pieces; ++i)
                p.send_chunk(":" + std::string(size, 'x') + "\n");
            p.send_chunk(fault::last_events());
            p.send("0\r\n\r\n");
        });
        lkt::http_model model(in_rounds(s));
        auto const begin = clock::now();
        CHECK(model.complete(question(), {}).value().text == "x");
        CHECK(model.counters().received > pieces * size);
        best = std::min(best, clock::now() - begin);
    }
    CHECK(best < slowness * 20 * interval);
}

TEST_CASE("a stream is stopped between two rounds, too") {
    for (int round = 0; round < 3; ++round) {
        paced stream;
        fault::server s([&](fault::peer& p) {
            if (p.read_request()) stream.answer(p, paced::most, 5ms);
        });
        std::stop_source stop;
        clock::time_point stopped;
        std::thread stopper([&] {
            CHECK(soon([&] { return stream.count() > 10; }));
            std::this_thread::sleep_for(round * interval / 3);
            stopped = clock::now();
            stop.request_stop();
        });
        lkt::http_model model(in_rounds(s));
        auto const reply = model.complete(question(), {stop.get_token(), {}});
        auto const ended = clock::now();
        stopper.join();
        REQUIRE_FALSE(reply.has_value());
        CHECK(reply.error().kind == lkt::condition::cancelled);
        CHECK(ended - stopped < slowness * 100ms);
        CHECK(soon([&] { return s.open() == 0; }, slowness * 100ms));
    }
}

TEST_CASE("the idle limit counts from what has arrived, though it be shorter than the interval") {
    constexpr auto idle = 80ms;
    std::size_t most = 0;
    auto best = clock::duration::max();
    for (int round = 0; round < 3; ++round) {
        paced stream;
        fault::server s([&](fault::peer& p) {
            if (!p.read_request()) return;
            stream.begin(p);
            for (int i = 0; i < 100; ++i) {
                stream.piece(p);
                p.sleep(4ms);
            }
            p.wait_for_end();
        });
        auto o = in_rounds(s);
        o.timeouts.idle = idle;
        received h{stream, {}};
        lkt::http_model model(o);
        auto const reply = model.complete(question(), h.context());
        auto const silence = clock::now() - stream.sent(stream.count() - 1);
        REQUIRE_FALSE(reply.has_value());
        CHECK(reply.error().code == "lkt.http.idle");
        most = std::max(most, h.delays.size());
        if (h.delays.size() == 100) best = std::min(best, silence);
    }
    CHECK(most == 100);
    CHECK(best >= idle);
    CHECK(best < idle + 2 * interval + slowness * 100ms);
}

TEST_CASE("many streams flow at once") {
    constexpr std::size_t n = 64;
    fault::server s([](fault::peer& p) {
        if (p.read_request()) paced().answer(p, 50, 6ms);
    });
    lkt::http_model model(in_rounds(s));
    std::size_t calls = 0;
    auto const replies = model.complete_all(std::vector<lkt::chat_request>(n, question()),
                                            {{}, [&](std::string_view) { ++calls; }});
    for (auto const& reply : replies) CHECK(reply.value().text == std::string(50, 'x'));
    CHECK(calls < n * 50 / 3);
    CHECK(calls >= n);
}
