// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <concepts>
#include <string>

namespace lkt {

/// What a report says of the model that was asked: `model.description()`, if it has that; wrappers
/// hand on what is inside. Empty for a model that says nothing of itself: then the names in its
/// replies have to do.
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
