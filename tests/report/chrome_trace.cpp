// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/chrome_trace.hpp>

#include <doctest/doctest.h>

#include "sample_traced.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fstream>

namespace {

namespace json = boost::json;

} // namespace

TEST_CASE("chrome_trace: visits are slices; retries, limits and progress are marks") {
    traced::temporary file;
    {
        auto trace = lkt::chrome_trace::open(file.path, traced::quarters{});
        REQUIRE(trace.has_value());
        traced::state s;
        traced::no_wait waiter;
        REQUIRE(lkt::run<traced::sample>(s, *trace, waiter).has_value());
        lkt::progress_event e;
        e.what = lkt::activity::asking_model;
        (*trace)(e);
        CHECK_FALSE(trace->trouble());
    }
    std::string all;
    auto const events = json::parse(file.text()).as_array();
    for (auto const& event : events) all += json::serialize(event) + "\n";
    CHECK(all ==
          R"~({"ph":"M","name":"process_name","args":{"name":"lkt"},"pid":1,"tid":0,"ts":250000}
{"ph":"M","name":"thread_name","args":{"name":"run"},"pid":1,"tid":0,"ts":500000}
{"ph":"B","name":"ask","cat":"sample","args":{"path":"ask","depth":0},"pid":1,"tid":0,"ts":750000}
{"ph":"i","s":"t","name":"retry","args":{"attempt":1,"delay_ms":5,"error":{"condition":"transient","code":"t.slow","message":"say \"hi\"\n"}},"pid":1,"tid":0,"ts":1000000}
{"ph":"E","args":{"outcome":""},"pid":1,"tid":0,"ts":1250000}
{"ph":"B","name":"build","cat":"sample","args":{"path":"build","depth":0},"pid":1,"tid":0,"ts":1500000}
{"ph":"E","args":{"outcome":"rejected"},"pid":1,"tid":0,"ts":1750000}
{"ph":"B","name":"build","cat":"sample","args":{"path":"build","depth":0},"pid":1,"tid":0,"ts":2000000}
{"ph":"E","args":{"outcome":"rejected"},"pid":1,"tid":0,"ts":2250000}
{"ph":"i","s":"t","name":"limit","args":{"path":"build","target":"tune"},"pid":1,"tid":0,"ts":2500000}
{"ph":"B","name":"tune","cat":"sample","args":{"path":"tune","depth":0},"pid":1,"tid":0,"ts":2750000}
{"ph":"B","name":"work","cat":"inner","args":{"path":"tune/work","depth":1},"pid":1,"tid":0,"ts":3000000}
{"ph":"E","args":{"outcome":""},"pid":1,"tid":0,"ts":3250000}
{"ph":"B","name":"work","cat":"inner","args":{"path":"tune/work","depth":1},"pid":1,"tid":0,"ts":3500000}
{"ph":"E","args":{"error":{"condition":"exhausted","code":"t.full","message":"no more"}},"pid":1,"tid":0,"ts":3750000}
{"ph":"E","args":{"error":{"condition":"exhausted","code":"t.full","message":"no more"}},"pid":1,"tid":0,"ts":4000000}
{"ph":"i","s":"t","name":"asking the model","args":{"activity":"asking the model","done":0,"total":0,"step":"","attempt":0,"best_s":null,"model_calls":0,"model_requests":0,"input_tokens":0,"output_tokens":0,"last":""},"pid":1,"tid":0,"ts":4250000}
)~");
}

TEST_CASE("chrome_trace: a trace without its end is read all the same") {
    traced::temporary file;
    auto trace = lkt::chrome_trace::open(file.path);
    REQUIRE(trace.has_value());
    traced::state s;
    traced::no_wait waiter;
    REQUIRE(lkt::run<traced::sample>(s, *trace, waiter).has_value());
    auto const events = json::parse(file.text() + "]").as_array(); // the format lets it be absent
    CHECK(events.size() > 10);
}

TEST_CASE("chrome_trace: what cannot be written is said at once, or ends no run") {
    CHECK(lkt::chrome_trace::open("/nowhere/run.json").error().code == "lkt.file.write");
    auto full = lkt::chrome_trace::open("/dev/full");
    REQUIRE(full.has_value());
    traced::state s;
    traced::no_wait waiter;
    CHECK(lkt::run<traced::sample>(s, *full, waiter).has_value());
    CHECK(full->trouble().value().code == "lkt.file.full");
}

TEST_CASE("chrome_trace: another session adds its events as another process") {
    traced::temporary file;
    lkt::progress_event e;
    {
        auto first = lkt::chrome_trace::open(file.path);
        (*first)(e);
    }
    auto const before = file.text();
    {
        auto nothing = lkt::chrome_trace::open(file.path, {}, true);
    }
    CHECK(file.text() == before);
    for (bool killed : {false, true}) {
        if (killed) {
            auto text = file.text();
            std::ofstream(file.path) << text.substr(0, text.rfind('}') - 5);
        }
        auto next = lkt::chrome_trace::open(file.path, {}, true);
        (*next)(e);
    }
    auto const all = boost::json::parse(file.text()).as_array();
    // Two of the first session with its mark, of each other one as many; one was torn.
    CHECK(all.size() == 8);
    CHECK(all.front().at("pid") == 1);
    CHECK(all.back().at("pid") == 3);
}
