// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/device/series.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace lkt::device_detail;

namespace {

/// A device whose launches take what the test says, and that writes down what it was asked.
class scripted_device final : public launcher {
public:
    std::vector<timed_launch> launches;
    std::vector<int> prepared, inspected;
    bool as_expected = true;

    void prepare(int launch) override { prepared.push_back(launch); }
    timed_launch launch() override { return launches.at(made_++ % launches.size()); }
    bool inspect() override {
        inspected.push_back(prepared.back());
        return as_expected;
    }
    void inspect_rest() override {
        if (inspected.empty() || inspected.back() != prepared.back()) (void)inspect();
    }
    std::size_t set() const override { return static_cast<std::size_t>(prepared.back() % 2); }
    lkt::shared_memory outputs() override { return *lkt::shared_memory::create(64); }

private:
    std::size_t made_ = 0;
};

run_job job_of(int launches) {
    run_job j;
    j.launches = launches;
    j.keep = {0};
    return j;
}

} // namespace

TEST_CASE("device series: warm-ups are prepared, launched, and not counted") {
    scripted_device device;
    device.launches = {{1}};
    run_job job = job_of(3);
    job.warmups = 2;
    job.keep = {1};
    run_answer answer;
    std::vector<lkt::shared_memory> outputs;
    run_series(job, device, answer, outputs);
    CHECK(device.prepared == std::vector<int>{-1, -2, 0, 1, 2});
    CHECK(answer.seconds == std::vector<double>{1, 1, 1});
    // The kept launch, and the last one: what is written astray shows there.
    CHECK(device.inspected == std::vector<int>{1, 2});
    CHECK(answer.why == lkt::sampling_end::all_taken);
    REQUIRE(answer.outputs.size() == 1);
    CHECK(answer.outputs[0].launch == 1);
    CHECK(answer.outputs[0].set == 1);
    CHECK(answer.outputs[0].as_expected);
    CHECK(outputs.empty());
}

TEST_CASE("device series: outputs that are not as expected come back") {
    scripted_device device;
    device.launches = {{1}};
    device.as_expected = false;
    run_answer answer;
    std::vector<lkt::shared_memory> outputs;
    run_series(job_of(1), device, answer, outputs);
    CHECK_FALSE(answer.outputs.at(0).as_expected);
    CHECK(outputs.size() == 1);
}

TEST_CASE("device series: a launch at a low clock is repeated") {
    scripted_device device;
    device.launches = {{9, 500, 0.25}, {1, 1900, 0.96}, {2, 1900, 0.96}};
    run_answer answer;
    std::vector<lkt::shared_memory> outputs;
    run_series(job_of(2), device, answer, outputs);
    CHECK(answer.discarded == 1);
    CHECK(answer.seconds == std::vector<double>{1, 2});
    CHECK(device.prepared == std::vector<int>{0, 0, 1});

    // Where the device never gets faster, its launches count in the end.
    scripted_device tired;
    tired.launches = {{3, 100, 0.05}};
    run_answer slow;
    run_series(job_of(2), tired, slow, outputs);
    CHECK(slow.discarded == 20);
    CHECK(slow.seconds == std::vector<double>{3, 3});
}

TEST_CASE("device series: it ends where the rule says so") {
    scripted_device device;
    device.launches = {{2}};
    run_job job = job_of(100);
    job.give_up_seconds = 1;
    run_answer answer;
    std::vector<lkt::shared_memory> outputs;
    run_series(job, device, answer, outputs);
    CHECK(answer.why == lkt::sampling_end::gave_up);
    CHECK(answer.seconds.size() == 1);
}

TEST_CASE("device series: a request that is none is refused") {
    auto const never = [](auto const&, auto, auto&) -> run_answer {
        throw std::logic_error("a malformed job was run");
    };
    CHECK(serve_job("nonsense", {}, never).error().code == "lkt.worker.protocol");
    run_job job = job_of(1);
    job.sets.resize(1);
    job.sets[0].brings_contents = true; // and there is no descriptor
    CHECK(serve_job(pack(job), {}, never).error().code == "lkt.worker.protocol");
}
