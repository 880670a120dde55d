// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/run_scan.hpp>

#include <doctest/doctest.h>

#include <lkt/scan/simulated_engine.hpp>
#include <lkt/store/journal_memory.hpp>

namespace {

/// The simulated engine, counted; some products fail, and one call asks to stop.
struct counted {
    lkt::simulated_engine inside{};
    std::vector<std::int64_t> seen{};
    std::int64_t broken = 0;
    std::int64_t last = 0;
    std::stop_source stop{};

    lkt::scan_setup as{"a device", "a=1"};

    std::string_view name() const { return "counted"; }
    lkt::result<lkt::scan_setup> setup(lkt::call_context const&) const { return as; }
    std::string refuses(lkt::scan_spec const& s) const { return s.gemm()->m() == 3 ? "not 3" : ""; }
    lkt::result<lkt::scanned_product> measure(lkt::scan_spec const& s, lkt::call_context const& c) {
        seen.push_back(s.gemm()->m());
        auto found = measured(s, c);
        if (found) found->device = as.device;
        return found;
    }
    lkt::result<lkt::scanned_product> measured(lkt::scan_spec const& s,
                                               lkt::call_context const& c) {
        if (s.gemm()->m() == last) stop.request_stop();
        if (s.gemm()->m() == broken)
            return lkt::error{lkt::condition::transient, "t.broken", "it broke", {}};
        return inside.measure(s, c);
    }
};

lkt::spec_scan scan() {
    return lkt::spec_scan::over(
               {{"M", {{1, 2, 3, 4, 5}, {}}}, {"N", {{64}, {}}}, {"K", {{64}, {}}}},
               {lkt::gemm_draft{.type = lkt::gemm_type::f16}})
        .value();
}

} // namespace

TEST_CASE("run_scan: goes on after a failure, and from where it was killed; nothing is repeated") {
    lkt::journal_memory file;
    counted first;
    first.broken = 2;
    {
        auto log = lkt::scan_log<lkt::journal_memory>::open(file);
        std::vector<std::size_t> done;
        lkt::scan_run_options options;
        options.on_progress = [&](lkt::scan_progress const& p) { done.push_back(p.done); };
        auto const out = lkt::run_scan(scan(), first, *log, options);
        REQUIRE(out.has_value());
        CHECK(out->measured == 3);
        CHECK(out->failed == 1);
        CHECK(out->refused == 1);
        CHECK(out->usable == 3);
        CHECK(out->wrong == 0);
        CHECK(done == std::vector<std::size_t>{1, 2, 3, 4, 5});
        CHECK(best_of(log->table()).size() == 3);
    }
    auto const whole = file.bytes;
    // Killed while the last product was written.
    file.bytes.resize(whole.size() - 200);
    counted second;
    auto log = lkt::scan_log<lkt::journal_memory>::open(file);
    auto const out = lkt::run_scan(scan(), second, *log);
    CHECK(second.seen == std::vector<std::int64_t>{5});
    CHECK(out->resumed == 4);
    CHECK(out->usable == 3);
    CHECK(lkt::read_json_lines(file.bytes)->table.size() ==
          lkt::read_json_lines(whole)->table.size());
}

TEST_CASE("run_scan: what is of another device or of other settings is not taken over") {
    lkt::journal_memory file;
    auto const run = [&](lkt::scan_setup setup) {
        auto log = lkt::scan_log<lkt::journal_memory>::open(file);
        REQUIRE(log.has_value());
        counted engine;
        engine.as = std::move(setup);
        auto const out = lkt::run_scan(scan(), engine, *log);
        REQUIRE(out.has_value());
        return std::pair(*out, best_of(log->table()).size());
    };
    CHECK(run({"a", "s=1"}).first.measured == 4);
    auto const other_settings = run({"a", "s=2"});
    CHECK(other_settings.first.resumed == 0);
    CHECK(other_settings.first.again == 5); // the refused one, too
    CHECK(other_settings.second == 8);      // both are there, each with its best
    CHECK(run({"b", "s=1"}).first.measured == 4);
    for (lkt::scan_setup const& known : {lkt::scan_setup{"a", "s=1"}, {"a", "s=2"}, {"b", "s=1"}}) {
        CHECK(run(known).first.resumed == 5);
        CHECK(run(known).first.again == 0);
    }
    // A file that knows no settings, as older ones do.
    for (auto at = file.bytes.find("\"settings\":"); at != file.bytes.npos;
         at = file.bytes.find("\"settings\":"))
        file.bytes.erase(at, file.bytes.find("\"status\"", at) - at);
    CHECK(run({"a", "s=1"}).first.again == 5);
}

TEST_CASE("run_scan: an engine that does not know its setup measures nothing") {
    struct closed : counted {
        lkt::result<lkt::scan_setup> setup(lkt::call_context const&) const {
            return lkt::error{lkt::condition::unavailable, "t.closed", "it is closed", {}};
        }
    } engine;
    lkt::journal_memory file;
    auto log = lkt::scan_log<lkt::journal_memory>::open(file);
    CHECK(lkt::run_scan(scan(), engine, *log).error().code == "t.closed");
    CHECK(engine.seen.empty());
    CHECK(file.bytes.empty());
}

TEST_CASE("run_scan: a product whose instances are all wrong has no result, then and later") {
    struct wrong : counted {
        lkt::result<lkt::scanned_product> measure(lkt::scan_spec const& s,
                                                  lkt::call_context const& c) {
            auto found = counted::measure(s, c);
            for (auto& one : found->instances)
                if (s.gemm()->m() == 5 || one.name.starts_with("tile 256"))
                    one.verdict = lkt::scan_verdict::wrong;
            return found;
        }
    } engine;
    lkt::journal_memory file;
    for (bool const again : {false, true}) {
        auto log = lkt::scan_log<lkt::journal_memory>::open(file);
        auto const out = lkt::run_scan(scan(), engine, *log);
        CHECK(out->measured == (again ? 0 : 4));
        CHECK(out->wrong == (again ? 0 : 1));
        CHECK(out->usable == 3);
    }
}

TEST_CASE("run_scan: a stop keeps what was measured") {
    lkt::journal_memory file;
    auto log = lkt::scan_log<lkt::journal_memory>::open(file);
    counted engine;
    engine.last = 2;
    auto const out = lkt::run_scan(scan(), engine, *log, {}, {engine.stop.get_token(), {}});
    CHECK(out->interrupted);
    CHECK(out->measured == 1);
    CHECK(engine.seen == std::vector<std::int64_t>{1, 2});
    CHECK(lkt::scan_date().size() == 20);
}
