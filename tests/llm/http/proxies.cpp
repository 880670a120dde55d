// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/http/detail/proxy.hpp>

#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include "asking.hpp"
#include "certificates.hpp"
#include "fault_server.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>

using namespace asking;
namespace http = lkt::detail::http;

namespace {

/// The environment as far as proxies go, as it was afterwards.
class environment {
public:
    explicit environment(std::map<std::string, std::string> const& now) {
        for (std::string const name : {"http_proxy",
                                       "HTTP_PROXY",
                                       "https_proxy",
                                       "HTTPS_PROXY",
                                       "all_proxy",
                                       "ALL_PROXY",
                                       "no_proxy",
                                       "NO_PROXY",
                                       "REQUEST_METHOD"}) {
            char const* const value = std::getenv(name.c_str());
            before_[name] = value ? std::optional<std::string>(value) : std::nullopt;
            ::unsetenv(name.c_str());
        }
        for (auto const& [name, value] : now) ::setenv(name.c_str(), value.c_str(), 1);
    }
    ~environment() {
        for (auto const& [name, value] : before_)
            value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }
    environment(environment const&) = delete;
    environment& operator=(environment const&) = delete;

private:
    std::map<std::string, std::optional<std::string>> before_;
};

/// `HOST:PORT` of the proxy to a server, or nothing, or the error's code.
std::string chosen(std::string const& url, std::string const& option = {}) {
    auto const by = http::choose_proxy(http::parse_address(url).value(), option);
    if (!by) return by.error().code;
    return *by ? (*by)->host + ":" + (*by)->port : "";
}

} // namespace

TEST_CASE("a proxy's address") {
    auto const p = http::parse_proxy("http://me:p%40ss@Proxy.test:3128/").value();
    CHECK(p.host == "Proxy.test");
    CHECK(p.port == "3128");
    CHECK(p.authorization == "Basic bWU6cEBzcw==");
    CHECK(http::parse_proxy("proxy.test:8080").value().port == "8080");
    CHECK(http::parse_proxy("http://[::1]:8080").value().host == "::1");
    for (std::string const bad : {"socks5://proxy:1080",
                                  "https://proxy:443",
                                  "http://",
                                  "http://p:0",
                                  "http://p:99999",
                                  "http://se cret@p",
                                  "http://secret\r\n:x@p"}) {
        CAPTURE(bad);
        auto const e = http::parse_proxy(bad);
        REQUIRE_FALSE(e.has_value());
        CHECK(e.error().code == "lkt.http.proxy");
        CHECK(e.error().message.find("cret") == std::string::npos);
    }
}

TEST_CASE("who is exempt from a proxy") {
    struct entry {
        char const *list, *host, *port;
        bool exempt;
    };
    for (auto const& [list, host, port, exempt] : {
             entry{"*", "a.test", "443", true},
             {"a.test", "a.test", "443", true},
             {"A.Test", "a.test", "443", true},
             {"a.test", "b.a.test", "443", true},
             {".a.test", "b.a.test", "443", true},
             {"*.a.test", "b.a.test", "443", true},
             {"a.test", "ba.test", "443", false},
             {"b.a.test", "a.test", "443", false},
             {"x.test, a.test", "a.test", "443", true},
             {"x.test a.test", "a.test", "443", true},
             {"a.test:8080", "a.test", "8080", true},
             {"a.test:8080", "a.test", "443", false},
             {"10.0.0.0/8", "10.1.2.3", "80", true},
             {"10.0.0.0/8", "11.1.2.3", "80", false},
             {"10.0.0.0/8", "a.test", "80", false},
             {"fd00::/8", "fd12::1", "80", true},
             {"fd00::/8", "fe80::1", "80", false},
             {"10.0.0.0/99", "10.1.2.3", "80", false},
             {"::1", "::1", "80", true},
             {"[::1]:81", "::1", "80", false},
             {"[::1", "::1", "80", false},
             {"", "a.test", "80", false},
             {",, ,.", "a.test", "80", false},
         }) {
        CAPTURE(list);
        CAPTURE(host);
        CHECK(http::is_exempt(list, host, port) == exempt);
    }
}

