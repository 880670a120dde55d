// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/peaks_record.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::cuda_detail {

namespace peaks {

// The arrays belong to the module, so that nothing of them crosses the bus. Each is far larger than
// any L2, and read or written once in a launch. One load a thread, no hints: of sixty ways to copy
// that were tried on an H200 (more loads a thread, streaming hints, grids that stay, bulk copies)
// none was clearly faster, and most moved 3 to 15 % less.
constexpr char const* copy_text = R"cuda(
__device__ uint4 source[COUNT], target[COUNT];

__global__ void __launch_bounds__(256) lkt_peak_copy(int fill) {
    unsigned const i = blockIdx.x * 256u + threadIdx.x;
    if (fill == 0)
        target[i] = source[i];
    else
        source[i] = make_uint4(i * 2654435761u, i * 40503u, ~i, i * i);
}
)cuda";

// Eight sums that wait for nothing but themselves. Without an argument that the compiler does not
// know, it would do the arithmetic itself.
constexpr char const* fp32_text = R"cuda(
__global__ void __launch_bounds__(256) lkt_peak_fp32(float* result, float factor, int rounds) {
    float x[8];
    float const add = factor * 0.25f;
    for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 32; ++step)
#pragma unroll
            for (int k = 0; k < 8; ++k) x[k] = fmaf(x[k], factor, add);
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == 1234567.0f) *result = sum;
}
)cuda";

// In PTX, since the headers of `half` and of `wmma` may be missing.
constexpr char const* fp16_text = R"cuda(
__global__ void __launch_bounds__(256) lkt_peak_fp16(unsigned* result, unsigned factor, int rounds) {
    unsigned x[8], add = 0x3c003c00u - threadIdx.x;
    for (int k = 0; k < 8; ++k) x[k] = 0x3c003800u + threadIdx.x + k;
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 32; ++step)
#pragma unroll
            for (int k = 0; k < 8; ++k)
                asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(factor), "r"(add));
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == 1234567u) *result = sum;
}
)cuda";

constexpr char const* tensor_text = R"cuda(
__device__ inline void multiply_add(float (&c)[8], unsigned const (&a)[8], unsigned const (&b)[8]) {
    asm("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "
        "{%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
          "+f"(c[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]),
          "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}

__global__ void __launch_bounds__(256) lkt_peak_tensor(float* result, unsigned factor, int rounds) {
    unsigned a[8], b[8];
    float c[4][8];
    for (int k = 0; k < 8; ++k) {
        // Halves between 0.5 and 2, each with another sign.
        a[k] = (factor + 40503u * (threadIdx.x + k)) & 0x83ff83ffu | 0x38003800u;
        b[k] = (factor * 3u + 27644437u * (threadIdx.x + k)) & 0x83ff83ffu | 0x3c003c00u;
        for (int t = 0; t < 4; ++t) c[t][k] = 0;
    }
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 8; ++step)
#pragma unroll
            for (int t = 0; t < 4; ++t) multiply_add(c[t], a, b);
    float sum = 0;
    for (int t = 0; t < 4; ++t)
        for (int k = 0; k < 8; ++k) sum += c[t][k];
    if (sum == 1234567.0f) *result = sum;
}
)cuda";

// `mma` of compute capability 8.0 and newer: MULTIPLY_ADD has four registers of the left matrix,
// two of the right one, and four sums in each thread.
constexpr char const* mma_text = R"cuda(
__device__ inline void multiply_add(SUM (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]) {
    asm("mma.sync.aligned.MULTIPLY_ADD "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+LETTER"(c[0]), "+LETTER"(c[1]), "+LETTER"(c[2]), "+LETTER"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void __launch_bounds__(256) lkt_peak_mma(float* result, unsigned factor, int rounds) {
    unsigned a[4], b[2];
    SUM c[8][4];
    for (int k = 0; k < 4; ++k) a[k] = (factor + 40503u * (threadIdx.x + k)) & MASK | ONE;
    for (int k = 0; k < 2; ++k) b[k] = (factor * 3u + 27644437u * (threadIdx.x + k)) & MASK | ONE;
    for (int t = 0; t < 8; ++t)
        for (int k = 0; k < 4; ++k) c[t][k] = 0;
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 8; ++step)
#pragma unroll
            for (int t = 0; t < 8; ++t) multiply_add(c[t], a, b);
    SUM sum = 0;
    for (int t = 0; t < 8; ++t)
        for (int k = 0; k < 4; ++k) sum += c[t][k];
    if (sum == 1234567) *result = sum;
}
)cuda";

// `wgmma` of compute capability 9.0, as fast kernels use it: two groups of four warps, each with a
// left matrix of 64 rows, share a right one of 256; rows of 128 bytes, with the swizzle of 128.
constexpr char const* wgmma_text = R"cuda(
__global__ void __launch_bounds__(256) lkt_peak_wgmma(float* result, unsigned factor, int rounds) {
    __shared__ __align__(1024) unsigned rows[(2 * 64 + 256) * 32];
    for (unsigned i = threadIdx.x; i < sizeof(rows) / 4; i += 256)
        rows[i] = (factor + 2654435761u * i) & MASK | ONE;
    asm volatile("fence.proxy.async;" : : : "memory");
    __syncthreads();
    unsigned const start = static_cast<unsigned>(__cvta_generic_to_shared(rows));
    unsigned long long const layout = 1ull << 62 | 64ull << 32 | 1ull << 16;
    unsigned long long const left = layout | (start + threadIdx.x / 128 * 8192) >> 4;
    unsigned long long const right = layout | (start + 16384) >> 4;
    SUM c[128];
#pragma unroll
    for (int k = 0; k < 128; ++k) c[k] = 0;
    for (int r = 0; r < rounds; ++r) {
        asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#pragma unroll
        for (int step = 0; step < 8; ++step)
            asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0; "
                         "wgmma.mma_async.sync.aligned.MULTIPLY_ADD {PLACES}, %128, %129, add FLAGS; }"
                         : SUMS
                         : "l"(left + step % 4 * 2), "l"(right + step % 4 * 2));
        asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
    }
    SUM sum = 0;
