// SPDX-License-Identifier: BSL-1.0
// What an answer with another status than 200 means.
#include "answers.hpp"

#include <lkt/llm/http/detail/retry_after.hpp>
#include <lkt/llm/http/detail/server_fault.hpp>

#include <chrono>
#include <optional>

namespace {

using answers::of;
using answers::http::wire_response;
using lkt::condition;
using lkt::dialect;
using std::chrono::milliseconds;

lkt::error on(int status,
              std::string body = "",
              lkt::detail::http::header_list headers = {},
              lkt::http_options const& o = of(dialect::openai_chat),
              std::string_view key = "k-0123456789") {
    return answers::http::status_error(o, {status, std::move(headers), std::move(body)}, key);
}

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::optional<long> waits(int status, lkt::detail::http::header_list headers) {
    auto const e = on(status, "", std::move(headers));
    if (!e.retry_after) return std::nullopt;
    return static_cast<long>(e.retry_after->count());
}

} // namespace

TEST_CASE("each status has a condition, a code and a hint") {
    struct row {
        int status;
        condition kind;
        std::string_view code;
    };
    constexpr row rows[]{{400, condition::rejected, "lkt.http.bad-request"},
                         {401, condition::rejected, "lkt.http.unauthorized"},
                         {402, condition::rejected, "lkt.http.payment"},
                         {403, condition::rejected, "lkt.http.forbidden"},
                         {404, condition::rejected, "lkt.http.not-found"},
                         {405, condition::rejected, "lkt.http.not-found"},
                         {408, condition::transient, "lkt.http.server"},
                         {409, condition::transient, "lkt.http.server"},
                         {413, condition::rejected, "lkt.http.request-too-large"},
                         {418, condition::rejected, "lkt.http.bad-request"},
                         {422, condition::rejected, "lkt.http.bad-request"},
                         {429, condition::transient, "lkt.http.rate-limit"},
                         {500, condition::transient, "lkt.http.server"},
                         {502, condition::transient, "lkt.http.server"},
                         {503, condition::transient, "lkt.http.server"},
                         {504, condition::transient, "lkt.http.server"},
                         {529, condition::transient, "lkt.http.server"},
                         {301, condition::rejected, "lkt.http.redirect"},
                         {307, condition::rejected, "lkt.http.redirect"},
                         {101, condition::rejected, "lkt.http.status"}};
    for (row const& r : rows)
        for (std::string const& body :
             {std::string(),
              std::string(R"({"error":{"message":"It went wrong","type":"x","code":null}})"),
              std::string("<html><head><title>It went wrong</title></head></html>"),
              std::string(2000, '[')}) {
            auto const e = on(r.status, body);
            INFO(r.status, body.substr(0, 80));
            CHECK(e.kind == r.kind);
            CHECK(e.code == r.code);
            CHECK(has(e.message, "api.openai.com answered " + std::to_string(r.status)));
            CHECK_FALSE(e.hint.empty());
            if (r.status >= 400 && has(body, "wrong")) CHECK(has(e.message, "It went wrong"));
            CHECK(e.message.size() < 500);
        }
    CHECK(has(on(503).message, "Service Unavailable"));
}

