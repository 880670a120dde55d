// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/picture.hpp>

#include <string>

namespace lkt {

namespace detail {
[[nodiscard]] std::string dot_text(picture const& drawn);
} // namespace detail

/// The picture of strategy `G` in the DOT language of Graphviz. Nested graphs are clusters; limits
/// and `on_error` edges are dashed.
template <class G>
[[nodiscard]] std::string to_dot() {
    return detail::dot_text(picture_of<G>());
}

} // namespace lkt
