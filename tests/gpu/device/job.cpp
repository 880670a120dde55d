// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/device/job.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace lkt::device_detail;

namespace {

run_job full_job() {
    run_job j;
    j.program = 7;
    j.program_bytes = std::string("ELF\0image", 9);
    j.dimensions = {{1, 2, 3}, {4, 5, 6}, 7};
    j.arguments.resize(2);
    j.arguments[0].buffer = true;
    j.arguments[0].flow = lkt::direction::inout;
    j.arguments[0].size = 4096;
    j.arguments[0].type = lkt::scalar_type::float16;
    j.arguments[0].constant = "n::filter";
    j.sets.resize(2);
    j.sets[0].contents = 11;
    j.sets[0].expected = 12;
    j.sets[0].brings_contents = true;
    j.sets[0].bounds = {{comparer::float16, 0.5, 0.25}};
    j.sets[0].values = {{}, std::string("\x01\0\0\0", 4)};
    j.sets[0].maps = {{1, 0, {lkt::scalar_type::float16, {64, 100}, {128}, {32, 8}, 64}},
                      {2, 0, {}}};
    j.sets[1].contents = 13;
    j.sets[1].values = {{}, std::string("\x02\0\0\0", 4)};
    j.fresh = j.bare = true;
    j.warmups = 1;
    j.launches = 21;
    j.min_launches = 3;
    j.precision = 0.01;
    j.sampling_seconds = 2;
    j.min_seconds = 0.06;
    j.give_up_seconds = 0.5;
    j.cold = false;
    j.keep = {0, 2};
    j.secrets = lkt::secret_of(99);
    j.unfilled = true;
    j.launch_limit = 1.5;
    return j;
}

} // namespace

TEST_CASE("device job: what is packed comes out again") {
    auto const bytes = pack(full_job());
    auto const j = unpack_job(bytes);
    REQUIRE(j.has_value());
    CHECK(pack(*j) == bytes);
    CHECK(j->program_bytes.size() == 9);
    CHECK(j->dimensions == full_job().dimensions);
    CHECK(j->arguments[0].flow == lkt::direction::inout);
    CHECK(j->arguments[0].constant == "n::filter");
    REQUIRE(j->sets.size() == 2);
    CHECK(j->sets[0].values == full_job().sets[0].values);
    CHECK(j->sets[0].bounds.at(0).how == comparer::float16);
    REQUIRE(j->sets[0].maps.size() == 2);
    CHECK(j->sets[0].maps[0].layout.type == lkt::scalar_type::float16);
    CHECK(j->sets[0].maps[0].layout.stride == std::vector<std::uint64_t>{128});
    CHECK(j->sets[0].maps[1].parameter == 2);
    CHECK(j->sets[0].maps[1].layout.extent.empty());
    CHECK(j->sets[1].contents == 13);
    CHECK(j->sets[1].values.at(1)[0] == 2);
    CHECK(j->fresh);
    CHECK(j->bare);
    CHECK(j->keep == std::vector<int>{0, 2});
    CHECK(!j->cold);

    run_answer a;
    a.end = run_end::timed_out;
    a.what = "no end";
    a.seconds = {1, 2};
    a.megahertz = {1980};
    a.why = lkt::sampling_end::steady;
    a.sets = 2;
    a.outputs = {{3, true, 0}, {5, false, 1}};
    auto const answer = unpack_answer(pack(a));
    REQUIRE(answer.has_value());
    CHECK(pack(*answer) == pack(a));
    CHECK(answer->outputs[1].launch == 5);
    CHECK(answer->outputs[1].set == 1);
    CHECK(answer->sets == 2);
}

TEST_CASE("device job: no cut and no surplus passes for a message") {
    auto const bytes = pack(full_job());
    for (std::size_t n = 0; n < bytes.size(); ++n)
        CHECK_FALSE(unpack_job(std::string_view(bytes).substr(0, n)).has_value());
    CHECK_FALSE(unpack_job(bytes + "x").has_value());
    CHECK_FALSE(unpack_answer("").has_value());
    auto j = full_job();
    j.launches = -1;
    CHECK_FALSE(unpack_job(pack(j)).has_value());
    j = full_job();
    j.sets[1].values.pop_back(); // not one for each argument
    CHECK_FALSE(unpack_job(pack(j)).has_value());
    j.sets.clear();
    CHECK_FALSE(unpack_job(pack(j)).has_value());
}
