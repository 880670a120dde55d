// SPDX-License-Identifier: BSL-1.0
// A stop request ends a call within 100 ms, whatever it is at, and nothing is left behind.
#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include "asking.hpp"
#include "fault_server.hpp"
#include "names.hpp"

#include <arpa/inet.h>
#include <functional>
#include <netinet/in.h>
#include <stop_token>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace asking;

namespace {

/// Calls, stops after a while, and looks how long the end takes.
void stops(lkt::http_model model, std::size_t size = 1, std::function<void()> meanwhile = {}) {
    std::stop_source stop;
    clock::time_point stopped;
    std::thread stopper([&] {
        std::this_thread::sleep_for(60ms);
        if (meanwhile) meanwhile();
        stopped = clock::now();
        stop.request_stop();
    });
    auto const reply = model.complete(question(size), {stop.get_token(), {}});
    auto const ended = clock::now();
    stopper.join();
    REQUIRE_FALSE(reply.has_value());
    CAPTURE(to_string(reply.error()));
    CHECK(reply.error().kind == lkt::condition::cancelled);
    CHECK(ended >= stopped);
    CHECK(ended - stopped < slowness * 100ms);
}

/// The same with a server, which must see the connection close.
void stops_with(fault::server::script script,
                std::size_t size = 1,
                std::function<void(lkt::http_options&, fault::server&)> change = {}) {
    fault::server s(std::move(script));
    auto o = options(s);
    if (change) change(o, s);
    stops(lkt::http_model(o), size, [&] {
        CHECK(soon([&] { return s.open() == 1; }));
        std::this_thread::sleep_for(60ms); // it is at what the script makes it do
    });
    CHECK(soon([&] { return s.open() == 0; }));
}

/// Sockets that wait to be accepted by a server that never does, so that the next one is not heard.
class full_queue {
public:
    explicit full_queue(fault::server const& s) {
        for (int i = 0; i < 8; ++i) {
            int const one = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
            sockaddr_in to{};
            to.sin_family = AF_INET;
            to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            to.sin_port = htons(static_cast<unsigned short>(std::stoi(s.port())));
            (void)::connect(one, reinterpret_cast<sockaddr*>(&to), sizeof to);
            sockets_.push_back(one);
        }
        std::this_thread::sleep_for(20ms);
    }
    ~full_queue() {
        for (int const one : sockets_) ::close(one);
    }
    full_queue(full_queue const&) = delete;
    full_queue& operator=(full_queue const&) = delete;

private:
    std::vector<int> sockets_;
};

auto const hang = [](fault::peer& p) { p.wait_for_end(); };

fault::server::script after_request(std::string text) {
    return [text = std::move(text)](fault::peer& p) {
        if (p.read_request()) p.send(text);
        p.wait_for_end();
    };
}

} // namespace

TEST_CASE("stopped before it begins") {
    std::stop_source stop;
    stop.request_stop();
    fault::server s(fault::answer_well);
    lkt::http_model model(options(s));
    CHECK(model.complete(question(), {stop.get_token(), {}}).error().kind ==
          lkt::condition::cancelled);
    CHECK(s.connections() == 0);
}

TEST_CASE("stopped while the name is looked up, and the model goes before the answer comes") {
    names::let_go = false;
    {
        lkt::http_model model(options("http://hangs.test:1"));
        stops(model);
        stops(model);
    }
    CHECK(names::asked > names::answered);
    names::let_go = true;
    CHECK(soon([] { return names::asked == names::answered; }));
}

TEST_CASE("stopped while it connects") {
    fault::server s(hang, {.tls = nullptr, .backlog = 0, .accept = false});
    full_queue const q(s);
    stops(lkt::http_model(options(s)));
    // That it was connecting indeed:
    auto o = options(s);
    o.timeouts.connect = lkt::seconds{0.2};
    CHECK(lkt::http_model(o).complete(question(), {}).error().code == "lkt.http.connect-timeout");
}

TEST_CASE("stopped in the TLS handshake, or while a proxy is asked") {
    auto const tls = [](lkt::http_options& o, fault::server& s) {
        o.base_url = "https://127.0.0.1:" + s.port();
    };
    stops_with(hang, 1, tls);
    stops_with(hang, 1, [](lkt::http_options& o, fault::server& s) {
        o.base_url = "https://far.test";
        o.proxy = s.url();
    });
}

