// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/http/detail/address.hpp>
#include <lkt/llm/http/detail/dialer.hpp>
#include <lkt/llm/http/detail/request_text.hpp>

#include <doctest/doctest.h>

#include <string>

namespace http = lkt::detail::http;

TEST_CASE("the parts of a base URL") {
    auto const a = http::parse_address("https://API.Example.test/v1/").value();
    CHECK(a.tls);
    CHECK(a.host == "api.example.test");
    CHECK(a.port == "443");
    CHECK(a.authority() == "api.example.test");
    CHECK(a.endpoint() == "api.example.test:443");
    CHECK(a.target("/chat/completions") == "/v1/chat/completions");

    auto const b = http::parse_address("http://[::1]:8080/a%20b?api-version=2024&x=%2F").value();
    CHECK_FALSE(b.tls);
    CHECK(b.host == "::1");
    CHECK(b.authority() == "[::1]:8080");
    CHECK(b.target("/c") == "/a%20b/c?api-version=2024&x=%2F");

    CHECK(http::parse_address("http://h:80").value().authority() == "h");
    CHECK(http::parse_address("https://h:80").value().authority() == "h:80");
    CHECK(http::parse_address("http://h:").value().port == "80");
    CHECK(http::parse_address("http://h").value().target("") == "/");
    CHECK(http::parse_address("http://my_server.local:1").value().host == "my_server.local");
}

TEST_CASE("what is no base URL is refused, without being quoted") {
    for (std::string const& bad : {std::string(),
                                   std::string("sekret.test/v1"),
                                   std::string("localhost:8080"),
                                   std::string("ftp://sekret"),
                                   std::string("https://"),
                                   std::string("https:///v1"),
                                   std::string("http://user:sekret@host"),
                                   std::string("http://host/#sekret"),
                                   std::string("http://host:0"),
                                   std::string("http://host:65536"),
                                   std::string("http://host:99999999999999999999"),
                                   std::string("http://host:x"),
                                   std::string("http://ho st/sekret"),
                                   std::string("http://host/a b"),
                                   std::string("http://host/\r\nX-Sekret: 1"),
                                   std::string("http://ho%0d%0ast/"),
                                   std::string("http://ho%3ast/"),
                                   std::string("http://h\xc3\xb6st/"),
                                   std::string("http://h%C3%B6st/"),
                                   std::string("http://[::1/"),
                                   std::string("http://[::g]/"),
                                   std::string("http://host\0sekret", 18)}) {
        CAPTURE(bad);
        auto const e = http::parse_address(bad);
        REQUIRE_FALSE(e.has_value());
        CHECK(e.error().code == "lkt.http.address");
        CHECK(e.error().kind == lkt::condition::rejected);
        CHECK(to_string(e.error()).find("ekret") == std::string::npos);
    }
}

TEST_CASE("loopback") {
    for (char const* const here : {"localhost", "a.localhost", "127.0.0.1", "127.3.4.5", "::1"})
        CHECK(http::is_loopback(here));
    for (char const* const there : {"localhost.test", "128.0.0.1", "::2", "", "example.test"})
        CHECK_FALSE(http::is_loopback(there));
}

TEST_CASE("headers that cannot be sent") {
    CHECK_FALSE(http::header_defect({{"X-Title", "a \t\xc3\xb6"}}).has_value());
    for (auto const& [name, value] : http::header_list{{"", "x"},
                                                       {"X Y", "x"},
                                                       {"X:", "x"},
                                                       {"X\r\nY", "x"},
                                                       {"X", "sekret\r\nHost: elsewhere"},
                                                       {"X", "sekret\n"},
                                                       {"X", std::string("sekret\0", 7)},
                                                       {"Host", "sekret"},
                                                       {"CONTENT-LENGTH", "1"},
                                                       {"Transfer-Encoding", "chunked"},
                                                       {"Accept-Encoding", "gzip"}}) {
        CAPTURE(name);
        auto const e = http::header_defect({{name, value}});
        REQUIRE(e.has_value());
        CHECK(e->code == "lkt.http.header");
        CHECK(to_string(*e).find("sekret") == std::string::npos);
    }
}

TEST_CASE("a request's text") {
    http::route way{.server = http::parse_address("http://h:81/v1").value()};
    http::wire_request const r{"/x", {{"A", "b"}}, "{}"};
    auto const text = http::request_text(way, r).value();
    CHECK(text.starts_with("POST /v1/x HTTP/1.1\r\nHost: h:81\r\nA: b\r\nUser-Agent: lkt/"));
    CHECK(text.ends_with("\r\nContent-Length: 2\r\n\r\n{}"));
    auto const named = http::request_text(way, {"/x", {{"user-agent", "me"}}, ""}).value();
    CHECK(named.find("lkt/") == std::string::npos);
}

TEST_CASE("the families take turns, the first one's first") {
    auto const at = [](char const* ip) {
        return http::tcp::endpoint(boost::asio::ip::make_address(ip), 80);
    };
    auto const mixed =
        http::interleaved({at("::1"), at("::2"), at("::3"), at("1.1.1.1"), at("2.2.2.2")});
    CHECK(mixed == std::vector{at("::1"), at("1.1.1.1"), at("::2"), at("2.2.2.2"), at("::3")});
    CHECK(http::interleaved({at("1.1.1.1")}) == std::vector{at("1.1.1.1")});
    CHECK(http::interleaved({}).empty());
}
