// SPDX-License-Identifier: BSL-1.0
// What can go wrong on a network, each with the error that it must end as, and how soon.
#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include "../scratch.hpp"
#include "asking.hpp"
#include "certificates.hpp"
#include "fault_server.hpp"
#include "names.hpp"

#include <optional>
#include <string>
#include <vector>

using namespace asking;
using lkt::condition;

namespace {

/// Short, so that the tests are; long enough for a machine with other work.
constexpr lkt::seconds brief{0.3};

struct injected {
    std::string name;
    fault::server::script script;
    condition kind;
    std::string code;
    std::function<void(lkt::http_options&, fault::server&)> change = {};
    fault::server_options server = {};
    std::optional<std::chrono::milliseconds> retry_after = {};
    std::size_t question = 1; ///< bytes
};

using change = std::function<void(lkt::http_options&, fault::server&)>;

change whole() {
    return [](lkt::http_options& o, fault::server&) { o.stream = false; };
}
change limit(lkt::seconds lkt::http_timeouts::* which) {
    return [which](lkt::http_options& o, fault::server&) { o.timeouts.*which = brief; };
}
change at(std::string const& before_port, std::string const& after = {}) {
    return [=](lkt::http_options& o, fault::server& s) {
        o.base_url = before_port + s.port() + after;
    };
}

/// Reads the request, sends this and ends the connection.
fault::server::script says(std::string text) {
    return [text = std::move(text)](fault::peer& p) {
        if (p.read_request()) p.send(text);
    };
}
/// The same, and then the connection is reset.
fault::server::script says_and_resets(std::string text) {
    return [text = std::move(text)](fault::peer& p) {
        if (!p.read_request()) return;
        p.send(text);
        p.sleep(50ms); // what was sent arrives first
        p.reset();
    };
}
/// The same, and then nothing happens any more.
fault::server::script says_and_hangs(std::string text) {
    return [text = std::move(text)](fault::peer& p) {
        if (p.read_request()) p.send(text);
        p.wait_for_end();
    };
}

injected status(int number,
                condition kind,
                std::string code,
                std::string headers = {},
                std::optional<std::chrono::milliseconds> retry_after = {}) {
    return {.name = "status " + std::to_string(number) + " " + headers,
            .script = says(fault::answer(
                number, R"({"error":{"message":"no","type":"x"}})", "application/json", headers)),
            .kind = kind,
            .code = "lkt.http." + code,
            .retry_after = retry_after};
}

std::vector<injected> statuses() {
    return {
        status(400, condition::rejected, "bad-request"),
        status(401, condition::rejected, "unauthorized"),
        status(402, condition::rejected, "payment"),
        status(403, condition::rejected, "forbidden"),
        status(404, condition::rejected, "not-found"),
        status(408, condition::transient, "server"),
        status(409, condition::transient, "server"),
        status(413, condition::rejected, "request-too-large"),
        status(422, condition::rejected, "bad-request"),
        status(429, condition::transient, "rate-limit"),
        status(429, condition::transient, "rate-limit", "Retry-After: 7\r\n", 7s),
        status(500, condition::transient, "server"),
        status(502, condition::transient, "server"),
        status(503, condition::transient, "server"),
        status(504, condition::transient, "server"),
        status(529, condition::transient, "server"),
        {.name = "a spend cap",
         .script = says(fault::answer(
             429,
             R"({"error":{"message":"You exceeded your quota","type":"insufficient_quota",)"
             R"("code":"insufficient_quota"}})")),
         .kind = condition::exhausted,
         .code = "lkt.http.quota"},
        {.name = "an error page without end",
         .script =
             [](fault::peer& p) {
                 if (!p.read_request()) return;
                 p.send("HTTP/1.1 503 Busy\r\nContent-Type: text/html\r\n\r\n");
                 for (int i = 0; i < 1000; ++i) p.send(std::string(10000, '<'));
             },
         .kind = condition::transient,
         .code = "lkt.http.server"},
        {.name = "an error whose text breaks off",
         .script = says_and_resets("HTTP/1.1 401 No\r\nContent-Length: 1000\r\n\r\n{\"error"),
         .kind = condition::rejected,
         .code = "lkt.http.unauthorized"},
        {.name = "a refusal before the request was read",
         .script =
             [](fault::peer& p) {
                 if (p.read_head()) p.send(fault::answer(413, "{}", "application/json"));
                 p.wait_for_end();
             },
         .kind = condition::rejected,
         .code = "lkt.http.request-too-large",
         .question = 8 << 20},
    };
}

std::vector<injected> resets() {
    auto const transient = condition::transient;
    auto const broken = std::string("lkt.http.connection");
    return {
        {"reset before the request",
         [](fault::peer& p) {
             p.sleep(20ms);
             p.reset();
         },
         transient,
         broken},
        {"closed before the request", [](fault::peer& p) { p.close(); }, transient, broken},
        {"reset within the request",
         [](fault::peer& p) {
             if (p.read_head()) p.reset();
         },
         transient,
         broken,
         {},
         {},
         {},
         8 << 20},
        {"reset after the request", says_and_resets(""), transient, broken},
        {"closed after the request", says(""), transient, broken},
        {"reset within the head",
         says_and_resets("HTTP/1.1 200 OK\r\nContent-Ty"),
         transient,
         broken},
        {"closed within the head", says("HTTP/1.1 200 OK\r\nContent-Ty"), transient, broken},
        {"reset within the body",
         says_and_resets("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                         "Content-Length: 5000\r\n\r\n{\"id\":"),
         transient,
         broken,
         whole()},
        {"closed within the body",
         says("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
              "Content-Length: 5000\r\n\r\n{\"id\":"),
         transient,
         broken,
         whole()},
        {"closed within a chunk",
         says("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
              "Transfer-Encoding: chunked\r\n\r\nff\r\n{\"id\":"),
         transient,
         broken,
         whole()},
        {"a stream reset within a chunk",
         says_and_resets(fault::stream_head() + "fff\r\n" + fault::event("hel")),
         transient,
         "lkt.http.cut-off"},
        {"a stream closed between chunks",
         [](fault::peer& p) {
             if (!p.read_request()) return;
             p.send(fault::stream_head());
             p.send_chunk(fault::event("hel"));
         },
         transient,
         "lkt.http.cut-off"},
        {"a stream that ends without its last events",
         [](fault::peer& p) {
             if (!p.read_request()) return;
             p.send(fault::stream_head());
             p.send_chunk(fault::event("hel"));
             p.send("0\r\n\r\n");
         },
         transient,
         "lkt.http.cut-off"},
    };
}

std::vector<injected> delays() {
    auto const transient = condition::transient;
    auto const first_byte = limit(&lkt::http_timeouts::first_byte);
    auto const idle = limit(&lkt::http_timeouts::idle);
    auto const total = limit(&lkt::http_timeouts::total);
    auto const drip = [](fault::peer& p) {
        if (!p.read_request()) return;
        p.send(fault::stream_head());
        for (int i = 0; i < 500; ++i) {
            p.send_chunk(fault::event("x"));
            p.sleep(20ms);
        }
    };
    return {
        {"no answer", says_and_hangs(""), transient, "lkt.http.first-byte", first_byte},
        {"a head that stops",
         says_and_hangs("HTTP/1.1 200 OK\r\nConte"),
         transient,
         "lkt.http.idle",
         idle},
        {"a body that stops",
         says_and_hangs("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"),
         transient,
         "lkt.http.idle",
         idle},
        {"a stream that stops",
         says_and_hangs(fault::stream_head() + "5\r\ndata:\r\n"),
         transient,
         "lkt.http.idle",
         idle},
        {"a stream that drips", drip, transient, "lkt.http.total", total},
        {"a head that drips",
         [](fault::peer& p) {
             if (!p.read_request()) return;
             p.send("HTTP/1.1 200 OK\r\nX: ");
             for (int i = 0; i < 500; ++i) {
                 p.send("x");
                 p.sleep(20ms);
             }
         },
         transient,
         "lkt.http.total",
         total},
        {"a request that is not read",
         [](fault::peer& p) { p.sleep(1s); },
         transient,
         "lkt.http.idle",
         idle,
         {},
         {},
         32 << 20},
        {"a TLS handshake that is not answered",
         [](fault::peer& p) { p.wait_for_end(); },
         transient,
         "lkt.http.connect-timeout",
         [](lkt::http_options& o, fault::server& s) {
             o.base_url = "https://127.0.0.1:" + s.port();
             o.timeouts.connect = brief;
         }},
        {"a name that is looked up for ever",
         fault::answer_well,
         transient,
         "lkt.http.connect-timeout",
         [](lkt::http_options& o, fault::server& s) {
             names::let_go = false;
             o.base_url = "http://hangs.test:" + s.port();
             o.timeouts.connect = brief;
         }},
        {"a proxy that does not answer",
         [](fault::peer& p) { p.wait_for_end(); },
         transient,
         "lkt.http.connect-timeout",
         [](lkt::http_options& o, fault::server& s) {
             o.base_url = "https://far.test";
             o.proxy = s.url();
             o.timeouts.connect = brief;
         }},
    };
}

std::vector<injected> nonsense() {
    auto const rejected = condition::rejected;
    auto const malformed = std::string("lkt.http.protocol");
    auto const head = std::string("HTTP/1.1 200 OK\r\n");
    return {
        {"no HTTP at all", says("220 mail.test ESMTP\r\n\r\n"), rejected, malformed},
        {"binary",
         says(std::string("\x15\x03\x01\x00\x02\x02\x0a\r\n\r\n", 11)),
         rejected,
         malformed},
        {"two lengths",
         says(head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n{}"),
         rejected,
         malformed},
        {"a length that is none", says(head + "Content-Length: -1\r\n\r\n{}"), rejected, malformed},
        {"a chunk without a length",
         says(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
         rejected,
         malformed},
        {"a storm of 1xx",
         [](fault::peer& p) {
             if (!p.read_request()) return;
             for (int i = 0; i < 1000; ++i) p.send("HTTP/1.1 102 Processing\r\n\r\n");
             p.send(fault::answer(200, fault::completion("late")));
         },
         rejected,
         malformed},
        {"another protocol instead",
         says_and_hangs("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
         rejected,
         malformed},
        {"compressed without being asked",
         says(fault::answer(200, "\x1f\x8b", "application/json", "Content-Encoding: gzip\r\n")),
         rejected,
         malformed},
        {"a head without end",
         [](fault::peer& p) {
             if (!p.read_request()) return;
             p.send("HTTP/1.1 200 OK\r\n");
             for (int i = 0; i < 1000; ++i) p.send("X: " + std::string(1000, 'x') + "\r\n");
         },
         rejected,
         "lkt.http.too-long"},
        {"a length beyond the limit",
         says_and_hangs(head +
                        "Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{"),
         rejected,
         "lkt.http.too-long",
         [](lkt::http_options& o, fault::server&) { o.longest_reply = 1 << 20; }},
        {"a stream beyond the limit",
         [](fault::peer& p) {
             if (!p.read_request()) return;
             p.send(fault::stream_head());
             for (int i = 0; i < 10000; ++i) p.send_chunk(fault::event(std::string(1000, 'x')));
         },
         rejected,
         "lkt.http.too-long",
         [](lkt::http_options& o, fault::server&) { o.longest_reply = 1 << 20; }},
    };
}

/// What the dialect finds; their tests have many more.
std::vector<injected> contents() {
    return {
        {"malformed JSON",
         says(fault::answer(200, R"({"choices":[}})")),
         condition::transient,
         "lkt.http.malformed",
         whole()},
        {"malformed JSON in a stream",
         [](fault::peer& p) {
             if (!p.read_request()) return;
             p.send(fault::stream_head());
             p.send_chunk("data: {\"choices\":[{\n\n");
             p.wait_for_end();
         },
         condition::transient,
         "lkt.http.malformed"},
        {"a page of HTML",
         says(fault::answer(200, "<html>Sign in</html>", "text/html")),
         condition::rejected,
         "lkt.http.content-type"},
        {"an error within a stream",
         [](fault::peer& p) {
             if (!p.read_request()) return;
             p.send(fault::stream_head());
             p.send_chunk("data: {\"error\":{\"message\":\"out of slots\",\"code\":503}}\n\n");
             p.wait_for_end();
         },
         condition::transient,
         "lkt.http.server"},
        {"a redirect",
         says(fault::answer(302, "", "text/html", "Location: https://elsewhere.test/\r\n")),
         condition::rejected,
         "lkt.http.redirect"},
    };
}

std::vector<injected> addresses() {
    auto const transient = condition::transient;
    return {
        {"a name that nobody has",
         fault::answer_well,
         condition::unavailable,
         "lkt.http.name",
         at("http://nobody.test:")},
        {"a name server that is out of order",
         fault::answer_well,
         transient,
         "lkt.http.name",
         at("http://again.test:")},
        {"a port that nobody listens on",
         fault::answer_well,
         transient,
         "lkt.http.connect",
         [](lkt::http_options& o, fault::server&) {
             fault::server const gone([](fault::peer&) {});
             o.base_url = "http://127.0.0.1:" + gone.port();
         }},
        {"the wrong family",
         fault::answer_well,
         transient,
         "lkt.http.connect",
         at("http://[::1]:")},
        {"a proxy that is not there",
         fault::answer_well,
         transient,
         "lkt.http.connect",
         [](lkt::http_options& o, fault::server&) {
             fault::server const gone([](fault::peer&) {});
             o.proxy = gone.url();
         }},
        {"a proxy that wants a password",
         says(fault::answer(407, "", "text/plain", "Proxy-Authenticate: Basic\r\n")),
         condition::rejected,
         "lkt.http.proxy",
         [](lkt::http_options& o, fault::server& s) {
             o.base_url = "https://far.test";
             o.proxy = s.url();
         }},
        {"the same without a tunnel",
         says(fault::answer(407, "", "text/plain", "Proxy-Authenticate: Basic\r\n")),
         condition::rejected,
         "lkt.http.proxy",
         [](lkt::http_options& o, fault::server& s) {
             o.base_url = "http://far.test";
             o.proxy = s.url();
         }},
        {"a proxy that does not reach the server",
         says(fault::answer(502, "")),
         transient,
         "lkt.http.proxy",
         [](lkt::http_options& o, fault::server& s) {
             o.base_url = "https://far.test";
             o.proxy = s.url();
         }},
        {"a proxy that hangs up",
         says(""),
         transient,
         "lkt.http.proxy",
         [](lkt::http_options& o, fault::server& s) {
             o.base_url = "https://far.test";
             o.proxy = s.url();
         }},
        {"a proxy that is none",
         says("SSH-2.0-x\r\n\r\n\r\n"),
         condition::rejected,
         "lkt.http.proxy",
         [](lkt::http_options& o, fault::server& s) {
             o.base_url = "https://far.test";
             o.proxy = s.url();
         }},
    };
}

std::vector<injected> certificates(scratch_folder const& folder) {
    static fault::certificate const authority({.subject = {}});
    auto const ca = folder.file("ca.pem", authority.pem());
    auto const trusting = [ca](lkt::http_options& o, fault::server&) { o.ca_file = ca; };
    auto const signed_by_us = [](fault::certificate_options what) {
        return fault::server_options{.tls = fault::certificate(what, &authority).context()};
    };
    auto const rejected = condition::rejected;
    std::string const refused = "lkt.http.certificate";
    return {
        {.name = "self-signed",
         .script = fault::answer_well,
         .kind = rejected,
         .code = refused,
         .server = {.tls = fault::certificate({}).context()}},
        {.name = "of an unknown authority",
         .script = fault::answer_well,
         .kind = condition::unavailable,
         .code = refused,
         .server = signed_by_us({})},
        {"expired", fault::answer_well, rejected, refused, trusting, signed_by_us({.ends_s = -60})},
        {"not valid yet",
         fault::answer_well,
         rejected,
         refused,
         trusting,
         signed_by_us({.begins_s = 600})},
        {"for another name",
         fault::answer_well,
         rejected,
         refused,
         trusting,
         signed_by_us({.subject = "DNS:elsewhere.test"})},
        {"for another address",
         fault::answer_well,
         rejected,
         refused,
         trusting,
         signed_by_us({.subject = "IP:127.0.0.2"})},
        {"TLS to a server without",
         [](fault::peer& p) {
             p.send("HTTP/1.1 400 Bad Request\r\n\r\n");
             p.sleep(50ms);
         },
         rejected,
         "lkt.http.tls",
         at("https://127.0.0.1:")},
        {"no TLS to a server with it",
         fault::answer_well,
         condition::transient,
         "lkt.http.connection",
         at("http://127.0.0.1:"),
         signed_by_us({})},
        {"reset within the handshake",
         [](fault::peer& p) {
             p.sleep(20ms);
             p.reset();
         },
         condition::transient,
         "lkt.http.connection",
         at("https://127.0.0.1:")},
    };
}

void ends_as_it_should(injected const& one) {
    CAPTURE(one.name);
    fault::server s(one.script, one.server);
    auto o = options(s);
    if (one.change) one.change(o, s);
    lkt::http_model model(o);
    REQUIRE_FALSE(model.defect().has_value());
    auto const begin = clock::now();
    auto const reply = model.complete(question(one.question), {});
    auto const took = clock::now() - begin;
    names::let_go = true;
    CHECK(took < 3s);
    REQUIRE_FALSE(reply.has_value());
    auto const& e = reply.error();
    CAPTURE(to_string(e));
    CHECK(e.code == one.code);
    CHECK(e.kind == one.kind);
    CHECK(e.retry_after == one.retry_after);
    CHECK(to_string(e).find("sk-a-key") == std::string::npos);
    CHECK(e.message.size() < 600);
    CHECK(soon([&] { return s.open() == 0 || model.counters().connections == 0; }));
}

} // namespace

#define FAULTS(title, list)                                                                        \
    TEST_CASE(title) {                                                                             \
        auto const all = list;                                                                     \
        CHECK(all.size() > 4);                                                                     \
        for (auto const& one : all) ends_as_it_should(one);                                        \
    }

FAULTS("faults: statuses", statuses())
FAULTS("faults: connections that end", resets())
FAULTS("faults: what takes too long", delays())
FAULTS("faults: what is no HTTP", nonsense())
FAULTS("faults: what the dialect cannot read", contents())
FAULTS("faults: names, addresses and proxies", addresses())

TEST_CASE("faults: certificates and TLS") {
    scratch_folder const folder;
    for (auto const& one : certificates(folder)) ends_as_it_should(one);
}