#pragma unroll
    for (int k = 0; k < 128; ++k) sum += c[k];
    if (sum == 1234567) *result = sum;
}
)cuda";

constexpr char const* fp64_text = R"cuda(
__global__ void __launch_bounds__(256) lkt_peak_fp64(float* result, float factor, int rounds) {
    double x[8];
    double const by = factor, add = by * 0.25;
    for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 32; ++step)
#pragma unroll
            for (int k = 0; k < 8; ++k) x[k] = fma(x[k], by, add);
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == 1234567.0) *result = static_cast<float>(sum);
}
)cuda";

std::string filled(std::string text,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> words) {
    for (auto const& [word, with] : words)
        for (auto at = text.find(word); at != text.npos; at = text.find(word, at + with.size()))
            text.replace(at, word.size(), with);
    return text;
}

/// The text for one kind of matrices. Elements have any sign and mantissa, and exponents near one.
std::string
mma_text_of(char const* multiply_add, bool integers, char const* mask, char const* one) {
    return filled(mma_text,
                  {{"MULTIPLY_ADD", multiply_add},
                   {"SUM", integers ? "int" : "float"},
                   {"LETTER", integers ? "r" : "f"},
                   {"MASK", mask},
                   {"ONE", one}});
}

/// Likewise; `flags` are what stands behind the operands: signs, and how matrices lie.
std::string wgmma_text_of(
    char const* multiply_add, char const* flags, bool integers, char const* mask, char const* one) {
    std::string places, sums;
    for (int k = 0; k < 128; ++k) {
        std::string const n = std::to_string(k);
        places += (k == 0 ? "%" : ", %") + n;
        sums += std::string(k == 0 ? "" : ", ") + (integers ? "\"+r\"(c[" : "\"+f\"(c[") + n + "])";
    }
    return filled(wgmma_text,
                  {{"MULTIPLY_ADD", multiply_add},
                   {"PLACES", places},
                   {"FLAGS", flags},
                   {"SUMS", sums},
                   {"SUM", integers ? "int" : "float"},
                   {"MASK", mask},
                   {"ONE", one}});
}

/// One kernel, what it is launched with, and what a launch does.
struct probe {
    compile_request request;
    launch_dimensions dimensions;
    std::vector<argument_data> arguments;
    double work = 0; ///< of one launch: bytes or operations
    double device_rates::* rate = nullptr;
    device_rates device_peaks::* where = &device_peaks::measured;
};

argument_data place_for_result() { return {{scalar_type::float32, 1}, true, byte_buffer(4)}; }

/// What it is told apart by, and whatever changes the numbers: another layout, other kernels.
std::string key_of(device_facts const& facts) {
    return "lkt peaks 3\n" + facts.uuid + "\n" + facts.name + "\n" + std::to_string(facts.driver);
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

/// Kernels that the device has no units for are left out.
result<std::vector<probe>> probes_for(device_facts const& facts) {
    std::vector<probe> all;
    auto const probe_of = [](std::string text, double device_rates::* rate) -> result<probe> {
        probe p;
        p.request.source = {language::cuda, std::move(text), "lkt"};
        auto found = find_kernel(p.request.source);
        if (!found) return found.error();
        p.request.signature = std::move(*found);
        p.rate = rate;
        return p;
    };

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
        if (capability < kind.oldest || (kind.of_one_generation && capability != kind.oldest))
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

error not_measured(failure const& why) {
    return {condition::unavailable,
            "lkt.cuda.peaks",
            "the device's peaks were not measured: " + describe(why),
            "check whether other programs use the device or fill its memory"};
}

/// Launches it, and returns how long the fastest launch took.
result<seconds>
fastest(cuda& gpu, compiled_kernel const& kernel, probe const& p, call_context const& context) {
    std::vector<direction> directions;
    for (auto const& a : p.arguments)
        directions.push_back(a.buffer ? direction::inout : direction::in);
    run_request run;
    run.dimensions = p.dimensions;
    run.arguments = p.arguments;
    run.directions = directions;
    run.warmups = 3;
    run.launches = 20;
    run.keep = {};
    auto const outcome = gpu.run(kernel, run, context);
    if (!outcome) return outcome.error();
    if (auto const* const why = std::get_if<failure>(&*outcome)) return not_measured(*why);
    auto const& samples = std::get<run_report>(*outcome).samples;
    return *std::min_element(samples.begin(), samples.end());
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
    if (auto const ready = gpu.device(context); !ready) return ready.error();
    for (auto const& p : *all) gpu.prefetch(p.request);
    device_peaks found;
    for (auto& p : *all) {
        auto const compiled = gpu.compile(p.request, context);
        if (!compiled) return compiled.error();
        // An older compiler may not know the newest instructions: that rate stays unknown.
        if (std::holds_alternative<failure>(*compiled)) continue;
        auto const& kernel = std::get<compiled_kernel>(*compiled);
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
