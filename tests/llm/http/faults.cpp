// SPDX-License-Identifier: BSL-1.0
// What servers do wrong, each with the error that it must end as, and how soon.
#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include "injected.hpp"

#include <string>
#include <vector>

using namespace faults;

namespace {

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
        {.name = "a rate limit whose text says how long to wait",
         .script = says(fault::answer(
             429,
             R"([{"error":{"code":429,"message":"You exceeded your current quota",)"
             R"("status":"RESOURCE_EXHAUSTED","details":[{"@type":)"
             R"("type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}])")),
         .kind = condition::transient,
         .code = "lkt.http.rate-limit",
         .retry_after = 34s},
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
                 p.sleep(200ms);
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
         "lkt.http.cut-off",
         whole()},
        {"closed within the body",
         says("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
              "Content-Length: 5000\r\n\r\n{\"id\":"),
         transient,
         "lkt.http.cut-off",
         whole()},
        {"closed within a chunk",
         says("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
              "Transfer-Encoding: chunked\r\n\r\nff\r\n{\"id\":"),
         transient,
         "lkt.http.cut-off",
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
         [](lkt::http_options& o, fault::server&) { o.max_reply = 1 << 20; }},
        {"a stream beyond the limit",
         [](fault::peer& p) {
             if (!p.read_request()) return;
             p.send(fault::stream_head());
             for (int i = 0; i < 10000; ++i) p.send_chunk(fault::event(std::string(1000, 'x')));
         },
         rejected,
         "lkt.http.too-long",
         [](lkt::http_options& o, fault::server&) { o.max_reply = 1 << 20; }},
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

} // namespace

TEST_CASE("faults: statuses") { all_end_as_they_should(statuses()); }
TEST_CASE("faults: connections that end") { all_end_as_they_should(resets()); }
TEST_CASE("faults: what is no HTTP") { all_end_as_they_should(nonsense()); }
TEST_CASE("faults: what the dialect cannot read") { all_end_as_they_should(contents()); }
