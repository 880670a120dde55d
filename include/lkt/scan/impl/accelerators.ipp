// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/accelerators.hpp>

#include <algorithm>
#include <cctype>
#include <vector>

namespace lkt {

namespace detail::scan {

/// Teraoperations a second, in the order of `gemm_type`: f64, f32, tf32, f16, bf16, fp8, int8,
/// int4.
inline accelerator on_paper(std::string name,
                            std::string others,
                            std::array<double, 8> const& tera,
                            double gigabytes_s,
                            double gigabytes,
                            std::string source) {
    std::array<flop_rate, 8> rates;
    std::transform(
        tera.begin(), tera.end(), rates.begin(), [](double t) { return t * teraflop_per_second; });
    return {std::move(name),
            std::move(others),
            rates,
            gigabytes_s * gigabyte_per_second,
            bytes{static_cast<std::uint64_t>(gigabytes * 1e9)},
            std::move(source)};
}

inline std::vector<accelerator> make_accelerators() {
    // AMD's figures of matrix units where there are any; MI250X is both of its dies.
    constexpr char mi200[] = "AMD Instinct MI200 series data sheets (MI210, MI250, MI250X)";
    constexpr char mi300[] = "AMD Instinct MI300A, MI300X and MI325X data sheets";
    constexpr char mi350[] = "AMD Instinct MI350X and MI355X data sheets";
    constexpr char a100[] = "NVIDIA A100 Tensor Core GPU data sheet";
    constexpr char h100[] = "NVIDIA H100 Tensor Core GPU Architecture white paper; sparse halved";
    constexpr char h200[] = "NVIDIA H200 Tensor Core GPU data sheet; sparse halved";
    constexpr char b200[] =
        "NVIDIA Blackwell Architecture technical brief, HGX B200; sparse halved";
    constexpr char ada[] = "NVIDIA Ada GPU Architecture white paper, RTX 4090, sums in FP32";
    constexpr char rtx50[] =
        "NVIDIA RTX Blackwell GPU Architecture white paper, RTX 5090, sums in FP32";
    constexpr char rdna3[] = "AMD Radeon RX 7900 XTX specifications; RDNA 3 WMMA rates a clock";
    // clang-format off
    return {
        on_paper("MI210", "Aldebaran", {45.3, 45.3, 0, 181, 181, 0, 181, 181}, 1638.4, 64, mi200),
        on_paper("MI250", "", {90.5, 90.5, 0, 362.1, 362.1, 0, 362.1, 362.1}, 3276.8, 128, mi200),
        on_paper("MI250X", "", {95.7, 95.7, 0, 383, 383, 0, 383, 383}, 3276.8, 128, mi200),
        on_paper("MI300A", "", {122.6, 122.6, 490.3, 980.6, 980.6, 1961.2, 1961.2, 0}, 5300, 128, mi300),
        on_paper("MI300X", "", {163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, 0}, 5300, 192, mi300),
        on_paper("MI325X", "", {163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, 0}, 6000, 256, mi300),
        on_paper("MI350X", "", {72.1, 144.2, 0, 2306.9, 2306.9, 4613.7, 4613.7, 0}, 8000, 288, mi350),
        on_paper("MI355X", "", {78.6, 157.3, 0, 2516.6, 2516.6, 5033.2, 5033.2, 0}, 8000, 288, mi350),
        on_paper("A100 40GB", "A100-SXM4-40GB,A100-PCIE-40GB", {19.5, 19.5, 156, 312, 312, 0, 624, 1248}, 1555, 40, a100),
        on_paper("A100", "A100 80GB,A100-SXM4-80GB", {19.5, 19.5, 156, 312, 312, 0, 624, 1248}, 2039, 80, a100),
        on_paper("A100 80GB PCIe", "A100-PCIE-80GB", {19.5, 19.5, 156, 312, 312, 0, 624, 1248}, 1935, 80, a100),
        on_paper("H100 PCIe", "H100-PCIE", {51.2, 51.2, 378, 756, 756, 1513, 1513, 0}, 2039, 80, h100),
        on_paper("H100", "H100 SXM,H100 SXM5,H100 80GB HBM3,H100 SXM5 80GB", {66.9, 66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9, 0}, 3352, 80, h100),
        on_paper("H200", "H200 SXM", {66.9, 66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9, 0}, 4800, 141, h200),
        on_paper("B200", "HGX B200", {40, 80, 1100, 2250, 2250, 4500, 4500, 0}, 8000, 192, b200),
        on_paper("RX 7900 XTX", "gfx1100", {1.92, 61.4, 0, 122.8, 122.8, 0, 122.8, 245.6}, 960, 24, rdna3),
        on_paper("RTX 4090", "", {1.29, 82.6, 82.6, 165.2, 165.2, 330.3, 660.6, 1321.2}, 1008, 24, ada),
        on_paper("RTX 5090", "", {1.64, 104.8, 104.8, 209.5, 209.5, 419, 838, 0}, 1792, 32, rtx50),
    };
    // clang-format on
}

/// Letters and digits alone, in lower case: `rx7900xtx`.
inline std::string bare(std::string_view name) {
    std::string out;
    for (char const c : name)
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

inline std::vector<std::string_view> names_of(accelerator const& a) {
    std::vector<std::string_view> names{a.name};
    for (std::string_view rest = a.other_names; !rest.empty();) {
        auto const comma = rest.find(',');
        names.push_back(rest.substr(0, comma));
        rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    }
    return names;
}

} // namespace detail::scan

std::span<accelerator const> known_accelerators() {
    static std::vector<accelerator> const all = detail::scan::make_accelerators();
    return all;
}

result<accelerator> accelerator_called(std::string_view name) {
    auto given = detail::scan::bare(name);
    // Drivers put the vendor and the family before a name.
    for (std::string_view const before :
         {"amd", "nvidia", "instinct", "radeon", "geforce", "graphics"})
        if (given.starts_with(before)) given.erase(0, before.size());
    accelerator const* found = nullptr;
    std::size_t longest = 0;
    std::string known;
    for (accelerator const& one : known_accelerators()) {
        known += (known.empty() ? "" : ", ") + one.name;
        for (std::string_view const other : detail::scan::names_of(one)) {
            auto const bare = detail::scan::bare(other);
            // `H200 NVL`, `RTX 4090 D` and `RTX 5090 Laptop GPU` are other models.
            bool fits = given.starts_with(bare);
            if (fits && given.size() > bare.size()) {
                auto const more = std::string_view(given).substr(bare.size());
                fits = more == "oam" || more == "vf" || more == "hf" || more == "sxm" ||
                       more.starts_with("mi250");
            }
            if (fits && bare.size() > longest) {
                longest = bare.size();
                found = &one;
            }
        }
    }
    if (found != nullptr) return *found;
    return error{condition::rejected,
                 "lkt.scan.accelerator",
                 "the table has no accelerator " + in_backticks(name) + did_you_mean(name, known),
                 "known: " + known};
}

roofline roofline_of(scan_spec const& spec, accelerator const& device) {
    roofline r;
    byte_rate const bandwidth = device.bandwidth;
    bool const units = spec.elementwise() == nullptr;
    flop_rate const rate = units ? device.rate(spec.type()) : flop_rate();
    r.bytes = spec.bytes().count();
    r.operations = spec.operations().count();
    r.bandwidth = bandwidth.count();
    r.rate = rate.count();
    if (units) r.type = arithmetic_of(spec.type());
    if (bandwidth > byte_rate()) r.memory_time = spec.bytes() / bandwidth;
    if (rate > flop_rate()) r.arithmetic_time = spec.operations() / rate;
    return r;
}

} // namespace lkt
