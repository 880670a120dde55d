// SPDX-License-Identifier: BSL-1.0
// What measures products: a library's profiler, or something that stands for one.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/scan/scan_spec.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// Whether what an instance computed was compared with a reference.
enum class scan_verdict : unsigned char { correct, wrong, unchecked };

[[nodiscard]] constexpr std::string_view to_string(scan_verdict v) {
    return v == scan_verdict::correct ? "correct"
           : v == scan_verdict::wrong ? "wrong"
                                      : "unchecked";
}

/// Why an engine of one operation measures no spec of another; empty: it is one of its own.
[[nodiscard]] std::string
refused_operation(std::string_view engine, scan_operation operation, scan_spec const& spec);

/// One kernel that an engine has for a product, measured.
struct scanned_instance {
    std::string name;
    seconds time{0}; ///< of a launch: the mean, where an engine says no more
    std::optional<seconds> least = {}, most = {}, deviation = {}; ///< of its launches
    std::optional<seconds> again = {}; ///< of a second, longer measurement of the same
    int iterations = 0;                ///< that `time` is of; 0: not known
    scan_verdict verdict = scan_verdict::unchecked;
    double clock_mhz = 0; ///< of the multiprocessors while it was timed; 0: not known
    bytes workspace{};    ///< of the device's memory that it uses beside the matrices

    /// A second measurement that differs by more than a tenth from the first: neither can be
    /// trusted to a few percent. 1: they agree, or there is only one.
    [[nodiscard]] double discrepancy() const;
    [[nodiscard]] bool differs() const { return discrepancy() > 1.1 || discrepancy() < 1 / 1.1; }
};

/// Of all instances that an engine has for one product.
struct scanned_product {
    std::vector<scanned_instance> instances; ///< that ran
    std::size_t unsupported = 0;             ///< that cannot compute this product
    std::vector<std::string> remarks;        ///< what a reader of the numbers has to know
    std::string device;                      ///< empty: not known
};

/// On what an engine measures, and how: numbers of different setups are not the same numbers.
struct scan_setup {
    std::string device;   ///< empty: not known
    std::string settings; ///< whatever else a number depends on: `warm_ups=10 iterations=100 ...`
};

/// What a scan asks of an engine: `name()`, which products it can measure at all, its setup, and a
/// measurement. An error of `measure` is of this product; a scan goes on with the next, unless it
/// was cancelled. An error of `setup` ends the scan before it begins.
template <class E>
concept scan_engine =
    requires(E& engine, E const& same, scan_spec const& spec, call_context const& context) {
        { same.name() } -> std::convertible_to<std::string_view>;
        /// Why not; empty: it can.
        { same.refuses(spec) } -> std::same_as<std::string>;
        { engine.setup(context) } -> std::same_as<result<scan_setup>>;
        { engine.measure(spec, context) } -> std::same_as<result<scanned_product>>;
    };

/// How an engine measures, where it can be told.
struct scan_settings {
    int warm_ups = 10, iterations = 100;
    bool verify = true;
    seconds time_limit{600}; ///< for one product
};

/// `warm_ups=10 iterations=100 verify=True time_limit=600`: of a setup.
[[nodiscard]] std::string to_string(scan_settings const& settings);

} // namespace lkt
