// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <cstddef>
#include <string_view>

namespace lkt::detail::lang {

/// A token after macro expansion, or the edge of a branch of a conditional that cannot be decided.
struct piece {
    enum class edge : unsigned char { none, open, next, close };
    token tok;
    std::size_t source = 0; ///< index of the token in the text that it stands for
    edge mark = edge::none;
    bool expanded = false; ///< comes out of a macro

    [[nodiscard]] bool is(std::string_view text) const {
        return mark == edge::none && tok.is(text);
    }
    [[nodiscard]] bool names() const {
        return mark == edge::none && tok.kind == token_kind::identifier;
    }
};

} // namespace lkt::detail::lang
