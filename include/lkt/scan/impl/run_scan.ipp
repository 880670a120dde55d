// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/run_scan.hpp>

#include <ctime>

namespace lkt {

std::string scan_date() {
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    char text[32];
    if (gmtime_r(&now, &parts) == nullptr ||
        std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        return {};
    return text;
}

scan_row row_without_numbers(std::string engine,
                             scan_setup const& setup,
                             scan_spec const& spec,
                             scan_status status,
                             std::string why) {
    return {.engine = std::move(engine),
            .device = setup.device,
            .date = scan_date(),
            .settings = setup.settings,
            .spec = spec,
            .status = status,
            .message = std::move(why)};
}

std::string said_of(scan_table const& product) {
    auto const best = best_of(product);
    if (product.empty() || !product[0].measured())
        return product.empty()
                   ? "nothing"
                   : std::string(to_string(product[0].status)) + ": " + product[0].message;
    std::string text = std::to_string(product.size()) + " instances";
    if (best.empty()) return text + ", and none of them is right";
    return text + ", best " + to_string(best[0].instance.time) + ", " + to_string(best[0].rate());
}

} // namespace lkt
