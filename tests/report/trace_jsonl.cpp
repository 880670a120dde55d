// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/trace_jsonl.hpp>

#include <doctest/doctest.h>

#include "sample_traced.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace json = boost::json;

std::vector<json::object> lines_of(std::string const& text) {
    std::vector<json::object> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.push_back(json::parse(line).as_object());
    return all;
}

} // namespace

TEST_CASE("trace_jsonl: each event is an object on a line of its own") {
    traced::temporary file;
    {
        auto trace = lkt::trace_jsonl::open(file.path, traced::quarters{});
        REQUIRE(trace.has_value());
        traced::state s;
        traced::no_wait waiter;
        REQUIRE(lkt::run<traced::sample>(s, *trace, waiter).has_value());
        lkt::progress_event e;
        e.what = lkt::activity::asking_model;
        e.step = "unroll";
        (*trace)(e);
        CHECK_FALSE(trace->trouble());
    }
    auto lines = lines_of(file.text());
    REQUIRE(lines.size() > 2);
    CHECK(lines[0].at("event") == "begin");
    CHECK(lines[0].at("lkt_trace") == 1);
    std::string all;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        CHECK(lines[i].at("t_us") == 250'000 * (i + 1)); // the clock was looked at twice before
        lines[i].stable_erase(lines[i].find("t_us"));
        all += json::serialize(lines[i]) + "\n";
    }
    CHECK(all == R"~({"event":"enter","path":"ask","graph":"sample","depth":0}
{"event":"retry","path":"ask","graph":"sample","depth":0,"attempt":1,"delay_ms":5,"error":{"condition":"transient","code":"t.slow","message":"say \"hi\"\n"}}
{"event":"exit","path":"ask","graph":"sample","depth":0,"outcome":""}
{"event":"transition","path":"ask","graph":"sample","depth":0,"edge":"outcome","label":"","target":"build","stops":false}
{"event":"enter","path":"build","graph":"sample","depth":0}
{"event":"exit","path":"build","graph":"sample","depth":0,"outcome":"rejected"}
{"event":"transition","path":"build","graph":"sample","depth":0,"edge":"outcome","label":"rejected","target":"build","stops":false}
{"event":"enter","path":"build","graph":"sample","depth":0}
{"event":"exit","path":"build","graph":"sample","depth":0,"outcome":"rejected"}
{"event":"transition","path":"build","graph":"sample","depth":0,"edge":"outcome","label":"rejected","target":"build","stops":false}
{"event":"transition","path":"build","graph":"sample","depth":0,"edge":"limit","label":"limit","target":"tune","stops":false}
{"event":"enter","path":"tune","graph":"sample","depth":0}
{"event":"enter","path":"tune/work","graph":"inner","depth":1}
{"event":"exit","path":"tune/work","graph":"inner","depth":1,"outcome":""}
{"event":"transition","path":"tune/work","graph":"inner","depth":1,"edge":"outcome","label":"","target":"work","stops":false}
{"event":"enter","path":"tune/work","graph":"inner","depth":1}
{"event":"exit","path":"tune/work","graph":"inner","depth":1,"error":{"condition":"exhausted","code":"t.full","message":"no more"}}
{"event":"exit","path":"tune","graph":"sample","depth":0,"error":{"condition":"exhausted","code":"t.full","message":"no more"}}
{"event":"transition","path":"tune","graph":"sample","depth":0,"edge":"error","label":"exhausted","target":"gave_up","stops":true}
{"event":"progress","activity":"asking the model","done":0,"total":0,"step":"unroll","attempt":0,"best_s":null,"model_calls":0,"model_requests":0,"input_tokens":0,"output_tokens":0,"last":""}
)~");
}

TEST_CASE("trace_jsonl: what cannot be written is said at once, or ends no run") {
    auto const nowhere = lkt::trace_jsonl::open("/nowhere/run.jsonl");
    REQUIRE_FALSE(nowhere.has_value());
    CHECK(nowhere.error().code == "lkt.file.write");
    CHECK(nowhere.error().message.find("/nowhere/run.jsonl") != std::string::npos);
    auto full = lkt::trace_jsonl::open("/dev/full");
    REQUIRE(full.has_value());
    traced::state s;
    traced::no_wait waiter;
    CHECK(lkt::run<traced::sample>(s, *full, waiter).has_value());
    REQUIRE(full->trouble());
    CHECK(full->trouble()->code == "lkt.file.full");
}

TEST_CASE("trace_jsonl: the trace of a run that was killed is there up to then") {
    traced::temporary file;
    auto const child = ::fork();
    if (child == 0) {
        auto trace = lkt::trace_jsonl::open(file.path);
        struct killer {
            void on_exit(lkt::node_event const& e, lkt::node_exit const&) {
                if (e.node == "build") ::kill(::getpid(), SIGKILL);
            }
        } kill;
        traced::state s;
        traced::no_wait waiter;
        (void)lkt::run<traced::sample>(s, *trace, kill, waiter);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    auto const lines = lines_of(file.text());
    REQUIRE_FALSE(lines.empty());
    CHECK(lines.back().at("event") == "exit");
    CHECK(lines.back().at("path") == "build");
}

TEST_CASE("trace_jsonl: another session adds its events behind the last whole one") {
    traced::temporary file;
    lkt::progress_event e;
    {
        auto first = lkt::trace_jsonl::open(file.path);
        (*first)(e);
    }
    auto const before = file.text();
    {
        auto nothing = lkt::trace_jsonl::open(file.path, {}, true);
    }
    CHECK(file.text() == before);
    std::ofstream(file.path, std::ios::app) << R"({"event":"prog)"; // killed
    {
        auto second = lkt::trace_jsonl::open(file.path, {}, true);
        (*second)(e);
    }
    CHECK(file.text().starts_with(before));
    auto const lines = lines_of(file.text());
    REQUIRE(lines.size() == 4);
    CHECK(lines[2].at("event") == "begin");
}
