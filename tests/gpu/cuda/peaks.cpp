// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/detail/peaks_record.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace lkt::cuda_detail;
using cuda_support::scratch;

lkt::gpu_detail::compile_cache cache_in(scratch const& folder) {
    return lkt::gpu_detail::compile_cache({.kind = "cuda", .folder = folder.text()});
}

device_facts some_device() {
    device_facts f;
    f.name = "NVIDIA H200";
    f.uuid = "GPU-12345678-0000-0000-0000-000000000000";
    f.driver = 13000;
    f.major = 9;
    f.multiprocessors = 132;
    f.clock_khz = 1'980'000;
    f.memory_clock_khz = 3'201'000;
    f.memory_bus_bits = 6144;
    return f;
}

lkt::device_peaks some_peaks(std::int64_t taken) {
    return {{4.2e12, 33e12, 65e12, 130e12, 300e12, 600e12, 610e12, 620e12, 1200e12},
            {4.9e12, 34e12, 67e12, 134e12, 495e12, 989e12, 989e12, 1979e12, 1979e12},
            {0, 0, 0, 0, 400e12, 790e12, 780e12, 1500e12, 1600e12},
            24,
            14,
            taken,
            false};
}

std::vector<std::filesystem::path> entries(scratch const& folder) {
    std::vector<std::filesystem::path> found;
    for (auto const& e : std::filesystem::directory_iterator(folder.path() / "cuda"))
        found.push_back(e.path());
    return found;
}

constexpr std::int64_t noon = 1'700'000'000;

} // namespace

TEST_CASE("peaks: what was measured is believed for a day, on this device under this driver") {
    scratch const folder;
    auto cache = cache_in(folder);
    auto const device = some_device();
    CHECK(!kept_peaks(cache, device, noon));
    keep_peaks(cache, device, some_peaks(noon));

    auto other_process = cache_in(folder);
    auto const kept = kept_peaks(other_process, device, noon + 60);
    REQUIRE(kept.has_value());
    CHECK(kept->measured == some_peaks(noon).measured);
    CHECK(kept->on_paper == some_peaks(noon).on_paper);
    CHECK(kept->wgmma == some_peaks(noon).wgmma);
    CHECK(kept->float8_sum_bits == 24);
    CHECK(kept->wgmma_float8_sum_bits == 14);
    CHECK(kept->taken == noon);
    CHECK(kept->from_cache);

    CHECK(kept_peaks(cache, device, noon + peaks_age));
    CHECK(!kept_peaks(cache, device, noon + peaks_age + 1));
    CHECK(!kept_peaks(cache, device, noon - 1)); // from the future: the clock was changed

    auto another = device;
    another.uuid.back() = '1';
    CHECK(!kept_peaks(cache, another, noon));
    another = device;
    another.driver = 13010;
    CHECK(!kept_peaks(cache, another, noon));
}

TEST_CASE("peaks: one file a device and driver, which a later day replaces") {
    scratch const folder;
    auto cache = cache_in(folder);
    keep_peaks(cache, some_device(), some_peaks(noon));
    keep_peaks(cache, some_device(), some_peaks(noon + 2 * peaks_age));
    CHECK(entries(folder).size() == 1);
    auto const kept = kept_peaks(cache, some_device(), noon + 2 * peaks_age);
    REQUIRE(kept.has_value());
    CHECK(kept->taken == noon + 2 * peaks_age);
}

TEST_CASE("peaks: a damaged file is as good as none, wherever the damage lies") {
    scratch const folder;
    auto cache = cache_in(folder);
    keep_peaks(cache, some_device(), some_peaks(noon));
    auto const file = entries(folder).at(0);
    auto const whole = cuda_support::read(file);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        cuda_support::write(file, damaged);
        CHECK_MESSAGE(!kept_peaks(cache, some_device(), noon), at);
        cuda_support::write(file, whole.substr(0, at));
        CHECK_MESSAGE(!kept_peaks(cache, some_device(), noon), at);
    }
    keep_peaks(cache, some_device(), some_peaks(noon));
    CHECK(kept_peaks(cache, some_device(), noon));
}

TEST_CASE("peaks: on paper they follow from clocks and widths") {
    auto const r = rates_on_paper(some_device());
    CHECK(r.copy == doctest::Approx(4.917e12).epsilon(0.001)); // NVIDIA rounds to 4.8 TB/s
    CHECK(r.fp32 == doctest::Approx(66.9e12).epsilon(0.001));
    CHECK(r.fp16 == doctest::Approx(133.8e12).epsilon(0.001));
    CHECK(r.fp64 == doctest::Approx(33.45e12).epsilon(0.001));
    // 989 at the clock under that load
    CHECK(r.tensor_fp16 == doctest::Approx(1070e12).epsilon(0.001));
    CHECK(r.tensor_bf16 == r.tensor_fp16);
    CHECK(r.tensor_fp8 == 2 * r.tensor_fp16);
    CHECK(r.tensor_int8 == 2 * r.tensor_fp16);
    CHECK(2 * r.tensor_tf32 == r.tensor_fp16);
    auto unknown = some_device();
    unknown.major = 99;
    CHECK(rates_on_paper(unknown).fp32 == 0);
    CHECK(rates_on_paper(unknown).copy == r.copy);
}

TEST_CASE("peaks: without a driver there are none") {
    lkt::cuda_options o;
    o.worker.environment = {"LKT_CUDA_DRIVER=/nowhere/libcuda.so.1"};
    CHECK(lkt::cuda(std::move(o)).peaks().error().code == "lkt.cuda.driver");
}
