// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/gpu_ref.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <stop_token>
#include <variant>
#include <vector>

TEST_CASE("gpu_ref: every call reaches the back end that it borrows") {
    archetype::backend one{"one"};
    lkt::gpu_ref const gpu(one);
    CHECK(gpu.device({}).value().name == "one");
    lkt::compile_request request;
    request.source.text = "text";
    auto const compiled = gpu.compile(request, {}).value();
    REQUIRE(std::holds_alternative<lkt::compiled_kernel>(compiled));
    lkt::run_request launches;
    launches.launches = 3;
    auto const ran = gpu.run(std::get<lkt::compiled_kernel>(compiled), launches, {}).value();
    CHECK(std::get<lkt::run_report>(ran).samples.size() == 3);
    auto const copy = gpu;
    (void)copy.run({}, {}, {});
    CHECK(one.runs == 2);
    gpu.prefetch(request); // which this one does not do
    CHECK(gpu.target<archetype::backend>() == &one);
    CHECK(copy.target<lkt::gpu_ref>() == nullptr);
}

TEST_CASE("gpu_ref: what compiles ahead is told to") {
    struct eager : archetype::backend {
        int ahead = 0;
        void prefetch(lkt::compile_request const&) { ++ahead; }
    } one;
    lkt::gpu_ref(one).prefetch({});
    CHECK(one.ahead == 1);
}

TEST_CASE("gpu_ref: a profile comes from a back end that makes them, and else an error") {
    archetype::profiler one;
    lkt::gpu_ref const gpu(one);
    CHECK(gpu.can_profile());
    lkt::run_request request;
    request.launches = 3;
    CHECK(gpu.profile({}, request, {}).value().dram_bytes == 3);
    archetype::backend other;
    CHECK(!lkt::gpu_ref(other).can_profile());
    auto const none = lkt::gpu_ref(other).profile({}, request, {});
    CHECK(none.error().code == "lkt.gpu.no-profiler");
    CHECK(none.error().kind == lkt::condition::unavailable);
}

TEST_CASE("gpu_ref: questions reach a back end that answers them, and else nothing is offered") {
    archetype::witness one;
    lkt::gpu_ref const gpu(one);
    CHECK(gpu.offered_evidence().code == "none to speak of");
    lkt::compile_request text;
    text.source.text = "text";
    lkt::compiled_kernel const kernel;
    lkt::run_request const launch;
    lkt::evidence_question const q{.what = lkt::evidence_kind::code, .containing = "!"};
    CHECK(gpu.evidence({text, kernel, launch}, q, {}).value().front() == "text!");
    archetype::backend other;
    CHECK(lkt::gpu_ref(other).offered_evidence().empty());
    CHECK(lkt::gpu_ref(other).evidence({text, kernel, launch}, q, {}).error().code ==
          "lkt.gpu.no-evidence");
}

namespace {

/// Writes down what it is asked, and compiles ahead.
struct writes_down : archetype::backend {
    std::vector<std::string> log;
    void prefetch(lkt::compile_request const& r) { log.push_back("ahead " + r.source.text); }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& r,
                                              lkt::call_context const& x) {
        log.push_back("compile " + r.source.text);
        if (r.source.text == "down") return lkt::error{lkt::condition::transient, "down", {}, {}};
        return backend::compile(r, x);
    }
};

std::vector<lkt::compile_request> texts(std::vector<std::string> const& all) {
    std::vector<lkt::compile_request> requests(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) requests[k].source.text = all[k];
    return requests;
}

} // namespace

TEST_CASE("gpu_ref: a batch is compiled ahead as a whole, and each text has its own result") {
    writes_down one;
    lkt::gpu_ref const gpu(one);
    auto const all = gpu.compile_all(texts({"a", "", "down", "b"}), {});
    CHECK(one.log == std::vector<std::string>{"ahead a",
                                              "ahead ",
                                              "ahead down",
                                              "ahead b",
                                              "compile a",
                                              "compile ",
                                              "compile down",
                                              "compile b"});
    REQUIRE(all.size() == 4);
    CHECK(std::holds_alternative<lkt::compiled_kernel>(all[0].value()));
    CHECK(std::holds_alternative<lkt::failure>(all[1].value()));
    CHECK(all[2].error().code == "down");
    CHECK(std::holds_alternative<lkt::compiled_kernel>(all[3].value()));
    one.log.clear();
    CHECK(gpu.compile_all(texts({"alone"}), {}).size() == 1);
    CHECK(one.log == std::vector<std::string>{"compile alone"});
}

TEST_CASE("gpu_ref: runs of a batch are made one after the other, and a stop request ends it") {
    std::stop_source stop;
    struct stopping : archetype::backend {
        std::stop_source* stop = nullptr;
        lkt::result<lkt::run_outcome>
        run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
            auto outcome = backend::run(k, r, x);
            if (runs == 2) stop->request_stop();
            return outcome;
        }
    } one;
    one.stop = &stop;
    lkt::gpu_ref const gpu(one);
    CHECK(gpu.runs_at_once() == 1);
    lkt::compiled_kernel const kernel;
    std::vector<lkt::run_request> requests(3);
    std::vector<lkt::kernel_run> runs;
    for (int k = 0; k < 3; ++k) {
        requests[static_cast<std::size_t>(k)].launches = k + 1;
        runs.push_back({kernel, requests[static_cast<std::size_t>(k)]});
    }
    auto const all = gpu.run_all(runs, {stop.get_token(), {}});
    REQUIRE(all.size() == 3);
    CHECK(std::get<lkt::run_report>(all[0].value()).samples.size() == 1);
    CHECK(std::get<lkt::run_report>(all[1].value()).samples.size() == 2);
    CHECK(all[2].error().kind == lkt::condition::cancelled);
    CHECK(one.runs == 2);
    CHECK(gpu.compile_all(texts({"late"}), {stop.get_token(), {}})[0].error().kind ==
          lkt::condition::cancelled);
}

TEST_CASE("gpu_ref: a back end that takes batches gets them whole") {
    archetype::batches one;
    lkt::gpu_ref const gpu(one);
    CHECK(gpu.runs_at_once() == 4);
    CHECK(gpu.compile_all(texts({"a", "b"}), {}).size() == 2);
    CHECK(one.compiled == 1);
    lkt::compiled_kernel const kernel;
    lkt::run_request const request;
    std::vector<lkt::kernel_run> const runs(3, {kernel, request});
    CHECK(gpu.run_all(runs, {}).size() == 3);
    CHECK(one.ran == 1);
    CHECK(one.runs == 3);
}
