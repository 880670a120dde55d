// SPDX-License-Identifier: BSL-1.0
// A fault, and how a call must end that meets it.
#pragma once

#include <lkt/llm/http.hpp>

#include <doctest/doctest.h>

#include "asking.hpp"
#include "fault_server.hpp"
#include "names.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace faults {

using namespace asking;
using lkt::condition;

/// Short, so that the tests are; long enough for a machine with other work.
inline constexpr lkt::seconds brief{0.3};

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

inline change whole() {
    return [](lkt::http_options& o, fault::server&) { o.stream = false; };
}
inline change limit(lkt::seconds lkt::http_timeouts::* which) {
    return [which](lkt::http_options& o, fault::server&) { o.timeouts.*which = brief; };
}
inline change at(std::string const& before_port, std::string const& after = {}) {
    return [=](lkt::http_options& o, fault::server& s) {
        o.base_url = before_port + s.port() + after;
    };
}

/// Reads the request, sends this and ends the connection.
inline fault::server::script says(std::string text) {
    return [text = std::move(text)](fault::peer& p) {
        if (p.read_request()) p.send(text);
    };
}
/// The same, and then the connection is reset.
inline fault::server::script says_and_resets(std::string text) {
    return [text = std::move(text)](fault::peer& p) {
        if (!p.read_request()) return;
        p.send(text);
        p.sleep(50ms); // what was sent arrives first
        p.reset();
    };
}
/// The same, and then nothing happens any more.
inline fault::server::script says_and_hangs(std::string text) {
    return [text = std::move(text)](fault::peer& p) {
        if (p.read_request()) p.send(text);
        p.wait_for_end();
    };
}

inline void ends_as_it_should(injected const& one) {
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
    CHECK(took < slowness * 3s);
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

inline void all_end_as_they_should(std::vector<injected> const& all) {
    CHECK(all.size() > 4);
    for (auto const& one : all) ends_as_it_should(one);
}

} // namespace faults