TEST_CASE("the environment names proxies") {
    environment const now({{"HTTPS_PROXY", "http://s:1"},
                           {"HTTP_PROXY", "http://p:2"},
                           {"ALL_PROXY", "http://a:3"},
                           {"NO_PROXY", "free.test"}});
    CHECK(chosen("https://x.test") == "s:1");
    CHECK(chosen("http://x.test") == "p:2");
    CHECK(chosen("https://free.test") == "");
    CHECK(chosen("http://127.0.0.1:8080") == "");
    CHECK(chosen("http://[::1]") == "");
    CHECK(chosen("http://localhost:8080") == "");
    CHECK(chosen("https://x.test", "http://own:4") == "own:4");
    CHECK(chosen("https://free.test", "http://own:4") == "own:4");
    CHECK(chosen("https://x.test", "none") == "");
    CHECK(chosen("https://x.test", "ftp://x") == "lkt.http.proxy");
    ::setenv("https_proxy", "http://lower:5", 1);
    CHECK(chosen("https://x.test") == "lower:5");
    // A client of a CGI program must not choose its proxy by a header.
    ::setenv("REQUEST_METHOD", "POST", 1);
    CHECK(chosen("http://x.test") == "a:3");
}

TEST_CASE("nothing in the environment: no proxy") {
    environment const now({});
    CHECK(chosen("https://x.test") == "");
}

TEST_CASE("a tunnel through a proxy, with TLS to the server at its end") {
    fault::certificate const certificate({.subject = "DNS:far.test"});
    auto const tls = certificate.context();
    std::mutex mutex;
    std::string asked, request;
    fault::server proxy([&](fault::peer& p) {
        if (!p.read_head()) return;
        {
            std::lock_guard const lock(mutex);
            asked = p.head;
        }
        p.send("HTTP/1.1 200 Connection established\r\n\r\n");
        p.start_tls(SSL_new(tls.get()));
        fault::answer_well(p);
        std::lock_guard const lock(mutex);
        request = p.head;
    });
    {
        auto o = options("https://far.test/v1");
        o.proxy = "http://me:secret@127.0.0.1:" + proxy.port();
        o.verify_tls = false;
        lkt::http_model model(o);
        for (int i = 0; i < 2; ++i) {
            auto const reply = model.complete(question(), {});
            REQUIRE(reply.has_value());
            CHECK(reply->text == "hello");
            std::this_thread::sleep_for(5ms);
        }
        CHECK(proxy.connections() == 1);
    }
    CHECK(soon([&] { return proxy.open() == 0; }));
    std::lock_guard const lock(mutex);
    CHECK(asked.starts_with("CONNECT far.test:443 HTTP/1.1\r\nHost: far.test:443\r\n"));
    CHECK(asked.find("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n") != std::string::npos);
    CHECK(asked.find("sk-a-key") == std::string::npos);
    CHECK(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\nHost: far.test\r\n"));
    CHECK(request.find("Proxy-Authorization") == std::string::npos);
}

TEST_CASE("a certificate is looked at through a proxy, too") {
    fault::certificate const certificate({.subject = "DNS:far.test"});
    auto const tls = certificate.context();
    fault::server proxy([&](fault::peer& p) {
        if (!p.read_head()) return;
        p.send("HTTP/1.1 200 OK\r\n\r\n");
        p.start_tls(SSL_new(tls.get()));
        fault::answer_well(p);
    });
    auto o = options("https://far.test/v1");
    o.proxy = proxy.url();
    lkt::http_model model(o);
    auto const reply = model.complete(question(), {});
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().code == "lkt.http.certificate");
}

TEST_CASE("a server without TLS is asked for in the request line") {
    std::mutex mutex;
    std::string head;
    fault::server proxy([&](fault::peer& p) {
        if (!p.read_request()) return;
        {
            std::lock_guard const lock(mutex);
            head = p.head;
        }
        p.send(fault::answer(200, fault::completion("via")));
    });
    auto o = options("http://far.test:81/v1");
    o.proxy = "http://me:secret@127.0.0.1:" + proxy.port();
    lkt::http_model model(o);
    auto const reply = model.complete(question(), {});
    REQUIRE(reply.has_value());
    CHECK(reply->text == "via");
    std::lock_guard const lock(mutex);
    CHECK(head.starts_with("POST http://far.test:81/v1/chat/completions HTTP/1.1\r\n"
                           "Host: far.test:81\r\n"));
    CHECK(head.find("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n") != std::string::npos);
}
