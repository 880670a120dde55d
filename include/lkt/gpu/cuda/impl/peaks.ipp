// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/peak_kernels.hpp>
#include <lkt/gpu/cuda/detail/peaks_record.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::cuda_detail {

namespace peaks {

/// One kernel, what it is launched with, and what a launch does.
struct probe {
    compile_request request;
    launch_dimensions dimensions;
    std::vector<argument_data> arguments;
    double work = 0; ///< of one launch: bytes or operations
    double device_rates::* rate = nullptr;
    device_rates device_peaks::* where = &device_peaks::measured;
    int device_peaks::* bits = nullptr; ///< what it finds, if that is no rate
};

argument_data place_for_result() { return {{scalar_type::float32, 1}, true, byte_buffer(4)}; }

/// What it is told apart by, and whatever changes the numbers: another layout, other kernels.
std::string key_of(device_facts const& facts) {
    return "lkt peaks 7\n" + facts.uuid + "\n" + facts.name + "\n" + std::to_string(facts.driver);
}

constexpr double device_rates::* all_rates[] = {&device_rates::copy,
                                                &device_rates::fp64,
                                                &device_rates::fp32,
                                                &device_rates::fp16,
                                                &device_rates::tensor_tf32,
                                                &device_rates::tensor_fp16,
                                                &device_rates::tensor_bf16,
                                                &device_rates::tensor_fp8,
                                                &device_rates::tensor_int8};

result<probe> probe_of(std::string text, double device_rates::* rate) {
    probe p;
    p.request.source = {language::cuda, std::move(text), "lkt"};
    auto found = find_kernel(p.request.source);
    if (!found) return found.error();
    p.request.signature = std::move(*found);
    p.rate = rate;
    return p;
}

/// Whether it multiplies float8 by `mma`. On compute capability 9.0 and 10.x, as nvcc 13.0 shows, a
/// compiler makes that of conversions and halves: a product that does not change is made once.
bool multiplies_float8(device_facts const& facts) {
    int const capability = facts.major * 10 + facts.minor;
    return capability == 89 || capability >= 120;
}

/// Kernels that the device has no units for are left out.
result<std::vector<probe>> probes_for(device_facts const& facts) {
    std::vector<probe> all;

    constexpr std::uint64_t of_a_block = 256 * 16; // bytes
    std::uint64_t const array =
        std::min(std::uint64_t{1} << 30, facts.memory / 8) / of_a_block * of_a_block;
    auto copy = probe_of(copy_text, &device_rates::copy);
    if (!copy) return copy.error();
    copy->request.definitions.values = {{"COUNT", static_cast<std::int64_t>(array / 16)}};
    copy->dimensions.grid = {static_cast<std::uint32_t>(array / of_a_block)};
    copy->dimensions.block = {256};
    copy->arguments = {make_scalar(scalar_type::int32, std::int32_t{0})};
    copy->work = 2 * static_cast<double>(array);
    all.push_back(std::move(*copy));

    struct arithmetic {
        std::string text;
        double device_rates::* rate;
        argument_data factor;
        int oldest; ///< compute capability, times ten
        std::uint32_t blocks;
        std::int32_t rounds;
        double of_a_round;              ///< operations of a thread
        bool of_one_generation = false; ///< newer devices do not have the instruction
    };
    argument_data const bits = make_scalar(scalar_type::uint32, 0x12345678U);
    // A warp multiplies `count` pairs of matrices at each of eight steps.
    auto const matrices = [](int count, int m, int n, int k) {
        return 8 * 2.0 * count * m * n * k / 32;
    };
    // Four warps multiply a pair of matrices at each of eight steps.
    auto const by_wgmma = [&](char const* multiply_add,
                              char const* flags,
                              double device_rates::* rate,
                              int k,
                              char const* mask,
                              char const* one) {
        bool const integers = rate == &device_rates::tensor_int8;
        return arithmetic{wgmma_text_of(multiply_add, flags, integers, mask, one),
                          rate,
                          bits,
                          90,
                          1,
                          1500,
                          matrices(1, 64, 256, k) / 4,
                          true};
    };
    // A launch takes about two milliseconds: long beside its ends, short beside what heats up.
    arithmetic const kinds[] = {
        {fp32_text, &device_rates::fp32, make_scalar(scalar_type::float32, 0.75F), 0, 8, 1000, 512},
        {fp16_text,
         &device_rates::fp16,
         make_scalar(scalar_type::uint32, 0x38003800U),
         53,
         8,
         1000,
         1024},
        {fp64_text, &device_rates::fp64, make_scalar(scalar_type::float32, 0.75F), 0, 8, 200, 512},
        {tensor_text, &device_rates::tensor_fp16, bits, 70, 4, 1000, matrices(4, 16, 16, 16)},
        {mma_text_of("m16n8k8.row.col.f32.tf32.tf32.f32", false, "0x807fe000u", "0x3f000000u"),
         &device_rates::tensor_tf32,
         bits,
         80,
         4,
         1000,
         matrices(8, 16, 8, 8)},
        {mma_text_of("m16n8k16.row.col.f32.bf16.bf16.f32", false, "0x807f807fu", "0x3f003f00u"),
         &device_rates::tensor_bf16,
         bits,
         80,
         4,
         1000,
         matrices(8, 16, 8, 16)},
        {mma_text_of("m16n8k32.row.col.s32.s8.s8.s32", true, "0x87878787u", "0u"),
         &device_rates::tensor_int8,
         bits,
         80,
         4,
         1000,
         matrices(8, 16, 8, 32)},
        {mma_text_of("m16n8k32.row.col.f32.e4m3.e4m3.f32", false, "0x87878787u", "0x38383838u"),
         &device_rates::tensor_fp8,
         bits,
         89,
         4,
         1000,
         matrices(8, 16, 8, 32)},
        by_wgmma("m64n256k8.f32.tf32.tf32",
                 ", 1, 1",
                 &device_rates::tensor_tf32,
                 8,
                 "0x807fe000u",
                 "0x3f000000u"),
        by_wgmma("m64n256k16.f32.f16.f16",
                 ", 1, 1, 0, 0",
                 &device_rates::tensor_fp16,
                 16,
                 "0x83ff83ffu",
                 "0x38003800u"),
        by_wgmma("m64n256k16.f32.bf16.bf16",
                 ", 1, 1, 0, 0",
                 &device_rates::tensor_bf16,
                 16,
                 "0x807f807fu",
                 "0x3f003f00u"),
        by_wgmma("m64n256k32.f32.e4m3.e4m3",
                 ", 1, 1",
                 &device_rates::tensor_fp8,
                 32,
                 "0x87878787u",
                 "0x38383838u"),
        by_wgmma("m64n256k32.s32.s8.s8", "", &device_rates::tensor_int8, 32, "0x87878787u", "0u"),
    };
    int const capability = facts.major * 10 + facts.minor;
    for (auto const& kind : kinds) {
        if (capability < kind.oldest || (kind.of_one_generation && capability != kind.oldest) ||
            (kind.rate == &device_rates::tensor_fp8 && !kind.of_one_generation &&
             !multiplies_float8(facts)))
            continue;
        auto p = probe_of(kind.text, kind.rate);
        if (!p) return p.error();
        p->dimensions.grid = {static_cast<std::uint32_t>(facts.multiprocessors) * kind.blocks};
        p->dimensions.block = {256};
        p->arguments = {
            place_for_result(), kind.factor, make_scalar(scalar_type::int32, kind.rounds)};
        p->arguments[0].type = p->request.signature.arguments[0].type;
        p->work = static_cast<double>(p->dimensions.grid.x) * 256 * kind.rounds * kind.of_a_round;
        if (kind.of_one_generation) p->where = &device_peaks::wgmma;
        all.push_back(std::move(*p));
    }
    return all;
}

/// Those that count the bits of sums, likewise.
result<std::vector<probe>> bit_probes_for(device_facts const& facts) {
    struct kind {
        char const* multiply_add;
        std::uint32_t threads;
        int device_peaks::* bits;
        bool there;
    };
    bool const hopper = facts.major == 9 && facts.minor == 0;
    std::vector<probe> all;
    for (kind const& k :
         {kind{mma_first_text, 32, &device_peaks::float8_sum_bits, multiplies_float8(facts)},
          kind{wgmma_first_text, 128, &device_peaks::wgmma_float8_sum_bits, hopper}}) {
        if (!k.there) continue;
        auto p =
            probe_of(sum_bits_text_of(k.multiply_add, std::to_string(k.threads).c_str()), nullptr);
        if (!p) return p.error();
        p->dimensions.grid = {1};
        p->dimensions.block = {k.threads};
        p->arguments = {place_for_result()};
        p->arguments[0].type = p->request.signature.arguments[0].type;
        p->bits = k.bits;
        all.push_back(std::move(*p));
    }
    return all;
}

error not_measured(failure const& why) {
    return {condition::unavailable,
            "lkt.cuda.peaks",
            "the device's peaks were not measured: " + describe(why),
            "check whether other programs use the device or fill its memory"};
}

result<run_report> launched(cuda& gpu,
                            compiled_kernel const& kernel,
                            probe const& p,
                            int warmups,
                            int launches,
                            std::vector<int> keep,
                            call_context const& context) {
    std::vector<direction> directions;
    for (auto const& a : p.arguments)
        directions.push_back(a.buffer ? direction::inout : direction::in);
    run_request run;
    run.dimensions = p.dimensions;
    run.arguments = p.arguments;
    run.directions = directions;
    run.warmups = warmups;
    run.launches = launches;
    run.keep = std::move(keep);
    auto outcome = gpu.run(kernel, run, context);
    if (!outcome) return outcome.error();
    if (auto const* const why = std::get_if<failure>(&*outcome)) return not_measured(*why);
    return std::get<run_report>(std::move(*outcome));
}

/// Launches it, and returns how long the fastest launch took.
result<seconds>
fastest(cuda& gpu, compiled_kernel const& kernel, probe const& p, call_context const& context) {
    auto const report = launched(gpu, kernel, p, 3, 20, {}, context);
    if (!report) return report.error();
    return *std::min_element(report->samples.begin(), report->samples.end());
}

/// Launches it once, and returns the number that it writes.
result<int>
counted(cuda& gpu, compiled_kernel const& kernel, probe const& p, call_context const& context) {
    auto const report = launched(gpu, kernel, p, 0, 1, {0}, context);
    if (!report) return report.error();
    std::int32_t bits = 0;
    std::memcpy(&bits, report->kept.at(0).outputs.at(0).bytes.data(), sizeof(bits));
    return bits;
}

} // namespace peaks