TEST_CASE("messages of all envelopes are quoted") {
    for (std::string const body : {R"({"error":{"message":"Oh no","type":"t"}})",
                                   R"({"type":"error","error":{"type":"t","message":"Oh no"}})",
                                   R"({"error":"Oh no"})",
                                   R"({"object":"error","message":"Oh no","code":400})",
                                   R"({"detail":"Oh no"})",
                                   R"({"detail":[{"loc":["body"],"msg":"Oh no"}]})",
                                   R"({"message":"Oh no"})",
                                   R"([{"error":{"code":400,"message":"Oh no"}}])",
                                   "Oh no",
                                   "<html><TITLE> Oh no </TITLE>"})
        CHECK_MESSAGE(has(on(400, body).message, "Oh no"), body);
    auto const e = on(400,
                      R"({"error":{"message":"Oh no","code":"unknown_parameter"}})",
                      {{"x-request-id", "req_7"}});
    CHECK(e.message ==
          "api.openai.com answered 400 (Bad Request), request req_7: Oh no (unknown_parameter)");
    // Ollama's runner, in Ollama's words.
    auto const inner = on(
        400,
        R"({"error":"{\"error\":{\"code\":400,\"message\":\"Oh no\",\"type\":\"invalid_request_error\"}}"})",
        {},
        of(dialect::ollama));
    CHECK(inner.message ==
          "127.0.0.1:11434 answered 400 (Bad Request): Oh no (invalid_request_error)");
    CHECK(has(on(400, R"({"error":"{Oh no}"})").message, "{Oh no}"));
    CHECK(has(on(400, R"({"error":"{\"n\":1}"})").message, R"({"n":1})"));
    // On one line, and without what steers a terminal.
    auto const evil = on(400, "{\"error\":\"a\\nb\\u001b[31m\"}").message;
    CHECK(has(evil, "a\\nb?[31m"));
}

TEST_CASE("keys and models: the hint says where to look") {
    auto o = of(dialect::openai_chat);
    CHECK(has(on(401).hint, "OPENAI_API_KEY"));
    CHECK(has(on(401, "", {}, o, "").hint, "no key was sent"));
    CHECK(has(on(403).hint, "OPENAI_API_KEY"));
    CHECK(has(on(404).hint, "`m1`"));
    o.key_variable = "OTHER_KEY";
    CHECK(has(on(401, "", {}, o).hint, "OTHER_KEY"));
    o.key = [] { return std::string("x"); };
    CHECK(has(on(401, "", {}, o).hint, "http_options::key"));
    CHECK(has(on(401, "", {}, o, "").hint, "returned none"));
    auto elsewhere = of(dialect::openai_chat, "https://user:pass@llm.example.org:8443/v1?key=1");
    auto const e = on(401, "", {}, elsewhere, "");
    CHECK(has(e.message, "llm.example.org:8443 answered"));
    CHECK_FALSE(has(e.message, "pass"));
    CHECK(has(e.hint, "key_variable"));
    CHECK(has(on(404, "", {}, of(dialect::ollama)).hint, "ollama pull"));
}

TEST_CASE("no key is quoted, nor a part of one") {
    std::string const key = "zq3JmX81LpWv0TnB7s";
    auto const o = of(dialect::openai_chat);
    for (std::string const said : {"wrong key zq3JmX81LpWv0TnB7s given",
                                   "wrong key zq3JmX81... given",
                                   "wrong key ...pWv0TnB7s",
                                   "wrong key=zq3JmX81LpWv0TnB7s&a=b",
                                   "Bearer zq3JmX81LpWv0TnB7s",
                                   "xzq3JmX81LpWv0TnB7sx"}) {
        auto const message = on(401, said, {{"x-request-id", key}}, o, key).message;
        INFO(message);
        for (std::size_t at = 0; at + 8 <= key.size(); ++at)
            CHECK_FALSE(has(message, key.substr(at, 8)));
        CHECK(has(message, "[key left out]"));
    }
    // Those of others, which look like one.
    CHECK_FALSE(has(on(401, "Incorrect API key provided: sk-proj-abc***xyz9").message, "abc***"));
    // A key that begins where the quotation is cut.
    auto const far = on(400, std::string(295, 'a') + " " + key, {}, o, key).message;
    CHECK_FALSE(has(far, "zq3"));
    // A short one is a word of its own; the server's words stay.
    CHECK(has(on(404, "no model nonesuch", {}, o, "none").message, "nonesuch"));
    CHECK_FALSE(has(on(404, "key none", {}, o, "none").message, "none"));
    auto const moved = on(302, "", {{"location", "https://x.org/?key=" + key}}, o, key);
    CHECK_FALSE(has(moved.message, key));
}

TEST_CASE("money and quota are no matter of waiting") {
    for (
        auto const& [status, body] :
        {std::pair<int, std::string>{
             429,
             R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}})"},
         {429, R"({"error":{"message":"m","code":"billing_hard_limit_reached"}})"},
         {429,
          R"({"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"enforced_spend_limit_reached"}}})"},
         {400,
          R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}})"},
         {402, R"({"error":{"message":"Insufficient Balance","code":"invalid_request_error"}})"},
         {402, R"({"error":{"message":"This request requires more credits","code":402}})"}}) {
        auto const e = on(status, body, {{"retry-after", "5"}});
        CHECK_MESSAGE(e.kind == condition::exhausted, body);
        CHECK(e.code == "lkt.http.quota");
        CHECK_FALSE(e.retry_after.has_value());
    }
    // A limit by the minute is not money, even where its words say so.
    CHECK(
        on(429,
           R"({"error":{"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}})")
            .kind == condition::transient);
}

