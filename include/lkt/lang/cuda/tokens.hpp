// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/kernel/text_location.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

enum class token_kind : unsigned char {
    identifier,
    number,      ///< as the preprocessor sees it: `0x1p-3f`, `1'000`
    string,      ///< with prefix, quotes and suffix; raw strings too
    character,   ///< with prefix, quotes and suffix
    punctuator,  ///< `::`, `<<=`, ...; `<<<` is one, `>>>` is `>>` and `>`
    header_name, ///< `<cuda_fp16.h>` after `#include`; a quoted one is a string
    other,       ///< what fits nowhere: a quote that is never closed, a control character
};

/// A token of C++ text as CUDA and HIP write it. Comments and white space leave no token.
struct token {
    token_kind kind = token_kind::other;
    std::string text;       ///< without line splices; a digraph as what it stands for
    text_location where;    ///< of the first character; columns count bytes from 1
    std::size_t begin = 0;  ///< extent in the text, in bytes
    std::size_t end = 0;    ///< one past the last byte
    bool directive = false; ///< belongs to a preprocessor line; its first token is `#`
    bool first = false;     ///< first token of its line
    bool disguised = false; ///< written with a line splice, as a digraph or with `\u....`

    [[nodiscard]] bool is(std::string_view what) const {
        return text == what && kind != token_kind::string && kind != token_kind::character;
    }
};

/// The tokens of `text` before preprocessing. Errors (rejected, `lkt.kernel.text`): a comment or
/// raw string that never ends (with its line), more than `max_kernel_bytes` bytes, a NUL byte, a
/// carriage return without a line feed behind it.
[[nodiscard]] result<std::vector<token>> tokenize(std::string_view text);

} // namespace lkt