std::optional<device_peaks>
kept_peaks(gpu_detail::compile_cache& cache, device_facts const& facts, std::int64_t now) {
    auto const found = cache.find(peaks::key_of(facts));
    auto const* const bytes = found ? std::get_if<std::string>(&*found) : nullptr;
    if (bytes == nullptr) return {};
    unpacker in{*bytes};
    device_peaks p;
    p.taken = in.get<std::int64_t>();
    for (auto* const rates : {&p.measured, &p.on_paper, &p.wgmma})
        for (auto const rate : peaks::all_rates) rates->*rate = in.get<double>();
    p.float8_sum_bits = in.get<std::int32_t>();
    p.wgmma_float8_sum_bits = in.get<std::int32_t>();
    if (!in.complete() || p.taken > now || now - p.taken > peaks_age) return {};
    p.from_cache = true;
    return p;
}

void keep_peaks(gpu_detail::compile_cache& cache,
                device_facts const& facts,
                device_peaks const& p) {
    packer out;
    out.put(p.taken);
    for (auto const* const rates : {&p.measured, &p.on_paper, &p.wgmma})
        for (auto const rate : peaks::all_rates) out.put(rates->*rate);
    out.put(std::int32_t{p.float8_sum_bits});
    out.put(std::int32_t{p.wgmma_float8_sum_bits});
    cache.store(peaks::key_of(facts), out.bytes());
}

