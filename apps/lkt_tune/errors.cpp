// SPDX-License-Identifier: BSL-1.0
#include "errors.hpp"

#include "../common/backend.hpp"
#include "../common/output.hpp"

#include <utility>

namespace lkt_tune {

lkt::error usage(std::string message, std::string hint) {
    return lkt_apps::usage_error(usage_code, std::move(message), std::move(hint));
}

int complain(lkt::error const& e) {
    bool const given = e.code == usage_code || e.code == "lkt.llm.model-name" ||
                       e.code == "lkt.strategies.steps" || e.code == "lkt.budget.no-price";
    return lkt_apps::report_error("lkt-tune", e, given);
}

} // namespace lkt_tune
