// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <concepts>
#include <string>

namespace lkt {

/// The name of the model in reports: `model.description()`, if it has one; wrappers pass on the
/// inner model's. Empty for a model without one: reports then use the names in its replies.
template <class M>
[[nodiscard]] std::string describe(M const& model) {
    if constexpr (requires {
                      { model.description() } -> std::convertible_to<std::string>;
                  })
        return model.description();
    else
        return {};
}

} // namespace lkt
