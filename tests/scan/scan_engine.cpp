// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/scan_engine.hpp>

#include <doctest/doctest.h>

#include <lkt/scan/ck_profiler.hpp>
#include <lkt/scan/simulated_engine.hpp>

namespace {

/// As little as the concept asks for.
struct archetype {
    struct word {
        operator std::string_view() const { return "archetype"; }
    };
    archetype() = delete;
    archetype(archetype const&) = delete;
    word name() const { return {}; }
    std::string refuses(lkt::scan_spec const&) const { return {}; }
    lkt::result<lkt::scan_setup> setup(lkt::call_context const&) { return lkt::scan_setup{}; }
    lkt::result<lkt::scanned_product> measure(lkt::scan_spec const&, lkt::call_context const&) {
        return lkt::scanned_product{};
    }
};
static_assert(lkt::scan_engine<archetype>);
static_assert(lkt::scan_engine<lkt::simulated_engine> && lkt::scan_engine<lkt::ck_profiler>);
static_assert(!lkt::scan_engine<int>);

} // namespace

TEST_CASE("scan_engine: two measurements that differ by more than a tenth do not agree") {
    lkt::scanned_instance one{.name = "a", .time = lkt::seconds{1}};
    CHECK_FALSE(one.differs());
    one.again = lkt::seconds{1.05};
    CHECK_FALSE(one.differs());
    one.again = lkt::seconds{0.8};
    CHECK(one.differs());
    CHECK(to_string(lkt::scan_verdict::wrong) == "wrong");
}

TEST_CASE("scan_engine: each setting is in a setup") {
    lkt::scan_settings const usual;
    std::vector<lkt::scan_settings> others(4, usual);
    others[0].warm_ups = 1;
    others[1].iterations = 1;
    others[2].verify = false;
    others[3].time_limit = lkt::seconds{1};
    for (auto const& one : others) CHECK(to_string(one) != to_string(usual));
    lkt::simulated_engine const a, b(lkt::simulated_engine::options{.seed = 2});
    CHECK(a.setup()->settings != b.setup()->settings);
    CHECK(a.setup()->device == "MI300X (simulated)");
    lkt::ck_profiler const c, d({.environment = {"HIP_VISIBLE_DEVICES=1"}});
    CHECK(c.setup()->settings != d.setup()->settings);
}
