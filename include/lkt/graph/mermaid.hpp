// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/picture.hpp>

#include <string>

namespace lkt {

namespace detail {
[[nodiscard]] std::string mermaid_text(picture const& drawn);
} // namespace detail

/// The picture of strategy `G` as a Mermaid flow chart, which GitHub draws from a fenced block.
/// Nested graphs are subgraphs; limits and `on_error` edges are dotted.
template <class G>
[[nodiscard]] std::string to_mermaid() {
    return detail::mermaid_text(picture_of<G>());
}

} // namespace lkt
