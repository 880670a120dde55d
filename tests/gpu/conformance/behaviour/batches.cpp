// SPDX-License-Identifier: BSL-1.0
// Many requests at once, of a back end that takes them itself or is asked one after the other.
#include "programs.hpp"

#include <stop_token>

using namespace conformance;
using namespace support;

static_assert(lkt::batch_gpu_backend<lkt::gpu_ref>);

TEST_CASE(
    "batches: texts have their results in order, and one that does not compile ends no other") {
    auto const x = random_floats(300, 1);
    auto const right = doubling(x), wrong = kernel({"c[i] = nothing;", "c[i] = nothing;"}),
               other = kernel({"c[i] = 5;", "c[i] = 5.0;"});
    std::vector<lkt::compile_request> const requests{
        compile_request_of(right), compile_request_of(wrong), compile_request_of(other)};
    auto const made = tested().gpu.compile_all(requests, {});
    REQUIRE(made.size() == 3);
    auto const& failed = std::get<lkt::failure>(made[1].value());
    CHECK(std::get<lkt::compile_failed>(failed).where.line == 3);
    auto const& doubles = std::get<lkt::compiled_kernel>(made[0].value());
    auto const& fives = std::get<lkt::compiled_kernel>(made[2].value());

    request_over const one(right), two(other);
    auto too_large = two.request;
    too_large.dimensions.grid = {0};
    std::vector<lkt::kernel_run> const runs{{doubles, one.request, false},
                                            {fives, too_large, false},
                                            {fives, two.request},
                                            {doubles, one.request}};
    auto const ran = tested().gpu.run_all(runs, {});
    REQUIRE(ran.size() == 4);
    auto const outputs_of = [&](std::size_t k) {
        return numbers<float>(std::get<lkt::run_report>(ran[k].value()).kept.at(0).outputs.at(0));
    };
    CHECK(std::holds_alternative<lkt::launch_failed>(std::get<lkt::failure>(ran[1].value())));
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(outputs_of(0)[i] == 2 * x[i]);
        CHECK(outputs_of(3)[i] == 2 * x[i]);
    }
    CHECK(outputs_of(2)[7] == 5);
    CHECK(tested().gpu.runs_at_once() >= 1);
}

TEST_CASE("batches: after a stop request nothing begins") {
    auto const t = doubling(random_floats(300, 1));
    auto const doubles = compiled(t);
    request_over const over(t);
    std::stop_source stop;
    stop.request_stop();
    lkt::call_context const stopped{stop.get_token(), {}};
    std::vector<lkt::kernel_run> const runs(2, {doubles, over.request});
    for (auto const& r : tested().gpu.run_all(runs, stopped)) {
        REQUIRE(!r.has_value());
        CHECK(r.error().kind == lkt::condition::cancelled);
    }
    std::vector<lkt::compile_request> const requests(2, compile_request_of(t));
    auto const made = tested().gpu.compile_all(requests, stopped);
    REQUIRE(made.size() == 2);
    CHECK(made[1].error().kind == lkt::condition::cancelled);
    CHECK(next_one_runs());
}
