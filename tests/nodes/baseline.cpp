// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/baseline.hpp>

#include <lkt/verify/signature_tests.hpp>

#include <doctest/doctest.h>

#include "../support/prepared_state.hpp"

using namespace lkt_test;

namespace {

lkt::no_model nobody;

struct one_test {
    lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const& p,
                                                      lkt::call_context const& x) const {
        auto all = lkt::problem_tests{}.generate(p, x);
        all->resize(1);
        all->front().name = "mine";
        return all;
    }
};

} // namespace

TEST_CASE("Tests, expected outputs and the original's time are written") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    bare_tools tools{gpu, nobody};
    auto const s = prepared_state(tunable_problem(), tools);
    CHECK(s.device.name == "Fake 1");
    REQUIRE(s.tests.tests.size() >= 2);
    auto const& first = s.tests.tests[0];
    REQUIRE(first.expected.size() == 1);
    CHECK(first.expected[0].lane<float>(5) == 2 * first.test.arguments[0].lane<float>(5));
    CHECK(s.baseline.kernel.source.text == original_text);
    CHECK(integer(s.baseline.config, "BLOCK") == 32);
    CHECK(s.baseline.dimensions.grid.x == 2);
    CHECK(s.baseline.time.samples.size() >= 12); // two series
    CHECK(s.best.time.samples == s.baseline.time.samples);
    CHECK(s.checked_mode);
}

TEST_CASE("Tools may bring a test generator") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    one_test tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu, lkt::no_model, one_test> tools{gpu, nobody, tests, all};
    auto const s = prepared_state(twice_problem(), tools);
    REQUIRE(s.tests.tests.size() == 1);
    CHECK(s.tests.tests[0].test.name == "mine");

    struct small_first {
        lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const& p,
                                                          lkt::call_context const& x) const {
            lkt::problem small = p;
            small.size[0].second = 8;
            return lkt::signature_tests{}.generate(small, x);
        }
    } wrong;
    lkt::tuning_state other;
    other.task = twice_problem();
    lkt::toolbox<fake_gpu, lkt::no_model, small_first> wrong_tools{gpu, nobody, wrong, all};
    auto const refused = lkt::make_tests(other, wrong_tools);
    REQUIRE(!refused.has_value());
    CHECK(refused.error().message.find("is the one that is timed, at N=") != std::string::npos);
}

TEST_CASE("A device that does not open is said, whatever the tests came to") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    struct closed {
        fake_gpu& inner;
        lkt::result<lkt::device_description> device(lkt::call_context const&) {
            return lkt::error{lkt::condition::unavailable, "test.closed", "it is closed", {}};
        }
        auto compile(lkt::compile_request const& r, lkt::call_context const& x) {
            return inner.compile(r, x);
        }
        auto
        run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
            return inner.run(k, r, x);
        }
    };
    struct no_tests {
        lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const&,
                                                          lkt::call_context const&) const {
            return lkt::error{lkt::condition::rejected, "test.none", "there are none", {}};
        }
    };
    closed shut{gpu};
    no_tests none;
    lkt::exhaustive all;
    lkt::tuning_state s;
    s.task = twice_problem();
    lkt::toolbox<closed, lkt::no_model, no_tests> without_device{shut, nobody, none, all};
    auto failed = lkt::make_tests(s, without_device);
    REQUIRE(failed.has_error());
    CHECK(failed.error().code == "test.closed");
    lkt::toolbox<fake_gpu, lkt::no_model, no_tests> without_tests{gpu, nobody, none, all};
    failed = lkt::make_tests(s, without_tests);
    REQUIRE(failed.has_error());
    CHECK(failed.error().code == "test.none");
}

TEST_CASE("A first reading that is off is measured again and dropped") {
    std::size_t timed = 0;
    fake_gpu gpu([&](std::string const&, lkt::configuration const&) { return behaviour{}; });
    // The first series is slow: the behaviour is asked at compile time, so slow it by wrapping.
    struct drifting {
        fake_gpu& inner;
        std::size_t& timed;
        lkt::result<lkt::device_description> device(lkt::call_context const& x) {
            return inner.device(x);
        }
        lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& r,
                                                  lkt::call_context const& x) {
            return inner.compile(r, x);
        }
        lkt::result<lkt::run_outcome>
        run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
            auto out = inner.run(k, r, x);
            if (r.warmups > 0 && ++timed <= 2)
                for (auto& s : std::get<lkt::run_report>(*out).samples) s *= 1.06;
            return out;
        }
    } gpu2{gpu, timed};
    bare_tools tools{gpu2, nobody};
    auto const s = prepared_state(twice_problem(), tools);
    CHECK(s.baseline.time.median().count() == doctest::Approx(1e-3).epsilon(0.01));
    REQUIRE(s.notes.size() == 1);
    CHECK(s.notes[0].find("disagree") != std::string::npos);
}

TEST_CASE("How a back end took the times is noted, where that is not plain") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    struct coarse {
        fake_gpu& inner;
        lkt::result<lkt::device_description> device(lkt::call_context const& x) {
            return inner.device(x);
        }
        lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& r,
                                                  lkt::call_context const& x) {
            return inner.compile(r, x);
        }
        lkt::result<lkt::run_outcome>
        run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
            auto out = inner.run(k, r, x);
            std::get<lkt::run_report>(*out).timing = "the clock steps by an hour";
            return out;
        }
    } gpu2{gpu};
    bare_tools tools{gpu2, nobody};
    auto const s = prepared_state(twice_problem(), tools);
    CHECK(s.notes == std::vector<std::string>{"the clock steps by an hour"});
}

TEST_CASE("What a back end says of the original's build is noted once") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) {
        behaviour b;
        b.notes = {"loops end early", "shared memory is zero", "loops end early"};
        return b;
    });
    bare_tools tools{gpu, nobody};
    auto s = prepared_state(twice_problem(), tools);
    std::vector<std::string> const said{"the original: loops end early",
                                        "the original: shared memory is zero"};
    CHECK(s.notes == said);
    REQUIRE(lkt::time_baseline(s, tools).has_value());
    CHECK(s.notes == said);
}

TEST_CASE("An original that fails in checked mode switches it off, with a note") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) {
        behaviour b;
        b.checked = lkt::failure(lkt::out_of_bounds{"read of 4 bytes", {2, 1}});
        return b;
    });
    bare_tools tools{gpu, nobody};
    auto const s = prepared_state(twice_problem(), tools);
    CHECK_FALSE(s.checked_mode);
    REQUIRE(s.notes.size() == 1);
    CHECK(s.notes[0].find("read of 4 bytes") != std::string::npos);
}

TEST_CASE("An original that does not work is an error that says so") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) {
        behaviour b;
        b.compile = lkt::failure(lkt::compile_failed{"expected ';'", {1, 1}});
        return b;
    });
    bare_tools tools{gpu, nobody};
    lkt::tuning_state s;
    s.task = twice_problem();
    REQUIRE(lkt::make_tests(s, tools).has_value());
    auto const failed = lkt::run_reference(s, tools);
    REQUIRE(failed.has_error());
    CHECK(failed.error().message.find("expected ';'") != std::string::npos);
    CHECK(s.baseline.kernel.source.text.empty());
    // Going on from the error, when what the world lacked is there again, finds the tests.
    REQUIRE(!s.tests.tests.empty());
    for (lkt::prepared_test const& one : s.tests.tests) {
        CHECK(!one.test.name.empty());
        CHECK(one.test.arguments.size() == s.task.arguments.size());
    }
}
