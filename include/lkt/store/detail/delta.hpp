// SPDX-License-Identifier: BSL-1.0
// How little of a part changed: what is between its common beginning and its common end.
#pragma once

#include <lkt/store/bytes.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail {

/// Appends the changes from `before` to `after`, of as many parts; false when there are none.
bool append_delta(std::string& out,
                  std::vector<std::string> const& before,
                  std::vector<std::string> const& after);

/// Makes these changes; false when they do not fit the parts.
[[nodiscard]] bool apply_delta(std::string_view delta, std::vector<std::string>& parts);

} // namespace lkt::detail