device_rates rates_on_paper(device_facts const& facts) {
    // Multiply-adds that a multiprocessor begins in a cycle. Of tensor cores those that sum up in
    // float, which GeForce devices do at half the rate of their siblings: those are left out.
    struct line {
        int capability, fp64, fp32, fp16, tensor_tf32, tensor_fp16, tensor_fp8, tensor_int8;
    };
    constexpr line lines[] = {{60, 32, 64, 128, 0, 0, 0, 0},
                              {61, 4, 128, 2, 0, 0, 0, 0},
                              {62, 4, 128, 256, 0, 0, 0, 0},
                              {70, 32, 64, 128, 0, 512, 0, 0},
                              {72, 32, 64, 128, 0, 512, 0, 0},
                              {75, 2, 64, 128, 0, 0, 0, 0},
                              {80, 32, 64, 256, 512, 1024, 0, 2048},
                              {86, 2, 128, 128, 0, 0, 0, 0},
                              {87, 2, 128, 256, 0, 0, 0, 0},
                              {89, 2, 128, 128, 0, 0, 0, 0},
                              {90, 64, 128, 256, 1024, 2048, 4096, 4096}};
    device_rates r;
    // Two transfers a cycle, and each byte that is copied counts as read and as written.
    r.copy = 2.0 * facts.memory_clock_khz * 1e3 * facts.memory_bus_bits / 8;
    double const cycles = facts.clock_khz * 1e3 * facts.multiprocessors;
    for (auto const& l : lines) {
        if (l.capability != facts.major * 10 + facts.minor) continue;
        r.fp32 = 2 * cycles * l.fp32;
        r.fp16 = 2 * cycles * l.fp16;
        r.fp64 = 2 * cycles * l.fp64;
        r.tensor_tf32 = 2 * cycles * l.tensor_tf32;
        r.tensor_fp16 = 2 * cycles * l.tensor_fp16;
        r.tensor_bf16 = l.capability >= 80 ? r.tensor_fp16 : 0;
        r.tensor_fp8 = 2 * cycles * l.tensor_fp8;
        r.tensor_int8 = 2 * cycles * l.tensor_int8;
    }
    return r;
}