TEST_CASE("a conversation that is too long has a code of its own") {
    for (
        auto const& [status, body] :
        {std::pair<int, std::string>{
             400,
             R"({"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}})"},
         {400,
          R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})"},
         {400,
          R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}})"},
         {500, R"({"error":"the input length exceeds the context length"})"},
         {502, R"({"error":"Error code: 400 - request exceeds the available context size"})"}}) {
        auto const e = on(status, body);
        CHECK_MESSAGE(e.code == "lkt.http.context-length", body);
        CHECK(e.kind == condition::rejected);
    }
}

TEST_CASE("a server may forbid a retry, or ask for one") {
    CHECK(on(503, "", {{"x-should-retry", "false"}}).kind == condition::rejected);
    CHECK(on(429, "", {{"x-should-retry", "False"}}).kind == condition::exhausted);
    CHECK(on(409, "", {{"x-should-retry", "false"}}).kind == condition::rejected);
    CHECK(on(400, "", {{"x-should-retry", "true"}}).kind == condition::transient);
    CHECK(on(503, "", {{"x-should-retry", "maybe"}}).kind == condition::transient);
}

TEST_CASE("redirects are not followed, and say where they lead") {
    auto const e = on(308, "", {{"location", "https://new.example.org/v1/chat/completions"}});
    CHECK(has(e.message, "https://new.example.org/v1/chat/completions"));
    CHECK(has(e.hint, "base_url"));
}

TEST_CASE("how long to wait, in all forms") {
    std::string const date = "Sun, 22 Nov 2026 02:30:00 GMT";
    CHECK(waits(429, {{"retry-after", "7"}}) == 7000);
    CHECK(waits(503, {{"retry-after", "0.25"}}) == 250);
    CHECK(waits(529, {{"retry-after-ms", "150.5"}, {"retry-after", "7"}}) == 151);
    CHECK(waits(429, {{"date", date}, {"retry-after", "Sun, 22 Nov 2026 02:31:30 GMT"}}) == 90000);
    CHECK(waits(429, {{"date", date}, {"retry-after", "Sun, 22 Nov 2026 02:00:00 GMT"}}) == 0);
    CHECK(waits(429, {{"date", date}, {"retry-after", "Sunday, 22-Nov-26 02:30:05 GMT"}}) == 5000);
    CHECK(waits(429, {{"date", date}, {"retry-after", "Sun Nov 22 02:30:05 2026"}}) == 5000);
    CHECK(waits(429, {{"retry-after", "Thu, 01 Jan 1970 00:00:01 GMT"}}) == 0); // against now
    for (std::string const bad : {"",
                                  "soon",
                                  "-3",
                                  "nan",
                                  "inf",
                                  "1e999",
                                  "7 s",
                                  "99999999999999999 x",
                                  "Sun, 32 Nov 2026 02:30:00 GMT",
                                  "Sun, 22 Nov 2026 25:30:00 GMT"})
        CHECK_MESSAGE(waits(429, {{"retry-after", bad}}) == std::nullopt, bad);
    CHECK(waits(429, {{"retry-after", "999999999999999999999"}}) > 0); // as good as for ever
    CHECK(waits(400, {{"retry-after", "7"}}) == std::nullopt);
    CHECK(waits(429, {}) == std::nullopt);
}

TEST_CASE("how long to wait, where Google's error says it") {
    auto const body = [](std::string const& details) {
        return R"([{"error":{"code":429,"message":"You exceeded your current quota, please check )"
               R"(your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":)" +
               details + "}}]";
    };
    auto const retry_info = [&](std::string const& delay) {
        return body(R"([{"@type":"type.googleapis.com/google.rpc.Help","links":[]},)"
                    R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":)" +
                    delay + "}]");
    };
    auto const e = on(429, retry_info(R"("34s")"));
    CHECK(e.kind == condition::transient);
    CHECK(e.code == "lkt.http.rate-limit");
    CHECK(e.retry_after == milliseconds(34000));
    CHECK(on(503, retry_info(R"("0.250s")")).retry_after == milliseconds(250));
    CHECK(on(429, retry_info(R"("34s")"), {{"retry-after", "7"}}).retry_after ==
          milliseconds(7000));
    CHECK_FALSE(on(400, retry_info(R"("34s")")).retry_after.has_value());
    for (std::string const bad : {R"("soon")", R"("-3s")", R"("")", "34", "null", "{}"})
        CHECK_MESSAGE(!on(429, retry_info(bad)).retry_after.has_value(), bad);
    for (std::string const other : {"[]",
                                    "{}",
                                    R"(["x",null])",
                                    R"([{"retryDelay":"34s"}])",
                                    R"([{"@type":"google.rpc.Help","retryDelay":"34s"}])"})
        CHECK_MESSAGE(!on(429, body(other)).retry_after.has_value(), other);
}

