// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/builder.hpp>

#include <lkt/evaluate/search_configurations.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <span>
#include <string>
#include <vector>

using namespace lkt_test;

TEST_CASE("a trial knows its kernel, configuration and geometry") {
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    auto const t = c.trial(16);
    CHECK(t.kernel == &c.kernel);
    CHECK(integer(t.config, "BLOCK") == 16);
    CHECK(t.dimensions.block.x == 16);
    CHECK(t.dimensions.grid.x == 4);
    CHECK(t.time.empty());
    CHECK_FALSE(t.failed);
    CHECK(std::get<lkt::trial>(c.build(16, true)).compiled.checked);
}

TEST_CASE("geometry beyond the device is a failure, and nothing is compiled") {
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    c.s.device.max_threads_per_block = 32;
    c.gpu.log.clear();
    auto const outcome = c.build(64);
    REQUIRE(std::holds_alternative<lkt::failure>(outcome));
    CHECK(std::holds_alternative<lkt::launch_failed>(std::get<lkt::failure>(outcome)));
    CHECK(c.gpu.log.empty());
}

TEST_CASE("what the compiler says of the kernel is a failure, what ends the run an error") {
    behaviour bad;
    evaluation_scene c([&](auto const&, auto const&) { return bad; });
    bad.compile = lkt::compile_failed{"no", {}};
    CHECK(std::holds_alternative<lkt::failure>(c.build(16)));
    bad = {};
    bad.world = lkt::error{lkt::condition::unavailable, "fake", "gone", {}};
    lkt::configuration const config{{{"BLOCK", std::int64_t{16}}}};
    CHECK(c.in.build({c.kernel, c.declared, config}).has_error());
}

TEST_CASE("of a batch each has its own result") {
    evaluation_scene c([](std::string const& text, lkt::configuration const& config) {
        behaviour b;
        if (text == original_text) return b;
        if (integer(config, "BLOCK") == 16) b.compile = lkt::compile_failed{"no", {}};
        if (integer(config, "BLOCK") == 32)
            b.world = lkt::error{lkt::condition::unavailable, "fake", "gone", {}};
        return b;
    });
    c.kernel.source.text = changed_text("candidate");
    c.s.device.max_threads_per_block = 100;
    std::vector<lkt::configuration> configs;
    for (std::int64_t const block : {8, 128, 16, 32, 64}) configs.push_back({{{"BLOCK", block}}});
    std::vector<lkt::build_request> requests;
    for (auto const& config : configs) requests.push_back({c.kernel, c.declared, config});
    auto const all = c.in.build_all(requests);
    REQUIRE(all.size() == 5);
    CHECK(std::holds_alternative<lkt::trial>(all[0].value()));
    CHECK(std::holds_alternative<lkt::launch_failed>(std::get<lkt::failure>(all[1].value())));
    CHECK(std::holds_alternative<lkt::compile_failed>(std::get<lkt::failure>(all[2].value())));
    CHECK(all[3].has_error());
    CHECK(std::get<lkt::trial>(all[4].value()).dimensions.block.x == 64);
}

namespace {

/// Compiles with an option of its own, and nothing ahead.
struct with_option {
    std::vector<std::int64_t> built{};
    std::vector<lkt::result<lkt::build_outcome>>
    build_all(lkt::evaluation_setup const& in, std::span<lkt::build_request const> requests) {
        for (auto const& r : requests) built.push_back(integer(r.config, "BLOCK"));
        auto all = lkt::backend_builder{}.build_all(in, requests);
        for (auto& one : all)
            if (auto* t = one ? std::get_if<lkt::trial>(&*one) : nullptr)
                t->compiled.notes.push_back("with an option");
        return all;
    }
    void prefetch(lkt::evaluation_setup const&, lkt::build_request const&) {}
};
struct without_prefetch {
    std::vector<lkt::result<lkt::build_outcome>> build_all(lkt::evaluation_setup const&,
                                                           std::span<lkt::build_request const>);
};
struct one_result : with_option {
    lkt::result<lkt::build_outcome> build_all(lkt::evaluation_setup const&,
                                              std::span<lkt::build_request const>);
};

} // namespace

TEST_CASE("a builder of the user's takes the place of the standard one") {
    CHECK(lkt::trial_builder<with_option>);
    CHECK(lkt::trial_builder<lkt::backend_builder const>);
    CHECK_FALSE(lkt::trial_builder<without_prefetch>);
    CHECK_FALSE(lkt::trial_builder<one_result>);
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    with_option mine;
    lkt::evaluation in(c.setup({.builder = lkt::builder_ref(mine)}));
    auto const space = lkt::space_of(c.kernel, c.s.task.size, in.setup.options);
    auto const all =
        lkt::search_configurations(in, c.kernel, c.declared, std::get<lkt::search_space>(space))
            .value();
    CHECK(mine.built == std::vector<std::int64_t>{32, 16, 64});
    REQUIRE(all.correct.size() == 3);
    CHECK(all.correct.front().compiled.notes == std::vector<std::string>{"with an option"});
}
