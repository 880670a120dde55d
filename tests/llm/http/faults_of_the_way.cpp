// SPDX-License-Identifier: BSL-1.0
// What goes wrong on the way to a server, or takes too long.
#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include "../scratch.hpp"
#include "certificates.hpp"
#include "injected.hpp"

#include <string>
#include <vector>

using namespace faults;

namespace {

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
         16 << 20},
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

} // namespace

TEST_CASE("faults: what takes too long") { all_end_as_they_should(delays()); }
TEST_CASE("faults: names, addresses and proxies") { all_end_as_they_should(addresses()); }

TEST_CASE("faults: certificates and TLS") {
    scratch_folder const folder;
    all_end_as_they_should(certificates(folder));
}
