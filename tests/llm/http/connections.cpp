// SPDX-License-Identifier: BSL-1.0
// Connections: used again, replaced, over both families, with TLS; and the forms of an answer.
#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include "../scratch.hpp"
#include "asking.hpp"
#include "certificates.hpp"
#include "fault_server.hpp"
#include "names.hpp"

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

using namespace asking;

namespace {

std::string ask(lkt::http_model& model) {
    auto const reply = model.complete(question(), {});
    return reply ? reply->text : to_string(reply.error());
}

/// What a model says to a server that sends this, in pieces of so many bytes.
std::string reply_to(std::string const& bytes, bool stream, std::size_t piece = 1 << 20) {
    fault::server s([&](fault::peer& p) {
        if (!p.read_request()) return;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            p.send(bytes.substr(at, piece));
            if (piece < bytes.size() && at % 16 == 0) p.sleep(1ms);
        }
    });
    auto o = options(s);
    o.stream = stream;
    lkt::http_model model(o);
    return ask(model);
}

} // namespace

TEST_CASE("to connect sends nothing, and the next call uses the connection") {
    fault::server s(fault::answer_well);
    lkt::http_model model(options(s));
    REQUIRE(model.connect().has_value());
    REQUIRE(model.connect().has_value()); // it is there already
    CHECK(model.counters().calls == 0);
    CHECK(model.counters().sent == 0);
    CHECK(ask(model) == "hello");
    CHECK(model.counters().connections == 1);
    CHECK(s.connections() == 1);
}

TEST_CASE("to connect fails as a call does, in its own time") {
    auto const code_of = [](lkt::http_options o, std::stop_token stop = {}) {
        o.timeouts.connect = lkt::seconds(0.2);
        auto const done = lkt::http_model(std::move(o)).connect({stop, {}});
        return done ? std::string() : done.error().code;
    };
    std::string port;
    {
        fault::server const gone([](fault::peer&) {});
        port = gone.port();
    }
    CHECK(code_of(options("http://127.0.0.1:" + port)) == "lkt.http.connect");
    CHECK(code_of(options("http://nobody.test:" + port)) == "lkt.http.name");
    CHECK(code_of(options("nothing")) == "lkt.http.address");
    fault::server mute([](fault::peer& p) { p.wait_for_end(); });
    auto secret = options("https://127.0.0.1:" + mute.port());
    CHECK(code_of(secret) == "lkt.http.connect-timeout");
    std::stop_source stop;
    stop.request_stop();
    CHECK(code_of(secret, stop.get_token()) == "lkt.cancelled");
    fault::server other(fault::answer_well, {.tls = fault::certificate({}).context()});
    CHECK(code_of(options("https://127.0.0.1:" + other.port())) == "lkt.http.certificate");
    secret.proxy = "http://127.0.0.1:" + port;
    CHECK(code_of(secret) == "lkt.http.connect");
}

TEST_CASE("a connection is used again, whole answers and streams alike") {
    fault::server s(fault::answer_well);
    for (bool const stream : {false, true}) {
        auto o = options(s);
        o.stream = stream;
        lkt::http_model model(o);
        int const before = s.connections();
        for (int i = 0; i < 5; ++i) {
            CHECK(ask(model) == "hello");
            // What follows the last event of a stream is read after the reply has been returned.
            std::this_thread::sleep_for(stream ? 200ms : 0ms);
        }
        CHECK(s.connections() - before == 1);
        auto const counts = model.counters();
        CHECK(counts.connections == 1);
        CHECK(counts.calls == 5);
        CHECK(counts.sent > 5 * 10);
        CHECK(counts.received > 5 * 10);
    }
}

TEST_CASE("a connection that the server closed meanwhile is replaced") {
    fault::server s([](fault::peer& p) {
        if (p.read_request()) p.send(fault::answer(200, fault::completion("once")));
    });
    auto o = options(s);
    o.stream = false;
    lkt::http_model model(o);
    for (int i = 0; i < 3; ++i) {
        CHECK(ask(model) == "once");
        CHECK(soon([&] { return s.open() == 0; }));
    }
    CHECK(s.connections() == 3);
}

TEST_CASE("idle connections that the server closed are closed here, too") {
    auto const files = open_files();
    fault::server s([](fault::peer& p) {
        if (p.read_request()) p.send(fault::answer(200, fault::completion("once")));
        p.sleep(100ms); // it lies idle before it is closed
    });
    lkt::http_model model(options(s));
    CHECK(model.complete_all(std::vector(5, question()), {}).size() == 5);
    CHECK(soon([&] { return s.open() == 0; }));
    // The server's socket, and the three that the I/O thread waits with.
    CHECK(soon([&] { return open_files() <= files + 4; }));
}

TEST_CASE("one that breaks before it answers is replaced, once") {
    bool all_break = false;
    SUBCASE("and the next one answers") {}
    SUBCASE("and the next one breaks too") { all_break = true; }
    fault::server s([=](fault::peer& p) {
        if (p.number > 0 && !all_break) return fault::answer_well(p);
        if (!p.read_request()) return;
        if (p.number == 0) p.send(fault::answer(200, fault::completion("first")));
        if (p.number == 0 && !p.read_request()) return;
        p.reset();
    });
    auto o = options(s);
    o.stream = false;
    lkt::http_model model(o);
    CHECK(ask(model) == "first");
    auto const second = ask(model);
    if (all_break)
        CHECK(second.find("lkt.http.connection") != std::string::npos);
    else
        CHECK(second == "hello");
    CHECK(s.connections() == 2);
}

