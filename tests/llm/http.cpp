// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"
#include "http/asking.hpp"
#include "http/fault_server.hpp"

#include <lkt/llm/any_chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <cstdlib>
#include <mutex>
#include <string>

using namespace asking;

static_assert(lkt::batch_chat_model<lkt::http_model>);

TEST_CASE("a model behind HTTP obeys the laws") {
    fault::server s(fault::answer_well);
    for (bool const stream : {false, true}) {
        auto o = options(s);
        o.stream = stream;
        lkt::http_model model(o);
        obeys_the_laws(model);
        lkt::any_chat_model erased = model;
        obeys_the_laws(erased);
    }
}

TEST_CASE("what cannot be used says so when it is made, and when it is asked") {
    struct wrong {
        std::string code;
        void (*change)(lkt::http_options&);
    };
    for (auto const& [code, change] : {
             wrong{"lkt.http.address", [](lkt::http_options& o) { o.base_url = "nonsense"; }},
             {"lkt.http.proxy", [](lkt::http_options& o) { o.proxy = "socks5://x"; }},
             {"lkt.http.header", [](lkt::http_options& o) { o.headers = {{"X", "a\r\nHost: b"}}; }},
             {"lkt.http.ca-file", [](lkt::http_options& o) { o.ca_file = "/no/such/file"; }},
             {"lkt.http.ca-file", [](lkt::http_options& o) { o.ca_file = "/dev/null"; }},
             {"lkt.http.request", [](lkt::http_options& o) { o.body = "[1]"; }},
         }) {
        CAPTURE(code);
        auto o = options("https://127.0.0.1:1");
        change(o);
        lkt::http_model model(o);
        REQUIRE(model.defect().has_value());
        CHECK(model.defect()->code == code);
        CHECK(model.complete(question(), {}).error().code == code);
        CHECK(model.complete_all(std::vector(3, question()), {}).size() == 3);
        CHECK(model.counters().calls == 0);
        CHECK(lkt::describe(model).starts_with("tiny"));
    }
}

TEST_CASE("what a report says of it") {
    auto o = options("https://Example.test:8443/v1?key=sekret");
    lkt::http_model const model(o);
    CHECK(lkt::describe(model) == "tiny at example.test:8443");
    CHECK(model.options().model == "tiny");
    CHECK_FALSE(model.defect().has_value());
}

TEST_CASE("a key goes into the request's head and nowhere else") {
    std::mutex mutex;
    std::string head, body;
    fault::server s([&](fault::peer& p) {
        while (p.read_request()) {
            {
                std::lock_guard const lock(mutex);
                head = p.head;
                body = p.body;
            }
            p.send(fault::answer(
                401, R"({"error":{"message":"Incorrect key sk-a-key-that-nobody-sees"}})"));
        }
    });
    auto o = options(s);
    int asked = 0;
    o.key = [&asked] {
        ++asked;
        return std::string("  sk-a-key-that-nobody-sees\r\n");
    };
    lkt::http_model model(o);
    CHECK(asked == 0);
    auto const refused = model.complete(question(), {});
    CHECK(asked == 1);
    CHECK(to_string(refused.error()).find("nobody-sees") == std::string::npos);
    {
        std::lock_guard const lock(mutex);
        CHECK(head.find(": Bearer sk-a-key-that-nobody-sees\r\n") != std::string::npos);
        CHECK(body.find("nobody-sees") == std::string::npos);
    }
    o.key = [] { return std::string("sk-a-key\r\nX-Injected: 1"); };
    int const before = s.connections();
    auto const injected = lkt::http_model(o).complete(question(), {});
    CHECK(injected.error().kind == lkt::condition::rejected);
    CHECK(to_string(injected.error()).find("sk-a-key") == std::string::npos);
    CHECK(s.connections() == before);

    ::setenv("LKT_TEST_KEY", "sk-from-the-environment", 1);
    o.key = nullptr;
    o.key_variable = "LKT_TEST_KEY";
    (void)lkt::http_model(o).complete(question(), {});
    ::unsetenv("LKT_TEST_KEY");
    std::lock_guard const lock(mutex);
    CHECK(head.find("Bearer sk-from-the-environment\r\n") != std::string::npos);
}