result<device_peaks>
measure_peaks(cuda& gpu, device_facts const& facts, call_context const& context) {
    auto all = peaks::probes_for(facts);
    if (!all) return all.error();
    auto bits = peaks::bit_probes_for(facts);
    if (!bits) return bits.error();
    std::move(bits->begin(), bits->end(), std::back_inserter(*all));
    if (auto const ready = gpu.device(context); !ready) return ready.error();
    for (auto const& p : *all) gpu.prefetch(p.request);
    device_peaks found;
    for (auto& p : *all) {
        auto const compiled = gpu.compile(p.request, context);
        if (!compiled) return compiled.error();
        // An older compiler may not know the newest instructions: that rate stays unknown.
        if (std::holds_alternative<failure>(*compiled)) continue;
        auto const& kernel = std::get<compiled_kernel>(*compiled);
        if (p.bits != nullptr) {
            auto const kept = peaks::counted(gpu, kernel, p, context);
            if (!kept) return kept.error();
            found.*p.bits = *kept;
            continue;
        }
        if (p.rate == &device_rates::copy) { // what is all zeros may travel more easily
            auto filling = p;
            filling.arguments = {make_scalar(scalar_type::int32, std::int32_t{1})};
            if (auto const filled = peaks::fastest(gpu, kernel, filling, context); !filled)
                return filled.error();
        }
        auto const time = peaks::fastest(gpu, kernel, p, context);
        if (!time) return time.error();
        (found.*p.where).*p.rate = p.work / time->count();
    }
    return found;
}

} // namespace lkt::cuda_detail