TEST_CASE("a server that asks for it is not asked again over the same connection") {
    fault::server s([](fault::peer& p) {
        if (p.read_request())
            p.send(fault::answer(
                200, fault::completion("x"), "application/json", "Connection: close\r\n"));
        p.wait_for_end();
    });
    auto o = options(s);
    o.stream = false;
    lkt::http_model model(o);
    CHECK(ask(model) == "x");
    CHECK(ask(model) == "x");
    CHECK(s.connections() == 2);
}

TEST_CASE("both families are tried") {
    fault::server four(fault::answer_well), six(fault::answer_well, {.tls = nullptr, .v6 = true});
    for (std::string const& url : {four.url(),
                                   six.url(),
                                   "http://localhost:" + four.port(),
                                   "http://six.test:" + six.port(),
                                   "http://both.test:" + four.port(),
                                   "http://both.test:" + six.port(),
                                   "http://dead-first.test:" + four.port()}) {
        CAPTURE(url);
        lkt::http_model model(options(url));
        auto const begin = clock::now();
        CHECK(ask(model) == "hello");
        CHECK(clock::now() - begin < slowness * 2s);
    }
}

TEST_CASE("programs that are started meanwhile inherit no connection") {
    fault::server s(fault::answer_well);
    lkt::http_model model(options(s));
    CHECK(ask(model) == "hello");
    int sockets = 0;
    // By name, since other threads may close what is looked at.
    for (int fd = 0; fd < 1024; ++fd) {
        std::string const number = std::to_string(fd);
        char link[64] = {};
        if (::readlink(("/proc/self/fd/" + number).c_str(), link, sizeof link - 1) <= 0 ||
            !std::string_view(link).starts_with("socket:"))
            continue;
        std::ifstream about("/proc/self/fdinfo/" + number);
        std::string word, flags;
        while (about >> word && word != "flags:") {
        }
        if (!(about >> flags)) continue;
        ++sockets;
        CHECK((std::stol(flags, nullptr, 8) & O_CLOEXEC) != 0);
    }
    CHECK(sockets >= 3); // the server's two, and ours
}

TEST_CASE("who asks for the same name at the same time is answered by one look-up") {
    fault::server s(fault::answer_well);
    lkt::http_model model(options("http://localhost:" + s.port()));
    int const before = names::asked;
    std::vector<lkt::chat_request> const many(20, question());
    for (auto const& reply : model.complete_all(many, {})) CHECK(reply.has_value());
    CHECK(names::asked - before < 20);
}

TEST_CASE("TLS with a certificate of an authority that is trusted") {
    fault::certificate const authority({.subject = {}});
    fault::certificate const certificate({}, &authority);
    scratch_folder const folder;
    auto const ca = folder.file("ca.pem", authority.pem());
    for (bool const v6 : {false, true}) {
        fault::server s(fault::answer_well, {.tls = certificate.context(), .v6 = v6});
        auto o = options(s);
        o.ca_file = ca;
        lkt::http_model by_address(o);
        CHECK(ask(by_address) == "hello");
        std::this_thread::sleep_for(5ms);
        CHECK(ask(by_address) == "hello");
        CHECK(s.connections() == 1);
        if (v6) continue;
        o.base_url = "https://localhost:" + s.port();
        lkt::http_model by_name(o);
        CHECK(ask(by_name) == "hello");
        o.ca_file.clear();
        o.verify_tls = false;
        lkt::http_model careless(o);
        CHECK(ask(careless) == "hello");
    }
}

TEST_CASE("TLS 1.1 is too old") {
    fault::certificate const certificate({});
    auto const old = certificate.context();
    SSL_CTX_set_max_proto_version(old.get(), TLS1_1_VERSION);
    fault::server s(fault::answer_well, {.tls = old});
    auto o = options(s);
    o.verify_tls = false;
    lkt::http_model model(o);
    CHECK(ask(model).find("lkt.http.tls") != std::string::npos);
}

TEST_CASE("answers of any length and cut") {
    std::string const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    auto const body = fault::completion("hi");
    char size[20];
    std::snprintf(size, sizeof size, "%zX", body.size());
    auto const chunks = head + "Transfer-Encoding: chunked\r\n\r\n" + size + ";extension=1\r\n" +
                        body + "\r\n0\r\nX-Trailer: 1\r\n\r\n";
    for (std::size_t const piece : {1u, 7u, 1u << 20}) {
        CAPTURE(piece);
        CHECK(reply_to(fault::answer(200, body), false, piece) == "hi");
        CHECK(reply_to(chunks, false, piece) == "hi");
        CHECK(reply_to(head + "\r\n" + body, false, piece) == "hi"); // until the connection's end
        CHECK(reply_to("HTTP/1.0 200 OK\r\n\r\n" + body, false, piece) == "hi");
        CHECK(reply_to("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
                           fault::answer(200, body),
                       false,
                       piece) == "hi");
        CHECK(reply_to("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" +
                           fault::event("h") + fault::event("i") + fault::last_events(),
                       true,
                       piece) == "hi");
    }
    // A server that cannot stream, or does not say that it does.
    CHECK(reply_to(fault::answer(200, body), true) == "hi");
    CHECK(
        reply_to(fault::answer(200, fault::event("hi") + fault::last_events(), "text/event-stream"),
                 false) == "hi");
    CHECK(reply_to(fault::answer(200, fault::event("hi") + fault::last_events(), "text/plain"),
                   true) == "hi");
}
