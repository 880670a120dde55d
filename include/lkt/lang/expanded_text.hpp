// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace lkt {

/// A token that a compiler may see, or the edge of a branch that cannot be decided.
struct expanded_token {
    enum class edge : unsigned char { none, open, next, close };
    token tok;              ///< `where` is the place in the text, of the macro's name for its body
    std::size_t source = 0; ///< index into `expanded_text::written`
    edge mark = edge::none; ///< of `#if`, `#else` and `#endif`; then there is no token
    bool expanded = false;  ///< comes out of a macro
    /// The macros made a string of other words by `#`; which ones is not kept.
    bool stringized = false;

    [[nodiscard]] bool is(std::string_view text) const {
        return mark == edge::none && tok.is(text);
    }
    [[nodiscard]] bool names() const {
        return mark == edge::none && tok.kind == token_kind::identifier;
    }
};

/// A text before and after its macros.
struct expanded_text {
    std::vector<token> written;
    std::vector<expanded_token> seen;
    /// Identifiers in the bodies of macros that mean different things under different conditions,
    /// or are called in a way that they cannot be: who knows what becomes of them.
    std::vector<std::string> hidden;
};

/// The text's own macros are expanded; `#include` is not followed. Branches of `#if` that are not
/// literally dead (`#if 0`) are all there, since a definition may be replaced by a parameter. WGSL
/// has no macros: `written` and `seen` are the same. Linear in the text and bounded for macros.
/// Errors (rejected): `lkt.kernel.text` as `tokenize`, `lkt.kernel.macro` for macros without end.
[[nodiscard]] result<expanded_text> expand_text(kernel_source const& source);

} // namespace lkt
