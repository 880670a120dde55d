// SPDX-License-Identifier: BSL-1.0
// The results of scans, as a table with a row for each instance of each product.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/scan/accelerators.hpp>
#include <lkt/scan/scan_engine.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// `measured` rows are of an instance; the others are of a whole product, which has no other row.
enum class scan_status : unsigned char {
    measured,
    refused, ///< the engine has nothing for this product
    failed   ///< the measurement did; `message` says why
};

[[nodiscard]] constexpr std::string_view to_string(scan_status s) {
    return s == scan_status::measured  ? "measured"
           : s == scan_status::refused ? "refused"
                                       : "failed";
}

struct scan_row {
    std::string engine{}, device{}, date{}; ///< the date as `2025-06-13T10:24:13Z`
    std::string settings{};                 ///< of `scan_setup`; empty: not known
    scan_spec spec;
    scan_status status = scan_status::measured;
    scanned_instance instance{}; ///< of a measured row
    std::size_t unsupported = 0; ///< instances of the product that could not compute it
    bool best = false;           ///< the fastest of its product: see `mark_best`
    std::string message{};       ///< remarks of the engine, or why there are no numbers
    // Of the roof, where the accelerator is known; else 0.
    flop_rate roof{};           ///< that the product could reach
    bool memory_bound = false;  ///< its roof is that of memory
    std::size_t of_product = 1; ///< rows of its product: fewer in a file say that it was cut off

    [[nodiscard]] bool measured() const { return status == scan_status::measured; }
    /// 0 in a row without a time.
    [[nodiscard]] flop_rate rate() const;
    [[nodiscard]] byte_rate bandwidth() const;
    /// Of the roof; 1 is at the roof, 0 is not known.
    [[nodiscard]] double share() const { return roof > flop_rate() ? rate() / roof : 0; }
    /// Of the product, for this engine on this device, with these settings.
    [[nodiscard]] std::string product() const;
};

using scan_table = std::vector<scan_row>;

/// The rows of one product, on the device of `setup` where `found` names none.
[[nodiscard]] scan_table rows_of(std::string engine,
                                 scan_spec const& spec,
                                 scanned_product const& found,
                                 std::string date,
                                 accelerator const* device,
                                 scan_setup const& setup = {});

/// Fills the roof of each row.
void set_roofs(scan_table& table, accelerator const& device);

/// Exactly one measured row of each product is the best, whatever was marked before: the one of the
/// least time whose verdict is not `wrong`, the first of several; none where there is no such row.
void mark_best(scan_table& table);

[[nodiscard]] scan_table filter(scan_table const& table,
                                std::function<bool(scan_row const&)> const& wanted);
/// The best of each product, after `mark_best`, in the order of the table.
[[nodiscard]] scan_table best_of(scan_table const& table);

/// Of the measured rows of a group.
struct scan_summary {
    std::size_t rows = 0;
    flop_rate least{}, mean{}, most{}, deviation{};
    double share = 0; ///< the largest of the roof
};
/// By the key that a function makes of a row, in the order of the keys.
[[nodiscard]] std::map<std::string, scan_summary>
group_by(scan_table const& table, std::function<std::string(scan_row const&)> const& key);

/// A product of two runs: the times of its best rows.
struct compared_product {
    scan_spec spec;
    seconds before{0}, after{0};
    std::string instance_before, instance_after;
    /// Above 1: the second run is faster.
    [[nodiscard]] double speed_up() const { return before.count() / after.count(); }
};

struct scan_comparison {
    std::vector<compared_product> products; ///< in both, in the order of the first
    std::vector<scan_spec> only_before, only_after;
    /// `H100; warm_ups=10 ...`: each that a measured row of a run has, where the runs differ in
    /// them.
    std::vector<std::string> setups_before, setups_after;
    /// Geometric mean of the speed-ups; 0 without products.
    [[nodiscard]] double mean_speed_up() const;
};

/// The best of each product, whichever engine it is of. Rows of one run should be of one device.
[[nodiscard]] scan_comparison compare(scan_table const& before, scan_table const& after);

} // namespace lkt
