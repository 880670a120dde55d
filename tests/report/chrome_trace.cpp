// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/chrome_trace.hpp>

#include <doctest/doctest.h>

#include "sample_traced.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <map>
#include <set>
#include <thread>

namespace {

namespace json = boost::json;

inline constexpr auto doze = [](traced::part&) -> void {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
};
struct dozing {
    static constexpr auto graph =
        lkt::graph<traced::part>(lkt::dsl::node<doze>(lkt::dsl::to(lkt::dsl::stop<traced::tuned>)));
};
struct twice {
    static constexpr auto first = lkt::dsl::fan_out_over<&traced::state::parts, 4>(dozing{});
    static constexpr auto second = lkt::dsl::fan_out_over<&traced::state::parts, 3>(dozing{});
    static constexpr auto graph = lkt::graph<traced::state>(
        lkt::dsl::node<first>(lkt::dsl::to(second)),
        lkt::dsl::node<second>(lkt::dsl::to(lkt::dsl::stop<traced::tuned>)));
};

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
{"ph":"E","args":{"outcome":"rejected","cached":true},"pid":1,"tid":0,"ts":2250000}
{"ph":"i","s":"t","name":"limit","args":{"path":"build","target":"each"},"pid":1,"tid":0,"ts":2500000}
{"ph":"B","name":"each","cat":"sample","args":{"path":"each","depth":0},"pid":1,"tid":0,"ts":2750000}
{"ph":"B","name":"parts","cat":"sample","args":{"path":"each/parts","depth":1,"branch":0},"pid":1,"tid":0,"ts":3000000}
{"ph":"B","name":"work","cat":"inner","args":{"path":"each/parts/work","depth":2,"branch":0},"pid":1,"tid":0,"ts":3250000}
{"ph":"E","args":{"outcome":""},"pid":1,"tid":0,"ts":3500000}
{"ph":"E","args":{"outcome":"tuned"},"pid":1,"tid":0,"ts":3750000}
{"ph":"B","name":"parts","cat":"sample","args":{"path":"each/parts","depth":1,"branch":1},"pid":1,"tid":0,"ts":4000000}
{"ph":"B","name":"work","cat":"inner","args":{"path":"each/parts/work","depth":2,"branch":1},"pid":1,"tid":0,"ts":4250000}
{"ph":"E","args":{"error":{"condition":"exhausted","code":"t.full","message":"no more"}},"pid":1,"tid":0,"ts":4500000}
{"ph":"E","args":{"error":{"condition":"exhausted","code":"t.full","message":"no more"}},"pid":1,"tid":0,"ts":4750000}
{"ph":"E","args":{"outcome":"some"},"pid":1,"tid":0,"ts":5000000}
{"ph":"i","s":"t","name":"asking the model","args":{"activity":"asking the model","done":0,"total":0,"step":"","attempt":0,"best_s":null,"model_calls":0,"model_requests":0,"input_tokens":0,"output_tokens":0,"last":""},"pid":1,"tid":0,"ts":5250000}
)~");
}

TEST_CASE("chrome_trace: each thread has a track of its own, used again when it was left") {
    traced::temporary file;
    {
        auto trace = lkt::chrome_trace::open(file.path);
        traced::state s;
        s.parts.resize(8);
        lkt::run<twice>(s, *trace);
    }
    std::map<std::int64_t, int> open;
    std::set<std::int64_t> tracks;
    int slices = 0;
    auto const events = json::parse(file.text()).as_array();
    for (auto const& event : events) {
        auto const tid = event.at("tid").as_int64();
        tracks.insert(tid);
        if (event.at("ph") == "B") {
            ++slices;
            ++open[tid];
        }
        if (event.at("ph") == "E") CHECK(--open[tid] >= 0);
    }
    CHECK(slices == 2 * (1 + 2 * 8));
    CHECK(tracks == std::set<std::int64_t>{0, 1, 2, 3});
    for (auto const& [tid, left] : open) CHECK(left == 0);
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