TEST_CASE("how long to wait, where the text says it in a header's words") {
    auto const wait = [](std::string const& body) { return on(429, body).retry_after; };
    for (std::string const body : {R"({"error":{"message":"slow","retry_after":7}})",
                                   R"({"error":{"message":"slow","retry_after":7.0}})",
                                   R"({"error":{"message":"slow","retry_after":"7"}})",
                                   R"({"error":{"message":"slow","retryAfter":"7s"}})",
                                   R"({"error":{"message":"slow","retry_after_ms":7000}})",
                                   R"({"error":{"message":"slow"},"retry_after":7})",
                                   R"({"error":"slow","retry_after":7})",
                                   R"({"message":"slow","retry_after":7})",
                                   R"({"error":{"message":"slow","metadata":{"headers":)"
                                   R"({"Retry-After":"7"}}}})"})
        CHECK_MESSAGE(wait(body) == milliseconds(7000), body);
    CHECK(wait(R"({"error":{"message":"x","details":[{"@type":)"
               R"("type.googleapis.com/google.rpc.RetryInfo","retryDelay":{"seconds":"5"}}]}})") ==
          milliseconds(5000));
    // Dates are told apart from now.
    CHECK(wait(R"({"error":{"message":"x","retry_after":"Thu, 01 Jan 1970 00:00:01 GMT"}})") ==
          milliseconds(0));
    CHECK(wait(R"({"error":{"message":"x","retry_after":"Fri, 01 Jan 2100 00:00:00 GMT"}})") >
          milliseconds(1000));
    CHECK(wait(R"({"error":{"message":"x","retry_after":"2100-01-01T00:00:00Z"}})") >
          milliseconds(1000));
    CHECK(wait(R"({"error":{"message":"x","retry_after":1e300}})") > milliseconds(1000));
    for (std::string const bad : {"-1", "null", "true", "[7]", R"("soon")", R"("-7")", R"("")"})
        CHECK_MESSAGE(!wait(R"({"error":{"message":"x","retry_after":)" + bad + "}}"), bad);
    CHECK_FALSE(on(400, R"({"error":{"message":"slow","retry_after":7}})").retry_after);
}

TEST_CASE("the limits' own reset, where nothing else is said") {
    std::string const date = "Sun, 22 Nov 2026 02:30:00 GMT";
    CHECK(waits(429,
                {{"date", date}, {"anthropic-ratelimit-tokens-reset", "2026-11-22T02:30:12Z"}}) ==
          12000);
    CHECK(waits(429,
                {{"date", date},
                 {"anthropic-ratelimit-requests-reset", "2026-11-22T02:31:00Z"},
                 {"anthropic-ratelimit-requests-remaining", "40"},
                 {"anthropic-ratelimit-input-tokens-reset", "2026-11-22T03:30:20.5+01:00"},
                 {"anthropic-ratelimit-input-tokens-remaining", "0"}}) == 20500);
    CHECK(waits(429,
                {{"x-ratelimit-reset-requests", "20ms"},
                 {"x-ratelimit-reset-tokens", "1m30.5s"}}) == 90500);
    CHECK(waits(429,
                {{"x-ratelimit-remaining-requests", "0"},
                 {"x-ratelimit-reset-requests", "8.64s"},
                 {"x-ratelimit-remaining-tokens", "9000"},
                 {"x-ratelimit-reset-tokens", "6m0s"}}) == 8640);
    CHECK(waits(429, {{"x-ratelimit-reset-tokens", "1h2m"}}) == 3720000);
    CHECK(waits(429, {{"x-ratelimit-reset-tokens", "12"}}) == 12000);
    CHECK(waits(503, {{"x-ratelimit-reset-tokens", "12"}}) == std::nullopt);
    CHECK(waits(429, {{"retry-after", "3"}, {"x-ratelimit-reset-tokens", "12s"}}) == 3000);
    for (std::string const bad :
         {"1m30", "s", "m5", "5x", "-5s", "1e3s", ".", "2026-11-22", "2026-11-22T02:30:12", "T"})
        CHECK_MESSAGE(waits(429, {{"x-ratelimit-reset-tokens", bad}}) == std::nullopt, bad);
}

TEST_CASE("headers are found by their name in lower case") {
    wire_response const r{200, {{"content-type", " text/plain "}}, ""};
    CHECK(r.header("content-type") == "text/plain");
    CHECK_FALSE(r.header("content").has_value());
}