TEST_CASE("stopped while the request is written") {
    stops_with(
        [](fault::peer& p) {
            p.sleep(200ms);
            p.wait_for_end();
        },
        16 << 20);
}

TEST_CASE("stopped while it waits for an answer, within the head, within a body and a stream") {
    stops_with(after_request(""));
    stops_with(after_request("HTTP/1.1 200 OK\r\nConte"));
    stops_with(after_request("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"));
    stops_with(after_request(fault::stream_head() + "3\r\ndat\r\n"));
}

TEST_CASE("stopped while it waits for its turn") {
    fault::server s(after_request(""));
    auto o = options(s);
    o.max_in_flight = 1;
    lkt::http_model model(o);
    std::stop_source end;
    std::thread other([model, &end]() mutable {
        CHECK_FALSE(model.complete(question(), {end.get_token(), {}}).has_value());
    });
    CHECK(soon([&] { return s.open() == 1; }));
    stops(model);
    CHECK(s.connections() == 1);
    end.request_stop();
    other.join();
    // Those that were stopped hold no turn.
    std::thread third([model]() mutable {
        std::stop_source late;
        std::jthread const stopper([&] {
            std::this_thread::sleep_for(100ms);
            late.request_stop();
        });
        CHECK_FALSE(model.complete(question(), {late.get_token(), {}}).has_value());
    });
    CHECK(soon([&] { return s.connections() == 2; }));
    third.join();
}

TEST_CASE("a batch is stopped as a whole; what had ended keeps its reply") {
    fault::server s([](fault::peer& p) {
        if (!p.read_request()) return;
        if (p.body.find("quick") != std::string::npos)
            p.send(fault::answer(200, fault::completion("done")));
        p.wait_for_end();
    });
    auto o = options(s);
    o.stream = false;
    o.max_in_flight = 4;
    lkt::http_model model(o);
    std::vector<lkt::chat_request> requests(40, question());
    requests[2].messages[0].text = "quick";
    std::stop_source stop;
    std::jthread const stopper([&] {
        CHECK(soon([&] { return model.counters().calls == 1; }));
        stop.request_stop();
    });
    auto const replies = model.complete_all(requests, {stop.get_token(), {}});
    REQUIRE(replies.size() == 40);
    for (std::size_t i = 0; i < replies.size(); ++i) CHECK(replies[i].has_value() == (i == 2));
    CHECK(replies[39].error().kind == lkt::condition::cancelled);
    CHECK(soon([&] { return s.open() <= 1; }));
}

TEST_CASE("an exception of on_text passes through and closes the connection") {
    fault::server s([](fault::peer& p) {
        if (!p.read_request()) return;
        p.send(fault::stream_head());
        p.send_chunk(fault::event("x"));
        p.wait_for_end();
    });
    lkt::http_model model(options(s));
    CHECK_THROWS_AS((void)model.complete(question(), {{}, [](std::string_view) { throw 1; }}), int);
    CHECK(soon([&] { return s.open() == 0; }));
}

TEST_CASE("no file and no thread is left, whatever became of the calls") {
    CHECK(soon([] { return names::asked == names::answered; }));
    auto const files = open_files(), before = threads();
    for (int round = 0; round < 3; ++round) {
        fault::server s([](fault::peer& p) {
            if (p.number % 3 == 0) return fault::answer_well(p);
            if (p.number % 3 == 1) return p.reset();
            p.wait_for_end();
        });
        auto o = options("http://localhost:" + s.port());
        o.timeouts.first_byte = lkt::seconds{0.1};
        lkt::http_model model(o);
        lkt::http_model const copy = model;
        auto const replies = model.complete_all(std::vector<lkt::chat_request>(30, question()), {});
        std::size_t good = 0;
        for (auto const& reply : replies) good += reply.has_value();
        CHECK(good > 0);
        CHECK(good < replies.size());
        std::stop_source stop;
        std::jthread const stopper([&] { stop.request_stop(); });
        (void)model.complete_all(std::vector<lkt::chat_request>(30, question()),
                                 {stop.get_token(), {}});
    }
    CHECK(soon([&] { return open_files() == files; }));
    CHECK(soon([&] { return threads() == before; }));
}
