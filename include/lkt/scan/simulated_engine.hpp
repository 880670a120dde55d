// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/accelerators.hpp>
#include <lkt/scan/scan_engine.hpp>

#include <cstdint>

namespace lkt {

/// An engine that computes nothing: times follow from the roof of an accelerator, the tile of each
/// instance, and a seed. For tests, teaching and dry runs. The same seed gives the same numbers,
/// in any order, on any machine. Times are roughly as they would be: a large tile wastes what a
/// small product does not fill.
class simulated_engine {
public:
    struct options {
        accelerator device = accelerator_called("MI300X").value();
        std::uint64_t seed = 1;
        scan_settings settings{};
    };
    simulated_engine() : simulated_engine(options{}) {}
    explicit simulated_engine(options o) : options_(std::move(o)) {}

    [[nodiscard]] std::string_view name() const { return "simulated"; }
    /// Types that its accelerator has no units for.
    [[nodiscard]] std::string refuses(scan_spec const& spec) const;
    [[nodiscard]] result<scan_setup> setup(call_context const& context = {}) const;
    /// Errors: `lkt.scan.refused` (rejected).
    [[nodiscard]] result<scanned_product> measure(scan_spec const& spec,
                                                  call_context const& context = {});

private:
    options options_;
};
static_assert(scan_engine<simulated_engine>);

} // namespace lkt
